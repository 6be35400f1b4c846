// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/strip.hpp"

#include "gangway/data.hpp"
#include "ranks/nccl.hpp"

#include <fmt/format.h>

#include <span>
#include <stdexcept>

namespace gangway::ranks {
namespace {

/// Tags of rows that move to lower ranks, and of those that move to higher ones.
constexpr int upwards = 1;
constexpr int downwards = 2;

} // namespace

Strip::Strip(const Communicator& ranks, long rows, std::size_t largest_border, Way way)
    : _ranks(ranks.duplicate()), _part(part_of(rows, ranks.size(), ranks.rank())), _way(way),
      _largest_border(largest_border), _queue(own_queue()) {
  if (_way == Way::nccl && ranks.size() > 1) // collective, also for ranks without rows
    _nccl = &Nccl::of_this_run();
  if (_part.count() == 0) // and no strip takes it for a neighbour
    return;
  if (_part.begin > 0)
    _above = ranks.rank() - 1;
  if (_part.end < rows)
    _below = ranks.rank() + 1;
  if (_way == Way::staged && (_above >= 0 || _below >= 0))
    _buffers = Kokkos::View<char*, BufferSpace>("ranks/halo buffers", 4 * largest_border);
}

char* Strip::buffer(int side) const {
  char* const first = _buffers.data(); // null where borders need none
  return first == nullptr ? nullptr : first + side * _largest_border;
}

std::vector<Message> Strip::received(const Border& border) const {
  std::vector<Message> messages;
  if (_above >= 0)
    messages.push_back({_above, downwards, border.bytes, border.above});
  if (_below >= 0)
    messages.push_back({_below, upwards, border.bytes, border.below});
  return messages;
}

std::vector<Message> Strip::sent(const Border& border) const {
  std::vector<Message> messages;
  if (_above >= 0)
    messages.push_back({_above, upwards, border.bytes, const_cast<void*>(border.first)});
  if (_below >= 0)
    messages.push_back({_below, downwards, border.bytes, const_cast<void*>(border.last)});
  return messages;
}

void Strip::exchange_on_host(const Border& border) {
  _ranks.start(received(border), sent(border));
  _ranks.finish();
}

void Strip::start(const Border& border) {
  _started = border;
  if (_nccl != nullptr) {
    _nccl->start(received(border), sent(border));
    return;
  }
  if (_way != Way::staged) {
    _ranks.start(received(border), sent(border));
    return;
  }
  if (border.bytes > _largest_border)
    throw std::length_error(
        fmt::format("ranks: a border of {} bytes, where the largest was said to have {}",
                    border.bytes, _largest_border));
  if (_above >= 0)
    memcpy_from_device(_queue, buffer(0), border.first, border.bytes);
  if (_below >= 0)
    memcpy_from_device(_queue, buffer(1), border.last, border.bytes);
  _queue.fence("ranks: the border is on the host");
  const Border on_host{buffer(0), buffer(1), buffer(2), buffer(3), border.bytes};
  _ranks.start(received(on_host), sent(on_host));
}

void Strip::finish() {
  if (_nccl != nullptr) {
    _nccl->finish();
    return;
  }
  _ranks.finish();
  if (_way != Way::staged)
    return;
  if (_above >= 0)
    memcpy_to_device(_queue, _started.above, buffer(2), _started.bytes);
  if (_below >= 0)
    memcpy_to_device(_queue, _started.below, buffer(3), _started.bytes);
  _queue.fence("ranks: the halo is on the device");
}

double Strip::largest(double value) const {
  return _ranks.largest(value);
}

void Strip::largest(double* values, int count) const {
  _ranks.largest(std::span(values, static_cast<std::size_t>(count)));
}

} // namespace gangway::ranks
