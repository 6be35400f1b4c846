// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The engine: MPI. Errors of MPI end all ranks, as is its default.
#include "ranks/communicator.hpp"
#include "ranks/engine.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>) // where an implementation says what it has beyond the standard
#include <mpi-ext.h>
#endif

#include <cmath>
#include <exception>
#include <utility>

namespace gangway::ranks {
namespace {

/// Keeps the larger of each two values, as MPI_MAX does, but a NaN is larger than all numbers:
/// MPI_MAX may pass over it, since comparisons with it are false.
void larger_or_nan(void* given, void* kept, int* count, MPI_Datatype*) {
  const auto* const others = static_cast<const double*>(given);
  auto* const values = static_cast<double*>(kept);
  for (int i = 0; i < *count; ++i)
    if (others[i] > values[i] || std::isnan(others[i]))
      values[i] = others[i];
}
MPI_Op largest_of_all = MPI_OP_NULL; ///< between `join` and `leave`

class MpiGroup : public Group {
public:
  explicit MpiGroup(MPI_Comm same_ranks) { MPI_Comm_dup(same_ranks, &_ranks); }
  ~MpiGroup() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    // MPI_Comm_free is collective, and the others may not have met the error of this one.
    if (finalized == 0 && std::uncaught_exceptions() == 0)
      MPI_Comm_free(&_ranks);
  }
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  [[nodiscard]] std::unique_ptr<Group> duplicate() const override {
    return std::make_unique<MpiGroup>(_ranks);
  }

  [[nodiscard]] Place place() const override {
    Place place;
    MPI_Comm_rank(_ranks, &place.rank);
    MPI_Comm_size(_ranks, &place.size);
    MPI_Comm of_host = MPI_COMM_NULL;
    MPI_Comm_split_type(_ranks, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &of_host);
    MPI_Comm_rank(of_host, &place.host_rank);
    MPI_Comm_size(of_host, &place.host_size);
    MPI_Comm_free(&of_host);
    return place;
  }

  void barrier() const override { MPI_Barrier(_ranks); }

  void largest(double* values, int count) const override {
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, largest_of_all, _ranks);
  }

  [[nodiscard]] long sum(long value) const override {
    long joined = 0;
    MPI_Allreduce(&value, &joined, 1, MPI_LONG, MPI_SUM, _ranks);
    return joined;
  }

  void sum(double* values, int count) const override {
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, _ranks);
  }

  [[nodiscard]] std::vector<std::string> gather(const std::string& text) const override {
    int size = 0;
    MPI_Comm_size(_ranks, &size);
    const int length = static_cast<int>(text.size());
    std::vector<int> lengths(static_cast<std::size_t>(size));
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, _ranks);
    std::vector<int> begins;
    int all = 0;
    for (const int one : lengths) {
      begins.push_back(all);
      all += one;
    }
    std::string joined(static_cast<std::size_t>(all), '\0');
    MPI_Allgatherv(text.data(), length, MPI_CHAR, joined.data(), lengths.data(), begins.data(),
                   MPI_CHAR, _ranks);
    std::vector<std::string> texts;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank)
      texts.push_back(joined.substr(static_cast<std::size_t>(begins[rank]),
                                    static_cast<std::size_t>(lengths[rank])));
    return texts;
  }

  void receive(const Message& message) override {
    MPI_Irecv(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.partner, message.tag,
              _ranks, &_started.emplace_back(MPI_REQUEST_NULL));
  }
  void send(const Message& message) override {
    MPI_Isend(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.partner, message.tag,
              _ranks, &_started.emplace_back(MPI_REQUEST_NULL));
  }
  void finish() override {
    MPI_Waitall(static_cast<int>(_started.size()), _started.data(), MPI_STATUSES_IGNORE);
    _started.clear();
  }

private:
  MPI_Comm _ranks = MPI_COMM_NULL;
  std::vector<MPI_Request> _started;
};

class MpiEngine : public Engine {
public:
  [[nodiscard]] std::string join() override {
    // Threads of Kokkos and OpenMP send no messages.
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED)
      return "it cannot be used in a process with threads (MPI_THREAD_FUNNELED)";
    MPI_Op_create(larger_or_nan, 1, &largest_of_all);
    return "";
  }
  [[nodiscard]] std::unique_ptr<Group> world() override {
    return std::make_unique<MpiGroup>(MPI_COMM_WORLD);
  }
  void leave() override {
    MPI_Op_free(&largest_of_all);
    MPI_Finalize();
  }
  void end(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

  [[nodiscard]] std::string name() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string name(text, static_cast<std::size_t>(length));
    return name.substr(0, name.find_first_of(",\n")); // the rest names the packager
  }

  [[nodiscard]] bool is_cuda_aware() const override {
#ifdef MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
  }
};

} // namespace

extern "C" Engine* gangway_ranks_engine() {
  static MpiEngine engine;
  return &engine;
}

} // namespace gangway::ranks
