// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// PNG files as the programs write them, read back with libpng.
#include "../../apps/common/png.hpp"
#include "harness/problem.hpp"
#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace gangway::apps {
namespace {

namespace fs = std::filesystem;

class Png : public ::testing::Test {
protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return _folder / name; }
  [[nodiscard]] bool folder_is_empty() const { return fs::is_empty(_folder.path()); }

private:
  testing::TemporaryFolder _folder;
};

/// Pixels that differ from each other, so that a swapped row, column or channel shows.
std::vector<std::uint8_t> pattern(long width, long height) {
  std::vector<std::uint8_t> rgb;
  for (long y = 0; y < height; ++y)
    for (long x = 0; x < width; ++x)
      for (const long value : {x, y, x ^ (3 * y)})
        rgb.push_back(static_cast<std::uint8_t>(value));
  return rgb;
}

std::vector<std::uint8_t> read(const fs::path& path, long width, long height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  EXPECT_EQ(image.width, width);
  EXPECT_EQ(image.height, height);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr), 0) << image.message;
  return rgb;
}

TEST_F(Png, ComesBackAsWritten) {
  for (const auto& [width, height] : {std::pair{1L, 1L}, {1L, 7L}, {7L, 1L}, {300L, 211L}}) {
    const auto rgb = pattern(width, height);
    write_png(file("a.png"), width, height, rgb);
    EXPECT_EQ(read(file("a.png"), width, height), rgb) << width << " x " << height;
  }
}

TEST_F(Png, ReplacesAFileAndLeavesNothingBeside) {
  write_png(file("a.png"), 2, 2, pattern(2, 2));
  write_png(file("a.png"), 3, 1, pattern(3, 1));
  EXPECT_EQ(read(file("a.png"), 3, 1), pattern(3, 1));
  fs::remove(file("a.png"));
  EXPECT_TRUE(folder_is_empty());
}

std::string message_of(const fs::path& path, long width, long height, std::size_t bytes) {
  try {
    write_png(path, width, height, std::vector<std::uint8_t>(bytes));
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Png, RefusesWhatIsNoImage) {
  EXPECT_NE(message_of(file("a.png"), 0, 5, 0).find("0 x 5 pixels"), std::string::npos);
  EXPECT_NE(message_of(file("a.png"), -1, 5, 0).find("1 to 1000000"), std::string::npos);
  EXPECT_NE(message_of(file("a.png"), 1000001, 1, 3000003).find("1 to 1000000"), std::string::npos);
  EXPECT_NE(message_of(file("a.png"), 40000, 40000, 3).find("at most 3221225472"),
            std::string::npos);
  EXPECT_NE(message_of(file("a.png"), 2, 2, 11).find("take 12 bytes, not 11"), std::string::npos);
  EXPECT_TRUE(folder_is_empty());
}

TEST_F(Png, SaysWhatFileCouldNotBeWritten) {
  const auto nowhere = file("no/such/a.png");
  EXPECT_NE(message_of(nowhere, 1, 1, 3).find(nowhere.string()), std::string::npos);
}

} // namespace
} // namespace gangway::apps
