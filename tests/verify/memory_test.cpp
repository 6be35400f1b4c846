// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A verification that finds too little memory says so, and the program goes on with the port.
#include <Kokkos_Core.hpp>
#include <gangway/gangway.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <vector>

namespace {

constexpr int n = 50'000;
constexpr std::size_t large = n * sizeof(double);
std::atomic<long> until_failure{0}; ///< large allocations; 0: none fails

/// Two arrays, and what their construct leaves.
struct Arrays {
  std::vector<double> u = std::vector<double>(n);
  std::vector<double> v = std::vector<double>(n);
  double sum = 0;

  /// The port adds `wrong` to what the original leaves. The `failing`th large allocation fails.
  void run(double wrong, long failing) {
    std::iota(u.begin(), u.end(), 1.0);
    std::iota(v.begin(), v.end(), 2.0);
    sum = 0;
    gangway::Data data;
    double* const u_host = u.data();
    double* const v_host = v.data();
    const auto u_view = data.create(gangway::named("u", u_host), n); // never copied out
    gangway::update_device(u_host, n);
    const auto v_view = data.copyin(gangway::named("v", v_host), n);
    until_failure = failing;
    gangway::verify(
        "add",
        [&] {
          for (int i = 0; i < n; ++i) {
            u_host[i] += v_host[i];
            sum += u_host[i];
          }
        },
        [&] {
          gangway::parallel_reduce(
              "add", gangway::range(0, n),
              KOKKOS_LAMBDA(const int i, double& part) {
                u_view(i) += wrong + v_view(i);
                part += u_view(i);
              },
              sum);
        },
        gangway::named("sum", &sum));
    is_left = until_failure > 0;
    until_failure = 0;
    std::vector<double> host = u;
    gangway::update_self(u_host, n);
    device = u;
    u = host;
  }
  std::vector<double> device = {};
  bool is_left = false; ///< no allocation has failed
};

TEST(VerificationWithoutMemory, GoesOnWithThePort) {
  for (const double wrong : {0.0, 0.25}) {
    long failing = 1;
    for (;; ++failing) {
      Arrays arrays;
      testing::internal::CaptureStderr();
      arrays.run(wrong, failing);
      const std::string said = testing::internal::GetCapturedStderr();
      EXPECT_EQ(arrays.u[7], 8) << "the host's array, failing " << failing;
      EXPECT_EQ(arrays.device[7], 8 + 9 + wrong) << "the device's array, failing " << failing;
      EXPECT_EQ(arrays.sum, n * (n + 1.0) + n * (1 + wrong)) << "the result, failing " << failing;
      if (arrays.is_left)
        break;
      if (failing == 1 && wrong == 0) {
        EXPECT_NE(said.find("not compared (no more can be had)"), said.npos) << said;
      }
    }
    EXPECT_GT(failing, 10); // two arrays of five copies, at least
  }
}

} // namespace

// nvcc takes these for functions of the device, too. The test is for hosts (CMakeLists.txt).
#ifndef __CUDACC__
// In line, GCC would take them for a pair that does not fit (-Wmismatched-new-delete).
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (bytes >= large && until_failure > 0) {
    --until_failure;
    if (until_failure == 0)
      throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) // NOLINT(*-no-malloc)
    return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes); // NOLINT(*-no-malloc)
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory); // NOLINT(*-no-malloc)
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory); // NOLINT(*-no-malloc)
}
#endif

int main(int argc, char** argv) {
  ::setenv("GANGWAY_VERIFY", "allow-unstable", 1); // NOLINT(concurrency-mt-unsafe)
  testing::InitGoogleTest(&argc, argv);
  int status = 0;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    status = RUN_ALL_TESTS();
  }
  std::_Exit(status); // a verification that found the planted difference ends with 1
}
