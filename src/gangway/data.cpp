// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gangway/data.hpp"

#include "gangway/kept_blocks.hpp"
#include "gangway/linked.hpp"
#include "gangway/openacc.hpp"
#include "gangway/present.hpp"
#include "gangway/strict.hpp"
#include "gangway/verify.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

namespace gangway {
namespace {

/// "solver.cpp:41", as the compiler was given the file.
std::string place_text(const std::source_location& where) {
  if (where.line() == 0)
    return "an unknown place";
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

} // namespace

DataError::DataError(const std::string& what, std::source_location where, std::string_view array)
    : std::runtime_error(where.line() == 0 ? what : place_text(where) + ": " + what), _where(where),
      _array(std::make_shared<const std::string>(array)) {}

namespace {

using detail::Clause;

struct Mirror {
  std::size_t bytes;
  std::byte* device;
  std::string brought_by; ///< the clause, its array and its place, for messages
  long regions = 0;       ///< clauses of open regions that name it
  long entered = 0;       ///< enter_data without its exit_data
  bool mapped = false;    ///< memory of the caller's: never copied out or released here
  bool writable = true;   ///< the host's pages, which strict memory leaves as they were
  std::string name = {};  ///< the array's, where the clause gave one
  bool borrowed = false;  ///< OpenACC's: forgotten when no clause holds it
  detail::Layout layout = {};
  /// The host's array when it and the copy were last brought together, while ports are verified.
  std::vector<std::byte> in_step = {};
  bool created = false; ///< likewise: filled by `leave_unset`

  long& held_by(detail::Holder holder) {
    return holder == detail::Holder::region ? regions : entered;
  }
};

/// A pointer in device memory that leads to a copy in device memory.
struct Attachment {
  std::byte* device;       ///< where the pointer is
  const std::byte* array;  ///< the device's copy that it is in
  const std::byte* target; ///< what it leads to, on the host
  long count;              ///< attaches without their detach
};

/// The attached pointers, by where they are on the host and by what they lead to there.
class Attachments {
public:
  using One = std::pair<const std::byte*, Attachment>; ///< the pointer on the host

  /// Those that are in host[0:bytes].
  [[nodiscard]] std::vector<One> in(const std::byte* host, std::size_t bytes) const {
    return {_all.lower_bound(host), _all.lower_bound(host + bytes)};
  }
  /// Those that lead into host[0:bytes].
  [[nodiscard]] std::vector<One> leading_to(const std::byte* host, std::size_t bytes) const {
    std::vector<One> found;
    const auto end = _leading.lower_bound(host + bytes);
    for (auto led = _leading.lower_bound(host); led != end; ++led)
      for (const std::byte* pointer : led->second)
        found.emplace_back(pointer, _all.at(pointer));
    return found;
  }
  /// nullptr where the pointer is not attached.
  [[nodiscard]] Attachment* find(const std::byte* pointer) {
    const auto at = _all.find(pointer);
    return at == _all.end() ? nullptr : &at->second;
  }
  /// Takes the place of what the pointer led to before. If there is no memory, nothing is changed.
  void set(const std::byte* pointer, const Attachment& attachment) {
    const bool is_noted = !_leading[attachment.target].insert(pointer).second;
    try {
      const auto [at, is_new] = _all.try_emplace(pointer, attachment);
      if (!is_new && !is_noted)
        no_longer_leads(pointer, at->second.target);
      at->second = attachment;
    } catch (...) {
      no_longer_leads(pointer, attachment.target);
      throw;
    }
  }
  void erase(const std::byte* pointer) noexcept {
    const auto at = _all.find(pointer);
    if (at == _all.end())
      return;
    no_longer_leads(pointer, at->second.target);
    _all.erase(at);
  }
  /// All that are in host[0:bytes] or lead into it.
  void erase(const std::byte* host, std::size_t bytes) noexcept {
    const auto end = _all.lower_bound(host + bytes);
    for (auto at = _all.lower_bound(host); at != end; at = _all.erase(at))
      no_longer_leads(at->first, at->second.target);
    const auto last = _leading.lower_bound(host + bytes);
    for (auto led = _leading.lower_bound(host); led != last; led = _leading.erase(led))
      for (const std::byte* pointer : led->second)
        _all.erase(pointer);
  }

private:
  void no_longer_leads(const std::byte* pointer, const std::byte* target) noexcept {
    const auto led = _leading.find(target);
    led->second.erase(pointer);
    if (led->second.empty())
      _leading.erase(led);
  }

  std::map<const std::byte*, Attachment> _all;
  std::map<const std::byte*, std::set<const std::byte*>> _leading; ///< the pointers, by target
};

/// Returns the memory that the environment asks for, or else the device's own kind.
Memory first_memory() {
  const char* const asked = std::getenv("GANGWAY_MEMORY");
  const std::string wanted = asked == nullptr ? "" : asked;
  if (wanted.empty())
    return has_device || detail::is_verifying() ? Memory::separate : Memory::shared;
  if (wanted == "separate")
    return Memory::separate;
  if (wanted == "strict") // which a device with its own memory is by itself
    return has_device ? Memory::separate : Memory::strict;
  if (wanted == "shared" && !has_device)
    return Memory::shared;
  throw DataError("GANGWAY_MEMORY is \"" + wanted + "\"" +
                      (wanted == "shared"
                           ? ", but kernels of this backend cannot reach host memory; leave it away"
                           : "; it may be shared, separate or strict"),
                  {});
}

/// The present table: host address -> its copy on the device. Ranges never overlap.
struct PresentTable {
  std::mutex mutex;
  std::map<const std::byte*, Mirror> mirrors;
  Attachments attachments;
  long used_in_place = 0; ///< clauses of open regions while memory is shared
  Transfers counts;
  Memory memory = first_memory();
  std::optional<OpenAccRuntime> openacc; ///< that shares the table
  detail::KeptBlocks blocks;             ///< device memory of regions that are closed
  bool blocks_are_set_up = false;

  /// Once Kokkos runs, and can be asked about its device.
  void set_up_blocks() {
    if (blocks_are_set_up)
      return;
    Kokkos::push_finalize_hook([this] { blocks.set_limit(0); }); // and none is kept from then on
    blocks_are_set_up = true;
    // On a host that plays a device, memory that is released has to be seen to be.
    if (has_device)
      blocks.set_limit(device_properties().memory / 16);
  }
};

PresentTable& table() {
  // Never destroyed: regions with static storage may outlive every other static.
  static auto* const the_table = new PresentTable;
  return *the_table;
}

using DeviceBytes = Kokkos::View<std::byte*, DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using HostBytes =
    Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

std::byte* bytes_at(const void* host) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(host)); // NOLINT: see Data::copyin
}

/// On a queue, a copy is in order with what else is on it; without one it waits for everything.
template <class... Queue>
void copy_to_device(PresentTable& present, void* device, const void* host, std::size_t bytes,
                    const Queue&... queue) {
  Kokkos::deep_copy(queue..., DeviceBytes(bytes_at(device), bytes),
                    HostBytes(bytes_at(host), bytes));
  if (present.memory == Memory::shared)
    return;
  ++present.counts.to_device;
  present.counts.bytes_to_device += bytes;
}

template <class... Queue>
void copy_to_host(PresentTable& present, const void* host, const void* device, std::size_t bytes,
                  const Queue&... queue) {
  Kokkos::deep_copy(queue..., HostBytes(bytes_at(host), bytes),
                    DeviceBytes(bytes_at(device), bytes));
  if (present.memory == Memory::shared)
    return;
  ++present.counts.to_host;
  present.counts.bytes_to_host += bytes;
}

/// "copyin", or "copyin(u)" of an array with a name.
std::string clause_text(const Clause& clause) {
  std::string text = clause.word;
  if (!clause.array.empty())
    text.append("(").append(clause.array).append(")");
  return text;
}

[[noreturn]] void refuse(const Clause& clause, const std::string& why) {
  throw DataError(clause_text(clause) + ": " + why, clause.where, clause.array);
}

std::string range_text(const void* host, std::size_t bytes) {
  std::ostringstream text;
  text << bytes << " bytes at " << host;
  return text.str();
}

/// Calls `copy`, which moves host[0:bytes]. Errors: DataError that names the array, for any
/// failure.
template <class Copy>
void move_or_refuse(const Clause& clause, bool to_device, const void* host, std::size_t bytes,
                    const Copy& copy) {
  try {
    copy();
  } catch (const DataError&) {
    throw;
  } catch (const std::exception& reason) { // Kokkos' types differ from version to version
    refuse(clause, range_text(host, bytes) + " could not be copied to the " +
                       (to_device ? "device" : "host") + " (" + reason.what() + ")");
  }
}

/// The entry that holds all of host[0:bytes], or end.
auto find_whole(PresentTable& present, const void* host, std::size_t bytes) {
  const auto next = present.mirrors.upper_bound(bytes_at(host));
  if (next == present.mirrors.begin())
    return present.mirrors.end();
  const auto held = std::prev(next);
  const auto offset = static_cast<std::size_t>(bytes_at(host) - held->first);
  return offset < held->second.bytes && bytes <= held->second.bytes - offset
             ? held
             : present.mirrors.end();
}

/// The entry that holds host[0:bytes], or end. Errors: DataError when only part of it is held.
auto find(PresentTable& present, const void* host, std::size_t bytes, const Clause& clause) {
  const std::byte* begin = bytes_at(host);
  auto next = present.mirrors.upper_bound(begin);
  const auto refuse_part = [&](const auto& held) {
    refuse(clause,
           range_text(host, bytes) + " are only partly on the device; an open region holds " +
               range_text(held->first, held->second.bytes) + " (" + held->second.brought_by +
               "); name the same array in both, or the larger one outside");
  };
  if (next != present.mirrors.begin()) {
    const auto held = std::prev(next);
    const auto offset = static_cast<std::size_t>(begin - held->first);
    if (offset < held->second.bytes) {
      if (bytes > held->second.bytes - offset)
        refuse_part(held);
      return held;
    }
  }
  if (next != present.mirrors.end() && bytes > static_cast<std::size_t>(next->first - begin))
    refuse_part(next);
  return present.mirrors.end();
}

/// Declares a data region or directive to whatever Kokkos tool listens, as metadata "gangway.data".
void tell_tools(const char* what) {
  if (Kokkos::Tools::profileLibraryLoaded())
    Kokkos::Tools::declareMetadata("gangway.data", what);
}

/// Declares what the next copy is, "gangway.copy": between the memories of a host that plays a
/// device nothing else would tell a tool which way it goes. After a tab, where in the program.
void tell_tools_of_copy(const PresentTable& present, const char* direction, const Clause& clause) {
  if (present.memory != Memory::shared && Kokkos::Tools::profileLibraryLoaded())
    Kokkos::Tools::declareMetadata("gangway.copy", std::string(direction) + " " +
                                                       clause_text(clause) + "\t" +
                                                       place_text(clause.where));
}

/// Arrays that this thread's clauses have created: whether a region created one is how it differs
/// from one that found all its data present.
thread_local std::uint64_t created_here = 0;

std::byte* allocate(PresentTable& present, const void* host, std::size_t bytes,
                    const Clause& clause) {
  present.set_up_blocks();
  try {
    return present.blocks.take(bytes);
  } catch (const std::exception& reason) { // its type differs from version to version of Kokkos
    refuse(clause, range_text(host, bytes) + " find no room on the device (" + reason.what() + ")");
  }
}

/// Fills device memory with what `is_unset` knows. Returns false if numbers of the layout are not
/// of whole words, and could have such values by themselves.
bool leave_unset(std::byte* device, std::size_t bytes, const detail::Layout& layout) {
  if (layout.scalar_bytes % sizeof detail::unset_word != 0 || bytes % layout.scalar_bytes != 0)
    return false;
  const std::vector<std::uint32_t> words(
      std::min<std::size_t>(bytes / sizeof detail::unset_word, 1U << 18U), detail::unset_word);
  const std::size_t most = words.size() * sizeof detail::unset_word;
  for (std::size_t from = 0; from < bytes; from += most) {
    const std::size_t size = std::min(most, bytes - from);
    Kokkos::deep_copy(DeviceBytes(device + from, size), HostBytes(bytes_at(words.data()), size));
  }
  return true;
}

/// Where OpenACC's runtime has all of host[0:bytes], if it shares the table; otherwise null.
std::byte* device_by_openacc(const PresentTable& present, const void* host, std::size_t bytes) {
  if (!present.openacc)
    return nullptr;
  if (present.openacc->uses_host_memory)
    return bytes_at(host);
  return present.openacc->is_present(bytes_at(host), bytes)
             ? bytes_at(present.openacc->device_pointer(bytes_at(host)))
             : nullptr;
}

/// Notes in the table what a clause names and OpenACC's runtime has. Borrowed parts of it that
/// other clauses hold become one with it.
void borrow(PresentTable& present, const void* host, std::size_t bytes, const Clause& clause) {
  if (!present.openacc)
    return;
  const std::byte* begin = bytes_at(host);
  const std::byte* end = begin + bytes;
  auto first = present.mirrors.upper_bound(begin);
  if (first != present.mirrors.begin() &&
      std::prev(first)->first + std::prev(first)->second.bytes > begin)
    --first;
  auto last = first;
  for (; last != present.mirrors.end() && last->first < end; ++last)
    if (!last->second.borrowed || (last->first <= begin && last->first + last->second.bytes >= end))
      return; // it is held, or `find` says why not
  if (device_by_openacc(present, begin, bytes) == nullptr)
    return;
  Mirror all{0, nullptr, clause_text(clause) + " at " + place_text(clause.where)};
  all.borrowed = true;
  all.layout = clause.layout;
  all.name = clause.array;
  for (auto part = first; part != last; ++part) {
    begin = std::min(begin, part->first);
    end = std::max(end, part->first + part->second.bytes);
    all.regions += part->second.regions;
    all.entered += part->second.entered;
  }
  all.bytes = static_cast<std::size_t>(end - begin);
  if (all.bytes != bytes) { // extents that no clause has named
    all.layout.extents = {all.bytes / std::max<std::size_t>(1, all.layout.element_bytes)};
    all.layout.rank = 1;
  }
  all.device = device_by_openacc(present, begin, all.bytes);
  if (all.device == nullptr) // of two arrays
    return;
  all.writable = !detail::is_verifying() || detail::is_writable(bytes_at(begin), all.bytes);
  present.mirrors.erase(first, last);
  present.mirrors.emplace(begin, std::move(all));
}

bool is_sharing() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  return present.openacc.has_value();
}

/// Before a clause or directive sees what OpenACC's kernels left.
void wait_for_openacc(const PresentTable& present) {
  if (present.openacc)
    present.openacc->wait_all();
}

[[noreturn]] void refuse_missing(const Clause& clause, const void* host, std::size_t bytes) {
  refuse(clause, range_text(host, bytes) +
                     " are not on the device; open a data region around this (copyin, copy or "
                     "create), or enter_data first");
}

void require_kokkos(const Clause& clause) {
  if (!Kokkos::is_initialized() || Kokkos::is_finalized())
    refuse(clause, "Kokkos is not running; data regions live between Kokkos::initialize and "
                   "Kokkos::finalize");
}

void require_pointers(const Clause& clause, const void* device, const void* host,
                      std::size_t bytes) {
  if (bytes != 0 && (device == nullptr || host == nullptr))
    refuse(clause, std::string("the ") + (device == nullptr ? "device" : "host") +
                       " pointer is null, but " + std::to_string(bytes) + " bytes are named");
}

/// The host's copies of what is on the device, which kernels have no business with.
std::vector<detail::Watched> watched_arrays() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  std::vector<detail::Watched> arrays;
  for (const auto& [host, mirror] : present.mirrors)
    if (mirror.device != host) // mapped to itself: kernels may use it
      arrays.push_back({bytes_at(host), mirror.bytes, mirror.writable, mirror.device,
                        mirror.brought_by.c_str()});
  return arrays;
}

/// Before the present table or a host array is touched: with strict memory no kernel may run then,
/// for host arrays are out of reach meanwhile.
void require_no_kernel(const PresentTable& present, const Clause& clause) {
  if (present.memory != Memory::strict)
    return;
  const detail::Runs runs = detail::kernel_runs();
  if (runs == detail::Runs::another_thread)
    refuse(clause, "a kernel of another thread runs; strict memory watches the kernels of one "
                   "thread at a time, so use GANGWAY_MEMORY=separate");
  if (runs == detail::Runs::this_thread)
    detail::kernel_was_left();
  if (!detail::is_watching())
    detail::start_watching(watched_arrays);
}

std::byte* pointer_at(const std::byte* address) {
  std::byte* value = nullptr;
  std::memcpy(static_cast<void*>(&value), address, sizeof value);
  return value;
}

/// Pointers in device memory that get new values.
class Pointers {
public:
  Pointers(PresentTable& present, const Clause& clause) : _present(present), _clause(clause) {}
  void add(const Attachment& attachment, std::byte* value) {
    _all.push_back({attachment.device, attachment.array, value});
  }
  /// Those near each other in one array cross together, with what lies between them, which is
  /// fetched first.
  void write() {
    constexpr std::ptrdiff_t near = 4096;
    const std::less<> before; // pointers into different arrays have no order of their own
    std::sort(_all.begin(), _all.end(),
              [&](const Value& one, const Value& other) { return before(one.at, other.at); });
    for (auto first = _all.begin(); first != _all.end();) {
      auto last = first;
      while (last + 1 != _all.end() && last[1].array == first->array &&
             last[1].at - last->at <= near)
        ++last;
      write(first, last + 1);
      first = last + 1;
    }
  }

private:
  struct Value {
    std::byte* at;
    const std::byte* array;
    std::byte* value;
  };

  void write(std::vector<Value>::const_iterator first, std::vector<Value>::const_iterator end) {
    const auto bytes = static_cast<std::size_t>((end - 1)->at - first->at) + sizeof(void*);
    std::vector<std::byte> image(bytes);
    if (bytes != static_cast<std::size_t>(end - first) * sizeof(void*)) {
      tell_tools_of_copy(_present, "out", _clause);
      copy_to_host(_present, image.data(), first->at, bytes);
    }
    for (auto one = first; one != end; ++one)
      std::memcpy(&image[static_cast<std::size_t>(one->at - first->at)],
                  static_cast<const void*>(&one->value), sizeof one->value);
    tell_tools_of_copy(_present, "in", _clause);
    copy_to_device(_present, first->at, image.data(), bytes);
  }

  PresentTable& _present;
  const Clause& _clause;
  std::vector<Value> _all;
};

/// The device's copy of what the attached pointer leads to.
std::byte* device_of(PresentTable& present, const Attachment& attachment, const Clause& clause) {
  const auto held = find(present, attachment.target, 1, clause);
  return held->second.device + (attachment.target - held->first);
}

/// Copies host[0:bytes] to the device, whose attached pointers stay.
template <class... Queue>
void refresh_device(PresentTable& present, void* device, const void* host, std::size_t bytes,
                    const Clause& clause, const Queue&... queue) {
  copy_to_device(present, device, host, bytes, queue...);
  const auto attached = present.attachments.in(bytes_at(host), bytes);
  if (!attached.empty())
    (queue.fence("gangway: attached pointers"), ...);
  Pointers written(present, clause);
  for (const auto& [pointer, attachment] : attached)
    written.add(attachment, device_of(present, attachment, clause));
  written.write();
}

/// Copies the device's copy to host[0:bytes], whose attached pointers stay.
template <class... Queue>
void refresh_host(PresentTable& present, const void* host, const void* device, std::size_t bytes,
                  const Queue&... queue) {
  std::vector<std::pair<std::byte*, std::byte*>> kept;
  for (const auto& [pointer, attachment] : present.attachments.in(bytes_at(host), bytes))
    kept.emplace_back(bytes_at(pointer), pointer_at(pointer));
  const auto restore = [&] {
    for (const auto& [pointer, value] : kept)
      std::memcpy(pointer, static_cast<const void*>(&value), sizeof value);
  };
  try {
    copy_to_host(present, host, device, bytes, queue...);
    if (!kept.empty())
      (queue.fence("gangway: attached pointers"), ...);
  } catch (...) { // the array may have been copied, in part
    restore();
    throw;
  }
  restore();
}

bool within(const std::byte* address, const std::byte* host, std::size_t bytes) {
  return !std::less<>()(address, host) && std::less<>()(address, host + bytes);
}

/// Forgets the attachments in host[0:bytes] and to it, because it leaves the device. Returns those
/// to it whose pointers stay on the device.
std::vector<Attachments::One> take_attachments(PresentTable& present, const std::byte* host,
                                               std::size_t bytes) {
  auto left = present.attachments.leading_to(host, bytes);
  std::erase_if(left, [&](const auto& entry) { return within(entry.first, host, bytes); });
  present.attachments.erase(host, bytes);
  return left;
}

/// Gives device pointers that have lost their attachment the host's values.
void restore_pointers(PresentTable& present, const std::vector<Attachments::One>& left,
                      const Clause& clause) {
  Pointers written(present, clause);
  for (const auto& [pointer, attachment] : left)
    written.add(attachment, pointer_at(pointer));
  written.write();
}

/// Copies between addresses that the caller knows, whatever the present table holds.
template <class Copy>
void raw_copy(const Clause& clause, bool to_device, const void* device, const void* host,
              std::size_t bytes, const Copy& copy) {
  require_kokkos(clause);
  require_pointers(clause, device, host, bytes);
  if (bytes == 0)
    return;
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  require_no_kernel(present, clause);
  tell_tools_of_copy(present, to_device ? "in" : "out", clause);
  move_or_refuse(clause, to_device, host, bytes, [&] { copy(present); });
}

template <class... Queue>
void transfer(const void* host, std::size_t bytes, bool to_device, const Clause& clause,
              const Queue&... queue) {
  require_kokkos(clause);
  tell_tools("update");
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  wait_for_openacc(present);
  if (bytes == 0 || present.memory == Memory::shared)
    return;
  require_no_kernel(present, clause);
  std::byte* device = device_by_openacc(present, host, bytes);
  if (device != nullptr && device == bytes_at(host))
    return;
  const auto held =
      device == nullptr ? find(present, host, bytes, clause) : find_whole(present, host, bytes);
  if (device == nullptr && held == present.mirrors.end())
    refuse_missing(clause, host, bytes);
  if (held != present.mirrors.end())
    device = held->second.device + (bytes_at(host) - held->first);
  tell_tools_of_copy(present, to_device ? "in" : "out", clause);
  move_or_refuse(clause, to_device, host, bytes, [&] {
    if (to_device)
      refresh_device(present, device, host, bytes, clause, queue...);
    else
      refresh_host(present, host, device, bytes, queue...);
  });
  if (held != present.mirrors.end() && !held->second.in_step.empty()) {
    (queue.fence("gangway: verify"), ...);
    std::memcpy(&held->second.in_step[static_cast<std::size_t>(bytes_at(host) - held->first)], host,
                bytes);
  }
}

} // namespace

namespace detail {

std::size_t bytes_of(const Clause& clause, const Extent* extents, std::size_t count,
                     std::size_t size) {
  // The product of the others must fit where one is zero, too: the strides of a View hold it.
  bool empty = false;
  std::size_t product = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (extents[i].negative())
      refuse(clause, "extent " + std::to_string(static_cast<std::int64_t>(extents[i].elements())) +
                         " is negative");
    if (extents[i].elements() == 0)
      empty = true;
    else if (extents[i].elements() > std::numeric_limits<std::size_t>::max() / product)
      refuse(clause, "the product of the extents does not fit 64 bits");
    else
      product *= extents[i].elements();
  }
  if (empty)
    return 0;
  if (product > std::numeric_limits<std::size_t>::max() / size)
    refuse(clause, std::to_string(product) + " elements of " + std::to_string(size) +
                       " bytes do not fit 64 bits");
  return product * size;
}

void* enter(const void* host, std::size_t bytes, Entry entry, Holder holder, const Clause& clause,
            Queue queue) {
  require_kokkos(clause);
  if (holder != Holder::region)
    tell_tools("enter data");
  if (bytes == 0)
    return nullptr;
  if (host == nullptr)
    refuse(clause, "the array is null, but " + std::to_string(bytes) + " bytes of it are named");
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  wait_for_openacc(present);
  if (present.memory == Memory::shared) {
    if (holder == Holder::region)
      ++present.used_in_place;
    return bytes_at(host);
  }
  require_no_kernel(present, clause);

  borrow(present, host, bytes, clause);
  if (const auto held = find(present, host, bytes, clause); held != present.mirrors.end()) {
    Mirror& mirror = held->second;
    ++mirror.held_by(holder);
    if (mirror.bytes == bytes && mirror.layout.rank < clause.layout.rank)
      mirror.layout = clause.layout;
    return mirror.device + (bytes_at(host) - held->first);
  }
  if (entry == Entry::present)
    refuse_missing(clause, host, bytes);

  std::byte* const device = allocate(present, host, bytes, clause);
  ++present.counts.allocations;
  ++created_here;
  try {
    if (entry == Entry::copy) {
      tell_tools_of_copy(present, "in", clause);
      move_or_refuse(clause, true, host, bytes, [&] {
        if (queue != nullptr)
          copy_to_device(present, device, host, bytes, *queue);
        else
          copy_to_device(present, device, host, bytes);
      });
    }
    const std::string brought_by = clause_text(clause) + " at " + place_text(clause.where);
    Mirror mirror{bytes, device, brought_by};
    mirror.writable = (present.memory != Memory::strict && !detail::is_verifying()) ||
                      detail::is_writable(bytes_at(host), bytes);
    mirror.name = clause.array;
    mirror.layout = clause.layout;
    if (detail::is_verifying()) {
      try {
        mirror.in_step.assign(bytes_at(host), bytes_at(host) + bytes);
      } catch (const std::bad_alloc&) {
        mirror.in_step = {}; // no verification will find memory either, and says so
      }
      mirror.created = entry == Entry::create && leave_unset(device, bytes, clause.layout);
    }
    ++mirror.held_by(holder);
    present.mirrors.emplace(bytes_at(host),
                            std::move(mirror)); // last: whatever fails, it is not there
    if (present.openacc)
      present.openacc->map_data(bytes_at(host), device, bytes);
  } catch (...) {
    if (queue != nullptr) // which may be copying into the block still
      queue->fence("gangway: a data clause that failed");
    present.blocks.leave(device, bytes, queue);
    throw;
  }
  return device;
}

void leave(const void* host, std::size_t bytes, bool copy_out, Holder holder, const Clause& clause,
           Queue queue) {
  require_kokkos(clause);
  if (holder != Holder::region)
    tell_tools("exit data");
  if (bytes == 0)
    return;
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (present.memory == Memory::shared) {
    if (holder == Holder::region)
      --present.used_in_place;
    return;
  }
  require_no_kernel(present, clause);
  const auto held = find(present, host, bytes, clause);
  if (held == present.mirrors.end())
    refuse_missing(clause, host, bytes);
  Mirror& mirror = held->second;
  if (mirror.held_by(holder) == 0)
    refuse(clause, range_text(host, bytes) + " were not brought by enter_data; " +
                       (mirror.mapped ? "unmap_data lets go of them"
                                      : "the open data region that holds them releases them at its "
                                        "end") +
                       " (" + mirror.brought_by + ")");
  if (holder == Holder::all_enter_data)
    mirror.entered = 1;
  --mirror.held_by(holder);
  if (mirror.regions + mirror.entered > 0 || mirror.mapped)
    return;
  std::byte* const device = mirror.device;
  const std::size_t size = mirror.bytes;
  const std::byte* const whole = held->first;
  if (mirror.borrowed) {
    present.mirrors.erase(held);
    restore_pointers(present, take_attachments(present, whole, size), clause);
    return;
  }
  if (present.openacc)
    present.openacc->unmap_data(bytes_at(whole));
  const std::byte* const source = device + (bytes_at(host) - whole);
  present.mirrors.erase(held);
  try {
    if (copy_out) {
      tell_tools_of_copy(present, "out", clause);
      move_or_refuse(clause, false, host, bytes, [&] {
        if (queue == nullptr) {
          refresh_host(present, host, source, bytes);
        } else {
          refresh_host(present, host, source, bytes, *queue);
          queue->fence("gangway: the end of a data region");
        }
      });
    }
    restore_pointers(present, take_attachments(present, whole, size), clause);
  } catch (...) { // the array is released all the same
    if (queue != nullptr)
      queue->fence("gangway: the end of a data region");
    present.attachments.erase(whole, size);
    present.blocks.leave(device, size, queue);
    throw;
  }
  present.blocks.leave(device, size, queue);
}

void update(const void* host, std::size_t bytes, bool to_device, const Clause& clause) {
  transfer(host, bytes, to_device, clause);
}

void update_async(const Kokkos::DefaultExecutionSpace& queue, const void* host, std::size_t bytes,
                  bool to_device, const Clause& clause) {
  transfer(host, bytes, to_device, clause, queue);
}

void attach(const std::vector<Pointer>& pointers, std::source_location where) {
  const std::string_view name_of_first = pointers.empty() ? "" : std::string_view(pointers[0].name);
  const Clause clause{"attach", name_of_first, where};
  require_kokkos(clause);
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (present.memory == Memory::shared)
    return;
  require_no_kernel(present, clause);
  struct Found {
    const std::byte* pointer;
    Attachment attachment;
    std::byte* device_target;
  };
  std::vector<Found> found; // all of them, before any is attached
  for (const auto& [at, name] : pointers) {
    const std::byte* const pointer = bytes_at(at);
    const Clause one{clause.word, name, where};
    const auto holder = find(present, pointer, sizeof(void*), one);
    if (holder == present.mirrors.end())
      refuse(one, "the pointer, " + range_text(pointer, sizeof(void*)) +
                      ", is not on the device; enter what it is part of first");
    const std::byte* const target = pointer_at(pointer);
    if (target == nullptr)
      continue;
    const auto held = find(present, target, 1, one);
    if (held == present.mirrors.end()) {
      std::ostringstream text;
      text << "what it leads to, at " << static_cast<const void*>(target)
           << ", is not on the device; enter that first (copyin, copy, create or present)";
      refuse(one, text.str());
    }
    std::byte* const array = holder->second.device;
    found.push_back({pointer,
                     {array + (pointer - holder->first), array, target, 0},
                     held->second.device + (target - held->first)});
  }
  // Noted before they are written, so that whatever fails copies leave them alone; one that was not
  // counted is written by the next attempt.
  for (const Found& one : found) {
    const Attachment* const before = present.attachments.find(one.pointer);
    if (before == nullptr || before->target != one.attachment.target)
      present.attachments.set(one.pointer, one.attachment);
  }
  Pointers written(present, clause);
  for (const Found& one : found)
    if (present.attachments.find(one.pointer)->count == 0)
      written.add(one.attachment, one.device_target);
  written.write();
  for (const Found& one : found)
    ++present.attachments.find(one.pointer)->count;
}

void detach(const std::vector<Pointer>& pointers, bool finalize, const Clause& clause) {
  require_kokkos(clause);
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (present.memory == Memory::shared)
    return;
  require_no_kernel(present, clause);
  const auto each = [&](const auto& act) {
    for (const Pointer& pointer : pointers) {
      const std::byte* const at = bytes_at(pointer.at);
      if (Attachment* const attachment = present.attachments.find(at); attachment != nullptr)
        act(at, *attachment, finalize || attachment->count <= 1);
    }
  };
  // Attached until the device has the host's pointers: if that fails copies leave them alone still.
  Pointers written(present, clause);
  each([&](const std::byte* at, const Attachment& attachment, bool last) {
    if (last)
      written.add(attachment, pointer_at(at));
  });
  written.write();
  each([&](const std::byte* at, Attachment& attachment, bool last) {
    if (last)
      present.attachments.erase(at);
    else
      --attachment.count;
  });
}

} // namespace detail

std::vector<detail::OnDevice> detail::arrays_on_device() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  require_no_kernel(present, {"verify", {}, {}});
  std::vector<OnDevice> arrays;
  for (const auto& [host, mirror] : present.mirrors) {
    OnDevice& array = arrays.emplace_back();
    array.host = bytes_at(host);
    array.device = mirror.device;
    array.bytes = mirror.bytes;
    array.writable = mirror.writable;
    array.name = mirror.name;
    array.brought_by = mirror.brought_by;
    array.layout = mirror.layout;
    array.in_step = mirror.in_step.empty() ? nullptr : mirror.in_step.data();
    array.created = mirror.created;
    for (const auto& [pointer, attachment] : present.attachments.in(host, mirror.bytes))
      array.pointers.push_back(static_cast<std::size_t>(pointer - host));
  }
  return arrays;
}

void detail::note_in_step(const std::byte* host) {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  Mirror& mirror = present.mirrors.at(host);
  mirror.in_step.assign(host, host + mirror.bytes);
}

void detail::note_brought(const std::byte* host) {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (const auto held = present.mirrors.find(host); held != present.mirrors.end())
    held->second.created = false; // a result is in no table
}

Transfers transfers() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  return present.counts;
}

void reset_transfers() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  present.counts = {};
}

Memory memory() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  return present.memory;
}

void set_memory(Memory memory, std::source_location where) {
  const Clause clause{"set_memory", {}, where};
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (const auto held = present.mirrors.size() + static_cast<std::size_t>(present.used_in_place);
      held != 0)
    refuse(clause, std::to_string(held) +
                       " arrays are still on the device; close their regions, or exit_data or "
                       "unmap_data them first");
  if (memory == Memory::shared && has_device)
    refuse(clause, "kernels of this backend cannot reach host memory; only `separate` is possible");
  if (present.memory == Memory::strict)
    detail::stop_watching();
  if (memory == Memory::separate && first_memory() == Memory::strict)
    memory = Memory::strict;
  if (memory == Memory::strict && has_device)
    memory = Memory::separate;
  present.memory = memory;
}

void set_kept_memory(std::size_t bytes, std::source_location where) {
  require_kokkos({"set_kept_memory", {}, where});
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  present.set_up_blocks();
  present.blocks.set_limit(bytes);
}

std::size_t kept_memory() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  return present.blocks.kept();
}

bool detail::is_present_bytes(const void* host, std::size_t bytes) {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (bytes == 0 || present.memory == Memory::shared ||
      device_by_openacc(present, host, bytes) != nullptr)
    return true;
  try {
    return find(present, host, bytes, {"is_present", {}, {}}) != present.mirrors.end();
  } catch (const DataError&) {
    return false; // part of it is not enough
  }
}

void* device_pointer(const void* host, std::source_location where) {
  return detail::device_pointer(host, {}, where);
}

void* detail::device_pointer(const void* host, std::string_view name, std::source_location where) {
  const Clause clause{"device_pointer", name, where};
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (present.memory == Memory::shared)
    return bytes_at(host);
  if (void* const device = device_by_openacc(present, host, 1); device != nullptr)
    return device;
  const auto held = find(present, host, 1, clause);
  if (held == present.mirrors.end())
    refuse_missing(clause, host, 1);
  return held->second.device + (bytes_at(host) - held->first);
}

void* host_pointer(const void* device, std::source_location where) {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  const std::byte* const wanted = bytes_at(device);
  if (present.memory == Memory::shared)
    return bytes_at(device);
  const std::less_equal<> not_after; // pointers into different arrays have no order of their own
  for (const auto& [host, mirror] : present.mirrors)
    if (not_after(mirror.device, wanted) && !not_after(mirror.device + mirror.bytes, wanted))
      return bytes_at(host) + (wanted - mirror.device);
  std::ostringstream text;
  text << "no array on the device is at " << device
       << "; it has to be in an open data region, entered or mapped";
  refuse({"host_pointer", {}, where}, text.str());
}

void share_with_openacc(const OpenAccRuntime& runtime, std::source_location where) {
  const Clause clause{"share_with_openacc", {}, where};
  require_kokkos(clause);
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (!present.mirrors.empty())
    refuse(clause, std::to_string(present.mirrors.size()) +
                       " arrays are on the device already; share the table before data regions");
  if (runtime.uses_host_memory && has_device)
    refuse(clause, "OpenACC uses the host's memory and Kokkos a device's; build the OpenACC "
                   "constructs for that device");
  if (!runtime.uses_host_memory && present.memory == Memory::shared)
    refuse(clause, "OpenACC uses a device's memory and Kokkos the host's; build the OpenACC "
                   "constructs for the host, or Kokkos for the device");
  present.openacc = runtime;
}

void detail::stop_sharing_with_openacc() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  present.openacc.reset();
}

void map_data(const void* host, void* device, std::size_t bytes, std::source_location where) {
  const Clause clause{"map_data", {}, where};
  require_kokkos(clause);
  require_pointers(clause, device, host, bytes);
  if (bytes == 0)
    return;
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (present.memory == Memory::shared) {
    if (device != host)
      refuse(clause, range_text(host, bytes) +
                         " cannot be mapped to other memory: the device's is the host's here, and "
                         "kernels use the array itself; map only where memory() is separate");
    return;
  }
  require_no_kernel(present, clause);
  if (const auto held = find(present, host, bytes, clause); held != present.mirrors.end())
    refuse(clause, range_text(host, bytes) + " are on the device already (" +
                       held->second.brought_by +
                       "); close the region that holds them, or unmap_data");
  present.mirrors.emplace(bytes_at(host), Mirror{bytes, bytes_at(device),
                                                 "map_data at " + place_text(where), 0, 0, true});
}

void unmap_data(const void* host, std::source_location where) {
  const Clause clause{"unmap_data", {}, where};
  require_kokkos(clause);
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  if (present.memory == Memory::shared)
    return;
  const auto held = present.mirrors.find(bytes_at(host));
  if (held == present.mirrors.end() || !held->second.mapped) {
    std::ostringstream text;
    text << "no mapped array begins at " << host << "; map_data it first";
    refuse(clause, text.str());
  }
  if (held->second.regions + held->second.entered > 0)
    refuse(clause, "an open region or enter_data still uses " +
                       range_text(host, held->second.bytes) + "; close it first");
  require_no_kernel(present, clause);
  restore_pointers(present, take_attachments(present, held->first, held->second.bytes), clause);
  present.mirrors.erase(held);
}

void memcpy_to_device(void* device, const void* host, std::size_t bytes,
                      std::source_location where) {
  raw_copy({"memcpy_to_device", {}, where}, true, device, host, bytes,
           [&](PresentTable& present) { copy_to_device(present, device, host, bytes); });
}

void memcpy_from_device(void* host, const void* device, std::size_t bytes,
                        std::source_location where) {
  raw_copy({"memcpy_from_device", {}, where}, false, device, host, bytes,
           [&](PresentTable& present) { copy_to_host(present, host, device, bytes); });
}

void memcpy_to_device(const Kokkos::DefaultExecutionSpace& queue, void* device, const void* host,
                      std::size_t bytes, std::source_location where) {
  raw_copy({"memcpy_to_device_async", {}, where}, true, device, host, bytes,
           [&](PresentTable& present) { copy_to_device(present, device, host, bytes, queue); });
}

void memcpy_from_device(const Kokkos::DefaultExecutionSpace& queue, void* host, const void* device,
                        std::size_t bytes, std::source_location where) {
  raw_copy({"memcpy_from_device_async", {}, where}, false, device, host, bytes,
           [&](PresentTable& present) { copy_to_host(present, host, device, bytes, queue); });
}

std::size_t present_arrays() {
  PresentTable& present = table();
  const std::lock_guard lock(present.mutex);
  return present.mirrors.size();
}

Data::Data(Data&& other) noexcept
    : _held(std::exchange(other._held, {})), _exceptions(other._exceptions),
      _queue(std::move(other._queue)), _open(std::exchange(other._open, false)),
      _told(other._told) {}

Data::~Data() noexcept(false) {
  if (!_open)
    return;
  // Left by an exception: what the kernels left behind is not to be trusted, and nothing may throw.
  if (std::uncaught_exceptions() > _exceptions) {
    try {
      release(false);
    } catch (...) { // NOLINT(bugprone-empty-catch): the first exception is the one to report
    }
    return;
  }
  release(true);
}

void Data::close(std::source_location where) {
  if (!_open)
    refuse({"close", {}, where}, "this data region was closed before, or moved from");
  _open = false;
  release(true);
}

void* Data::enter_bytes(const void* host, std::size_t bytes, const detail::Way& way,
                        const Clause& clause) {
  if (!_open)
    refuse(clause, "this data region was closed, or moved from; open a new one");
  // So that noting the array cannot fail once it is entered.
  if (_held.size() == _held.capacity())
    _held.reserve(2 * _held.size() + 8);
  Held held{host, bytes, way.copy_out, clause.word, std::string(clause.array), clause.where};
  const std::uint64_t created_before = created_here;
  void* device = detail::enter(host, bytes, way.entry, detail::Holder::region, clause,
                               _queue ? &*_queue : nullptr);
  // Tools hear of a region that finds all its data present at its end.
  if (!_told && (created_here != created_before || memory() == Memory::shared)) {
    tell_tools(created_here != created_before ? "region" : "region in place");
    _told = true;
  }
  _held.push_back(std::move(held));
  return device;
}

void Data::release(bool copy_out) {
  if (!_told && !_held.empty())
    tell_tools("region present");
  std::exception_ptr first;
  if (_queue && !_held.empty())
    _queue->fence("gangway: the end of a data region");
  else if (!_held.empty() && is_sharing())
    Kokkos::fence("gangway: the end of a data region");
  while (!_held.empty()) {
    const Held held = std::move(_held.back());
    _held.pop_back();
    try {
      detail::leave(held.host, held.bytes, copy_out && held.copy_out, detail::Holder::region,
                    {held.clause, held.array, held.where}, _queue ? &*_queue : nullptr);
    } catch (...) { // the other arrays are released all the same
      if (!first)
        first = std::current_exception();
    }
  }
  if (first)
    std::rethrow_exception(first);
}

} // namespace gangway
