// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/tuning.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

namespace gangway {
namespace {

// A table is a C++ string literal as well, so that the compiler reads the same file as people do.
constexpr std::string_view first_line = "R\"table(";
constexpr std::string_view last_line = ")table\"";

// A comment to those who wrote tables before there were versions, and to people.
constexpr std::string_view version_line = "# gangway-tuning/";
constexpr std::string_view version = "1";

constexpr std::string_view heading =
    "# The fastest shape of each kernel, by device: what gangway::tuned() gives. Written by\n"
    "# `gangway tune`; docs/tuning.md says more. The ratio is that of the kernel's own shape to\n"
    "# this one, with its 95 % interval; 1 1 1: nothing was faster, and the kernel takes its own.\n"
    "#\n"
    "# kernel architecture workers vector items ratio low high date commit problem, device\n";

constexpr const char* form = "kernel architecture workers vector items ratio low high date commit "
                             "problem, device";

/// The next word of the line, which is taken off it; empty at its end.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

/// What a message quotes of a line: in what is no table it may be of any length and have bytes that
/// steer a terminal.
std::string printable(std::string_view word) {
  constexpr std::size_t most = 60;
  std::string text(word.substr(0, most));
  std::replace_if(
      text.begin(), text.end(), [](char byte) { return byte < ' ' || byte > '~'; }, '?');
  return text + (word.size() > most ? "…" : "");
}
std::string shown(std::string_view word) {
  return "'" + printable(word) + "'";
}

template <class T>
bool read_number(std::string_view word, T& number) {
  const char* const begin = word.begin();
  const char* const end = word.end();
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error == std::errc{} && stop == end;
}

TuningEntry parse_entry(std::string_view line) {
  TuningEntry entry;
  const auto text = [&](std::string& field, const char* name) {
    field = next_word(line);
    if (field.empty())
      throw TuningError(std::string("the line ends before its ") + name + "; a line is: " + form);
  };
  const auto number = [&](auto& field, const char* name) {
    const std::string_view word = next_word(line);
    if (!read_number(word, field))
      throw TuningError(std::string(name) + " is " + shown(word) +
                        ", which is no number; a line is: " + form);
  };
  text(entry.kernel, "kernel");
  text(entry.architecture, "architecture");
  number(entry.mapping.clauses.workers, "workers");
  number(entry.mapping.clauses.vector, "vector");
  number(entry.mapping.items_per_worker, "items");
  number(entry.ratio, "ratio");
  number(entry.low, "low");
  number(entry.high, "high");
  text(entry.date, "date");
  text(entry.commit, "commit");
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.empty())
    throw TuningError(std::string("the line ends before its problem; a line is: ") + form);
  entry.where = line;

  if (entry.architecture.find('/') == std::string::npos)
    throw TuningError("architecture " + shown(entry.architecture) +
                      " is not of the form SPACE/PROCESSOR, such as Cuda/Hopper90");
  if (entry.mapping.clauses.workers < 1 || entry.mapping.clauses.vector < 1)
    throw TuningError("workers and vector are what was measured, numbers from 1 up");
  try {
    validate(entry.mapping.clauses, 1);
  } catch (const ClauseError& refused) {
    throw TuningError(refused.what());
  }
  if (entry.mapping.items_per_worker < 1 || entry.mapping.items_per_worker > most_tuned_items)
    throw TuningError("items is " + std::to_string(entry.mapping.items_per_worker) +
                      "; a worker takes at least 1 and at most " +
                      std::to_string(most_tuned_items));
  if (!(entry.low >= 1 && entry.low <= entry.ratio && entry.ratio <= entry.high))
    throw TuningError("ratio, low and high do not belong together; an entry is faster than the "
                      "kernel's own shape, or is that shape: 1 <= low <= ratio <= high");
  return entry;
}

/// A line that says the format's version must say ours.
void require_version(std::string_view line) {
  if (!line.starts_with(version_line))
    return;
  line.remove_prefix(version_line.size());
  if (next_word(line) != version)
    throw TuningError("this is not version " + std::string(version) +
                      " of the format, the only one that is read here; gangway tune --output "
                      "writes it");
}

bool has(const std::vector<TuningEntry>& entries, const TuningEntry& entry) {
  return find_tuning(entries, entry.kernel, entry.architecture) != nullptr;
}

/// The tables that the program added, to be read at the first lookup.
struct ProgramTables {
  struct Text {
    std::string text;
    std::string name;
  };
  std::vector<Text> texts;
  bool asked_for = false;
};

ProgramTables& program_tables() {
  static ProgramTables tables;
  return tables;
}

std::vector<TuningEntry> whole_table() {
  std::vector<TuningEntry> users;
  if (const std::string file = tuning_table_file(); !file.empty())
    try {
      users = read_tuning_table(file);
    } catch (const TuningError& error) {
      throw TuningError(std::string(tuning_table_variable) + ": " + error.what());
    }
  std::vector<TuningEntry> programs;
  for (const auto& [text, name] : program_tables().texts)
    for (TuningEntry& entry : parse_tuning_table(text, name)) {
      if (has(programs, entry))
        throw TuningError(name + ": " + entry.kernel + " on " + entry.architecture +
                          " is in another table of this program; keep one of the two");
      programs.push_back(std::move(entry));
    }
  program_tables().asked_for = true;
  std::erase_if(programs, [&](const TuningEntry& entry) { return has(users, entry); });
  programs.insert(programs.end(), users.begin(), users.end());
  return programs;
}

} // namespace

std::string tuning_table_file() {
  const char* const file = std::getenv(tuning_table_variable);
  return file != nullptr ? file : "";
}

std::vector<TuningEntry> parse_tuning_table(std::string_view text, const std::string& name) {
  std::vector<TuningEntry> entries;
  std::set<std::pair<std::string, std::string>> seen;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    // A line that keeps a carriage return would be another one once it is written and read again.
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    const auto content = line.find_first_not_of(" \t");
    try {
      require_version(line);
      if (content == std::string_view::npos || line[content] == '#' || line == first_line ||
          line == last_line)
        continue;
      TuningEntry entry = parse_entry(line);
      if (!seen.emplace(entry.kernel, entry.architecture).second)
        throw TuningError("a second entry for " + printable(entry.kernel) + " on " +
                          printable(entry.architecture) + "; keep one of the two");
      entries.push_back(std::move(entry));
    } catch (const TuningError& error) {
      throw TuningError(name + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return entries;
}

std::vector<TuningEntry> read_tuning_table(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw TuningError(name + ": there is no such file; gangway tune --output writes one");
  if (!std::filesystem::is_regular_file(file, error))
    throw TuningError(name + ": is not a file");
  std::ifstream stream(file, std::ios::binary);
  std::string text(most_tuning_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (!stream.is_open() || stream.bad())
    throw TuningError(name + ": cannot be read");
  if (text.size() > most_tuning_bytes)
    throw TuningError(name + ": is larger than " + std::to_string(most_tuning_bytes) +
                      " bytes, which no table is");
  return parse_tuning_table(text, name);
}

std::string tuning_table_text(std::vector<TuningEntry> entries) {
  std::sort(entries.begin(), entries.end(), [](const TuningEntry& a, const TuningEntry& b) {
    return std::tie(a.kernel, a.architecture) < std::tie(b.kernel, b.architecture);
  });
  std::string text(first_line);
  text += '\n';
  text += version_line;
  text += version;
  text += '\n';
  text += heading;
  for (const TuningEntry& entry : entries) {
    std::array<char, 64> ratios{};
    static_cast<void>(std::snprintf(ratios.data(), ratios.size(), "%.4g %.4g %.4g", entry.ratio,
                                    entry.low, entry.high));
    text += entry.kernel + ' ' + entry.architecture + ' ' +
            std::to_string(entry.mapping.clauses.workers) + ' ' +
            std::to_string(entry.mapping.clauses.vector) + ' ' +
            std::to_string(entry.mapping.items_per_worker) + ' ' + ratios.data() + ' ' +
            entry.date + ' ' + entry.commit + ' ' + entry.where + '\n';
  }
  text += last_line;
  text += '\n';
  return text;
}

std::vector<TuningEntry> merge_tuning(std::vector<TuningEntry> entries,
                                      const std::vector<std::string>& kernels,
                                      const std::string& architecture,
                                      const std::vector<TuningEntry>& measured) {
  std::erase_if(entries, [&](const TuningEntry& entry) {
    return entry.architecture == architecture &&
           std::find(kernels.begin(), kernels.end(), entry.kernel) != kernels.end();
  });
  entries.insert(entries.end(), measured.begin(), measured.end());
  return entries;
}

const TuningEntry* find_tuning(const std::vector<TuningEntry>& entries, std::string_view kernel,
                               std::string_view architecture) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const TuningEntry& entry) {
    return entry.kernel == kernel && entry.architecture == architecture;
  });
  return found == entries.end() ? nullptr : &*found;
}

void add_tuning_table(std::string text, std::string name) {
  if (program_tables().asked_for)
    throw TuningError(name + ": a table is added before the first is asked for, at the program's "
                             "beginning");
  program_tables().texts.push_back({std::move(text), std::move(name)});
}

const std::vector<TuningEntry>& tuning_table() {
  static const std::vector<TuningEntry> table = whole_table();
  return table;
}

std::string architecture() {
  const DeviceProperties device = has_device ? device_properties() : host_properties();
  return std::string(Kokkos::DefaultExecutionSpace::name()) + "/" + device.architecture;
}

Mapping tuned_mapping(std::string_view kernel, const Mapping& fallback) {
  static const std::string here = architecture();
  const TuningEntry* const entry = find_tuning(tuning_table(), kernel, here);
  return entry != nullptr && entry->gained() ? entry->mapping : fallback;
}

Clauses tuned(std::string_view kernel, const Clauses& fallback) {
  const Mapping found = tuned_mapping(kernel, {fallback, 1});
  return found.items_per_worker == 1 ? found.clauses : fallback;
}

} // namespace gangway
