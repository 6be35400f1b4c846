// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Structures with pointers on the device, for programs that keep them: OpenACC's attach and
/// detach. A port that can change its structures has it simpler: a struct of views (the porting
/// guide, "structs with pointers").
///
///     struct Grid { int n; const double* x; double* u; };
///
///     // #pragma acc data copyin(grid) copyin(grid.x[0:grid.n]) copy(grid.u[0:grid.n])
///     gangway::LinkedData data;
///     const auto grids = data.structs(gangway::named("grid", &grid), 1,
///                                     gangway::member::copyin("x", &Grid::x, &Grid::n),
///                                     gangway::member::copy("u", &Grid::u, &Grid::n));
///     Kokkos::parallel_for("scale", grid.n,
///                          KOKKOS_LAMBDA(int i) { grids(0).u[i] *= grids(0).x[i]; });
namespace gangway {

namespace detail {
/// Attaches, or detaches, `count` pointers one behind the other, the first of them the host's at
/// `first`.
void attach(const void* first, std::size_t count, const Clause& clause);
void detach(const void* first, std::size_t count, bool finalize, const Clause& clause);

template <class Host>
concept HostPointer = HostArray<Host> && std::is_pointer_v<Element<Host>>;
} // namespace detail

/// acc_attach: the pointer at `pointer`, which is in an array on the device, leads there to the
/// device's copy of what it leads to on the host. Again, it is counted. To somewhere else since: it
/// is attached anew, and counted from one. A null pointer is left alone; where memory is shared all
/// are. It stays until as many `detach`, or until either end leaves the device. Copies leave
/// attached pointers as they are on both sides. Errors: DataError when the pointer or what it leads
/// to is not on the device (where OpenACC does nothing, and the kernel faults).
template <detail::HostPointer Host>
void attach(Host pointer, std::source_location where = std::source_location::current()) {
  const auto host = detail::named_of(pointer);
  const detail::Clause clause{"attach", host.name, where};
  detail::attach(static_cast<const void*>(host.array), 1, clause);
}
/// acc_detach: one `attach` less; after the last the device's pointer is what the host's is. One
/// that is not attached is left alone. acc_detach_finalize: whatever the count.
template <detail::HostPointer Host>
void detach(Host pointer, std::source_location where = std::source_location::current()) {
  const auto host = detail::named_of(pointer);
  const detail::Clause clause{"detach", host.name, where};
  detail::detach(static_cast<const void*>(host.array), 1, false, clause);
}
template <detail::HostPointer Host>
void detach_finalize(Host pointer, std::source_location where = std::source_location::current()) {
  const auto host = detail::named_of(pointer);
  const detail::Clause clause{"detach finalize", host.name, where};
  detail::detach(static_cast<const void*>(host.array), 1, true, clause);
}

/// Members of a struct that lead to arrays, as `LinkedData::structs` takes them: the member's name
/// for errors, the member, and how many elements it leads to, which is a number, a member that has
/// it, or a function of the struct.
namespace member {
enum class Kind { copyin, copyout, copy, create, present };

template <class Struct, class T>
using PointerMember = T* Struct::*;

template <class Struct, class T, class Extent>
struct Member {
  Kind kind;
  std::string_view name;
  PointerMember<Struct, T> pointer;
  Extent extent;

  [[nodiscard]] auto elements(const Struct& of) const {
    if constexpr (std::is_integral_v<Extent>)
      return extent;
    else if constexpr (std::is_member_object_pointer_v<Extent>)
      return of.*extent;
    else
      return extent(of);
  }
};

template <class Struct, class T, class Extent>
[[nodiscard]] auto copyin(std::string_view name, T* Struct::* pointer, Extent extent) {
  return Member<Struct, T, Extent>{Kind::copyin, name, pointer, extent};
}
template <class Struct, class T, class Extent>
[[nodiscard]] auto copyout(std::string_view name, T* Struct::* pointer, Extent extent) {
  return Member<Struct, T, Extent>{Kind::copyout, name, pointer, extent};
}
template <class Struct, class T, class Extent>
[[nodiscard]] auto copy(std::string_view name, T* Struct::* pointer, Extent extent) {
  return Member<Struct, T, Extent>{Kind::copy, name, pointer, extent};
}
template <class Struct, class T, class Extent>
[[nodiscard]] auto create(std::string_view name, T* Struct::* pointer, Extent extent) {
  return Member<Struct, T, Extent>{Kind::create, name, pointer, extent};
}
/// What another region holds: such as structs with pointers of their own, which were brought by
/// `structs` before.
template <class Struct, class T, class Extent>
[[nodiscard]] auto present(std::string_view name, T* Struct::* pointer, Extent extent) {
  return Member<Struct, T, Extent>{Kind::present, name, pointer, extent};
}
} // namespace member

/// Rows that a table of pointers leads to, `T**` in C, for kernels: a(i, j), or a[i][j].
template <class T>
class Rows {
public:
  explicit Rows(T* const* table) : _table(table) {}
  template <class I>
  KOKKOS_FUNCTION T* operator[](I i) const {
    return _table[i];
  }
  template <class I, class J>
  KOKKOS_FUNCTION T& operator()(I i, J j) const {
    return _table[i][j];
  }

private:
  T* const* _table;
};

/// A data region whose structs and tables have pointers that kernels follow. Besides what Data does
/// it attaches, and detaches at its end before it copies out. Errors: as Data, with names such as
/// grid.u, grid[3].u and a[3].
class LinkedData : public Data {
public:
  LinkedData() = default;
  LinkedData(const LinkedData&) = delete;
  LinkedData& operator=(const LinkedData&) = delete;
  LinkedData(LinkedData&&) noexcept = default;
  LinkedData& operator=(LinkedData&&) = delete;
  ~LinkedData() noexcept(false) { detach_all(); }

  /// attach(p) of a data construct: `gangway::attach`, until the region's end.
  template <detail::HostPointer Host>
  void attach(Host pointer, std::source_location where = std::source_location::current()) {
    const auto host = detail::named_of(pointer);
    const detail::Clause clause{"attach", host.name, where};
    attach_all(static_cast<const void*>(host.array), 1, clause);
  }

  /// `count` structs, copied in, and the arrays that their `members` lead to, each by its clause;
  /// the pointers are attached. A null pointer is left alone, and has to have no elements. The view
  /// is of the structs on the device. A member that leads to structs with pointers comes after
  /// those, as `member::present`.
  template <detail::HostArray Host, class... Members>
  [[nodiscard]] auto structs(Host host, Extent count, const Members&... members) {
    static_assert(std::is_trivially_copyable_v<detail::Element<Host>>,
                  "structs are copied to the device as they are");
    const auto array = detail::named_of(host);
    const auto view = copyin(host, count);
    for (std::size_t i = 0; i < count.elements(); ++i) {
      std::string of(array.name);
      if (count.elements() > 1)
        of += "[" + std::to_string(i) + "]";
      (enter_member(of, array.array[i], members, count.where()), ...);
    }
    return view;
  }

  /// `rows` arrays of `columns` elements that a table of pointers leads to, by the same clause
  /// each. The table goes along.
  template <detail::HostPointer Host>
  [[nodiscard]] auto copyin_rows(Host table, Extent rows, Extent columns) {
    return enter_rows(member::Kind::copyin, table, rows, columns);
  }
  template <detail::HostPointer Host>
  [[nodiscard]] auto copyout_rows(Host table, Extent rows, Extent columns) {
    return enter_rows(member::Kind::copyout, table, rows, columns);
  }
  template <detail::HostPointer Host>
  [[nodiscard]] auto copy_rows(Host table, Extent rows, Extent columns) {
    return enter_rows(member::Kind::copy, table, rows, columns);
  }
  template <detail::HostPointer Host>
  [[nodiscard]] auto create_rows(Host table, Extent rows, Extent columns) {
    return enter_rows(member::Kind::create, table, rows, columns);
  }
  template <detail::HostPointer Host>
  [[nodiscard]] auto present_rows(Host table, Extent rows, Extent columns) {
    return enter_rows(member::Kind::present, table, rows, columns);
  }

  /// As Data's.
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): detaches first
  void close(std::source_location where = std::source_location::current()) {
    detach_all();
    Data::close(where);
  }

private:
  template <class T>
  void enter_array(member::Kind kind, Named<T> array, const Extent& n) {
    switch (kind) {
    case member::Kind::copyin:
      return static_cast<void>(copyin(array, n));
    case member::Kind::copyout:
      return static_cast<void>(copyout(array, n));
    case member::Kind::copy:
      return static_cast<void>(copy(array, n));
    case member::Kind::create:
      return static_cast<void>(create(array, n));
    case member::Kind::present:
      return static_cast<void>(present(array, n));
    }
  }

  template <class Struct, class Member>
  void enter_member(const std::string& of, Struct& host, const Member& member,
                    std::source_location where) {
    const std::string name = (of.empty() ? of : of + ".") + std::string(member.name);
    const Extent n(member.elements(host), where);
    enter_array(member.kind, named(name, host.*member.pointer), n);
    const detail::Clause clause{"attach", name, where};
    if (n.elements() != 0)
      attach_all(static_cast<const void*>(&(host.*member.pointer)), 1, clause);
  }

  template <class Host>
  auto enter_rows(member::Kind kind, Host host, const Extent& rows, const Extent& columns) {
    using T = std::remove_pointer_t<detail::Element<Host>>;
    const auto table = detail::named_of(host);
    // A View's element cannot be a pointer.
    static_assert(sizeof(T*) == sizeof(std::uintptr_t));
    const auto view =
        copyin(named(table.name, reinterpret_cast<const std::uintptr_t*>(table.array)), rows);
    const std::string of(table.name);
    for (std::size_t i = 0; i < rows.elements(); ++i)
      enter_array(kind, named(of + "[" + std::to_string(i) + "]", table.array[i]), columns);
    const detail::Clause clause{"attach", table.name, rows.where()};
    if (rows.elements() != 0 && columns.elements() != 0)
      attach_all(static_cast<const void*>(table.array), rows.elements(), clause);
    return Rows<T>(reinterpret_cast<T* const*>(view.data()));
  }

  void attach_all(const void* first, std::size_t count, const detail::Clause& clause);
  void detach_all();

  struct Attached {
    const void* first;
    std::size_t count;
  };
  std::vector<Attached> _attached;
};

} // namespace gangway
