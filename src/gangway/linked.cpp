// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/linked.hpp"

#include <exception>

namespace gangway {

void LinkedData::attach_all(const void* first, std::size_t count, const detail::Clause& clause) {
  _attached.reserve(_attached.size() + 1); // so that noting it cannot fail once it is done
  detail::attach(first, count, clause);
  _attached.push_back({first, count});
}

void LinkedData::detach_all() {
  while (!_attached.empty()) {
    const Attached last = _attached.back();
    _attached.pop_back();
    try {
      detail::detach(last.first, last.count, false, {"detach", {}, {}});
      // NOLINTNEXTLINE(bugprone-empty-catch): Data's end has the same to say
    } catch (const std::exception&) {
    }
  }
}

} // namespace gangway
