// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

/// Memory that runs out at a place of the test's choice: every operator new of the program is one
/// of failing_allocations.cpp. What Kokkos allocates on a host is taken from there, too, and so is
/// the memory of a device that a host plays.
namespace gangway::testing {

enum class Failing {
  one,      ///< as where an allocation is too large
  all_after ///< as where memory has run out: what unwinding allocates fails as well
};

/// While this lives the `nth` allocation of any thread fails, counted from 1.
class FailingAllocations {
public:
  FailingAllocations(long nth, Failing which);
  ~FailingAllocations() { stop(); }
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  void stop();
  /// Whether there were so many.
  [[nodiscard]] bool failed() const;
};

/// Allocations that were not released, of the whole program.
[[nodiscard]] long live_allocations();

/// A result that is wrong although nothing was thrown.
class Wrong : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

/// Whether this is how memory that ran out is told: by the library and the referee, which name what
/// found no room, by C++, or by Kokkos, whose type differs from version to version.
[[nodiscard]] bool tells_of_memory(const std::exception& error);

/// Counts Views from now on, as a tool of Kokkos': those that Kokkos loses while it makes them are
/// not held against the program.
void watch_views();

/// Lets the first allocation of `attempt` fail, then the second, and so on until it needs no more.
/// Each time it has to say so, or be right all the same; then no array is left on the device, no
/// allocation is left over, and the next attempt succeeds. `tidy` is what a program does that
/// caught the error. Returns the number of allocations.
long expect_failures_survived(
    const std::string& what, const std::function<void()>& attempt,
    const std::function<void()>& tidy = [] {});

} // namespace gangway::testing
