// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// openacc_program.cpp, ported: what the two reports have in common is compared in diff_test.py. A
// host plays a device with a memory of its own, or, as `ported shared`, does not; `ported careless`
// does what a careless port would.
#include "gangway/gangway.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace {

void axpy(int n, double a, const double* x, double* y) {
  gangway::Data data;
  const auto in = data.copyin(x, n);
  const auto out = data.copy(gangway::named("y", y), n);
  Kokkos::parallel_for("axpy", n, KOKKOS_LAMBDA(int i) { out(i) += a * in(i); });
}

double dot(int n, const double* x, const double* y) {
  gangway::Data data;
  const auto left = data.copyin(x, n);
  const auto right = data.copyin(y, n);
  double sum = 0;
  Kokkos::parallel_reduce(
      "dot/sum", n, KOKKOS_LAMBDA(int i, double& partial) { partial += left(i) * right(i); }, sum);
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos;
  const std::string how = argc > 1 ? argv[1] : "";
  if (how != "shared")
    gangway::set_memory(gangway::Memory::separate);
  const int n = 1000;
  std::vector<double> x_values(n, 1.0);
  std::vector<double> y_values(n, 2.0);
  double* x = x_values.data();
  double* y = y_values.data();

  for (int i = 0; i < 3; ++i)
    axpy(n, 2.0, x, y); // moves x and y each time

  {
    gangway::Data data;
    static_cast<void>(data.copyin(x, n));
    static_cast<void>(data.copy(y, n));
    for (int i = 0; i < 5; ++i)
      axpy(n, 0.5, x, y); // finds them present
    if (how == "careless")
      axpy(n, 0, x, y);
    for (int i = 0; i < (how == "careless" ? 1 : 2); ++i)
      gangway::update_self(y, n);
  }

  gangway::enter_data_copyin(x, n);
  const double sum = dot(n, x, y);
  gangway::exit_data_delete(x, n);
  std::printf("%g\n", sum);
}
