// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/inputs.hpp"

#include "base/errors.hpp"
#include "port/commands.hpp"
#include "port/fortran_text.hpp"
#include "port/rules.hpp"
#include "port/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>

namespace gangway::port {
namespace {

namespace fs = std::filesystem;

bool is_one_of(const fs::path& file, const auto& endings) {
  return std::find(endings.begin(), endings.end(), file.extension().string()) != endings.end();
}
bool is_source(const fs::path& file) {
  constexpr std::array<std::string_view, 6> endings{".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
  return is_one_of(file, endings);
}
bool is_header(const fs::path& file) {
  constexpr std::array<std::string_view, 7> endings{".h",   ".hh",  ".hpp", ".hxx",
                                                    ".inc", ".ipp", ".tpp"};
  return is_one_of(file, endings);
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
bool has_directive(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (is_directive(std::string_view(text).substr(at, end - at)))
      return true;
    at = end + 1;
  }
  return false;
}
/// Returns whether the text names a runtime routine, because another header may include openacc.h.
bool names_routine(std::string_view text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = 0; (at = text.find("acc_", at)) != std::string_view::npos;) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end]))
      ++end;
    if ((at == 0 || !is_word(text[at - 1])) && routine_named(text.substr(at, end - at)))
      return true;
    at = end;
  }
  return false;
}
bool asks_for_openacc(const std::string& text) {
  return has_directive(text) || names_routine(text) ||
         text.find("openacc.h") != std::string::npos ||
         text.find("_OPENACC") != std::string::npos ||
         text.find("_Pragma(\"acc") != std::string::npos;
}

/// Returns the deepest folder that contains all of them.
fs::path common_folder(const std::vector<Command>& commands) {
  fs::path common;
  for (const Command& command : commands) {
    const fs::path folder = command.file.parent_path();
    if (common.empty()) {
      common = folder;
      continue;
    }
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shorter;
    for (auto part = common.begin(); part != end; ++part)
      shorter /= *part;
    common = shorter;
  }
  return common;
}

class Finder {
public:
  Finder(const std::vector<std::string>& flags, fs::path output)
      : _flags(flags), _output(std::move(output)) {}

  void read(const std::string& list) {
    for (Command& command : read_commands(list))
      _commands.emplace(fs::weakly_canonical(command.file), std::move(command));
    _has_commands = true;
  }
  void add_all() {
    std::vector<Command> all;
    for (const auto& [place, command] : _commands)
      if (!fs::exists(command.file))
        throw base::UsageError(
            fmt::format("--commands: there is no {}; build the program again", place.string()));
      else if (is_fortran_source(command.file))
        add_fortran(command.file);
      else if (asks_for_openacc(text_of(command.file)))
        all.push_back(command);
      else
        ++_found.without;
    const fs::path common = common_folder(all);
    for (const Command& command : all)
      add(command.file, command.file.lexically_relative(common));
  }
  void add_file(const fs::path& file) {
    if (is_fortran_source(file)) {
      _found.fortran.push_back(file);
      return;
    }
    if (_has_commands && !_commands.contains(fs::weakly_canonical(file)))
      throw base::UsageError(fmt::format("{}: --commands does not list it", file.string()));
    add(file, file.filename());
  }
  void add_folder(const fs::path& folder) {
    std::vector<fs::path> files;
    for (auto entry = fs::recursive_directory_iterator(folder);
         entry != fs::recursive_directory_iterator(); ++entry) {
      const fs::path& place = entry->path();
      std::error_code error;
      if (place.filename().string().starts_with('.') ||
          (!_output.empty() && fs::equivalent(place, _output, error)))
        entry.disable_recursion_pending();
      else if (entry->is_regular_file(error))
        files.push_back(place);
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files)
      if (is_header(file) && has_directive(text_of(file)))
        _found.headers.push_back(file);
      else if (is_source(file) && asks_for_openacc(text_of(file)))
        add(file, file.lexically_relative(folder));
      else if (is_source(file))
        ++_found.without;
      else if (is_fortran_source(file))
        add_fortran(file);
  }
  Inputs found() { return std::move(_found); }

private:
  const std::vector<std::string>& _flags;
  fs::path _output;
  std::map<fs::path, Command> _commands;
  bool _has_commands = false;
  Inputs _found;

  void add_fortran(const fs::path& file) {
    if (asks_for_openacc_in_fortran(text_of(file)))
      _found.fortran.push_back(file);
    else
      ++_found.without;
  }
  void add(const fs::path& file, const fs::path& name) {
    Input input{file, name, fs::current_path().string(), {}};
    if (const auto command = _commands.find(fs::weakly_canonical(file));
        command != _commands.end()) {
      input.directory = command->second.directory;
      input.flags = command->second.flags;
    }
    input.flags.insert(input.flags.end(), _flags.begin(), _flags.end());
    _found.sources.push_back(std::move(input));
  }
};

} // namespace

Inputs find_inputs(const std::vector<std::string>& named, std::string commands,
                   const std::vector<std::string>& flags, const std::string& output) {
  Finder finder(flags, output);
  std::error_code error;
  if (!commands.empty()) {
    if (fs::is_directory(commands, error))
      commands = (fs::path(commands) / "compile_commands.json").string();
    finder.read(commands);
    if (named.empty())
      finder.add_all();
  }
  for (const std::string& name : named)
    if (fs::is_directory(name, error))
      finder.add_folder(name);
    else if (fs::is_regular_file(name, error))
      finder.add_file(name);
    else
      throw base::UsageError(fmt::format("{}: {}", name,
                                         fs::exists(name, error) ? "it is no source, and no folder"
                                                                 : "there is no such file"));
  Inputs inputs = finder.found();
  for (const std::string& name : named)
    if (is_fortran_source(name) && !inputs.sources.empty())
      throw base::UsageError(
          fmt::format("{} is Fortran, and {} is not: give each language a command of its own", name,
                      inputs.sources.front().file.string()));
  if (inputs.sources.empty() && inputs.headers.empty() && inputs.fortran.empty())
    throw base::UsageError(
        fmt::format("none of the {} sources there asks for OpenACC", inputs.without));
  return inputs;
}

} // namespace gangway::port
