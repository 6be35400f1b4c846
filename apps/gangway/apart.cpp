// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "apart.hpp"

#include "base/child.hpp"
#include "base/errors.hpp"
#include "base/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace gangway::apps {
namespace {

namespace fs = std::filesystem;
using harness::OpenAccChoice;

/// results.json: results.LABEL.json.
std::string with_label(const fs::path& file, const std::string& label) {
  fs::path name = file.stem();
  name += "." + label;
  name += file.extension();
  return (file.parent_path() / name).string();
}

std::string option_with_label(std::string_view option, const std::string& value,
                              const std::string& label) {
  if (option == "--report")
    return value == "none" ? value : value + "-" + label;
  return with_label(value, label);
}

} // namespace

std::vector<OpenAccChoice> labelled(std::vector<OpenAccChoice> choices) {
  const auto taken = [&](const std::string& label) {
    return std::any_of(choices.begin(), choices.end(),
                       [&](const OpenAccChoice& other) { return other.label == label; });
  };
  for (OpenAccChoice& choice : choices) {
    if (!choice.label.empty())
      continue;
    const std::string stem = choice.path.stem().string();
    std::string label = stem;
    for (int number = 2; taken(label); ++number)
      label = fmt::format("{}-{}", stem, number);
    choice.label = label;
  }
  return choices;
}

std::vector<std::string> arguments_for(const std::vector<std::string>& given,
                                       const OpenAccChoice& library, const std::string& report) {
  constexpr std::string_view libraries = "--openacc-library";
  constexpr std::string_view outputs[] = {"--json", "--csv", "--report"};
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto equals = given[i].find('=');
    const std::string option = given[i].substr(0, equals);
    const bool is_output =
        std::find(std::begin(outputs), std::end(outputs), option) != std::end(outputs);
    if (option != libraries && !is_output) {
      arguments.push_back(given[i]);
      continue;
    }
    std::string value;
    if (equals != std::string::npos)
      value = given[i].substr(equals + 1);
    else if (i + 1 < given.size())
      value = given[++i];
    if (is_output)
      arguments.insert(arguments.end(), {option, option_with_label(option, value, library.label)});
  }
  if (!report.empty())
    arguments.insert(arguments.end(),
                     {"--report", option_with_label("--report", report, library.label)});
  arguments.insert(arguments.end(),
                   {std::string(libraries),
                    fmt::format("{}={}", library.label, fs::absolute(library.path).string())});
  return arguments;
}

int run_again(const std::vector<std::string>& arguments) {
  const std::string program = base::program_file().string();
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  try {
    return base::status_of_child(base::start_child(std::move(words)));
  } catch (const std::system_error& error) {
    throw base::UsageError(
        fmt::format("{} cannot be started again: {}", program, error.code().message()));
  }
}

} // namespace gangway::apps
