// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_clock.hpp"
#include "lifetime.hpp"
#include "names.hpp"
#include "notify.hpp"
#include "openacc_abi.hpp"
#include "recorder.hpp"
#include "report.hpp"

#include <mutex>
#include <string>
#include <unordered_map>

/// Callbacks of OpenACC's profiling interface.
namespace gangway::acc_time {
namespace {

std::int16_t device_name(const openacc::ProfInfo& info) {
  // The numbers of acc_device_t are each compiler's own: NVIDIA is 4 to nvc++ and 5 to GCC. Neither
  // uses the other's number for a device it runs on.
  static constexpr int device_none_or_default = 1;
  static constexpr int device_host = 2;
  if (info.device_type <= device_none_or_default)
    return -1;
  thread_local int last_type = -1;
  thread_local int last_number = -1;
  thread_local std::int16_t last_name = -1;
  if (info.device_type == last_type && info.device_number == last_number)
    return last_name;
  std::string name;
  switch (info.device_type) {
  case device_host:
    name = "host";
    break;
  case 4:
  case 5:
    name = "NVIDIA " + std::to_string(info.device_number);
    break;
  case 8:
    name = "Radeon " + std::to_string(info.device_number);
    break;
  default:
    name = "device type " + std::to_string(info.device_type) + " number " +
           std::to_string(info.device_number);
  }
  last_type = info.device_type;
  last_number = info.device_number;
  last_name = space(("OpenACC " + name).c_str());
  return last_name;
}

/// Ends a synchronous launch at the next event of its thread. The runtime reports the launch when
/// it enqueues it, then waits for the kernel. The next event, whatever it is, comes after its end.
void settle(Thread& thread, std::uint64_t time) {
  if (thread.launch == nullptr)
    return;
  thread.launch->elapsed.add(time - thread.launch_begin);
  thread.launch = nullptr;
}

/// Returns this thread, with its clock of a launch stopped; null if no event is recorded.
Thread* thread_at(std::uint64_t time) {
  if (!recording)
    return nullptr;
  Thread* const thread = Thread::mine();
  if (thread != nullptr)
    settle(*thread, time);
  return thread;
}

/// Identifies a construct by file, function and line if the compiler says them, else by address.
void set_place(Key& key, const openacc::ProfInfo& info) {
  key.model = Model::openacc;
  if (info.src_file != nullptr || info.func_name != nullptr) {
    key.name = info.func_name != nullptr ? info.func_name : "";
    key.detail = info.src_file != nullptr ? info.src_file : "";
    key.line = info.line_no;
  } else {
    key.site = call_site();
  }
}

Record* begin(Thread& thread, const Key& key) {
  Record* const record = thread.find(key);
  if (record == nullptr)
    return nullptr;
  count_begun(*record);
  Open* const open = thread.open(record);
  if (open == nullptr)
    return nullptr;
  if (device_clock::wants_pushes.load(std::memory_order_relaxed)) {
    device_clock::push(*record);
    open->pushed = true;
  }
  open->moved = thread.moved;
  open->begin = now();
  return record;
}

/// Closes the innermost open record of this kind; false if there is none.
bool end(Thread& thread, Kind kind, Open& closed) {
  if (!thread.close(kind, closed))
    return false;
  if (closed.pushed)
    device_clock::pop();
  return true;
}

void end_at(std::uint64_t time, Kind kind) {
  Thread* const thread = thread_at(time);
  Open closed;
  if (thread != nullptr && end(*thread, kind, closed))
    closed.record->elapsed.add(time - closed.begin);
}

void on_device_init(openacc::ProfInfo*, openacc::EventInfo*, openacc::ApiInfo*) {
  if (!recording)
    return;
  device_clock::start(Model::openacc);
  if (device_clock::active.load())
    start_helper();
}

void on_construct_start(openacc::ProfInfo* info, openacc::EventInfo*, openacc::ApiInfo*) {
  Thread* const thread = thread_at(now());
  if (thread == nullptr)
    return;
  Key key;
  key.kind = Kind::construct;
  key.device = device_name(*info);
  key.asynchronous = info->async != openacc::async_sync;
  set_place(key, *info);
  const Record* const inside = thread->innermost();
  const Record* const record = begin(*thread, key);
  if (record != nullptr && notifies(Settings::regions))
    Line("enter compute region")
        .field("name", record->key.name)
        .field("line", key.line)
        .where(*thread, inside, key.device);
}
void on_construct_end(openacc::ProfInfo*, openacc::EventInfo*, openacc::ApiInfo*) {
  end_at(now(), Kind::construct);
}

void on_data_start(openacc::ProfInfo* info, openacc::EventInfo* event, openacc::ApiInfo*) {
  Thread* const thread = thread_at(now());
  if (thread == nullptr)
    return;
  Key key;
  key.kind = Kind::data;
  const bool entry = info->event_type == openacc::enter_data_start;
  if (info->event_type == openacc::update_start)
    key.data = DataKind::update;
  else if (event->other_event.parent_construct == openacc::construct_enter_data)
    key.data = DataKind::enter_data;
  else if (event->other_event.parent_construct == openacc::construct_exit_data)
    key.data = DataKind::exit_data;
  else
    key.data = entry ? DataKind::region : DataKind::region_end;
  key.model = Model::openacc;
  const Record* const inside = thread->innermost();
  // Within a compute construct this is for its data clauses, and the place is the construct's.
  if (inside != nullptr && inside->key.kind == Kind::construct) {
    key.name = inside->key.name;
    key.detail = inside->key.detail;
    key.line = inside->key.line;
  } else {
    set_place(key, *info);
  }
  const Record* const record = begin(*thread, key);
  if (record != nullptr && notifies(Settings::regions)) {
    static constexpr std::array<const char*, 6> what{
        "", "enter data region", "leave data region", "enter data", "exit data", "update"};
    Line(what[static_cast<std::size_t>(key.data)])
        .field("name", record->key.name)
        .field("line", key.line)
        .where(*thread, inside, device_name(*info));
  }
}
void on_data_end(openacc::ProfInfo* info, openacc::EventInfo*, openacc::ApiInfo*) {
  const std::uint64_t time = now();
  Thread* const thread = thread_at(time);
  Open closed;
  if (thread == nullptr || !end(*thread, Kind::data, closed))
    return;
  closed.record->elapsed.add(time - closed.begin);
  if (space_at(device_name(*info)).host)
    count_one(closed.record->in_place);
  else if (thread->moved == closed.moved)
    count_one(closed.record->found_present);
}

void on_launch_start(openacc::ProfInfo* info, openacc::EventInfo* event, openacc::ApiInfo*) {
  Thread* const thread = thread_at(now());
  if (thread == nullptr)
    return;
  const openacc::LaunchEvent& launch = event->launch_event;
  Key key;
  key.kind = Kind::kernel;
  key.model = Model::openacc;
  key.device = device_name(*info);
  key.asynchronous = info->async != openacc::async_sync;
  const Record* const inside = thread->innermost();
  key.name = launch.kernel_name != nullptr ? launch.kernel_name
             : inside != nullptr           ? inside->key.name
                                           : "";
  if (launch.num_gangs != 0 || launch.num_workers != 0 || launch.vector_length != 0) {
    key.shape.form = Shape::Form::levels;
    key.shape.count = 3;
    const auto level = [](std::size_t n) { return n == 0 ? -1 : static_cast<std::int64_t>(n); };
    key.shape.extent = {level(launch.num_gangs), level(launch.num_workers),
                        level(launch.vector_length)};
  }
  Record* const record = begin(*thread, key);
  if (record != nullptr && notifies(Settings::launches))
    Line("launch kernel")
        .field("name", record->key.name)
        .where(*thread, inside, key.device)
        .shape(key.shape);
}
void on_launch_end(openacc::ProfInfo*, openacc::EventInfo*, openacc::ApiInfo*) {
  const std::uint64_t time = now();
  Thread* const thread = thread_at(time);
  Open closed;
  if (thread == nullptr || !end(*thread, Kind::kernel, closed))
    return;
  if (closed.record->key.asynchronous) {
    closed.record->elapsed.add(time - closed.begin);
  } else {
    thread->launch = closed.record;
    thread->launch_begin = closed.begin;
  }
}

void on_transfer_start(openacc::ProfInfo* info, openacc::EventInfo* event, openacc::ApiInfo*) {
  Thread* const thread = thread_at(now());
  if (thread == nullptr)
    return;
  const openacc::DataEvent& data = event->data_event;
  const bool up = info->event_type == openacc::enqueue_upload_start;
  Key key;
  key.kind = Kind::transfer;
  key.model = Model::openacc;
  key.direction = up ? Direction::in : Direction::out;
  key.asynchronous = info->async != openacc::async_sync;
  key.name = data.var_name != nullptr ? data.var_name : "";
  static const std::int16_t host = space("OpenACC host");
  const std::int16_t device = device_name(*info);
  key.to_space = up ? device : host;
  key.from_space = up ? host : device;
  const Record* const inside = thread->innermost();
  Record* const record = begin(*thread, key);
  ++thread->moved;
  if (record == nullptr)
    return;
  count_bytes(*record, data.bytes);
  if (notifies(Settings::transfers))
    Line(up ? "upload data" : "download data")
        .field("variable", key.name)
        .where(*thread, inside, device)
        .field("bytes", static_cast<std::uint64_t>(data.bytes));
}
void on_transfer_end(openacc::ProfInfo*, openacc::EventInfo*, openacc::ApiInfo*) {
  end_at(now(), Kind::transfer);
}

void on_wait_start(openacc::ProfInfo* info, openacc::EventInfo*, openacc::ApiInfo*) {
  Thread* const thread = thread_at(now());
  if (thread == nullptr)
    return;
  Key key;
  key.kind = Kind::wait;
  set_place(key, *info);
  const Record* const inside = thread->innermost();
  const Record* const record = begin(*thread, key);
  if (record != nullptr && notifies(Settings::waits))
    Line("wait").field("name", record->key.name).where(*thread, inside, device_name(*info));
}
void on_wait_end(openacc::ProfInfo*, openacc::EventInfo*, openacc::ApiInfo*) {
  end_at(now(), Kind::wait);
}

/// Sizes of allocations, because the event of a release does not say them.
struct Sizes {
  std::mutex mutex;
  std::unordered_map<const void*, std::pair<std::int16_t, std::size_t>> of;
};
Sizes& sizes() {
  static auto* const the_sizes = new Sizes; // outlives every other static
  return *the_sizes;
}

void on_alloc(openacc::ProfInfo* info, openacc::EventInfo* event, openacc::ApiInfo*) {
  Thread* const thread = thread_at(now());
  if (thread == nullptr)
    return;
  ++thread->moved;
  const openacc::DataEvent& data = event->data_event;
  const std::int16_t where = device_name(*info);
  allocated(where, data.bytes);
  Sizes& known = sizes();
  const std::lock_guard lock(known.mutex);
  known.of[data.device_ptr] = {where, data.bytes};
  if (notifies(Settings::allocations))
    Line("allocate")
        .field("space", space_at(where).name.data())
        .field("bytes", static_cast<std::uint64_t>(data.bytes));
}

void on_free(openacc::ProfInfo*, openacc::EventInfo* event, openacc::ApiInfo*) {
  Thread* const thread = thread_at(now());
  if (thread == nullptr)
    return;
  ++thread->moved;
  Sizes& known = sizes();
  const std::lock_guard lock(known.mutex);
  const auto found = known.of.find(event->data_event.device_ptr);
  if (found == known.of.end())
    return;
  const auto [where, bytes] = found->second;
  freed(where, bytes);
  known.of.erase(found);
  if (notifies(Settings::allocations))
    Line("free").field("space", space_at(where).name.data()).field("bytes", std::uint64_t{bytes});
}

} // namespace
} // namespace gangway::acc_time

/// Registers the callbacks. An OpenACC runtime calls it in each library of ACC_PROFLIB.
extern "C" __attribute__((visibility("default"))) void
acc_register_library(gangway::acc_time::openacc::Register add, gangway::acc_time::openacc::Register,
                     gangway::acc_time::openacc::Lookup) {
  using namespace gangway::acc_time; // NOLINT(google-build-using-namespace): as if inside
  static bool loaded = false;
  if (loaded)
    return;
  loaded = true;
  start();
  saw(Model::openacc);
  if (!recording)
    return;
  set_openacc_runtime(reinterpret_cast<const void*>(add));
  static constexpr int per_event = 0; // acc_reg: not a toggle
  const auto listen = [&](openacc::Event event, openacc::Callback callback) {
    add(event, callback, per_event);
  };
  listen(openacc::device_init_start, &on_device_init);
  listen(openacc::device_init_end, &on_device_init);
  listen(openacc::compute_construct_start, &on_construct_start);
  listen(openacc::compute_construct_end, &on_construct_end);
  for (const auto event :
       {openacc::enter_data_start, openacc::exit_data_start, openacc::update_start})
    listen(event, &on_data_start);
  for (const auto event : {openacc::enter_data_end, openacc::exit_data_end, openacc::update_end})
    listen(event, &on_data_end);
  listen(openacc::enqueue_launch_start, &on_launch_start);
  listen(openacc::enqueue_launch_end, &on_launch_end);
  for (const auto event : {openacc::enqueue_upload_start, openacc::enqueue_download_start})
    listen(event, &on_transfer_start);
  for (const auto event : {openacc::enqueue_upload_end, openacc::enqueue_download_end})
    listen(event, &on_transfer_end);
  listen(openacc::wait_start, &on_wait_start);
  listen(openacc::wait_end, &on_wait_end);
  listen(openacc::alloc, &on_alloc);
  listen(openacc::free, &on_free);
}
