// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program heat from end to end, and its parts.
#include "../../apps/heat/heat.hpp"
#include "harness/problem.hpp"
#include "testing/places.hpp"
#include "testing/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <png.h>
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace gangway::heat {
namespace {

namespace fs = std::filesystem;

/// Programs and tests are built into one folder.
std::string program() {
  return testing::beside_program("heat");
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Picture {
  long width = 0;
  long height = 0;
  std::vector<std::uint8_t> rgb;

  [[nodiscard]] Colour at(long row, long column) const {
    const auto* const pixel = rgb.data() + 3 * (row * width + column);
    return {pixel[0], pixel[1], pixel[2]};
  }
};

Picture read_png(const fs::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << path << image.message;
  image.format = PNG_FORMAT_RGB;
  Picture picture{image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr), 0)
      << path << image.message;
  return picture;
}

/// Each test in a folder of its own, in which the program runs too.
class Heat : public ::testing::Test {
protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return _folder / name; }

  /// Starts the program in the folder, its output going to files of the folder, or to `terminal`.
  [[nodiscard]] pid_t start(std::vector<std::string> arguments, int terminal = -1) const {
    arguments.insert(arguments.begin(), program());
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, _folder.path().c_str());
    for (const auto& [descriptor, name] : {std::pair{STDOUT_FILENO, "out"}, {STDERR_FILENO, "err"}})
      if (terminal >= 0)
        posix_spawn_file_actions_adddup2(&actions, terminal, descriptor);
      else
        posix_spawn_file_actions_addopen(&actions, descriptor, file(name).c_str(),
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = -1;
    EXPECT_EQ(
        posix_spawn(&child, arguments.front().c_str(), &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
  }
  static int status_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  [[nodiscard]] int run(std::vector<std::string> arguments) const {
    return status_of(start(std::move(arguments)));
  }
  [[nodiscard]] std::string out() const { return content(file("out")); }
  [[nodiscard]] std::string err() const { return content(file("err")); }

  [[nodiscard]] std::vector<std::string> files_with(const std::string& part) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(_folder.path()))
      if (entry.path().filename().string().find(part) != std::string::npos)
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

private:
  testing::TemporaryFolder _folder;
};

TEST_F(Heat, PaintsThePlateEverySoManySweeps) {
  ASSERT_EQ(run({"--rows", "40", "--columns", "60", "--sweeps", "110", "--every", "50"}), 0)
      << err();
  EXPECT_EQ(err(), "") << "no progress in a pipe";
  EXPECT_EQ(files_with(".png"), (std::vector<std::string>{"heat-00000050.png", "heat-00000100.png",
                                                          "heat-00000110.png"}));
  EXPECT_NE(out().find("heat-00000100.png: change 0."), std::string::npos) << out();
  EXPECT_NE(out().find("stopped after 110 sweeps"), std::string::npos) << out();
  const Picture picture = read_png(file("heat-00000110.png"));
  EXPECT_EQ(picture.width, 62);
  EXPECT_EQ(picture.height, 42);
  EXPECT_EQ(picture.at(0, 0), colour(0));
  EXPECT_EQ(picture.at(40, 61), colour(1)) << "the right edge at the last row";
  EXPECT_EQ(picture.at(20, 61), colour(0.5)) << "the right edge half way down";
  EXPECT_EQ(picture.at(41, 30), colour(0.5)) << "the bottom half way along";
  EXPECT_NE(read_png(file("heat-00000050.png")).rgb, picture.rgb);
}

TEST_F(Heat, StopsWhenNothingChangesAnyMore) {
  ASSERT_EQ(run({"--rows", "10", "--columns", "10", "--tolerance", "0.5"}), 0) << err();
  EXPECT_NE(out().find("converged after "), std::string::npos) << out();
  EXPECT_EQ(files_with(".png").size(), 1U);
}

TEST_F(Heat, AFinishedPlateIsOnlyPainted) {
  ASSERT_EQ(run({"--rows", "8", "--columns", "8", "--sweeps", "0"}), 0) << err();
  EXPECT_EQ(files_with(".png"), std::vector<std::string>{"heat-00000000.png"});
  EXPECT_NE(out().find("stopped after 0 sweeps\n"), std::string::npos) << out();
}

TEST_F(Heat, ARestartEndsWithTheSameBits) {
  const std::vector<std::string> plate{"--rows", "70", "--columns", "45"};
  const auto with = [](std::vector<std::string> all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(run(with(plate, {"--sweeps", "400", "--checkpoint", "whole", "-o", "whole"})), 0)
      << err();
  // Odd numbers of sweeps before and after, and a checkpoint that is replaced on the way.
  ASSERT_EQ(
      run(with(plate, {"--sweeps", "137", "--checkpoint", "part", "--checkpoint-every", "20"})), 0)
      << err();
  ASSERT_EQ(run({"--restart", "part", "--sweeps", "400", "--checkpoint", "joined", "-o", "joined"}),
            0)
      << err();
  EXPECT_EQ(content(file("joined")), content(file("whole")));
  EXPECT_EQ(content(file("joined-00000400.png")), content(file("whole-00000400.png")));
  EXPECT_NE(content(file("part")), content(file("whole")));
  EXPECT_EQ(files_with(".partial").size(), 0U);
}

/// Waits for a file that the program is about to make.
bool appears(const fs::path& path) {
  for (int i = 0; i < 3000; ++i) {
    if (fs::exists(path))
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST_F(Heat, CanBeInterruptedAndGoesOn) {
  const pid_t child = start({"--rows", "300", "--columns", "300", "--sweeps", "900000000",
                             "--tolerance", "0", "--every", "10", "--checkpoint", "kept"});
  ASSERT_TRUE(appears(file("heat-00000010.png"))) << err();
  kill(child, SIGINT);
  EXPECT_EQ(status_of(child), 130);
  EXPECT_NE(err().find("interrupted after "), std::string::npos) << err();
  EXPECT_NE(err().find("--restart kept"), std::string::npos) << err();
  EXPECT_EQ(files_with(".partial").size(), 0U);
  for (const std::string& name : files_with(".png"))
    read_png(file(name));
  const State kept = read_checkpoint(file("kept"));
  EXPECT_GE(kept.sweeps, 10);
  const std::string more = std::to_string(kept.sweeps + 3);
  EXPECT_EQ(run({"--restart", "kept", "--sweeps", more, "--tolerance", "0"}), 0) << err();
  EXPECT_NE(out().find("stopped after " + more), std::string::npos) << out();
}

TEST_F(Heat, TellsWhichSignalEndedIt) {
  const pid_t child = start({"--rows", "300", "--columns", "300", "--sweeps", "900000000",
                             "--tolerance", "0", "--every", "10", "--checkpoint", "kept"});
  ASSERT_TRUE(appears(file("heat-00000010.png"))) << err();
  kill(child, SIGTERM);
  EXPECT_EQ(status_of(child), 143);
  EXPECT_NE(err().find("--restart kept"), std::string::npos) << err();
}

TEST_F(Heat, ShowsProgressOnATerminal) {
  int ours = -1;
  int its = -1;
  if (openpty(&ours, &its, nullptr, nullptr, nullptr) != 0)
    GTEST_SKIP() << "this machine gives no terminals";
  const pid_t child = start({"--rows", "50", "--columns", "50", "--sweeps", "60"}, its);
  EXPECT_EQ(status_of(child), 0);
  close(its);
  std::string shown;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; (n = read(ours, part.data(), part.size())) > 0;)
    shown.append(part.data(), static_cast<std::size_t>(n));
  close(ours);
  EXPECT_NE(shown.find(" of at most 60 sweeps, change "), std::string::npos) << shown;
  EXPECT_NE(shown.find("\r\033[K"), std::string::npos) << "one line, rewritten";
}

TEST_F(Heat, SaysWhatIsWrongWithTheCommandLine) {
  const auto refuses = [&](const std::vector<std::string>& arguments, const std::string& message) {
    EXPECT_EQ(run(arguments), 2);
    EXPECT_NE(err().find(message), std::string::npos) << err();
    EXPECT_EQ(files_with(".p").size(), 0U) << "nothing was begun";
  };
  refuses({"--rows", "0"}, "--rows: Value 0 not in range");
  refuses({"--columns", "many"}, "--columns");
  refuses({"--setup", "oven"}, "oven not in {document,guide}");
  refuses({"--tolerance", "-1"}, "--tolerance");
  for (const std::string option : {"--rows", "--columns", "--sweeps", "--tolerance", "--every",
                                   "--shrink", "--checkpoint-every"})
    for (const std::string value : {"nan", "inf", "0x10", "010", "1_0", "+-1"})
      refuses({"--checkpoint", "plate", option, value},
              fmt::format("{}: '{}' is not a finite number in decimal", option, value));
  for (const std::string option : {"--output", "--checkpoint", "--restart"})
    refuses({option, ""}, option + ": the name is empty");
  refuses({"--warmer"}, "--warmer");
  refuses({"--checkpoint-every", "5"}, "--checkpoint-every requires --checkpoint");
  refuses({"--restart", "x", "--rows", "5"}, "excludes");
  refuses({"--restart", "missing"}, "cannot go on from missing: No such file");
  refuses({"--output", "no/such/folder/heat"}, "there is no directory no/such/folder");
  refuses({"--checkpoint", "no/such/checkpoint"}, "there is no directory no/such");
  refuses({"--rows", "100000", "--columns", "100000"}, "--shrink makes it smaller");
  refuses({"--rows", "900000000", "--columns", "900000000", "--shrink", "100000"}, "GB of memory");
}

TEST_F(Heat, RefusesDamagedCheckpoints) {
  const State state = cold_plate(jacobi::Setup::guide, 5, 7);
  write_checkpoint(file("good"), state);
  const std::string good = content(file("good"));
  const auto message_of = [&](const std::string& bytes) -> std::string {
    std::ofstream(file("bad"), std::ios::binary) << bytes;
    try {
      static_cast<void>(read_checkpoint(file("bad")));
    } catch (const base::UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message_of(good), "no error");
  EXPECT_NE(message_of("").find("no checkpoint of this program"), std::string::npos);
  EXPECT_NE(message_of(std::string(1000000, 'x')).find("no checkpoint"), std::string::npos);
  EXPECT_NE(
      message_of(good.substr(0, good.size() - 8)).find("takes 590 bytes, and the file has 582"),
      std::string::npos);
  EXPECT_NE(message_of(good + "12345678").find("takes"), std::string::npos);
  EXPECT_NE(message_of(good.substr(0, 30)).find("second line is damaged"), std::string::npos);
  std::string flipped = good;
  flipped[good.size() - 20] = static_cast<char>(flipped[good.size() - 20] ^ 1);
  EXPECT_NE(message_of(flipped).find("checksum"), std::string::npos);
  std::string other = good;
  other.replace(other.find("little"), 6, "middle");
  EXPECT_NE(message_of(other).find("written on a middle-endian machine"), std::string::npos);
  std::string negative = good;
  negative.replace(negative.find(" 5 7 "), 5, " -5 7 ");
  EXPECT_NE(message_of(negative).find("second line is damaged"), std::string::npos);
}

/// Each value of the header, changed to another that it could have.
TEST_F(Heat, RefusesACheckpointWhoseHeaderWasChanged) {
  State state = cold_plate(jacobi::Setup::guide, 5, 7);
  state.sweeps = 42;
  state.change = 0.5;
  write_checkpoint(file("good"), state);
  const std::string good = content(file("good"));
  const auto message_with = [&](const std::string& from, const std::string& to) -> std::string {
    std::string changed = good;
    changed.replace(changed.find(from), from.size(), to);
    std::ofstream(file("bad"), std::ios::binary) << changed;
    try {
      static_cast<void>(read_checkpoint(file("bad")));
    } catch (const base::UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message_with("guide", "guide"), "no error");
  for (const auto& [from, to] : {std::pair{"guide", "document"},
                                 {" 5 7 ", " 7 5 "},
                                 {" 42 ", " 43 "},
                                 {" 3fe0000000000000 ", " 3fd0000000000000 "}}) {
    const std::string message = message_with(from, to);
    EXPECT_NE(message.find("not what was written (checksum)"), std::string::npos)
        << from << " as " << to << ": " << message;
  }
  EXPECT_NE(message_with(" 42 ", " +42 ").find("second line is damaged"), std::string::npos);
  EXPECT_NE(message_with("checkpoint 2", "checkpoint 1").find("this program reads version 2"),
            std::string::npos);
}

TEST_F(Heat, CheckpointsKeepEveryBit) {
  State state = cold_plate(jacobi::Setup::document, 3, 4);
  state.sweeps = 123456789012;
  state.change = 0.1;
  state.temperatures[7] = -0.0;
  state.temperatures[8] = std::numeric_limits<double>::denorm_min();
  state.temperatures[9] = 1.0 / 3;
  write_checkpoint(file("a"), state);
  const State read = read_checkpoint(file("a"));
  EXPECT_EQ(read.setup, state.setup);
  EXPECT_EQ(read.rows, 3);
  EXPECT_EQ(read.columns, 4);
  EXPECT_EQ(read.sweeps, state.sweeps);
  EXPECT_EQ(read.change, state.change);
  EXPECT_EQ(read.temperatures, state.temperatures);
  EXPECT_TRUE(std::signbit(read.temperatures[7]));
  State before = cold_plate(jacobi::Setup::document, 1, 1);
  write_checkpoint(file("b"), before);
  EXPECT_EQ(read_checkpoint(file("b")).change, std::numeric_limits<double>::infinity());
}

TEST(HeatPlate, StripsAreFilledAsTheWholeIs) {
  for (const auto setup : {jacobi::Setup::document, jacobi::Setup::guide}) {
    constexpr long rows = 5;
    constexpr long columns = 3;
    std::vector<double> whole((rows + 2) * (columns + 2), -1);
    jacobi::fill(setup, rows, columns, whole.data());
    for (long first = 0; first < rows + 2; ++first)
      for (long count = 1; first + count <= rows + 2; ++count) {
        std::vector<double> strip(static_cast<std::size_t>(count * (columns + 2)), -1);
        jacobi::fill(setup, rows, columns, first, count, strip.data());
        EXPECT_TRUE(std::ranges::equal(
            strip, std::span(whole).subspan(static_cast<std::size_t>(first * (columns + 2)),
                                            strip.size())))
            << count << " rows from " << first;
      }
  }
}

TEST_F(Heat, ShrinksToTheMeanOfThePixelsCells) {
  State state = cold_plate(jacobi::Setup::guide, 3, 5); // 5 x 7 with the edges; the top is 1
  write_image(file("a.png"), state, 2);
  const Picture picture = read_png(file("a.png"));
  EXPECT_EQ(picture.width, 4);
  EXPECT_EQ(picture.height, 3);
  EXPECT_EQ(picture.at(0, 0), colour(0.5));
  EXPECT_EQ(picture.at(0, 3), colour(0.5)) << "a pixel of two cells only";
  EXPECT_EQ(picture.at(1, 1), colour(0));
  EXPECT_EQ(picture.at(2, 3), colour(0));
}

TEST(HeatColours, GetBrighterWithHeat) {
  double before = -1;
  for (int i = 0; i <= 1000; ++i) {
    const Colour shade = colour(i / 1000.0);
    const double bright = 0.2126 * shade[0] + 0.7152 * shade[1] + 0.0722 * shade[2];
    EXPECT_GE(bright, before - 1) << i; // channels are rounded
    before = std::max(before, bright);
  }
  EXPECT_GT(before, 250);
  EXPECT_EQ(colour(-3), colour(0));
  EXPECT_EQ(colour(1e300), colour(1));
  EXPECT_EQ(colour(std::numeric_limits<double>::infinity()), colour(1));
  EXPECT_EQ(colour(std::numeric_limits<double>::quiet_NaN()), (Colour{0, 255, 0}));
}

} // namespace
} // namespace gangway::heat
