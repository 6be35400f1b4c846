// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gangway::base {

/// Names the work that the program does from here on, such as "openacc default of spmv". A message
/// says so if the program ends in the middle. Text beyond 400 characters is cut.
void at_work_on(const std::string& what);
/// Returns the text of the last call of `at_work_on`; empty before the first.
[[nodiscard]] std::string at_work();

/// A watch for libraries that end the program: GCC's OpenACC runtime calls `exit(1)` when a device
/// fails, as if a check had failed, and Kokkos aborts. While it lives, either ends the program with
/// `status` instead. A message in the name of `program` on standard error says which work was
/// interrupted. The program's earlier output is kept if the library called `exit`. An `exit(0)`
/// while no work is named is left alone: so Kokkos ends a program that was asked for Kokkos' help.
/// One at a time.
class ExitWatch {
public:
  ExitWatch(const std::string& program, int status);
  ~ExitWatch();
  ExitWatch(const ExitWatch&) = delete;
  ExitWatch& operator=(const ExitWatch&) = delete;

  /// Gives the program another name, such as one that says which rank.
  static void rename(const std::string& program);
  /// Notes the error that the program will report at its end. If a library ends the program on the
  /// way there, that error is reported first. Text beyond 2000 characters is cut.
  static void failing(const std::string& message);
  /// Ends the watch: from here on the program ends itself, by whatever it calls, without a message.
  static void stop();
  /// Puts the watch before the end of a library that was just loaded, which may use a lost device:
  /// the message comes first.
  static void renew();
};

} // namespace gangway::base
