// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/// What programs share around their command lines.
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

  std::vector<char*> ours;
  std::vector<char*> for_kokkos;
  int kokkos_count;
};

/// One line on a terminal that is rewritten; nothing in a pipe.
class ProgressLine {
public:
  void show(const std::string& text) {
    if (!_terminal)
      return;
    fmt::print(stderr, "\r\033[K{}", text);
    _shown = true;
  }
  void clear() {
    if (_shown)
      fmt::print(stderr, "\r\033[K");
    _shown = false;
  }
  ~ProgressLine() { clear(); }

private:
  bool _terminal = isatty(STDERR_FILENO) != 0;
  bool _shown = false;
};

} // namespace gangway::apps
