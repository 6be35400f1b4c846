// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "png.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <string>

namespace gangway::apps {

void write_png(const std::filesystem::path& path, long width, long height,
               std::span<const std::uint8_t> rgb) {
  const auto refuse = [&](const std::string& reason) {
    throw base::UsageError(fmt::format("cannot write {}: {}", path.string(), reason));
  };
  if (width < 1 || height < 1 || width > png_side_limit || height > png_side_limit)
    refuse(fmt::format("{} x {} pixels; a PNG has 1 to {} a side", width, height, png_side_limit));
  const std::size_t bytes = 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  if (bytes > png_byte_limit)
    refuse(fmt::format("{} x {} pixels take {} bytes; at most {} can be written", width, height,
                       bytes, png_byte_limit));
  if (rgb.size() != bytes)
    refuse(fmt::format("{} x {} pixels take {} bytes, not {}", width, height, bytes, rgb.size()));

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image); // a bound, so that it is compressed once
  std::string encoded(size, '\0');
  if (png_image_write_to_memory(&image, encoded.data(), &size, 0, rgb.data(), 0, nullptr) == 0)
    refuse(static_cast<const char*>(image.message));
  encoded.resize(size);
  base::write_whole(path, encoded);
}

} // namespace gangway::apps
