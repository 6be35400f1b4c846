// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/matmul/matmul.hpp"

namespace gangway::matmul {
namespace {

/// Multiplies as the first listing: two-dimensional arrays, and the sum is kept in c(i, j), in
/// memory.
void naive(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  Data data;
  const auto left = data.copyin(a, rows, inner);
  const auto right = data.copyin(b, inner, columns);
  const auto out = data.copyout(c, rows, columns);
  gangway::parallel_for(
      "matmul/naive", gang(rows).inner(columns), KOKKOS_LAMBDA(const Gang<>& gang, int i) {
        loop_vector(gang, 0, columns, [&](int j) {
          out(i, j) = 0;
          for (int k = 0; k < inner; ++k)
            out(i, j) += left(i, k) * right(k, j);
        });
      });
}

/// Multiplies as if a compiler could not exclude a dependence: one gang takes the elements in
/// order. It has its vector only for the terms of each sum.
void kernels(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  Data data;
  const auto left = data.copyin(a, rows, inner);
  const auto right = data.copyin(b, inner, columns);
  const auto out = data.copyout(c, rows, columns);
  gangway::parallel_for(
      "matmul/kernels", team_policy(1).vector_length(lanes<128>),
      KOKKOS_LAMBDA(const Parallel<128>& gang) {
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) {
            float sum = 0;
            loop_vector(
                gang, 0, inner, [&](int k, float& partial) { partial += left(i, k) * right(k, j); },
                sum);
            single(gang, [&] { out(i, j) = sum; });
          }
      });
}

/// One-dimensional arrays with index arithmetic, the sum in a register. parallel_for is
/// `independent`.
void linear(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  Data data;
  const auto left = data.copyin(a, static_cast<long>(rows) * inner);
  const auto right = data.copyin(b, static_cast<long>(inner) * columns);
  const auto out = data.copyout(c, static_cast<long>(rows) * columns);
  gangway::parallel_for(
      "matmul/linear", gang(long{rows}).inner(columns), KOKKOS_LAMBDA(const Gang<>& gang, long i) {
        loop_vector(gang, 0, columns, [&](int j) {
          float sum = 0;
          for (int k = 0; k < inner; ++k)
            sum += left(i * inner + k) * right(static_cast<long>(k) * columns + j);
          out(i * columns + j) = sum;
        });
      });
}

/// Multiplies in one loop over all of C. The two indices come from one by division. They are ints
/// again because an offset has the type of its indices, in each term of a sum. The loop is
/// a flat range, in blocks of Kokkos' choice: on an H200 of 128 threads, as the directive says. In
/// teams of 128 lanes the second cache had 19 % of what 8192 x 8192 reads instead of 83 %, and it
/// took 1.8 times as long.
void collapse(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  Data data;
  const auto left = data.copyin(a, rows, inner);
  const auto right = data.copyin(b, inner, columns);
  const auto out = data.copyout(c, rows, columns);
  gangway::parallel_for(
      "matmul/collapse", gang_vector(static_cast<long>(rows) * columns),
      KOKKOS_LAMBDA(long element) {
        const int i = static_cast<int>(element / columns);
        const int j = static_cast<int>(element % columns);
        float sum = 0;
        for (int k = 0; k < inner; ++k)
          sum += left(i, k) * right(k, j);
        out(i, j) = sum;
      });
}

/// C in tiles of 32 x 32, as many threads as a gang may have.
void tile(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  Data data;
  const auto left = data.copyin(a, rows, inner);
  const auto right = data.copyin(b, inner, columns);
  const auto out = data.copyout(c, rows, columns);
  gangway::parallel_for(
      "matmul/tile", gangway::tile<2>({rows, columns}, {32, 32}), KOKKOS_LAMBDA(long i, long j) {
        float sum = 0;
        for (int k = 0; k < inner; ++k)
          sum += left(i, k) * right(k, j);
        out(i, j) = sum;
      });
}

/// Rows to gangs, columns to workers, the terms of a sum to the vector. The compiler is not told
/// the vector's length: with lanes<32> and more loads in flight nvcc's workers share fewer lines of
/// B, and 5000 x 5000 took 2.4 times as long on an H200.
template <class Policy>
void three_levels(const char* label, const Policy& policy, int rows, int inner, int columns,
                  const float* a, const float* b, float* c) {
  Data data;
  const auto left = data.copyin(a, rows, inner);
  const auto right = data.copyin(b, inner, columns);
  const auto out = data.copyout(c, rows, columns);
  gangway::parallel_for(
      label, policy, KOKKOS_LAMBDA(const Gang<>& gang, int i) {
        loop_worker(gang, 0, columns, [&](const Worker<>& worker, int j) {
          float sum = 0;
          loop_vector(
              worker, 0, inner, [&](int k, float& partial) { partial += left(i, k) * right(k, j); },
              sum);
          single(worker, [&] { out(i, j) = sum; });
        });
      });
}

void three_level(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  three_levels("matmul/three-level", gang(rows).num_workers(8).vector_length(32), rows, inner,
               columns, a, b, c);
}

void of_mapping(const kernels::Mapping& mapping, int rows, int inner, int columns, const float* a,
                const float* b, float* c) {
  three_levels("matmul/of-mapping", gang(rows).clauses(mapping.clauses), rows, inner, columns, a, b,
               c);
}

// --- blocked: what the documents' stages leave on the table
// -----------------------------------------
//
// An element of A or B that is fetched once for one product costs a load for a multiply-add. So a
// gang takes a tile of C, brings panels of A and B into scratch, where the whole tile uses them,
// and each thread keeps a block of C in registers, so that one load from scratch serves several
// multiply-adds.

/// Four neighbours in a row, moved by one instruction.
struct alignas(16) Quad {
  float x, y, z, w;
};

/// matrix(row, column .. column + 3), zeros outside. `whole`: rows begin on and hold whole quads.
template <bool whole>
KOKKOS_INLINE_FUNCTION Quad load(const float* matrix, long row, long column, int rows,
                                 int columns) {
  Quad quad{0, 0, 0, 0};
  if (row >= rows || column >= columns)
    return quad;
  const float* const at = matrix + row * columns + column;
  if constexpr (whole) {
    quad = *reinterpret_cast<const Quad*>(at);
  } else {
    quad.x = at[0];
    if (column + 1 < columns)
      quad.y = at[1];
    if (column + 2 < columns)
      quad.z = at[2];
    if (column + 3 < columns)
      quad.w = at[3];
  }
  return quad;
}

template <bool whole>
KOKKOS_INLINE_FUNCTION void store(const Quad& quad, float* matrix, long row, long column, int rows,
                                  int columns) {
  if (row >= rows || column >= columns)
    return;
  float* const at = matrix + row * columns + column;
  if constexpr (whole) {
    *reinterpret_cast<Quad*>(at) = quad;
  } else {
    at[0] = quad.x;
    if (column + 1 < columns)
      at[1] = quad.y;
    if (column + 2 < columns)
      at[2] = quad.z;
    if (column + 3 < columns)
      at[3] = quad.w;
  }
}

/// body(0), body(1), …, written out: the compiler would keep so long a body a loop.
template <class Body, int... steps>
KOKKOS_INLINE_FUNCTION void unrolled(std::integer_sequence<int, steps...>, const Body& body) {
  (body(steps), ...);
}

/// Tile on a GPU: 256 workers per gang, 8 x 8 elements each, make a tile of 128 x 128. While they
/// multiply one panel, the next is on its way to registers and then to the other half of scratch.
struct GpuTile {
  static constexpr int workers = 256;
  static constexpr int side = 128;          ///< of the tile of C
  static constexpr int depth = 8;           ///< of a panel
  static constexpr int a_stride = side + 4; ///< A lies transposed; padded against bank conflicts
  static constexpr int a_panel = depth * a_stride;
  static constexpr int b_panel = depth * side;
  static constexpr int scratch_bytes = 2 * (a_panel + b_panel) * static_cast<int>(sizeof(float));
};

template <bool whole>
void blocked_by_teams(int rows, int inner, int columns, const DeviceView<const float>& left,
                      const DeviceView<const float>& right, const DeviceView<float>& out) {
  using Tile = GpuTile;
  const float* const a = left.data();
  const float* const b = right.data();
  float* const c = out.data();
  const int tiles_across = (columns + Tile::side - 1) / Tile::side;
  const long tiles = static_cast<long>((rows + Tile::side - 1) / Tile::side) * tiles_across;

  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int bytes = Tile::scratch_bytes;
    auto* const scratch =
        static_cast<float*>(gang.team_scratch(0).get_shmem_aligned(bytes, sizeof(Quad)));
    float* const a_panels = scratch;
    float* const b_panels = scratch + 2 * Tile::a_panel;
    const long first_row = static_cast<long>(gang.league_rank() / tiles_across) * Tile::side;
    const long first_column = static_cast<long>(gang.league_rank() % tiles_across) * Tile::side;

    // Parts of a panel that this worker fetches: one quad of A, one of B.
    const int worker = gang.team_rank();
    const int a_row = worker / 2;
    const int a_k = worker % 2 * 4;
    const int b_k = worker / 32;
    const int b_column = worker % 32 * 4;
    Quad a_next;
    Quad b_next;
    const auto fetch = [&](int k) {
      a_next = load<whole>(a, first_row + a_row, k + a_k, rows, inner);
      b_next = load<whole>(b, k + b_k, first_column + b_column, inner, columns);
    };
    const auto put = [&](int buffer) {
      float* const a_panel = a_panels + buffer * Tile::a_panel + a_k * Tile::a_stride + a_row;
      a_panel[0 * Tile::a_stride] = a_next.x;
      a_panel[1 * Tile::a_stride] = a_next.y;
      a_panel[2 * Tile::a_stride] = a_next.z;
      a_panel[3 * Tile::a_stride] = a_next.w;
      float* const b_panel = b_panels + buffer * Tile::b_panel + b_k * Tile::side + b_column;
      *reinterpret_cast<Quad*>(b_panel) = b_next;
    };

    // Elements that it computes: two quads of rows, 16 apart, by two quads of columns, 32 apart. 32
    // neighbours share 32 x 64 elements in an order in which their reads of scratch meet in the
    // fewest banks.
    const int lane = worker % 32;
    const int my_row = worker / 64 * 32 + (lane / 16 * 2 + lane % 2) * 4;
    const int my_column = worker / 32 % 2 * 64 + lane / 2 % 8 * 4;
    float sum[8][8] = {};
    const auto multiply = [&](const float* a_panel, const float* b_panel, int k) {
      const Quad upper = *reinterpret_cast<const Quad*>(a_panel + k * Tile::a_stride + my_row);
      const Quad lower = *reinterpret_cast<const Quad*>(a_panel + k * Tile::a_stride + my_row + 16);
      const Quad near = *reinterpret_cast<const Quad*>(b_panel + k * Tile::side + my_column);
      const Quad far = *reinterpret_cast<const Quad*>(b_panel + k * Tile::side + my_column + 32);
      const float of_a[8] = {upper.x, upper.y, upper.z, upper.w,
                             lower.x, lower.y, lower.z, lower.w};
      const float of_b[8] = {near.x, near.y, near.z, near.w, far.x, far.y, far.z, far.w};
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
          sum[i][j] += of_a[i] * of_b[j];
    };

    fetch(0);
    put(0);
    gang.team_barrier();
    for (int k = 0; k < inner; k += Tile::depth) {
      const int buffer = k / Tile::depth % 2;
      const bool more = k + Tile::depth < inner;
      if (more)
        fetch(k + Tile::depth);
      unrolled(std::make_integer_sequence<int, Tile::depth>{}, [&](int step) {
        multiply(a_panels + buffer * Tile::a_panel, b_panels + buffer * Tile::b_panel, step);
      });
      if (more)
        put(1 - buffer); // no thread has read it since the last barrier
      gang.team_barrier();
    }

    for (int i = 0; i < 8; ++i) {
      const long row = first_row + my_row + (i < 4 ? i : 12 + i);
      for (int half = 0; half < 2; ++half) {
        const float* const four = &sum[i][4 * half];
        store<whole>({four[0], four[1], four[2], four[3]}, c, row,
                     first_column + my_column + 32 * half, rows, columns);
      }
    }
  };
  // Two gangs a multiprocessor: at most 128 registers a thread.
  const auto policy = team_policy(tiles)
                          .num_workers(Tile::workers)
                          .vector_length(1)
                          .launch_bounds(Kokkos::LaunchBounds<Tile::workers, 2>())
                          .scratch(0, Tile::scratch_bytes + sizeof(Quad));
  gangway::parallel_for("matmul/blocked", policy, body);
}

/// Tile on a host, where a gang is a thread. Its panels of A and B fit the second-level cache. They
/// lie in strips as wide as the block that registers hold, so that everything the innermost loop
/// reads is stride-1.
struct HostTile {
  static constexpr int rows = 240;
  static constexpr int columns = 256;
  static constexpr int depth = 256;
  /// 6 by two registers of floats are 12 registers: AVX2 has 16 of them, AVX-512 32.
  static constexpr int strip_rows = 6;
#ifdef __AVX512F__
  static constexpr int strip_columns = 32;
#else
  static constexpr int strip_columns = 16;
#endif
  static constexpr int scratch_bytes = (rows + columns) * depth * static_cast<int>(sizeof(float));
};

/// c = a strip of A times a strip of B, or c +=. The bounds are constants: the block stays in
/// registers.
KOKKOS_INLINE_FUNCTION void multiply_strips(int depth, const float* __restrict a,
                                            const float* __restrict b, float* __restrict c,
                                            long stride, bool first) {
  constexpr int m = HostTile::strip_rows;
  constexpr int n = HostTile::strip_columns;
  float sum[m][n];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      sum[i][j] = 0;
  for (int k = 0; k < depth; ++k)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        sum[i][j] += a[k * m + i] * b[k * n + j];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      c[i * stride + j] = first ? sum[i][j] : c[i * stride + j] + sum[i][j];
}

void blocked_on_host(int rows, int inner, int columns, const DeviceView<const float, 2>& left,
                     const DeviceView<const float, 2>& right, const DeviceView<float, 2>& out) {
  using Tile = HostTile;
  constexpr int m = Tile::strip_rows;
  constexpr int n = Tile::strip_columns;
  const int tiles_across = (columns + Tile::columns - 1) / Tile::columns;
  // Flatter tiles where that gives every thread equally many.
  int tiles_down = Kokkos::max(1, (rows + Tile::rows - 1) / Tile::rows);
  while (static_cast<long>(tiles_down) * tiles_across %
             Kokkos::DefaultExecutionSpace().concurrency() !=
         0)
    ++tiles_down;
  const int strips_down = (rows + m - 1) / m;
  const int height = Kokkos::max(1, (strips_down + tiles_down - 1) / tiles_down) * m;
  const long tiles = static_cast<long>((rows + height - 1) / height) * tiles_across;
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int bytes = Tile::scratch_bytes;
    auto* const a_strips = static_cast<float*>(gang.team_scratch(1).get_shmem_aligned(bytes, 64));
    float* const b_strips = a_strips + Tile::rows * Tile::depth;
    const int first_row = gang.league_rank() / tiles_across * height;
    const int first_column = gang.league_rank() % tiles_across * Tile::columns;
    const int tile_rows = Kokkos::min(height, rows - first_row);
    const int tile_columns = Kokkos::min(+Tile::columns, columns - first_column);

    // At least one panel, so that C becomes zero where there is nothing to sum.
    for (int first_k = 0; first_k == 0 || first_k < inner; first_k += Tile::depth) {
      const int depth = Kokkos::min(+Tile::depth, inner - first_k);
      for (int i = 0; i < tile_rows; i += m)
        for (int s = 0; s < m; ++s)
          for (int k = 0; k < depth; ++k)
            a_strips[i * depth + k * m + s] =
                i + s < tile_rows ? left(first_row + i + s, first_k + k) : 0.0F;
      for (int j = 0; j < tile_columns; j += n) {
        const bool whole = j + n <= tile_columns; // the compiler's vectors need no masks then
        for (int k = 0; k < depth; ++k)
          for (int s = 0; s < n; ++s)
            b_strips[j * depth + k * n + s] =
                whole || j + s < tile_columns ? right(first_k + k, first_column + j + s) : 0.0F;
      }

      for (int j = 0; j < tile_columns; j += n)
        for (int i = 0; i < tile_rows; i += m) {
          const float* const a = a_strips + i * depth;
          const float* const b = b_strips + j * depth;
          const bool first = first_k == 0;
          if (i + m <= tile_rows && j + n <= tile_columns) {
            multiply_strips(depth, a, b, &out(first_row + i, first_column + j), columns, first);
            continue;
          }
          // At the edge of C: a whole block aside, of which only what exists is stored.
          float aside[m * n];
          multiply_strips(depth, a, b, aside, n, true);
          for (int r = 0; r < Kokkos::min(m, tile_rows - i); ++r)
            for (int s = 0; s < Kokkos::min(n, tile_columns - j); ++s) {
              float& element = out(first_row + i + r, first_column + j + s);
              element = (first ? 0.0F : element) + aside[r * n + s];
            }
        }
    }
  };
  gangway::parallel_for("matmul/blocked", team_policy(tiles).scratch(1, Tile::scratch_bytes + 64),
                        body);
}

void blocked(int rows, int inner, int columns, const float* a, const float* b, float* c) {
  Data data;
  if constexpr (has_device) {
    const auto left = data.copyin(a, static_cast<long>(rows) * inner);
    const auto right = data.copyin(b, static_cast<long>(inner) * columns);
    const auto out = data.copyout(c, static_cast<long>(rows) * columns);
    const auto at_quad = [](const float* p) {
      return reinterpret_cast<std::uintptr_t>(p) % sizeof(Quad) == 0;
    };
    if (inner % 4 == 0 && columns % 4 == 0 && at_quad(left.data()) && at_quad(right.data()) &&
        at_quad(out.data()))
      blocked_by_teams<true>(rows, inner, columns, left, right, out);
    else
      blocked_by_teams<false>(rows, inner, columns, left, right, out);
  } else {
    blocked_on_host(rows, inner, columns, data.copyin(a, rows, inner),
                    data.copyin(b, inner, columns), data.copyout(c, rows, columns));
  }
}

const harness::Study<Problem> study({
    .stages = {{.name = "naive", .kernel = naive},
               {.name = "kernels", .kernel = kernels, .flag = harness::Flag::kernels},
               {.name = "linear", .kernel = linear, .flag = harness::Flag::kernels},
               {.name = "collapse", .kernel = collapse},
               {.name = "tile", .kernel = tile, .flag = harness::Flag::tile},
               {.name = "three-level", .kernel = three_level}},
    .beyond = {{.name = "blocked", .kernel = blocked}},
    .sweep = {.kernel = of_mapping, .own = {{8, 32}, 1}},
});

} // namespace
} // namespace gangway::matmul
