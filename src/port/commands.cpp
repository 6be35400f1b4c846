// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/commands.hpp"

#include "base/errors.hpp"

#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/JSONCompilationDatabase.h>

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string_view>
#include <system_error>

namespace gangway::port {
namespace {

/// Selects the flags that change what a source says and mean the same to Clang, whatever the
/// compiler. Flags of optimisation, offloading and output do not change it.
std::vector<std::string> flags_of(const std::vector<std::string>& command,
                                  const std::filesystem::path& file) {
  std::vector<std::string> kept;
  if (!command.empty() && command.front().ends_with("++") && file.extension() == ".c")
    kept = {"-x", "c++"};
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string_view flag = command[i];
    if (flag.starts_with("-std=") || flag == "-fopenmp" || flag.starts_with("--sysroot="))
      kept.emplace_back(flag);
    else if (flag.starts_with("--c++")) // nvc++'s
      kept.push_back(fmt::format("-std={}", flag.substr(2)));
    for (const std::string_view name : {"-I", "-D", "-U", "-isystem", "-iquote", "-idirafter",
                                        "-include", "-imacros", "--sysroot", "-x"}) {
      if (flag == name && i + 1 < command.size()) {
        kept.emplace_back(flag);
        kept.push_back(command[++i]);
        break;
      }
      if (flag.size() > name.size() && flag.starts_with(name) && name.size() == 2) {
        kept.emplace_back(flag);
        break;
      }
    }
  }
  return kept;
}

/// Requires a plain file, because Clang reads all of it first, and some other files have no end.
void require_plain_file(const std::filesystem::path& list) {
  constexpr std::uintmax_t most = 256ULL << 20;
  std::error_code error;
  if (std::filesystem::exists(list, error) && !std::filesystem::is_regular_file(list, error))
    throw base::UsageError(fmt::format("--commands {}: it is no plain file", list.string()));
  if (const auto bytes = std::filesystem::file_size(list, error); !error && bytes > most)
    throw base::UsageError(
        fmt::format("--commands {}: it has {} bytes, and {} are the most that are "
                    "read; a list of the sources to be translated will do",
                    list.string(), bytes, most));
}

} // namespace

std::vector<Command> read_commands(const std::filesystem::path& list) {
  require_plain_file(list);
  std::string problem;
  const auto database = clang::tooling::JSONCompilationDatabase::loadFromFile(
      list.string(), problem, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (database == nullptr)
    throw base::UsageError(
        fmt::format("--commands {}: it is no compile_commands.json: {}", list.string(), problem));
  std::vector<Command> commands;
  std::set<std::filesystem::path> seen;
  for (const clang::tooling::CompileCommand& entry : database->getAllCompileCommands()) {
    const auto folder = std::filesystem::absolute(entry.Directory);
    const auto file = (folder / entry.Filename).lexically_normal();
    if (seen.insert(file).second)
      commands.push_back({file, folder.string(), flags_of(entry.CommandLine, file)});
  }
  return commands;
}

} // namespace gangway::port
