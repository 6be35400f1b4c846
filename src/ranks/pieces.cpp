// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gangway::ranks {
namespace {

/// Tags of messages to rank 0, from rank 0, and from each rank to the next.
constexpr int gathered = 5;
constexpr int scattered = 6;
constexpr int folded = 7;

/// Calls body(first, count) for each piece of `elements`.
template <class Body>
void for_pieces(long elements, long piece, const Body& body) {
  for (long first = 0; first < elements; first += piece)
    body(first, std::min(piece, elements - first));
}

/// Calls body(rank, count) on rank 0 for each piece of all other ranks.
template <class Body>
void for_pieces_of_others(const std::vector<std::string>& counts, long piece, const Body& body) {
  for (std::size_t rank = 1; rank < counts.size(); ++rank)
    for_pieces(std::stol(counts[rank]), piece,
               [&](long, long count) { body(static_cast<int>(rank), count); });
}

template <class T>
Message message(int partner, int tag, std::span<T> elements) {
  return {partner, tag, elements.size_bytes(), const_cast<double*>(elements.data())};
}

std::span<double> part_of(std::vector<double>& buffer, long count) {
  if (std::ssize(buffer) < count)
    buffer.resize(static_cast<std::size_t>(count));
  return std::span(buffer).first(static_cast<std::size_t>(count));
}

template <class T>
std::span<T> part_of(std::span<T> own, long first, long count) {
  return own.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

} // namespace

void gather_pieces(Communicator& ranks, std::span<const double> own, long piece,
                   const std::function<void(std::span<const double>)>& show) {
  const std::vector<std::string> counts = ranks.gather(fmt::format("{}", own.size()));
  if (ranks.rank() > 0) {
    for_pieces(std::ssize(own), piece, [&](long first, long count) {
      ranks.start({}, {message(0, gathered, part_of(own, first, count))});
      ranks.finish();
    });
    return;
  }
  for_pieces(std::ssize(own), piece,
             [&](long first, long count) { show(part_of(own, first, count)); });
  std::vector<double> buffer;
  for_pieces_of_others(counts, piece, [&](int rank, long count) {
    const std::span<double> others = part_of(buffer, count);
    ranks.start({message(rank, gathered, others)}, {});
    ranks.finish();
    show(others);
  });
}

void scatter_pieces(Communicator& ranks, std::span<double> own, long piece,
                    const std::function<void(std::span<double>)>& fill) {
  const std::vector<std::string> counts = ranks.gather(fmt::format("{}", own.size()));
  if (ranks.rank() > 0) {
    for_pieces(std::ssize(own), piece, [&](long first, long count) {
      ranks.start({message(0, scattered, part_of(own, first, count))}, {});
      ranks.finish();
    });
    return;
  }
  for_pieces(std::ssize(own), piece,
             [&](long first, long count) { fill(part_of(own, first, count)); });
  std::vector<double> buffer;
  for_pieces_of_others(counts, piece, [&](int rank, long count) {
    const std::span<double> others = part_of(buffer, count);
    fill(others);
    ranks.start({}, {message(rank, scattered, others)});
    ranks.finish();
  });
}

std::uint64_t fold_in_order(Communicator& ranks, std::uint64_t first,
                            const std::function<std::uint64_t(std::uint64_t before)>& own) {
  std::uint64_t value = first;
  if (ranks.rank() > 0) {
    ranks.start({{ranks.rank() - 1, folded, sizeof value, &value}}, {});
    ranks.finish();
  }
  value = own(value);
  if (const int next = ranks.rank() + 1; next < ranks.size()) {
    ranks.start({}, {{next, folded, sizeof value, &value}});
    ranks.finish();
  }
  return std::stoull(ranks.gather(fmt::format("{}", value)).back());
}

std::string text_of_first(const Communicator& ranks, const std::string& text) {
  return ranks.gather(ranks.rank() == 0 ? text : "").front();
}

} // namespace gangway::ranks
