// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/errors.hpp"
#include "gangway/data.hpp"
#include "gangway/levels.hpp"
#include "harness/pinned_copy.hpp"
#include "harness/problem.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gangway::harness {

class OpenAccLibrary;

/// An error of a library that could not be loaded beside another one, whose runtime may be the
/// cause. Alone it may load.
class RuntimesClash : public base::UsageError {
public:
  using UsageError::UsageError;
};

/// The OpenACC libraries that take part, in their order: none, one, or several, each a model of its
/// own. It owns none of them.
class OpenAccLibraries {
public:
  OpenAccLibraries() = default;
  /// Holds one, or none if it is null. Implicit, since most programs have at most one.
  OpenAccLibraries(const OpenAccLibrary* one) {
    if (one != nullptr)
      _all.push_back(one);
  }
  explicit OpenAccLibraries(std::vector<const OpenAccLibrary*> all) : _all(std::move(all)) {}

  [[nodiscard]] auto begin() const { return _all.begin(); }
  [[nodiscard]] auto end() const { return _all.end(); }
  [[nodiscard]] bool empty() const { return _all.empty(); }
  /// Returns whether there are several: results then say whose OpenACC it was.
  [[nodiscard]] bool several() const { return _all.size() > 1; }

private:
  std::vector<const OpenAccLibrary*> _all;
};

/// A shared library with the OpenACC side, which is loaded into this process after Kokkos is
/// initialised. It uses the same device on the same thread as Kokkos.
class OpenAccLibrary {
public:
  /// Loads the library. `label` names it in results; if empty, its compiler's name does, with a
  /// number if a library in `beside`, those loaded before, has it. Errors: UsageError when the file
  /// is missing, cannot be loaded, is not such a library, or is loaded already; when its acc_*
  /// calls go to another runtime than its own; when it cannot use the device that Kokkos uses; when
  /// one in `beside` has the label. If another runtime beside it may be the cause, the message says
  /// what to do.
  explicit OpenAccLibrary(const std::filesystem::path& path, const std::string& label = "",
                          const OpenAccLibraries& beside = {});
  ~OpenAccLibrary();
  OpenAccLibrary(const OpenAccLibrary&) = delete;
  OpenAccLibrary& operator=(const OpenAccLibrary&) = delete;

  /// Returns the address of a study's variant, or null if the library lacks it.
  [[nodiscard]] void* find(std::string_view study, std::string_view variant) const;
  /// Returns that address with the functions of its plan. Errors: UsageError if the library has
  /// only one of the two.
  [[nodiscard]] OpenAccFunctions functions(std::string_view study, std::string_view variant) const;

  [[nodiscard]] const std::filesystem::path& path() const { return _path; }
  /// Returns its name among several, such as "gcc" or "decompose".
  [[nodiscard]] const std::string& label() const { return _label; }
  [[nodiscard]] std::string compiler() const;
  [[nodiscard]] std::string flags() const;
  [[nodiscard]] int version() const; ///< _OPENACC
  /// Returns where compute regions really run, asked inside one: "host", "nvidia", …
  [[nodiscard]] std::string ran_on() const;
  [[nodiscard]] std::string device_name() const;
  struct DeviceMemory {
    std::size_t total = 0;
    std::size_t free = 0;
  };
  [[nodiscard]] DeviceMemory device_memory() const;
  /// Returns the number of devices of the kind that is not the host.
  [[nodiscard]] int gpu_count() const;
  /// Returns the transfers since the library was loaded, as its runtime's profiling interface
  /// reports them; empty if it does not.
  [[nodiscard]] std::optional<Transfers> transfers() const;
  /// Returns the launches since `clear_launches`, at most 64, as the same interface reports them;
  /// empty if it does not. The clauses that asked for them are not known: `requested` is empty.
  [[nodiscard]] std::optional<std::vector<Shape>> launches() const;
  void clear_launches() const;
  /// Returns what identifies the runtime. Libraries that share it share one table of present data.
  [[nodiscard]] const void* runtime() const;
  /// Returns the name of the runtime's file, without its folder, such as "libgomp.so.1".
  [[nodiscard]] std::string runtime_file() const;
  void map(void* host, void* device, std::size_t bytes) const;
  void unmap(void* host) const;
  [[nodiscard]] bool is_present(const void* host, std::size_t bytes) const;
  /// Returns whether kernels run on a device with its own memory (`ran_on` is not "host").
  [[nodiscard]] bool on_gpu() const { return _on_gpu; }
  /// Returns whether data clauses move anything: on a GPU, and where the host plays a device.
  [[nodiscard]] bool moves_data() const;

  /// Returns the symbol of a variant: gangway_spmv_vector_32.
  [[nodiscard]] static std::string symbol(std::string_view study, std::string_view variant);
  /// Returns the library of this program: $GANGWAY_OPENACC_LIBRARY, else the one beside the program
  /// (libgangway_openacc.so, with another program's name in it where it is another), else where
  /// installing puts it (lib/gangway).
  [[nodiscard]] static std::filesystem::path default_path();

private:
  struct Functions;
  void open(const OpenAccLibraries& beside);
  void load_functions();
  void require_own_runtime() const;
  void choose_label(const std::string& wanted, const OpenAccLibraries& beside);
  void choose_device(const OpenAccLibraries& beside);
  /// Returns "OpenACC library PATH (COMPILER)", which begins messages.
  [[nodiscard]] std::string name() const;

  std::filesystem::path _path;
  std::string _label;
  void* _handle = nullptr;
  bool _on_gpu = false;
  std::unique_ptr<Functions> _functions;
};

/// A choice by --openacc-library: a file, and the label that results give it (empty: none given).
struct OpenAccChoice {
  std::string label;
  std::filesystem::path path;
};

/// Reads "LABEL=FILE" or "FILE"; a name with a slash before the equals sign is a file's. Labels are
/// of letters, digits and . _ + -. Errors: UsageError that names the option.
[[nodiscard]] OpenAccChoice openacc_choice(const std::string& text);
/// Reads all that were given: none if that is "none". Errors: those of one, for a label that was
/// given twice, and for "none" beside others.
[[nodiscard]] std::vector<OpenAccChoice> openacc_choices(const std::vector<std::string>& texts);
/// Returns the choices if none is given: `OpenAccLibrary::default_path`, and, labelled "decompose",
/// libgangway_openacc_decompose.so beside it, if there is one. If $GANGWAY_OPENACC_LIBRARY names a
/// library (as the option does), it is alone.
[[nodiscard]] std::vector<OpenAccChoice> default_openacc_choices();

/// The libraries that could be loaded, in their order, and why the others could not.
struct LoadedOpenAcc {
  std::vector<std::unique_ptr<OpenAccLibrary>> libraries;
  std::vector<std::string> failures;
  bool runtimes_clash = false; ///< was one of them a RuntimesClash?

  /// Returns all libraries; valid as long as this.
  [[nodiscard]] OpenAccLibraries all() const;
};
[[nodiscard]] LoadedOpenAcc load_openacc(const std::vector<OpenAccChoice>& choices);

/// The residence of a problem's arrays on the device for the scope `kernel`, for both models. Each
/// array is entered into the library's present table. If the device has memory of its own, that
/// same memory is also mapped once in each OpenACC runtime (acc_map_data). Clauses then find their
/// data present and move nothing. The destructor undoes everything, also after an error.
class Binding {
public:
  Binding(Problem& problem, const OpenAccLibraries& openacc);
  ~Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  /// Copy host -> device what a reset changed, and device -> host what a check reads.
  void to_device() const;
  void to_host() const;

private:
  void undo() noexcept;

  std::vector<Buffer> _buffers;
  std::vector<const OpenAccLibrary*> _runtimes; ///< one library of each runtime
  std::optional<PinnedCopy> _copy;              ///< if a large array has to be copied
  std::size_t _entered = 0;
  std::size_t _mapped = 0; ///< of every buffer once for each runtime
};

} // namespace gangway::harness
