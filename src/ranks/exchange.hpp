// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// How ranks that have each a part of a vector come by elements of the others' parts, whatever
/// these are of. Standard C++ only: kernels of both models call it, and this header is also read by
/// the OpenACC compiler.
namespace gangway::ranks {

/// One rank's part of the exchange. `sent` has its own elements that others want, packed by a
/// kernel; `received` is where it wants theirs: of the type whose size the exchange was made with.
/// `sum` and `largest` are of all ranks, the exchange of all that send or receive anything.
class Exchange {
public:
  virtual ~Exchange() = default;

  /// Of arrays in host memory: what `update self` brought, and `update device` takes away. Returns
  /// when all of it is there.
  virtual void on_host(const void* sent, void* received) = 0;

  /// Of arrays where kernels find them: what `host_data use_device` gives. Whatever wrote `sent`
  /// has to be done. Returns at once, or, where it goes through host buffers, when these are
  /// filled. Until `finish` nothing may write `sent`, and nothing touch `received`.
  virtual void start(const void* sent, void* received) = 0;
  /// Returns when what was started is where kernels find it.
  virtual void finish() = 0;

  /// Makes of each of the values, in host memory, the sum of all ranks, the same on each.
  virtual void sum(double* values, int count) const = 0;
  /// Over all ranks.
  [[nodiscard]] virtual double largest(double value) const = 0;
  /// Makes of each value, in host memory, the largest of all ranks.
  virtual void largest(double* values, int count) const = 0;
};

} // namespace gangway::ranks
