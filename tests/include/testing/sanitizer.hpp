// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gangway::testing {

/// Whether this is compiled for AddressSanitizer or ThreadSanitizer, under which long computations
/// take minutes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

} // namespace gangway::testing
