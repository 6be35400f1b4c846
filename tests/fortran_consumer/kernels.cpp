// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gangway/gangway.hpp>

extern "C" void scale(const gangway::Descriptor& host_in, const gangway::Descriptor& host_out,
                      double factor) {
  const gangway::FArray<const double, 2> in("in", host_in, {0, 1});
  const gangway::FArray<double, 2> out("out", host_out, {0, 1});
  gangway::parallel_for(
      "consumer/scale", gangway::gang(in.size(2)).vector_length(128),
      KOKKOS_LAMBDA(const gangway::Gang<>& gang, long column) {
        loop_vector(gang, in.lbound(1), in.ubound(1) + 1,
                    [&](long i) { out(i, column + 1) = factor * in(i, column + 1); });
      });
}
