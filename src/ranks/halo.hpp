// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// The exchange of borders between strips of rows. Standard C++ only: kernels of both models call
/// it, and this header is also read by the OpenACC compiler.
namespace gangway::ranks {

/// The rows that a strip sends to the strips above and below it, and where it receives theirs, each
/// `bytes` long. All are in host memory, or all in the memory that kernels use.
struct Border {
  const void* first; ///< the strip's own first rows, for the one above
  const void* last;  ///< its own last rows, for the one below
  void* above;       ///< for the last rows of the one above
  void* below;       ///< for the first rows of the one below
  std::size_t bytes;
};

/// One rank's strip, among those of all ranks. All ranks that have rows call its exchanges, and all
/// ranks `largest`. A strip at the plate's edge, or alone, sends and receives no rows there.
class Halo {
public:
  virtual ~Halo() = default;

  /// Exchanges borders in host memory, which `update self` filled and `update device` copies back.
  /// Returns when all of them are there.
  virtual void exchange_on_host(const Border& border) = 0;

  /// Starts to exchange borders at the addresses that kernels use, which `host_data use_device`
  /// gives. `first` and `last` have to be written before. Returns at once, or, on the way through
  /// host buffers, when these are filled. No kernel may write the borders until `finish`.
  virtual void start(const Border& border) = 0;
  /// Waits until the borders that are exchanged are where kernels find them.
  virtual void finish() = 0;

  /// Returns the largest value of all ranks.
  [[nodiscard]] virtual double largest(double value) const = 0;
  /// Replaces each value, in host memory, by the largest of all ranks.
  virtual void largest(double* values, int count) const = 0;
};

} // namespace gangway::ranks
