// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Kokkos program that knows nothing of Gangway, for the tests of the timing report: what it does
// is counted in acc_time_test.cpp. Its first argument says what to do, its second how often.
#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

using Vector = Kokkos::View<double*>;

void axpy(const std::string& label, const Vector& x, const Vector& y) {
  Kokkos::parallel_for(label, x.extent(0), KOKKOS_LAMBDA(std::size_t i) { y(i) += 2 * x(i); });
}

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "dot", x.extent(0), KOKKOS_LAMBDA(std::size_t i, double& partial) { partial += x(i) * y(i); },
      sum);
  return sum;
}

/// Every kind of event, in known numbers.
void counts() {
  constexpr std::size_t n = 1000;
  const Vector x("x", n);
  const Vector y("y", n);
  Kokkos::View<double*, Kokkos::HostSpace> host("host", n);
  const Kokkos::View<double*, Kokkos::HostSpace> scalar("Scalar", n); // a View, not a value
  Kokkos::deep_copy(x, 1.0);                                          // fills, no transfers
  Kokkos::deep_copy(y, 2.0);
  Kokkos::deep_copy(host, 3.0);
  Kokkos::deep_copy(scalar, 4.0);
  for (int i = 0; i < 3; ++i)
    Kokkos::deep_copy(x, host);
  for (int i = 0; i < 2; ++i)
    Kokkos::deep_copy(host, y);
  Kokkos::deep_copy(x, scalar);
  Kokkos::deep_copy(host, host); // nothing moves

  Kokkos::Profiling::pushRegion("solve");
  for (int i = 0; i < 5; ++i)
    axpy("axpy", x, y);
  Kokkos::Profiling::pushRegion("norm");
  for (int i = 0; i < 4; ++i)
    static_cast<void>(dot(x, y));
  Kokkos::Profiling::popRegion();
  axpy("axpy", x, y);
  Kokkos::Profiling::popRegion();

  Kokkos::View<int*> offsets("offsets", n);
  for (int i = 0; i < 2; ++i)
    Kokkos::parallel_scan(
        "offsets", n, KOKKOS_LAMBDA(std::size_t j, int& sum, bool last) {
          if (last)
            offsets(j) = sum;
          sum += 1;
        });

  // Shapes, as Gangway's policies declare them: the initialisation in between is not meant.
  for (int i = 0; i < 3; ++i) {
    Kokkos::Tools::declareMetadata("gangway.shape", "1000 x 4 x 32");
    const Vector between("between", 10);
    axpy("shaped", x, y);
  }
  Kokkos::Tools::declareMetadata("gangway.shape", "tile 8 x 32");
  axpy("shaped", x, y);
  Kokkos::Tools::declareMetadata("gangway.shape", "1000 x 4 x 32 requested auto x 128");
  axpy("shaped", x, y);
  Kokkos::Tools::declareMetadata("gangway.shape", "1000 x 4 x 32 requested 4 x 32");
  axpy("shaped", x, y);
  for (const char* nonsense : {"1000 x 4 x 32 requested 4", "1000 x 4 x 32 requested 4 x 32 x 1",
                               "1000 x 4 requested 4 x 32", "1000 x 4 x 32 "}) {
    Kokkos::Tools::declareMetadata("gangway.shape", nonsense);
    axpy("shaped", x, y);
  }
  Kokkos::Tools::declareMetadata("gangway.shape", "nonsense");
  axpy("shaped", x, y);
  for (int i = 0; i < 2; ++i)
    Kokkos::Tools::declareMetadata("gangway.data", "region");

  std::uint32_t section = 0;
  Kokkos::Tools::createProfileSection("phase", &section);
  for (int i = 0; i < 2; ++i) {
    Kokkos::Tools::startSection(section);
    Kokkos::Tools::stopSection(section);
  }
  Kokkos::Tools::destroyProfileSection(section);
  Kokkos::fence("the program's own fence");
  std::printf("%g\n", dot(x, y));
}

/// Copies that a library declares, with and without their place.
void declared() {
  const Vector x("x", 10);
  const Vector y("y", 10);
  Kokkos::Tools::declareMetadata("gangway.copy", "in halo\ta place/with: all.cpp:12");
  Kokkos::deep_copy(x, y);
  Kokkos::Tools::declareMetadata("gangway.copy", "out edge");
  Kokkos::deep_copy(y, x);
  for (const char* place : {"\tno line", "\tfile:none", "\tfile:-3", "\tfile:99999999999"}) {
    Kokkos::Tools::declareMetadata("gangway.copy", std::string("out edge") + place);
    Kokkos::deep_copy(y, x);
  }
}

/// As many regions, each within the one before, with a kernel in each.
void nested(int levels) {
  const Vector x("x", 10);
  const Vector y("y", 10);
  for (int i = 0; i < levels; ++i) {
    Kokkos::Profiling::pushRegion("level " + std::to_string(i));
    axpy("axpy", x, y);
  }
  for (int i = 0; i < levels; ++i)
    Kokkos::Profiling::popRegion();
}

/// As many regions side by side, a kernel of its own name in each, all twice.
void regions(int count) {
  const Vector x("x", 10);
  const Vector y("y", 10);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < count; ++i) {
      const Kokkos::Profiling::ScopedRegion region("region " + std::to_string(i));
      axpy("kernel " + std::to_string(i), x, y);
    }
}

/// Names that a terminal would obey.
void escapes() {
  const Vector x("x", 10);
  const Kokkos::Profiling::ScopedRegion region("red \033[31m\nlaunch kernel name=none\r");
  axpy("bell \a, delete \x7f, a control sequence \xc2\x9b\x31m, bytes \xff, \xc3\xa9", x, x);
}

/// Kernels without labels and with unusual ones.
void names() {
  const Vector x("quote \" backslash \\ newline \n tab \t bytes \xff\xfe \xc3\xa9", 10);
  const Vector y("i", 10);
  axpy("i", x, y); // not "int"
  axpy("", x, y);  // no label: the type of the lambda
  axpy(std::string(5000, 'l'), x, y);
  Kokkos::deep_copy(y, x);
}

struct Unwinding {
  ~Unwinding() { std::puts("unwound"); }
};

/// Calls itself until its stack is full.
// NOLINTNEXTLINE(misc-no-recursion): that is the point
int overflow(int depth) {
  volatile char frame[1000];
  frame[static_cast<std::size_t>(depth) % sizeof frame] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

/// Ends the process.
void end(const std::string& how) {
  if (how == "exit")
    std::exit(3); // NOLINT(concurrency-mt-unsafe)
  if (how == "quick_exit")
    std::quick_exit(3);
  if (how == "abort")
    std::abort();
  if (how == "throw")
    throw Unwinding{}; // nobody catches it
  if (how == "kokkos_abort")
    Kokkos::abort("as asked");
  if (how == "term")
    std::raise(SIGTERM);
  if (how == "segv")
    std::raise(SIGSEGV);
  if (how == "fault")
    *static_cast<volatile char*>(
        mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) = 1;
  if (how == "overflow")
    std::printf("%d\n", overflow(0));
  if (how == "overflow_thread")
    std::thread([] {
      Kokkos::Profiling::pushRegion("thread");
      Kokkos::Profiling::popRegion();
      std::printf("%d\n", overflow(0));
    }).join();
  if (how == "kill")
    std::raise(SIGKILL);
}

/// Ends while a kernel has run once and a region is open.
void end_within(const std::string& how) {
  const Vector x("x", 10);
  const Vector y("y", 10);
  Kokkos::Profiling::pushRegion("open");
  axpy("axpy", x, y);
  std::fflush(stdout);
  end(how);
}

/// Two kernels, and between them a child with a region of its own that ends in this way. It
/// launches nothing: its OpenMP has lost its threads.
void forks(const std::string& how) {
  const Vector x("x", 10);
  axpy("parent", x, x);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    Kokkos::Profiling::pushRegion("child");
    Kokkos::Profiling::popRegion();
    end(how);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  axpy("parent", x, x);
}

/// Copies from several threads at once: Kokkos allows that on its host memory.
void threads(int count) {
  std::vector<std::thread> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int t = 0; t < count; ++t)
    all.emplace_back([] {
      const Kokkos::View<double*, Kokkos::HostSpace> from("from", 100);
      const Kokkos::View<double*, Kokkos::HostSpace> to("to", 100);
      for (int i = 0; i < 100; ++i) {
        const Kokkos::Profiling::ScopedRegion region("thread");
        Kokkos::deep_copy(Kokkos::DefaultHostExecutionSpace{}, to, from);
      }
    });
  for (std::thread& thread : all)
    thread.join();
}

} // namespace

int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  const std::string what = argc > 1 ? argv[1] : "counts";
  const int n = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "counts")
    counts();
  else if (what == "declared")
    declared();
  else if (what == "nested")
    nested(n);
  else if (what == "regions")
    regions(n);
  else if (what == "names")
    names();
  else if (what == "escapes")
    escapes();
  else if (what == "fork")
    forks(argc > 2 ? argv[2] : "");
  else if (what == "threads")
    threads(n);
  else
    end_within(what);
  Kokkos::finalize();
}
