// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tree.hpp"

#include <algorithm>

namespace gangway::acc_time {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

class Merger {
public:
  explicit Merger(Arena& arena) : _arena(arena) {}

  Node* merge() {
    std::size_t count = 0;
    for (const Thread* thread = threads(); thread != nullptr; thread = thread->next())
      for (const Record* record = thread->newest(); record != nullptr; record = record->older)
        ++count;
    auto** const records = _arena.make_array<const Record*>(count + 1);
    for (_slots = 64; _slots < 2 * count; _slots *= 2) {
    }
    _table = _arena.make_array<Node*>(_slots);
    Node* const root = _arena.make<Node>();
    if (records == nullptr || _table == nullptr || root == nullptr)
      return nullptr;

    // Other threads may go on recording; we ignore what they add from here on.
    std::size_t n = 0;
    for (const Thread* thread = threads(); thread != nullptr; thread = thread->next())
      for (const Record* record = thread->newest(); record != nullptr && n < count;
           record = record->older)
        records[n++] = record;
    std::sort(records, records + n,
              [](const Record* a, const Record* b) { return a->sequence < b->sequence; });
    for (std::size_t i = 0; i < n; ++i)
      add(*root, *records[i]);
    return root;
  }

private:
  Node* find(Node& parent, const Key& key) {
    Node*& slot = _table[hash_key(key, &parent) & (_slots - 1)];
    for (Node* node = slot; node != nullptr; node = node->same_slot)
      if (node->parent == &parent && same_key(node->key, key))
        return node;
    Node* const node = _arena.make<Node>();
    if (node == nullptr)
      return nullptr;
    node->key = key;
    node->parent = &parent;
    const bool in_region = parent.parent == nullptr || parent.key.kind == Kind::region;
    node->enclosing = in_region ? &parent : parent.enclosing;
    node->regions_around = parent.regions_around + (in_region && parent.parent != nullptr ? 1 : 0);
    node->same_slot = slot;
    slot = node;
    (parent.last == nullptr ? parent.first : parent.last->next) = node;
    parent.last = node;
    return node;
  }

  void add(Node& root, const Record& record) {
    // The parent was made before its child, and so was placed before it.
    Node* parent = record.parent == nullptr ? &root : static_cast<Node*>(record.parent->node);
    if (parent == nullptr)
      return;
    const std::uint64_t begun = record.begun.load(relaxed);
    if (record.key.kind == Kind::kernel && record.key.model == Model::kokkos) {
      Key construct = record.key;
      construct.kind = Kind::construct;
      construct.shape = {};
      parent = find(*parent, construct);
      if (parent == nullptr)
        return;
      parent->begun += begun;
      parent->elapsed.add(record.elapsed);
    }
    Node* const node = find(*parent, record.key);
    const_cast<Record&>(record).node = node;
    if (node == nullptr)
      return;
    node->begun += begun;
    node->bytes += record.bytes.load(relaxed);
    node->found_present += record.found_present.load(relaxed);
    node->in_place += record.in_place.load(relaxed);
    node->elapsed.add(record.elapsed);
    if (const DeviceWork* work = record.device_work.load(std::memory_order_acquire);
        work != nullptr)
      node->add(*work);
  }

  Arena& _arena;
  Node** _table = nullptr;
  std::size_t _slots = 0;
};

} // namespace

void Sum::add(const Timing& timing) {
  add(Sum{timing.count.load(relaxed), timing.total.load(relaxed), timing.max.load(relaxed),
          timing.min.load(relaxed)});
}

void Sum::add(const Sum& other) {
  count += other.count;
  total += other.total;
  max = std::max(max, other.max);
  min = std::min(min, other.min);
}

void Node::add(const DeviceWork& work) {
  on_device = true;
  const bool first_kernels = kernels.count == 0;
  const bool has_kernels = work.kernels.count.load(relaxed) != 0;
  kernels.add(work.kernels);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies[i].add(work.copies[i]);
    copy_bytes[i] += work.bytes[i].load(relaxed);
  }
  if (!has_kernels)
    return;
  for (std::size_t d = 0; d < 3; ++d) {
    grid_min[d] = first_kernels ? work.grid_min[d] : std::min(grid_min[d], work.grid_min[d]);
    grid_max[d] = first_kernels ? work.grid_max[d] : std::max(grid_max[d], work.grid_max[d]);
    block_min[d] = first_kernels ? work.block_min[d] : std::min(block_min[d], work.block_min[d]);
    block_max[d] = first_kernels ? work.block_max[d] : std::max(block_max[d], work.block_max[d]);
  }
}

std::uint64_t Node::unfinished() const {
  // Gangway declares the data regions of Kokkos programs only when they begin.
  if (key.kind == Kind::data && key.model == Model::kokkos)
    return 0;
  return begun > elapsed.count ? begun - elapsed.count : 0;
}

const Node* Node::within() const {
  const Node* node = parent;
  return node->parent == nullptr || node->key.kind == Kind::region ? nullptr : node;
}

Node* make_tree(Arena& arena) {
  return Merger(arena).merge();
}

const Node* following(const Node* node, const Node* top) {
  if (node->first != nullptr)
    return node->first;
  while (node != top && node != nullptr && node->next == nullptr)
    node = node->parent;
  return node == top || node == nullptr ? nullptr : node->next;
}

} // namespace gangway::acc_time
