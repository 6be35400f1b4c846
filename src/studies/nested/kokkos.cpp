// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/study.hpp"
#include "studies/nested/nested.hpp"

namespace gangway::nested {
namespace {

/// i over gangs, j over their vectors: stride-1 in a and b, strided in c.
template <class Policy>
void i_by_gangs(const char* label, const Policy& policy, long m, long n, double alpha, double beta,
                const double* b, const double* c, double* a) {
  Data data;
  const auto bs = data.copyin(b, n, m);
  const auto cs = data.copyin(c, m, n);
  const auto as = data.copyout(a, n, m);
  gangway::parallel_for(
      label, policy.inner(m), KOKKOS_LAMBDA(const Gang<>& gang, long i) {
        loop_vector(gang, 0, m, [&](long j) { as(i, j) = bs(i, j) * alpha + cs(j, i) * beta; });
      });
}

/// Maps the loops as the document's compiler does: j is stride-1 in most arrays, so it is the
/// vector, and the shape is the library's choice.
void kernels(long m, long n, double alpha, double beta, const double* b, const double* c,
             double* a) {
  i_by_gangs("nested/kernels", gang(n), m, n, alpha, beta, b, c, a);
}

/// A gang takes a j, its vector the i: stride-1 in c, strided in a and b.
void j_outer(long m, long n, double alpha, double beta, const double* b, const double* c,
             double* a) {
  Data data;
  const auto bs = data.copyin(b, n, m);
  const auto cs = data.copyin(c, m, n);
  const auto as = data.copyout(a, n, m);
  // 64 registers a thread at most; without a bound nvcc uses 32, and has fewer loads in flight.
  const Kokkos::LaunchBounds<1024, 1> bounds;
  gangway::parallel_for(
      "nested/j-outer", gang(m).vector_length(lanes<128>).launch_bounds(bounds),
      KOKKOS_LAMBDA(const Gang<128>& gang, long j) {
        loop_vector(gang, 0, n, [&](long i) { as(i, j) = bs(i, j) * alpha + cs(j, i) * beta; });
      });
}

void i_outer(long m, long n, double alpha, double beta, const double* b, const double* c,
             double* a) {
  i_by_gangs("nested/i-outer", gang(n).vector_length(128), m, n, alpha, beta, b, c, a);
}

void of_mapping(const kernels::Mapping& mapping, long m, long n, double alpha, double beta,
                const double* b, const double* c, double* a) {
  i_by_gangs("nested/of-mapping", gang(n).clauses(mapping.clauses), m, n, alpha, beta, b, c, a);
}

/// Both loops in tiles of 8 x 32: of the strided c, a tile reads 8 neighbours in each of 32 rows.
void tile(long m, long n, double alpha, double beta, const double* b, const double* c, double* a) {
  Data data;
  const auto bs = data.copyin(b, n, m);
  const auto cs = data.copyin(c, m, n);
  const auto as = data.copyout(a, n, m);
  gangway::parallel_for(
      "nested/tile", gangway::tile<2>({n, m}, {8, 32}).scattered(),
      KOKKOS_LAMBDA(long i, long j) { as(i, j) = bs(i, j) * alpha + cs(j, i) * beta; });
}

/// A gang takes a block, so narrow that c's lines, one for each j, stay in the cache from one i to
/// the next.
void blocked(long m, long n, double alpha, double beta, const double* b, const double* c,
             double* a) {
  constexpr long block_i = has_device ? 32 : 64;
  constexpr long block_j = has_device ? 32 : 256;
  Data data;
  const auto bs = data.copyin(b, n, m);
  const auto cs = data.copyin(c, m, n);
  const auto as = data.copyout(a, n, m);
  const long blocks_of_j = (m + block_j - 1) / block_j;
  const long blocks_of_i = (n + block_i - 1) / block_i;
  gangway::parallel_for(
      "nested/blocked", team_policy(blocks_of_i * blocks_of_j).num_workers(8).vector_length(32),
      KOKKOS_LAMBDA(const Parallel<>& gang) {
        const long first_i = gang.member().league_rank() / blocks_of_j * block_i;
        const long first_j = gang.member().league_rank() % blocks_of_j * block_j;
        const long last_i = Kokkos::min(first_i + block_i, n);
        const long last_j = Kokkos::min(first_j + block_j, m);
        loop_worker(gang, first_i, last_i, [&](const Worker<>& worker, long i) {
          loop_vector(worker, first_j, last_j,
                      [&](long j) { as(i, j) = bs(i, j) * alpha + cs(j, i) * beta; });
        });
      });
}

/// Computes on a GPU: a gang takes a block and brings its part of c to scratch the way c lies in
/// memory. It reads it there the other way, so all accesses to memory are stride-1. The pad puts
/// the elements of a column in different banks. Every lane has eight loads on their way before it
/// needs the first.
[[maybe_unused]] void cached_by_teams(double alpha, double beta,
                                      const DeviceView<const double, 2>& bs,
                                      const DeviceView<const double, 2>& cs,
                                      const DeviceView<double, 2>& as) {
  constexpr int lanes = 32;
  constexpr int workers = 8;
  constexpr int block_j = 32;
  constexpr int block_i = 64;
  constexpr int held = block_j * block_i / (workers * lanes);
  using Block = Kokkos::View<double[block_j][block_i + 1], Kokkos::LayoutRight,
                             Kokkos::DefaultExecutionSpace::scratch_memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const long n = static_cast<long>(as.extent(0));
  const long m = static_cast<long>(as.extent(1));
  const long blocks_of_j = (m + block_j - 1) / block_j;
  const long blocks_of_i = (n + block_i - 1) / block_i;
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const Block block(gang.team_scratch(0));
    const long first_i = gang.league_rank() / blocks_of_j * block_i;
    const long first_j = gang.league_rank() % blocks_of_j * block_j;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, workers), [&](int worker) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, lanes), [&](int lane) {
        constexpr int across = block_i / lanes;
        double c[held];
        for (int k = 0; k < held; ++k) {
          const long j = first_j + worker + k / across * workers;
          const long i = first_i + lane + k % across * lanes;
          c[k] = j < m && i < n ? cs(j, i) : 0.0;
        }
        for (int k = 0; k < held; ++k)
          block(worker + k / across * workers, lane + k % across * lanes) = c[k];
      });
    });
    gang.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(gang, workers), [&](int worker) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, lanes), [&](int lane) {
        static_assert(block_j == lanes);
        const long j = first_j + lane;
        double b[held];
        for (int k = 0; k < held; ++k) {
          const long i = first_i + worker + k * workers;
          b[k] = j < m && i < n ? bs(i, j) : 0.0;
        }
        for (int k = 0; k < held; ++k) {
          const long i = first_i + worker + k * workers;
          if (j < m && i < n)
            as(i, j) = b[k] * alpha + block(lane, worker + k * workers) * beta;
        }
      });
    });
  };
  const auto policy = team_policy(blocks_of_i * blocks_of_j)
                          .num_workers(workers)
                          .vector_length(lanes)
                          .scratch(0, Block::shmem_size());
  gangway::parallel_for("nested/cached", policy, body);
}

/// Computes on a host: a gang is a thread, and scratch keeps a square of c from one i to the next.
[[maybe_unused]] void cached_on_host(double alpha, double beta,
                                     const DeviceView<const double, 2>& bs,
                                     const DeviceView<const double, 2>& cs,
                                     const DeviceView<double, 2>& as) {
  constexpr long side = 48; // fits the scratch
  using Square = Kokkos::View<double[side][side + 1], Kokkos::LayoutRight,
                              Kokkos::DefaultExecutionSpace::scratch_memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const long n = static_cast<long>(as.extent(0));
  const long m = static_cast<long>(as.extent(1));
  const long squares_of_j = (m + side - 1) / side;
  const long squares_of_i = (n + side - 1) / side;
  const auto body = KOKKOS_LAMBDA(const Member& gang) {
    const long first_i = gang.league_rank() / squares_of_j * side;
    const long first_j = gang.league_rank() % squares_of_j * side;
    const int size_i = static_cast<int>(Kokkos::min(side, n - first_i));
    const int size_j = static_cast<int>(Kokkos::min(side, m - first_j));
    const Square square(gang.team_scratch(0));
    for (int j = 0; j < size_j; ++j)
      for (int i = 0; i < size_i; ++i)
        square(j, i) = cs(first_j + j, first_i + i);
    for (int i = 0; i < size_i; ++i)
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(gang, size_j), [&](int j) {
        as(first_i + i, first_j + j) = bs(first_i + i, first_j + j) * alpha + square(j, i) * beta;
      });
  };
  const auto policy = team_policy(squares_of_i * squares_of_j).scratch(0, Square::shmem_size());
  gangway::parallel_for("nested/cached", policy, body);
}

void cached(long m, long n, double alpha, double beta, const double* b, const double* c,
            double* a) {
  Data data;
  const auto bs = data.copyin(b, n, m);
  const auto cs = data.copyin(c, m, n);
  const auto as = data.copyout(a, n, m);
  if constexpr (has_device)
    cached_by_teams(alpha, beta, bs, cs, as);
  else
    cached_on_host(alpha, beta, bs, cs, as);
}

const harness::Study<Problem> study({
    .stages = {{.name = "kernels", .kernel = kernels, .flag = harness::Flag::kernels},
               {.name = "j-outer", .kernel = j_outer},
               {.name = "i-outer", .kernel = i_outer},
               {.name = "tile", .kernel = tile, .flag = harness::Flag::tile}},
    .beyond = {{.name = "blocked", .kernel = blocked},
               {.name = "cached", .kernel = cached, .flag = harness::Flag::frame}},
    .sweep = {.kernel = of_mapping, .own = {{1, 128}, 1}},
});

} // namespace
} // namespace gangway::nested
