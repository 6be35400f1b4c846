// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `gangway tune` found for the studies, given to every program that has them.
#include "gangway/tuning.hpp"

namespace gangway::studies {
namespace {

[[maybe_unused]] const bool added = [] {
  add_tuning_table(
#include "studies/tuning_table.inc"
      , "src/studies/tuning_table.inc");
  return true;
}();

} // namespace
} // namespace gangway::studies
