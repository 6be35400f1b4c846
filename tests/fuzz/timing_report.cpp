// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The timing report: what a program tells a Kokkos tool, one event a line, with names of any bytes.
// Whatever it told, the report is JSON, counts what was begun, and as text steers no terminal.
#include "fuzz.hpp"

#include "../../tools/acc-time/lifetime.hpp"
#include "../../tools/acc-time/names.hpp"
#include "../../tools/acc-time/recorder.hpp"
#include "../../tools/acc-time/report.hpp"
#include "../../tools/acc-time/writer.hpp"

#include <fcntl.h>
#include <impl/Kokkos_Profiling_C_Interface.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstring>
#include <vector>

// The library's hooks, which a Kokkos finds by name.
extern "C" {
void kokkosp_begin_parallel_for(const char*, std::uint32_t, std::uint64_t*);
void kokkosp_begin_parallel_reduce(const char*, std::uint32_t, std::uint64_t*);
void kokkosp_end_parallel_for(std::uint64_t);
void kokkosp_begin_fence(const char*, std::uint32_t, std::uint64_t*);
void kokkosp_end_fence(std::uint64_t);
void kokkosp_push_profile_region(const char*);
void kokkosp_pop_profile_region();
void kokkosp_begin_deep_copy(Kokkos_Profiling_SpaceHandle, const char*, const void*,
                             Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t);
void kokkosp_end_deep_copy();
void kokkosp_allocate_data(Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t);
void kokkosp_deallocate_data(Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t);
void kokkosp_declare_metadata(const char*, const char*);
}

namespace {

using namespace gangway::acc_time;
using gangway::fuzz::ErrorsTo;
using gangway::fuzz::MemoryFile;
using gangway::fuzz::require;

Kokkos_Profiling_SpaceHandle space_named(const std::string& name) {
  Kokkos_Profiling_SpaceHandle handle{};
  std::strncpy(handle.name, name.c_str(), sizeof handle.name - 1);
  return handle;
}

/// A program's events; the first letter of a line says which.
class Program {
public:
  void line(const std::string& text) {
    if (text.empty())
      return;
    const std::string name = text.substr(1);
    const auto part = [&](int wanted) { // of a line of several, with tabs between
      std::string_view rest = name;
      for (; wanted > 0; --wanted) {
        const auto tab = rest.find('\t');
        rest = tab == std::string_view::npos ? std::string_view() : rest.substr(tab + 1);
      }
      return std::string(rest.substr(0, rest.find('\t')));
    };
    switch (text[0]) {
    case '{':
      kokkosp_push_profile_region(name.c_str());
      break;
    case '}':
      kokkosp_pop_profile_region();
      break;
    case 'f':
    case 'r':
      begin(name, text[0] == 'f');
      break;
    case 'e': // also one that is not the innermost
      if (!_open.empty())
        end(name.empty() ? _open.size() - 1 : static_cast<unsigned char>(name[0]) % _open.size());
      break;
    case 'w': {
      std::uint64_t id = 0;
      kokkosp_begin_fence(name.c_str(), 1U << 24U, &id);
      kokkosp_end_fence(id);
      break;
    }
    case 'c':
      kokkosp_begin_deep_copy(space_named(part(0)), part(1).c_str(), this, space_named(part(2)),
                              part(3).c_str(), &_open, name.size());
      kokkosp_end_deep_copy();
      break;
    case 'a':
      kokkosp_allocate_data(space_named(part(0)), part(1).c_str(), this, name.size());
      break;
    case 'd':
      kokkosp_deallocate_data(space_named(part(0)), part(1).c_str(), this, name.size());
      break;
    case 'm':
      kokkosp_declare_metadata(("gangway." + part(0)).c_str(), part(1).c_str());
      break;
    default:
      break;
    }
  }
  [[nodiscard]] long begun() const { return _begun; }

private:
  void begin(const std::string& name, bool is_for) {
    std::uint64_t id = 0;
    (is_for ? kokkosp_begin_parallel_for : kokkosp_begin_parallel_reduce)(name.c_str(), 1U << 24U,
                                                                          &id);
    require(id != 0, "a kernel has a number");
    _open.push_back(id);
    ++_begun;
  }
  void end(std::size_t which) {
    kokkosp_end_parallel_for(_open[which]);
    _open.erase(_open.begin() + static_cast<std::ptrdiff_t>(which));
  }

  std::vector<std::uint64_t> _open;
  long _begun = 0;
};

std::string report(MemoryFile& file, Settings::Output form) {
  file.assign("");
  lseek(file.descriptor(), 0, SEEK_SET);
  settings.output = form;
  {
    const ErrorsTo there(file.descriptor());
    write_report("exit");
  }
  std::string text(static_cast<std::size_t>(lseek(file.descriptor(), 0, SEEK_END)), '\0');
  require(pread(file.descriptor(), text.data(), text.size(), 0) ==
              static_cast<ssize_t>(text.size()),
          "the report is read back");
  return text;
}

void require_names(const nlohmann::json& report, long begun) {
  long launched = 0;
  for (const nlohmann::json& construct : report.at("compute"))
    for (const nlohmann::json& kernel : construct.at("kernels"))
      launched += kernel.at("launched").get<long>();
  require(launched == begun, "every kernel that was begun is counted", report.dump(1));
  require(report.at("events_lost") == 0, "no event is lost");
}

/// Names of both models, as the records have them.
void readable(const std::string& name) {
  static Arena arena;
  for (const Model model : {Model::kokkos, Model::openacc})
    for (const Kind kind : {Kind::kernel, Kind::region}) {
      Key key;
      key.model = model;
      key.kind = kind;
      key.name = name.c_str();
      const std::string_view made = readable_name(key, arena);
      require(!made.empty() || name.empty(), "a name stays one", name);
    }
  arena.give_back();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  recording = true;
  saw(Model::kokkos);
  Program program;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string text(line.substr(0, line.find('\0')));
    program.line(text);
    readable(text);
  }
  const std::string as_json = report(file, Settings::Output::json);
  const nlohmann::json parsed = nlohmann::json::parse(as_json, nullptr, false);
  require(!parsed.is_discarded(), "the report is JSON", as_json);
  require_names(parsed, program.begun());

  const std::string as_text = report(file, Settings::Output::text);
  for (const char* at = as_text.c_str(); *at != '\0';) {
    const int length = utf8_length(at);
    require(length > 0, "the text is UTF-8", as_text);
    const auto first = static_cast<unsigned char>(*at);
    const bool control = (first < 0x20 && *at != '\n') || first == 0x7F ||
                         (first == 0xC2 && static_cast<unsigned char>(at[1]) < 0xA0);
    require(!control, "the text steers no terminal", as_text);
    at += length;
  }
  require(as_text.find('\0') == std::string::npos, "the text has no null");
  forget();
  return 0;
}
