// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gangway/data.hpp"
#include "harness/problem.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gangway::harness {

/// The shared library with the OpenACC side, loaded into this process after Kokkos was initialised
/// and told to use the same device on the same thread.
class OpenAccLibrary {
public:
  /// Errors: UsageError when the file is missing, cannot be loaded, or is not such a library.
  explicit OpenAccLibrary(const std::filesystem::path& path);
  ~OpenAccLibrary();
  OpenAccLibrary(const OpenAccLibrary&) = delete;
  OpenAccLibrary& operator=(const OpenAccLibrary&) = delete;

  /// The address of a study's variant, or null if the library lacks it.
  [[nodiscard]] void* find(std::string_view study, std::string_view variant) const;
  /// The same with the functions of its plan. Errors: UsageError if the library has only some of
  /// these.
  [[nodiscard]] OpenAccFunctions functions(std::string_view study, std::string_view variant) const;

  [[nodiscard]] const std::filesystem::path& path() const { return _path; }
  [[nodiscard]] std::string compiler() const;
  [[nodiscard]] std::string flags() const;
  [[nodiscard]] int version() const; ///< _OPENACC
  /// Where compute regions really run, asked inside one: "host", "nvidia", …
  [[nodiscard]] std::string ran_on() const;
  [[nodiscard]] std::string device_name() const;
  struct DeviceMemory {
    std::size_t total = 0;
    std::size_t free = 0;
  };
  [[nodiscard]] DeviceMemory device_memory() const;
  /// Devices of the kind that is not the host.
  [[nodiscard]] int gpu_count() const;
  /// Transfers since the library was loaded, as its runtime's profiling interface reports them;
  /// nothing where it does not.
  [[nodiscard]] std::optional<Transfers> transfers() const;
  void map(void* host, void* device, std::size_t bytes) const;
  void unmap(void* host) const;
  [[nodiscard]] bool is_present(const void* host, std::size_t bytes) const;
  /// Whether kernels run on a device with its own memory (`ran_on` is not "host").
  [[nodiscard]] bool on_gpu() const { return _on_gpu; }

  /// The symbol that holds a variant: gangway_spmv_vector_32.
  [[nodiscard]] static std::string symbol(std::string_view study, std::string_view variant);
  /// The library of this build: $GANGWAY_OPENACC_LIBRARY, else beside the program, else where
  /// installing puts it (lib/gangway).
  [[nodiscard]] static std::filesystem::path default_path();

private:
  struct Functions;
  std::filesystem::path _path;
  void* _handle = nullptr;
  bool _on_gpu = false;
  std::unique_ptr<Functions> _functions;
};

/// Puts a problem's arrays on the device for the scope `kernel`, for both models: each is entered
/// into the library's present table, and, where the device has memory of its own, the OpenACC
/// runtime is told that the same device memory mirrors it (acc_map_data). Clauses then find their
/// data present and move nothing. Everything is undone by the destructor, also after an error.
class Binding {
public:
  Binding(Problem& problem, const OpenAccLibrary* openacc);
  ~Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  /// Host -> device for what a reset changed; device -> host for what a check reads.
  void to_device() const;
  void to_host() const;

private:
  void undo() noexcept;

  std::vector<Buffer> _buffers;
  const OpenAccLibrary* _openacc;
  std::size_t _entered = 0;
  std::size_t _mapped = 0;
};

} // namespace gangway::harness
