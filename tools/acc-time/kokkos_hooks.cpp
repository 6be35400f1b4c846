// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chain.hpp"
#include "device_clock.hpp"
#include "lifetime.hpp"
#include "notify.hpp"
#include "recorder.hpp"
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

/// Hooks of Kokkos' tool interface. They pass each event on to the other tools of the list while
/// our clock does not run, so that our times do not include theirs.
namespace gangway::acc_time {
namespace {

std::int16_t device_name(std::uint32_t device) {
  // 8 bits of backend, 7 of device, 17 of instance:
  // Kokkos::Tools::Experimental::identifier_from_devid.
  static constexpr std::array<const char*, 9> backends{
      "Serial", "OpenMP", "Cuda", "HIP", "OpenMPTarget", "HPX", "Threads", "SYCL", "OpenACC"};
  static constexpr std::uint32_t instance_bits = 17;
  static constexpr std::uint32_t backend_shift = 24;
  thread_local std::uint32_t last = ~0U;
  thread_local std::int16_t last_name = -1;
  const std::uint32_t wanted = device >> instance_bits;
  if (wanted == last)
    return last_name;
  const std::uint32_t backend = device >> backend_shift;
  const std::string name = backend < backends.size() ? backends[backend] + std::string(" ") +
                                                           std::to_string(wanted & 0x7FU)
                                                     : "backend " + std::to_string(backend);
  last_name = space(name.c_str());
  last = wanted;
  return last_name;
}

bool begins(const char* text, std::string_view with) {
  return std::strncmp(text, with.data(), with.size()) == 0;
}

/// Returns the space of a handle. The name in the handle need not end in '\0'.
std::int16_t space_of(const Kokkos_Profiling_SpaceHandle& handle) {
  std::array<char, 64> name{};
  std::memcpy(name.data(), handle.name, 63);
  return space(name.data());
}

/// Starts the clock of what was just opened, last of all.
void run(Open& open) {
  if (device_clock::wants_pushes.load(std::memory_order_relaxed) && open.record != nullptr) {
    device_clock::push(*open.record);
    open.pushed = true;
  }
  open.begin = now();
}

void stop(const Open& closed, std::uint64_t end) {
  if (closed.pushed)
    device_clock::pop();
  if (closed.record != nullptr)
    closed.record->elapsed.add(end - closed.begin);
}

/// Opens a record of `key` on this thread; null if there is no memory for it.
Open* begin(Thread& thread, const Key& key) {
  Record* const record = thread.find(key);
  if (record == nullptr)
    return nullptr;
  count_begun(*record);
  return thread.open(record);
}

void begin_kernel(Kokkos_Profiling_beginFunction Tool::* hook, Pattern pattern, const char* name,
                  std::uint32_t device, std::uint64_t* id) {
  std::array<std::uint64_t, Open::tools> chained{};
  pass_on_begin(hook, chained, name, device);
  *id = 0;
  Thread* const thread = Thread::mine();
  if (thread == nullptr)
    return;
  if (!recording) {
    if (next_tool_count > 0)
      if (Open* open = thread->open(nullptr); open != nullptr) {
        open->chained = chained;
        *id = open->id;
      }
    return;
  }
  Key key;
  key.kind = Kind::kernel;
  key.pattern = pattern;
  key.name = name;
  key.internal = begins(name, "Kokkos::");
  key.device = device_name(device);
  // The shape of a policy belongs to the kernel launched with it, not to the initialisation of a
  // View that is made in between.
  if (!key.internal) {
    key.shape = thread->shape;
    thread->shape = {};
  }
  const Record* const inside = thread->innermost();
  Open* const open = begin(*thread, key);
  if (open == nullptr)
    return;
  open->chained = chained;
  *id = open->id;
  if (notifies(Settings::launches))
    Line("launch kernel")
        .field("name", open->record->key.name)
        .where(*thread, inside, key.device)
        .shape(key.shape);
  run(*open);
}

void end_kernel(Kokkos_Profiling_endFunction Tool::* hook, std::uint64_t id) {
  const std::uint64_t end = now();
  Thread* const thread = Thread::mine();
  Open closed;
  if (id == 0 || thread == nullptr || !thread->close(id, closed))
    return;
  stop(closed, end);
  pass_on_end(hook, closed.chained);
}

/// Memory of a View labelled "Scalar" that exists now: its copies are real ones.
struct Allocation {
  const char* begin;
  std::uint64_t bytes;
};
struct ScalarViews {
  std::mutex mutex;
  std::vector<Allocation> allocations;
};
ScalarViews& scalar_views() {
  static auto* const views = new ScalarViews; // outlives every other static
  return *views;
}
std::atomic<int> scalar_view_count{0};

bool is_view(const void* address) {
  if (scalar_view_count.load() == 0)
    return false;
  // An allocation's address is that of a header before the data; its size is that of the data.
  constexpr std::uint64_t header_most = 256;
  ScalarViews& views = scalar_views();
  const std::lock_guard lock(views.mutex);
  return std::any_of(views.allocations.begin(), views.allocations.end(), [&](const Allocation& a) {
    const auto* const wanted = static_cast<const char*>(address);
    return wanted >= a.begin && wanted < a.begin + a.bytes + header_most;
  });
}

/// Records what Gangway's library declares about its data regions and directives.
void declare_data(Thread& thread, const char* value) {
  struct Declared {
    const char* value;
    DataKind kind;
    std::atomic<std::uint64_t> Record::* also;
  };
  static constexpr std::array<Declared, 6> known{
      {{"region", DataKind::region, nullptr},
       {"region present", DataKind::region, &Record::found_present},
       {"region in place", DataKind::region, &Record::in_place},
       {"enter data", DataKind::enter_data, nullptr},
       {"exit data", DataKind::exit_data, nullptr},
       {"update", DataKind::update, nullptr}}};
  for (const Declared& declared : known) {
    if (std::strcmp(value, declared.value) != 0)
      continue;
    Key key;
    key.kind = Kind::data;
    key.data = declared.kind;
    Record* const record = thread.find(key);
    if (record == nullptr)
      return;
    count_begun(*record);
    if (declared.also != nullptr)
      count_one(record->*declared.also);
  }
}

/// Copies the part of text[0:length] that fits.
template <std::size_t size>
void keep(std::array<char, size>& kept, const char* text, std::size_t length) {
  length = std::min(length, size - 1);
  std::memcpy(kept.data(), text, length);
  kept[length] = '\0';
}

/// Reads "in NAME" or "out NAME" and, after a tab, its place in the source: "FILE:LINE".
void declare_copy(Thread& thread, const char* value) {
  const bool in = begins(value, "in ");
  if (!in && !begins(value, "out "))
    return;
  thread.copy_direction = in ? Direction::in : Direction::out;
  thread.copy_line = -1;
  const char* const name = value + (in ? 3 : 4);
  const char* const tab = std::strchr(name, '\t');
  keep(thread.copy_name, name, tab == nullptr ? std::strlen(name) : tab - name);
  const char* const colon = tab == nullptr ? nullptr : std::strrchr(tab, ':');
  if (colon == nullptr)
    return;
  const long line = std::strtol(colon + 1, nullptr, 10);
  if (line <= 0 || line > std::numeric_limits<std::int32_t>::max())
    return;
  thread.copy_line = static_cast<std::int32_t>(line);
  keep(thread.copy_file, tab + 1, colon - (tab + 1));
}

struct Section {
  std::string name;
  std::array<std::uint32_t, Open::tools> chained{};
};
struct Sections {
  std::mutex mutex;
  std::vector<Section> known;
};
Sections& sections() {
  static auto* const the_sections = new Sections;
  return *the_sections;
}

} // namespace
} // namespace gangway::acc_time

using namespace gangway::
    acc_time; // NOLINT(google-build-using-namespace): the hooks are C functions

#define GANGWAY_HOOK extern "C" __attribute__((visibility("default")))

GANGWAY_HOOK void kokkosp_init_library(int sequence, std::uint64_t version, std::uint32_t devices,
                                       Kokkos_Profiling_KokkosPDeviceInfo* device_info) {
  static bool loaded = false;
  if (loaded)
    return; // named twice in the list
  loaded = true;
  start();
  saw(Model::kokkos);
  if (recording) {
    device_clock::start(Model::kokkos);
    if (device_clock::active.load())
      start_helper();
  }
  load_next_tools(sequence, version, devices, device_info);
}

GANGWAY_HOOK void kokkosp_finalize_library() {
  device_clock::flush(); // while the device is still there
  pass_on(&Tool::finalize);
}

GANGWAY_HOOK void kokkosp_parse_args(int count, char** values) {
  pass_on(&Tool::parse_args, count, values);
}

GANGWAY_HOOK void kokkosp_print_help(char* program) {
  std::fputs(
      "gangway-acc-time: kernels, regions and transfers of Kokkos and OpenACC, timed.\n"
      "  GANGWAY_ACC_TIME=text|text:FILE|json:FILE|off   what to write when the program ends\n"
      "  GANGWAY_ACC_NOTIFY=N   a line per event: 1 launches, 2 transfers, 4 regions, 8 waits,\n"
      "                         16 allocations, or a sum of these\n"
      "  GANGWAY_ACC_FENCE=0|1  whether Kokkos waits for the device around each kernel\n"
      "  GANGWAY_ACC_CUPTI=FILE|off   the CUPTI library to take device times from\n",
      stderr);
  pass_on(&Tool::print_help, program);
}

GANGWAY_HOOK void kokkosp_request_tool_settings(std::uint32_t count,
                                                Kokkos_Tools_ToolSettings* wanted) {
  if (count == 0)
    return;
  // Times from the device need no waiting. Without them, only a fence makes a kernel's time its
  // own.
  bool fence = recording && !device_clock::active.load();
  if (const char* value = std::getenv("GANGWAY_ACC_FENCE"); value != nullptr && *value != '\0')
    fence = std::strcmp(value, "0") != 0;
  for (int i = 0; i < next_tool_count; ++i) {
    Kokkos_Tools_ToolSettings theirs = *wanted;
    theirs.requires_global_fencing = true; // Kokkos' setting for a tool that does not ask
    if (next_tools[i].request_tool_settings != nullptr)
      next_tools[i].request_tool_settings(count, &theirs);
    fence = fence || theirs.requires_global_fencing;
  }
  wanted->requires_global_fencing = fence;
  settings.fenced = fence;
}

GANGWAY_HOOK void
kokkosp_provide_tool_programming_interface(std::uint32_t count,
                                           Kokkos_Tools_ToolProgrammingInterface actions) {
  pass_on(&Tool::provide_tool_programming_interface, count, actions);
}

GANGWAY_HOOK void kokkosp_begin_parallel_for(const char* name, std::uint32_t device,
                                             std::uint64_t* id) {
  begin_kernel(&Tool::begin_parallel_for, Pattern::parallel_for, name, device, id);
}
GANGWAY_HOOK void kokkosp_end_parallel_for(std::uint64_t id) {
  end_kernel(&Tool::end_parallel_for, id);
}
GANGWAY_HOOK void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t device,
                                                std::uint64_t* id) {
  begin_kernel(&Tool::begin_parallel_reduce, Pattern::parallel_reduce, name, device, id);
}
GANGWAY_HOOK void kokkosp_end_parallel_reduce(std::uint64_t id) {
  end_kernel(&Tool::end_parallel_reduce, id);
}
GANGWAY_HOOK void kokkosp_begin_parallel_scan(const char* name, std::uint32_t device,
                                              std::uint64_t* id) {
  begin_kernel(&Tool::begin_parallel_scan, Pattern::parallel_scan, name, device, id);
}
GANGWAY_HOOK void kokkosp_end_parallel_scan(std::uint64_t id) {
  end_kernel(&Tool::end_parallel_scan, id);
}

GANGWAY_HOOK void kokkosp_begin_fence(const char* name, std::uint32_t device, std::uint64_t* id) {
  std::array<std::uint64_t, Open::tools> chained{};
  pass_on_begin(&Tool::begin_fence, chained, name, device);
  *id = 0;
  // The fences that Kokkos inserts for a tool are not the program's. Those within a copy or a
  // kernel are part of its time.
  Thread* const thread = Thread::mine();
  if (thread == nullptr)
    return;
  const Record* const inside = thread->innermost();
  const bool ours = !recording || begins(name, "Kokkos::Tools::") ||
                    (inside != nullptr && inside->key.kind != Kind::region);
  if (ours && next_tool_count == 0)
    return;
  Key key;
  key.kind = Kind::wait;
  key.name = name;
  key.device = device_name(device);
  Open* const open = ours ? thread->open(nullptr) : begin(*thread, key);
  if (open == nullptr)
    return;
  open->chained = chained;
  *id = open->id;
  if (!ours) {
    if (notifies(Settings::waits))
      Line("wait").field("name", name).where(*thread, inside, key.device);
    run(*open);
  }
}

GANGWAY_HOOK void kokkosp_end_fence(std::uint64_t id) {
  end_kernel(&Tool::end_fence, id);
}

GANGWAY_HOOK void kokkosp_push_profile_region(const char* name) {
  pass_on(&Tool::push_profile_region, name);
  Thread* const thread = recording ? Thread::mine() : nullptr;
  if (thread == nullptr)
    return;
  Key key;
  key.kind = Kind::region;
  key.name = name;
  const Record* const inside = thread->innermost();
  if (Open* open = begin(*thread, key); open != nullptr) {
    if (notifies(Settings::regions))
      Line("enter region").field("name", name).where(*thread, inside, -1);
    run(*open);
  }
}

GANGWAY_HOOK void kokkosp_pop_profile_region() {
  const std::uint64_t end = now();
  Thread* const thread = recording ? Thread::mine() : nullptr;
  Open closed;
  if (thread != nullptr && thread->close(Kind::region, closed)) {
    stop(closed, end);
    if (notifies(Settings::regions))
      Line("leave region")
          .field("name", closed.record->key.name)
          .where(*thread, closed.record->parent, -1);
  }
  pass_on(&Tool::pop_profile_region);
}

GANGWAY_HOOK void kokkosp_begin_deep_copy(Kokkos_Profiling_SpaceHandle to, const char* to_label,
                                          const void* to_address, Kokkos_Profiling_SpaceHandle from,
                                          const char* from_label, const void* from_address,
                                          std::uint64_t bytes) {
  pass_on(&Tool::begin_deep_copy, to, to_label, to_address, from, from_label, from_address, bytes);
  Thread* const thread = recording ? Thread::mine() : nullptr;
  if (thread == nullptr)
    return;
  Key key;
  key.kind = Kind::transfer;
  key.name = to_label;
  key.detail = from_label;
  key.to_space = space_of(to);
  key.from_space = space_of(from);
  const bool to_host = space_at(key.to_space).host;
  const bool from_host = space_at(key.from_space).host;
  if (std::strcmp(from_label, "Scalar") == 0 && from_host && !is_view(from_address)) {
    // Kokkos reports deep_copy(view, value) as a copy of all of the View's bytes from the host.
    key.kind = Kind::fill;
    key.detail = "";
    key.from_space = -1;
  } else if (bytes == 0 || to_address == from_address || to_address == nullptr ||
             from_address == nullptr) {
    key.direction = Direction::nowhere; // such as to a mirror that is the View itself
  } else {
    key.direction = to_host ? (from_host ? Direction::within_host : Direction::out)
                            : (from_host ? Direction::in : Direction::within_device);
  }
  // A copy of Gangway's data regions declares its direction, which a host that plays a device does
  // not show otherwise.
  if (thread->copy_direction != Direction::none) {
    if (key.kind == Kind::transfer && key.direction != Direction::nowhere) {
      key.direction = thread->copy_direction;
      key.name = thread->copy_name.data();
      key.detail = thread->copy_line > 0 ? thread->copy_file.data() : "";
      key.line = thread->copy_line;
    }
    thread->copy_direction = Direction::none;
  }
  const Record* const inside = thread->innermost();
  Open* const open = begin(*thread, key);
  if (open == nullptr)
    return;
  if (key.direction != Direction::nowhere)
    count_bytes(*open->record, bytes);
  if (notifies(Settings::transfers) && key.kind == Kind::transfer &&
      key.direction != Direction::nowhere) {
    static constexpr std::array<const char*, 6> what{
        "", "upload data", "download data", "copy device data", "copy host data", ""};
    Line line(what[static_cast<std::size_t>(key.direction)]);
    line.field("variable", key.name);
    if (key.line > 0)
      line.field("file", key.detail).field("line", key.line);
    else
      line.field("source", key.detail);
    line.where(*thread, inside, -1)
        .field("from", space_at(key.from_space).name.data())
        .field("to", space_at(key.to_space).name.data())
        .field("bytes", bytes);
  }
  run(*open);
}

GANGWAY_HOOK void kokkosp_end_deep_copy() {
  const std::uint64_t end = now();
  Thread* const thread = recording ? Thread::mine() : nullptr;
  if (thread != nullptr) {
    // The hook names no copy, so the innermost one ends: copies nest on a thread and never cross.
    Open closed;
    const Record* inside = thread->innermost();
    while (inside != nullptr && inside->key.kind != Kind::transfer &&
           inside->key.kind != Kind::fill)
      inside = inside->parent;
    if (inside != nullptr && thread->close(inside->key.kind, closed))
      stop(closed, end);
  }
  pass_on(&Tool::end_deep_copy);
}

GANGWAY_HOOK void kokkosp_allocate_data(Kokkos_Profiling_SpaceHandle where, const char* label,
                                        const void* address, std::uint64_t bytes) {
  pass_on(&Tool::allocate_data, where, label, address, bytes);
  if (!recording)
    return;
  const std::int16_t number = space_of(where);
  allocated(number, bytes);
  if (std::strcmp(label, "Scalar") == 0) {
    ScalarViews& views = scalar_views();
    const std::lock_guard lock(views.mutex);
    views.allocations.push_back({static_cast<const char*>(address), bytes});
    ++scalar_view_count;
  }
  if (notifies(Settings::allocations))
    Line("allocate")
        .field("name", label)
        .field("space", space_at(number).name.data())
        .field("bytes", bytes);
}

GANGWAY_HOOK void kokkosp_deallocate_data(Kokkos_Profiling_SpaceHandle where, const char* label,
                                          const void* address, std::uint64_t bytes) {
  if (recording) {
    const std::int16_t number = space_of(where);
    freed(number, bytes);
    if (std::strcmp(label, "Scalar") == 0) {
      ScalarViews& views = scalar_views();
      const std::lock_guard lock(views.mutex);
      scalar_view_count -= static_cast<int>(std::erase_if(
          views.allocations, [&](const Allocation& a) { return a.begin == address; }));
    }
    if (notifies(Settings::allocations))
      Line("free")
          .field("name", label)
          .field("space", space_at(number).name.data())
          .field("bytes", bytes);
  }
  pass_on(&Tool::deallocate_data, where, label, address, bytes);
}

GANGWAY_HOOK void kokkosp_declare_metadata(const char* name, const char* value) {
  pass_on(&Tool::declare_metadata, name, value);
  if (!recording || !begins(name, "gangway."))
    return;
  Thread* const thread = Thread::mine();
  if (thread == nullptr)
    return;
  if (std::strcmp(name, "gangway.shape") == 0) {
    thread->shape = Shape::parse(value);
  } else if (std::strcmp(name, "gangway.data") == 0) {
    declare_data(*thread, value);
  } else if (std::strcmp(name, "gangway.copy") == 0) {
    declare_copy(*thread, value);
  }
}

GANGWAY_HOOK void kokkosp_create_profile_section(const char* name, std::uint32_t* id) {
  Section section{name, {}};
  for (int i = 0; i < next_tool_count; ++i)
    if (next_tools[i].create_profile_section != nullptr)
      next_tools[i].create_profile_section(name, &section.chained[i]);
  Sections& all = sections();
  const std::lock_guard lock(all.mutex);
  all.known.push_back(std::move(section));
  *id = static_cast<std::uint32_t>(all.known.size());
}

namespace {
Section section_of(std::uint32_t id) {
  Sections& all = sections();
  const std::lock_guard lock(all.mutex);
  return id >= 1 && id <= all.known.size() ? all.known[id - 1] : Section{};
}

void pass_on_section(void (*Tool::*hook)(std::uint32_t), const Section& section) {
  for (int i = 0; i < next_tool_count; ++i)
    if (next_tools[i].*hook != nullptr)
      (next_tools[i].*hook)(section.chained[i]);
}
} // namespace

GANGWAY_HOOK void kokkosp_start_profile_section(std::uint32_t id) {
  pass_on_section(&Tool::start_profile_section, section_of(id));
  Thread* const thread = recording ? Thread::mine() : nullptr;
  if (thread == nullptr)
    return;
  for (Thread::Section& running : thread->sections)
    if (running.id == 0) {
      running = {id, now()};
      return;
    }
}

GANGWAY_HOOK void kokkosp_stop_profile_section(std::uint32_t id) {
  const std::uint64_t end = now();
  const Section section = section_of(id);
  if (Thread* const thread = recording ? Thread::mine() : nullptr; thread != nullptr)
    for (Thread::Section& running : thread->sections) {
      if (running.id != id)
        continue;
      running.id = 0;
      Key key;
      key.kind = Kind::section;
      key.name = section.name.c_str();
      if (Record* record = thread->find(key); record != nullptr) {
        count_begun(*record);
        record->elapsed.add(end - running.begin);
      }
      break;
    }
  pass_on_section(&Tool::stop_profile_section, section);
}

GANGWAY_HOOK void kokkosp_destroy_profile_section(std::uint32_t id) {
  pass_on_section(&Tool::destroy_profile_section, section_of(id));
}

GANGWAY_HOOK void kokkosp_profile_event(const char* name) {
  pass_on(&Tool::profile_event, name);
}

GANGWAY_HOOK void kokkosp_dual_view_sync(const char* label, const void* data, bool device) {
  pass_on(&Tool::dual_view_sync, label, data, device);
}
GANGWAY_HOOK void kokkosp_dual_view_modify(const char* label, const void* data, bool device) {
  pass_on(&Tool::dual_view_modify, label, data, device);
}
