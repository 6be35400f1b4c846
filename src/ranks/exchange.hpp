// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The exchange of elements between ranks that have each a part of a vector, whatever these are of.
/// Standard C++ only: kernels of both models call it, and this header is also read by the OpenACC
/// compiler.
namespace gangway::ranks {

/// One rank's part of the exchange. `sent` has its own elements that others want, packed by a
/// kernel; `received` is where theirs arrive. Both are of the type whose size the exchange was made
/// with. All ranks call `sum` and `largest`, and all that send or receive anything the exchange.
class Exchange {
public:
  virtual ~Exchange() = default;

  /// Exchanges arrays in host memory, which `update self` filled and `update device` copies back.
  /// Returns when all of them are there.
  virtual void on_host(const void* sent, void* received) = 0;

  /// Starts to exchange arrays at the addresses that kernels use, which `host_data use_device`
  /// gives. `sent` has to be written before. Returns at once, or, on the way through host buffers,
  /// when these are filled. Until `finish`, no kernel may write `sent` or touch `received`.
  virtual void start(const void* sent, void* received) = 0;
  /// Waits until the elements that are received are where kernels find them.
  virtual void finish() = 0;

  /// Replaces each of the values, in host memory, by the sum over all ranks, the same on each.
  virtual void sum(double* values, int count) const = 0;
  /// Returns the largest value of all ranks.
  [[nodiscard]] virtual double largest(double value) const = 0;
  /// Replaces each value, in host memory, by the largest of all ranks.
  virtual void largest(double* values, int count) const = 0;
};

} // namespace gangway::ranks
