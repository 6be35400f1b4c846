// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/device.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
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

/// A data clause or directive that cannot be honoured; `what()` says where it stands in the
/// program, which array it names, and what to do: "solver.cpp:41: copyin(u): 80 bytes at …".
class DataError : public std::runtime_error {
public:
  explicit DataError(const std::string& what,
                     std::source_location where = std::source_location::current(),
                     std::string_view array = {}); ///< about the clause at `where`
  /// The call of the clause or directive; of an error at a region's end, the clause that it is
  /// about.
  [[nodiscard]] const std::source_location& where() const noexcept { return _where; }
  /// The array's name, where `named` gave it one; empty otherwise.
  [[nodiscard]] const std::string& array() const noexcept { return *_array; }

private:
  std::source_location _where;
  std::shared_ptr<const std::string> _array; // shared, so that no copy of the error can fail
};

namespace detail {
template <class T>
struct Named {
  std::string_view name; ///< for messages
  T* array;              ///< of the host
};
} // namespace detail

/// Gives an array a name for errors, reports and the timing report: what C++ does not tell of a
/// pointer, and OpenACC's compiler knows. Every clause and directive takes it in the array's place:
///
///     auto u_view = data.copyin(gangway::named("u", u), n);
///
/// The name is copied where it is kept.
template <class T>
[[nodiscard]] detail::Named<T> named(std::string_view name, T* array) {
  return {name, array};
}

/// An extent of an array: a whole number of elements. The first extent of a clause notes where the
/// clause stands, without a word of the program's; a function that wraps clauses hands on its
/// caller's place as `Extent(n, place)`.
class Extent {
public:
  template <class Number>
    requires std::is_integral_v<Number>
  Extent(Number elements, std::source_location where = std::source_location::current())
      : _elements(static_cast<std::uint64_t>(elements)), _where(where) {
    if constexpr (std::is_signed_v<Number>)
      _negative = elements < 0;
  } ///< converts any whole number
  [[nodiscard]] std::size_t elements() const { return _elements; }           ///< the number
  [[nodiscard]] bool negative() const { return _negative; }                  ///< below 0: refused
  [[nodiscard]] const std::source_location& where() const { return _where; } ///< of the clause

private:
  std::uint64_t _elements;
  std::source_location _where;
  bool _negative = false;
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
using DeviceView = Kokkos::View<typename detail::AddPointers<T, Rank>::type, Kokkos::LayoutRight,
                                DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Counts of copies between host and device since the program began (or `reset_transfers`).
struct Transfers {
  std::uint64_t to_device = 0;       ///< copies host -> device
  std::uint64_t to_host = 0;         ///< copies device -> host
  std::uint64_t bytes_to_device = 0; ///< bytes of the former
  std::uint64_t bytes_to_host = 0;   ///< bytes of the latter
  std::uint64_t allocations = 0;     ///< arrays created in device memory
  friend bool operator==(const Transfers&, const Transfers&) = default; ///< equal in all
};
[[nodiscard]] Transfers transfers(); ///< returns the counts
void reset_transfers();              ///< sets them to 0

/// The memory that kernels use: the host's, or a second one.
enum class Memory {
  shared,   ///< host arrays are used in place: host backends
  separate, ///< arrays are allocated on the device and copied: GPUs, and hosts that play one
  /// Separate memory of a host that plays a device, in which no kernel reaches the host's copies: a
  /// kernel that reads or writes an array of the host that a region (or enter_data) holds ends the
  /// program with a message that names the array, its clause and the kernel. Whole pages of memory
  /// are protected while kernels run. The rest, an array's ends or a small array, is overwritten
  /// meanwhile: it reads as NaN, or as an index that leads out of all there is, and is found out
  /// when it is written or when what was read is left on the device; in programs that are built
  /// with AddressSanitizer at each use (the porting guide, "strict memory"). For programs that
  /// launch kernels from one thread at a time, and leave the arrays alone meanwhile. A device with
  /// its own memory is strict by itself.
  strict
};
/// Returns the memory that `set_memory` chose last. Before that GANGWAY_MEMORY=shared, separate or
/// strict chooses it. Without both it is `separate` on a device with its own memory and while
/// GANGWAY_VERIFY is set, and else `shared`. A device with its own memory is never `strict`.
/// Errors: DataError when GANGWAY_MEMORY says something else, or `shared` to a device whose kernels
/// cannot reach host memory; so from everything below that asks.
[[nodiscard]] Memory memory();
/// Makes a host backend behave like a device with its own memory, so that missing copies and their
/// counts show without one. Where GANGWAY_MEMORY is strict, so is `separate`. Errors: DataError if
/// an array is on the device, or `shared` is asked of a device whose kernels cannot reach host
/// memory.
void set_memory(Memory memory, std::source_location where = std::source_location::current());

/// While it lives, kernels launched by this thread are the host's own and may use its arrays, such
/// as one on `Kokkos::DefaultHostExecutionSpace` that fills them: a host that plays a device has
/// one space for both, and strict memory cannot tell them apart. Otherwise it does nothing.
class HostKernels {
public:
  HostKernels();
  ~HostKernels();
  HostKernels(const HostKernels&) = delete;
  HostKernels& operator=(const HostKernels&) = delete;
};

/// Device memory that regions have released is kept for the next ones, up to `bytes` in all, since
/// allocating anew can take longer than the kernels between. By default that is a sixteenth of a
/// device's memory, and nothing on a host that plays one. 0 releases what is kept and keeps nothing
/// from then on: what to do before memory is taken by other means and runs short. Clauses release
/// it by themselves before they give up. Errors: DataError when Kokkos is not running.
void set_kept_memory(std::size_t bytes,
                     std::source_location where = std::source_location::current());
/// Bytes that are kept now, in use by no region.
[[nodiscard]] std::size_t kept_memory();

namespace detail {
/// acc_is_present: whether all bytes of `host[0:n]` are on the device. Always true for shared
/// memory and for empty arrays.
[[nodiscard]] bool is_present_bytes(const void* host, std::size_t bytes);
[[nodiscard]] void* device_pointer(const void* host, std::string_view name,
                                   std::source_location where);
} // namespace detail
/// acc_deviceptr: the device address that mirrors `host`. Errors: DataError when it is not present.
[[nodiscard]] void* device_pointer(const void* host,
                                   std::source_location where = std::source_location::current());
/// Returns the same for an array with a name, which the error gives.
template <class T>
[[nodiscard]] void* device_pointer(detail::Named<T> array,
                                   std::source_location where = std::source_location::current()) {
  return detail::device_pointer(array.array, array.name, where);
}
/// acc_hostptr: the host address that `device` mirrors. Errors: DataError when no array on the
/// device is there.
[[nodiscard]] void* host_pointer(const void* device,
                                 std::source_location where = std::source_location::current());

/// acc_map_data: `bytes` of device memory that the caller allocated mirror host[0:bytes] from now
/// on. Clauses find the array present; nothing is copied, and nothing released. Zero bytes map
/// nothing. Errors: DataError when part of the array is on the device already, for null pointers,
/// and where memory is shared and `device` is not `host`: kernels there use the host array itself.
void map_data(const void* host, void* device, std::size_t bytes,
              std::source_location where = std::source_location::current());
/// acc_unmap_data. The device memory stays the caller's to release. Errors: DataError when `host`
/// is not the beginning of a mapped array, or a region or enter_data still uses it.
void unmap_data(const void* host, std::source_location where = std::source_location::current());

/// acc_memcpy_to_device, acc_memcpy_from_device: copies now, and counts it as a transfer where the
/// device has a memory of its own. The present table is neither read nor changed. Errors: DataError
/// for a null pointer to anything.
void memcpy_to_device(void* device, const void* host, std::size_t bytes,
                      std::source_location where = std::source_location::current());
void memcpy_from_device(void* host, const void* device, std::size_t bytes,
                        std::source_location where = std::source_location::current());
/// acc_memcpy_to_device_async, acc_memcpy_from_device_async: the copy goes on `queue`, and is done
/// once that is fenced.
void memcpy_to_device(const Kokkos::DefaultExecutionSpace& queue, void* device, const void* host,
                      std::size_t bytes,
                      std::source_location where = std::source_location::current());
void memcpy_from_device(const Kokkos::DefaultExecutionSpace& queue, void* host, const void* device,
                        std::size_t bytes,
                        std::source_location where = std::source_location::current());

/// Arrays on the device now, held by regions, enter_data or map_data.
[[nodiscard]] std::size_t present_arrays();

namespace detail {

/// The numbers that an array consists of.
enum class Scalar : std::uint8_t { other, signed_integer, unsigned_integer, real };
/// Describes an array's elements and extents, for messages that compare arrays.
struct Layout {
  Scalar scalar = Scalar::other;
  std::size_t scalar_bytes = 1;  ///< of one number; of a structure all its bytes
  std::size_t element_bytes = 1; ///< a complex number has two reals
  /// Elements, outermost first; the outermost of more than four are one.
  std::array<std::size_t, 4> extents{};
  int rank = 0;
};

template <class T>
concept Complex =
    requires(const T& number) {
      typename T::value_type;
      { number.real() } -> std::convertible_to<typename T::value_type>;
      { number.imag() } -> std::convertible_to<typename T::value_type>;
    } && std::is_floating_point_v<typename T::value_type> &&
    sizeof(T) == 2 * sizeof(typename T::value_type);

template <class T, class... N>
Layout layout_of(N... extents) {
  Layout layout{.scalar_bytes = sizeof(T), .element_bytes = sizeof(T)};
  if constexpr (std::is_floating_point_v<T>) {
    layout.scalar = Scalar::real;
  } else if constexpr (Complex<T>) {
    layout.scalar = Scalar::real;
    layout.scalar_bytes = sizeof(T) / 2;
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    layout.scalar = std::is_signed_v<T> ? Scalar::signed_integer : Scalar::unsigned_integer;
  }
  for (const std::size_t extent : {static_cast<std::size_t>(extents)...}) {
    if (layout.rank == static_cast<int>(layout.extents.size())) {
      layout.extents[0] *= layout.extents[1];
      std::move(layout.extents.begin() + 2, layout.extents.end(), layout.extents.begin() + 1);
      --layout.rank;
    }
    layout.extents[static_cast<std::size_t>(layout.rank++)] = extent;
  }
  return layout;
}

/// A clause or directive: its word, the array that it names, and its place.
struct Clause {
  const char* word;       ///< "copyin", "update self"
  std::string_view array; ///< the name given to the array, or empty
  std::source_location where;
  Layout layout = {};
};

template <class T>
Named<T> named_of(T* array) {
  return {{}, array};
}
template <class T>
Named<T> named_of(Named<T> array) {
  return array;
}
/// An array as a clause takes it: its pointer, or a pointer with a name.
template <class Host>
concept HostArray = requires(Host host) { named_of(host); };
template <class Host>
using Element = std::remove_pointer_t<decltype(named_of(std::declval<Host>()).array)>;

enum class Entry { copy, create, present };
/// A data clause: what it does to begin with, whether it copies out at the end, and its word.
struct Way {
  Entry entry;
  bool copy_out;
  const char* word;
};
inline constexpr Way copyin_way{Entry::copy, false, "copyin"};
inline constexpr Way copyout_way{Entry::create, true, "copyout"};
inline constexpr Way copy_way{Entry::copy, true, "copy"};
inline constexpr Way create_way{Entry::create, false, "create"};
inline constexpr Way present_way{Entry::present, false, "present"};
/// The kinds of clauses that keep an array on the device, and that may release it: OpenACC's
/// structured and dynamic reference counts.
enum class Holder {
  region,
  enter_data,
  all_enter_data ///< `finalize`: every enter_data of it at once
};

/// An instance that copies go on, in order with what else is on it; null: copies wait for
/// everything.
using Queue = const Kokkos::DefaultExecutionSpace*;

/// The present table: enter returns the device address of host[0:bytes].
void* enter(const void* host, std::size_t bytes, Entry entry, Holder holder, const Clause& clause,
            Queue queue = nullptr);
void leave(const void* host, std::size_t bytes, bool copy_out, Holder holder, const Clause& clause,
           Queue queue = nullptr);
void update(const void* host, std::size_t bytes, bool to_device, const Clause& clause);
void update_async(const Kokkos::DefaultExecutionSpace& queue, const void* host, std::size_t bytes,
                  bool to_device, const Clause& clause);

/// The bytes of `count` extents of elements of `size` bytes.
std::size_t bytes_of(const Clause& clause, const Extent* extents, std::size_t count,
                     std::size_t size);

template <class T, class... N>
std::size_t bytes_of(const Clause& clause, const Extent& first, N... others) {
  static_assert((std::is_integral_v<N> && ...), "extents are whole numbers of elements");
  const std::array<Extent, 1 + sizeof...(N)> extents{first, Extent(others, first.where())...};
  return bytes_of(clause, extents.data(), extents.size(), sizeof(T));
}

/// The array of these extents that is at `device`.
template <class T, class... N>
DeviceView<T, 1 + static_cast<int>(sizeof...(N))> array_at(void* device, const Extent& first,
                                                           N... others) {
  return DeviceView<T, 1 + static_cast<int>(sizeof...(N))>(
      static_cast<T*>(device), first.elements(), static_cast<std::size_t>(others)...);
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
  /// A region whose copies go on `queue`: they are in order with the kernels there, and wait for
  /// nothing else. Host arrays must not change until the queue has brought them in. The end of the
  /// region waits for the queue, and for the whole device where it frees memory (set_kept_memory).
  explicit Data(const Kokkos::DefaultExecutionSpace& queue)
      : _exceptions(std::uncaught_exceptions()), _queue(queue) {}
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  Data(Data&& other) noexcept; ///< takes over the region
  Data& operator=(Data&& other) = delete;
  ~Data() noexcept(false);

  /// On entry: allocate and copy to the device; on exit: release.
  template <detail::HostArray Host, class... N>
  [[nodiscard]] auto copyin(Host host, Extent first, N... others) {
    return enter<const detail::Element<Host>>(detail::copyin_way, detail::named_of(host), first,
                                              others...);
  }
  /// On entry: allocate; on exit: copy to the host and release.
  template <detail::HostArray Host, class... N>
  [[nodiscard]] auto copyout(Host host, Extent first, N... others) {
    return enter<detail::Element<Host>>(detail::copyout_way, detail::named_of(host), first,
                                        others...);
  }
  /// On entry: allocate and copy to the device; on exit: copy to the host and release.
  template <detail::HostArray Host, class... N>
  [[nodiscard]] auto copy(Host host, Extent first, N... others) {
    return enter<detail::Element<Host>>(detail::copy_way, detail::named_of(host), first, others...);
  }
  /// On entry: allocate; on exit: release. `host` only names the array; it is never read or
  /// written.
  template <detail::HostArray Host, class... N>
  [[nodiscard]] auto create(Host host, Extent first, N... others) {
    return enter<detail::Element<Host>>(detail::create_way, detail::named_of(host), first,
                                        others...);
  }
  /// An enclosing region must hold the array.
  template <detail::HostArray Host, class... N>
  [[nodiscard]] auto present(Host host, Extent first, N... others) {
    return enter<detail::Element<Host>>(detail::present_way, detail::named_of(host), first,
                                        others...);
  }
  /// The end of the region, earlier than the end of the scope. Errors of copying out come from
  /// here.
  void close(std::source_location where = std::source_location::current());

protected:
  /// A clause, as the members of its name.
  template <class T, class Host, class... N>
  auto enter(const detail::Way& way, detail::Named<Host> host, const Extent& first, N... others) {
    const detail::Clause clause{
        way.word, host.name, first.where(),
        detail::layout_of<std::remove_cv_t<T>>(first.elements(), others...)};
    const std::size_t bytes = detail::bytes_of<T>(clause, first, others...);
    return detail::array_at<T>(enter_bytes(host.array, bytes, way, clause), first, others...);
  }
  /// A clause on host[0:bytes]; returns the device address.
  void* enter_bytes(const void* host, std::size_t bytes, const detail::Way& way,
                    const detail::Clause& clause);

private:
  struct Held {
    const void* host;
    std::size_t bytes;
    bool copy_out;
    const char* clause;
    std::string array;
    std::source_location where;
  };

  void release(bool copy_out);

  std::vector<Held> _held;
  int _exceptions;
  std::optional<Kokkos::DefaultExecutionSpace> _queue;
  bool _open = true;
  bool _told = false; ///< whether tools know of this region
};

/// deviceptr(p): a view on memory that is on the device already.
/// Errors: DataError for extents as Data, and for a null pointer to anything.
template <class T, class... N>
[[nodiscard]] auto deviceptr(T* device, Extent first, N... others) {
  const detail::Clause clause{"deviceptr", {}, first.where()};
  if (const std::size_t bytes = detail::bytes_of<T>(clause, first, others...);
      device == nullptr && bytes != 0)
    throw DataError("deviceptr: the pointer is null, but " + std::to_string(bytes) +
                        " bytes of it are named",
                    first.where());
  return DeviceView<T, 1 + static_cast<int>(sizeof...(N))>(device, first.elements(),
                                                           static_cast<std::size_t>(others)...);
}

/// acc_is_present: returns whether all of `host[0:n]` is on the device.
template <class T>
[[nodiscard]] bool is_present(const T* host, Extent n) {
  return detail::is_present_bytes(host, detail::bytes_of<T>({"is_present", {}, n.where()}, n));
}

namespace detail {
template <class Host, class... N>
auto enter_data(Entry entry, const char* word, Host host, const Extent& first, N... others) {
  using T = Element<Host>;
  const Clause clause{word, named_of(host).name, first.where(),
                      layout_of<std::remove_cv_t<T>>(first.elements(), others...)};
  const std::size_t bytes = bytes_of<T>(clause, first, others...);
  return array_at<T>(enter(named_of(host).array, bytes, entry, Holder::enter_data, clause), first,
                     others...);
}
template <class Host, class... N>
void exit_data(bool copy_out, const char* word, Holder holder, Host host, const Extent& first,
               N... others) {
  const Clause clause{word, named_of(host).name, first.where()};
  leave(named_of(host).array, bytes_of<Element<Host>>(clause, first, others...), copy_out, holder,
        clause);
}
template <class Host, class... N>
void update_array(bool to_device, Host host, const Extent& first, N... others) {
  const Clause clause{to_device ? "update device" : "update self", named_of(host).name,
                      first.where()};
  update(named_of(host).array, bytes_of<Element<Host>>(clause, first, others...), to_device,
         clause);
}
template <class Host, class... N>
void update_array_async(const Kokkos::DefaultExecutionSpace& queue, bool to_device, Host host,
                        const Extent& first, N... others) {
  const Clause clause{to_device ? "update device" : "update self", named_of(host).name,
                      first.where()};
  update_async(queue, named_of(host).array, bytes_of<Element<Host>>(clause, first, others...),
               to_device, clause);
}
} // namespace detail

/// enter data copyin / create: as the clauses, until the matching exit_data. Errors: as Data.
template <detail::HostArray Host, class... N>
auto enter_data_copyin(Host host, Extent first, N... others) {
  return detail::enter_data(detail::Entry::copy, "enter data copyin", host, first, others...);
}
template <detail::HostArray Host, class... N>
auto enter_data_create(Host host, Extent first, N... others) {
  return detail::enter_data(detail::Entry::create, "enter data create", host, first, others...);
}
/// exit data copyout / delete. Errors: DataError when no enter_data holds the array; what only a
/// region holds is the region's to release.
template <detail::HostArray Host, class... N>
void exit_data_copyout(Host host, Extent first, N... others) {
  detail::exit_data(true, "exit data copyout", detail::Holder::enter_data, host, first, others...);
}
template <detail::HostArray Host, class... N>
void exit_data_delete(Host host, Extent first, N... others) {
  detail::exit_data(false, "exit data delete", detail::Holder::enter_data, host, first, others...);
}
/// `finalize`: however often enter_data brought it, it counts as once. For ports of programs that
/// lose count; elsewhere each enter_data has its exit_data, and `present_arrays()` tells of others.
template <detail::HostArray Host, class... N>
void exit_data_copyout_finalize(Host host, Extent first, N... others) {
  detail::exit_data(true, "exit data copyout finalize", detail::Holder::all_enter_data, host, first,
                    others...);
}
template <detail::HostArray Host, class... N>
void exit_data_delete_finalize(Host host, Extent first, N... others) {
  detail::exit_data(false, "exit data delete finalize", detail::Holder::all_enter_data, host, first,
                    others...);
}

/// update device / update self: copies `host[0:n]` now. Errors: DataError when it is not present.
template <detail::HostArray Host, class... N>
void update_device(Host host, Extent first, N... others) {
  detail::update_array(true, host, first, others...);
}
template <detail::HostArray Host, class... N>
void update_self(Host host, Extent first, N... others) {
  detail::update_array(false, host, first, others...);
}

/// update device async(q) / update self async(q): queues the copy of `host[0:n]` behind what is on
/// the instance `queue`; it is done once that is fenced, and until then `host[0:n]` must be left
/// alone. Copies overlap other queues' work only where `host` is pinned. Errors: DataError when it
/// is not present.
template <detail::HostArray Host, class... N>
void update_device(const Kokkos::DefaultExecutionSpace& queue, Host host, Extent first,
                   N... others) {
  detail::update_array_async(queue, true, host, first, others...);
}
template <detail::HostArray Host, class... N>
void update_self(const Kokkos::DefaultExecutionSpace& queue, Host host, Extent first, N... others) {
  detail::update_array_async(queue, false, host, first, others...);
}

} // namespace gangway
