// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/translation/arrays.hpp"
#include "port/fortran/translation/host.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tr = gangway::port::fortran::translation;

/// Translates a source, for the tests: FILE FOLDER [-Ifolder | -Dname | -Mfolder]..., with folders
/// of files that it includes and of Flang's modules. Exit status: 0, 2 if something is refused, 1
/// for errors.
int main(int count, char** arguments) {
  if (count < 3) {
    static_cast<void>(
        std::fputs("usage: gangway-translate-fortran FILE FOLDER [-I… | -D… | -M…]...\n", stderr));
    return 1;
  }
  tr::ReadOptions options;
  options.file = arguments[1];
  const std::filesystem::path folder = arguments[2];
  for (int n = 3; n < count; ++n) {
    const std::string one = arguments[n];
    if (one.starts_with("-I"))
      options.include_folders.push_back(one.substr(2));
    else if (one.starts_with("-D"))
      options.definitions.push_back(one.substr(2));
    else if (one.starts_with("-M"))
      options.flang_folders.push_back(one.substr(2));
  }
  options.flang_folders.emplace_back(FLANG_MODULES);
  options.module_folder = folder / "flang_modules"; // which only Flang reads
  std::filesystem::create_directories(options.module_folder);
  options.include_folders.push_back(std::filesystem::path(options.file).parent_path().string());
  tr::Program program = tr::read(options);
  if (!program.messages.empty()) {
    std::fputs(program.messages.front().c_str(), stderr);
    return 1;
  }
  tr::expand_arrays(program);
  std::ifstream in(options.file);
  std::stringstream text;
  text << in.rdbuf();
  const std::string name = std::filesystem::path(options.file).stem().string();
  const tr::Translated made = tr::translate(program, text.str(), name);
  std::ofstream(folder / (name + (program.is_fixed_form ? ".F" : ".F90"))) << made.host;
  if (!made.kernels.empty())
    std::ofstream(folder / (name + "_kernels.cpp")) << made.kernels;
  bool refused = false;
  for (const tr::Finding& one : made.findings) {
    refused = refused || one.is_refused;
    if (one.is_refused)
      fmt::print("{}:{}: {}: refused GW{}: line {}: {} | by hand: {}\n", options.file, one.line,
                 one.directive, one.code, one.about_line, one.text, one.by_hand);
    else
      fmt::print("{}:{}: {}: translated\n", options.file, one.line, one.directive);
    for (const tr::Note& note : one.notes)
      fmt::print("  note: {}: {}\n", note.line, note.text);
  }
  return refused ? 2 : 0;
}
