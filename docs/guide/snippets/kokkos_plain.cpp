// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "snippets.hpp"

#include <Kokkos_Core.hpp>

namespace guide::kokkos {
namespace {

// [normalise_rows]
double normalise_rows(long rows, long columns, double* a) {
  using Teams = Kokkos::TeamPolicy<>;
  using Team = Teams::member_type;
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      of_host(a, rows, columns);
  const auto matrix =
      Kokkos::create_mirror_view_and_copy(Teams::execution_space::memory_space(), of_host);
  double largest = 0;
  Kokkos::parallel_reduce(
      "normalise rows", Teams(static_cast<int>(rows), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team& team, double& most) {
        const int i = team.league_rank();
        double squares = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, columns),
            [&](long j, double& sum) { sum += matrix(i, j) * matrix(i, j); }, squares);
        const double norm = Kokkos::sqrt(squares);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, columns),
                             [&](long j) { matrix(i, j) /= norm; });
        most = Kokkos::max(most, norm);
      },
      Kokkos::Max<double>(largest));
  Kokkos::deep_copy(of_host, matrix);
  return Kokkos::max(largest, 0.); // of no rows the maximum is the lowest number
}
// [normalise_rows]

} // namespace

const Plain plain{.normalise_rows = normalise_rows};

} // namespace guide::kokkos
