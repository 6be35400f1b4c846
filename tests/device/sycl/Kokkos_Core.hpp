// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// A Kokkos with SYCL as far as src/gangway/device.{hpp,cpp} use it, for machines without either.
// Names, types and meanings are those of Kokkos, SYCL 2020 and Intel's extension; `fake` says what
// they answer and keeps what they were asked.

// NOLINTBEGIN(readability-identifier-naming): the names are Kokkos' and the vendor's.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#define KOKKOS_ENABLE_SYCL
#define SYCL_EXT_INTEL_DEVICE_INFO 6

namespace fake {
struct State {
  bool initialized = true;
  bool finalized = false;
  std::string name = "Intel(R) Data Center GPU Max 1550";
  bool tells_free_memory = true;
  std::vector<std::size_t> sub_groups{16, 32};
  int fences = 0;
};
inline State state;
} // namespace fake

namespace sycl {

enum class aspect { cpu, gpu, ext_intel_free_memory };

/// Each query is a type that says what it returns, as in SYCL.
namespace info {
namespace device {
struct name {
  using return_type = std::string;
  static return_type said() { return fake::state.name; }
};
struct vendor {
  using return_type = std::string;
  static return_type said() { return "Intel(R) Corporation"; }
};
struct driver_version {
  using return_type = std::string;
  static return_type said() { return "1.6.33578"; }
};
struct global_mem_size {
  using return_type = std::uint64_t;
  static return_type said() { return std::uint64_t{64} << 30; }
};
struct global_mem_cache_size {
  using return_type = std::uint64_t;
  static return_type said() { return std::uint64_t{204} << 20; }
};
struct max_compute_units {
  using return_type = std::uint32_t;
  static return_type said() { return 512; }
};
struct sub_group_sizes {
  using return_type = std::vector<std::size_t>;
  static return_type said() { return fake::state.sub_groups; }
};
} // namespace device
namespace platform {
struct version {
  using return_type = std::string;
  static return_type said() { return "1.6"; }
};
} // namespace platform
} // namespace info

namespace ext::intel::info::device {
struct free_memory {
  using return_type = std::uint64_t;
  static return_type said() { return std::uint64_t{60} << 30; }
};
} // namespace ext::intel::info::device

class platform {
public:
  template <class Query>
  [[nodiscard]] typename Query::return_type get_info() const {
    return Query::said();
  }
};

class device {
public:
  template <class Query>
  [[nodiscard]] typename Query::return_type get_info() const {
    // As Intel's: a query that the device lacks throws, and must be asked for by its aspect first.
    if (std::is_same_v<Query, ext::intel::info::device::free_memory> &&
        !fake::state.tells_free_memory)
      throw "free_memory";
    return Query::said();
  }
  [[nodiscard]] bool has(aspect asked) const {
    return asked == aspect::gpu ||
           (asked == aspect::ext_intel_free_memory && fake::state.tells_free_memory);
  }
  [[nodiscard]] platform get_platform() const { return {}; }
};

class queue {
public:
  [[nodiscard]] device get_device() const { return {}; }
};

} // namespace sycl

namespace Kokkos {

class HostSpace {};
class SYCLDeviceUSMSpace {};

class SYCL {
public:
  using memory_space = SYCLDeviceUSMSpace;
  [[nodiscard]] sycl::queue& sycl_queue() const {
    static sycl::queue queue;
    return queue;
  }
  static const char* name() { return "SYCL"; }
  void fence(const std::string& = {}) const { ++fake::state.fences; }
};

class Serial {
public:
  using memory_space = HostSpace;
  static const char* name() { return "Serial"; }
  void fence(const std::string& = {}) const {}
};

using DefaultExecutionSpace = SYCL;
using DefaultHostExecutionSpace = Serial;
inline bool is_initialized() {
  return fake::state.initialized;
}
inline bool is_finalized() {
  return fake::state.finalized;
}

} // namespace Kokkos

// NOLINTEND(readability-identifier-naming)
