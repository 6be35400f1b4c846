// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/failing_allocations.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace gangway::testing {
namespace {

std::atomic<long> live{0};
std::atomic<long> until_failure{0}; ///< 0: none fails
std::atomic<bool> goes_on{false};
std::atomic<bool> one_failed{false};
std::atomic<long> views{0}; ///< memory that Kokkos has allocated and not released

void count_view(Kokkos_Profiling_SpaceHandle /*space*/, const char* label, int change) {
  if (std::string_view(label) != "gangway region") // a data region's, which nobody may lose
    views += change;
}

/// Of the last that failed, for messages.
std::array<void*, 24> callers{};
int found_callers = 0;

/// Allocations of Kokkos' own (5.2) that no program that uses it can help: the destructor that
/// releases memory copies the label and names a fence, and ends the program if that fails; memory
/// is lost if a copy of its label fails that is made for a tool.
bool is_kokkos_own(bool for_memory) {
  found_callers = backtrace(callers.data(), static_cast<int>(callers.size()));
  return std::any_of(callers.begin(), callers.begin() + found_callers, [&](void* caller) {
    Dl_info place{};
    if (dladdr(caller, &place) == 0 || place.dli_sname == nullptr)
      return false;
    const std::string_view name = place.dli_sname; // …SharedAllocationRecord…D2Ev, a destructor
    return (name.find("SharedAllocationRecord") != name.npos && name.ends_with("Ev") &&
            name[name.size() - 4] == 'D') ||
           (!for_memory && name.find("HostSpace13impl_allocate") != name.npos);
  });
}

/// Kokkos takes the memory that it is asked for by the one that does not throw.
bool fails_now(bool throws) {
  if (until_failure.load(std::memory_order_relaxed) == 0)
    return false;
  const bool next = one_failed ? goes_on.load() : until_failure.fetch_sub(1) == 1;
  if (!next)
    return false;
  until_failure = 1; // armed still
  if (is_kokkos_own(!throws))
    return false;
  one_failed = true;
  return true;
}

[[maybe_unused]] void* taken(std::size_t bytes, std::size_t alignment, bool throws) {
  void* memory = nullptr;
  if (!fails_now(throws) && posix_memalign(&memory, alignment, bytes == 0 ? 1 : bytes) == 0) {
    ++live;
    return memory;
  }
  if (throws)
    throw std::bad_alloc();
  return nullptr;
}

[[maybe_unused]] void given_back(void* memory) noexcept {
  if (memory == nullptr)
    return;
  --live;
  std::free(memory); // NOLINT(cppcoreguidelines-no-malloc): what operator new is made of here
}

[[maybe_unused]] constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/// Where the allocation was that failed: functions, as far as the program tells their names.
std::string callers_text() {
  std::string text = "; it failed in";
  char** const names = backtrace_symbols(callers.data(), found_callers);
  for (int i = 0; names != nullptr && i < found_callers; ++i)
    text.append("\n  ").append(names[i]);
  std::free(
      names); // NOLINT(cppcoreguidelines-no-malloc,bugprone-multi-level-implicit-pointer-conversion)
  return text;
}

} // namespace

FailingAllocations::FailingAllocations(long nth, Failing which) {
  goes_on = which == Failing::all_after;
  one_failed = false;
  until_failure = nth;
}

void FailingAllocations::stop() {
  until_failure = 0;
}

bool FailingAllocations::failed() const { // NOLINT(readability-convert-member-functions-to-static)
  return one_failed;
}

long live_allocations() {
  return live;
}

void watch_views() {
  namespace tools = Kokkos::Tools::Experimental;
  tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle space, const char* label,
                                       const void*,
                                       std::uint64_t) { count_view(space, label, 1); });
  tools::set_deallocate_data_callback([](Kokkos_Profiling_SpaceHandle space, const char* label,
                                         const void*,
                                         std::uint64_t) { count_view(space, label, -1); });
}

bool tells_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return true;
  const std::string_view said = error.what();
  if (dynamic_cast<const DataError*>(&error) != nullptr)
    return said.find("find no room on the device (") != said.npos ||
           said.find("could not be copied to the ") != said.npos;
  return said.find("not enough memory") != said.npos ||
         said.find("failed to allocate") != said.npos;
}

long expect_failures_survived(const std::string& what, const std::function<void()>& attempt,
                              const std::function<void()>& tidy) {
  attempt(); // what is made once and kept
  attempt();
  long allocations = 0;
  for (const Failing which : {Failing::one, Failing::all_after})
    for (long nth = 1;; ++nth) {
      const std::string place = what + ", " + (which == Failing::one ? "only" : "from") +
                                " allocation " + std::to_string(nth);
      std::string said = "nothing";
      bool told = true;
      const long before = live_allocations();
      const long views_before = views;
      FailingAllocations failing(nth, which);
      try {
        attempt();
        failing.stop();
      } catch (const std::exception& error) {
        failing.stop();
        said = error.what();
        told = tells_of_memory(error);
      }
      tidy();
      said.shrink_to_fit();
      const long left = live_allocations() - before - (said.capacity() > 15 ? 1 : 0);
      EXPECT_TRUE(told) << place << ": " << said;
      // What Kokkos keeps for the next kernel may be less than before. A View that it was making is
      // lost if its label or its first values find no memory (5.2): the array, the note of it, and
      // two copies of the label.
      const long of_views = 4 * (views - views_before);
      EXPECT_LE(left, of_views) << place << ": allocations are left over; said: " << said
                                << callers_text();
      EXPECT_EQ(present_arrays(), 0U) << place << ": said: " << said;
      if (!failing.failed()) {
        allocations = nth - 1;
        break;
      }
      try {
        attempt();
      } catch (const std::exception& error) {
        ADD_FAILURE() << place << ": it does not run any more: " << error.what();
        return nth;
      }
      if (::testing::Test::HasFailure())
        return nth; // one is enough to look into
    }
  return allocations;
}

} // namespace gangway::testing

using gangway::testing::given_back;
using gangway::testing::taken;
using gangway::testing::usual;

// nvcc takes these for functions of the device, too. The tests are for hosts (CMakeLists.txt).
#ifndef __CUDACC__

// All that are there, so that none is the system's, whose partner would not know it.
// NOLINTBEGIN(misc-new-delete-overloads)
void* operator new(std::size_t bytes) {
  return taken(bytes, usual, true);
}
void* operator new[](std::size_t bytes) {
  return taken(bytes, usual, true);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return taken(bytes, static_cast<std::size_t>(alignment), true);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return taken(bytes, static_cast<std::size_t>(alignment), true);
}
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return taken(bytes, usual, false);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return taken(bytes, usual, false);
}
void* operator new(std::size_t bytes, std::align_val_t alignment,
                   const std::nothrow_t& /*tag*/) noexcept {
  return taken(bytes, static_cast<std::size_t>(alignment), false);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t& /*tag*/) noexcept {
  return taken(bytes, static_cast<std::size_t>(alignment), false);
}
void operator delete(void* memory) noexcept {
  given_back(memory);
}
void operator delete[](void* memory) noexcept {
  given_back(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  given_back(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
  given_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  given_back(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  given_back(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  given_back(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/,
                       std::align_val_t /*alignment*/) noexcept {
  given_back(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept {
  given_back(memory);
}
void operator delete[](void* memory, const std::nothrow_t& /*tag*/) noexcept {
  given_back(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/,
                     const std::nothrow_t& /*tag*/) noexcept {
  given_back(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/,
                       const std::nothrow_t& /*tag*/) noexcept {
  given_back(memory);
}
// NOLINTEND(misc-new-delete-overloads)

#endif
