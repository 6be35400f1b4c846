// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The smallest port there is: one region, one kernel of gangs, workers and vectors.
#include <gangway/gangway.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

void scale(int rows, int columns, double factor, const double* in, double* out) {
  gangway::Data data;
  const auto from = data.copyin(in, rows, columns);
  const auto to = data.copyout(out, rows, columns);
  gangway::parallel_for(
      "consumer/scale", gangway::gang(rows).vector_length(128),
      KOKKOS_LAMBDA(const gangway::Gang<>& gang, int row) {
        loop_vector(gang, 0, columns,
                    [&](int column) { to(row, column) = factor * from(row, column); });
      });
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  std::vector<double> in(35 * 100);
  std::vector<double> out(in.size());
  std::iota(in.begin(), in.end(), 0.0);
  scale(35, 100, 3, in.data(), out.data());
  for (std::size_t i = 0; i < in.size(); ++i)
    if (out[i] != 3 * in[i])
      return 1;
  std::printf("consumer: %s, %zu elements are right\n", gangway::launches().front().text().c_str(),
              in.size());
  return 0;
}
