// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/plan.hpp"

#include <algorithm>

namespace gangway::port {

std::string Unit::fresh(std::string name) const {
  while (words.contains(name) || macros.contains(name))
    name += '_';
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
