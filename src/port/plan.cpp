// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gangway::port {

std::string Unit::fresh(std::string name) const {
  const std::string wanted = name;
  for (int count = 2; words.contains(name) || macros.contains(name); ++count)
    name = fmt::format("{}_{}", wanted, count);
  return name;
}

Outcome Plan::outcome() const {
  Outcome worst = Outcome::translated;
  for (const Verdict& verdict : verdicts)
    worst = std::max(worst, verdict.outcome);
  for (const Remark& remark : remarks)
    worst = std::max(worst, remark.message.outcome());
  return worst;
}

} // namespace gangway::port
