// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The engine of a build without MPI: none.
#include "base/errors.hpp"
#include "ranks/engine.hpp"
#include "ranks/launcher.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace gangway::ranks {

struct Communicator::Engine {};

Communicator::Communicator() = default;
Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

Communicator Communicator::duplicate() const {
  return {};
}

void Communicator::barrier() const {}
double Communicator::largest(double value) const {
  return value;
}
double Communicator::smallest(double value) const {
  return value;
}
long Communicator::sum(long value) const {
  return value;
}
bool Communicator::all(bool value) const {
  return value;
}
std::vector<std::string> Communicator::gather(const std::string& text) const {
  return {text};
}
void Communicator::start(const std::vector<Message>& receive, const std::vector<Message>& send) {
  if (!receive.empty() || !send.empty())
    throw std::logic_error("ranks: there is no other rank to send to");
}
void Communicator::finish() {}

void join_launched() {
  if (const int ranks = launched_ranks(std::getenv); ranks > 1)
    throw base::UsageError(fmt::format(
        "{} ranks were launched, and this build has no MPI: each would work alone. Build it "
        "where CMake finds MPI (libopenmpi-dev), or run it without mpirun",
        ranks));
}
Communicator launched_world() {
  return {};
}
void leave_launched() {}
void end_launched(int status) {
  std::_Exit(status);
}
std::string engine_name() {
  return "";
}
bool engine_is_cuda_aware() {
  return false;
}

} // namespace gangway::ranks
