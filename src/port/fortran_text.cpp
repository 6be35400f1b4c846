// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran_text.hpp"

#include "port/source_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace gangway::port {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

bool ends_in_one_of(const std::filesystem::path& file, const auto& endings) {
  return std::find(endings.begin(), endings.end(), lower(file.extension().string())) !=
         endings.end();
}

constexpr std::array<std::string_view, 4> fixed_form{".f", ".for", ".ftn", ".fpp"};
constexpr std::array<std::string_view, 5> free_form{".f90", ".f95", ".f03", ".f08", ".f18"};

} // namespace

bool is_fortran_source(const std::filesystem::path& file) {
  return ends_in_one_of(file, fixed_form) || ends_in_one_of(file, free_form);
}

bool is_fixed_form(const std::filesystem::path& file) {
  return ends_in_one_of(file, fixed_form);
}

bool asks_for_openacc_in_fortran(std::string_view text) {
  const std::string small = lower(text);
  for (const std::string_view sentinel : {"!$acc", "c$acc", "*$acc"})
    if (small.find(sentinel) != std::string::npos)
      return true;
  return has_word(small, "openacc") || has_word(small, "_openacc") ||
         has_word(small, "openacc_lib");
}

} // namespace gangway::port
