// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "new_study.hpp"

#include "../common/command_line.hpp"
#include "base/contains.hpp"
#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/places.hpp"
#include "commands.hpp"
#include "new_study_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace gangway::apps {
namespace {

constexpr std::size_t longest_name = 64;

/// It becomes part of the names of a function, a namespace and files, and a folder.
void require_name(const std::string& name, const std::vector<std::string>& taken) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool is_identifier = !name.empty() && is_letter(name.front()) &&
                             std::all_of(name.begin(), name.end(), [&](char c) {
                               return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
                             });
  if (!is_identifier || name.size() > longest_name)
    throw base::UsageError(
        fmt::format("new: '{}' is no name for a study: it is to be an identifier "
                    "of at most {} letters, digits and _, and begin with a "
                    "letter, such as stencil_2d",
                    name, longest_name));
  if (base::contains(taken, name))
    throw base::UsageError(
        fmt::format("new: there is a study '{}' already; choose another name", name));
}

/// Returns true for src/studies of Gangway's sources, where CMake builds every folder.
bool in_the_tree(const std::filesystem::path& directory) {
  std::error_code error;
  return std::filesystem::weakly_canonical(directory, error).filename() == "studies" &&
         std::filesystem::exists(directory / ".." / "harness" / "one_kernel.hpp", error);
}

std::string with_name(std::string text, const std::string& name) {
  constexpr std::string_view placeholder = "NAME";
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;
       at += name.size())
    text.replace(at, placeholder.size(), name);
  return text;
}

/// " -Dgangway_DIR=…", if this program was installed and the package with it.
std::string package_option() {
  const auto package =
      (base::installed_libraries() / ".." / "cmake" / "gangway").lexically_normal();
  std::error_code error;
  if (!std::filesystem::exists(package / "gangwayReferee.cmake", error))
    return {};
  return fmt::format(" -Dgangway_DIR={}", package.string());
}

} // namespace

NewStudy new_study(const std::string& name, const std::filesystem::path& directory,
                   const std::vector<std::string>& taken) {
  require_name(name, taken);
  const std::filesystem::path folder = (directory / name).lexically_normal();
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, error)))
    throw base::UsageError(fmt::format("new: {} is there already; nothing was written. Choose "
                                       "another name, or another --directory",
                                       folder.string()));
  if (!std::filesystem::is_directory(directory, error))
    throw base::UsageError(
        fmt::format("new: --directory {}: there is no such directory", directory.string()));
  if (!std::filesystem::create_directory(folder, error))
    throw base::UsageError(
        fmt::format("new: cannot make the directory {}: {}", folder.string(), error.message()));

  NewStudy made;
  const auto write = [&](const std::string& file, const std::string& text) {
    base::write_whole((folder / file).string(), with_name(text, name));
    made.files.push_back(folder / file);
  };
  write(name + ".cpp", study_text);
  if (in_the_tree(directory)) {
    write("README.md", "# NAME\n\nWhat this kernel is, where it comes from, and what its port "
                       "taught.\n");
    made.next = fmt::format("./run shell gangway compare {}\n", name);
  } else {
    write("CMakeLists.txt", project_text);
    made.next = fmt::format("cmake -S {0} -B {0}/build{1}\ncmake --build {0}/build\n"
                            "{0}/build/referee compare {2}\n",
                            folder.string(), package_option(), name);
  }
  return made;
}

CLI::App& add_new(CLI::App& app, NewOptions& options) {
  CLI::App& command = *app.add_subcommand(
      "new", "Write a study of one kernel of your own, from a template that runs and passes");
  command.add_option("name", options.name, "The study's name, an identifier")->required();
  command
      .add_option("--directory", options.directory,
                  "Where its folder is made; in src/studies of Gangway's sources it is built with "
                  "them, elsewhere it is a project of its own")
      ->type_name("DIR")
      ->check(file_name());
  return command;
}

int new_study(const NewOptions& options) {
  std::vector<std::string> taken;
  for (const harness::StudyEntry* study : harness::studies())
    taken.emplace_back(study->id);
  const NewStudy made = new_study(options.name, options.directory, taken);
  for (const auto& file : made.files)
    fmt::print("{}\n", file.string());
  fmt::print("\nto build it and compare:\n\n{}", made.next);
  return checks_passed;
}

} // namespace gangway::apps
