// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "start.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <list>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Functions that programs share for their command lines.
namespace gangway::apps {

/// The arguments in two: Kokkos takes its own (--kokkos-…) from the command line, the program the
/// others. Both begin with the program's name; the second ends with a null, as argv does.
struct Arguments {
  Arguments(int argc, char** argv) : for_kokkos{argv[0]} {
    for (int i = 0; i < argc; ++i)
      (std::string_view(argv[i]).starts_with("--kokkos-") ? for_kokkos : ours).push_back(argv[i]);
    kokkos_count = static_cast<int>(for_kokkos.size());
    for_kokkos.push_back(nullptr);
  }

  /// One more for Kokkos.
  void add_for_kokkos(const std::string& argument) {
    _added.push_back(argument);
    for_kokkos.insert(for_kokkos.begin() + kokkos_count, _added.back().data());
    ++kokkos_count;
  }
  /// Returns true if one of Kokkos' arguments begins with `beginning`.
  [[nodiscard]] bool has_for_kokkos(std::string_view beginning) const {
    return std::any_of(for_kokkos.begin(), for_kokkos.begin() + kokkos_count, [&](const char* one) {
      return std::string_view(one).starts_with(beginning);
    });
  }

  std::vector<char*> ours;
  std::vector<char*> for_kokkos;
  int kokkos_count;

private:
  std::list<std::string> _added; ///< whose texts stay where they are
};

/// Gives `app` what it is to read. Where the program is then not to go on, the status with which
/// it is to end: after --help, or what is wrong, was said.
[[nodiscard]] inline std::optional<int> parse(CLI::App& app, Arguments& arguments) {
  try {
    app.parse(static_cast<int>(arguments.ours.size()), arguments.ours.data());
  } catch (const CLI::ParseError& error) {
    std::ostringstream unseen; // all ranks have the same command line
    return app.exit(error, std::cout, is_silent() ? unseen : std::cerr) == 0 ? 0 : bad_usage;
  }
  return std::nullopt;
}

/// `require_kokkos_settings` of this process' environment and those arguments.
inline void require_kokkos_settings(const Arguments& arguments) {
  const auto end = arguments.for_kokkos.begin() + arguments.kokkos_count;
  require_kokkos_settings([](const char* name) { return std::getenv(name); },
                          {arguments.for_kokkos.begin(), end});
}

/// Validates, in CLI11's check(), an option that is a number: a finite one in decimal. CLI11 also
/// takes 0x10 for 16, 010 for 8 and 1_0 for 10, and nan lies in every range. `right` says what
/// would do.
inline CLI::Validator number(const std::string& right = "give one such as 10") {
  return {[right](const std::string& text) -> std::string {
            const char* digits = text.c_str();
            const char* const end = digits + text.size();
            if (digits[0] == '+' && digits[1] != '-')
              ++digits;
            double value = 0;
            const auto [stop, error] = std::from_chars(digits, end, value);
            if (*digits == '-')
              ++digits;
            const bool octal = digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
            if (error == std::errc() && stop == end && std::isfinite(value) && !octal)
              return {};
            return fmt::format("'{}' is not a finite number in decimal; {}", text, right);
          },
          ""};
}

/// Validates, in CLI11's check(), an option that names a file. A script's unset variable leaves an
/// empty name, which does not mean that the option was not given.
inline CLI::Validator file_name() {
  return {[](const std::string& name) -> std::string {
            return name.empty() ? "the name is empty; give one, or leave the option out" : "";
          },
          ""};
}

/// One line on a terminal that is rewritten; nothing in a pipe.
class ProgressLine {
public:
  void show(const std::string& text) {
    if (!_terminal)
      return;
    tell("\r\033[K{}", text);
    _shown = true;
  }
  void clear() {
    if (_shown)
      tell("\r\033[K");
    _shown = false;
  }
  ~ProgressLine() { clear(); }

private:
  bool _terminal = isatty(STDERR_FILENO) != 0;
  bool _shown = false;
};

} // namespace gangway::apps
