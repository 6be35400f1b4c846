// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A target that fails when it is told to, for the test of the driver.
#include "fuzz.hpp"

#include <limits>
#include <stdexcept>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("throw"))
    throw std::runtime_error("as told");
  gangway::fuzz::require(!text.starts_with("stop"), "it goes on", text);
  if (text.starts_with("overflow")) { // for a sanitizer, while standard error is the target's
    const gangway::fuzz::MemoryFile errors;
    const gangway::fuzz::ErrorsTo there(errors.descriptor());
    volatile int largest = std::numeric_limits<int>::max();
    largest = largest + 1;
  }
  while (text == "stay here for ever")
    sleep(1);
  return text == "fail" ? 1 : 0;
}
