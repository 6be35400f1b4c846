// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks/vector_halo.hpp"

#include "gangway/data.hpp"
#include "ranks/nccl.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace gangway::ranks {
namespace {

/// Tags: `lists` of elements, sent when the exchange is made, and the `elements` themselves.
constexpr int lists = 3;
constexpr int elements = 4;

} // namespace

VectorHalo::VectorHalo(const Communicator& ranks, std::span<const int> cut,
                       std::span<const int> wanted, std::size_t element_bytes, Way way)
    : _ranks(ranks.duplicate()), _element_bytes(element_bytes), _way(way),
      _received_bytes(wanted.size() * element_bytes), _queue(own_queue()) {
  if (std::ssize(cut) != ranks.size() + 1)
    throw std::invalid_argument(fmt::format("ranks: a vector cut into {} parts for {} ranks",
                                            std::ssize(cut) - 1, ranks.size()));
  if (std::ranges::adjacent_find(wanted, std::ranges::greater_equal()) != wanted.end())
    throw std::invalid_argument("ranks: the elements that a rank wants are not ascending");
  const auto begin = wanted.begin();
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto first = std::lower_bound(begin, wanted.end(), cut[static_cast<std::size_t>(rank)]);
    const auto last =
        std::lower_bound(first, wanted.end(), cut[static_cast<std::size_t>(rank) + 1]);
    if (first == last)
      continue;
    if (rank == ranks.rank())
      throw std::invalid_argument("ranks: a rank wants an element that is its own");
    _receive.push_back({rank, first - begin, last - first});
  }
  if (ranks.size() > 1)
    learn_what_is_sent(cut, wanted);
  _sent_bytes = _sent.size() * element_bytes;
  if (_way == Way::nccl && ranks.size() > 1)
    _nccl = &Nccl::of_this_run();
  if (_way == Way::staged)
    _buffer =
        Kokkos::View<char*, BufferSpace>("ranks/vector halo buffer", _sent_bytes + _received_bytes);
}

/// Sends all ranks how many elements this one wants of each, then each of them which.
void VectorHalo::learn_what_is_sent(std::span<const int> cut, std::span<const int> wanted) {
  std::vector<long> counts(static_cast<std::size_t>(_ranks.size()));
  for (const Share& share : _receive)
    counts[static_cast<std::size_t>(share.partner)] = share.count;
  const std::vector<std::string> of_all = _ranks.gather(fmt::format("{}", fmt::join(counts, " ")));
  long all = 0;
  for (int rank = 0; rank < _ranks.size(); ++rank) {
    std::istringstream numbers(of_all[static_cast<std::size_t>(rank)]);
    long count = 0;
    for (int of = 0; of <= _ranks.rank(); ++of)
      numbers >> count;
    if (count > 0)
      _send.push_back({rank, all, count});
    all += count;
  }
  _sent.resize(static_cast<std::size_t>(all));

  std::vector<Message> receive;
  std::vector<Message> send;
  for (const Share& share : _send)
    receive.push_back({share.partner, lists, static_cast<std::size_t>(share.count) * sizeof(int),
                       _sent.data() + share.first});
  for (const Share& share : _receive)
    send.push_back({share.partner, lists, static_cast<std::size_t>(share.count) * sizeof(int),
                    const_cast<int*>(wanted.data()) + share.first});
  _ranks.start(receive, send);
  _ranks.finish();
  for (int& element : _sent)
    element -= cut[static_cast<std::size_t>(_ranks.rank())];
}

Message VectorHalo::message(const Share& share, const void* array) const {
  auto* const bytes = static_cast<char*>(const_cast<void*>(array));
  return {share.partner, elements, static_cast<std::size_t>(share.count) * _element_bytes,
          bytes + static_cast<std::size_t>(share.first) * _element_bytes};
}

std::vector<Message> VectorHalo::to_receive(void* received) const {
  std::vector<Message> messages;
  for (const Share& share : _receive)
    messages.push_back(message(share, received));
  return messages;
}

std::vector<Message> VectorHalo::to_send(const void* sent) const {
  std::vector<Message> messages;
  for (const Share& share : _send)
    messages.push_back(message(share, sent));
  return messages;
}

void VectorHalo::on_host(const void* sent, void* received) {
  _ranks.start(to_receive(received), to_send(sent));
  _ranks.finish();
}

void VectorHalo::start(const void* sent, void* received) {
  _started = received;
  if (_nccl != nullptr) {
    _nccl->start(to_receive(received), to_send(sent));
    return;
  }
  if (_way != Way::staged) {
    _ranks.start(to_receive(received), to_send(sent));
    return;
  }
  if (!_sent.empty()) {
    memcpy_from_device(_queue, _buffer.data(), sent, _sent_bytes);
    _queue.fence("ranks: what is sent is on the host");
  }
  _ranks.start(to_receive(_buffer.data() + _sent_bytes), to_send(_buffer.data()));
}

void VectorHalo::finish() {
  if (_nccl != nullptr) {
    _nccl->finish();
    return;
  }
  _ranks.finish();
  if (_way != Way::staged || _received_bytes == 0)
    return;
  memcpy_to_device(_queue, _started, _buffer.data() + _sent_bytes, _received_bytes);
  _queue.fence("ranks: the halo is on the device");
}

void VectorHalo::sum(double* values, int count) const {
  _ranks.sum(std::span(values, static_cast<std::size_t>(count)));
}

double VectorHalo::largest(double value) const {
  return _ranks.largest(value);
}

void VectorHalo::largest(double* values, int count) const {
  _ranks.largest(std::span(values, static_cast<std::size_t>(count)));
}

} // namespace gangway::ranks
