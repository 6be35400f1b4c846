// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/output_file.hpp"

#include "base/errors.hpp"
#include "testing/messages.hpp"
#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace gangway::harness {
namespace {

namespace fs = std::filesystem;
using testing::expect_words;
using testing::message_of;

class OutputFile : public ::testing::Test {
protected:
  [[nodiscard]] std::string contents(const fs::path& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(_folder.path()), fs::directory_iterator()));
  }
  testing::TemporaryFolder _folder;
};

TEST_F(OutputFile, IsWritten) {
  const fs::path path = _folder / "a.json";
  base::require_writable(path);
  EXPECT_EQ(files(), 0U) << "asking leaves nothing";
  base::write_whole(path, std::string("one\0two\n", 8));
  EXPECT_EQ(contents(path), std::string("one\0two\n", 8));
  base::write_whole(path, "shorter");
  EXPECT_EQ(contents(path), "shorter");
  EXPECT_EQ(files(), 1U) << "nothing is left beside it";
}

TEST_F(OutputFile, IsWrittenInPieces) {
  const fs::path path = _folder / "a";
  const std::vector<double> numbers{0.5, -0.0};
  base::WholeFile file(path);
  file.write("one\n");
  file.write(numbers);
  EXPECT_FALSE(fs::exists(path)) << "it is not whole yet";
  file.finish_on_disk();
  ASSERT_EQ(contents(path).size(), 20U);
  EXPECT_EQ(contents(path).substr(0, 4), "one\n");
  EXPECT_EQ(contents(path).substr(4),
            std::string(reinterpret_cast<const char*>(numbers.data()), 16));
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, OneThatIsNotFinishedLeavesTheOld) {
  const fs::path path = _folder / "a";
  base::write_whole(path, "old");
  {
    base::WholeFile file(path);
    file.write("new");
    EXPECT_EQ(files(), 2U) << "beside it";
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, MayBeNamedWithoutAFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(_folder.path());
  base::require_writable("a.json");
  base::write_whole("a.json", "x");
  fs::current_path(before);
  EXPECT_EQ(contents(_folder / "a.json"), "x");
}

TEST_F(OutputFile, UnwritablePathsAreRefused) {
  base::write_whole(_folder / "file", "x");
  const auto refuses = [](const fs::path& path, const std::vector<std::string>& words) {
    expect_words(message_of<base::UsageError>([&] { base::require_writable(path); }), words);
  };
  refuses(_folder.path(), {"cannot write " + _folder.path().string(), "it is a directory"});
  refuses(_folder / "none" / "a.json", {"cannot write ", "there is no directory"});
  refuses(_folder / "file" / "a.json", {"cannot write ", "there is no directory"});
  refuses("/proc/a.json", {"cannot write /proc/a.json: "}); // refused even to root
  refuses("", {"without a name"});
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, AFileThatCannotBeWrittenLeavesNothing) {
  for (const fs::path& path : {fs::path("/proc/a.json"), _folder / "none" / "a.json"})
    expect_words(message_of<base::UsageError>([&] { base::write_whole(path, "x"); }),
                 {"cannot write " + path.string()});
  fs::create_directory(_folder / "directory");
  EXPECT_THROW(base::write_whole(_folder / "directory", "x"), base::UsageError);
  EXPECT_EQ(files(), 1U);
  EXPECT_TRUE(fs::is_directory(_folder / "directory"));
}

TEST_F(OutputFile, AFullDiskIsSaidAndTheOldFileStays) {
  const std::string message =
      message_of<base::UsageError>([] { base::write_whole("/dev/full", "x"); });
  expect_words(message, {"cannot write /dev/full: No space left on device"});
}

TEST_F(OutputFile, LinksLeadToTheirFile) {
  base::write_whole(_folder / "real", "old");
  fs::create_symlink("real", _folder / "link");
  base::write_whole(_folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(_folder / "link"));
  EXPECT_EQ(contents(_folder / "real"), "new");
  fs::create_symlink("not yet", _folder / "dangling");
  base::require_writable(_folder / "dangling");
  base::write_whole(_folder / "dangling", "newer");
  EXPECT_EQ(contents(_folder / "not yet"), "newer");
}

/// In a folder where others may write: they know the name that the new file has until it is whole.
TEST_F(OutputFile, NothingIsWrittenThroughWhatOthersPutBeside) {
  const fs::path path = _folder / "a.json";
  const fs::path beside = path.string() + "." + std::to_string(getpid()) + ".partial";
  base::write_whole(_folder / "mine", "mine");
  const auto look = [&] {
    EXPECT_EQ(contents(_folder / "mine"), "mine");
    EXPECT_FALSE(fs::exists(fs::symlink_status(beside)));
  };
  fs::create_symlink("mine", beside);
  base::require_writable(path);
  look();
  fs::create_symlink("mine", beside);
  base::write_whole(path, "new");
  look();
  EXPECT_EQ(contents(path), "new");
  EXPECT_FALSE(fs::is_symlink(path));
  fs::create_hard_link(_folder / "mine", beside);
  base::write_whole(path, "newer");
  look();
  fs::create_directory(beside);
  std::ofstream in_the_way(beside / "in the way");
  expect_words(message_of<base::UsageError>([&] { base::write_whole(path, "newest"); }),
               {"cannot write " + path.string() + ": File exists"});
  EXPECT_EQ(contents(path), "newer");
}

TEST_F(OutputFile, ANewFileThatIsNotPutInPlaceLeavesNothing) {
  {
    base::NewFile file(_folder / "a.json");
    file.write("half");
    EXPECT_EQ(files(), 1U);
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFile, DevicesAndPipesAreNotReplaced) {
  base::require_writable("/dev/null");
  base::write_whole("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const fs::path pipe = _folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  base::require_writable(pipe);
  std::string read;
  std::thread reader([&] { read = contents(pipe); });
  base::write_whole(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(read, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

} // namespace
} // namespace gangway::harness
