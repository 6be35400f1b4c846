// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/nccl.hpp"

#include "ranks/pieces.hpp"
#include "ranks/session.hpp"
#include "ranks/watch.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <type_traits>

namespace gangway::ranks {
namespace {

constexpr int success = 0;       // ncclSuccess
constexpr int in_progress = 7;   // ncclInProgress
constexpr int bytes = 0;         // ncclInt8
constexpr int has_send = 2700;   // the version in which ncclSend began
constexpr int new_count = 10000; // from 2.9 on 2.28.9 is 22809, before it 2.8.4 is 2804

/// The symbol by which a library that plays NCCL without devices, as in the tests, says that it
/// takes addresses of the host's memory.
constexpr const char* takes_host_memory = "gangway_nccl_takes_host_memory";

struct Library {
  NcclFunctions functions{};
  int version = 0;
  std::string fault; ///< why there is none
};

std::string version_text(int version) {
  const int major = version < new_count ? 1000 : 10000;
  return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
}

const char* file_name() {
  return device_type() == DeviceType::radeon ? "librccl.so.1" : "libnccl.so.2";
}

Library load() {
  Library library;
  if (device_type() == DeviceType::other) {
    library.fault = "NCCL is for devices of NVIDIA and AMD";
    return library;
  }
  // Load it from where the system finds libraries only.
  void* const handle = dlopen(file_name(), RTLD_NOW | RTLD_LOCAL);
  if (!has_device && (handle == nullptr || dlsym(handle, takes_host_memory) == nullptr)) {
    library.fault = "NCCL is for devices, and kernels run on the host";
    return library;
  }
  if (handle == nullptr) {
    library.fault = fmt::format("NCCL does not load: {}", dlerror());
    return library;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr && library.fault.empty())
      library.fault = fmt::format("{} has no {}", file_name(), name);
  };
  NcclFunctions& nccl = library.functions;
  find(nccl.get_version, "ncclGetVersion");
  if (nccl.get_version == nullptr)
    return library;
  if (nccl.get_version(&library.version) != success || library.version < has_send) {
    library.fault = fmt::format("{} is version {}, and messages came with 2.7", file_name(),
                                version_text(library.version));
    return library;
  }
  find(nccl.get_unique_id, "ncclGetUniqueId");
  find(nccl.comm_init_rank, "ncclCommInitRank");
  find(nccl.comm_destroy, "ncclCommDestroy");
  find(nccl.comm_get_async_error, "ncclCommGetAsyncError");
  find(nccl.get_error_string, "ncclGetErrorString");
  find(nccl.group_start, "ncclGroupStart");
  find(nccl.group_end, "ncclGroupEnd");
  find(nccl.send, "ncclSend");
  find(nccl.recv, "ncclRecv");
  return library;
}

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

/// Writes a rank's facts as one text for `gather`, and reads it back.
std::string written(const NcclRank& rank) {
  return fmt::format("{}\n{}\n{}\n{}", rank.version, rank.host, rank.bus, rank.fault);
}
NcclRank read(const std::string& text) {
  std::istringstream lines(text);
  NcclRank rank;
  std::string version;
  std::getline(lines, version);
  std::getline(lines, rank.host);
  std::getline(lines, rank.bus);
  std::getline(lines, rank.fault, '\0');
  rank.version = std::stoi(version);
  return rank;
}

} // namespace

std::string why_no_nccl(std::span<const NcclRank> ranks) {
  if (ranks.size() < 2)
    return "NCCL is for several ranks";
  for (std::size_t one = 0; one < ranks.size(); ++one)
    if (!ranks[one].fault.empty())
      return fmt::format("rank {}: {}", one, ranks[one].fault);
  for (std::size_t one = 1; one < ranks.size(); ++one) {
    if (ranks[one].version != ranks[0].version)
      return fmt::format("rank 0 has NCCL {} and rank {} has {}", version_text(ranks[0].version),
                         one, version_text(ranks[one].version));
    for (std::size_t other = 0; other < one; ++other)
      if (ranks[one].host == ranks[other].host && ranks[one].bus == ranks[other].bus)
        return fmt::format("ranks {} and {} share the device {} of {}, and NCCL wants one for each",
                           other, one, ranks[one].bus, ranks[one].host);
  }
  return {};
}

std::string why_no_nccl() {
  // A host, which a stand-in for NCCL may serve, is no device that could be shared.
  const NcclRank own{.host = host_name(),
                     .bus = has_device ? bus_id() : fmt::format("rank {}", world().rank()),
                     .version = library().version,
                     .fault = library().fault};
  std::vector<NcclRank> all;
  for (const std::string& text : world().gather(written(own)))
    all.push_back(read(text));
  return why_no_nccl(all);
}

std::string nccl_name() {
  return fmt::format("{} {}", device_type() == DeviceType::radeon ? "RCCL" : "NCCL",
                     version_text(library().version));
}

Nccl& Nccl::of_this_run() {
  static std::unique_ptr<Nccl> nccl;
  if (!nccl) {
    nccl = std::make_unique<Nccl>(world());
    Kokkos::push_finalize_hook([] { nccl.reset(); });
  }
  return *nccl;
}

Nccl::Nccl(const Communicator& ranks)
    : _nccl(&library().functions), _who(fmt::format("rank {} of {}", ranks.rank(), ranks.size())) {
  const Watch::Waiting waiting;
  NcclFunctions::UniqueId id{};
  if (ranks.rank() == 0)
    require(_nccl->get_unique_id(&id), "ncclGetUniqueId");
  const std::string of_first = text_of_first(ranks, {id.bytes, sizeof id.bytes});
  std::memcpy(id.bytes, of_first.data(), sizeof id.bytes);
  require(_nccl->comm_init_rank(&_comm, ranks.size(), id, ranks.rank()), "ncclCommInitRank");
}

Nccl::~Nccl() {
  // Ending it may wait for the other ranks, which may not have met the error of this one.
  if (_comm != nullptr && std::uncaught_exceptions() == 0)
    _nccl->comm_destroy(_comm);
}

void Nccl::require(int error, const char* function) const {
  if (error != success)
    throw std::runtime_error(fmt::format(
        "{} on {}: {}. NCCL_DEBUG=WARN has it say more; GANGWAY_HALO=staged does without it",
        function, _who, _nccl->get_error_string(error)));
}

void Nccl::start(const std::vector<Message>& receive, const std::vector<Message>& send) {
  if (receive.empty() && send.empty())
    return;
  void* const stream = stream_of(_queue.queue());
  require(_nccl->group_start(), "ncclGroupStart");
  for (const Message& message : receive)
    require(_nccl->recv(message.data, message.bytes, bytes, message.partner, _comm, stream),
            "ncclRecv");
  for (const Message& message : send)
    require(_nccl->send(message.data, message.bytes, bytes, message.partner, _comm, stream),
            "ncclSend");
  require(_nccl->group_end(), "ncclGroupEnd");
  _has_started = true;
}

void Nccl::finish() {
  if (!_has_started)
    return;
  const Watch::Waiting waiting;
  // Poll rather than fence: after an error of the network, or of another rank, a fence would never
  // return.
  for (bool is_done = false; !is_done;) {
    is_done = detail::is_done(_queue.queue());
    int error = success;
    require(_nccl->comm_get_async_error(_comm, &error), "ncclCommGetAsyncError");
    if (error != in_progress)
      require(error, "a message of NCCL's");
  }
  _has_started = false;
}

} // namespace gangway::ranks
