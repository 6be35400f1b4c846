// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ranks/communicator.hpp"
#include "ranks/interop.hpp"

#include <span>
#include <string>
#include <vector>

/// NCCL, NVIDIA's library for messages between GPUs, or RCCL, AMD's with the same functions. The
/// program finds it when it runs, so that a build needs neither. The code for RCCL follows its
/// documentation.
namespace gangway::ranks {

/// The facts of a rank before NCCL is begun: NCCL itself does not say in words why it cannot begin.
struct NcclRank {
  std::string host;
  std::string bus;   ///< of its device
  int version = 0;   ///< as ncclGetVersion counts
  std::string fault; ///< why this rank has no NCCL; empty if it has one
};
/// Returns why these ranks cannot use NCCL together; empty if they can.
[[nodiscard]] std::string why_no_nccl(std::span<const NcclRank> ranks);
/// Returns that for all ranks of this run. Collective, while Kokkos runs. Loads the library only.
[[nodiscard]] std::string why_no_nccl();
/// Returns name and version, such as "NCCL 2.28.9", on a rank that has it.
[[nodiscard]] std::string nccl_name();

/// The functions that are called, as nccl.h declares them since 2.7, where ncclSend began. An error
/// is a small number; a handle and a stream are pointers.
struct NcclFunctions {
  struct UniqueId {
    char bytes[128];
  };
  int (*get_version)(int*);
  int (*get_unique_id)(UniqueId*);
  int (*comm_init_rank)(void** comm, int ranks, UniqueId, int rank);
  int (*comm_destroy)(void* comm);
  int (*comm_get_async_error)(void* comm, int* error);
  const char* (*get_error_string)(int error);
  int (*group_start)();
  int (*group_end)();
  int (*send)(const void* data, std::size_t count, int type, int peer, void* comm, void* stream);
  int (*recv)(void* data, std::size_t count, int type, int peer, void* comm, void* stream);
};

/// The communicator of NCCL for all ranks of this run, with a queue of its own. Messages go on that
/// queue in the order in which they are started, which has to be the same on all ranks that have
/// any. An error of NCCL is a std::runtime_error that names function and rank, and has to end all
/// ranks.
class Nccl {
public:
  /// Returns the communicator; the first call, a collective one, begins it, and it ends before
  /// Kokkos does. Only where `why_no_nccl` is empty.
  [[nodiscard]] static Nccl& of_this_run();

  explicit Nccl(const Communicator& ranks);
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  /// Starts to send and to receive, between addresses of devices. Tags are ignored: messages
  /// between two ranks go in order. The data has to be written before. It does not wait: the data
  /// may not be touched before `finish`.
  void start(const std::vector<Message>& receive, const std::vector<Message>& send);
  /// Waits until all that was started is done. It waits on the host, since the kernels that read
  /// the received data may be on any queue, of either model.
  void finish();

private:
  void require(int error, const char* function) const;

  const NcclFunctions* _nccl;
  std::string _who; ///< such as "rank 1 of 4"
  UrgentQueue _queue;
  void* _comm = nullptr;
  bool _has_started = false;
};

} // namespace gangway::ranks
