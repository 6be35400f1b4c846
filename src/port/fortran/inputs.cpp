// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/fortran/inputs.hpp"

#include "base/errors.hpp"
#include "port/fortran_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>

namespace gangway::port::fortran {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_one_of(std::string_view flag, const auto& flags) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}
constexpr std::array<std::string_view, 4> fixed{"-ffixed-form", "-Mfixed", "-fixed", "-qfixed"};
constexpr std::array<std::string_view, 5> freed{"-ffree-form", "-Mfree", "-Mfreeform", "-free",
                                                "-qfree"};
constexpr std::array<std::string_view, 4> wide{"-Mextend", "-extend-source",
                                               "-ffixed-line-length-132", "-132"};
constexpr std::array<std::string_view, 3> long_reals{"-fdefault-real-8", "-r8", "-Mr8"};
constexpr std::array<std::string_view, 3> long_integers{"-fdefault-integer-8", "-i8", "-Mi8"};

/// Takes the flag at `i`, and what belongs to it. Returns whether it changes what a source says.
bool take_flag(Input& input, const std::vector<std::string>& flags, std::size_t& i) {
  const std::string_view flag = flags[i];
  const auto value = [&](std::string_view name) -> std::optional<std::string> {
    if (flag == name && i + 1 < flags.size())
      return flags[++i];
    if (flag.starts_with(name) && flag.size() > name.size())
      return std::string(flag.substr(name.size()));
    return std::nullopt;
  };
  if (is_one_of(flag, fixed)) {
    input.fixed_form = true;
  } else if (is_one_of(flag, freed)) {
    input.fixed_form = false;
  } else if (is_one_of(flag, wide)) {
    input.columns = 132;
  } else if (flag == "-ffixed-line-length-none" || flag == "-ffixed-line-length-0") {
    input.columns = 1'000'000;
  } else if (is_one_of(flag, long_reals)) {
    input.real_kind = 8;
  } else if (is_one_of(flag, long_integers)) {
    input.integer_kind = 8;
  } else if (flag.starts_with("-isystem")) {
    input.folders.push_back((input.directory / value("-isystem").value_or("")).string());
  } else if (flag.starts_with("-I")) {
    input.folders.push_back((input.directory / value("-I").value_or("")).string());
  } else if (flag.starts_with("-D")) {
    const std::string macro = value("-D").value_or("");
    const std::size_t at = macro.find('=');
    input.macros.emplace_back(macro.substr(0, at),
                              at == std::string::npos ? "1" : macro.substr(at + 1));
  } else if (flag.starts_with("-U")) {
    input.macros.emplace_back(value("-U").value_or(""), std::nullopt);
  } else {
    return false;
  }
  return true;
}

/// Splits a command as a shell does, as far as lists of commands need it.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool any = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
      any = true;
    } else if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? '\0' : c;
      any = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (any)
        words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (any)
    words.push_back(word);
  return words;
}

class Finder {
public:
  Finder(const std::vector<std::string>& flags, fs::path output)
      : _flags(flags), _output(std::move(output)) {}

  void read(const fs::path& list) {
    std::error_code error;
    if (!fs::is_regular_file(list, error))
      throw base::UsageError(
          fmt::format("--commands {}: {}", list.string(),
                      fs::exists(list, error) ? "it is no plain file" : "there is no such file"));
    try {
      for (const Json& entry : Json::parse(text_of(list))) {
        const fs::path directory = fs::absolute(entry.at("directory").get<std::string>());
        const fs::path file = (directory / entry.at("file").get<std::string>()).lexically_normal();
        if (is_fortran_source(file))
          _commands.emplace(fs::weakly_canonical(file),
                            Command{file, directory,
                                    entry.contains("arguments")
                                        ? entry.at("arguments").get<std::vector<std::string>>()
                                        : words_of(entry.at("command").get<std::string>())});
      }
    } catch (const Json::exception& problem) {
      throw base::UsageError(fmt::format("--commands {}: it is no compile_commands.json: {}",
                                         list.string(), problem.what()));
    }
    _has_commands = true;
  }
  /// Adds the sources of the list that are not there yet; none of them is wanted unless `wanted`.
  void add_listed(bool wanted) {
    for (const auto& [place, command] : _commands)
      if (!fs::exists(command.file))
        throw base::UsageError(
            fmt::format("--commands: there is no {}; build the program again", place.string()));
      else
        add_found(command.file, command.file.filename(), wanted);
    if (wanted)
      name_by_common_folder();
  }
  void add_file(const fs::path& file) {
    if (!is_fortran_source(file))
      throw base::UsageError(
          fmt::format("{}: its name has none of Fortran's endings, such as .F90", file.string()));
    if (_has_commands && !_commands.contains(fs::weakly_canonical(file)))
      throw base::UsageError(fmt::format("{}: --commands does not list it", file.string()));
    add(file, file.filename(), true);
  }
  void add_folder(const fs::path& folder) {
    std::vector<fs::path> files;
    for (auto entry = fs::recursive_directory_iterator(folder);
         entry != fs::recursive_directory_iterator(); ++entry) {
      std::error_code error;
      if (entry->path().filename().string().starts_with('.') ||
          (!_output.empty() && fs::equivalent(entry->path(), _output, error)))
        entry.disable_recursion_pending();
      else if (entry->is_regular_file(error) && is_fortran_source(entry->path()))
        files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files)
      add_found(file, file.lexically_relative(folder), true);
  }
  Inputs found() { return std::move(_found); }

private:
  struct Command {
    fs::path file;
    fs::path directory;
    std::vector<std::string> words;
  };
  const std::vector<std::string>& _flags;
  fs::path _output;
  std::map<fs::path, Command> _commands;
  bool _has_commands = false;
  std::map<fs::path, std::size_t> _places;
  Inputs _found;

  /// Names the sources by the way from the deepest folder that has all that are wanted.
  void name_by_common_folder() {
    fs::path common;
    for (const Input& input : _found.sources) {
      if (!input.wanted)
        continue;
      const fs::path folder = input.file.parent_path();
      if (common.empty())
        common = folder;
      while (!std::equal(
          common.begin(), common.end(), folder.begin(),
          std::next(folder.begin(), std::min(std::distance(common.begin(), common.end()),
                                             std::distance(folder.begin(), folder.end())))))
        common = common.parent_path();
    }
    for (Input& input : _found.sources)
      input.name = input.file.lexically_relative(common);
  }
  void add_found(const fs::path& file, const fs::path& name, bool wanted) {
    const bool asks = asks_for_openacc_in_fortran(text_of(file));
    if (wanted && !asks && !_places.contains(fs::weakly_canonical(file)))
      ++_found.without;
    add(file, name, wanted && asks);
  }
  void add(const fs::path& file, const fs::path& name, bool wanted) {
    const auto [place, is_new] = _places.emplace(fs::weakly_canonical(file), _found.sources.size());
    if (!is_new) {
      Input& before = _found.sources[place->second];
      before.wanted = before.wanted || wanted;
      return;
    }
    Input input;
    input.file = file;
    input.name = name;
    input.wanted = wanted;
    input.directory = fs::current_path();
    input.fixed_form = is_fixed_form(file);
    if (const auto command = _commands.find(place->first); command != _commands.end()) {
      input.directory = command->second.directory;
      for (std::size_t i = 1; i < command->second.words.size(); ++i)
        static_cast<void>(take_flag(input, command->second.words, i));
    }
    input.directory = fs::current_path();
    for (std::size_t i = 0; i < _flags.size(); ++i)
      if (const std::string flag = _flags[i]; !take_flag(input, _flags, i))
        throw base::UsageError(fmt::format("{}: of flags for Fortran -I, -D, -U, -ffixed-form, "
                                           "-ffree-form, -ffixed-line-length-132, "
                                           "-fdefault-real-8 and -fdefault-integer-8 are read",
                                           flag));
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
  finder.add_listed(named.empty());
  Inputs inputs = finder.found();
  if (std::none_of(inputs.sources.begin(), inputs.sources.end(),
                   [](const Input& input) { return input.wanted; }))
    throw base::UsageError(
        fmt::format("none of the {} Fortran sources there asks for OpenACC", inputs.without));
  return inputs;
}

} // namespace gangway::port::fortran
