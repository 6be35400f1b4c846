// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timing report from outside: programs run with it, and both of its formats are parsed.
#include "testing/places.hpp"
#include "testing/sanitizer.hpp"
#include "testing/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using gangway::testing::beside_program;
using gangway::testing::sanitized;
using nlohmann::json;
using Environment = std::map<std::string, std::string>;

const std::string library = beside_program("../../bin/libgangway-acc-time.so");
const std::string other_tool = beside_program("libacc_time_other_tool.so");
const std::string kokkos_program = beside_program("acc_time_kokkos");
const std::string ported_program = beside_program("acc_time_ported");
const std::string hooks_program = beside_program("acc_time_hooks");
const std::string openacc_program = beside_program("acc_time_openacc");

struct Outcome {
  int status = -1; ///< exit status; -1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Directory : public gangway::testing::TemporaryFolder {
public:
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path()))
      names.push_back(entry.path().filename());
    return names;
  }
};

/// Runs a program with these variables and no others of the report's.
Outcome run(const std::vector<std::string>& command, const Environment& environment,
            const fs::path& working_directory = {}) {
  const Directory files;
  const pid_t child = fork();
  if (child == 0) {
    for (const char* variable :
         {"KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY", "KOKKOS_TOOLS_ARGS", "ACC_PROFLIB",
          "GANGWAY_ACC_TIME", "GANGWAY_ACC_NOTIFY", "GANGWAY_ACC_FENCE", "GANGWAY_ACC_CUPTI"})
      unsetenv(variable);
    setenv("OMP_NUM_THREADS", "2", 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    for (const auto& [name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    const std::string out = files / "out";
    const std::string err = files / "err";
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
    if (!working_directory.empty() && chdir(working_directory.c_str()) != 0)
      _exit(126);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  Outcome outcome;
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    outcome.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  outcome.out = contents(files / "out");
  outcome.err = contents(files / "err");
  return outcome;
}

Outcome run_kokkos(const std::vector<std::string>& arguments, Environment environment = {}) {
  std::vector<std::string> command{kokkos_program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  environment.emplace("KOKKOS_TOOLS_LIBS", library);
  return run(command, environment);
}

/// The JSON report of a run; also checks what every report must have.
json json_of(const std::vector<std::string>& command, Environment environment,
             Outcome* outcome = nullptr) {
  const Directory directory;
  const fs::path file = directory / "report.json";
  environment["GANGWAY_ACC_TIME"] = "json:" + file.string();
  const Outcome ran = run(command, environment);
  if (outcome != nullptr)
    *outcome = ran;
  EXPECT_EQ(directory.files(), std::vector<std::string>{"report.json"}) << ran.err;
  const json report = json::parse(contents(file));
  EXPECT_EQ(report["format"], "gangway-acc-time");
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["events_lost"], 0);
  EXPECT_TRUE(report["transfers_reported"].is_boolean());
  EXPECT_GT(report["since_load_us"], 0.0);
  EXPECT_TRUE(report["elapsed_time"].is_string());
  EXPECT_TRUE(report["device_time"].is_string());
  return report;
}

json kokkos_json(const std::vector<std::string>& arguments, Outcome* outcome = nullptr) {
  std::vector<std::string> command{kokkos_program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return json_of(command, {{"KOKKOS_TOOLS_LIBS", library}}, outcome);
}

json hooks_json(const std::string& what) {
  Outcome outcome;
  json report = json_of({hooks_program, library, what}, {}, &outcome);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return report;
}

/// The one element of an array that has these members; null when there is none or more than one.
json only(const json& array, const json& members) {
  json found;
  int count = 0;
  for (const json& element : array) {
    bool matches = true;
    for (const auto& [key, value] : members.items())
      matches = matches && element.contains(key) && element[key] == value;
    if (matches) {
      found = element;
      ++count;
    }
  }
  EXPECT_EQ(count, 1) << members.dump() << " in " << array.dump(1);
  return count == 1 ? found : json();
}

void expect_timing(const json& timing, int count) {
  ASSERT_TRUE(timing.is_object()) << timing.dump();
  EXPECT_EQ(timing["count"], count);
  const double total = timing["total"];
  const double max = timing["max"];
  const double min = timing["min"];
  const double average = timing["avg"];
  EXPECT_GE(min, 0);
  EXPECT_LE(min, average + 0.001);
  EXPECT_LE(average, max + 0.001);
  EXPECT_LE(max, total + 0.001);
  EXPECT_NEAR(average * count, total, 0.001 * count + 0.001);
}

// --- the text format ------------------------------------------------------------------------

struct TextTiming {
  long total = 0, max = 0, min = 0, avg = 0;
};

/// A line that counts something, with the lines below it.
struct TextItem {
  std::string region; ///< heading of its block
  std::string name;
  std::string what; ///< "kernel launched", "data copyin transfers", …
  long count = 0;
  std::string rest; ///< of the line
  std::string shape;
  long bytes = -1;
  std::map<std::string, TextTiming> times; ///< elapsed, device
};

struct TextReport {
  std::map<std::string, std::string> header;
  std::vector<TextItem> items;
  std::map<std::string, std::map<std::string, long>> memory;
};

long number(std::string text) {
  std::erase(text, ',');
  return std::stol(text);
}

/// Reads the report back; any line it cannot read fails the test.
TextReport parse_text(const std::string& text) {
  static const std::regex header_line(R"(    ([a-z ]+(?:\(us\))?): (.*))");
  static const std::regex block_line(
      R"((outside of regions|region .*|memory|elsewhere on the device))");
  static const std::regex time_line(R"(  time\(us\): ([0-9,]+)( on the device: [0-9,]+)?)");
  static const std::regex timing_line(
      R"( +(elapsed|device) time\(us\): total=([0-9,]+) max=([0-9,]+) min=([0-9,]+) avg=([0-9,]+))");
  static const std::regex count_line(
      R"( +(?:(.*): )?((?:compute |data )?region(?: end)? reached|(?:enter|exit) data reached|update reached|wait reached|section reached|(?:initialization )?kernel launched) ([0-9,]+) times?(.*))");
  static const std::regex transfer_line(
      R"( +(.*): (data copyin transfers|data copyout transfers|device data copies|host data copies|copies of nothing): ([0-9,]+)(.*))");
  static const std::regex fill_line(
      R"( +(.*): (filled) .*memory ([0-9,]+) times?(.*, no transfer))");
  static const std::regex bytes_line(R"( +bytes: ([0-9,]+))");
  static const std::regex shape_line(
      R"( +((?:gangs: \[.*\]  workers: \[.*\]  vector: \[.*\])|(?:tile: \[.*\])))");
  static const std::regex memory_line(
      R"(  (.+): allocations: ([0-9,]+)  bytes: ([0-9,]+)  peak: ([0-9,]+)  at the end: ([0-9,]+))");
  static const std::regex device_copy_line(
      R"( +(?:(.*): )?(data copyin transfers|data copyout transfers|device data copies): ([0-9,]+), bytes: ([0-9,]+))");
  static const std::regex device_line(
      R"( +(?:grid: \[.*\]  block: \[.*\]|(?:.*: )?(?:launches|kernels) on the device: [0-9,]+))");
  TextReport report;
  std::string block = "header";
  bool started = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line == "Accelerator Timing data (gangway-acc-time, format 1)") {
      EXPECT_FALSE(started) << "two reports";
      started = true;
    } else if (!started || line.empty() || std::regex_match(line, time_line) ||
               std::regex_match(line, device_line)) {
      continue;
    } else if (block == "header" && std::regex_match(line, match, header_line)) {
      report.header[match[1]] = match[2];
    } else if (std::regex_match(line, block_line)) {
      block = line;
    } else if (std::regex_match(line, match, memory_line)) {
      report.memory[match[1]] = {{"allocations", number(match[2])},
                                 {"bytes", number(match[3])},
                                 {"peak", number(match[4])},
                                 {"end", number(match[5])}};
    } else if (std::regex_match(line, match, timing_line) && !report.items.empty()) {
      report.items.back().times[match[1]] = {number(match[2]), number(match[3]), number(match[4]),
                                             number(match[5])};
    } else if (std::regex_match(line, match, device_copy_line)) {
      report.items.push_back({block,
                              match[1],
                              "on the device: " + match[2].str(),
                              number(match[3]),
                              "",
                              "",
                              number(match[4]),
                              {}});
    } else if (std::regex_match(line, match, bytes_line)) {
      report.items.back().bytes = number(match[1]);
    } else if (std::regex_match(line, match, shape_line)) {
      report.items.back().shape = match[1];
    } else if (std::regex_match(line, match, transfer_line) ||
               std::regex_match(line, match, fill_line) ||
               std::regex_match(line, match, count_line)) {
      report.items.push_back({block, match[1], match[2], number(match[3]), match[4], "", -1, {}});
    } else {
      ADD_FAILURE() << "not a line of the report: " << line;
    }
  }
  EXPECT_TRUE(started) << text;
  return report;
}

long count_of(const TextReport& report, const std::string& region, const std::string& name,
              const std::string& what) {
  long count = 0;
  for (const TextItem& item : report.items)
    if (item.region == region && item.name == name && item.what == what)
      count += item.count;
  return count;
}

int lines_with(const std::string& text, const std::string& start) {
  int count = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    count += line.starts_with(start) ? 1 : 0;
  return count;
}

// --- Kokkos ---------------------------------------------------------------------------------

// Host backends only: there a View and its host mirror are in one memory. The device's directions
// are played by hooks_program.
bool on_host(const json& report) {
  for (const json& space : report["memory"])
    if (space["space"] != "Host")
      return false;
  return true;
}

TEST(AccTimeKokkos, KernelsAreCountedExactly) {
  Outcome outcome;
  const json report = kokkos_json({"counts"}, &outcome);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(report["ended"], "exit");
  EXPECT_EQ(report["models"], json({"kokkos"}));

  const json axpy = only(report["compute"], {{"name", "axpy"}, {"region", {"solve"}}});
  EXPECT_EQ(axpy["reached"], 6);
  EXPECT_EQ(axpy["construct"], "parallel_for");
  EXPECT_EQ(axpy["internal"], false);
  ASSERT_EQ(axpy["kernels"].size(), 1U);
  EXPECT_EQ(axpy["kernels"][0]["launched"], 6);
  EXPECT_EQ(axpy["kernels"][0]["unfinished"], 0);
  EXPECT_TRUE(axpy["kernels"][0]["shape"].is_null()) << "nobody declared one";
  expect_timing(axpy["kernels"][0]["elapsed_us"], 6);

  const json dot = only(report["compute"], {{"name", "dot"}, {"region", {"solve", "norm"}}});
  EXPECT_EQ(dot["reached"], 4);
  EXPECT_EQ(dot["construct"], "parallel_reduce");
  EXPECT_EQ(only(report["compute"], {{"name", "dot"}, {"region", json::array()}})["reached"], 1);
  const json scan = only(report["compute"], {{"name", "offsets"}});
  EXPECT_EQ(scan["reached"], 2);
  EXPECT_EQ(scan["construct"], "parallel_scan");

  const json solve = only(report["regions"], {{"name", "solve"}, {"region", json::array()}});
  EXPECT_EQ(solve["reached"], 1);
  expect_timing(solve["elapsed_us"], 1);
  const json norm = only(report["regions"], {{"name", "norm"}, {"region", {"solve"}}});
  EXPECT_EQ(norm["reached"], 1);
  EXPECT_GE(solve["elapsed_us"]["total"], norm["elapsed_us"]["total"]);
  EXPECT_EQ(only(report["sections"], {{"name", "phase"}})["reached"], 2);
  int fences = 0; // one for each backend: a fence waits for all of them
  for (const json& wait : report["waits"])
    if (wait["name"] == "the program's own fence") {
      EXPECT_EQ(wait["reached"], 1) << wait["device"];
      ++fences;
    }
  EXPECT_GE(fences, 1);
  for (const json& wait : report["waits"])
    EXPECT_EQ(wait["name"].get<std::string>().find("Kokkos::Tools"), std::string::npos)
        << "the tool's own fences are not the program's";
}

TEST(AccTimeKokkos, FillsAreNoTransfers) {
  const json report = kokkos_json({"counts"});
  for (const auto& [name, bytes] :
       std::map<std::string, int>{{"x", 8000}, {"y", 8000}, {"host", 8000}, {"Scalar", 8000}}) {
    const json fill = only(report["fills"], {{"name", name}});
    EXPECT_EQ(fill["reached"], 1);
    EXPECT_EQ(fill["bytes"], bytes);
  }
  if (!on_host(report))
    GTEST_SKIP() << "directions below are those of a host backend";
  ASSERT_EQ(report["transfers"].size(), 4U) << report["transfers"].dump(1);
  const auto expect = [&](const char* to, const char* from, const char* direction, int count) {
    const json transfer = only(report["transfers"], {{"name", to}, {"from", from}});
    EXPECT_EQ(transfer["direction"], direction);
    EXPECT_EQ(transfer["reached"], count);
    EXPECT_EQ(transfer["bytes"], std::string(direction) == "nothing" ? 0 : 8000 * count);
    expect_timing(transfer["elapsed_us"], count);
  };
  expect("x", "host", "host", 3);
  expect("host", "y", "host", 2);
  expect("x", "Scalar", "host", 1); // a View of that name is no value
  expect("host", "host", "nothing", 1);
}

TEST(AccTimeKokkos, ShapesAreThoseDeclaredAndNoOthers) {
  const json shaped = only(kokkos_json({"counts"})["compute"], {{"name", "shaped"}});
  EXPECT_EQ(shaped["reached"], 11);
  ASSERT_EQ(shaped["kernels"].size(), 5U) << shaped.dump(1);
  EXPECT_EQ(shaped["kernels"][0]["launched"], 3);
  EXPECT_EQ(shaped["kernels"][0]["shape"], json({{"gangs", 1000}, {"workers", 4}, {"vector", 32}}));
  EXPECT_EQ(shaped["kernels"][1]["launched"], 1);
  EXPECT_EQ(shaped["kernels"][1]["shape"], json({{"tile", {8, 32}}}));
  EXPECT_EQ(shaped["kernels"][2]["shape"],
            json({{"gangs", 1000},
                  {"workers", 4},
                  {"vector", 32},
                  {"requested", {{"workers", "auto"}, {"vector", 128}}}}));
  EXPECT_EQ(shaped["kernels"][3]["shape"], json({{"gangs", 1000},
                                                 {"workers", 4},
                                                 {"vector", 32},
                                                 {"requested", {{"workers", 4}, {"vector", 32}}}}));
  EXPECT_EQ(shaped["kernels"][4]["launched"], 5);
  EXPECT_TRUE(shaped["kernels"][4]["shape"].is_null());
}

TEST(AccTimeKokkos, InitialisationsAreLabelledAsSuch) {
  const json report = kokkos_json({"counts"});
  int initializations = 0;
  for (const json& construct : report["compute"])
    for (const json& kernel : construct["kernels"]) {
      const bool named =
          kernel["name"].get<std::string>().starts_with("Kokkos::View::initialization");
      EXPECT_EQ(kernel["initialization"], named);
      EXPECT_TRUE(!named || construct["internal"]);
      if (!named)
        continue;
      EXPECT_TRUE(kernel["shape"].is_null())
          << "a shape declared for the next kernel is not for this";
      initializations += kernel["launched"].get<int>();
    }
  EXPECT_EQ(initializations, 8); // x, y, host, Scalar, offsets, three times between
}

TEST(AccTimeKokkos, DataRegionsOfTheLibrary) {
  const json report = kokkos_json({"counts"});
  ASSERT_EQ(report["data"].size(), 1U);
  EXPECT_EQ(report["data"][0]["kind"], "data region");
  EXPECT_EQ(report["data"][0]["reached"], 2);
  EXPECT_EQ(report["data"][0]["unfinished"], 0);
  EXPECT_EQ(report["data"][0]["found_present"], 0);
}

TEST(AccTimeKokkos, CopiesOfDataRegionsHaveDirectionAndName) {
  const json report = json_of({ported_program}, {{"KOKKOS_TOOLS_LIBS", library}});
  // By clause, and within it by the line that it stands in.
  const auto expect = [&](const char* name, const char* direction, const std::vector<int>& counts) {
    std::map<int, int> by_line;
    for (const json& transfer : report["transfers"]) {
      if (transfer["name"] != name || transfer["direction"] != direction)
        continue;
      const int count = transfer["reached"];
      EXPECT_EQ(transfer["bytes"], 8000 * count) << name;
      EXPECT_TRUE(transfer["from"].is_null()) << name;
      EXPECT_TRUE(std::string(transfer["file"]).ends_with("/ported_program.cpp")) << transfer;
      expect_timing(transfer["elapsed_us"], count);
      by_line[transfer["line"]] += count;
    }
    std::vector<int> found;
    for (const auto& [line, count] : by_line)
      found.push_back(count);
    EXPECT_EQ(found, counts) << name;
  };
  expect("copyin", "copyin", {3, 1, 1}); // in axpy, dot and main
  expect("copy(y)", "copyin", {3});      // the array has a name there
  expect("copy(y)", "copyout", {3});
  expect("copy", "copyin", {1});
  expect("copy", "copyout", {1});
  expect("update self", "copyout", {2});
  expect("enter data copyin", "copyin", {1});
  EXPECT_EQ(report["transfers"].size(), 9U) << report["transfers"].dump(1);

  const json copy = only(report["transfers"], {{"name", "copy(y)"}, {"direction", "copyout"}});
  const TextReport text = parse_text(run({ported_program}, {{"KOKKOS_TOOLS_LIBS", library}}).err);
  EXPECT_EQ(count_of(text, "outside of regions",
                     "ported_program.cpp copy(y) " + std::to_string(copy["line"].get<int>()),
                     "data copyout transfers"),
            3);
}

TEST(AccTimeKokkos, AnyLibraryMayDeclareWhereACopyStands) {
  const json report = kokkos_json({"declared"});
  const json placed = only(report["transfers"], {{"name", "halo"}});
  EXPECT_EQ(placed["direction"], "copyin");
  EXPECT_EQ(placed["reached"], 1);
  EXPECT_EQ(placed["file"], "a place/with: all.cpp");
  EXPECT_EQ(placed["line"], 12);
  EXPECT_TRUE(placed["from"].is_null());
  const json unplaced = only(report["transfers"], {{"name", "edge"}});
  EXPECT_EQ(unplaced["direction"], "copyout");
  EXPECT_EQ(unplaced["reached"], 1 + 4) << "what is no place is none";
  EXPECT_TRUE(unplaced["from"].is_null());
  EXPECT_FALSE(unplaced.contains("line"));

  const Outcome told = run({kokkos_program, "declared"},
                           {{"KOKKOS_TOOLS_LIBS", library}, {"GANGWAY_ACC_NOTIFY", "2"}});
  EXPECT_NE(told.err.find("upload data variable=halo file=a place/with: all.cpp line=12"),
            std::string::npos)
      << told.err;
  EXPECT_NE(told.err.find("download data variable=edge source= "), std::string::npos) << told.err;
}

TEST(AccTimeKokkos, RegionsThatOnlyFindDataPresentAreCountedApart) {
  const json report = json_of({ported_program}, {{"KOKKOS_TOOLS_LIBS", library}});
  const json regions = only(report["data"], {{"kind", "data region"}});
  EXPECT_EQ(regions["reached"], 3 + 1 + 5 + 1);
  EXPECT_EQ(regions["found_present"], 5);
  EXPECT_EQ(regions["in_place"], 0);
  const std::string text = run({ported_program}, {{"KOKKOS_TOOLS_LIBS", library}}).err;
  EXPECT_NE(text.find("data region reached 10 times, 5 found everything present\n"),
            std::string::npos)
      << text;
  if (!on_host(report))
    GTEST_SKIP() << "the device has a memory of its own";
  const json shared = json_of({ported_program, "shared"}, {{"KOKKOS_TOOLS_LIBS", library}});
  EXPECT_EQ(only(shared["data"], {{"kind", "data region"}})["in_place"], 3 + 1 + 5 + 1);
  EXPECT_TRUE(shared["transfers"].empty());
}

TEST(AccTimeKokkos, MemoryBySpace) {
  const json report = kokkos_json({"counts"});
  if (!on_host(report))
    GTEST_SKIP() << "the numbers below are those of a host backend";
  const json host = only(report["memory"], {{"space", "Host"}});
  EXPECT_EQ(host["allocations"], 8);
  EXPECT_EQ(host["frees"], 8);
  EXPECT_EQ(host["bytes"], 4 * 8000 + 4000 + 3 * 80);
  EXPECT_EQ(host["peak_bytes"], 4 * 8000 + 4000 + 80);
  EXPECT_EQ(host["end_bytes"], 0);
}

TEST(AccTimeKokkos, TextSaysWhatJsonSays) {
  const json report = kokkos_json({"counts"});
  const Outcome outcome = run_kokkos({"counts"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out, "") << "the program's own output";
  const TextReport text = parse_text(outcome.err);
  EXPECT_NE(text.header.at("program").find("ended: exit"), std::string::npos);
  EXPECT_EQ(json(text.header.at("elapsed time")), report["elapsed_time"]);
  EXPECT_EQ(json(text.header.at("device time")), report["device_time"]);

  EXPECT_EQ(count_of(text, "region solve", "", "region reached"), 1);
  EXPECT_EQ(count_of(text, "region solve", "axpy", "compute region reached"), 6);
  EXPECT_EQ(count_of(text, "region solve", "axpy", "kernel launched"), 6);
  EXPECT_EQ(count_of(text, "region solve / norm", "dot", "kernel launched"), 4);
  EXPECT_EQ(count_of(text, "outside of regions", "shaped", "compute region reached"), 11);
  EXPECT_EQ(count_of(text, "outside of regions", "shaped", "kernel launched"), 11);
  EXPECT_EQ(count_of(text, "outside of regions", "", "data region reached"), 2);
  EXPECT_EQ(count_of(text, "outside of regions", "phase", "section reached"), 2);

  std::map<std::string, long> shapes;
  for (const TextItem& item : text.items)
    if (item.name == "shaped" && item.what == "kernel launched")
      shapes[item.shape] += item.count;
  const std::string levels = "gangs: [1000]  workers: [4]  vector: [32]";
  EXPECT_EQ(shapes,
            (std::map<std::string, long>{{levels, 4}, // as requested once, and nothing requested
                                         {levels + "  requested: workers [auto] vector [128]", 1},
                                         {"tile: [8x32]", 1},
                                         {"", 5}}));
  // Everything that JSON has as a transfer or fill, with its bytes.
  for (const auto* const array : {"transfers", "fills"})
    for (const json& wanted : report[array]) {
      const std::string name =
          wanted["name"].get<std::string>() + (wanted.contains("from") && wanted["from"].is_string()
                                                   ? " from " + wanted["from"].get<std::string>()
                                                   : "");
      bool found = false;
      for (const TextItem& item : text.items) {
        const bool is_fill = item.what == "filled";
        if (item.name != name || item.bytes < 0 || is_fill != (array == std::string("fills")))
          continue;
        found = true;
        EXPECT_EQ(item.count, wanted["reached"]) << name;
        EXPECT_EQ(item.bytes, wanted["bytes"]) << name;
      }
      EXPECT_TRUE(found) << name;
    }
  for (const TextItem& item : text.items)
    for (const auto& [clock, times] : item.times) {
      EXPECT_LE(times.min, times.avg) << item.name;
      EXPECT_LE(times.avg, times.max) << item.name;
      EXPECT_LE(times.max, times.total) << item.name;
    }
  for (const json& space : report["memory"]) {
    EXPECT_EQ(text.memory.at(space["space"]).at("allocations"), space["allocations"]);
    EXPECT_EQ(text.memory.at(space["space"]).at("peak"), space["peak_bytes"]);
  }
}

TEST(AccTimeKokkos, AThousandRegions) {
  constexpr int count = 1000;
  const json report = kokkos_json({"regions", std::to_string(count)});
  ASSERT_EQ(report["regions"].size(), static_cast<std::size_t>(count));
  int kernels = 0;
  for (int i = 0; i < count; ++i) { // in the order in which they were met
    const json& region = report["regions"][static_cast<std::size_t>(i)];
    EXPECT_EQ(region["name"], "region " + std::to_string(i));
    EXPECT_EQ(region["region"], json::array());
    EXPECT_EQ(region["reached"], 2);
    expect_timing(region["elapsed_us"], 2);
  }
  for (const json& construct : report["compute"]) {
    if (construct["internal"])
      continue;
    const std::string name = construct["name"];
    EXPECT_EQ(construct["region"], json({"region " + name.substr(7)}));
    EXPECT_EQ(construct["reached"], 2);
    ++kernels;
  }
  EXPECT_EQ(kernels, count);
  const TextReport text = parse_text(run_kokkos({"regions", std::to_string(count)}).err);
  for (const int i : {0, 1, 499, count - 1}) {
    const std::string n = std::to_string(i);
    EXPECT_EQ(count_of(text, "region region " + n, "", "region reached"), 2);
    EXPECT_EQ(count_of(text, "region region " + n, "kernel " + n, "kernel launched"), 2);
  }
}

/// How many regions something lies in: those that are named, and those that are only counted.
std::size_t regions_around(const json& element) {
  return element["region"].size() + element.value("regions_above", std::size_t{0});
}

TEST(AccTimeKokkos, RegionsNestedThousandsDeep) {
  constexpr std::size_t levels = 3000;
  constexpr std::size_t named = 64;
  const Directory directory;
  const fs::path file = directory / "report.json";
  const auto write = [&](std::size_t count) {
    rusage before{};
    rusage after{};
    getrusage(RUSAGE_CHILDREN, &before);
    run_kokkos({"nested", std::to_string(count)}, {{"GANGWAY_ACC_TIME", "json:" + file.string()}});
    getrusage(RUSAGE_CHILDREN, &after);
    return after.ru_utime.tv_sec - before.ru_utime.tv_sec;
  };
  write(levels / 2);
  const auto half = fs::file_size(file);
  EXPECT_LT(write(levels), 5) << "seconds of processor time";
  EXPECT_LT(static_cast<double>(fs::file_size(file)), 2.2 * static_cast<double>(half));

  const json report = json::parse(contents(file));
  ASSERT_EQ(report["regions"].size(), levels);
  for (std::size_t i = 0; i < levels; ++i) {
    const json& region = report["regions"][i];
    EXPECT_EQ(region["name"], "level " + std::to_string(i));
    EXPECT_EQ(region["reached"], 1);
    const json& around = region["region"];
    ASSERT_EQ(around.size(), std::min(i, named));
    ASSERT_EQ(regions_around(region), i);
    EXPECT_EQ(region.contains("regions_above"), i > named);
    for (std::size_t up = 1; up <= around.size(); ++up)
      ASSERT_EQ(around[around.size() - up], "level " + std::to_string(i - up));
  }
  std::size_t kernels = 0;
  for (const json& construct : report["compute"]) {
    if (construct["internal"])
      continue;
    ++kernels;
    EXPECT_EQ(regions_around(construct), kernels);
    EXPECT_EQ(construct["reached"], 1);
  }
  EXPECT_EQ(kernels, levels);
  const std::string deep = run_kokkos({"nested", "100"}).err;
  EXPECT_NE(deep.find("\nregion (84 more) / level 84 / level 85 / "), std::string::npos) << deep;
  const TextReport text = parse_text(run_kokkos({"nested", "3"}).err);
  EXPECT_EQ(count_of(text, "region level 0 / level 1 / level 2", "axpy", "kernel launched"), 1);
  EXPECT_EQ(count_of(text, "region level 0 / level 1", "axpy", "kernel launched"), 1);
}

TEST(AccTimeKokkos, NamesOfAllKinds) {
  const json report = kokkos_json({"names"});
  EXPECT_EQ(only(report["compute"], {{"name", "i"}})["reached"], 1) << "a label is not a type";
  EXPECT_EQ(only(report["compute"], {{"name", std::string(5000, 'l')}})["reached"], 1);
  int lambdas = 0;
  for (const json& construct : report["compute"]) {
    const std::string name = construct["name"];
    // GCC names the function that a lambda is in, and Clang its place in the source.
    lambdas += name.find("lambda") != std::string::npos &&
               (name.find("axpy(") != std::string::npos ||
                name.find("kokkos_program.cpp:") != std::string::npos);
  }
  if (on_host(report)) { // nvcc has names of its own for lambdas
    EXPECT_EQ(lambdas, 1) << "a kernel without a label shows its type, demangled";
  }
  ASSERT_EQ(report["transfers"].size(), 1U);
  EXPECT_EQ(report["transfers"][0]["from"],
            "quote \" backslash \\ newline \n tab \t bytes \xEF\xBF\xBD\xEF\xBF\xBD \xc3\xa9");
  parse_text(run_kokkos({"names"}).err); // every line can be read
}

TEST(AccTimeKokkos, NamesDoNotSteerATerminal) {
  const std::string cleaned = "bell ?, delete ?, a control sequence ?1m, bytes ?, \xc3\xa9";
  const std::string err = run_kokkos({"escapes"}, {{"GANGWAY_ACC_NOTIFY", "31"}}).err;
  for (const char c : {'\033', '\a', '\r', '\x7f', '\xff', '\x9b'})
    EXPECT_EQ(err.find(c), std::string::npos) << static_cast<int>(c) << " in\n" << err;
  EXPECT_EQ(lines_with(err, "launch kernel name=none"), 0) << "a line of a name's own";
  EXPECT_EQ(lines_with(err, "enter region name=red ?[31m?launch kernel name=none?"), 1) << err;
  EXPECT_EQ(lines_with(err, "launch kernel name=" + cleaned + " region=red ?[31m?launch"), 1);
  const TextReport text = parse_text(run_kokkos({"escapes"}).err);
  EXPECT_EQ(count_of(text, "region red ?[31m?launch kernel name=none?", cleaned, "kernel launched"),
            1);
}

TEST(AccTimeKokkos, ThreadsLoseNothing) {
  const json report = kokkos_json({"threads", "8"});
  EXPECT_EQ(only(report["regions"], {{"name", "thread"}})["reached"], 800);
  const json copies = only(report["transfers"], {{"name", "to"}, {"from", "from"}});
  EXPECT_EQ(copies["reached"], 800);
  EXPECT_EQ(copies["bytes"], 800 * 800);
  EXPECT_EQ(copies["region"], json({"thread"}));
  expect_timing(copies["elapsed_us"], 800);
}

class AccTimeEnd : public testing::TestWithParam<const char*> {};

TEST_P(AccTimeEnd, NothingIsLost) {
  const std::string how = GetParam();
  const bool orderly = how == "exit" || how == "quick_exit";
  const bool faults = how == "segv" || how == "fault" || how.starts_with("overflow");
  const int signal = orderly ? 0 : how == "term" ? SIGTERM : faults ? SIGSEGV : SIGABRT;
  const std::string name = orderly             ? "exit"
                           : signal == SIGTERM ? "SIGTERM"
                           : signal == SIGSEGV ? "SIGSEGV"
                                               : "SIGABRT";
  if (sanitized && signal == SIGSEGV)
    GTEST_SKIP() << "the sanitizer takes the signal and writes a report of its own";
  Outcome outcome;
  const json report = kokkos_json({how}, &outcome);
  if (orderly) {
    EXPECT_EQ(outcome.status, 3);
  } else {
    EXPECT_EQ(outcome.signal, signal) << "the program still ends as it would without the tool";
  }
  EXPECT_EQ(report["ended"], name);
  EXPECT_EQ(only(report["compute"], {{"name", "axpy"}, {"region", {"open"}}})["reached"], 1);
  const json region = only(report["regions"], {{"name", "open"}});
  EXPECT_EQ(region["reached"], 1);
  EXPECT_EQ(region["unfinished"], 1);
  EXPECT_TRUE(region["elapsed_us"].is_null());

  const TextReport text = parse_text(
      std::regex_replace(run_kokkos({how}).err,
                         std::regex("(terminate called|as asked|Kokkos::Cuda ERROR)[^\n]*\n"), ""));
  EXPECT_EQ(count_of(text, "region open", "axpy", "kernel launched"), 1);
  for (const TextItem& item : text.items)
    if (item.what == "region reached" && item.region == "region open") {
      EXPECT_EQ(item.rest, " (1 unfinished)");
    }
}

INSTANTIATE_TEST_SUITE_P(All, AccTimeEnd,
                         testing::Values("exit", "quick_exit", "abort", "throw", "kokkos_abort",
                                         "term", "segv", "fault", "overflow", "overflow_thread"),
                         [](const auto& test) { return std::string(test.param); });

/// In a folder where others may write: they can know the name that a report has until it is whole.
TEST(AccTimeKokkos, WritesThroughNoLinkOfOthers) {
  const Directory directory;
  std::ofstream(directory / "mine") << "mine";
  const std::string file = directory / "report.json";
  const std::string line =
      "ln -s mine '" + file + ".part'$$ && exec '" + kokkos_program + "' exit"; // of one number
  const Outcome outcome = run({"/bin/sh", "-c", line}, {{"KOKKOS_TOOLS_LIBS", library},
                                                        {"GANGWAY_ACC_TIME", "json:" + file}});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_EQ(contents(directory / "mine"), "mine");
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_EQ(json::parse(contents(file))["ended"], "exit");
  EXPECT_EQ(directory.files().size(), 2U);
}

// A device that is lost ends Gangway's own programs with a message and status 2: by a runtime that
// calls exit, or by Kokkos, which aborts. Played by libraries that do so.

/// Runs a program of bin/ in a folder of its own, which has a matrix; the report that it leaves
/// there beside nothing else.
json report_of_lost(std::vector<std::string> command, Environment environment,
                    const std::string& ended, const std::string& at_work) {
  command[0] = beside_program("../../bin/" + command[0]);
  const Directory directory;
  std::ofstream(directory / "a.mtx") << "%%MatrixMarket matrix coordinate real symmetric\n"
                                        "3 3 5\n1 1 4\n2 2 4\n3 3 4\n2 1 -1\n3 2 -1\n";
  environment["GANGWAY_ACC_TIME"] = "json:report.json";
  const Outcome outcome = run(command, environment, directory.path());
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  const std::string how = ended == "exit" ? ": a library ended the program while it was at work on "
                                          : ": the program was aborted while it was at work on ";
  EXPECT_NE(outcome.err.find(how + at_work + ";"), std::string::npos) << outcome.err;
  std::vector<std::string> files = directory.files();
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (std::vector<std::string>{"a.mtx", "report.json"})) << outcome.err;
  json report = json::parse(contents(directory / "report.json"));
  EXPECT_EQ(report["ended"], ended);
  EXPECT_EQ(report["events_lost"], 0);
  return report;
}

class AccTimeLostDevice : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    if (!fs::exists(beside_program("../../bin/gangway")))
      GTEST_SKIP() << "built without the studies";
  }
  [[nodiscard]] static std::string ended() {
    return GetParam() == std::string("exit") ? "exit" : "SIGABRT";
  }
};

TEST_P(AccTimeLostDevice, InAKernel) {
  struct Program {
    std::vector<std::string> command;
    int lost_at; ///< the kernel, counted from one
    std::string at_work;
    std::string kernel; ///< that was launched before
  };
  const std::string fake = beside_program("../../bin/fake/lost_in_kernel.so");
  const std::string tools = library + ";" + fake;
  for (const Program& program : std::vector<Program>{
           {{"heat", "--rows", "8", "--columns", "8", "--sweeps", "20", "--checkpoint", "lost"},
            6,
            "the sweeps after number 0",
            "jacobi/"},
           {{"cg", "a.mtx", "-o", "lost.mtx"}, 9, "the solution for a.mtx", "cg/product"},
           {{"mandelbrot", "--width", "64", "--height", "64", "lost.png"},
            2,
            "the picture lost.png",
            "mandelbrot/"},
           {{"gangway", "run", "saxpy", "--set", "n=1000", "--variant", "range",
             "--openacc-library", "none", "--rounds", "100", "--json", "lost.json"},
            41,
            "kokkos range of saxpy",
            "saxpy/"}}) {
    SCOPED_TRACE(program.command[0]);
    const json report = report_of_lost(program.command,
                                       {{"KOKKOS_TOOLS_LIBS", tools},
                                        {"LOST_AT", std::to_string(program.lost_at)},
                                        {"LOST_BY", GetParam()}},
                                       ended(), program.at_work);
    long launched = 0;
    for (const json& construct : report["compute"])
      if (construct["name"].get<std::string>().starts_with(program.kernel))
        launched += construct["reached"].get<long>();
    EXPECT_GE(launched, 1) << report.dump(1);
    EXPECT_LT(launched, program.lost_at);
  }
}

TEST_P(AccTimeLostDevice, InOpenacc) {
  const std::string fake = beside_program(std::string("../../bin/fake/") +
                                          (ended() == "exit" ? "lost_device.so" : "aborting.so"));
  const json report =
      report_of_lost({"gangway", "run", "spmv", "--set", "matrix=a.mtx", "--variant", "default",
                      "--rounds", "3", "--openacc-library", fake, "--json", "lost.json"},
                     {{"KOKKOS_TOOLS_LIBS", library}, {"ACC_PROFLIB", library}}, ended(),
                     "openacc default of spmv");
  EXPECT_EQ(only(report["compute"], {{"name", "spmv/default"}})["reached"], 1) << "Kokkos' own";
}

INSTANTIATE_TEST_SUITE_P(All, AccTimeLostDevice, testing::Values("exit", "abort"),
                         [](const auto& test) { return std::string(test.param); });

TEST(AccTimeKokkos, KilledItLeavesNothing) {
  const Directory directory;
  const Outcome outcome =
      run_kokkos({"kill"}, {{"GANGWAY_ACC_TIME", "json:" + (directory / "report.json").string()}});
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_TRUE(directory.files().empty());
}

TEST(AccTimeKokkos, AForkedChildWritesNoReport) {
  for (const char* how : {"exit", "quick_exit", "abort", "term", "kill"}) {
    Outcome outcome;
    const json report = kokkos_json({"fork", how}, &outcome);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(report["ended"], "exit");
    EXPECT_EQ(only(report["compute"], {{"name", "parent"}})["reached"], 2) << how;
    EXPECT_TRUE(report["regions"].empty()) << "the child's are not the parent's";
    EXPECT_EQ(lines_with(run_kokkos({"fork", how}).err, "Accelerator Timing data"), 1) << how;
  }
}

TEST(AccTimeKokkos, NotifyByBits) {
  const auto lines = [](const char* bits) {
    const std::string err = run_kokkos({"counts"}, {{"GANGWAY_ACC_NOTIFY", bits}}).err;
    return err.substr(0, err.find("Accelerator Timing data"));
  };
  const std::string launches = lines("1");
  EXPECT_EQ(lines_with(launches, "launch kernel name=axpy region=solve device="), 6);
  EXPECT_EQ(lines_with(launches, "launch kernel name=dot region=norm device="), 4);
  EXPECT_TRUE(std::regex_search(
      launches, std::regex("launch kernel name=shaped device=[A-Za-z]+ 0 threadid=1 num_gangs=1000 "
                           "num_workers=4 vector_length=32\n")))
      << launches;
  EXPECT_TRUE(std::regex_search(launches, std::regex("name=shaped .* tile=8x32\n")));
  EXPECT_EQ(launches.find(" data "), std::string::npos);
  const std::string transfers = lines("2");
  EXPECT_EQ(lines_with(transfers, "launch "), 0);
  const auto count = [](const std::string& text, const char* pattern) {
    const std::regex wanted(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), wanted),
                         std::sregex_iterator());
  };
  EXPECT_EQ(count(transfers, " data variable=x source=host .*bytes=8000\n"), 3);
  EXPECT_EQ(count(transfers, " data variable="), 6) << "fills and copies of nothing are not shown";
  const std::string both = lines("3");
  EXPECT_EQ(lines_with(both, "launch kernel"), lines_with(launches, "launch kernel"));
  EXPECT_EQ(count(both, " data variable="), 6);
  EXPECT_EQ(lines_with(lines("4"), "enter region name=norm region=solve"), 1);
  EXPECT_GE(lines_with(lines("8"), "wait name=the program's own fence"), 1);
  EXPECT_EQ(count(lines("16"), "allocate name=between space=[A-Za-z]+ bytes=80\n"), 3);
  EXPECT_EQ(lines(""), "");
  EXPECT_NE(lines("many").find("GANGWAY_ACC_NOTIFY=many"), std::string::npos);
}

// --- other tools ----------------------------------------------------------------------------

std::string other_tool_line(const std::string& out) {
  std::smatch match;
  return std::regex_search(out, match, std::regex("other tool: .*")) ? match.str() : "";
}

TEST(AccTimeTools, TwoToolsAtOnce) {
  const std::string list = library + ";" + other_tool;
  const Directory directory;
  const Outcome outcome = run({kokkos_program, "counts"},
                              {{"KOKKOS_TOOLS_LIBS", list},
                               {"GANGWAY_ACC_TIME", "json:" + (directory / "two.json").string()}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json report = json::parse(contents(directory / "two.json"));
  EXPECT_EQ(only(report["compute"], {{"name", "axpy"}, {"region", {"solve"}}})["reached"], 6);
  EXPECT_EQ(only(report["regions"], {{"name", "norm"}})["reached"], 1);
  // The other tool got everything, with numbers of its own: kernels are 6 + 5 of axpy and dot, 5
  // shaped, and Kokkos' own; scans it does not ask for.
  int kernels = 0;
  for (const json& construct : report["compute"])
    if (construct["construct"] != "parallel_scan")
      kernels += construct["reached"].get<int>();
  const std::string n = std::to_string(kernels);
  std::string copies = "0";
  int copy_count = 0;
  for (const auto* const array : {"transfers", "fills"})
    for (const json& element : report[array])
      copy_count += element["reached"].get<int>();
  copies = std::to_string(copy_count);
  const std::string line = other_tool_line(outcome.out);
  EXPECT_EQ(line.substr(0, line.rfind(' ')),
            "other tool: sequence 1 kernels " + n + " ended " + n + " wrong 0 copies " + copies +
                " pushed 2 popped 2 fences 1 allocations 1 sections 2 metadata");
  EXPECT_GE(std::stoi(line.substr(line.rfind(' '))), 7); // Kokkos declares some of its own
}

TEST(AccTimeTools, ListFromTheCommandLine) {
  const std::string list = library + ";" + other_tool;
  const Outcome outcome = run({kokkos_program, "counts", "--kokkos-tools-libs=" + list}, {});
  EXPECT_NE(other_tool_line(outcome.out), "") << outcome.err;
  EXPECT_EQ(count_of(parse_text(outcome.err), "region solve", "axpy", "kernel launched"), 6);
}

TEST(AccTimeTools, TwiceInTheListIsOnce) {
  const std::string list = library + ";" + library + ";" + other_tool;
  const Outcome outcome = run({kokkos_program, "counts"}, {{"KOKKOS_TOOLS_LIBS", list}});
  EXPECT_NE(other_tool_line(outcome.out).find("sequence 2 "), std::string::npos) << outcome.out;
  EXPECT_EQ(count_of(parse_text(outcome.err), "region solve", "axpy", "kernel launched"), 6);
}

TEST(AccTimeTools, SwitchedOffItStillPassesOn) {
  const std::string list = library + ";" + other_tool;
  const Outcome outcome =
      run({kokkos_program, "counts"}, {{"KOKKOS_TOOLS_LIBS", list}, {"GANGWAY_ACC_TIME", "off"}});
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(other_tool_line(outcome.out).find(" wrong 0 "), std::string::npos) << outcome.out;
}

TEST(AccTimeTools, AMissingNextToolIsSaid) {
  const Outcome outcome =
      run({kokkos_program, "counts"}, {{"KOKKOS_TOOLS_LIBS", library + ";/no/such/tool.so"}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("cannot load the tool /no/such/tool.so"), std::string::npos);
}

// --- where it is written --------------------------------------------------------------------

TEST(AccTimeOutput, AFileThatCannotBeWrittenBecomesText) {
  const Directory directory;
  const std::string missing = (directory / "missing/report.json").string();
  const Outcome outcome = run_kokkos({"counts"}, {{"GANGWAY_ACC_TIME", "json:" + missing}});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("cannot write " + missing), std::string::npos) << outcome.err;
  EXPECT_EQ(count_of(parse_text(outcome.err), "region solve", "axpy", "kernel launched"), 6);
  EXPECT_TRUE(directory.files().empty());
}

TEST(AccTimeOutput, WholeOrNotAtAll) {
  const Directory directory;
  fs::create_directory(directory / "taken"); // can be written beside, not replaced
  const Outcome outcome =
      run_kokkos({"counts"}, {{"GANGWAY_ACC_TIME", "json:" + (directory / "taken").string()}});
  EXPECT_NE(outcome.err.find("cannot write"), std::string::npos);
  EXPECT_EQ(directory.files(), std::vector<std::string>{"taken"}) << "no part is left behind";
}

TEST(AccTimeOutput, ALimitOfFileSizesIsAFullDisk) {
  const Directory directory;
  const std::string file = (directory / "report.json").string();
  const Outcome outcome =
      run({"/bin/sh", "-c", "ulimit -f 8; exec \"$0\" nested 200 2> /dev/null", kokkos_program},
          {{"KOKKOS_TOOLS_LIBS", library}, {"GANGWAY_ACC_TIME", "json:" + file}});
  EXPECT_EQ(outcome.signal, 0) << "the program itself wrote nothing";
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(directory.files().empty()) << "no part is left behind";
}

TEST(AccTimeOutput, LinksOfOthersAreNotWrittenInto) {
  const Directory directory;
  std::ofstream(directory / "precious") << "precious";
  // What the report writes first is named by the process' number, which the shell knows.
  const std::string line = "ln -s precious report.json.part$$; export KOKKOS_TOOLS_LIBS=\"$1\"; "
                           "GANGWAY_ACC_TIME=json:report.json exec \"$0\" exit";
  const Outcome outcome =
      run({"/bin/sh", "-c", line, kokkos_program, library}, {}, directory.path());
  EXPECT_EQ(contents(directory / "precious"), "precious") << outcome.err;
  EXPECT_EQ(json::parse(contents(directory / "report.json"))["ended"], "exit");
  EXPECT_EQ(directory.files().size(), 2U);
}

TEST(AccTimeOutput, WhatIsNoPlainFileIsNeverReplaced) {
  const Directory directory;
  const std::string pipe = directory / "pipe"; // for /dev/null, which root could lose
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const Outcome outcome = run_kokkos({"counts"}, {{"GANGWAY_ACC_TIME", "json:" + pipe}});
  EXPECT_EQ(outcome.err, "");
  std::string text(60'000, '\0');
  const ssize_t length = read(reader, text.data(), text.size());
  close(reader);
  ASSERT_GT(length, 0);
  EXPECT_EQ(json::parse(text.substr(0, static_cast<std::size_t>(length)))["ended"], "exit");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(directory.files(), std::vector<std::string>{"pipe"});
}

TEST(AccTimeOutput, ALinkStaysALink) {
  const Directory directory;
  std::ofstream(directory / "file") << "before";
  fs::create_symlink(directory / "file", directory / "link");
  run_kokkos({"exit"}, {{"GANGWAY_ACC_TIME", "json:" + (directory / "link").string()}});
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_EQ(json::parse(contents(directory / "file"))["ended"], "exit");
}

TEST(AccTimeOutput, TextToAFileNamedByProcess) {
  const Directory directory;
  const Outcome outcome =
      run({kokkos_program, "counts"},
          {{"KOKKOS_TOOLS_LIBS", library}, {"GANGWAY_ACC_TIME", "text:report-%p.txt"}},
          directory.path()); // a relative name
  EXPECT_EQ(outcome.err, "");
  ASSERT_EQ(directory.files().size(), 1U);
  EXPECT_TRUE(std::regex_match(directory.files()[0], std::regex("report-[0-9]+\\.txt")));
  const TextReport text = parse_text(contents(directory / directory.files()[0]));
  EXPECT_EQ(count_of(text, "region solve", "axpy", "kernel launched"), 6);
}

TEST(AccTimeOutput, AnUnknownSettingIsSaid) {
  const Outcome outcome = run_kokkos({"counts"}, {{"GANGWAY_ACC_TIME", "jsn:x"}});
  EXPECT_NE(outcome.err.find("GANGWAY_ACC_TIME=jsn:x is none of"), std::string::npos);
  EXPECT_EQ(count_of(parse_text(outcome.err), "region solve", "axpy", "kernel launched"), 6);
}

// --- a device, played -----------------------------------------------------------------------

TEST(AccTimeDevice, DirectionsAndBytes) {
  const json report = hooks_json("copies");
  const auto expect = [&](const char* to, const char* from, const char* direction, int count,
                          int bytes) {
    const json transfer =
        only(report["transfers"], {{"name", to}, {"from", from}, {"direction", direction}});
    EXPECT_EQ(transfer["reached"], count) << to;
    EXPECT_EQ(transfer["bytes"], bytes) << to;
  };
  EXPECT_EQ(report["transfers"].size(), 9U);
  expect("x", "x_host", "copyin", 3, 3000);
  expect("y_host", "y", "copyout", 2, 1000);
  expect("x", "pinned", "copyin", 1, 70);
  expect("pinned", "x_host", "host", 1, 7);
  expect("managed", "x", "device", 1, 30);
  expect("Scalar", "total", "copyout", 1, 8);
  expect("empty", "empty", "nothing", 1, 0);
  expect("strided", "x", "device", 1, 800);
  const json fill = only(report["fills"], {{"name", "x"}});
  EXPECT_EQ(fill["bytes"], 4000);
  EXPECT_EQ(fill["space"], "Cuda");
  // A copy within a kernel within a copy: each end goes to its own beginning.
  const json inner = only(report["transfers"], {{"name", "inner"}});
  EXPECT_EQ(inner["bytes"], 60);
  EXPECT_EQ(inner["within"], "Kokkos::ViewCopy-2D");
  const json kernel = only(report["compute"], {{"name", "Kokkos::ViewCopy-2D"}});
  EXPECT_EQ(kernel["within"], "strided");
  EXPECT_EQ(kernel["device"], "Cuda 0");
  for (const json& transfer : report["transfers"])
    EXPECT_EQ(transfer["unfinished"], 0);

  const TextReport text = parse_text(run({hooks_program, library, "copies"}, {}).err);
  EXPECT_EQ(count_of(text, "outside of regions", "x from x_host", "data copyin transfers"), 3);
  EXPECT_EQ(count_of(text, "outside of regions", "y_host from y", "data copyout transfers"), 2);
}

TEST(AccTimeDevice, EndsThatHaveNoBeginning) {
  const json report = hooks_json("unmatched");
  EXPECT_EQ(only(report["compute"], {{"name", "first"}})["reached"], 1);
  EXPECT_EQ(only(report["compute"], {{"name", "second"}})["unfinished"], 0);
  EXPECT_EQ(only(report["compute"], {{"name", "left open"}})["unfinished"], 1);
  EXPECT_EQ(only(report["regions"], {{"name", "crossing"}})["unfinished"], 0);
}

TEST(AccTimeDevice, ManyThreads) {
  const json report = hooks_json("threads");
  int kernels = 0;
  ASSERT_EQ(report["compute"].size(), 10U) << "equal kernels of different threads are one";
  for (const json& construct : report["compute"])
    kernels += construct["kernels"][0]["launched"].get<int>();
  EXPECT_EQ(kernels, 25 * 8 * 1000);
  const json host = only(report["memory"], {{"space", "Host"}});
  EXPECT_EQ(host["allocations"], 25 * 8 * 1000);
  EXPECT_EQ(host["end_bytes"], 0);
  EXPECT_GE(host["peak_bytes"], 100);
  EXPECT_LE(host["peak_bytes"], 800);
}

TEST(AccTimeDevice, AHundredThousandLabels) {
  const json report = hooks_json("labels");
  ASSERT_EQ(report["compute"].size(), 100'000U);
  for (std::size_t i = 0; i < report["compute"].size();
       ++i) { // in the order in which they were met
    const json& construct = report["compute"][i];
    ASSERT_EQ(construct["name"], "kernel " + std::to_string(i));
    ASSERT_EQ(construct["kernels"][0]["launched"], 3);
  }
}

TEST(AccTimeDevice, TenMillionLaunches) {
  Outcome outcome;
  const json report = json_of({hooks_program, library, "launches"}, {}, &outcome);
  EXPECT_EQ(only(report["compute"], {{"name", "solver::axpy"}})["reached"], 10'000'000);
  RecordProperty("nanoseconds", outcome.out);
}

TEST(AccTimeDevice, ExitWhileOthersRecord) {
  for (int i = 0; i < 3; ++i)
    EXPECT_GT(hooks_json("busy_exit")["compute"].size(), 0U);
}

TEST(AccTimeDevice, OpenaccLaunchesAndTransfers) {
  const json report = hooks_json("openacc");
  EXPECT_EQ(report["models"], json({"openacc"}));
  json construct;
  for (const json& candidate : report["compute"])
    if (!candidate["kernels"].empty() &&
        candidate["kernels"][0]["name"].get<std::string>().starts_with("axpy"))
      construct = candidate;
  ASSERT_FALSE(construct.is_null()) << report.dump(1);
  EXPECT_EQ(construct["reached"], 3);
  EXPECT_EQ(construct["device"], "OpenACC NVIDIA 0");
  EXPECT_TRUE(construct["file"].is_null());
  EXPECT_NE(construct["name"].get<std::string>().find("+0x"), std::string::npos)
      << "no name was said, so it is an address: " << construct["name"];
  const json& kernel = construct["kernels"][0];
  EXPECT_EQ(kernel["name"], "axpy(int, double, double const*, double*) #0");
  EXPECT_EQ(kernel["launched"], 3);
  EXPECT_EQ(kernel["shape"], json({{"gangs", 108}, {"workers", 1}, {"vector", 128}}));
  expect_timing(kernel["elapsed_us"], 3);
  EXPECT_GE(kernel["elapsed_us"]["min"], 20'000) << "until the kernel has ended";

  const json asynchronous = [&] {
    for (const json& candidate : report["compute"])
      for (const json& launch : candidate["kernels"])
        if (launch["asynchronous"])
          return launch;
    return json();
  }();
  EXPECT_EQ(asynchronous["name"], "plain_c #1");
  EXPECT_LT(asynchronous["elapsed_us"]["max"], 20'000) << "only until it is enqueued";

  int in = 0;
  int in_bytes = 0;
  for (const json& transfer : report["transfers"]) {
    if (transfer["within"].is_null() || !transfer["name"].get<std::string>().empty())
      continue;
    if (transfer["direction"] == "copyin") {
      in += transfer["reached"].get<int>();
      in_bytes += transfer["bytes"].get<int>();
    } else {
      EXPECT_EQ(transfer["direction"], "copyout");
      EXPECT_EQ(transfer["reached"], 3);
      EXPECT_EQ(transfer["bytes"], 1500);
    }
  }
  EXPECT_EQ(in, 6);
  EXPECT_EQ(in_bytes, 4500);
  const json memory = only(report["memory"], {{"space", "OpenACC NVIDIA 0"}});
  EXPECT_EQ(memory["allocations"], 6);
  EXPECT_EQ(memory["frees"], 6);
  EXPECT_EQ(memory["peak_bytes"], 1500);
  EXPECT_EQ(memory["end_bytes"], 0);
  EXPECT_EQ(report["waits"].size(), 1U);

  // A compiler that says more is shown with more.
  const json named = only(report["compute"], {{"name", "MatrixMult"}, {"line", 26}});
  EXPECT_EQ(named["file"], "/home/somebody/matrix.c");
  EXPECT_EQ(named["reached"], 5);
  EXPECT_EQ(named["kernels"][0]["name"], "MatrixMult_26_gpu");
  EXPECT_EQ(named["kernels"][0]["shape"],
            json({{"gangs", 8}, {"workers", "auto"}, {"vector", 128}}));
  for (const char* kind : {"data region", "data region end", "enter data", "exit data", "update"})
    EXPECT_EQ(only(report["data"], {{"name", "MatrixMult"}, {"kind", kind}})["reached"], 1) << kind;
  // The construct's own regions allocate, copy and release; the end of the other, at line 35, does
  // nothing.
  for (const json& data : report["data"])
    if (data["kind"] == "data region" || data["kind"] == "data region end") {
      EXPECT_EQ(data["found_present"], data["line"] == 35 ? 1 : 0) << data.dump();
      EXPECT_EQ(data["in_place"], 0);
    }
  const json variable = only(report["transfers"], {{"name", "a"}});
  EXPECT_EQ(variable["bytes"], 4096);
  EXPECT_EQ(variable["within"], "MatrixMult");

  const TextReport text = parse_text(run({hooks_program, library, "openacc"}, {}).err);
  EXPECT_EQ(
      count_of(text, "outside of regions", "matrix.c MatrixMult 26", "compute region reached"), 5);
  EXPECT_EQ(count_of(text, "outside of regions", "matrix.c MatrixMult 19", "data region reached"),
            1);
  EXPECT_EQ(count_of(text, "outside of regions", "a", "data copyin transfers"), 1);
}

// --- OpenACC --------------------------------------------------------------------------------

class AccTimeOpenacc : public testing::Test {
protected:
  void SetUp() override {
    if (!fs::exists(openacc_program))
      GTEST_SKIP() << "built without OpenACC";
  }
  static json report_of(const std::vector<std::string>& arguments, Outcome* outcome = nullptr) {
    std::vector<std::string> command{openacc_program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return json_of(command, {{"ACC_PROFLIB", library}}, outcome);
  }
  /// How often constructs of a function were reached: which address they have is the compiler's
  /// choice.
  static int reached(const json& array, const std::string& function,
                     const json& members = json::object()) {
    int count = 0;
    for (const json& element : array) {
      bool matches = element["name"].get<std::string>().starts_with(function);
      for (const auto& [key, value] : members.items())
        matches = matches && element[key] == value;
      if (matches)
        count += element["reached"].get<int>();
    }
    return count;
  }
};

TEST_F(AccTimeOpenacc, ConstructsAndDataAreCountedExactly) {
  Outcome outcome;
  const json report = report_of({}, &outcome);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out, "");
  EXPECT_EQ(report["models"], json({"openacc"}));
  int constructs = 0;
  for (const json& construct : report["compute"]) {
    constructs += construct["reached"].get<int>();
    expect_timing(construct["elapsed_us"], construct["reached"].get<int>());
    EXPECT_TRUE(construct["device"].is_string());
    for (const json& kernel : construct["kernels"])
      EXPECT_EQ(kernel["launched"], construct["reached"]) << "one kernel a construct";
  }
  EXPECT_EQ(constructs, 3 + 5 + 1);
  int regions = 0;
  for (const json& data : report["data"])
    if (data["within"].is_null() && data["kind"] == "data region")
      regions += data["reached"].get<int>();
  EXPECT_EQ(regions, 1);
  for (const json& data : report["data"])
    if (data["kind"] == "data region" && report["compute"][0]["device"] == "OpenACC host") {
      EXPECT_EQ(data["in_place"], data["reached"]) << "a host moves nothing";
    }
  EXPECT_EQ(reached(report["data"], "", {{"kind", "update"}}), 2);
  EXPECT_EQ(reached(report["data"], "", {{"kind", "enter data"}}), 1);
  EXPECT_EQ(reached(report["data"], "", {{"kind", "exit data"}}), 1);
  if (report["compute"][0]["device"] == "OpenACC host") {
    EXPECT_TRUE(report["transfers"].empty()) << "the host fallback moves nothing";
    // GCC says no names: they come from the program's own symbols.
    EXPECT_EQ(reached(report["compute"], "axpy(int, double, double const*, double*)+0x"), 8);
    EXPECT_EQ(reached(report["compute"], "dot(int, double const*, double const*)+0x"), 1);
    EXPECT_EQ(reached(report["data"], "main+0x"), 6);
  } else if (report["transfers_reported"]) {
    int in = 0;
    int out = 0;
    for (const json& transfer : report["transfers"])
      (transfer["direction"] == "copyin" ? in : out) += transfer["bytes"].get<int>();
    // GCC's runtime says nothing of transfers; CUPTI does.
    for (const json& data : report["data"]) {
      if (data.contains("device_copyin"))
        in += data["device_copyin"]["bytes"].get<int>();
      if (data.contains("device_copyout"))
        out += data["device_copyout"]["bytes"].get<int>();
    }
    EXPECT_GE(in, 8000 * (6 + 2 + 1 + 1));
    EXPECT_GE(out, 8000 * (3 + 1 + 2));
    EXPECT_LT(in + out, 8000 * 17) << "each is counted once";
  }
}

TEST_F(AccTimeOpenacc, TextSaysWhatJsonSays) {
  const json report = report_of({});
  const TextReport text = parse_text(run({openacc_program}, {{"ACC_PROFLIB", library}}).err);
  for (const json& construct : report["compute"])
    EXPECT_EQ(count_of(text, "outside of regions", construct["name"], "compute region reached"),
              construct["reached"]);
  for (const json& data : report["data"])
    EXPECT_EQ(count_of(text, "outside of regions", data["name"],
                       data["kind"].get<std::string>() + " reached"),
              data["reached"]);
}

TEST_F(AccTimeOpenacc, NothingIsLostAtTheEnd) {
  Outcome outcome;
  EXPECT_EQ(report_of({"abort"}, &outcome)["ended"], "SIGABRT");
  EXPECT_EQ(outcome.signal, SIGABRT);
  const json report = report_of({"exit"}, &outcome);
  EXPECT_EQ(report["ended"], "exit");
  EXPECT_EQ(outcome.status, 3);
  int constructs = 0;
  for (const json& construct : report["compute"])
    constructs += construct["reached"].get<int>();
  EXPECT_EQ(constructs, 9);
}

TEST_F(AccTimeOpenacc, TwiceInTheListIsOnce) {
  const Outcome outcome = run({openacc_program}, {{"ACC_PROFLIB", library + ";" + library}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  long constructs = 0;
  for (const TextItem& item : parse_text(outcome.err).items)
    if (item.what == "compute region reached")
      constructs += item.count;
  EXPECT_EQ(constructs, 9);
}

} // namespace
