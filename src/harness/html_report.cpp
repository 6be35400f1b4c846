// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/html_report.hpp"

#include "base/child.hpp"
#include "base/output_file.hpp"
#include "base/places.hpp"
#include "harness/build_info.hpp"
#include "harness/problem.hpp"
#include "harness/program.hpp"
#include "harness/report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

namespace gangway::harness {
namespace {

std::string python() {
  const char* const chosen = std::getenv("PYTHON");
  return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

/// Returns the script's place: where the program says, or where it was installed, or else in the
/// sources that it was built from. The last two follow from the program's own place, which may have
/// changed.
std::filesystem::path generator(const char* script) {
  const auto folder = base::program_file().parent_path();
  const auto installed = (folder / GANGWAY_REPORT_INSTALLED / script).lexically_normal();
  const auto source = (folder / GANGWAY_REPORT_BUILT / script).lexically_normal();
  std::vector<std::filesystem::path> places{installed, source};
  if (!program().report.empty())
    places.insert(places.begin(), std::filesystem::path(program().report) / script);
  std::error_code error;
  for (const auto& place : places)
    if (std::filesystem::exists(place, error))
      return place;
  throw base::UsageError(fmt::format("--report: what makes the page is neither {} nor {}",
                                     installed.string(), source.string()));
}

struct Ended {
  int status; ///< of exit; 128 + the signal that ended it
  std::string said;
};

/// Runs a program, found on the path, and waits for it. `said` is what it wrote to either output.
/// Errors: UsageError when it cannot be started.
Ended run(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw base::UsageError(fmt::format("--report: no pipe: {}", std::strerror(errno)));
  const base::Descriptor out(ends[0]);
  base::Descriptor in(ends[1]);
  try {
    const base::Descriptor nothing("/dev/null", O_RDONLY);
    const pid_t child = base::start_child(
        command, {.input = nothing.number(), .output = in.number(), .error = in.number()});
    in.close();
    Ended ended{};
    std::array<char, 4096> part{};
    for (ssize_t length = 1; length != 0;) {
      length = read(out.number(), part.data(), part.size());
      if (length > 0)
        ended.said.append(part.data(), static_cast<std::size_t>(length));
      else if (length < 0 && errno != EINTR)
        break;
    }
    ended.status = base::status_of_child(child);
    return ended;
  } catch (const std::system_error& error) {
    throw base::UsageError(
        fmt::format("--report needs Python 3 with matplotlib and Jinja2, and '{}' "
                    "cannot be run ({}); PYTHON names another",
                    command.front(), error.code().message()));
  }
}

/// Returns the last line that is not empty: of a Python traceback the one that says what is wrong.
std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \n");
  if (end == std::string::npos)
    return "it gave no reason";
  const auto before = text.find_last_of('\n', end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end - begin + 1);
}

} // namespace

void require_report(const std::filesystem::path& directory, const char* script) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory))
    throw base::UsageError(fmt::format("--report {}: cannot make this directory: {}",
                                       directory.string(),
                                       error ? error.message() : "something else has its name"));
  base::require_writable(directory / "results.json");
  base::require_writable(directory / "index.html");
  const Ended check = run({python(), "-B", generator(script).string(), "--check"});
  if (check.status != 0 || check.said.find("ready") == std::string::npos)
    throw base::UsageError(fmt::format(
        "--report: {}; PYTHON names another Python",
        check.said.empty() ? fmt::format("'{}' is no Python", python()) : last_line(check.said)));
}

std::filesystem::path write_report(const std::filesystem::path& directory,
                                   const nlohmann::ordered_json& results, const char* script) {
  const auto data = directory / "results.json";
  base::write_whole(data, text_of(results));
  const Ended made =
      run({python(), "-B", generator(script).string(), data.string(), "-o", directory.string()});
  if (made.status != 0)
    throw base::UsageError(fmt::format("--report: no page was made, the results are in {}: {}",
                                       data.string(), last_line(made.said)));
  return directory / "index.html";
}

} // namespace gangway::harness
