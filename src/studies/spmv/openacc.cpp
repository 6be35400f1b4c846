// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sparse/patterns.hpp"
#include "sparse/sharing.hpp"
#include "sparse/slices.hpp"
#include "studies/spmv/openacc_private.hpp"

namespace gangway::spmv {

/// One row per gang; the non-zeros of the row over a vector of the given length.
template <int length>
static void row_per_gang(const Csr& matrix, const double* x, double* y) {
  static constexpr int lanes = length; // a clause may not take a template's argument for a constant
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
#pragma acc parallel loop gang vector_length(lanes)                                                \
    copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],          \
           x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

/// One row per worker, so many workers per gang; the non-zeros of the row over a vector of 32.
template <int count>
static void row_per_worker(const Csr& matrix, const double* x, double* y) {
  static constexpr int workers = count; // as above
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
#pragma acc parallel loop gang worker num_workers(workers) vector_length(32)                       \
    copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],          \
           x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

// Plans, which variants work out once for a matrix, on the host.

// The merge path is the way down the rows and along the non-zeros, with a step for each of both. A
// worker takes a chunk of it, and a lane a piece of the chunk.

/// Steps of a piece: as many doubles as a line of 128 bytes holds, so that a lane has all that it
/// fetches to itself.
constexpr int piece = 16;
constexpr int chunk = lanes * piece;

/// Plan of the merge path. The device has its arrays; the host uses only their addresses.
struct MergePath {
  explicit MergePath(long path)
      : chunks(std::max(1, static_cast<int>((path + chunk - 1) / chunk))), pieces(chunks * lanes),
        first_rows(std::make_unique_for_overwrite<int[]>(static_cast<std::size_t>(chunks) + 1)),
        end_rows(std::make_unique_for_overwrite<int[]>(static_cast<std::size_t>(pieces))),
        carries(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(pieces))),
        chunk_carries(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(chunks))) {}

  int chunks;
  int pieces;
  std::unique_ptr<int[]> first_rows;       ///< not ended where a chunk begins; chunks + 1
  std::unique_ptr<int[]> end_rows;         ///< the row that a piece's end cuts; pieces
  std::unique_ptr<double[]> carries;       ///< what a piece has of that row; pieces
  std::unique_ptr<double[]> chunk_carries; ///< the same of chunks
};

/// Rows of a slice: as many as a vector of 32 is long.
constexpr int slice_rows = 32;

/// Patterns, and the values in slices.
struct PatternSlices {
  bool fits = false; ///< whether the matrix is one for this
  sparse::Patterns patterns;
  std::vector<std::int64_t> begins; ///< of each slice in `values`, and one past the last
  std::vector<double> values;
};

/// Sharing that suits the matrix, and its plan.
struct Auto {
  sparse::Sharing sharing;
  void* plan;
};

/// Chooses by what OpenACC does well. A private array of a gang is cheap only if the compiler does
/// not copy it each time the gang's lanes are set to work. GCC does, so with it no blocks of rows
/// are staged. Blocks are to be at least half full. A vector has 32 lanes, most of which would idle
/// with fewer non-zeros than half of that.
static sparse::SharedBy shared_by_openacc() {
#ifdef __NVCOMPILER
  constexpr long longest_row = staged / 2;
#else
  constexpr long longest_row = -1;
#endif
  constexpr int lanes_in_flight = 1 << 18; // of a large GPU
  return {.threads = lanes_in_flight, .longest_row = longest_row, .fewest_lanes = 16};
}

/// The first row in [low, high] that has not ended after so many steps. Row r ends with step number
/// row_offsets[r + 1] + r.
#pragma acc routine seq
static int row_after(long steps, const int* row_offsets, int low, int high) {
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (row_offsets[middle + 1] + static_cast<long>(middle) < steps)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

extern "C" {

/// The shape is the compiler's choice.
void gangway_spmv_default(Csr matrix, const double* x, double* y) {
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
#pragma acc parallel loop copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros],          \
                                 values[0 : nonzeros], x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

void gangway_spmv_vector_32(Csr matrix, const double* x, double* y) {
  row_per_gang<32>(matrix, x, y);
}

void gangway_spmv_vector_64(Csr matrix, const double* x, double* y) {
  row_per_gang<64>(matrix, x, y);
}

void gangway_spmv_vector_128(Csr matrix, const double* x, double* y) {
  row_per_gang<128>(matrix, x, y);
}

void gangway_spmv_vector_256(Csr matrix, const double* x, double* y) {
  row_per_gang<256>(matrix, x, y);
}

void gangway_spmv_vector_512(Csr matrix, const double* x, double* y) {
  row_per_gang<512>(matrix, x, y);
}

void gangway_spmv_vector_1024(Csr matrix, const double* x, double* y) {
  row_per_gang<1024>(matrix, x, y);
}

void gangway_spmv_workers_2(Csr matrix, const double* x, double* y) {
  row_per_worker<2>(matrix, x, y);
}

void gangway_spmv_workers_4(Csr matrix, const double* x, double* y) {
  row_per_worker<4>(matrix, x, y);
}

void gangway_spmv_workers_8(Csr matrix, const double* x, double* y) {
  row_per_worker<8>(matrix, x, y);
}

void gangway_spmv_workers_16(Csr matrix, const double* x, double* y) {
  row_per_worker<16>(matrix, x, y);
}

void gangway_spmv_workers_32(Csr matrix, const double* x, double* y) {
  row_per_worker<32>(matrix, x, y);
}

/// Multiplies with four rows per worker, by the number of gangs. The vector is a warp: compilers
/// for NVIDIA GPUs round a shorter one up.
void gangway_spmv_rows_per_worker(Csr matrix, const double* x, double* y) {
  constexpr int workers = 8;
  constexpr int rows_a_gang = 4 * workers;
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
  const int gangs = std::max(1, rows / rows_a_gang + (rows % rows_a_gang != 0));
#pragma acc parallel loop gang worker num_gangs(gangs) num_workers(workers) vector_length(32)      \
    copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],          \
           x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

/// One row per lane.
void gangway_spmv_row_per_thread(Csr matrix, const double* x, double* y) {
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
#pragma acc parallel loop gang vector vector_length(128)                                           \
    copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],          \
           x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
#pragma acc loop seq
    for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j)
      sum += values[j] * x[column_indices[j]];
    y[row] = sum;
  }
}

// Plans; src/openacc/runtime.h says when they are made. GCC ignores uses in a data directive.

/// Finds where each chunk begins.
void* gangway_spmv_merge_path_plan(Csr matrix, const double* /*x*/, double* /*y*/) {
  const int rows = matrix.rows;
  const int* row_offsets = matrix.row_offsets;
  const long path = static_cast<long>(rows) + matrix.nonzeros();
  auto plan = std::make_unique<MergePath>(path);
  const int chunks = plan->chunks;
  const int pieces = plan->pieces;
  int* first_rows = plan->first_rows.get();
  [[maybe_unused]] const int* end_rows = plan->end_rows.get();
  [[maybe_unused]] const double* carries = plan->carries.get();
  [[maybe_unused]] const double* chunk_carries = plan->chunk_carries.get();
#pragma acc enter data create(first_rows[0 : chunks + 1], end_rows[0 : pieces],                    \
                              carries[0 : pieces], chunk_carries[0 : chunks])
#pragma acc parallel loop gang vector vector_length(128) copyin(row_offsets[0 : rows + 1])         \
    present(first_rows[0 : chunks + 1])
  for (int c = 0; c <= chunks; ++c) {
    const long begin = static_cast<long>(c) * chunk;
    first_rows[c] = row_after(begin < path ? begin : path, row_offsets, 0, rows);
  }
  return plan.release();
}

void gangway_spmv_merge_path_unplan(void* plan) {
  const std::unique_ptr<const MergePath> own(static_cast<const MergePath*>(plan));
  const int chunks = own->chunks;
  const int pieces = own->pieces;
  [[maybe_unused]] const int* first_rows = own->first_rows.get();
  [[maybe_unused]] const int* end_rows = own->end_rows.get();
  [[maybe_unused]] const double* carries = own->carries.get();
  [[maybe_unused]] const double* chunk_carries = own->chunk_carries.get();
#pragma acc exit data delete (first_rows[0 : chunks + 1], end_rows[0 : pieces],                    \
                              carries[0 : pieces], chunk_carries[0 : chunks])
}

/// Equal shares of rows and non-zeros together, whatever the rows look like. A lane searches for
/// the row that its piece begins in, and walks: the rows that end in the piece it writes, what it
/// has of the row that does not is carried over. Carries to rows that end in the chunk are added by
/// the lane that has the row's first; those to the row that the chunk's end cuts, in a second
/// kernel. Each row has one writer at a time, so nothing is atomic.
void gangway_spmv_merge_path(void* plan, Csr matrix, const double* x, double* y) {
  const int chunks = static_cast<const MergePath*>(plan)->chunks;
  const int pieces = static_cast<const MergePath*>(plan)->pieces;
  const int* first_rows = static_cast<const MergePath*>(plan)->first_rows.get();
  int* end_rows = static_cast<const MergePath*>(plan)->end_rows.get();
  double* carries = static_cast<const MergePath*>(plan)->carries.get();
  double* chunk_carries = static_cast<const MergePath*>(plan)->chunk_carries.get();
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const int* column_indices = matrix.column_indices;
  const double* values = matrix.values;
  const long path = static_cast<long>(rows) + nonzeros;
// Both kernels find the data of this region. They say copyin rather than present, because an array
// without elements is nowhere.
#pragma acc data copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros],                   \
                        values[0 : nonzeros], x[0 : columns]) copyout(y[0 : rows])
  {
#pragma acc parallel loop gang worker num_workers(4) vector_length(lanes)                          \
    present(first_rows[0 : chunks + 1], end_rows[0 : pieces], carries[0 : pieces],                 \
            chunk_carries[0 : chunks])                                                             \
        copyin(row_offsets[0 : rows + 1], column_indices[0 : nonzeros], values[0 : nonzeros],      \
               x[0 : columns]) copyout(y[0 : rows])
    for (int c = 0; c < chunks; ++c) {
      const int first_row = first_rows[c];
      const int last_row = first_rows[c + 1]; // which the chunk's end cuts
#pragma acc loop vector
      for (int lane = 0; lane < lanes; ++lane) {
        const long wanted = static_cast<long>(c) * chunk + lane * piece;
        const long begin = wanted < path ? wanted : path;
        const long end = begin + piece < path ? begin + piece : path;
        int row = row_after(begin, row_offsets, first_row, last_row);
        int j = static_cast<int>(begin - row);
        double sum = 0;
#pragma acc loop seq
        for (long step = begin; step < end; ++step) {
          if (j < row_offsets[row + 1]) {
            sum += values[j] * x[column_indices[j]];
            ++j;
          } else {
            y[row] = sum;
            sum = 0;
            ++row;
          }
        }
        end_rows[c * lanes + lane] = row;
        carries[c * lanes + lane] = sum;
      }
      double rest = 0;
#pragma acc loop vector reduction(+ : rest)
      for (int lane = 0; lane < lanes; ++lane) {
        const int own = c * lanes + lane;
        const int row = end_rows[own];
        if (row == last_row) {
          rest += carries[own];
        } else if (lane == 0 || end_rows[own - 1] != row) {
          double sum = 0;
          for (int p = own; end_rows[p] == row; ++p) // the row ends in this chunk
            sum += carries[p];
          y[row] += sum;
        }
      }
      chunk_carries[c] = rest;
    }
    // A worker adds all that is carried over to a row, if it comes to the first that is.
#pragma acc parallel loop gang worker num_workers(4) vector_length(lanes)                          \
    present(first_rows[0 : chunks + 1], chunk_carries[0 : chunks])                                 \
        copyin(row_offsets[0 : rows + 1]) copyout(y[0 : rows])
    for (int c = 0; c < chunks; ++c) {
      const int row = first_rows[c + 1];
      if (row < rows && (c == 0 || first_rows[c] != row)) {
        const int row_ends_in =
            static_cast<int>((row_offsets[row + 1] + static_cast<long>(row)) / chunk);
        double sum = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int carrying = c; carrying < row_ends_in; ++carrying)
          sum += chunk_carries[carrying];
        y[row] += sum;
      }
    }
  }
}

/// Finds the patterns. The arrays are on the host and, until the plan ends, on the device.
void* gangway_spmv_row_patterns_plan(Csr matrix, const double* /*x*/, double* /*y*/) {
  auto plan = std::make_unique<sparse::Patterns>(sparse::patterns_of(matrix));
  plan->offsets.push_back(0); // so that no array is empty
  plan->of_row.push_back(0);
  const std::size_t firsts = plan->first.size();
  const std::size_t all = plan->offsets.size();
  const std::size_t rows = plan->of_row.size();
  [[maybe_unused]] const int* first = plan->first.data();
  [[maybe_unused]] const int* offsets = plan->offsets.data();
  [[maybe_unused]] const std::uint16_t* of_row = plan->of_row.data();
#pragma acc enter data copyin(first[0 : firsts], offsets[0 : all], of_row[0 : rows])
  return plan.release();
}

void gangway_spmv_row_patterns_unplan(void* plan) {
  const std::unique_ptr<const sparse::Patterns> own(static_cast<const sparse::Patterns*>(plan));
  const std::size_t firsts = own->first.size();
  const std::size_t all = own->offsets.size();
  const std::size_t rows = own->of_row.size();
  [[maybe_unused]] const int* first = own->first.data();
  [[maybe_unused]] const int* offsets = own->offsets.data();
  [[maybe_unused]] const std::uint16_t* of_row = own->of_row.data();
#pragma acc exit data delete (first[0 : firsts], offsets[0 : all], of_row[0 : rows])
}

/// Multiplies without column indices: a row's pattern says where its non-zeros are. A lane takes a
/// row if most of a vector would idle over so few non-zeros. A matrix without patterns is
/// multiplied as `rows-per-worker` does; Kokkos' twin is not to be had there.
void gangway_spmv_row_patterns(void* plan, Csr matrix, const double* x, double* y) {
  const auto* patterns = static_cast<const sparse::Patterns*>(plan);
  if (!patterns->why_not.empty())
    return gangway_spmv_rows_per_worker(matrix, x, y);
  const std::size_t firsts = patterns->first.size();
  const std::size_t all = patterns->offsets.size();
  const std::size_t of_rows = patterns->of_row.size();
  const int* first = patterns->first.data();
  const int* offsets = patterns->offsets.data();
  const std::uint16_t* of_row = patterns->of_row.data();
  const int rows = matrix.rows;
  const int columns = matrix.columns;
  const int nonzeros = matrix.nonzeros();
  const int* row_offsets = matrix.row_offsets;
  const double* values = matrix.values;
  if (nonzeros < 16L * rows) {
#pragma acc parallel loop gang vector vector_length(128)                                           \
    present(first[0 : firsts], offsets[0 : all], of_row[0 : of_rows])                              \
        copyin(row_offsets[0 : rows + 1], values[0 : nonzeros], x[0 : columns])                    \
            copyout(y[0 : rows])
    for (int row = 0; row < rows; ++row) {
      const int begin = first[of_row[row]];
      const int values_before = row_offsets[row] - begin;
      double sum = 0;
#pragma acc loop seq
      for (int k = begin; k < first[of_row[row] + 1]; ++k)
        sum += values[values_before + k] * x[row + offsets[k]];
      y[row] = sum;
    }
  } else {
#pragma acc parallel loop gang worker num_workers(4) vector_length(32)                             \
    present(first[0 : firsts], offsets[0 : all], of_row[0 : of_rows])                              \
        copyin(row_offsets[0 : rows + 1], values[0 : nonzeros], x[0 : columns])                    \
            copyout(y[0 : rows])
    for (int row = 0; row < rows; ++row) {
      const int begin = first[of_row[row]];
      const int end = first[of_row[row] + 1];
      const int values_before = row_offsets[row] - begin;
      double sum = 0;
#pragma acc loop vector reduction(+ : sum)
      for (int k = begin; k < end; ++k)
        sum += values[values_before + k] * x[row + offsets[k]];
      y[row] = sum;
    }
  }
}

/// Finds the patterns and cuts the values into slices; without a device as well, where it only
/// takes longer. The arrays are on the host and, until the plan ends, on the device.
void* gangway_spmv_pattern_slices_plan(Csr matrix, const double* /*x*/, double* /*y*/) {
  auto plan = std::make_unique<PatternSlices>();
  plan->begins = sparse::slice_begins(matrix, slice_rows);
  if (!sparse::why_no_slices(matrix, plan->begins).empty())
    return plan.release();
  plan->patterns = sparse::patterns_of(matrix);
  if (!plan->patterns.why_not.empty())
    return plan.release();
  plan->fits = true;
  plan->patterns.offsets.push_back(0); // so that no array is empty
  plan->patterns.of_row.push_back(0);
  plan->values.resize(static_cast<std::size_t>(plan->begins.back()) + 1);
  for (int row = 0; row < matrix.rows; ++row) {
    auto place = static_cast<std::size_t>(plan->begins[static_cast<std::size_t>(row / slice_rows)] +
                                          row % slice_rows);
    for (int j = matrix.row_offsets[row]; j < matrix.row_offsets[row + 1]; ++j) {
      plan->values[place] = matrix.values[j];
      place += slice_rows;
    }
  }
  const std::size_t firsts = plan->patterns.first.size();
  const std::size_t all = plan->patterns.offsets.size();
  const std::size_t rows = plan->patterns.of_row.size();
  const std::size_t slices = plan->begins.size();
  const std::size_t places = plan->values.size();
  [[maybe_unused]] const int* first = plan->patterns.first.data();
  [[maybe_unused]] const int* offsets = plan->patterns.offsets.data();
  [[maybe_unused]] const std::uint16_t* of_row = plan->patterns.of_row.data();
  [[maybe_unused]] const std::int64_t* begins = plan->begins.data();
  [[maybe_unused]] const double* sliced = plan->values.data();
#pragma acc enter data copyin(first[0 : firsts], offsets[0 : all], of_row[0 : rows],               \
                              begins[0 : slices], sliced[0 : places])
  return plan.release();
}

void gangway_spmv_pattern_slices_unplan(void* plan) {
  const std::unique_ptr<const PatternSlices> own(static_cast<const PatternSlices*>(plan));
  if (!own->fits)
    return;
  const std::size_t firsts = own->patterns.first.size();
  const std::size_t all = own->patterns.offsets.size();
  const std::size_t rows = own->patterns.of_row.size();
  const std::size_t slices = own->begins.size();
  const std::size_t places = own->values.size();
  [[maybe_unused]] const int* first = own->patterns.first.data();
  [[maybe_unused]] const int* offsets = own->patterns.offsets.data();
  [[maybe_unused]] const std::uint16_t* of_row = own->patterns.of_row.data();
  [[maybe_unused]] const std::int64_t* begins = own->begins.data();
  [[maybe_unused]] const double* sliced = own->values.data();
#pragma acc exit data delete (first[0 : firsts], offsets[0 : all], of_row[0 : rows],               \
                              begins[0 : slices], sliced[0 : places])
}

/// Multiplies from values that the plan has put so that those of neighbouring rows are side by
/// side. A lane takes a row, however long. A matrix that does not fit is multiplied as
/// `rows-per-worker` does.
void gangway_spmv_pattern_slices(void* plan, Csr matrix, const double* x, double* y) {
  const auto* own = static_cast<const PatternSlices*>(plan);
  if (!own->fits)
    return gangway_spmv_rows_per_worker(matrix, x, y);
  const std::size_t firsts = own->patterns.first.size();
  const std::size_t all = own->patterns.offsets.size();
  const std::size_t of_rows = own->patterns.of_row.size();
  const std::size_t slices = own->begins.size();
  const std::size_t places = own->values.size();
  const int* first = own->patterns.first.data();
  const int* offsets = own->patterns.offsets.data();
  const std::uint16_t* of_row = own->patterns.of_row.data();
  const std::int64_t* begins = own->begins.data();
  const double* sliced = own->values.data();
  const int rows = matrix.rows;
  const int columns = matrix.columns;
#pragma acc parallel loop gang vector vector_length(128)                                           \
    present(first[0 : firsts], offsets[0 : all], of_row[0 : of_rows], begins[0 : slices],          \
            sliced[0 : places]) copyin(x[0 : columns]) copyout(y[0 : rows])
  for (int row = 0; row < rows; ++row) {
    const int begin = first[of_row[row]];
    const int end = first[of_row[row] + 1];
    const std::int64_t place = begins[row / slice_rows] + row % slice_rows;
    double sum = 0;
#pragma acc loop seq
    for (int k = begin; k < end; ++k)
      sum += sliced[place + (k - begin) * slice_rows] * x[row + offsets[k]];
    y[row] = sum;
  }
}

/// Decides once per matrix.
void* gangway_spmv_auto_plan(Csr matrix, const double* x, double* y) {
  const sparse::Sharing sharing =
      sparse::sharing_for(sparse::lengths_of_rows(matrix), matrix.nonzeros(), shared_by_openacc());
  auto plan = std::make_unique<Auto>(sharing, nullptr);
  if (plan->sharing == sparse::Sharing::row_blocks)
    plan->plan = gangway_spmv_row_blocks_plan(matrix, x, y);
  else if (plan->sharing == sparse::Sharing::merge_path)
    plan->plan = gangway_spmv_merge_path_plan(matrix, x, y);
  return plan.release();
}

void gangway_spmv_auto_unplan(void* plan) {
  const std::unique_ptr<const Auto> own(static_cast<const Auto*>(plan));
  if (own->sharing == sparse::Sharing::row_blocks)
    gangway_spmv_row_blocks_unplan(own->plan);
  else if (own->sharing == sparse::Sharing::merge_path)
    gangway_spmv_merge_path_unplan(own->plan);
}

void gangway_spmv_auto(void* plan, Csr matrix, const double* x, double* y) {
  const auto [sharing, of_sharing] = *static_cast<const Auto*>(plan);
  switch (sharing) {
  case sparse::Sharing::row_per_thread:
    return gangway_spmv_row_per_thread(matrix, x, y);
  case sparse::Sharing::rows_per_worker:
    return gangway_spmv_rows_per_worker(matrix, x, y);
  case sparse::Sharing::row_blocks:
    return gangway_spmv_row_blocks(of_sharing, matrix, x, y);
  case sparse::Sharing::merge_path:
    return gangway_spmv_merge_path(of_sharing, matrix, x, y);
  }
}

} // extern "C"
} // namespace gangway::spmv
