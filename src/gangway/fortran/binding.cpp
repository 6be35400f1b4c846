// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The procedures that module gangway (gangway.F90) calls. Each gets the descriptors of Fortran
// arrays and texts. An error goes back as `stat` and `errmsg`, or ends the program.
#include "gangway/data.hpp"
#include "gangway/farray.hpp"
#include "gangway/levels.hpp"
#include "gangway/queues.hpp"
#include "gangway/runtime.hpp"

#include <ISO_Fortran_binding.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using gangway::DataError;
using gangway::detail::Clause;
using gangway::detail::Holder;
using gangway::detail::Layout;
using gangway::detail::Scalar;

// --- places ----------------------------------------------------------------------------------

/// The place of a call as std::source_location points to it: the compilers' built-in function makes
/// this record, so libstdc++ and libc++ have it alike.
struct Place {
  const char* file;
  const char* function;
  unsigned line;
  unsigned column;
};
static_assert(sizeof(std::source_location) == sizeof(const Place*),
              "std::source_location is no pointer to a record here");

/// Returns the text of an argument without the blanks at its end; null: absent.
std::string_view text_of(const CFI_cdesc_t* text) {
  if (text == nullptr)
    return {};
  const std::string_view all(static_cast<const char*>(text->base_addr), text->elem_len);
  return all.substr(0, all.find_last_not_of(' ') + 1);
}

/// Returns the one record of this place, which is never destroyed.
const Place* record_of(std::string_view file, unsigned line) {
  static std::mutex mutex;
  static auto* const all = new std::map<std::pair<std::string, unsigned>, Place>;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = all->try_emplace({std::string(file), line});
  if (is_new)
    at->second = {at->first.first.c_str(), "", line, 0};
  return &at->second;
}

/// Returns the place of a call of Fortran. Line 0, and so no place in messages, if the call does
/// not give both.
std::source_location place_of(const CFI_cdesc_t* file, const int* line) {
  const std::string_view name = text_of(file);
  if (name.empty() || line == nullptr || *line <= 0)
    return {};
  struct Recent {
    std::string_view name;
    const Place* place;
  };
  thread_local std::array<Recent, 64> recent{};
  const auto number = static_cast<unsigned>(*line);
  Recent& last = recent[(number ^ (std::bit_cast<std::uintptr_t>(name.data()) >> 4)) % 64];
  if (last.place == nullptr || last.place->line != number || last.name != name) {
    last.place = record_of(name, number);
    last.name = last.place->file;
  }
  return std::bit_cast<std::source_location>(last.place);
}

// --- errors ----------------------------------------------------------------------------------

/// The arguments `stat` and `errmsg` of a call, each null if absent.
struct Report {
  int* stat = nullptr;
  const CFI_cdesc_t* errmsg = nullptr;
};

extern "C" [[noreturn]] void gangway_f_error_stop(const char* text, std::size_t length);

/// Calls `act`. An error becomes `stat` and `errmsg`, or ends the program as `error stop` does.
template <class Act>
void reporting(const Report& report, const Act& act) noexcept {
  std::string text;
  try {
    act();
    if (report.stat != nullptr)
      *report.stat = 0;
    return;
  } catch (const std::exception& error) {
    text = error.what();
  } catch (...) {
    text = "an unknown error";
  }
  if (report.stat == nullptr) {
    text.insert(0, "gangway: ");
    gangway_f_error_stop(text.data(), text.size());
  }
  *report.stat = 1;
  if (report.errmsg == nullptr)
    return;
  const std::size_t length = std::min(text.size(), report.errmsg->elem_len);
  std::fill_n(std::copy_n(text.data(), length, static_cast<char*>(report.errmsg->base_addr)),
              report.errmsg->elem_len - length, ' ');
}

[[noreturn]] void refuse(const Clause& clause, const std::string& why) {
  std::string text = clause.word;
  if (!clause.array.empty())
    text.append("(").append(clause.array).append(")");
  throw DataError(text + ": " + why, clause.where, clause.array);
}

// --- arrays ----------------------------------------------------------------------------------

template <std::size_t count>
bool is_one_of(CFI_type_t type, const std::array<CFI_type_t, count>& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

constexpr std::array<CFI_type_t, 9> integers{
    CFI_type_signed_char, CFI_type_short,   CFI_type_int,     CFI_type_long,   CFI_type_long_long,
    CFI_type_int8_t,      CFI_type_int16_t, CFI_type_int32_t, CFI_type_int64_t};
constexpr std::array<CFI_type_t, 3> reals{CFI_type_float, CFI_type_double, CFI_type_long_double};
constexpr std::array<CFI_type_t, 3> complexes{CFI_type_float_Complex, CFI_type_double_Complex,
                                              CFI_type_long_double_Complex};

/// Returns the elements of an array, without extents. Logicals, characters and derived types are
/// `other`.
Layout elements_of(const CFI_cdesc_t& array) {
  Layout layout{.scalar_bytes = array.elem_len, .element_bytes = array.elem_len};
  if (is_one_of(array.type, integers)) {
    layout.scalar = Scalar::signed_integer;
  } else if (is_one_of(array.type, reals)) {
    layout.scalar = Scalar::real;
  } else if (is_one_of(array.type, complexes)) {
    layout.scalar = Scalar::real;
    layout.scalar_bytes /= 2;
  }
  return layout;
}

/// A contiguous array of the host.
struct HostBytes {
  void* at;
  std::size_t bytes;
};

/// Reads a descriptor, and notes the array's layout in the clause. Errors: DataError for an array
/// that is not allocated, of unknown extent, or not contiguous.
HostBytes read(const CFI_cdesc_t* array, Clause& clause) {
  if (array == nullptr || array->base_addr == nullptr)
    refuse(clause, "the array is not allocated, or the pointer not associated");
  clause.layout = elements_of(*array);
  const int rank = static_cast<unsigned char>(array->rank);
  if (rank != 0 && array->dim[rank - 1].extent < 0)
    refuse(clause, "its last extent is not known here, because it is of assumed size; name a "
                   "section, such as a(1:n)");
  std::size_t bytes = array->elem_len;
  for (int d = 0; d < rank; ++d)
    bytes *= static_cast<std::size_t>(array->dim[d].extent);
  if (bytes != 0) {
    auto distance = static_cast<CFI_index_t>(array->elem_len);
    for (int d = 0; d < rank; ++d) {
      if (array->dim[d].extent != 1 && array->dim[d].sm != distance)
        refuse(clause, "the array is not contiguous: in dimension " + std::to_string(d + 1) +
                           " elements are " + std::to_string(array->dim[d].sm) +
                           " bytes apart, not " + std::to_string(distance) +
                           "; name whole leading dimensions, such as a(:, k), or the whole array");
      distance *= array->dim[d].extent;
    }
  }
  Layout& layout = clause.layout;
  layout.rank = std::clamp(rank, 1, static_cast<int>(layout.extents.size()));
  layout.extents[0] = 1;
  for (int d = 0; d < rank; ++d) { // outermost first; the outermost of more than four are one
    const auto extent = static_cast<std::size_t>(array->dim[d].extent);
    if (d < layout.rank)
      layout.extents[static_cast<std::size_t>(layout.rank - 1 - d)] = extent;
    else
      layout.extents[0] *= extent;
  }
  return {array->base_addr, bytes};
}

std::string text_of(const Layout& elements) {
  const auto bytes = std::to_string(elements.element_bytes) + " bytes";
  if (elements.scalar == Scalar::real)
    return (elements.scalar_bytes == elements.element_bytes ? "reals of " : "complexes of ") +
           bytes;
  return (elements.scalar == Scalar::other ? "elements of " : "integers of ") + bytes;
}

/// Returns whether elements of Fortran are those that a kernel was written for.
bool is_same(const Layout& fortran, const Layout& kernel) {
  if (fortran.element_bytes != kernel.element_bytes)
    return false;
  if (fortran.scalar == Scalar::other) // a logical, a character, or a derived type
    return kernel.scalar != Scalar::real;
  return fortran.scalar_bytes == kernel.scalar_bytes && kernel.scalar != Scalar::other &&
         (fortran.scalar == Scalar::real) == (kernel.scalar == Scalar::real);
}

// --- clauses ---------------------------------------------------------------------------------

/// A data region of Fortran, whose clauses have their bytes from a descriptor.
class Region : public gangway::Data {
public:
  void enter(const CFI_cdesc_t* array, const gangway::detail::Way& way, Clause clause) {
    const HostBytes host = read(array, clause);
    enter_bytes(host.at, host.bytes, way, clause);
  }
};

constexpr std::array ways{gangway::detail::copyin_way, gangway::detail::copyout_way,
                          gangway::detail::copy_way, gangway::detail::create_way,
                          gangway::detail::present_way};

void enter_data(gangway::detail::Entry entry, const CFI_cdesc_t* array, Clause clause) {
  const HostBytes host = read(array, clause);
  gangway::detail::enter(host.at, host.bytes, entry, Holder::enter_data, clause);
}

void exit_data(bool copy_out, Holder holder, const CFI_cdesc_t* array, Clause clause) {
  const HostBytes host = read(array, clause);
  gangway::detail::leave(host.at, host.bytes, copy_out, holder, clause);
}

void update(bool to_device, const int* queue, const CFI_cdesc_t* array, Clause clause) {
  const HostBytes host = read(array, clause);
  if (queue == nullptr)
    gangway::detail::update(host.at, host.bytes, to_device, clause);
  else
    gangway::detail::update_async(gangway::queue(*queue), host.at, host.bytes, to_device, clause);
}

std::size_t size_of(std::int64_t bytes, const Clause& clause) {
  if (bytes < 0)
    refuse(clause, std::to_string(bytes) + " bytes are negative");
  return static_cast<std::size_t>(bytes);
}

void start(const char* arguments, const int* device, const std::source_location& where) {
  const Clause clause{"gangway_initialize", {}, where};
  if (Kokkos::is_initialized() || Kokkos::is_finalized())
    refuse(clause, "Kokkos is running, or was, and does not start twice");
  std::vector<std::string> words;
  for (const char* word = arguments; *word != '\0'; word += words.back().size() + 1)
    words.emplace_back(word);
  if (device != nullptr)
    words.push_back("--kokkos-device-id=" + std::to_string(*device));
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  Kokkos::initialize(count, pointers.data());
}

/// The text that a function has returned, until the next one of this thread.
thread_local std::string returned;

} // namespace

void* gangway::detail::present_fortran_array(const Descriptor& array, const Clause& clause,
                                             int rank, long* extents, long* lower) {
  const auto& descriptor = reinterpret_cast<const CFI_cdesc_t&>(array);
  Clause found = clause;
  const HostBytes host = read(&descriptor, found);
  if (descriptor.rank != rank)
    refuse(clause, "the array has " + std::to_string(descriptor.rank) +
                       " dimensions, and the kernel's FArray " + std::to_string(rank));
  if (!is_same(elements_of(descriptor), clause.layout))
    refuse(clause, "the array has " + text_of(elements_of(descriptor)) +
                       ", and the kernel's FArray " + text_of(clause.layout));
  const bool has_bounds = descriptor.attribute != CFI_attribute_other;
  for (int d = 0; d < rank; ++d) {
    extents[d] = descriptor.dim[d].extent;
    lower[d] = has_bounds ? descriptor.dim[d].lower_bound : 1;
  }
  if (host.bytes == 0)
    return nullptr;
  if (!is_present_bytes(host.at, host.bytes))
    refuse(clause, std::to_string(host.bytes) +
                       " bytes are not on the device; open a data region around this, or call "
                       "gangway_enter_data_copyin or _create first");
  return device_pointer(host.at, clause.array, clause.where);
}

// --- the procedures, in the order of gangway.F90 ---------------------------------------------

extern "C" {

void gangway_f_initialize(const char* arguments, const int* device, const CFI_cdesc_t* file,
                          const int* line, int* stat, const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] { start(arguments, device, place_of(file, line)); });
}

void gangway_f_finalize(const CFI_cdesc_t* file, const int* line, int* stat,
                        const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    if (!Kokkos::is_initialized())
      refuse({"gangway_finalize", {}, place_of(file, line)}, "Kokkos is not running");
    Kokkos::finalize();
  });
}

/// `way` is the clause's index in `ways`. A region is made by its first clause.
void gangway_f_region_enter(void** region, int way, const CFI_cdesc_t* array,
                            const CFI_cdesc_t* name, const CFI_cdesc_t* file, const int* line,
                            int* stat, const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    if (*region == nullptr)
      *region = std::make_unique<Region>().release();
    const auto& clause = ways[static_cast<std::size_t>(way)];
    static_cast<Region*>(*region)->enter(array, clause,
                                         {clause.word, text_of(name), place_of(file, line)});
  });
}

void gangway_f_region_close(void** region, const CFI_cdesc_t* file, const int* line, int* stat,
                            const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    const std::unique_ptr<Region> closed(static_cast<Region*>(std::exchange(*region, nullptr)));
    if (closed != nullptr)
      closed->close(place_of(file, line));
  });
}

void gangway_f_enter_data_copyin(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                                 const CFI_cdesc_t* file, const int* line, int* stat,
                                 const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    enter_data(gangway::detail::Entry::copy, array,
               {"enter data copyin", text_of(name), place_of(file, line)});
  });
}

void gangway_f_enter_data_create(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                                 const CFI_cdesc_t* file, const int* line, int* stat,
                                 const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    enter_data(gangway::detail::Entry::create, array,
               {"enter data create", text_of(name), place_of(file, line)});
  });
}

void gangway_f_exit_data_copyout(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                                 const CFI_cdesc_t* file, const int* line, int* stat,
                                 const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    exit_data(true, Holder::enter_data, array,
              {"exit data copyout", text_of(name), place_of(file, line)});
  });
}

void gangway_f_exit_data_delete(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                                const CFI_cdesc_t* file, const int* line, int* stat,
                                const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    exit_data(false, Holder::enter_data, array,
              {"exit data delete", text_of(name), place_of(file, line)});
  });
}

void gangway_f_exit_data_copyout_finalize(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                                          const CFI_cdesc_t* file, const int* line, int* stat,
                                          const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    exit_data(true, Holder::all_enter_data, array,
              {"exit data copyout finalize", text_of(name), place_of(file, line)});
  });
}

void gangway_f_exit_data_delete_finalize(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                                         const CFI_cdesc_t* file, const int* line, int* stat,
                                         const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    exit_data(false, Holder::all_enter_data, array,
              {"exit data delete finalize", text_of(name), place_of(file, line)});
  });
}

void gangway_f_update_self(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                           const CFI_cdesc_t* file, const int* line, const int* queue, int* stat,
                           const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    update(false, queue, array, {"update self", text_of(name), place_of(file, line)});
  });
}

void gangway_f_update_device(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                             const CFI_cdesc_t* file, const int* line, const int* queue, int* stat,
                             const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    update(true, queue, array, {"update device", text_of(name), place_of(file, line)});
  });
}

void gangway_f_is_present(bool* is_present, const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                          const CFI_cdesc_t* file, const int* line) {
  *is_present = false;
  reporting({}, [&] {
    if (array == nullptr || array->base_addr == nullptr) // not allocated: OpenACC's answer, too
      return;
    Clause clause{"is_present", text_of(name), place_of(file, line)};
    const HostBytes host = read(array, clause);
    *is_present = gangway::detail::is_present_bytes(host.at, host.bytes);
  });
}

void* gangway_f_device_pointer(const CFI_cdesc_t* array, const CFI_cdesc_t* name,
                               const CFI_cdesc_t* file, const int* line, int* stat,
                               const CFI_cdesc_t* errmsg) {
  void* device = nullptr;
  reporting({stat, errmsg}, [&] {
    Clause clause{"host_data use_device", text_of(name), place_of(file, line)};
    const HostBytes host = read(array, clause);
    if (host.bytes == 0)
      return;
    if (!gangway::detail::is_present_bytes(host.at, host.bytes))
      refuse(clause, std::to_string(host.bytes) + " bytes are not on the device");
    device = gangway::device_pointer(host.at, clause.where);
  });
  return device;
}

void* gangway_f_host_pointer(const void* device, const CFI_cdesc_t* file, const int* line,
                             int* stat, const CFI_cdesc_t* errmsg) {
  void* host = nullptr;
  reporting({stat, errmsg}, [&] { host = gangway::host_pointer(device, place_of(file, line)); });
  return host;
}

void gangway_f_map_data(const CFI_cdesc_t* array, void* device, const CFI_cdesc_t* file,
                        const int* line, int* stat, const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    Clause clause{"map_data", {}, place_of(file, line)};
    const HostBytes host = read(array, clause);
    gangway::map_data(host.at, device, host.bytes, clause.where);
  });
}

void gangway_f_unmap_data(const CFI_cdesc_t* array, const CFI_cdesc_t* file, const int* line,
                          int* stat, const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    Clause clause{"unmap_data", {}, place_of(file, line)};
    gangway::unmap_data(read(array, clause).at, clause.where);
  });
}

void* gangway_f_malloc(std::int64_t bytes, const CFI_cdesc_t* file, const int* line, int* stat,
                       const CFI_cdesc_t* errmsg) {
  void* memory = nullptr;
  reporting({stat, errmsg}, [&] {
    const Clause clause{"malloc", {}, place_of(file, line)};
    if (!Kokkos::is_initialized())
      refuse(clause, "Kokkos is not running");
    memory = Kokkos::kokkos_malloc<gangway::DeviceSpace>("gangway_malloc", size_of(bytes, clause));
  });
  return memory;
}

void gangway_f_free(void* device) {
  reporting({}, [&] { Kokkos::kokkos_free<gangway::DeviceSpace>(device); });
}

void gangway_f_memcpy_to_device(void* device, const CFI_cdesc_t* array, const CFI_cdesc_t* file,
                                const int* line, int* stat, const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    Clause clause{"memcpy_to_device", {}, place_of(file, line)};
    const HostBytes host = read(array, clause);
    gangway::memcpy_to_device(device, host.at, host.bytes, clause.where);
  });
}

void gangway_f_memcpy_from_device(const CFI_cdesc_t* array, const void* device,
                                  const CFI_cdesc_t* file, const int* line, int* stat,
                                  const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    Clause clause{"memcpy_from_device", {}, place_of(file, line)};
    const HostBytes host = read(array, clause);
    gangway::memcpy_from_device(host.at, device, host.bytes, clause.where);
  });
}

int gangway_f_present_arrays() {
  int count = 0;
  reporting({}, [&] { count = static_cast<int>(gangway::present_arrays()); });
  return count;
}

int gangway_f_memory() {
  int memory = 0;
  reporting({}, [&] { memory = static_cast<int>(gangway::memory()); });
  return memory;
}

void gangway_f_set_memory(int memory, const CFI_cdesc_t* file, const int* line, int* stat,
                          const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    const auto where = place_of(file, line);
    if (memory < 0 || memory > 2)
      refuse({"set_memory", {}, where}, std::to_string(memory) + " is no kind of memory");
    gangway::set_memory(static_cast<gangway::Memory>(memory), where);
  });
}

void gangway_f_set_kept_memory(std::int64_t bytes, const CFI_cdesc_t* file, const int* line,
                               int* stat, const CFI_cdesc_t* errmsg) {
  reporting({stat, errmsg}, [&] {
    const Clause clause{"set_kept_memory", {}, place_of(file, line)};
    gangway::set_kept_memory(size_of(bytes, clause), clause.where);
  });
}

std::int64_t gangway_f_kept_memory() {
  std::int64_t bytes = 0;
  reporting({}, [&] { bytes = static_cast<std::int64_t>(gangway::kept_memory()); });
  return bytes;
}

/// Writes the five counts in the order of gangway::Transfers.
void gangway_f_transfers(std::int64_t* counts) {
  reporting({}, [&] {
    const gangway::Transfers now = gangway::transfers();
    const std::array all{now.to_device, now.to_host, now.bytes_to_device, now.bytes_to_host,
                         now.allocations};
    std::transform(all.begin(), all.end(), counts,
                   [](std::uint64_t count) { return static_cast<std::int64_t>(count); });
  });
}

void gangway_f_reset_transfers() {
  reporting({}, [] { gangway::reset_transfers(); });
}

int gangway_f_device_count() {
  return Kokkos::num_devices();
}

int gangway_f_device_number() {
  int number = -1;
  reporting({}, [&] {
    if (!Kokkos::is_initialized())
      refuse({"device_number", {}, {}}, "Kokkos is not running");
    number = Kokkos::device_id();
  });
  return number;
}

const char* gangway_f_device_name(std::size_t* length) {
  reporting({}, [&] {
    if (!Kokkos::is_initialized())
      refuse({"device_name", {}, {}}, "Kokkos is not running");
    returned = gangway::device_properties().name;
  });
  *length = returned.size();
  return returned.data();
}

const char* gangway_f_device_type(std::size_t* length) {
  reporting({}, [&] { returned = gangway::name_of(gangway::device_type<>()); });
  *length = returned.size();
  return returned.data();
}

void gangway_f_wait(const int* queue) {
  reporting({}, [&] {
    if (queue == nullptr)
      Kokkos::fence("gangway_wait");
    else
      gangway::queue(*queue).fence("gangway_wait");
  });
}

bool gangway_f_async_test(int queue) {
  bool is_done = false;
  reporting({}, [&] { is_done = gangway::async_test(gangway::queue(queue)); });
  return is_done;
}

int gangway_f_launches() {
  return static_cast<int>(gangway::launches().size());
}

const char* gangway_f_launch(int number, std::size_t* length) {
  reporting({}, [&] {
    const auto& all = gangway::launches();
    if (number < 1 || number > static_cast<int>(all.size()))
      refuse({"launch", {}, {}},
             std::to_string(number) + " is not one of " + std::to_string(all.size()) + " launches");
    returned = all[static_cast<std::size_t>(number - 1)].text();
  });
  *length = returned.size();
  return returned.data();
}

void gangway_f_clear_launches() {
  reporting({}, [] { gangway::clear_launches(); });
}

} // extern "C"
