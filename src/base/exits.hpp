// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gangway::base {

/// What the program does from here on, such as "openacc default of spmv": a message says so if it
/// ends in the middle. Text beyond 400 characters is cut.
void at_work_on(const std::string& what);
/// The last of it; empty while nothing has been said.
[[nodiscard]] std::string at_work();

/// A library may end the program by itself: GCC's OpenACC runtime calls `exit(1)` when a device
/// fails, as if a check had failed, and Kokkos aborts. As long as this lives, either ends the
/// program with `status` instead, after a message on standard error in the name of `program` which
/// says what it was at work on. What the program printed before is kept if the library called
/// `exit`. An `exit(0)` while nothing is at work is left alone: so Kokkos ends a program that was
/// asked for Kokkos' help. One at a time.
class ExitWatch {
public:
  ExitWatch(const std::string& program, int status);
  ~ExitWatch();
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;

  /// Another name, such as one that says which rank.
  static void rename(const std::string& program);
  /// The program fails of this, and will say so at its end. A library that ends it on the way there
  /// must not keep that back: it is said first then. Text beyond 2000 characters is cut.
  static void failing(const std::string& message);
  /// The program ends itself from here on, by whatever it calls: nothing more is said.
  static void stop();
  /// To be called after a library was loaded: what it has to do at the end of a program, with a
  /// device that may be lost, is then not done before the message.
  static void renew();
};

} // namespace gangway::base
