// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace gangway::apps {

/// The widest and highest image libpng agrees to write.
inline constexpr long png_side_limit = 1000000;
/// Bytes of pixels: libpng bounds the size of the file in 32 bits.
inline constexpr std::size_t png_byte_limit = std::size_t{3} << 30;

/// Writes an 8-bit RGB image as PNG, whole or not at all. `rgb` holds width x height pixels of 3
/// bytes, the top row first, each row from left to right. Errors: UsageError when the file cannot
/// be written, a side is 0 or above `png_side_limit`, the pixels pass `png_byte_limit`, or `rgb`
/// has another size.
void write_png(const std::filesystem::path& path, long width, long height,
               std::span<const std::uint8_t> rgb);

} // namespace gangway::apps
