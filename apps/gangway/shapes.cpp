// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.hpp"

#include "base/errors.hpp"
#include "gangway/gangway.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace gangway::apps {

using namespace harness;

std::vector<kernels::Mapping> sweep_points(const StudyEntry& study, const ShapeOptions& options) {
  std::vector<int> items = options.items;
  if (items.empty())
    for (int i = 1; i <= study.sweep.most_items_per_worker; i *= 2)
      items.push_back(i);
  std::vector<kernels::Mapping> points;
  for (const int workers : options.workers)
    for (const int vector : options.vector)
      for (const int each : items) {
        if (workers < 1 || vector < 1 || each < 1)
          throw base::UsageError("workers, vector and items are lists of numbers from 1 up");
        // The grid's corners that no gang can hold are left out; what was asked for by name is
        // reported.
        if (static_cast<long>(workers) * vector <= Clauses::most_gang_threads ||
            options.workers.size() == 1)
          points.push_back({{.workers = workers, .vector = vector}, each});
      }
  if (points.empty())
    throw base::UsageError(fmt::format("a gang has at most {} threads, and each of these workers x "
                                       "vector has more",
                                       Clauses::most_gang_threads));
  return points;
}

void require_levels(const StudyEntry& study) {
  if (study.sweep.run)
    return;
  std::vector<std::string> names;
  for (const StudyEntry* entry : studies())
    if (entry->sweep.run)
      names.emplace_back(entry->id);
  throw base::UsageError(
      fmt::format("{} has no levels to sweep; these have: {}", study.id, fmt::join(names, ", ")));
}

} // namespace gangway::apps
