// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace gangway::inputs {

/// An input that cannot be used. The message says what was wrong, where, and what would be right.
class InputError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// An allocator whose containers leave new elements uninitialised, so that a large array's pages
/// are first touched by the threads that fill it. Memory is aligned to a cache line (64 bytes).
template <class T>
struct UninitialisedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  UninitialisedAllocator() = default;
  template <class U>
  UninitialisedAllocator(const UninitialisedAllocator<U>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, alignment); }

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }

  friend bool operator==(const UninitialisedAllocator&, const UninitialisedAllocator&) {
    return true;
  }
};

template <class T>
using Array = std::vector<T, UninitialisedAllocator<T>>;

/// The most rows, columns and non-zeros a matrix may have: what a 32-bit index can say.
inline constexpr long max_count = std::numeric_limits<std::int32_t>::max();

/// A sparse matrix in compressed sparse rows. Every function of this folder that returns one
/// leaves the columns of each row distinct and ascending.
struct CsrMatrix {
  int rows = 0;
  int columns = 0;
  Array<std::int32_t> row_offsets;    ///< rows + 1; row r holds [row_offsets[r], row_offsets[r+1])
  Array<std::int32_t> column_indices; ///< one per non-zero, in [0, columns)
  Array<double> values;               ///< one per non-zero

  [[nodiscard]] long nonzeros() const { return static_cast<long>(values.size()); }

  /// Bytes of the three arrays.
  [[nodiscard]] long bytes() const {
    return static_cast<long>(row_offsets.size() * sizeof(std::int32_t) +
                             column_indices.size() * sizeof(std::int32_t) +
                             values.size() * sizeof(double));
  }
};

/// Lengths of a matrix's rows, in non-zeros. All zero for a matrix without rows.
struct RowStatistics {
  long minimum = 0;
  long maximum = 0;
  double mean = 0;
  double standard_deviation = 0; ///< of the population: divided by rows, not by rows - 1
  long empty = 0;                ///< rows without a non-zero
};

[[nodiscard]] RowStatistics row_statistics(const CsrMatrix& matrix);

/// Throws InputError when `count`, the number of `what`, exceeds max_count.
void require_index_range(long count, std::string_view what);

/// Throws InputError when `bytes` more than is allocated now would not fit in this machine's
/// memory. Memory may be promised without being there, and a process that then touches it is
/// killed without a word: so this asks before.
void require_memory(long bytes, std::string_view what);

} // namespace gangway::inputs
