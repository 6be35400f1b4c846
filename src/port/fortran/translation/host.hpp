// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/fortran/translation/declared.hpp"
#include "port/fortran/translation/kernels.hpp"
#include "port/fortran/translation/model.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Translation of a Fortran source: the host's part, which stays Fortran, and its kernels.
namespace gangway::port::fortran::translation {

/// Outcome of a directive that is in no compute construct.
struct Finding {
  int line = 0;
  std::string directive;
  std::optional<Message> refusal;
  std::vector<Message> notes;
  std::string kernel; ///< of a compute construct the name of its function
};

struct Translated {
  std::string host;
  std::string kernels; ///< empty where there are none
  std::vector<Finding> findings;
  std::vector<Place> stays; ///< names of OpenACC's runtime library that stay
  std::vector<Place> gone;  ///< names of it in arguments that a call does without
};

/// Names of the files and kernels that a translation makes.
struct FileNames {
  std::string kernels; ///< of the file with the kernels
  std::string prefix;  ///< of the kernels; no other source of the program has the same
};

/// Where Kokkos begins: in the main program's first line, or after the call of MPI_Init.
struct Begin {
  bool is_after_mpi = false;
  int line = 0; ///< that call's last line, if it is in this source
};

/// Translates a source. Directives in the lines of `refused` stay, because of that.
[[nodiscard]] Translated translate(const Program& program, const std::string& source,
                                   const FileNames& names, const Begin& begin,
                                   const Declared& declared, const std::map<int, Message>& refused);

} // namespace gangway::port::fortran::translation
