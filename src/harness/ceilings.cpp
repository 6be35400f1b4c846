// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/ceilings.hpp"

#include "gangway/data.hpp"
#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gangway::harness {
namespace {

using Device = Kokkos::DefaultExecutionSpace;
using View = Kokkos::View<double*, Kokkos::LayoutRight, DeviceSpace>;
using HostView = Kokkos::View<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Returns the time of a launch in the shortest of `runs` runs, each of `repeats` launches in a
/// row: the hardware is not to blame for one launch and its fence.
template <class Work>
double best_seconds(int runs, Work&& work, int repeats = 1) {
  work(); // warm-up
  Kokkos::fence("ceilings: warm");
  double best = 1e300;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int repeat = 0; repeat < repeats; ++repeat)
      work();
    Kokkos::fence("ceilings: done");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / repeats);
  }
  return best;
}

// --- Bandwidths: what is done with each element, and in which shape ------------------------------

/// N doubles, which a thread loads and stores as one.
template <int N>
struct alignas(N * sizeof(double)) Doubles {
  double at[N];
};

enum class Stream { copy, triad, update, fill };

/// Bytes that move for each byte of an array.
constexpr double arrays_of(Stream stream) {
  return stream == Stream::triad ? 3 : stream == Stream::fill ? 1 : 2;
}

/// The arrays in pieces of N doubles, and what is done with piece i.
template <Stream stream, int N>
struct Element {
  Element(const View& to, const View& from, const View& other)
      : a(reinterpret_cast<Doubles<N>*>(to.data())), b(reinterpret_cast<Doubles<N>*>(from.data())),
        c(reinterpret_cast<Doubles<N>*>(other.data())), n(static_cast<long>(to.extent(0)) / N) {}

  KOKKOS_FUNCTION void operator()(long i) const {
    Doubles<N> value{};
    if constexpr (stream == Stream::copy) {
      value = b[i];
    } else if constexpr (stream == Stream::triad) {
      const Doubles<N> x = b[i];
      const Doubles<N> y = c[i];
      for (int k = 0; k < N; ++k)
        value.at[k] = x.at[k] + 0.5 * y.at[k];
    } else if constexpr (stream == Stream::update) {
      const Doubles<N> x = a[i];
      for (int k = 0; k < N; ++k)
        value.at[k] = 0.5 * x.at[k] + 1;
    } else {
      for (int k = 0; k < N; ++k)
        value.at[k] = 3;
    }
    a[i] = value;
  }

  Doubles<N>* a;
  const Doubles<N>* b;
  const Doubles<N>* c;
  long n;
};

/// A kernel of as many threads as the device holds, or a host has, which share the pieces. On a
/// device they take strides, so that neighbours take neighbours; on a host a contiguous block each.
template <class Op>
struct Shared {
  KOKKOS_FUNCTION void operator()(long thread) const {
    if constexpr (has_device) {
      for (long i = thread; i < op.n; i += threads)
        op(i);
    } else {
      const long end = op.n * (thread + 1) / threads;
      for (long i = op.n * thread / threads; i < end; ++i)
        op(i);
    }
  }
  Op op;
  long threads;
};

/// A kernel whose threads take four pieces each, 1/4 of the array apart.
template <class Op>
struct Four {
  KOKKOS_FUNCTION void operator()(long i) const {
    for (int s = 0; s < 4; ++s)
      op(i + s * (op.n / 4));
  }
  Op op;
};

/// Sums of an array's doubles, of `streams` pieces each that lie apart: in one sequence they would
/// wait for the additions, not for the memory.
template <int N, int streams>
struct Sum {
  explicit Sum(const View& array)
      : a(reinterpret_cast<const Doubles<N>*>(array.data())),
        n(static_cast<long>(array.extent(0)) / N / streams) {}

  KOKKOS_FUNCTION void operator()(long i, double& sum) const {
    double parts[streams];
    for (int s = 0; s < streams; ++s) {
      const Doubles<N> piece = a[i + s * n];
      parts[s] = 0;
      for (int k = 0; k < N; ++k)
        parts[s] += piece.at[k];
    }
    double all = 0;
    for (int s = 0; s < streams; ++s)
      all += parts[s];
    sum += all;
  }

  const Doubles<N>* a;
  long n;
};

/// One way to move `bytes` bytes.
struct Way {
  std::string shape;
  double bytes;
  std::function<void()> run;
};

struct Bandwidth {
  double rate = 0; ///< bytes per second
  std::string shape;
};

/// Returns the best of a few runs of every way, and of the best ways again until `seconds` are
/// over.
Bandwidth best_of(const std::vector<Way>& ways, int first_runs, double seconds) {
  constexpr int repeats = has_device ? 4 : 1;
  const auto start = std::chrono::steady_clock::now();
  Bandwidth best;
  const Way* winner = nullptr;
  const auto measure = [&](const Way& way, int runs) {
    const double rate = way.bytes / best_seconds(runs, way.run, repeats);
    if (rate <= best.rate)
      return;
    best = {rate, way.shape};
    winner = &way;
  };
  for (const Way& way : ways)
    measure(way, first_runs);
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds)
    measure(*winner, 2);
  return best;
}

/// Returns the number of threads that share an array in `Shared`.
long sharing_threads() {
  const DeviceProperties device = device_properties();
  if (has_device && device.compute_units > 0 && device.resident_threads > 0)
    return static_cast<long>(device.compute_units) * device.resident_threads;
  return Device().concurrency();
}

/// Adds the shapes in which threads take the pieces. `op` is an Element.
template <class Op>
void add_shapes(std::vector<Way>& ways, const Op& op, double bytes, const std::string& each) {
  const auto add = [&](const std::string& shape, long count, const auto& kernel) {
    ways.push_back({shape + ", " + each, bytes, [count, kernel] {
                      Kokkos::parallel_for("ceilings: bandwidth",
                                           Kokkos::RangePolicy<Device>(0, count), kernel);
                    }});
  };
  const long threads = sharing_threads();
  add("flat", op.n, op);
  add(has_device ? "grid-stride" : "blocked", threads, Shared<Op>{op, threads});
  if constexpr (has_device)
    add("four pieces a thread", op.n / 4, Four<Op>{op});
}

template <Stream stream>
std::vector<Way> ways_to(const View& a, const View& b, const View& c) {
  const double bytes = arrays_of(stream) * static_cast<double>(a.span()) * sizeof(double);
  std::vector<Way> ways;
  add_shapes(ways, Element<stream, 1>(a, b, c), bytes, "8 bytes each");
  if constexpr (has_device) // a host's compiler makes vectors of either
    add_shapes(ways, Element<stream, 2>(a, b, c), bytes, "16 bytes each");
  return ways;
}

/// Calls part(begin, bytes) for each thread's part of a host's array: for the C library's
/// functions, which write past the cache where a part is large.
template <class Part>
void by_parts(std::size_t length, const Part& part) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const long n = static_cast<long>(length);
  const long threads = Host().concurrency();
  Kokkos::parallel_for("ceilings: parts", Kokkos::RangePolicy<Host>(0, threads), [=](long t) {
    const long begin = n * t / threads;
    part(begin, static_cast<std::size_t>(n * (t + 1) / threads - begin) * sizeof(double));
  });
}

std::vector<Way> ways_to_copy(const View& a, const View& b, const View& c) {
  std::vector<Way> ways = ways_to<Stream::copy>(a, b, c);
  const double bytes = ways.front().bytes;
  ways.push_back({"deep_copy", bytes, [a, b] { Kokkos::deep_copy(Device(), a, b); }});
  if constexpr (!has_device)
    ways.push_back({"memcpy", bytes, [a, b] {
                      double* const to = a.data();
                      const double* const from = b.data();
                      by_parts(a.extent(0), [=](long begin, std::size_t size) {
                        std::memcpy(to + begin, from + begin, size);
                      });
                    }});
  return ways;
}

std::vector<Way> ways_to_fill(const View& a) {
  std::vector<Way> ways = ways_to<Stream::fill>(a, a, a);
  const double bytes = ways.front().bytes;
  // Zeros have a way of their own, such as CUDA's cudaMemset, and memset on a host.
  ways.push_back({"deep_copy of 0", bytes, [a] { Kokkos::deep_copy(Device(), a, 0.0); }});
  if constexpr (!has_device)
    ways.push_back({"memset", bytes, [a] {
                      double* const to = a.data();
                      by_parts(a.extent(0), [=](long begin, std::size_t size) {
                        std::memset(to + begin, 0, size);
                      });
                    }});
  return ways;
}

template <int N, int streams>
Way way_to_read(const View& a, const std::string& shape) {
  const Sum<N, streams> sum(a);
  const Kokkos::View<double, DeviceSpace> result("ceilings: sum"); // a number would be waited for
  return {shape, static_cast<double>(N * streams * sum.n) * sizeof(double), [sum, result] {
            Kokkos::parallel_reduce("ceilings: read", Kokkos::RangePolicy<Device>(0, sum.n), sum,
                                    result);
          }};
}

std::vector<Way> ways_to_read(const View& a) {
  std::vector<Way> ways{way_to_read<1, 4>(a, "four pieces at a time, 8 bytes each"),
                        way_to_read<2, 4>(a, "four pieces at a time, 16 bytes each"),
                        way_to_read<2, 8>(a, "eight pieces at a time, 16 bytes each")};
  if constexpr (has_device) {
    ways.push_back(way_to_read<1, 1>(a, "flat, 8 bytes each"));
    ways.push_back(way_to_read<2, 1>(a, "flat, 16 bytes each"));
  }
  return ways;
}

/// Returns the elements of each array: well beyond the cache, and no more than there is room for.
long array_length(double cache, Effort effort) {
  const DeviceProperties device = device_properties();
  const double times = effort == Effort::quick ? 2 : 3;
  const double wanted = has_device ? std::max(2e9, 8 * cache) : std::max(64e6, times * cache);
  const double free =
      static_cast<double>(device.free_memory > 0 ? device.free_memory : device.memory);
  const double bytes = free > 0 ? std::min(wanted, free / 8) : wanted;
  constexpr long pieces = 8 * 2; // an array is cut without a rest
  return std::max(1L, static_cast<long>(bytes / sizeof(double)) / pieces) * pieces;
}

// --- Operations ----------------------------------------------------------------------------------

#if defined(__AVX512F__)
constexpr int vector_register_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_register_bytes = 32;
#else
constexpr int vector_register_bytes = 16;
#endif

/// Multiply-adds per second: every thread runs `chains` independent recurrences, so that they hide
/// each other's latency. On a host they fill 12 vector registers: two pipes of a latency of 4 need
/// 8, and there are 16 or more. CMakeLists.txt asks for the widest.
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

/// Returns a share, at most 1, or none beyond 1.02: a kernel as fast as the ceiling may seem a
/// little faster, since two measurements of a time never agree.
Share share_of(const std::string& ceiling, double value) {
  constexpr double scatter = 1.02;
  if (value > scatter)
    return {0, ceiling + " passed"};
  return {std::min(value, 1.0), ceiling};
}

} // namespace

Ceilings measure_ceilings(Effort effort) {
  Ceilings ceilings;
  ceilings.cache_bytes = static_cast<double>(device_properties().cache);
  const long n = array_length(ceilings.cache_bytes, effort);
  ceilings.array_bytes = static_cast<double>(n) * sizeof(double);
  const int runs = effort == Effort::quick ? 15 : 31;
  {
    View a(Kokkos::view_alloc("ceilings: a", Kokkos::WithoutInitializing), n);
    View b(Kokkos::view_alloc("ceilings: b", Kokkos::WithoutInitializing), n);
    View c(Kokkos::view_alloc("ceilings: c", Kokkos::WithoutInitializing), n);
    Kokkos::parallel_for(
        "ceilings: touch", Kokkos::RangePolicy<Device>(0, n), KOKKOS_LAMBDA(long i) {
          a(i) = 0;
          b(i) = 1;
          c(i) = 2;
        });
    const int first_runs = effort == Effort::quick ? 2 : 3;
    const double seconds = effort == Effort::quick ? 0 : 0.2; // for each
    const auto measure = [&](const std::vector<Way>& ways, double& rate, std::string& shape) {
      const Bandwidth best = best_of(ways, first_runs, seconds);
      rate = best.rate;
      shape = best.shape;
    };
    measure(ways_to_copy(a, b, c), ceilings.copy, ceilings.shapes.copy);
    measure(ways_to<Stream::triad>(a, b, c), ceilings.triad, ceilings.shapes.triad);
    measure(ways_to<Stream::update>(a, b, c), ceilings.update, ceilings.shapes.update);
    measure(ways_to_fill(a), ceilings.fill, ceilings.shapes.fill);
    measure(ways_to_read(b), ceilings.read, ceilings.shapes.read);
    if constexpr (has_device) {
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
    return share_of(work.single_precision ? "flops (single)" : "flops (double)",
                    compute_time / seconds);
  if (memory_time == 0)
    return {0, work.bytes > 0 || work.flops > 0 ? no_ceiling_measured : "no work declared"};
  if (working_set < 2 * ceilings.cache_bytes)
    return {0, "fits in cache"};
  // Arrays that were touched before the clock began may lie in the cache as far as there is room,
  // and the last bytes written may stay there: at 8 times its size 1/8 of the bytes.
  if (memory_time > seconds && working_set < 8 * ceilings.cache_bytes)
    return {0, "partly in cache"};
  return share_of("bandwidth", memory_time / seconds);
}

Share share_of_link(const Ceilings& ceilings, double bytes_in, double bytes_out, double seconds) {
  if (ceilings.link_in <= 0 || !(seconds > 0))
    return {0, "no link"};
  // The rate of pageable memory is no ceiling: pinned memory and staging through it pass it.
  const double in = std::max(ceilings.link_in, ceilings.link_in_pinned);
  const double out = std::max(ceilings.link_out, ceilings.link_out_pinned);
  return share_of("link", (bytes_in / in + bytes_out / out) / seconds);
}

bool contracts_multiply_add() {
  // (1 + e)^2 - (1 + 2e) is e^2 in one rounding and 0 in two.
  Kokkos::View<double[3], DeviceSpace> in("ceilings: operands");
  const auto host = Kokkos::create_mirror_view(in);
  const double e = 0x1p-30;
  host(0) = 1 + e;
  host(1) = 1 + e;
  host(2) = -(1 + 2 * e);
  Kokkos::deep_copy(in, host);
  double result = 0;
  Kokkos::parallel_reduce(
      "ceilings: contraction", Kokkos::RangePolicy<>(0, 1),
      KOKKOS_LAMBDA(int, double& r) { r += in(0) * in(1) + in(2); }, result);
  return result != 0;
}

} // namespace gangway::harness
