// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/gangway.hpp"
#include "harness/registry.hpp"
#include "studies/spmv/spmv.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace gangway::spmv {
namespace {

/// One row a gang; the non-zeros of the row over the vector, which is the whole team.
void row_per_gang(const char* label, const Clauses& clauses, int rows, int columns,
                  const int* row_offsets, const int* column_indices, const double* values,
                  const double* x, double* y) {
  const int nonzeros = row_offsets[rows];
  Data data;
  const auto offsets = data.copyin(row_offsets, rows + 1);
  const auto column = data.copyin(column_indices, nonzeros);
  const auto value = data.copyin(values, nonzeros);
  const auto in = data.copyin(x, columns);
  const auto out = data.copyout(y, rows);
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int row = gang.league_rank();
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(gang, offsets(row), offsets(row + 1)),
        [&](int j, double& partial) { partial += value(j) * in(column(j)); }, sum);
    Kokkos::single(Kokkos::PerTeam(gang), [&] { out(row) = sum; });
  };
  Kokkos::parallel_for(label, team_policy(clauses, rows, body, Kokkos::ParallelForTag{}), body);
}

/// So many rows a worker, so many workers a gang; the non-zeros of a row over the worker's vector.
void rows_per_worker(const char* label, const harness::SweepPoint& shape, int rows, int columns,
                     const int* row_offsets, const int* column_indices, const double* values,
                     const double* x, double* y) {
  const int nonzeros = row_offsets[rows];
  Data data;
  const auto offsets = data.copyin(row_offsets, rows + 1);
  const auto column = data.copyin(column_indices, nonzeros);
  const auto value = data.copyin(values, nonzeros);
  const auto in = data.copyin(x, columns);
  const auto out = data.copyout(y, rows);
  const int block = shape.clauses.workers * shape.items_per_worker;
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int first = gang.league_rank() * block;
    const int last = Kokkos::min(first + block, rows);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, first, last), [&](int row) {
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(gang, offsets(row), offsets(row + 1)),
          [&](int j, double& partial) { partial += value(j) * in(column(j)); }, sum);
      Kokkos::single(Kokkos::PerThread(gang), [&] { out(row) = sum; });
    });
  };
  const long gangs = (static_cast<long>(rows) + block - 1) / block;
  Kokkos::parallel_for(label, team_policy(shape.clauses, gangs, body, Kokkos::ParallelForTag{}),
                       body);
}

/// The shape is Kokkos' choice.
void compilers_choice(int rows, int columns, const int* row_offsets, const int* column_indices,
                      const double* values, const double* x, double* y) {
  row_per_gang("spmv/default", {}, rows, columns, row_offsets, column_indices, values, x, y);
}

template <int length>
void vector(int rows, int columns, const int* row_offsets, const int* column_indices,
            const double* values, const double* x, double* y) {
  row_per_gang("spmv/vector", {.workers = 1, .vector = length}, rows, columns, row_offsets,
               column_indices, values, x, y);
}

template <int number>
void workers(int rows, int columns, const int* row_offsets, const int* column_indices,
             const double* values, const double* x, double* y) {
  rows_per_worker("spmv/workers", {{.workers = number, .vector = 32}, 1}, rows, columns,
                  row_offsets, column_indices, values, x, y);
}

void swept(const harness::SweepPoint& shape, int rows, int columns, const int* row_offsets,
           const int* column_indices, const double* values, const double* x, double* y) {
  rows_per_worker("spmv/sweep", shape, rows, columns, row_offsets, column_indices, values, x, y);
}

/// The non-zeros [begin, end) times `in`, by one thread, in so many sums. (One sum by the plain
/// loop: through sum_in_chains the guide's matrix took an H100 3.67 instead of 3.16 ms.)
template <int chains>
KOKKOS_INLINE_FUNCTION double
product_on_one_thread(const Array<const double>& value, const Array<const int>& column,
                      const Array<const double>& in, int begin, int end) {
  if constexpr (chains > 1) {
    return sum_in_chains<double, chains>(begin, end, 1,
                                         [&](long j) { return value(j) * in(column(j)); });
  } else {
    double sum = 0;
    for (int j = begin; j < end; ++j)
      sum += value(j) * in(column(j));
    return sum;
  }
}

template <int chains>
void row_per_thread_in(int rows, int columns, const int* row_offsets, const int* column_indices,
                       const double* values, const double* x, double* y) {
  const int nonzeros = row_offsets[rows];
  Data data;
  const auto offsets = data.copyin(row_offsets, rows + 1);
  const auto column = data.copyin(column_indices, nonzeros);
  const auto value = data.copyin(values, nonzeros);
  const auto in = data.copyin(x, columns);
  const auto out = data.copyout(y, rows);
  Kokkos::parallel_for(
      "spmv/row-per-thread", Kokkos::RangePolicy<Device>(0, rows), KOKKOS_LAMBDA(int row) {
        out(row) = product_on_one_thread<chains>(value, column, in, offsets(row), offsets(row + 1));
      });
}

/// One row an iteration of a flat range: what a host does best with rows of like length. In one sum
/// each addition waits for the last. Short neighbouring rows are worked on at the same time all the
/// same; a host needs several sums for longer ones.
void row_per_thread(int rows, int columns, const int* row_offsets, const int* column_indices,
                    const double* values, const double* x, double* y) {
  const bool one_sum = has_device || row_offsets[rows] < 16L * rows;
  const auto run = one_sum ? row_per_thread_in<1> : row_per_thread_in<4>;
  run(rows, columns, row_offsets, column_indices, values, x, y);
}

using Products =
    Kokkos::View<double*, Device::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Products that each thread of a staging team loads; all its loads are under way before the first
/// is used.
constexpr int staged_per_thread = 8;

/// The products of non-zeros [begin, end), at most threads x staged_per_thread, to scratch:
/// neighbouring lanes load neighbouring non-zeros, whatever the rows are. `streaming`: the caches
/// are asked to keep x rather than the matrix.
template <int threads, bool streaming>
KOKKOS_INLINE_FUNCTION void stage_products(const Member& gang, int begin, int end,
                                           const Array<const int>& column,
                                           const Array<const double>& value,
                                           const Array<const double>& in, const Products& product) {
  const int lanes = threads; // ranges take references, and device code has none to constants
  Kokkos::parallel_for(Kokkos::TeamVectorRange(gang, lanes), [&](int lane) {
    int own_column[staged_per_thread];
    double own[staged_per_thread];
    for (int k = 0; k < staged_per_thread; ++k) {
      const int j = begin + k * threads + lane;
      own_column[k] = j >= end ? 0 : streaming ? load_once(column(j)) : column(j);
      own[k] = j >= end ? 0.0 : streaming ? load_once(value(j)) : value(j);
    }
    for (int k = 0; k < staged_per_thread; ++k)
      own[k] *= in(own_column[k]);
    for (int k = 0; k < staged_per_thread; ++k)
      product(k * threads + lane) = own[k];
  });
  gang.team_barrier();
}

/// Whole rows in blocks of about equal numbers of non-zeros, a block a team: the team loads the
/// block's non-zeros side by side and stages the products; then its workers sum the rows. For rows
/// that are short against a block. (Greathouse and Daga, Efficient sparse matrix-vector
/// multiplication on GPUs using the CSR storage format, SC 2014, call it CSR-Stream.)
class RowBlocks {
public:
  static constexpr long longest_row = 512;
  static constexpr int threads = 128;
  static constexpr int staged = threads * staged_per_thread;

  RowBlocks(int rows, const int* row_offsets, const inputs::RowStatistics& statistics) {
    if (statistics.maximum > longest_row)
      throw harness::NotAvailable("a row has " + std::to_string(statistics.maximum) +
                                  " non-zeros; blocks of whole rows are for rows of at most " +
                                  std::to_string(longest_row));
    // A block ends with the row that reaches its share: it holds at most a share and a row.
    const long share = staged - statistics.maximum;
    // Empty rows have no non-zeros to fill a block with, but each costs a store.
    std::vector<int> first{0};
    const int rows_at_most = 4 * staged;
    for (int row = 0, begin = 0; row < rows; ++row)
      if (row_offsets[row + 1] - row_offsets[begin] > share || row - begin >= rows_at_most ||
          row + 1 == rows) {
        first.push_back(row + 1);
        begin = row + 1;
      }
    _blocks = static_cast<int>(first.size()) - 1;
    _first_row = Kokkos::View<int*, Kokkos::LayoutRight, DeviceSpace>("spmv/row-blocks first rows",
                                                                      first.size());
    Kokkos::deep_copy(_first_row, Kokkos::View<const int*, Kokkos::LayoutRight, Kokkos::HostSpace,
                                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                                      first.data(), first.size()));
  }

  void operator()(int rows, int columns, const int* row_offsets, const int* column_indices,
                  const double* values, const double* x, double* y) const {
    const int nonzeros = row_offsets[rows];
    Data data;
    const auto offsets = data.copyin(row_offsets, rows + 1);
    const auto column = data.copyin(column_indices, nonzeros);
    const auto value = data.copyin(values, nonzeros);
    const auto in = data.copyin(x, columns);
    const auto out = data.copyout(y, rows);
    const auto first_row = _first_row;
    const auto body = KOKKOS_LAMBDA(const Member& gang) {
      const int row_begin = first_row(gang.league_rank());
      const int row_end = first_row(gang.league_rank() + 1);
      const int begin = offsets(row_begin);
      const Products product(gang.team_scratch(0), staged);
      stage_products<threads, false>(gang, begin, offsets(row_end), column, value, in, product);
      // One thread sums one row: the products are near, and a vector's reduction would cost more.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, row_begin, row_end), [&](int row) {
        double sum = 0;
        for (int j = offsets(row); j < offsets(row + 1); ++j)
          sum += product(j - begin);
        out(row) = sum;
      });
    };
    auto policy = team_policy({.workers = threads, .vector = 1}, _blocks);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Products::shmem_size(staged))));
    Kokkos::parallel_for("spmv/row-blocks", policy, body);
  }

private:
  int _blocks = 0;
  Kokkos::View<int*, Kokkos::LayoutRight, DeviceSpace>
      _first_row; ///< of each block, and one past the last
};

/// Equal shares of work whatever the rows look like: the path that walks down the rows and along
/// the non-zeros is cut into pieces of equal length (Merrill and Garland, Merge-based parallel
/// sparse matrix-vector multiplication, SC 2016). A piece writes the rows that end in it; what it
/// has of the row that does not is carried over and added in a second, small kernel.
class MergePath {
public:
  using Ints = Kokkos::View<int*, Kokkos::LayoutRight, DeviceSpace>;
  using Doubles = Kokkos::View<double*, Kokkos::LayoutRight, DeviceSpace>;

  /// Finds where each piece begins. `row_offsets` as in the kernels, on the host.
  static constexpr int threads = 256;
  static constexpr int vector = 8;
  static constexpr int staged = threads * staged_per_thread;

  MergePath(int rows, const int* row_offsets)
      : _rows(rows), _path(static_cast<long>(rows) + row_offsets[rows]) {
    const long pieces_per_thread = 8;
    _piece = has_device ? staged
                        : std::max(1L, (_path + pieces_per_thread * Device().concurrency() - 1) /
                                           (pieces_per_thread * Device().concurrency()));
    _pieces = static_cast<int>((_path + _piece - 1) / _piece);
    _first_row = Ints("spmv/merge-path first rows", _pieces + 1);
    _carry = Doubles("spmv/merge-path carries", _pieces);
    find_first_rows(rows, row_offsets);
  }

  /// Where each piece begins, by binary search along the path.
  void find_first_rows(int rows, const int* row_offsets) const {
    Data data;
    const auto offsets = data.copyin(row_offsets, rows + 1);
    const auto first_row = _first_row;
    const long piece = _piece;
    const long path = _path;
    Kokkos::parallel_for(
        "spmv/merge-path plan", Kokkos::RangePolicy<Device>(0, _pieces + 1), KOKKOS_LAMBDA(int p) {
          // The first row that has not ended after `steps` steps; row r ends with step
          // offsets(r + 1) + r.
          const long steps = Kokkos::min(p * piece, path);
          int low = 0;
          int high = rows;
          while (low < high) {
            const int middle = low + (high - low) / 2;
            if (offsets(middle + 1) + static_cast<long>(middle) < steps)
              low = middle + 1;
            else
              high = middle;
          }
          first_row(p) = low;
        });
    Kokkos::fence("spmv/merge-path planned");
  }

  void operator()(int rows, int columns, const int* row_offsets, const int* column_indices,
                  const double* values, const double* x, double* y) const {
    const int nonzeros = row_offsets[rows];
    Data data;
    const auto offsets = data.copyin(row_offsets, rows + 1);
    const auto column = data.copyin(column_indices, nonzeros);
    const auto value = data.copyin(values, nonzeros);
    const auto in = data.copyin(x, columns);
    const auto out = data.copyout(y, rows);
    if constexpr (has_device)
      pieces_by_teams(offsets, column, value, in, out);
    else
      pieces_by_threads(offsets, column, value, in, out);
    add_carries(out);
  }

  /// A piece is one team's: products go to scratch side by side, then each row of the piece is
  /// summed by one worker's vector, and the row that is cut by the whole team.
  void pieces_by_teams(const Array<const int>& offsets, const Array<const int>& column,
                       const Array<const double>& value, const Array<const double>& in,
                       const Array<double>& out) const {
    const auto first_row = _first_row;
    const auto carry = _carry;
    const long piece = _piece;
    const long path = _path;
    const auto body = KOKKOS_LAMBDA(const Member& gang) {
      const int p = gang.league_rank();
      const int row_begin = first_row(p);
      const int row_end = first_row(p + 1); // rows [row_begin, row_end) end in this piece
      const int begin = static_cast<int>(p * piece - row_begin);
      const int end = static_cast<int>(Kokkos::min((p + 1) * piece, path) - row_end);
      const Products product(gang.team_scratch(0), staged);
      stage_products<threads, true>(gang, begin, end, column, value, in, product);
      Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, row_begin, row_end), [&](int row) {
        double sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(gang, Kokkos::max(offsets(row), begin), offsets(row + 1)),
            [&](int j, double& partial) { partial += product(j - begin); }, sum);
        Kokkos::single(Kokkos::PerThread(gang), [&] { out(row) = sum; });
      });
      double rest = 0;
      const int rest_begin =
          row_end < out.extent_int(0) ? Kokkos::max(offsets(row_end), begin) : end;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(gang, rest_begin, end),
          [&](int j, double& partial) { partial += product(j - begin); }, rest);
      Kokkos::single(Kokkos::PerTeam(gang), [&] { carry(p) = rest; });
    };
    auto policy = team_policy({.workers = threads / vector, .vector = vector}, _pieces);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Products::shmem_size(staged))));
    Kokkos::parallel_for("spmv/merge-path", policy, body);
  }

  /// A piece is one thread's, which walks along it.
  void pieces_by_threads(const Array<const int>& offsets, const Array<const int>& column,
                         const Array<const double>& value, const Array<const double>& in,
                         const Array<double>& out) const {
    const auto first_row = _first_row;
    const auto carry = _carry;
    const long piece = _piece;
    const long path = _path;
    Kokkos::parallel_for(
        "spmv/merge-path", Kokkos::RangePolicy<Device>(0, _pieces), KOKKOS_LAMBDA(int p) {
          const int row_end = first_row(p + 1);
          const int end = static_cast<int>(Kokkos::min((p + 1) * piece, path) - row_end);
          int j = static_cast<int>(p * piece - first_row(p));
          for (int row = first_row(p); row < row_end; ++row) {
            double sum = 0;
            for (const int last = offsets(row + 1); j < last; ++j)
              sum += value(j) * in(column(j));
            out(row) = sum;
          }
          double rest = 0;
          for (; j < end; ++j)
            rest += value(j) * in(column(j));
          carry(p) = rest;
        });
  }

  void add_carries(const Array<double>& out) const {
    const auto first_row = _first_row;
    const auto carry = _carry;
    const int rows = _rows;
    Kokkos::parallel_for(
        "spmv/merge-path carries", Kokkos::RangePolicy<Device>(0, _pieces), KOKKOS_LAMBDA(int p) {
          const int row = first_row(p + 1);
          if (row < rows && carry(p) != 0)
            Kokkos::atomic_add(&out(row), carry(p));
        });
  }

private:
  int _rows;
  long _path;
  long _piece = 0;
  int _pieces = 0;
  Ints _first_row; ///< first row that ends in or after a piece; one more than there are pieces
  Doubles _carry;  ///< of each piece, to the row that its end cuts
};

harness::Run merge_path(Problem& problem) {
  std::shared_ptr<const MergePath> plan;
  problem.call([&](int rows, int, const int* row_offsets, auto...) {
    plan = std::make_shared<const MergePath>(rows, row_offsets);
  });
  return [&problem, plan] { problem.call(*plan); };
}

harness::Run row_blocks(Problem& problem) {
  if (!has_device)
    throw harness::NotAvailable("staging products is for teams of many threads; a host's have one");
  std::shared_ptr<const RowBlocks> plan;
  problem.call([&](int rows, int, const int* row_offsets, auto...) {
    plan = std::make_shared<const RowBlocks>(rows, row_offsets, problem.rows());
  });
  return [&problem, plan] { problem.call(*plan); };
}

/// Rows so uneven that sharing out rows is not sharing out work: the longest row would keep one
/// worker, or one thread, busy longer than a fair share of the whole matrix takes.
bool is_skewed(const inputs::RowStatistics& rows, long nonzeros) {
  const double fair = static_cast<double>(nonzeros) / std::max(1, 8 * Device().concurrency());
  return static_cast<double>(rows.maximum) > std::max(fair, 32 * (rows.mean + 1)) ||
         rows.standard_deviation > 4 * (rows.mean + 1);
}

/// The mapping from the row-length statistics, decided once per matrix.
harness::Run automatic(Problem& problem) {
  const inputs::RowStatistics& rows = problem.rows();
  if (is_skewed(rows, problem.matrix().nonzeros()))
    return merge_path(problem);
  if constexpr (!has_device)
    return [&problem] { problem.call(row_per_thread); };
  if (rows.maximum <= RowBlocks::longest_row)
    return row_blocks(problem);
  harness::SweepPoint shape{{.workers = 0, .vector = 2}, 4};
  while (shape.clauses.vector < 32 && 3 * shape.clauses.vector < rows.mean)
    shape.clauses.vector *= 2;
  shape.clauses.workers = 64 / shape.clauses.vector;
  return [&problem, shape] {
    problem.call([&](auto... arguments) { rows_per_worker("spmv/auto", shape, arguments...); });
  };
}

constexpr harness::SweepPoint own_shape{{.workers = 8, .vector = 8}, 4};

harness::Run four_rows_per_worker(Problem& problem) {
  return [&problem] {
    problem.call([&](auto... arguments) {
      rows_per_worker("spmv/rows-per-worker", own_shape, arguments...);
    });
  };
}

/// What `gangway tune spmv` found for this device.
harness::Run tuned_rows_per_worker(Problem& problem) {
  const harness::SweepPoint shape = tuned_mapping("spmv", own_shape);
  return [&problem, shape] {
    problem.call([&](auto... arguments) { rows_per_worker("spmv/tuned", shape, arguments...); });
  };
}

const harness::Study<Problem> study({{"default", compilers_choice},
                                     {"vector-32", vector<32>},
                                     {"vector-64", vector<64>},
                                     {"vector-128", vector<128>},
                                     {"vector-256", vector<256>},
                                     {"vector-512", vector<512>},
                                     {"vector-1024", vector<1024>},
                                     {"workers-2", workers<2>},
                                     {"workers-4", workers<4>},
                                     {"workers-8", workers<8>},
                                     {"workers-16", workers<16>},
                                     {"workers-32", workers<32>}},
                                    {{"rows-per-worker", four_rows_per_worker},
                                     {"tuned", tuned_rows_per_worker},
                                     {"row-per-thread", row_per_thread},
                                     {"row-blocks", row_blocks},
                                     {"merge-path", merge_path},
                                     {"auto", automatic}},
                                    swept, 16, own_shape);

} // namespace
} // namespace gangway::spmv
