// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/communicator.hpp"

#include "ranks/engine.hpp"
#include "ranks/watch.hpp"

#include <fmt/format.h>

#include <climits>
#include <stdexcept>
#include <utility>

namespace gangway::ranks {

Communicator::Communicator() = default;
Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

Communicator::Communicator(std::unique_ptr<Group> group) : _group(std::move(group)) {
  if (!_group)
    return;
  const auto place = _group->place();
  _rank = place.rank;
  _size = place.size;
  _host_rank = place.host_rank;
  _host_size = place.host_size;
}

Communicator Communicator::duplicate() const {
  const Watch::Waiting waiting;
  return Communicator(_group ? _group->duplicate() : nullptr);
}

void Communicator::barrier() const {
  const Watch::Waiting waiting;
  if (_group)
    _group->barrier();
}

double Communicator::largest(double value) const {
  largest({&value, 1});
  return value;
}

void Communicator::largest(std::span<double> values) const {
  const Watch::Waiting waiting;
  if (_group)
    _group->largest(values.data(), static_cast<int>(values.size()));
}

double Communicator::smallest(double value) const {
  return -largest(-value);
}

long Communicator::sum(long value) const {
  const Watch::Waiting waiting;
  return _group ? _group->sum(value) : value;
}

void Communicator::sum(std::span<double> values) const {
  const Watch::Waiting waiting;
  if (_group)
    _group->sum(values.data(), static_cast<int>(values.size()));
}

bool Communicator::all(bool value) const {
  return sum(value ? 0 : 1) == 0;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  const Watch::Waiting waiting;
  return _group ? _group->gather(text) : std::vector{text};
}

void Communicator::start(const std::vector<Message>& receive, const std::vector<Message>& send) {
  if (!_group && !(receive.empty() && send.empty()))
    throw std::logic_error("ranks: there is no other rank to send to");
  for (const auto* messages : {&receive, &send})
    for (const Message& message : *messages)
      if (message.bytes > INT_MAX)
        throw std::length_error(fmt::format("a message of {} bytes is longer than MPI counts, {}",
                                            message.bytes, INT_MAX));
  for (const Message& message : receive)
    _group->receive(message);
  for (const Message& message : send)
    _group->send(message);
}

void Communicator::finish() {
  const Watch::Waiting waiting;
  if (_group)
    _group->finish();
}

} // namespace gangway::ranks
