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
///                                     gangway::by::copyin("x", &Grid::x, &Grid::n),
///                                     gangway::by::copy("u", &Grid::u, &Grid::n));
///     Kokkos::parallel_for("scale", grid.n,
///                          KOKKOS_LAMBDA(int i) { grids(0).u[i] *= grids(0).x[i]; });
namespace gangway {

namespace detail {
/// A pointer of the host's, and its name for errors.
struct Pointer {
  const void* at;
  std::string name;
};
/// All of them, or none.
void attach(const std::vector<Pointer>& pointers, std::source_location where);
void detach(const std::vector<Pointer>& pointers, bool finalize, const Clause& clause);

template <class Host>
concept HostPointer = HostArray<Host> && std::is_pointer_v<Element<Host>>;

template <HostPointer Host>
std::vector<Pointer> pointers_of(Host pointer) {
  const auto host = named_of(pointer);
  std::vector<Pointer> one(1);
  one.front().at = static_cast<const void*>(host.array);
  one.front().name = host.name;
  return one;
}
} // namespace detail

/// acc_attach: the pointer at `pointer`, which is in an array on the device, leads there to the
/// device's copy of what it leads to on the host. Again, it is counted. To somewhere else since: it
/// is attached anew, and counted from one. A null pointer is left alone; where memory is shared all
/// are. It stays until as many `detach`, or until either end leaves the device. Copies leave
/// attached pointers as they are on both sides. Errors: DataError when the pointer or what it leads
/// to is not on the device (where OpenACC does nothing, and the kernel faults).
template <detail::HostPointer Host>
void attach(Host pointer, std::source_location where = std::source_location::current()) {
  detail::attach(detail::pointers_of(pointer), where);
}
/// acc_detach: one `attach` less; after the last the device's pointer is what the host's is. One
/// that is not attached is left alone. acc_detach_finalize: whatever the count.
template <detail::HostPointer Host>
void detach(Host pointer, std::source_location where = std::source_location::current()) {
  const detail::Clause clause{"detach", detail::named_of(pointer).name, where};
  detail::detach(detail::pointers_of(pointer), false, clause);
}
template <detail::HostPointer Host>
void detach_finalize(Host pointer, std::source_location where = std::source_location::current()) {
  const detail::Clause clause{"detach finalize", detail::named_of(pointer).name, where};
  detail::detach(detail::pointers_of(pointer), true, clause);
}

namespace detail {
template <class Struct, class T>
using PointerMember = T* Struct::*;

/// A member of a struct that leads to an array, by a clause.
template <class Struct, class T, class Count>
struct LinkedMember {
  Way way;
  std::string_view name;
  PointerMember<Struct, T> pointer;
  Count count;

  [[nodiscard]] auto elements(const Struct& of) const {
    if constexpr (std::is_integral_v<Count>)
      return count;
    else if constexpr (std::is_member_object_pointer_v<Count>)
      return of.*count;
    else
      return count(of);
  }
};

/// Rows that a table leads to, by a clause each.
template <class Count>
struct LinkedRows {
  Way way;
  Count count;

  [[nodiscard]] auto elements(std::size_t row) const {
    if constexpr (std::is_integral_v<Count>)
      return count;
    else
      return count(row);
  }
};

/// How arrays come that pointers lead to.
struct By {
  Way way;

  template <class Struct, class T, class Count>
  [[nodiscard]] auto operator()(std::string_view name, T* Struct::* pointer, Count count) const {
    return LinkedMember<Struct, T, Count>{way, name, pointer, count};
  }
  template <class Count>
  [[nodiscard]] auto operator()(Count count) const {
    return LinkedRows<Count>{way, count};
  }
};
} // namespace detail

/// Clauses of what pointers lead to. A struct's member, for `LinkedData::structs`: its name for
/// errors, the member, and how many elements it leads to, which is a number, a member that has it,
/// or a function of the struct: by::copy("u", &Grid::u, &Grid::n). A table's rows, for
/// `LinkedData::rows`: how many elements each leads to, a number or a function of the row's index:
/// by::copy(columns).
namespace by {
inline constexpr detail::By copyin{detail::copyin_way};   ///< as Data's
inline constexpr detail::By copyout{detail::copyout_way}; ///< as Data's
inline constexpr detail::By copy{detail::copy_way};       ///< as Data's
inline constexpr detail::By create{detail::create_way};   ///< as Data's
/// Arrays that another region holds, such as structs with pointers of their own, which `structs`
/// has brought before.
inline constexpr detail::By present{detail::present_way};
} // namespace by

/// Rows that a table of pointers leads to, `T**` in C, for kernels: a(i, j), or a[i][j].
template <class T>
class Rows {
public:
  explicit Rows(T* const* table) : _table(table) {} ///< of a table on the device
  template <class I>
  KOKKOS_FUNCTION T* operator[](I i) const {
    return _table[i];
  } ///< row i
  template <class I, class J>
  KOKKOS_FUNCTION T& operator()(I i, J j) const {
    return _table[i][j];
  } ///< element j of row i

  /// The table itself, for code that takes it as C does.
  KOKKOS_FUNCTION T* const* data() const { return _table; }

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
  LinkedData(LinkedData&&) noexcept = default; ///< takes over the region
  LinkedData& operator=(LinkedData&&) = delete;
  ~LinkedData() noexcept(false) { detach_all(); }

  /// attach(p) of a data construct: `gangway::attach`, until the region's end.
  template <detail::HostPointer Host>
  void attach(Host pointer, std::source_location where = std::source_location::current()) {
    attach_all(detail::pointers_of(pointer), where);
  }

  /// `count` structs, copied in, and the arrays that their `members` lead to, each by its clause;
  /// the pointers are attached. A null pointer is left alone, and has to have no elements. The view
  /// is of the structs on the device. A member that leads to structs with pointers comes after
  /// those, as `by::present`.
  template <detail::HostArray Host, class... Members>
  [[nodiscard]] auto structs(Host host, Extent count, const Members&... members) {
    static_assert(std::is_trivially_copyable_v<detail::Element<Host>>,
                  "structs are copied to the device as they are");
    const auto array = detail::named_of(host);
    const auto view = copyin(host, count);
    std::vector<detail::Pointer> pointers;
    for (std::size_t i = 0; i < count.elements(); ++i) {
      std::string of(array.name);
      if (count.elements() > 1)
        of += "[" + std::to_string(i) + "]";
      if (!of.empty())
        of += ".";
      const auto& one = array.array[i];
      (enter_pointer(members.way, &(one.*members.pointer), of + std::string(members.name),
                     Extent(members.elements(one), count.where()), pointers),
       ...);
    }
    attach_all(std::move(pointers), count.where());
    return view;
  }

  /// `count` arrays that a table of pointers leads to, by the same clause each: by::copy(columns).
  /// The table goes along.
  template <detail::HostPointer Host, class Count>
  [[nodiscard]] auto rows(Host host, Extent count, const detail::LinkedRows<Count>& each) {
    using T = std::remove_pointer_t<detail::Element<Host>>;
    const auto table = detail::named_of(host);
    // A View's element cannot be a pointer.
    static_assert(sizeof(T*) == sizeof(std::uintptr_t));
    const auto view =
        copyin(named(table.name, reinterpret_cast<const std::uintptr_t*>(table.array)), count);
    std::vector<detail::Pointer> pointers;
    for (std::size_t i = 0; i < count.elements(); ++i)
      enter_pointer(each.way, &table.array[i],
                    std::string(table.name) + "[" + std::to_string(i) + "]",
                    Extent(each.elements(i), count.where()), pointers);
    attach_all(std::move(pointers), count.where());
    return Rows<T>(reinterpret_cast<T* const*>(view.data()));
  }

  /// Ends the region, as Data's `close` does.
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method): detaches first
  void close(std::source_location where = std::source_location::current()) {
    detach_all();
    Data::close(where);
  }

private:
  /// Enters what a pointer leads to, and adds the pointer to those that are to be attached.
  template <class T>
  void enter_pointer(const detail::Way& way, T* const* pointer, std::string name, const Extent& n,
                     std::vector<detail::Pointer>& pointers) {
    static_cast<void>(enter<T>(way, named(name, *pointer), n));
    if (n.elements() != 0)
      pointers.push_back({static_cast<const void*>(pointer), std::move(name)});
  }

  void attach_all(std::vector<detail::Pointer> pointers, std::source_location where);
  void detach_all();

  std::vector<std::vector<detail::Pointer>> _attached; ///< those of a clause together
};

} // namespace gangway
