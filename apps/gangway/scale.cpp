// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scale.hpp"

#include "base/child.hpp"
#include "base/errors.hpp"
#include "base/places.hpp"
#include "base/signals.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

namespace gangway::apps {
namespace {

namespace fs = std::filesystem;
using harness::Growth;
using harness::Parameters;
using harness::Scaling;
using harness::ScalingRun;
using Settings = std::vector<Parameters::Setting>;

/// A folder that is gone when this is.
class Folder {
public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gangway-scale-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw base::UsageError(fmt::format("scale: no folder can be made in {}: {}",
                                         fs::temp_directory_path().string(), std::strerror(errno)));
    _path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(_path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path file(const char* name) const { return _path / name; }

private:
  fs::path _path;
};

void require_ranks(const std::vector<int>& ranks) {
  if (ranks.size() < 2)
    throw base::UsageError("scale: --ranks wants two numbers or more, such as --ranks 1,2,4");
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] < 1 || (i > 0 && ranks[i] <= ranks[i - 1]))
      throw base::UsageError(
          fmt::format("scale: --ranks {}: give numbers from 1 up, each larger than "
                      "the one before, such as 1,2,4",
                      fmt::join(ranks, ",")));
}

/// The problem itself, or one for each value of the key that is varied.
std::vector<std::pair<std::string, Settings>> problems_of(const harness::StudyEntry& study,
                                                          const harness::Case& instance,
                                                          const std::vector<std::string>& vary) {
  if (vary.empty())
    return {{instance.name, instance.settings}};
  const std::string& text = vary.front();
  const auto equals = text.find('=');
  if (vary.size() > 1 || equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw base::UsageError(fmt::format("scale: --vary {}: one key and its values, such as --vary "
                                       "n=1024,2048",
                                       fmt::join(vary, " --vary ")));
  const std::string key = text.substr(0, equals);
  std::vector<std::pair<std::string, Settings>> problems;
  std::istringstream values(text.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');) {
    Settings settings = instance.settings;
    std::erase_if(settings, [&](const auto& setting) { return setting.key == key; });
    settings.push_back({key, value});
    problems.emplace_back(fmt::format("{}={}", key, value), std::move(settings));
  }
  for (const auto& [name, settings] : problems)
    static_cast<void>(study.footprint(Parameters(study, settings))); // says what is wrong with it
  return problems;
}

/// Status with which a child ends, and its text on standard error.
struct Ended {
  int status = 0; ///< 128 + the number of a signal
  std::string said;
};

/// Runs a command to its end. Hands a signal to this process on. Errors: UsageError, Interrupted.
Ended launch(std::vector<std::string> command, const fs::path& errors) {
  const std::string name = command.front();
  const base::Descriptor nothing("/dev/null", O_RDWR);
  const base::Descriptor said(errors.string(), O_WRONLY | O_CREAT | O_TRUNC);
  try {
    const int status = base::status_of_child(base::start_child(
        std::move(command),
        {.input = nothing.number(), .output = nothing.number(), .error = said.number()}));
    std::ifstream file(errors);
    return {status, std::string(std::istreambuf_iterator<char>(file), {})};
  } catch (const std::system_error& error) {
    throw base::UsageError(fmt::format("scale: '{}' cannot be run: {}; it is to be MPI's launcher. "
                                       "--launcher names another, with its options",
                                       name, error.code().message()));
  }
}

/// The end of it, which has the reason; a launcher may say much before and after.
std::string last_lines(const std::string& text) {
  constexpr std::size_t most = 2000;
  const auto end = text.find_last_not_of(" \n");
  if (end == std::string::npos)
    return "it said nothing";
  const std::string all = text.substr(0, end + 1);
  return all.size() <= most ? all : "… " + all.substr(all.size() - most);
}

} // namespace

Scaling plan_scaling(const harness::StudyEntry& study, const harness::Case& instance,
                     const ScaleOptions& options) {
  if (!study.across_ranks || study.scaling.load == nullptr || study.scaling.grown == nullptr) {
    std::vector<std::string> others;
    for (const harness::StudyEntry* other : harness::studies())
      if (other->across_ranks && other->scaling.load != nullptr && other->scaling.grown != nullptr)
        others.emplace_back(other->id);
    throw base::UsageError(fmt::format("scale: {} does not run across ranks; these do: {}",
                                       study.id, fmt::join(others, ", ")));
  }
  require_ranks(options.ranks);
  Scaling scaling;
  scaling.study = study.id;
  scaling.title = study.title;
  scaling.grows = study.scaling.grows;
  if (options.strong || !options.weak)
    scaling.growths.push_back(Growth::strong);
  if (options.weak)
    scaling.growths.push_back(Growth::weak);
  scaling.problems = problems_of(study, instance, options.vary);
  for (int problem = 0; problem < std::ssize(scaling.problems); ++problem)
    for (const Growth growth : scaling.growths)
      for (const int ranks : options.ranks) {
        const Settings& of_one = scaling.problems[static_cast<std::size_t>(problem)].second;
        const Settings given = growth == Growth::weak && ranks > 1
                                   ? study.scaling.grown(Parameters(study, of_one), ranks)
                                   : of_one;
        // On one rank both growths have the same problem.
        const auto same =
            std::find_if(scaling.runs.begin(), scaling.runs.end(), [&](const ScalingRun& run) {
              return ranks == 1 && run.ranks == 1 && run.problem == problem;
            });
        if (same != scaling.runs.end())
          same->growths.push_back(growth);
        else
          scaling.runs.push_back({problem, {growth}, ranks, given, "", {}, false, {}, {}});
      }
  return scaling;
}

bool run_scaling(const std::string& launcher_and_options, const std::vector<std::string>& arguments,
                 Scaling& scaling, const std::function<void(const std::string&)>& progress) {
  const Folder folder;
  const fs::path results = folder.file("results.json");
  std::vector<std::string> launcher;
  std::istringstream words(launcher_and_options);
  for (std::string word; words >> word;)
    launcher.push_back(word);
  if (launcher.empty())
    throw base::UsageError("scale: --launcher is empty; it is MPI's, such as mpirun");
  int done = 0;
  for (ScalingRun& run : scaling.runs) {
    base::stop_if_interrupted();
    progress(fmt::format("run {} of {}: {} on {} {}", ++done, scaling.runs.size(), scaling.study,
                         run.ranks, run.ranks == 1 ? "rank" : "ranks"));
    std::vector<std::string> command = launcher;
    command.insert(command.end(), {"-n", std::to_string(run.ranks), base::program_file().string(),
                                   "run", scaling.study});
    for (const auto& [key, value] : run.settings)
      command.insert(command.end(), {"--set", fmt::format("{}={}", key, value)});
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--json", results.string(), "--report", "none"});
    std::error_code ignored;
    fs::remove(results, ignored);
    const Ended ended = launch(command, folder.file("errors"));
    std::ifstream file(results);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if ((ended.status != 0 && ended.status != check_failed) || json.is_discarded())
      throw base::UsageError(fmt::format("scale: the run on {} {} failed with status {}: {}\n{}",
                                         run.ranks, run.ranks == 1 ? "rank" : "ranks", ended.status,
                                         fmt::join(command, " "), last_lines(ended.said)));
    harness::read_results(json, run);
    if (!run.failures.empty())
      return false;
  }
  return true;
}

} // namespace gangway::apps
