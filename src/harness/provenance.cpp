// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/provenance.hpp"

#include "base/child.hpp"
#include "base/contains.hpp"
#include "commit.hpp" // made at each build
#include "gangway/data.hpp"
#include "gangway/device.hpp"

#include "harness/build_info.hpp"
#include "harness/ceilings.hpp"
#include "harness/program.hpp"
#include "ranks/session.hpp"

#include <Kokkos_Core.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sys/utsname.h>
#include <tuple>

namespace gangway::harness {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "(not set)";
}

std::string memory_text(std::size_t total, std::size_t free) {
  if (total == 0)
    return "not said";
  return fmt::format("{:.1f} GB, {:.1f} GB free", static_cast<double>(total) / 1e9,
                     static_cast<double>(free) / 1e9);
}

/// Names the device, such as "NVIDIA H100 80GB HBM3, Hopper90, 132 compute units".
std::string device_text(const DeviceProperties& device) {
  std::vector<std::string> parts{device.name};
  if (!device.architecture.empty())
    parts.push_back(device.architecture);
  if (device.compute_units > 0)
    parts.push_back(fmt::format("{} compute units", device.compute_units));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string driver_text(const DeviceProperties& device) {
  const auto or_not_said = [](const std::string& version) {
    return version.empty() ? "not said" : version;
  };
  return fmt::format("{}, runtime {}", or_not_said(device.driver), or_not_said(device.runtime));
}

/// Returns the execution spaces that Kokkos was built with, the default one first.
std::string backends() {
  std::vector<std::string> names{Kokkos::DefaultExecutionSpace::name()};
  const auto add = [&](const std::string& name) {
    if (!base::contains(names, name))
      names.push_back(name);
  };
#ifdef KOKKOS_ENABLE_OPENMP
  add(Kokkos::OpenMP::name());
#endif
#ifdef KOKKOS_ENABLE_THREADS
  add(Kokkos::Threads::name());
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  add(Kokkos::Serial::name());
#endif
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string operating_system() {
  utsname names{};
  uname(&names);
  std::ifstream release("/etc/os-release");
  std::string pretty;
  for (std::string line; std::getline(release, line);)
    if (line.starts_with("PRETTY_NAME="))
      pretty = line.substr(13, line.size() - 14);
  return fmt::format("{} {}, {}", names.sysname, names.release, pretty);
}

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Returns the beginning of the names of a library's facts; that of the first is as if it were
/// alone.
std::string prefix_of(const OpenAccLibrary* library, const OpenAccLibraries& openacc) {
  return library == *openacc.begin() ? "openacc" : fmt::format("openacc[{}]", library->label());
}

void add_library(Facts& facts, const std::string& openacc, const OpenAccLibrary& library) {
  const std::string where = library.ran_on();
  const bool gcc = library.compiler().starts_with("GCC");
  facts.emplace_back(openacc + " compiler", library.compiler());
  facts.emplace_back(openacc + " flags", library.flags());
  facts.emplace_back(openacc + " version", std::to_string(library.version()));
  facts.emplace_back(openacc + " device", where == "host" && gcc
                                              ? "host; GCC runs OpenACC on one thread there"
                                              : fmt::format("{} {}", where, library.device_name()));
}

void add_environment(Facts& facts, const std::string& openacc, const OpenAccLibrary& library) {
  facts.emplace_back(openacc + " library", library.path().string());
  facts.emplace_back(openacc + " runtime", library.runtime_file());
  facts.emplace_back(openacc + " devices",
                     library.gpu_count() == 0
                         ? "the host"
                         : fmt::format("{} beside the host", library.gpu_count()));
  if (library.on_gpu()) {
    const auto [total, free] = library.device_memory();
    facts.emplace_back(openacc + " memory", memory_text(total, free));
  }
  facts.emplace_back(openacc + " transfers", !library.transfers()   ? "not reported by its runtime"
                                             : library.moves_data() ? "counted by its runtime"
                                                                    : "none on the host");
  facts.emplace_back(openacc + " launches", library.launches() ? "reported by its runtime"
                                                               : "not reported by its runtime");
}

} // namespace

std::string unused_gpu(const std::filesystem::path& root) {
  std::error_code ignored;
  for (const auto& [maker, file, backend] :
       {std::tuple{"NVIDIA", "dev/nvidia0", "CUDA"}, {"AMD", "dev/kfd", "HIP"}})
    if (std::filesystem::exists(root / file, ignored))
      return fmt::format("This machine has a GPU of {}, but this Kokkos has no {}: the host is "
                         "measured. docs/gpu.md says how to compare on the GPU.\n\n",
                         maker, backend);
  return "";
}

std::string utc_now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

const char* version() {
  return GANGWAY_VERSION " " GANGWAY_COMMIT;
}

std::vector<std::pair<std::string, std::string>> provenance(const OpenAccLibraries& openacc) {
  using Device = Kokkos::DefaultExecutionSpace;
  Facts facts{
      {"date", utc_now()},
      {"gangway", version()},
      {"kokkos", fmt::format("{}.{}.{}, {}", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                             KOKKOS_VERSION % 100, Device::name())},
      {"kokkos kernels", GANGWAY_KOKKOSKERNELS_VERSION},
      {"kokkos compiler", program().compiler.empty() ? GANGWAY_COMPILER : program().compiler},
      {"kokkos flags", program().compiler.empty() ? GANGWAY_FLAGS : program().flags},
      {"contraction (FMA)", contracts_multiply_add() ? "on" : "off"},
      {"memory", memory() == Memory::shared   ? "shared with the host"
                 : memory() == Memory::strict ? "separate and strict, played by the host"
                 : has_device                 ? "separate"
                                              : "separate, played by the host"},
  };
  if (has_device) {
    const DeviceProperties device = device_properties();
    facts.emplace_back("device", device_text(device));
    facts.emplace_back("device driver", driver_text(device));
  }
  facts.emplace_back("processor", host_properties().name);
  const bool bound_by_program = std::getenv(base::bound_by_start) != nullptr;
  facts.emplace_back("host threads", fmt::format("{}, OMP_PROC_BIND={}, OMP_PLACES={}{}",
                                                 Kokkos::DefaultHostExecutionSpace().concurrency(),
                                                 variable("OMP_PROC_BIND"), variable("OMP_PLACES"),
                                                 bound_by_program ? ", set by the program" : ""));
  facts.emplace_back("system", operating_system());
  for (auto& fact : ranks::facts())
    facts.push_back(std::move(fact));
  if (openacc.empty()) {
    facts.emplace_back("openacc", "none");
    return facts;
  }
  std::vector<std::string> labels;
  for (const OpenAccLibrary* library : openacc)
    labels.push_back(library->label());
  facts.emplace_back("openacc libraries", fmt::format("{}", fmt::join(labels, ", ")));
  for (const OpenAccLibrary* library : openacc)
    add_library(facts, prefix_of(library, openacc), *library);
  return facts;
}

std::vector<std::pair<std::string, std::string>> environment(const OpenAccLibraries& openacc) {
  auto facts = provenance(openacc);
  const DeviceProperties device = device_properties();
  facts.emplace_back("kokkos backends", backends());
  facts.emplace_back("kokkos devices",
                     has_device ? fmt::format("{} of type {}, number {} in use: {}, driver {}",
                                              Kokkos::num_devices(), name_of(device.type),
                                              Kokkos::device_id(), device.name, device.driver)
                                : "the host");
  if (has_device)
    facts.emplace_back("device memory", memory_text(device.memory, device.free_memory));
  const DeviceProperties host = host_properties();
  facts.emplace_back("host memory", memory_text(host.memory, host.free_memory));
  for (const OpenAccLibrary* library : openacc)
    add_environment(facts, prefix_of(library, openacc), *library);
  return facts;
}

} // namespace gangway::harness
