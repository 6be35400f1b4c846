// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/engine.hpp"

#include "base/errors.hpp"
#include "base/places.hpp"
#include "ranks/launcher.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace gangway::ranks {
namespace {

Engine* load() {
  const int ranks = launched_ranks(std::getenv);
  if (ranks == 0)
    return nullptr;
  if constexpr (!GANGWAY_HAS_MPI) {
    if (ranks > 1)
      throw base::UsageError(fmt::format(
          "{} ranks were launched, and this build has no MPI: each would work alone. Build it "
          "where CMake finds MPI (libopenmpi-dev), or run it without mpirun",
          ranks));
    return nullptr;
  }
  const auto library = base::loaded_library("libgangway_mpi.so");
  // Show its names to all: parts of an MPI that it loads itself look for them in the program.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const function = handle != nullptr ? dlsym(handle, engine_function) : nullptr;
  if (function == nullptr)
    throw base::UsageError(fmt::format(
        "this process was launched as one of several ranks, and the library that speaks MPI for it "
        "does not load: {}. It is built and installed with the program; without it, run the "
        "program "
        "without mpirun",
        dlerror()));
  Engine* const engine = reinterpret_cast<decltype(&gangway_ranks_engine)>(function)();
  if (const std::string why = engine->join(); !why.empty())
    throw base::UsageError("MPI: " + why);
  return engine;
}

} // namespace

Engine* launched_engine() {
  static Engine* const engine = load();
  return engine;
}

} // namespace gangway::ranks
