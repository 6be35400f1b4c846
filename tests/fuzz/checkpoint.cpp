// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checkpoints of `heat` and `cg`: what is read is what was written, to the last bit; all else is
// refused. The checksum keeps nearly all changes out, so what is behind it is reached by mending
// it.
#include "fuzz.hpp"

#include "../../apps/cg/restart.hpp"
#include "../../apps/heat/heat.hpp"

#include "base/errors.hpp"

#include <fstream>
#include <iterator>

namespace {

using namespace gangway;
using fuzz::require;

void require_refusal(const fuzz::MemoryFile& file, const std::string& refusal) {
  require(refusal.starts_with("cannot go on from " + file.path().string() + ": "),
          "it begins with the file", refusal);
  require(fuzz::is_printable(refusal) && refusal.size() < 1000, "it is a line", refusal);
}

/// As one of a system with three rows.
void read_solver(const fuzz::MemoryFile& file, std::string_view bytes) {
  apps::cg::State state;
  for (auto* const vector : {&state.x, &state.r, &state.p})
    vector->resize(3);
  try {
    apps::cg::read_checkpoint(file.path(),
                              {.name = "a.mtx",
                               .rows = 3,
                               .nonzeros = 7,
                               .matrix = 1,
                               .b = 2,
                               .preconditioner = "jacobi"},
                              state);
    require(state.has_begun && state.iteration >= 0, "an iteration");
    require(bytes.size() > 9 * sizeof(double), "all its numbers");
  } catch (const base::UsageError& error) {
    require(!state.has_begun, "nothing to go on from");
    require_refusal(file, error.what());
  }
}

void read(const fuzz::MemoryFile& file, std::string_view bytes) {
  read_solver(file, bytes);
  try {
    const heat::State state = heat::read_checkpoint(file.path());
    require(state.rows >= 1 && state.columns >= 1 && state.sweeps >= 0, "a plate");
    require(state.temperatures.size() ==
                static_cast<std::size_t>((state.rows + 2) * (state.columns + 2)),
            "all its cells");
    require(bytes.size() >= state.temperatures.size() * sizeof(double),
            "no more than the file has");
  } catch (const base::UsageError& error) {
    require_refusal(file, error.what());
  }
}

/// The bytes with the checksum that their other bytes ask for, where there is a place for one:
/// FNV-1a over the bytes of the header before it, then over the words behind the header.
std::string mended(std::string bytes) {
  const auto first = bytes.find('\n');
  const auto second = first == std::string::npos ? first : bytes.find('\n', first + 1);
  if (second == std::string::npos)
    return {};
  const auto begin = bytes.rfind(' ', second) + 1;
  if (begin == 0 || second - begin != 16)
    return {};
  std::uint64_t sum = 14695981039346656037U;
  const auto add = [&](std::uint64_t word) { sum = (sum ^ word) * 1099511628211U; };
  for (std::size_t i = 0; i < begin; ++i)
    add(static_cast<unsigned char>(bytes[i]));
  for (std::size_t i = second + 1; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i), 8, reinterpret_cast<char*>(&word));
    add(word);
  }
  for (std::size_t i = 0; i < 16; ++i)
    bytes[begin + i] = "0123456789abcdef"[sum >> (60 - 4 * i) & 15U];
  return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  file.assign(bytes);
  read(file, bytes);
  if (const std::string with_sum = mended(bytes); !with_sum.empty() && with_sum != bytes) {
    file.assign(with_sum);
    read(file, with_sum);
  }
  return 0;
}
