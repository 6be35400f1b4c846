// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/transpose/transpose.hpp"

namespace gangway::transpose {
namespace {

/// Rows of the result over gangs or workers, as the policy says, whose lanes read far apart: what a
/// load brings to the cache besides its own element is for the workers beside this one. A View's
/// offset is computed in the type of its indices.
template <class Policy>
void by_rows(const char* label, const Policy& policy, int rows, int columns, const float* in,
             float* out) {
  Data data;
  const auto from = data.copyin(in, rows, columns);
  const auto to = data.copyout(out, columns, rows);
  gangway::parallel_for(
      label, policy.inner(rows).scattered(),
      KOKKOS_LAMBDA(const typename Policy::Handle& handle, long i) {
        loop_vector(handle, 0, rows, [&](long j) { to(i, j) = from(j, i); });
      });
}
/// The shape is the library's choice.
void naive(int rows, int columns, const float* in, float* out) {
  by_rows("transpose/naive", gang_worker(long{columns}), rows, columns, in, out);
}

/// Workers have up to 32 lanes; a longer vector is a gang's.
void of_mapping(const kernels::Mapping& mapping, int rows, int columns, const float* in,
                float* out) {
  const auto run = [&](const auto& policy) {
    by_rows("transpose/of-mapping", policy.clauses(mapping.clauses), rows, columns, in, out);
  };
  if (mapping.clauses.vector > Clauses::most_worker_lanes)
    run(gang(long{columns}));
  else
    run(gang_worker(long{columns}));
}

/// The nest in tiles of height x width iterations.
template <int height, int width>
void in_tiles(int rows, int columns, const float* in, float* out) {
  Data data;
  const auto from = data.copyin(in, rows, columns);
  const auto to = data.copyout(out, columns, rows);
  gangway::parallel_for(
      "transpose/tile", tile<2>({columns, rows}, {height, width}).scattered(),
      KOKKOS_LAMBDA(long i, long j) { to(i, j) = from(j, i); });
}

/// Transposes on a GPU: a gang brings a tile of 64 rows x 128 columns into scratch, row by row, and
/// writes it out column by column. Both sides of memory are stride-1, and only scratch is read
/// across. Its rows are one longer than a multiple of the number of banks, so that a column lies in
/// as many banks as it has elements. Every lane has sixteen loads on their way before it needs the
/// first. Gangs follow one another along the rows of `to`, the faster of the two orders.
[[maybe_unused]] void cached_by_teams(int rows, int columns, const DeviceView<const float, 2>& from,
                                      const DeviceView<float, 2>& to) {
  constexpr int lanes = 32;
  constexpr int workers = 16;
  constexpr int height = 64; // rows of `from` in a tile
  constexpr int width = 128; // columns of `from`, rows of `to`
  using Tile = Kokkos::View<float[height][width + 1], Kokkos::LayoutRight,
                            Kokkos::DefaultExecutionSpace::scratch_memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const int tiles_across = (rows + height - 1) / height;
  const long tiles = static_cast<long>((columns + width - 1) / width) * tiles_across;
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const Tile tile(gang.team_scratch(0));
    const int first_row = gang.league_rank() % tiles_across * height;
    const int first_column = gang.league_rank() / tiles_across * width;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, workers), [&](int worker) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, lanes), [&](int lane) {
        constexpr int across = width / lanes;
        constexpr int each = height / workers * across;
        float held[each] = {};
        for (int e = 0; e < each; ++e) {
          const int row = first_row + worker + e / across * workers;
          const int column = first_column + lane + e % across * lanes;
          if (row < rows && column < columns)
            held[e] = from(static_cast<long>(row), column);
        }
        for (int e = 0; e < each; ++e)
          tile(worker + e / across * workers, lane + e % across * lanes) = held[e];
      });
    });
    gang.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, workers), [&](int worker) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, lanes), [&](int lane) {
        for (int c = worker; c < width; c += workers)
          for (int r = lane; r < height; r += lanes)
            if (first_column + c < columns && first_row + r < rows)
              to(static_cast<long>(first_column) + c, first_row + r) = tile(r, c);
      });
    });
  };
  const auto policy =
      team_policy(tiles).num_workers(workers).vector_length(lanes).scratch(0, Tile::shmem_size());
  gangway::parallel_for("transpose/cached", policy, body);
}

/// Transposes on a host: a gang is a thread, and its caches are the scratch. The 128 lines of
/// `from` that a row of the tile reads across stay in the first-level cache for the 16 rows that
/// use them. Longer tiles are faster until the rows of `from` are a power of two apart, where their
/// lines share few places of a cache. Eight elements are held before they are stored, because GCC
/// does not know that the iterations are independent. They go through pointers, because for a
/// View's stride GCC makes two loops: one with vectors where it is 1, which it never is here, and
/// one without.
[[maybe_unused]] void cached_on_host(int rows, int columns, const DeviceView<const float, 2>& from,
                                     const DeviceView<float, 2>& to) {
  constexpr int height = 128; // rows of `from` in a tile
  constexpr int width = 512;  // columns of `from`, rows of `to`
  constexpr int each = 8;     // elements of a vector register
  const int tiles_across = (rows + height - 1) / height;
  const long tiles = static_cast<long>((columns + width - 1) / width) * tiles_across;
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const int first_i = gang.league_rank() / tiles_across * width;
    const int first_j = gang.league_rank() % tiles_across * height;
    const int last_i = Kokkos::min(first_i + width, columns);
    const int last_j = Kokkos::min(first_j + height, rows);
    for (long i = first_i; i < last_i; ++i) {
      float* const row = &to(i, 0);
      const float* const column = &from(0, i);
      long j = first_j;
      for (; j + each <= last_j; j += each) {
        float held[each];
        for (int e = 0; e < each; ++e)
          held[e] = column[(j + e) * columns];
        for (int e = 0; e < each; ++e)
          row[j + e] = held[e];
      }
      for (; j < last_j; ++j)
        row[j] = column[j * columns];
    }
  };
  gangway::parallel_for("transpose/cached", team_policy(tiles), body);
}

void cached(int rows, int columns, const float* in, float* out) {
  Data data;
  const auto from = data.copyin(in, rows, columns);
  const auto to = data.copyout(out, columns, rows);
  if constexpr (has_device)
    cached_by_teams(rows, columns, from, to);
  else
    cached_on_host(rows, columns, from, to);
}

const harness::Study<Problem> study({
    .stages = {{.name = "naive", .kernel = naive},
               {.name = "tile-8x8", .kernel = in_tiles<8, 8>, .flag = harness::Flag::tile},
               {.name = "tile-16x16", .kernel = in_tiles<16, 16>, .flag = harness::Flag::tile},
               {.name = "tile-32x32", .kernel = in_tiles<32, 32>, .flag = harness::Flag::tile},
               {.name = "tile-8x32", .kernel = in_tiles<8, 32>, .flag = harness::Flag::tile},
               {.name = "tile-32x8", .kernel = in_tiles<32, 8>, .flag = harness::Flag::tile}},
    .beyond = {{.name = "cached", .kernel = cached, .flag = harness::Flag::frame}},
    .sweep = {.kernel = of_mapping, .own = {{16, 32}, 1}},
});

} // namespace
} // namespace gangway::transpose
