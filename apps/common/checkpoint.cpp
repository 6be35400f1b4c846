// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checkpoint.hpp"

#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "ranks/pieces.hpp"
#include "ranks/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

namespace gangway::apps {
namespace {

constexpr std::string_view byte_order =
    std::endian::native == std::endian::little ? "little-endian" : "big-endian";
constexpr long piece = 1L << 20; ///< numbers that pass through rank 0 at a time
constexpr std::size_t longest_head = 512;

std::string first_line(const CheckpointKind& kind) {
  return fmt::format("gangway {} checkpoint {}", kind.program, kind.version);
}

std::uint64_t checksum_of_text(std::uint64_t sum, std::string_view bytes) {
  for (const char byte : bytes)
    sum = checksum(sum, std::uint64_t{static_cast<unsigned char>(byte)});
  return sum;
}

/// Returns the checksum of a file of these lines and arrays, as text. All ranks call it.
template <class T>
std::string checksum_of(const std::string& before, const std::vector<std::span<T>>& arrays) {
  std::uint64_t sum = checksum_of_text(empty_checksum, before);
  for (const std::span<T> array : arrays)
    sum = ranks::fold_in_order(ranks::world(), sum,
                               [&](std::uint64_t so_far) { return checksum(so_far, array); });
  return fmt::format("{:016x}", sum);
}

/// Foreign text that is shown.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char byte) { return byte < ' ' || byte > '~'; }, '?');
  return text;
}

/// Beginning of a file, on each rank, though only rank 0 looks.
struct Head {
  std::string error; ///< why it cannot be read; empty if it can
  std::uintmax_t bytes = 0;
  std::string text;
};

Head head_of(const std::filesystem::path& path) {
  std::string seen; // error, bytes and text, each in a line of its own but for the last
  if (ranks::world().rank() == 0) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!error && !file)
      error.assign(errno, std::generic_category());
    std::string text(longest_head, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    seen = fmt::format("{}\n{}\n{}", error ? error.message() : "", error ? 0 : bytes, text);
  }
  seen = ranks::text_of_first(ranks::world(), seen);
  const auto first = seen.find('\n');
  const auto second = seen.find('\n', first + 1);
  return {seen.substr(0, first), std::stoull(seen.substr(first + 1, second - first - 1)),
          seen.substr(second + 1)};
}

} // namespace

std::uint64_t checksum(std::uint64_t sum, std::span<const double> numbers) {
  for (const double number : numbers)
    sum = checksum(sum, std::bit_cast<std::uint64_t>(number));
  return sum;
}

void write_checkpoint(const std::filesystem::path& path, const CheckpointKind& kind,
                      const std::string& facts,
                      const std::vector<std::span<const double>>& arrays) {
  const std::string before = fmt::format("{}\n{} {} ", first_line(kind), byte_order, facts);
  const std::string sum = checksum_of(before, arrays);
  std::optional<base::WholeFile> file;
  if (ranks::world().rank() == 0) {
    file.emplace(path);
    file->write(before + sum + '\n');
  }
  for (const std::span<const double> array : arrays)
    ranks::gather_pieces(ranks::world(), array, piece,
                         [&](std::span<const double> numbers) { file->write(numbers); });
  if (file)
    file->finish_on_disk();
  ranks::world().barrier(); // what follows on any rank, follows a checkpoint that is there
}

Checkpoint::Checkpoint(const std::filesystem::path& path, const CheckpointKind& kind)
    : _path(path) {
  const Head head = head_of(path);
  if (!head.error.empty())
    refuse(head.error);
  _bytes = head.bytes;
  const auto end_of_first = std::min(head.text.find('\n'), head.text.size());
  const std::string first = head.text.substr(0, end_of_first);
  const std::string of_any_version = first_line({kind.program, ""});
  if (!first.starts_with(of_any_version))
    refuse(
        fmt::format("it is no checkpoint of this program; one begins with '{}'", first_line(kind)));
  if (first != first_line(kind))
    refuse(fmt::format("it is a checkpoint of another version, and this program reads version {}; "
                       "go on from it with the Gangway that wrote it",
                       kind.version));
  const auto end = head.text.find('\n', end_of_first + 1);
  if (end == std::string::npos)
    refuse_damaged();
  const std::string second = head.text.substr(end_of_first + 1, end - end_of_first - 1);
  const auto after_order = second.find(' ');
  const auto before_sum = second.rfind(' ');
  if (after_order == std::string::npos || after_order == before_sum)
    refuse_damaged();
  if (const std::string order = second.substr(0, after_order); order != byte_order)
    refuse(fmt::format("it was written on a {} machine, and this one is {}", printable(order),
                       byte_order));
  _facts = second.substr(after_order + 1, before_sum - after_order - 1);
  _checksum = second.substr(before_sum + 1);
  _before = head.text.substr(0, end_of_first + 1 + before_sum + 1);
}

void Checkpoint::refuse(const std::string& reason) const {
  throw base::UsageError(fmt::format("cannot go on from {}: {}", _path.string(), reason));
}

void Checkpoint::require_numbers(std::uintmax_t numbers, const std::string& what) const {
  const std::uintmax_t expected = _before.size() + _checksum.size() + 1 + numbers * sizeof(double);
  if (_bytes != expected)
    refuse(fmt::format("{} takes {} bytes, and the file has {}", what, expected, _bytes));
}

void Checkpoint::read(const std::vector<std::span<double>>& arrays) const {
  std::ifstream file;
  if (ranks::world().rank() == 0) {
    file.open(_path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(_before.size() + _checksum.size() + 1));
  }
  for (const std::span<double> array : arrays)
    ranks::scatter_pieces(ranks::world(), array, piece, [&](std::span<double> numbers) {
      file.read(reinterpret_cast<char*>(numbers.data()),
                static_cast<std::streamsize>(numbers.size_bytes()));
    });
  if (!ranks::world().all(!file.fail()))
    refuse("it could not be read to its end");
  if (checksum_of(_before, arrays) != _checksum)
    refuse("it is not what was written (checksum)");
}

} // namespace gangway::apps
