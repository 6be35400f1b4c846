// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What ranks do together, for ranks_test.py, which launches this with MPI:
///
///     across check [--separate]  all that ranks do together, each result checked
///     across throw RANK          that rank ends all with a message and status 5
///     across fail                every rank meets the same error
///     across hang RANK           that rank never comes back from its work
///     across wait RANK           the same, with all others waiting for a message of its
///
/// Status 0 and "right" by rank 0, or 1 and what was wrong.
#include "gangway/data.hpp"
#include "ranks/block_sums.hpp"
#include "ranks/pieces.hpp"
#include "ranks/session.hpp"
#include "ranks/strip.hpp"
#include "ranks/vector_halo.hpp"

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace gangway;
using namespace gangway::ranks;

int wrong = 0;

void expect(bool right, const std::string& what) {
  if (right)
    return;
  ++wrong;
  std::fputs(fmt::format("rank {}: {}\n", world().rank(), what).c_str(), stderr);
}

void check_communicator() {
  const Communicator& all = world();
  const int rank = all.rank();
  const int size = all.size();
  all.barrier();
  expect(all.largest(rank) == size - 1, "the largest");
  expect(all.smallest(rank) == 0, "the smallest");
  expect(all.largest(-1.0 - rank) == -1, "the largest of negative ones");
  expect(all.sum(rank + 1) == size * (size + 1L) / 2, "the sum");
  expect(all.all(true) && !all.all(rank != size - 1), "all");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect(std::isnan(all.largest(rank == size - 1 ? nan : 1)),
         "a NaN of one is everybody's largest");
  double several[]{-1.0 - rank, rank == 0 ? nan : 1, 1.0 * rank};
  all.largest(several);
  expect(several[0] == -1 && std::isnan(several[1]) && several[2] == size - 1,
         "the largest of several");
  const std::vector<std::string> texts =
      all.gather(std::string(static_cast<std::size_t>(rank), 'x'));
  expect(std::ssize(texts) == size, "as many texts as ranks");
  for (std::size_t i = 0; i < texts.size(); ++i)
    expect(texts[i].size() == i, "the texts in the order of ranks");
  expect(all.host_size() == size && all.host_rank() == rank, "one host");
}

/// A value for a cell that tells where it is from.
double value(long row, long column) {
  return 1000.0 * static_cast<double>(row) + static_cast<double>(column);
}

/// Each strip is rows + 2 halo rows of `columns`; after an exchange the halo has what the
/// neighbours' own rows have, and at the plate's edges what it had before.
void check_strip(long rows, long columns, Way way, bool on_host) {
  const std::size_t bytes = static_cast<std::size_t>(columns) * sizeof(double);
  Strip strip(world(), rows, bytes, way);
  const Part part = strip.part();
  std::vector<double> own(static_cast<std::size_t>((part.count() + 2) * columns), -7.0);
  for (long i = 0; i < part.count(); ++i)
    for (long j = 0; j < columns; ++j)
      own[static_cast<std::size_t>((i + 1) * columns + j)] = value(part.begin + i, j);
  {
    Data data;
    double* const at = on_host ? own.data() : data.copy(own.data(), std::ssize(own)).data();
    const Border border{at + columns, at + part.count() * columns, at,
                        at + (part.count() + 1) * columns, bytes};
    for (int again = 0; again < 3; ++again)
      if (on_host)
        strip.exchange_on_host(border);
      else {
        strip.start(border);
        strip.finish();
      }
  }
  const std::string where = fmt::format("{} rows of {}, {}{}", rows, columns, name_of(way),
                                        on_host ? ", on the host" : "");
  const bool has_rows = part.count() > 0;
  for (long j = 0; j < columns; ++j) {
    const double above = has_rows && part.begin > 0 ? value(part.begin - 1, j) : -7;
    const double below = has_rows && part.end < rows ? value(part.end, j) : -7;
    expect(own[static_cast<std::size_t>(j)] == above, "above: " + where);
    expect(own[static_cast<std::size_t>((part.count() + 1) * columns + j)] == below,
           "below: " + where);
  }
}

/// A vector of uneven parts, of which each rank wants every `step`-th element of all others. Each
/// is its own number, which floats have exactly.
template <class T>
void check_vector(int step, Way way, bool on_host) {
  const int rank = world().rank();
  std::vector<int> cut{0};
  for (int part = 0; part < world().size(); ++part)
    cut.push_back(cut.back() + (part == 1 ? 0 : 100 + 50000 * (part % 2)));
  const int begin = cut[static_cast<std::size_t>(rank)];
  const int end = cut[static_cast<std::size_t>(rank) + 1];
  std::vector<int> wanted;
  if (rank != 2) // who wants nothing sends none the less
    for (int element = 0; element < cut.back(); element += step)
      if (element < begin || element >= end)
        wanted.push_back(element);
  VectorHalo halo(world(), cut, wanted, sizeof(T), way);

  std::vector<T> packed;
  for (const int element : halo.sent())
    packed.push_back(static_cast<T>(begin + element));
  std::vector<T> received(wanted.size(), T(-7));
  {
    Data data;
    const auto on_device = [&](std::vector<T>& array) {
      return data.copy(array.data(), std::ssize(array)).data();
    };
    T* const from = on_host ? packed.data() : on_device(packed);
    T* const to = on_host ? received.data() : on_device(received);
    for (int again = 0; again < 3; ++again)
      if (on_host)
        halo.on_host(from, to);
      else {
        halo.start(from, to);
        halo.finish();
      }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    expect(received[i] == static_cast<T>(wanted[i]),
           fmt::format("element {} of a vector, every {}-th, {} bytes each, {}{}", wanted[i], step,
                       sizeof(T), name_of(way), on_host ? ", on the host" : ""));
  double sums[]{rank + 1.0, -2.0};
  halo.sum(sums, 2);
  expect(sums[0] == world().size() * (world().size() + 1) / 2.0, "the sum of a vector's ranks");
  expect(sums[1] == -2.0 * world().size(), "the second sum of a vector's ranks");
  expect(halo.largest(rank) == world().size() - 1, "the largest of a vector's ranks");
  double several[]{1.0 * rank, -1.0 - rank};
  halo.largest(several, 2);
  expect(several[0] == world().size() - 1 && several[1] == -1,
         "the largest of several, of a vector's ranks");
}

/// Rank r has `of_rank(r)` elements, whose values tell where they are from.
template <class Count>
void check_pieces(long piece, const Count& of_rank) {
  const int rank = world().rank();
  std::vector<double> all;
  std::vector<double> own;
  for (int other = 0; other < world().size(); ++other)
    for (long i = 0; i < of_rank(other); ++i) {
      all.push_back(value(other, i));
      if (other == rank)
        own.push_back(all.back());
    }
  const std::string where = fmt::format("pieces of {} of {} elements", piece, all.size());
  std::vector<double> seen;
  gather_pieces(world(), own, piece, [&](std::span<const double> some) {
    expect(!some.empty() && std::ssize(some) <= piece, "the length: " + where);
    seen.insert(seen.end(), some.begin(), some.end());
  });
  expect(rank > 0 ? seen.empty() : seen == all, "gathered: " + where);

  std::vector<double> read(own.size());
  auto next = all.begin();
  scatter_pieces(world(), read, piece, [&](std::span<double> some) {
    for (double& element : some)
      element = *next++;
  });
  expect(read == own, "scattered: " + where);
  expect(rank > 0 ? next == all.begin() : next == all.end(), "who fills: " + where);

  const auto fold = [](std::uint64_t before, const std::vector<double>& elements) {
    for (const double element : elements)
      before = 31 * before + static_cast<std::uint64_t>(element);
    return before;
  };
  expect(fold_in_order(world(), 5, [&](std::uint64_t before) { return fold(before, own); }) ==
             fold(5, all),
         "folded: " + where);
  expect(text_of_first(world(), fmt::format("of rank {}", rank)) == "of rank 0",
         "the first's text");
}

/// The same bits as one rank's, which adds its blocks in order, of numbers that round.
void check_sums(long rows) {
  const auto term = [](long row) { return 1.0 / static_cast<double>(3 * row + 1); };
  const long each = BlockSums::rows_each(rows);
  const auto sum_of = [&](const Part& part) {
    double sum = 0;
    for (long row = part.begin; row < part.end; ++row)
      sum += term(row);
    return sum;
  };
  double whole = 0;
  for (long row = 0; row < rows; row += each)
    whole += sum_of({row, std::min(row + each, rows)});

  const Part blocks = part_of((rows + each - 1) / each, world().size(), world().rank());
  const Part own{std::min(blocks.begin * each, rows), std::min(blocks.end * each, rows)};
  const BlockSums sums(world(), rows, own);
  std::vector<double> of_blocks;
  for (int block = 0; block < sums.count(); ++block) {
    const Part part = sums.block(block);
    of_blocks.push_back(sum_of({own.begin + part.begin, own.begin + part.end}));
  }
  for (int block = 0; block < sums.count(); ++block)
    of_blocks.push_back(-2 * of_blocks[static_cast<std::size_t>(block)]);
  double totals[2];
  sums.add(of_blocks, totals);
  expect(totals[0] == whole, fmt::format("the sum of {} rows", rows));
  expect(totals[1] == -2 * whole, fmt::format("the second sum of {} rows", rows));
}

int check() {
  check_communicator();
  for (const long piece : {1L, 7L, 100000L}) {
    check_pieces(piece, [](int rank) { return 10L * rank; });
    check_pieces(piece, [](int rank) { return rank == 1 ? 0L : 23L; });
    check_pieces(piece, [](int rank) { return rank == 0 ? 3L : 0L; });
  }
  check_pieces(100000, [](int rank) { return 150000L + rank; });
  for (const long rows : {1L, 8L, 9L, 100L, 100003L})
    check_sums(rows);
  for (const long rows : {0L, 1L, 2L, 3L, 5L, 64L})
    for (const long columns :
         {1L, 1000L, 100000L}) { // short messages, and ones that MPI does not buffer
      check_strip(rows, columns, halo_choice().way, false);
      check_strip(rows, columns, Way::staged, false);
      check_strip(rows, columns, halo_choice().way, true);
    }
  for (const int step : {1, 7, 1000000}) {
    check_vector<double>(step, halo_choice().way, false);
    check_vector<float>(step, halo_choice().way, false);
    check_vector<double>(step, Way::staged, false);
    check_vector<float>(step, Way::staged, false);
    check_vector<double>(step, halo_choice().way, true);
    check_vector<float>(step, halo_choice().way, true);
  }
  const bool right = world().all(wrong == 0);
  if (right)
    fmt::print("right\n");
  for (const auto& [name, text] : facts())
    fmt::print("{}: {}\n", name, text);
  return right ? 0 : 1;
}

int run(int argc, char** argv, const Session& session) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const std::string_view what = argc > 1 ? argv[1] : "";
  const int chosen = argc > 2 && what != "check" ? std::stoi(argv[2]) : 0;
  if (what == "check") {
    if (argc > 2)
      set_memory(Memory::separate);
    return check();
  }
  if (what == "fail")
    session.end_all("all met this", 2);
  if (what == "throw") {
    if (world().rank() == chosen)
      session.end_all("only one met this", 5);
    world().barrier(); // for ever
  }
  if (what == "hang" || what == "wait") {
    Communicator messages = world().duplicate();
    set_time_limit(std::chrono::milliseconds(500));
    begins("the work of this test");
    if (world().rank() == chosen)
      std::this_thread::sleep_for(std::chrono::minutes(5));
    if (what == "wait") {
      char byte = 0;
      messages.start({{chosen, 1, 1, &byte}}, {});
      messages.finish();
    }
    world().barrier();
  }
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  const gangway::ranks::Session session("across");
  session.speak_as_one();
  return run(argc, argv, session);
}
