// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables of shapes: what is read can be written and read again, and says shapes that can be
// launched; what is refused is refused in one line that names the table's.
#include "fuzz.hpp"

#include "gangway/tuning.hpp"

#include <vector>

namespace {

using namespace gangway;
using fuzz::require;

void require_sound(const std::vector<TuningEntry>& entries) {
  for (const TuningEntry& entry : entries) {
    validate(entry.mapping.clauses, 1);
    require(entry.mapping.items_per_worker >= 1 &&
                entry.mapping.items_per_worker <= most_tuned_items,
            "items a worker");
    require(entry.low >= 1 && entry.low <= entry.ratio && entry.ratio <= entry.high,
            "the interval");
    require(!entry.kernel.empty() && !entry.architecture.empty() && !entry.where.empty(), "words");
    require(find_tuning(entries, entry.kernel, entry.architecture) == &entry, "no other is found");
  }
  const std::string text = tuning_table_text(entries);
  const std::vector<TuningEntry> again = parse_tuning_table(text, "again");
  require(again.size() == entries.size(), "as many when read again", text);
  require(tuning_table_text(again) == text, "the same when written again", text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string refusal;
  try {
    const std::vector<TuningEntry> entries = parse_tuning_table(text, "table");
    require_sound(entries);
    file.assign(text);
    require(read_tuning_table(file.path()) == entries, "the same from a file");
  } catch (const TuningError& error) {
    refusal = error.what();
    require(refusal.starts_with("table:"), "it begins with the table's name", refusal);
    require(fuzz::is_printable(refusal) && refusal.size() < 1000, "it is a line", refusal);
  }
  return 0;
}
