// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The engine: MPI.
#include "base/errors.hpp"
#include "ranks/engine.hpp"
#include "ranks/launcher.hpp"
#include "ranks/watch.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>) // where an implementation says what it has beyond the standard
#include <mpi-ext.h>
#endif

#include <fmt/format.h>

#include <climits>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

namespace gangway::ranks {

struct Communicator::Engine {
  MPI_Comm communicator = MPI_COMM_NULL;
  std::vector<MPI_Request> started;

  explicit Engine(MPI_Comm same_ranks) { MPI_Comm_dup(same_ranks, &communicator); }
  ~Engine() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0)
      MPI_Comm_free(&communicator);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
};

Communicator::Communicator() = default;
Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

Communicator::Communicator(std::unique_ptr<Engine> engine) : _engine(std::move(engine)) {
  MPI_Comm_rank(_engine->communicator, &_rank);
  MPI_Comm_size(_engine->communicator, &_size);
  MPI_Comm of_host = MPI_COMM_NULL;
  MPI_Comm_split_type(_engine->communicator, MPI_COMM_TYPE_SHARED, _rank, MPI_INFO_NULL, &of_host);
  MPI_Comm_rank(of_host, &_host_rank);
  MPI_Comm_size(of_host, &_host_size);
  MPI_Comm_free(&of_host);
}

Communicator Communicator::duplicate() const {
  const Watch::Waiting waiting;
  return _engine ? Communicator(std::make_unique<Engine>(_engine->communicator)) : Communicator();
}

void Communicator::barrier() const {
  const Watch::Waiting waiting;
  if (_engine)
    MPI_Barrier(_engine->communicator);
}

double Communicator::largest(double value) const {
  if (!_engine)
    return value;
  const Watch::Waiting waiting;
  // MPI_MAX may pass over a NaN.
  double mine[2]{std::isnan(value) ? -std::numeric_limits<double>::infinity() : value,
                 std::isnan(value) ? 1.0 : 0.0};
  double joined[2];
  MPI_Allreduce(mine, joined, 2, MPI_DOUBLE, MPI_MAX, _engine->communicator);
  return joined[1] > 0 ? std::numeric_limits<double>::quiet_NaN() : joined[0];
}

double Communicator::smallest(double value) const {
  return -largest(-value);
}

long Communicator::sum(long value) const {
  if (!_engine)
    return value;
  const Watch::Waiting waiting;
  long joined = 0;
  MPI_Allreduce(&value, &joined, 1, MPI_LONG, MPI_SUM, _engine->communicator);
  return joined;
}

bool Communicator::all(bool value) const {
  return sum(value ? 0 : 1) == 0;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  if (!_engine)
    return {text};
  const Watch::Waiting waiting;
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(_size));
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, _engine->communicator);
  std::vector<int> begins;
  int all = 0;
  for (const int one : lengths) {
    begins.push_back(all);
    all += one;
  }
  std::string joined(static_cast<std::size_t>(all), '\0');
  MPI_Allgatherv(text.data(), length, MPI_CHAR, joined.data(), lengths.data(), begins.data(),
                 MPI_CHAR, _engine->communicator);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    texts.push_back(joined.substr(static_cast<std::size_t>(begins[rank]),
                                  static_cast<std::size_t>(lengths[rank])));
  return texts;
}

void Communicator::start(const std::vector<Message>& receive, const std::vector<Message>& send) {
  if (!_engine) {
    if (!receive.empty() || !send.empty())
      throw std::logic_error("ranks: there is no other rank to send to");
    return;
  }
  for (const auto* messages : {&receive, &send})
    for (const Message& message : *messages) {
      if (message.bytes > INT_MAX)
        throw std::length_error(fmt::format("a message of {} bytes is longer than MPI counts, {}",
                                            message.bytes, INT_MAX));
      MPI_Request request = MPI_REQUEST_NULL;
      if (messages == &receive)
        MPI_Irecv(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.partner,
                  message.tag, _engine->communicator, &request);
      else
        MPI_Isend(message.data, static_cast<int>(message.bytes), MPI_BYTE, message.partner,
                  message.tag, _engine->communicator, &request);
      _engine->started.push_back(request);
    }
}

void Communicator::finish() {
  if (!_engine || _engine->started.empty())
    return;
  const Watch::Waiting waiting;
  MPI_Waitall(static_cast<int>(_engine->started.size()), _engine->started.data(),
              MPI_STATUSES_IGNORE);
  _engine->started.clear();
}

void join_launched() {
  if (launched_ranks(std::getenv) == 0)
    return;
  // Kokkos' and OpenMP's threads send nothing.
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_FUNNELED)
    throw base::UsageError("MPI cannot be used in a process with threads (MPI_THREAD_FUNNELED)");
}

static bool is_running() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

Communicator launched_world() {
  return is_running() ? Communicator(std::make_unique<Communicator::Engine>(MPI_COMM_WORLD))
                      : Communicator();
}

void leave_launched() {
  if (is_running())
    MPI_Finalize();
}

void end_launched(int status) {
  if (is_running())
    MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

std::string engine_name() {
  if (!is_running())
    return "";
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string name(text, static_cast<std::size_t>(length));
  return name.substr(0, name.find_first_of(",\n")); // what follows is who packaged it
}

bool engine_is_cuda_aware() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  return is_running() && MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

} // namespace gangway::ranks
