// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A program of several ranks, of which those named have a wrong port: verify_ranks RANK...
#include <Kokkos_Core.hpp>
#include <gangway/gangway.hpp>

#include <mpi.h>

#include <string>
#include <vector>

namespace {

void scale(std::vector<double>& u, bool is_wrong) {
  gangway::Data data;
  const int n = static_cast<int>(u.size());
  const auto u_view = data.copy(gangway::named("u", u.data()), n);
  const int end = is_wrong ? n - 1 : n;
  gangway::verify(
      "scale",
      [&] {
        for (double& value : u)
          value *= 2;
      },
      [&] {
        Kokkos::parallel_for(
            "scale", gangway::range(0, end), KOKKOS_LAMBDA(int i) { u_view(i) *= 2; });
      });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool is_wrong = false;
  for (int i = 1; i < argc; ++i)
    is_wrong = is_wrong || std::to_string(rank) == argv[i];
  {
    const Kokkos::ScopeGuard kokkos;
    std::vector<double> u(static_cast<std::size_t>(100 + rank), 1.0);
    scale(u, is_wrong);
  }
  MPI_Finalize();
}
