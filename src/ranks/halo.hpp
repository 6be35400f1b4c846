// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// How strips of rows exchange what lies at their borders. Standard C++ only: kernels of both
/// models call it, and this header is also read by the OpenACC compiler.
namespace gangway::ranks {

/// What a strip gives to the strips above and below it, and where it wants what they give, each
/// `bytes` long. All in host memory, or all in the memory that kernels use.
struct Border {
  const void* first; ///< the strip's own first rows, for the one above
  const void* last;  ///< its own last rows, for the one below
  void* above;       ///< for the last rows of the one above
  void* below;       ///< for the first rows of the one below
  std::size_t bytes;
};

/// One rank's strip, among those of all ranks. What it does is of all ranks that have rows, and
/// `largest` of all ranks. A strip at the plate's edge, or alone, gives and takes nothing there.
class Halo {
public:
  virtual ~Halo() = default;

  /// Of arrays in host memory: what `update self` brought, and `update device` takes away. Returns
  /// when all of it is there.
  virtual void exchange_on_host(const Border& border) = 0;

  /// Of arrays where kernels find them: what `host_data use_device` gives. Whatever wrote `first`
  /// and `last` has to be done. Returns at once, or, where they go through host buffers, when
  /// these are filled. Until `finish` nothing may write any of it.
  virtual void start(const Border& border) = 0;
  /// Returns when what was started is where kernels find it.
  virtual void finish() = 0;

  /// Over all ranks.
  [[nodiscard]] virtual double largest(double value) const = 0;
  /// Makes of each value, in host memory, the largest of all ranks.
  virtual void largest(double* values, int count) const = 0;
};

} // namespace gangway::ranks
