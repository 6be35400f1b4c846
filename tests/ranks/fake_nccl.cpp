// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NCCL for hosts: the functions that are used, with the meaning of nccl.h, by messages of MPI.
// There is no stream that could be waited for, so what a group has started ends when its
// asynchronous error is asked for, and not before: who does not finish an exchange has no halo.
//
//     FAKE_NCCL_VERSION=2604          what ncclGetVersion says
//     FAKE_NCCL_FAILS=ncclSend:1      that function of that rank gives an error
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int success = 0;
constexpr int invalid_argument = 4;

struct Comm {
  MPI_Comm ranks = MPI_COMM_NULL;
};

std::vector<MPI_Request> started;
bool in_group = false;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// What a function that has been called well returns.
int result_of(const char* function) {
  const char* const failing = std::getenv("FAKE_NCCL_FAILS");
  const bool fails =
      failing != nullptr && failing == std::string(function) + ":" + std::to_string(world_rank());
  return fails ? invalid_argument : success;
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NCCL's.
extern "C" {

struct ncclUniqueId {
  char internal[128];
};

/// By this the library says that it takes addresses of the host (ranks/nccl.cpp).
extern const int gangway_nccl_takes_host_memory;
const int gangway_nccl_takes_host_memory = 1;

int ncclGetVersion(int* version) {
  const char* const said = std::getenv("FAKE_NCCL_VERSION");
  *version = said != nullptr ? std::atoi(said) : 22809;
  return success;
}

const char* ncclGetErrorString(int error) {
  return error == invalid_argument ? "invalid argument" : "no error";
}

int ncclGetUniqueId(ncclUniqueId* id) {
  // Not the same in two runs, and with every byte at work, so that a lost one is seen.
  for (std::size_t i = 0; i < sizeof id->internal; ++i)
    id->internal[i] = static_cast<char>(MPI_Wtime() * 1e6 + 37.0 * static_cast<double>(i));
  return result_of("ncclGetUniqueId");
}

int ncclCommInitRank(void** comm, int ranks, ncclUniqueId id, int rank) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ncclUniqueId of_first = id;
  MPI_Bcast(of_first.internal, sizeof of_first.internal, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (ranks != size || rank != world_rank() ||
      std::memcmp(of_first.internal, id.internal, sizeof id.internal) != 0)
    return invalid_argument;
  auto* const made = new Comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &made->ranks);
  *comm = made;
  return result_of("ncclCommInitRank");
}

int ncclCommDestroy(void* comm) {
  auto* const made = static_cast<Comm*>(comm);
  MPI_Comm_free(&made->ranks);
  delete made;
  return success;
}

int ncclGroupStart() {
  in_group = true;
  return success;
}

int ncclGroupEnd() {
  in_group = false;
  return success;
}

int ncclSend(const void* data, std::size_t count, int type, int peer, void* comm, void*) {
  if (!in_group || type != 0)
    return invalid_argument; // alone, two ranks that send first would wait for each other
  MPI_Isend(data, static_cast<int>(count), MPI_BYTE, peer, 0, static_cast<Comm*>(comm)->ranks,
            &started.emplace_back());
  return result_of("ncclSend");
}

int ncclRecv(void* data, std::size_t count, int type, int peer, void* comm, void*) {
  if (!in_group || type != 0)
    return invalid_argument;
  MPI_Irecv(data, static_cast<int>(count), MPI_BYTE, peer, 0, static_cast<Comm*>(comm)->ranks,
            &started.emplace_back());
  return result_of("ncclRecv");
}

int ncclCommGetAsyncError(void*, int* error) {
  MPI_Waitall(static_cast<int>(started.size()), started.data(), MPI_STATUSES_IGNORE);
  started.clear();
  *error = result_of("a message");
  return success;
}

} // extern "C"
// NOLINTEND(readability-identifier-naming)
