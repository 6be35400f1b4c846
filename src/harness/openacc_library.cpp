// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/openacc_library.hpp"

#include "base/exits.hpp"
#include "base/places.hpp"
#include "harness/program.hpp"
#include "openacc/runtime.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

namespace gangway::harness {

struct OpenAccLibrary::Functions {
  decltype(&gangway_openacc_abi) abi;
  decltype(&gangway_openacc_compiler) compiler;
  decltype(&gangway_openacc_flags) flags;
  decltype(&gangway_openacc_version) version;
  decltype(&gangway_openacc_runtime) runtime;
  decltype(&gangway_openacc_select) select;
  decltype(&gangway_openacc_gpu_count) gpu_count;
  decltype(&gangway_openacc_ran_on) ran_on;
  decltype(&gangway_openacc_device_name) device_name;
  decltype(&gangway_openacc_memory) memory;
  decltype(&gangway_openacc_map) map;
  decltype(&gangway_openacc_unmap) unmap;
  decltype(&gangway_openacc_is_present) is_present;
  decltype(&gangway_openacc_get_transfers) get_transfers;
  decltype(&gangway_openacc_get_launches) get_launches;
  decltype(&gangway_openacc_clear_launches) clear_launches;
};

namespace {

template <class Function>
void load(void* handle, const std::filesystem::path& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr)
    throw base::UsageError(
        fmt::format("OpenACC library {}: it has no function {}; is it one that Gangway "
                    "built (src/openacc)?",
                    path.string(), name));
}

/// Returns the device number that Kokkos uses, or -1 for a host backend.
int kokkos_device() {
  return has_device ? Kokkos::device_id() : -1;
}

/// Returns the file that a function is in; empty if the loader does not know.
std::string file_of(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::string without_folder(const std::string& file) {
  return std::filesystem::path(file).filename().string();
}

bool contains_text(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) // some others have no end
    return false;
  std::ifstream stream(file, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  return content.find(text) != std::string::npos;
}

/// Returns the flags that open a library beside those in the process. A Kokkos with OpenMP brings
/// GCC's runtime, whose acc_* functions every look-up finds first. A library that needs another
/// runtime (it does not name the file of this one) has to look in its own first. Sanitizers end a
/// program over that, and so it is left then. Code that `gangway port` made uses the program's
/// Kokkos. If it looked elsewhere first, it would find variables of Kokkos that the linker moved
/// into the program, as they were before Kokkos was initialised.
int way_to_open(const std::filesystem::path& file) {
  constexpr int usual = RTLD_NOW | RTLD_LOCAL;
  const void* const present = dlsym(RTLD_DEFAULT, "acc_get_num_devices");
  const bool sanitized = dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") != nullptr;
  if (present == nullptr || sanitized || contains_text(file, without_folder(file_of(present))) ||
      contains_text(file, "6Kokkos")) // a name of Kokkos, as C++ writes it in object files
    return usual;
  return usual | RTLD_DEEPBIND;
}

/// Returns the end of a message about a library if one that is loaded, with another runtime than
/// `runtime` (null: it is not known), may be the cause; else empty.
std::string two_runs(const OpenAccLibraries& beside, const void* runtime) {
  for (const OpenAccLibrary* other : beside)
    if (other->runtime() != runtime)
      return fmt::format(" Library '{}' ({}) is loaded already, and OpenACC runtimes of two makers "
                         "need not live together in one process: compare them in two runs, with "
                         "one --openacc-library each.",
                         other->label(), other->compiler());
  return "";
}

[[noreturn]] void refuse(const std::string& reason, const std::string& because_of_others) {
  if (because_of_others.empty())
    throw base::UsageError(reason);
  throw RuntimesClash(reason + because_of_others);
}

/// GCC's runtime crashes where ACC_DEVICE_NUM names a device that is not there.
void require_device_number(int gpus) {
  const char* const number = std::getenv("ACC_DEVICE_NUM");
  const char* const type = std::getenv("ACC_DEVICE_TYPE");
  if (number == nullptr)
    return;
  const bool on_host = gpus == 0 || (type != nullptr && std::string_view(type) == "host");
  const int devices = on_host ? 1 : gpus;
  const std::string text = number;
  int device = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), device);
  if (error != std::errc{} || stop != text.data() + text.size() || device < 0 || device >= devices)
    throw base::UsageError(fmt::format("ACC_DEVICE_NUM={}: OpenACC has {} here; unset it", number,
                                       devices == 1 ? "one device, number 0"
                                                    : fmt::format("devices 0 to {}", devices - 1)));
}

/// "GCC 16.2.0": gcc. CMake's name of nvc++ is NVHPC.
std::string label_of(const std::string& compiler) {
  std::string label = compiler.substr(0, compiler.find(' '));
  std::transform(label.begin(), label.end(), label.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return label == "nvhpc" ? "nvc++" : label;
}

} // namespace

OpenAccLibrary::OpenAccLibrary(const std::filesystem::path& path, const std::string& label,
                               const OpenAccLibraries& beside)
    : _path(path), _functions(std::make_unique<Functions>()) {
  open(beside);
  try {
    load_functions();
    for (const OpenAccLibrary* other : beside)
      if (other->_functions->abi == _functions->abi)
        throw base::UsageError(
            fmt::format("{}: it is loaded already, as '{}'", name(), other->label()));
    require_own_runtime();
    choose_label(label, beside);
  } catch (...) {
    dlclose(_handle);
    throw;
  }
  // From here on the library stays loaded, whatever happens: its runtime is awake, and OpenACC
  // runtimes do not survive being unloaded.
  base::at_work_on(fmt::format("waking {}", name()));
  require_device_number(_functions->gpu_count());
  choose_device(beside);
  base::ExitWatch::renew(); // the runtime has made its own plans for the end by now
}

void OpenAccLibrary::open(const OpenAccLibraries& beside) {
  // The loader would look for a name without a directory on the library path, not here.
  std::error_code unknown;
  const auto absolute = std::filesystem::absolute(_path, unknown);
  const std::filesystem::path& file = unknown ? _path : absolute;
  _handle = dlopen(file.c_str(), way_to_open(file));
  if (_handle == nullptr) {
    const std::string reason = dlerror();
    refuse(fmt::format("OpenACC library: {}", reason),
           std::filesystem::exists(file, unknown) ? two_runs(beside, nullptr) : std::string());
  }
}

void OpenAccLibrary::load_functions() {
  Functions& f = *_functions;
  load(_handle, _path, "gangway_openacc_abi", f.abi);
  if (f.abi() != GANGWAY_OPENACC_ABI)
    throw base::UsageError(
        fmt::format("OpenACC library {}: its interface has version {}, this program "
                    "speaks {}; build both from the same sources",
                    _path.string(), f.abi(), GANGWAY_OPENACC_ABI));
  load(_handle, _path, "gangway_openacc_compiler", f.compiler);
  load(_handle, _path, "gangway_openacc_flags", f.flags);
  load(_handle, _path, "gangway_openacc_version", f.version);
  load(_handle, _path, "gangway_openacc_runtime", f.runtime);
  load(_handle, _path, "gangway_openacc_select", f.select);
  load(_handle, _path, "gangway_openacc_gpu_count", f.gpu_count);
  load(_handle, _path, "gangway_openacc_ran_on", f.ran_on);
  load(_handle, _path, "gangway_openacc_device_name", f.device_name);
  load(_handle, _path, "gangway_openacc_memory", f.memory);
  load(_handle, _path, "gangway_openacc_map", f.map);
  load(_handle, _path, "gangway_openacc_unmap", f.unmap);
  load(_handle, _path, "gangway_openacc_is_present", f.is_present);
  load(_handle, _path, "gangway_openacc_get_transfers", f.get_transfers);
  load(_handle, _path, "gangway_openacc_get_launches", f.get_launches);
  load(_handle, _path, "gangway_openacc_clear_launches", f.clear_launches);
}

/// Throws if its calls go to another runtime. Its handle finds names in the library and in those it
/// was linked with; its calls were bound by another rule.
void OpenAccLibrary::require_own_runtime() const {
  const void* const own = dlsym(_handle, "acc_get_num_devices");
  if (own == nullptr || own == runtime())
    return;
  throw base::UsageError(fmt::format(
      "{}: its acc_* calls go to {}, not to its own runtime, {}. Kokkos with OpenMP brings GCC's "
      "runtime into the process: use a Kokkos without OpenMP beside this library, such as one with "
      "the GPU's backend and Serial.",
      name(), file_of(runtime()), file_of(own)));
}

void OpenAccLibrary::choose_label(const std::string& wanted, const OpenAccLibraries& beside) {
  const auto taken = [&](const std::string& label) {
    return std::any_of(beside.begin(), beside.end(),
                       [&](const OpenAccLibrary* other) { return other->label() == label; });
  };
  if (!wanted.empty() && taken(wanted))
    throw base::UsageError(fmt::format("{}: another library is called '{}'; give each its own "
                                       "label, --openacc-library LABEL=FILE",
                                       name(), wanted));
  const std::string stem = wanted.empty() ? label_of(compiler()) : wanted;
  _label = stem;
  for (int number = 2; taken(_label); ++number)
    _label = fmt::format("{}-{}", stem, number);
}

void OpenAccLibrary::choose_device(const OpenAccLibraries& beside) {
  if (const int device = kokkos_device(); _functions->select(device) != 0)
    refuse(fmt::format("{}: its runtime has no GPU number {}, which Kokkos uses. Is it built for a "
                       "GPU, and are its runtime's plug-ins on LD_LIBRARY_PATH?",
                       name(), device),
           two_runs(beside, runtime()));
  _on_gpu = ran_on() != "host";
  if (kokkos_device() >= 0 && !_on_gpu)
    refuse(fmt::format("{}: its kernels ran on the host although Kokkos uses a GPU; set "
                       "ACC_DEVICE_TYPE=nvidia, or use a library built for the GPU.",
                       name()),
           two_runs(beside, runtime()));
}

std::string OpenAccLibrary::name() const {
  return fmt::format("OpenACC library {} ({})", _path.string(), compiler());
}

OpenAccLibrary::~OpenAccLibrary() = default;

void* OpenAccLibrary::find(std::string_view study, std::string_view variant) const {
  return dlsym(_handle, symbol(study, variant).c_str());
}

OpenAccFunctions OpenAccLibrary::functions(std::string_view study, std::string_view variant) const {
  const auto find_more = [&](const char* suffix) {
    return dlsym(_handle, (symbol(study, variant) + suffix).c_str());
  };
  const OpenAccFunctions found{find(study, variant), find_more("_plan"), find_more("_unplan")};
  if ((found.plan != nullptr) != (found.unplan != nullptr))
    throw base::UsageError(
        fmt::format("OpenACC library {}: of {}_plan and _unplan it has one, not both",
                    _path.string(), symbol(study, variant)));
  return found;
}

std::string OpenAccLibrary::compiler() const {
  return _functions->compiler();
}
std::string OpenAccLibrary::flags() const {
  return _functions->flags();
}
int OpenAccLibrary::version() const {
  return _functions->version();
}
const void* OpenAccLibrary::runtime() const {
  return _functions->runtime();
}
std::string OpenAccLibrary::runtime_file() const {
  return without_folder(file_of(runtime()));
}
std::string OpenAccLibrary::ran_on() const {
  return _functions->ran_on();
}
std::string OpenAccLibrary::device_name() const {
  return _functions->device_name();
}

OpenAccLibrary::DeviceMemory OpenAccLibrary::device_memory() const {
  DeviceMemory memory;
  _functions->memory(&memory.total, &memory.free);
  return memory;
}

int OpenAccLibrary::gpu_count() const {
  return _functions->gpu_count();
}

std::optional<Transfers> OpenAccLibrary::transfers() const {
  gangway_openacc_transfers counted{};
  if (_functions->get_transfers(&counted) == 0)
    return std::nullopt;
  return Transfers{.to_device = counted.to_device,
                   .to_host = counted.to_host,
                   .bytes_to_device = counted.bytes_to_device,
                   .bytes_to_host = counted.bytes_to_host};
}

bool OpenAccLibrary::moves_data() const {
  gangway_openacc_transfers counted{};
  return _on_gpu || _functions->get_transfers(&counted) == 2;
}

std::optional<std::vector<Shape>> OpenAccLibrary::launches() const {
  gangway_openacc_launches noted{};
  if (_functions->get_launches(&noted) == 0)
    return std::nullopt;
  std::vector<Shape> shapes;
  for (int i = 0; i < noted.count; ++i) {
    const auto& [gangs, workers, vector_length] = noted.kept[i];
    shapes.push_back({{}, gangs, workers, vector_length, {}});
  }
  return shapes;
}

void OpenAccLibrary::clear_launches() const {
  _functions->clear_launches();
}

void OpenAccLibrary::map(void* host, void* device, std::size_t bytes) const {
  _functions->map(host, device, bytes);
}

void OpenAccLibrary::unmap(void* host) const {
  _functions->unmap(host);
}

bool OpenAccLibrary::is_present(const void* host, std::size_t bytes) const {
  return _functions->is_present(const_cast<void*>(host), bytes) != 0;
}

std::string OpenAccLibrary::symbol(std::string_view study, std::string_view variant) {
  std::string name = fmt::format("gangway_{}_{}", study, variant);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::filesystem::path OpenAccLibrary::default_path() {
  return default_openacc_choices().front().path;
}

OpenAccChoice openacc_choice(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || text.find('/') < equals)
    return {"", text};
  const std::string label = text.substr(0, equals);
  if (equals + 1 == text.size())
    throw base::UsageError(fmt::format(
        "--openacc-library {}: there is no file after the label; write LABEL=FILE", text));
  const bool is_word = std::all_of(label.begin(), label.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '+' || c == '-';
  });
  if (label.empty() || !is_word)
    throw base::UsageError(fmt::format("--openacc-library {}: '{}' is no label; a label is of "
                                       "letters, digits and . _ + -, such as gcc=FILE",
                                       text, label));
  return {label, text.substr(equals + 1)};
}

std::vector<OpenAccChoice> openacc_choices(const std::vector<std::string>& texts) {
  std::vector<OpenAccChoice> choices;
  for (const std::string& text : texts) {
    if (text == "none" && texts.size() == 1)
      return {};
    if (text == "none")
      throw base::UsageError("--openacc-library none leaves OpenACC out: give it alone, or only "
                             "libraries");
    OpenAccChoice choice = openacc_choice(text);
    for (const OpenAccChoice& before : choices)
      if (!choice.label.empty() && choice.label == before.label)
        throw base::UsageError(fmt::format("--openacc-library {}: the label '{}' was given before, "
                                           "to {}; give each library its own",
                                           text, choice.label, before.path.string()));
    choices.push_back(std::move(choice));
  }
  return choices;
}

std::vector<OpenAccChoice> default_openacc_choices() {
  if (const char* chosen = std::getenv("GANGWAY_OPENACC_LIBRARY");
      chosen != nullptr && *chosen != '\0')
    return {openacc_choice(chosen)};
  const std::string stem = fmt::format("lib{}_openacc", program().name);
  std::vector<OpenAccChoice> choices{{"", base::loaded_library(stem + ".so")}};
  const auto decompose = choices.front().path.parent_path() / (stem + "_decompose.so");
  std::error_code error;
  if (std::filesystem::exists(decompose, error))
    choices.push_back({"decompose", decompose});
  return choices;
}

OpenAccLibraries LoadedOpenAcc::all() const {
  std::vector<const OpenAccLibrary*> all;
  for (const auto& library : libraries)
    all.push_back(library.get());
  return OpenAccLibraries(std::move(all));
}

LoadedOpenAcc load_openacc(const std::vector<OpenAccChoice>& choices) {
  LoadedOpenAcc loaded;
  for (const auto& [label, path] : choices)
    try {
      loaded.libraries.push_back(std::make_unique<OpenAccLibrary>(path, label, loaded.all()));
    } catch (const RuntimesClash& error) {
      loaded.failures.emplace_back(error.what());
      loaded.runtimes_clash = true;
    } catch (const base::UsageError& error) {
      loaded.failures.emplace_back(error.what());
    }
  return loaded;
}

namespace {

/// Returns one library of each runtime that has device memory to map.
std::vector<const OpenAccLibrary*> runtimes_on_gpu(const OpenAccLibraries& openacc) {
  std::vector<const OpenAccLibrary*> one_each;
  for (const OpenAccLibrary* library : openacc)
    if (library->on_gpu() &&
        std::none_of(one_each.begin(), one_each.end(), [&](const OpenAccLibrary* other) {
          return other->runtime() == library->runtime();
        }))
      one_each.push_back(library);
  return one_each;
}

bool is_written(const Buffer& buffer) {
  return buffer.intent == Intent::out || buffer.intent == Intent::inout;
}

/// Written arrays of so many bytes cross by pinned memory. At 6 GB/s a smaller one takes at most 11
/// ms.
constexpr std::size_t large = 4 * PinnedCopy::default_piece;

bool is_by_pieces(const Buffer& buffer) {
  return is_written(buffer) && buffer.bytes >= large;
}

} // namespace

Binding::Binding(Problem& problem, const OpenAccLibraries& openacc)
    : _buffers(problem.buffers()), _runtimes(runtimes_on_gpu(openacc)) {
  std::erase_if(_buffers, [](const Buffer& buffer) { return buffer.bytes == 0; });
  if (memory() != Memory::shared && std::any_of(_buffers.begin(), _buffers.end(), is_by_pieces))
    _copy.emplace();
  try {
    for (const Buffer& buffer : _buffers) {
      const auto host = named(buffer.name, static_cast<std::byte*>(buffer.host));
      if (buffer.intent == Intent::in)
        enter_data_copyin(host, buffer.bytes);
      else
        enter_data_create(host, buffer.bytes);
      ++_entered;
      for (const OpenAccLibrary* runtime : _runtimes) {
        runtime->map(buffer.host, device_pointer(buffer.host), buffer.bytes);
        ++_mapped;
      }
    }
  } catch (...) {
    undo();
    throw;
  }
}

Binding::~Binding() {
  undo();
}

void Binding::undo() noexcept {
  while (_mapped > 0) {
    --_mapped;
    _runtimes[_mapped % _runtimes.size()]->unmap(_buffers[_mapped / _runtimes.size()].host);
  }
  while (_entered > 0) {
    const Buffer& buffer = _buffers[--_entered];
    exit_data_delete(static_cast<std::byte*>(buffer.host), buffer.bytes);
  }
}

void Binding::to_device() const {
  for (const Buffer& buffer : _buffers) {
    auto* const host = static_cast<std::byte*>(buffer.host);
    if (_copy && is_by_pieces(buffer))
      _copy->to_device(static_cast<std::byte*>(device_pointer(buffer.host)), host, buffer.bytes);
    else if (is_written(buffer))
      update_device(host, buffer.bytes);
  }
}

void Binding::to_host() const {
  for (const Buffer& buffer : _buffers) {
    auto* const host = static_cast<std::byte*>(buffer.host);
    if (_copy && is_by_pieces(buffer))
      _copy->to_host(host, static_cast<std::byte*>(device_pointer(buffer.host)), buffer.bytes);
    else if (is_written(buffer))
      update_self(host, buffer.bytes);
  }
}

} // namespace gangway::harness
