// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/linked.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

namespace gangway {

void LinkedData::attach_all(std::vector<detail::Pointer> pointers, std::source_location where) {
  if (pointers.empty())
    return;
  // Each once, so that what is detached again is what was attached.
  const auto before = [](const detail::Pointer& one, const detail::Pointer& other) {
    return std::less<>()(one.at, other.at);
  };
  const auto same = [](const detail::Pointer& one, const detail::Pointer& other) {
    return one.at == other.at;
  };
  std::stable_sort(pointers.begin(), pointers.end(), before);
  pointers.erase(std::unique(pointers.begin(), pointers.end(), same), pointers.end());
  _attached.push_back(std::move(pointers)); // so that noting it cannot fail once it is done
  try {
    detail::attach(_attached.back(), where);
  } catch (...) {
    _attached.pop_back();
    throw;
  }
}

void LinkedData::detach_all() {
  while (!_attached.empty()) {
    const std::vector<detail::Pointer> last = std::move(_attached.back());
    _attached.pop_back();
    try {
      detail::detach(last, false, {"detach", {}, {}});
      // NOLINTNEXTLINE(bugprone-empty-catch): Data's end has the same to say
    } catch (const std::exception&) {
    }
  }
}

} // namespace gangway
