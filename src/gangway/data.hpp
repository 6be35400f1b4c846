// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

/// OpenACC's data environment in Kokkos: host arrays, their copies in device memory, and the
/// regions that keep them there.
///
///     {                                     // #pragma acc data copyin(a[0:n]) copyout(c[0:n])
///       gangway::Data data;                 // {
///       auto a_view = data.copyin(a, n);
///       auto c_view = data.copyout(c, n);
///       Kokkos::parallel_for("copy", n, KOKKOS_LAMBDA(int i) { c_view(i) = a_view(i); });
///     }                                     // }
///
/// A clause on an array that an enclosing region already holds finds it present and moves nothing.
/// Where host and device memory are the same, the views are the host arrays and nothing is ever
/// copied.
namespace gangway {

/// A data clause or directive that cannot be honoured; `what()` says which array, where, and what
/// to do.
class DataError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

namespace detail {
template <class T, int Rank>
struct AddPointers {
  using type = typename AddPointers<T*, Rank - 1>::type;
};
template <class T>
struct AddPointers<T, 0> {
  using type = T;
};
} // namespace detail

/// A C array on the device: row-major, so the last index is stride-1, as in the host code.
template <class T, int Rank = 1>
using Array = Kokkos::View<typename detail::AddPointers<T, Rank>::type, Kokkos::LayoutRight,
                           DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// What has crossed between host and device since the program began (or `reset_transfers`).
struct Transfers {
  std::uint64_t to_device = 0; ///< copies host -> device
  std::uint64_t to_host = 0;   ///< copies device -> host
  std::uint64_t bytes_to_device = 0;
  std::uint64_t bytes_to_host = 0;
  std::uint64_t allocations = 0; ///< arrays created in device memory
  friend bool operator==(const Transfers&, const Transfers&) = default;
};
[[nodiscard]] Transfers transfers();
void reset_transfers();

/// Whether the device has a memory of its own.
enum class Memory {
  shared,  ///< host arrays are used in place: host backends
  separate ///< arrays are allocated on the device and copied: GPUs, and hosts that play one
};
[[nodiscard]] Memory memory();
/// Makes a host backend behave like a device with its own memory, so that missing copies and their
/// counts show without one. Errors: DataError if an array is on the device, or `shared` is asked of
/// a device whose kernels cannot reach host memory.
void set_memory(Memory memory);

/// Device memory that regions have released is kept for the next ones, up to `bytes` in all, since
/// allocating anew can take longer than the kernels between. By default that is a sixteenth of a
/// device's memory, and nothing on a host that plays one. 0 releases what is kept and keeps nothing
/// from then on: what to do before memory is taken by other means and runs short. Clauses release
/// it by themselves before they give up. Errors: DataError when Kokkos is not running.
void set_kept_memory(std::size_t bytes);
/// Bytes that are kept now, in use by no region.
[[nodiscard]] std::size_t kept_memory();

/// acc_is_present: whether all bytes of `host[0:n]` are on the device. Always true for shared
/// memory and for empty arrays.
[[nodiscard]] bool is_present_bytes(const void* host, std::size_t bytes);
/// acc_deviceptr: the device address that mirrors `host`. Errors: DataError when it is not present.
[[nodiscard]] void* device_pointer(const void* host);
/// acc_hostptr: the host address that `device` mirrors. Errors: DataError when no array on the
/// device is there.
[[nodiscard]] void* host_pointer(const void* device);

/// acc_map_data: `bytes` of device memory that the caller allocated mirror host[0:bytes] from now
/// on. Clauses find the array present; nothing is copied, and nothing released. Zero bytes map
/// nothing. Errors: DataError when part of the array is on the device already, for null pointers,
/// and where memory is shared and `device` is not `host`: kernels there use the host array itself.
void map_data(const void* host, void* device, std::size_t bytes);
/// acc_unmap_data. The device memory stays the caller's to release. Errors: DataError when `host`
/// is not the beginning of a mapped array, or a region or enter_data still uses it.
void unmap_data(const void* host);

/// acc_memcpy_to_device, acc_memcpy_from_device: copies now, and counts it as a transfer where the
/// device has a memory of its own. The present table is neither read nor changed. Errors: DataError
/// for a null pointer to anything.
void memcpy_to_device(void* device, const void* host, std::size_t bytes);
void memcpy_from_device(void* host, const void* device, std::size_t bytes);
/// acc_memcpy_to_device_async, acc_memcpy_from_device_async: queues the copy on the instance
/// `queue`; it is done once that is fenced.
void memcpy_to_device_async(const Kokkos::DefaultExecutionSpace& queue, void* device,
                            const void* host, std::size_t bytes);
void memcpy_from_device_async(const Kokkos::DefaultExecutionSpace& queue, void* host,
                              const void* device, std::size_t bytes);

/// Arrays on the device now, held by regions, enter_data or map_data.
[[nodiscard]] std::size_t present_arrays();

namespace detail {

enum class Entry { copy, create, present };
/// Who keeps an array on the device, and so who may let it go: OpenACC's structured and dynamic
/// reference counts.
enum class Holder { region, enter_data };

/// The present table: enter returns the device address of host[0:bytes].
void* enter(const void* host, std::size_t bytes, Entry entry, Holder holder, const char* clause);
void leave(const void* host, std::size_t bytes, bool copy_out, Holder holder, const char* clause);
void update(const void* host, std::size_t bytes, bool to_device);
void update_async(const Kokkos::DefaultExecutionSpace& queue, const void* host, std::size_t bytes,
                  bool to_device);
void require_kokkos(const char* clause);

template <class... Extents>
std::size_t elements(Extents... extents) {
  static_assert((std::is_integral_v<Extents> && ...), "extents are whole numbers of elements");
  const auto refuse_negative = [](auto extent) {
    if constexpr (std::is_signed_v<decltype(extent)>)
      if (extent < 0)
        throw DataError("data clause: extent " + std::to_string(extent) + " is negative");
  };
  (refuse_negative(extents), ...);
  // The product of the others must fit where one is zero, too: the strides of a View hold it.
  bool empty = false;
  std::size_t product = 1;
  const auto multiply = [&](std::size_t extent) {
    if (extent == 0)
      empty = true;
    else if (extent > std::numeric_limits<std::size_t>::max() / product)
      throw DataError("data clause: the product of the extents does not fit 64 bits");
    else
      product *= extent;
  };
  (multiply(static_cast<std::size_t>(extents)), ...);
  return empty ? 0 : product;
}

template <class T, class... Extents>
std::size_t bytes_of(Extents... extents) {
  const std::size_t count = elements(extents...);
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
    throw DataError("data clause: " + std::to_string(count) + " elements of " +
                    std::to_string(sizeof(T)) + " bytes do not fit 64 bits");
  return count * sizeof(T);
}

} // namespace detail

/// A structured data region. Each clause gives the array's view on the device; the end of the scope
/// copies out what `copy` and `copyout` brought in and releases what this region created, in
/// reverse order. If the scope is left by an exception, arrays are released without copying out.
///
/// Extents are elements, outermost first; the array is contiguous and row-major. Zero extents are
/// allowed and move nothing. Errors: DataError for negative or overflowing extents, null arrays,
/// arrays only partly held by an enclosing region, `present` of what is not, arrays for which the
/// device has no room, and use after `close` or after the region was moved from. Regions may be
/// opened and closed by several threads at once.
class Data {
public:
  Data() : _exceptions(std::uncaught_exceptions()) {}
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  Data(Data&& other) noexcept;
  Data& operator=(Data&& other) = delete;
  ~Data() noexcept(false);

  /// On entry: allocate and copy to the device; on exit: release.
  template <class T, class... N>
  [[nodiscard]] auto copyin(const T* host, N... extents) {
    return enter<const T>(host, detail::Entry::copy, false, "copyin", extents...);
  }
  /// On entry: allocate; on exit: copy to the host and release.
  template <class T, class... N>
  [[nodiscard]] auto copyout(T* host, N... extents) {
    return enter<T>(host, detail::Entry::create, true, "copyout", extents...);
  }
  /// On entry: allocate and copy to the device; on exit: copy to the host and release.
  template <class T, class... N>
  [[nodiscard]] auto copy(T* host, N... extents) {
    return enter<T>(host, detail::Entry::copy, true, "copy", extents...);
  }
  /// On entry: allocate; on exit: release. `host` only names the array; it is never read or
  /// written.
  template <class T, class... N>
  [[nodiscard]] auto create(T* host, N... extents) {
    return enter<T>(host, detail::Entry::create, false, "create", extents...);
  }
  /// An enclosing region must hold the array.
  template <class T, class... N>
  [[nodiscard]] auto present(T* host, N... extents) {
    return enter<T>(host, detail::Entry::present, false, "present", extents...);
  }
  /// The end of the region, earlier than the end of the scope. Errors of copying out come from
  /// here.
  void close();

private:
  struct Held {
    const void* host;
    std::size_t bytes;
    bool copy_out;
    const char* clause;
  };

  template <class T, class Host, class... N>
  Array<T, sizeof...(N)> enter(Host* host, detail::Entry entry, bool copy_out, const char* clause,
                               N... extents) {
    static_assert(sizeof...(N) >= 1, "a data clause needs the extents of the array");
    const std::size_t bytes = detail::bytes_of<T>(extents...);
    void* device = enter_bytes(host, bytes, entry, copy_out, clause);
    return Array<T, sizeof...(N)>(static_cast<T*>(device), static_cast<std::size_t>(extents)...);
  }
  void* enter_bytes(const void* host, std::size_t bytes, detail::Entry entry, bool copy_out,
                    const char* clause);
  void release(bool copy_out);

  std::vector<Held> _held;
  int _exceptions;
  bool _open = true;
  bool _told = false; ///< whether tools know of this region
};

/// deviceptr(p): a view on memory that is on the device already.
/// Errors: DataError for extents as Data, and for a null pointer to anything.
template <class T, class... N>
[[nodiscard]] Array<T, sizeof...(N)> deviceptr(T* device, N... extents) {
  if (const std::size_t bytes = detail::bytes_of<T>(extents...); device == nullptr && bytes != 0)
    throw DataError("deviceptr: the pointer is null, but " + std::to_string(bytes) +
                    " bytes of it are named");
  return Array<T, sizeof...(N)>(device, static_cast<std::size_t>(extents)...);
}

/// Whether all of `host[0:n]` is on the device.
template <class T>
[[nodiscard]] bool is_present(const T* host, std::size_t n) {
  return is_present_bytes(host, detail::bytes_of<T>(n));
}

/// enter data copyin / create: as the clauses, until the matching exit_data. Errors: as Data.
template <class T, class... N>
Array<T, sizeof...(N)> enter_data_copyin(T* host, N... extents) {
  void* device = detail::enter(host, detail::bytes_of<T>(extents...), detail::Entry::copy,
                               detail::Holder::enter_data, "enter data copyin");
  return Array<T, sizeof...(N)>(static_cast<T*>(device), static_cast<std::size_t>(extents)...);
}
template <class T, class... N>
Array<T, sizeof...(N)> enter_data_create(T* host, N... extents) {
  void* device = detail::enter(host, detail::bytes_of<T>(extents...), detail::Entry::create,
                               detail::Holder::enter_data, "enter data create");
  return Array<T, sizeof...(N)>(static_cast<T*>(device), static_cast<std::size_t>(extents)...);
}
/// exit data copyout / delete. Errors: DataError when no enter_data holds the array; what only a
/// region holds is the region's to release.
template <class T, class... N>
void exit_data_copyout(T* host, N... extents) {
  detail::leave(host, detail::bytes_of<T>(extents...), true, detail::Holder::enter_data,
                "exit data copyout");
}
template <class T, class... N>
void exit_data_delete(T* host, N... extents) {
  detail::leave(host, detail::bytes_of<T>(extents...), false, detail::Holder::enter_data,
                "exit data delete");
}

/// update device / update self: copies `host[0:n]` now. Errors: DataError when it is not present.
template <class T, class... N>
void update_device(const T* host, N... extents) {
  detail::update(host, detail::bytes_of<T>(extents...), true);
}
template <class T, class... N>
void update_self(T* host, N... extents) {
  detail::update(host, detail::bytes_of<T>(extents...), false);
}

/// update device async(q) / update self async(q): queues the copy of `host[0:n]` behind what is on
/// the instance `queue`; it is done once that is fenced, and until then `host[0:n]` must be left
/// alone. Copies overlap other queues' work only where `host` is pinned. Errors: DataError when it
/// is not present.
template <class T, class... N>
void update_device_async(const Kokkos::DefaultExecutionSpace& queue, const T* host, N... extents) {
  detail::update_async(queue, host, detail::bytes_of<T>(extents...), true);
}
template <class T, class... N>
void update_self_async(const Kokkos::DefaultExecutionSpace& queue, T* host, N... extents) {
  detail::update_async(queue, host, detail::bytes_of<T>(extents...), false);
}

} // namespace gangway
