// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/ceilings.hpp"

#include "gangway/data.hpp"
#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace gangway::harness {
namespace {

using Device = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double*, Kokkos::LayoutRight, DeviceSpace>;
using HostView = Kokkos::View<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;

template <class Work>
double best_seconds(int runs, Work&& work) {
  work(); // warm-up
  Kokkos::fence("ceilings: warm");
  double best = 1e300;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    Kokkos::fence("ceilings: done");
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

#if defined(__AVX512F__)
constexpr int vector_register_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_register_bytes = 32;
#else
constexpr int vector_register_bytes = 16;
#endif

/// Multiply-adds per second: every thread runs `chains` independent recurrences, so that the
/// latency of one hides behind the others. On a host they fill 12 vector registers: two pipes of a
/// latency of 4 need 8, and there are 16 or more. CMakeLists.txt asks for the widest.
template <class Real>
double flops(long threads, int steps, int runs) {
  constexpr int chains = has_device ? 8 : 12 * vector_register_bytes / sizeof(Real);
  Kokkos::View<Real*, DeviceSpace> out("ceilings: multiply-add results", threads);
  const double seconds = best_seconds(runs, [&] {
    Kokkos::parallel_for(
        "ceilings: multiply-add", Kokkos::RangePolicy<Device>(0, threads), KOKKOS_LAMBDA(long i) {
          Real x[chains];
          for (int c = 0; c < chains; ++c)
            x[c] = Real(1e-3) * Real(i + c);
          const Real a = Real(0.999999);
          const Real b = Real(1e-6);
          for (int s = 0; s < steps; ++s)
            for (int c = 0; c < chains; ++c)
              x[c] = x[c] * a + b;
          Real sum = 0;
          for (int c = 0; c < chains; ++c)
            sum += x[c];
          out(i) = sum;
        });
  });
  return 2.0 * chains * steps * static_cast<double>(threads) / seconds;
}

} // namespace

Ceilings measure_ceilings(Effort effort) {
  Ceilings ceilings;
  ceilings.cache_bytes = static_cast<double>(device_properties().cache);
  const double array_bytes = has_device ? (effort == Effort::quick ? 256e6 : 1024e6)
                                        : std::max(32e6, 1.2 * ceilings.cache_bytes);
  const long n = static_cast<long>(array_bytes / sizeof(double));
  ceilings.array_bytes = static_cast<double>(n) * sizeof(double);
  const int runs = effort == Effort::quick ? 15 : 31;
  {
    View a(Kokkos::view_alloc("ceilings: a", Kokkos::WithoutInitializing), n);
    View b(Kokkos::view_alloc("ceilings: b", Kokkos::WithoutInitializing), n);
    View c(Kokkos::view_alloc("ceilings: c", Kokkos::WithoutInitializing), n);
    const Kokkos::RangePolicy<Device> all(0, n);
    Kokkos::parallel_for(
        "ceilings: touch", all, KOKKOS_LAMBDA(long i) {
          a(i) = 0;
          b(i) = 1;
          c(i) = 2;
        });
    const double bytes = ceilings.array_bytes;
    ceilings.copy =
        2 * bytes / best_seconds(runs, [&] {
          Kokkos::parallel_for("ceilings: copy", all, KOKKOS_LAMBDA(long i) { a(i) = b(i); });
        });
    ceilings.triad =
        3 * bytes / best_seconds(runs, [&] {
          Kokkos::parallel_for(
              "ceilings: triad", all, KOKKOS_LAMBDA(long i) { a(i) = b(i) + 0.5 * c(i); });
        });
    ceilings.update =
        2 * bytes / best_seconds(runs, [&] {
          Kokkos::parallel_for(
              "ceilings: update", all, KOKKOS_LAMBDA(long i) { a(i) = 0.5 * a(i) + 1; });
        });
    // One store a thread is over so soon that a device is held up by starting threads: an H100 then
    // fills 1.7 TB/s.
    constexpr int stores = has_device ? 8 : 1;
    const long threads = n / stores;
    ceilings.fill =
        static_cast<double>(stores * threads) * sizeof(double) / best_seconds(runs, [&] {
          Kokkos::parallel_for(
              "ceilings: fill", Kokkos::RangePolicy<Device>(0, threads), KOKKOS_LAMBDA(long i) {
                for (int s = 0; s < stores; ++s)
                  a(i + s * threads) = 3;
              });
        });
    // Zeros have a way of their own there, such as CUDA's cudaMemset.
    if constexpr (has_device)
      ceilings.fill = std::max(
          ceilings.fill, bytes / best_seconds(runs, [&] { Kokkos::deep_copy(Device(), a, 0.0); }));
    // One sum would wait for its additions, not for the memory.
    const long part = n / 4;
    double sum = 0;
    ceilings.read = 4.0 * static_cast<double>(part) * sizeof(double) / best_seconds(runs, [&] {
                      Kokkos::parallel_reduce(
                          "ceilings: read", Kokkos::RangePolicy<Device>(0, part),
                          KOKKOS_LAMBDA(long i, double& s) {
                            s += (b(i) + b(i + part)) + (b(i + 2 * part) + b(i + 3 * part));
                          },
                          sum);
                    });
    if constexpr (DefaultDevice::has_own_memory) {
      const long m = std::min(n, 32L * 1024 * 1024);
      const auto device = Kokkos::subview(a, std::pair<long, long>(0, m));
      const double crossing = static_cast<double>(m) * sizeof(double);
      const HostView pageable("ceilings: pageable", m);
      ceilings.link_in = crossing / best_seconds(3, [&] { Kokkos::deep_copy(device, pageable); });
      ceilings.link_out = crossing / best_seconds(3, [&] { Kokkos::deep_copy(pageable, device); });
      const Kokkos::View<double*, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace> pinned(
          "ceilings: pinned", m);
      ceilings.link_in_pinned =
          crossing / best_seconds(3, [&] { Kokkos::deep_copy(device, pinned); });
      ceilings.link_out_pinned =
          crossing / best_seconds(3, [&] { Kokkos::deep_copy(pinned, device); });
    }
  }
  const long threads = has_device ? 1L << 20 : 8L * Device().concurrency();
  const int steps = has_device ? 512 : (effort == Effort::quick ? 10000 : 100000);
  ceilings.flops_double = flops<double>(threads, steps, runs);
  ceilings.flops_single = flops<float>(threads, steps, runs);
  ceilings.launch = best_seconds(200, [] {
    Kokkos::parallel_for("ceilings: empty", Kokkos::RangePolicy<Device>(0, 1),
                         KOKKOS_LAMBDA(int){});
  });
  return ceilings;
}

Share share_of_ceiling(const Ceilings& ceilings, const Work& work, double working_set,
                       double seconds) {
  if (!(seconds > 0))
    return {0, "no time"};
  const double peak = work.single_precision ? ceilings.flops_single : ceilings.flops_double;
  const double bandwidth = ceilings.bandwidth(work);
  const double memory_time = bandwidth > 0 ? work.bytes / bandwidth : 0;
  const double compute_time = peak > 0 ? work.flops / peak : 0;
  if (compute_time >= memory_time && compute_time > 0)
    return {compute_time / seconds, work.single_precision ? "flops (single)" : "flops (double)"};
  if (memory_time == 0)
    return {0, "no work declared"};
  if (working_set < 2 * ceilings.cache_bytes)
    return {0, "fits in cache"};
  return {memory_time / seconds, "bandwidth"};
}

Share share_of_link(const Ceilings& ceilings, double bytes_in, double bytes_out, double seconds) {
  if (ceilings.link_in <= 0 || !(seconds > 0))
    return {0, "no link"};
  // What pageable memory reaches is no ceiling: pinned memory and staging through it pass it.
  const double in = std::max(ceilings.link_in, ceilings.link_in_pinned);
  const double out = std::max(ceilings.link_out, ceilings.link_out_pinned);
  return {(bytes_in / in + bytes_out / out) / seconds, "link"};
}

} // namespace gangway::harness
