// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program mandelbrot, run as people run it: its pictures are read back with libpng.
#include "testing/places.hpp"
#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gangway::apps {
namespace {

namespace fs = std::filesystem;
using Pixel = std::array<int, 3>;
constexpr Pixel black{0, 0, 0};

struct Image {
  long width = 0;
  long height = 0;
  std::vector<std::uint8_t> rgb;

  [[nodiscard]] Pixel at(long row, long column) const {
    const auto place = static_cast<std::size_t>(3 * (row * width + column));
    return {rgb.at(place), rgb.at(place + 1), rgb.at(place + 2)};
  }
};

class Mandelbrot : public ::testing::Test {
protected:
  Mandelbrot() { fs::create_directory(_folder / "pictures"); }

  [[nodiscard]] fs::path file(const std::string& name = "a.png") const {
    return _folder / "pictures" / name;
  }
  [[nodiscard]] bool nothing_written() const { return fs::is_empty(_folder / "pictures"); }

  /// Starts it; the arguments follow the program's name.
  [[nodiscard]] pid_t start(std::vector<std::string> arguments) const {
    // The programs lie beside the tests.
    arguments.insert(arguments.begin(), gangway::testing::beside_program("mandelbrot").string());
    std::vector<char*> argv;
    for (std::string& argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    const std::string out = (_folder / "out").string();
    const std::string err = (_folder / "err").string();
    const pid_t child = fork();
    if (child == 0) {
      ::signal(SIGINT, SIG_DFL); // a shell's background jobs ignore it
      constexpr int mode = O_WRONLY | O_CREAT | O_TRUNC;
      dup2(open(out.c_str(), mode, 0600), STDOUT_FILENO);
      dup2(open(err.c_str(), mode, 0600), STDERR_FILENO);
      execv(argv[0], argv.data());
      _exit(127);
    }
    return child;
  }
  /// Its exit status; 128 and the signal, if one ended it.
  static int wait_for(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] int run(const std::vector<std::string>& arguments) const {
    return wait_for(start(arguments));
  }
  [[nodiscard]] std::string output() const { return contents(_folder / "out"); }
  [[nodiscard]] std::string errors() const { return contents(_folder / "err"); }

  [[nodiscard]] static std::string contents(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// Runs it with these arguments and the picture's name, and reads the picture.
  [[nodiscard]] Image draw(std::vector<std::string> arguments) const {
    arguments.push_back(file().string());
    EXPECT_EQ(run(arguments), 0) << errors();
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_file(&png, file().c_str()), 0) << png.message;
    png.format = PNG_FORMAT_RGB;
    Image image{png.width, png.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png))};
    EXPECT_NE(png_image_finish_read(&png, nullptr, image.rgb.data(), 0, nullptr), 0) << png.message;
    return image;
  }

private:
  testing::TemporaryFolder _folder;
};

TEST_F(Mandelbrot, DrawsTheSet) {
  const Image image = draw({"--width", "64", "--height", "64", "--window", "-2,2,-2,2"});
  ASSERT_EQ(image.width, 64);
  ASSERT_EQ(image.height, 64);
  EXPECT_EQ(image.at(32, 32), black); // 0.03 + 0.03i
  EXPECT_EQ(image.at(32, 16), black); // about -1
  EXPECT_EQ(image.at(20, 30), black); // about -0.1 + 0.74i, in the part above the cardioid
  EXPECT_NE(image.at(32, 48), black); // about 1
  EXPECT_NE(image.at(0, 0), black);   // outside the circle of radius 2
  EXPECT_NE(image.at(20, 20), black);
  // The set is its own image in the real axis.
  for (long row = 0; row < 32; ++row)
    for (long column = 0; column < 64; ++column)
      ASSERT_EQ(image.at(row, column), image.at(63 - row, column)) << row << ", " << column;
  // And no other: left and right differ.
  EXPECT_NE(image.at(32, 16), image.at(32, 47));
  EXPECT_NE(errors().find("64 x 64 pixels of [-2, 2] x [-2, 2]"), std::string::npos) << errors();
  EXPECT_EQ(output(), "");
  // The same bytes go down a pipe.
  EXPECT_EQ(run({"--width", "64", "--height", "64", "--window", "-2,2,-2,2", "/dev/stdout"}), 0);
  EXPECT_EQ(output(), contents(file()));
}

/// The same points, whatever way they were asked for, whatever pixels lie beside them: upper left
/// quarter by window, by center and zoom, and as part of the whole.
TEST_F(Mandelbrot, WindowsAndZoomsShowTheSamePlane) {
  const Image whole = draw({"--width", "64", "--height", "48", "--window=-2,2,-1.5,1.5"});
  const Image quarter = draw({"--width", "32", "--height", "24", "--window", "-2,0,0,1.5"});
  ASSERT_EQ(quarter.width, 32);
  ASSERT_EQ(quarter.height, 24);
  for (long row = 0; row < 24; ++row)
    for (long column = 0; column < 32; ++column)
      ASSERT_EQ(quarter.at(row, column), whole.at(row, column)) << row << ", " << column;
  // A picture is 8/3 / zoom on its shorter side: here 1.5.
  const Image zoomed = draw(
      {"--width", "32", "--height", "24", "--center", "-1,0.75", "--zoom", "1.77777777777777777"});
  long different = 0;
  for (long row = 0; row < 24; ++row)
    for (long column = 0; column < 32; ++column)
      different += zoomed.at(row, column) == quarter.at(row, column) ? 0 : 1;
  EXPECT_LE(different,
            24 * 32 / 20); // the edges are rounded, and some points are very near the set's
}

TEST_F(Mandelbrot, OddSizesAndSamples) {
  for (const auto& [width, height] : {std::pair{1L, 1L}, {1L, 37L}, {331L, 1L}, {67L, 45L}}) {
    const Image image =
        draw({"--width", std::to_string(width), "--height", std::to_string(height)});
    EXPECT_EQ(image.width, width);
    EXPECT_EQ(image.height, height);
  }
  // A pixel of four points has the mean of the four pixels that each has one.
  const Image one = draw({"--width", "32", "--height", "32", "--window", "-2,2,-2,2"});
  const Image four =
      draw({"--width", "16", "--height", "16", "--window", "-2,2,-2,2", "--samples", "2"});
  for (long row = 0; row < 16; ++row)
    for (long column = 0; column < 16; ++column)
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const auto part = [&](long down, long across) {
          return one.at(2 * row + down, 2 * column + across)[channel];
        };
        EXPECT_NEAR(four.at(row, column)[channel],
                    (part(0, 0) + part(0, 1) + part(1, 0) + part(1, 1)) / 4.0, 1.01);
      }
}

/// More steps show less of the set: what had not left yet then has.
TEST_F(Mandelbrot, IterationsSharpenTheBorder) {
  const std::vector<std::string> window{
      "--width", "64", "--height", "64", "--window", "-0.8,-0.7,0.05,0.15", "--iterations"};
  const auto inside = [&](const char* iterations) {
    std::vector<std::string> arguments = window;
    arguments.emplace_back(iterations);
    const Image image = draw(arguments);
    long count = 0;
    for (long row = 0; row < 64; ++row)
      for (long column = 0; column < 64; ++column)
        count += image.at(row, column) == black ? 1 : 0;
    return count;
  };
  const long few = inside("60");
  const long many = inside("5000");
  EXPECT_GT(few, many);
  EXPECT_GT(many, 0);
}

TEST_F(Mandelbrot, HelpSaysHowItEnds) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_NE(output().find("Exit status: 0 done, 2 bad usage"), std::string::npos);
}

TEST_F(Mandelbrot, RefusesBadUsageAndSaysWhy) {
  const std::string picture = file().string();
  struct Bad {
    std::vector<std::string> arguments;
    const char* says;
  };
  for (const auto& [arguments, says] : std::vector<Bad>{
           {{}, "file is required"},
           {{""}, "the name is empty"},
           {{picture, "--width", "0"}, "--width"},
           {{picture, "--width", "2.5"}, "--width"},
           {{picture, "--width", "0x10"}, "--width: '0x10' is not a finite number in decimal"},
           {{picture, "--height", "010"}, "--height: '010' is not a finite"},
           {{picture, "--iterations", "0x10"}, "--iterations: '0x10' is not a finite"},
           {{picture, "--samples", "0x2"}, "--samples: '0x2' is not a finite"},
           {{picture, "--window", "-2,2,-2,0x2"}, "--window: '0x2' is not a finite"},
           {{picture, "--center", "0x1,0"}, "--center: '0x1' is not a finite"},
           {{picture, "--zoom", "0x2"}, "--zoom: '0x2' is not a finite"},
           {{picture, "--zoom", "nan"}, "--zoom: 'nan' is not a finite"},
           {{picture, "--height", "-3"}, "--height"},
           {{picture, "--height", "1000001"}, "--height"},
           {{picture, "--width", "1000000", "--height", "1000000"}, "more than a PNG can have"},
           {{picture, "--iterations", "0"}, "--iterations"},
           {{picture, "--samples", "17"}, "--samples"},
           {{picture, "--window", "-2,2,-2"}, "--window"},
           {{picture, "--window", "2,-2,-2,2"}, "left less than right"},
           {{picture, "--window", "-2,2,1,1"}, "bottom less than top"},
           {{picture, "--window", "-2,2,-2,nan"}, "edges are numbers"},
           {{picture, "--window", "-2,2,-2,1e7"}, "edges are numbers"},
           {{picture, "--window", "-2,2,-2,2", "--zoom", "3"}, "--zoom"},
           {{picture, "--center", "1"}, "--center"},
           {{picture, "--center", "inf,0"}, "two numbers"},
           {{picture, "--zoom", "0"}, "--zoom 0"},
           {{picture, "--zoom", "-1"}, "--zoom"},
           {{picture, "--zoom", "1e15"}, "double precision"},
           {{picture, "--zoom", "1e12", "--samples", "16"}, "double precision"},
           {{picture, "--colour", "red"}, "--colour"},
           {{file("no/such/folder.png").string()}, "there is no directory"},
           {{file("..").string()}, "it is a directory"}}) {
    std::string all;
    for (const std::string& argument : arguments)
      all += argument + " ";
    EXPECT_EQ(run(arguments), 2) << all;
    EXPECT_NE(errors().find(says), std::string::npos) << all << "says: " << errors();
    EXPECT_TRUE(nothing_written()) << all;
  }
}

/// A picture that was there is still there, unchanged, when another cannot be drawn in its place.
TEST_F(Mandelbrot, LeavesAnOldPictureAloneWhenItFails) {
  std::ofstream(file()) << "an old picture";
  EXPECT_EQ(run({file().string(), "--zoom", "1e30"}), 2);
  std::ifstream stream(file());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "an old picture");
}

/// Ctrl-C, or a batch system's signal, while it draws: it ends soon and leaves nothing behind.
TEST_F(Mandelbrot, SignalsLeaveNothingBehind) {
  for (const int signal : {SIGINT, SIGTERM}) {
    // Minutes of work at the border on a host, many seconds on a device.
    const pid_t child =
        start({file().string(), "--width", "20000", "--height", "20000", "--samples", "16",
               "--window", "-0.75,-0.74,0.1,0.11", "--iterations", "1000000"});
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const auto signalled = std::chrono::steady_clock::now();
    ASSERT_EQ(kill(child, signal), 0);
    // The status is the same if the signal came before the program was ready for it.
    EXPECT_EQ(wait_for(child), 128 + signal) << errors();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - signalled;
    EXPECT_LT(took.count(), 30) << "much longer than a part takes";
    EXPECT_TRUE(nothing_written());
  }
}

} // namespace
} // namespace gangway::apps
