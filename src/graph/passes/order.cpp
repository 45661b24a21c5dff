#include "graph/passes/order.hpp"

#include <queue>

#include "base/stop.hpp"

namespace credo::graph {
namespace {

using Heap = std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>>;

// A group holds at most this many blocks, so that they fit the block area (graph/execute/code.cpp).
constexpr Index kMaxStreams = 180;

class Scheduler {
 public:
  explicit Scheduler(const NodeFacts& facts);
  Ordering run();

 private:
  std::size_t at(NodeId id) const { return static_cast<std::size_t>(id); }
  std::span<const Ref> operands(NodeId id) const;
  bool in_group(NodeId id) const { return group_of_[at(id)] == group_; }
  bool fusable(NodeId id) const { return facts_.role[at(id)] >= Role::lane_map; }
  void link_users();
  void release(NodeId id);
  void make_ready(NodeId id);
  void run_alone();
  void run_group(Index size);
  Index next_size() const;

  const NodeFacts& facts_;
  Ordering result_;
  std::vector<std::int32_t> pending_, first_user_, group_of_;
  std::vector<NodeId> users_;
  Heap alone_;
  std::map<Index, Heap> by_size_;
  std::vector<NodeId> deferred_;  // until the open group is complete
  std::int32_t group_ = 0;
  Index open_size_ = -1;
};

Scheduler::Scheduler(const NodeFacts& facts) : facts_(facts) {
  const std::size_t count = facts.role.size();
  pending_.resize(count);
  group_of_.assign(count, -1);
  result_.order.reserve(count);
  link_users();
  for (std::size_t id = 0; id < count; ++id) {
    pending_[id] = facts.first_ref[id + 1] - facts.first_ref[id];
    if (pending_[id] == 0) make_ready(static_cast<NodeId>(id));
  }
}

std::span<const Ref> Scheduler::operands(NodeId id) const {
  const auto first = facts_.first_ref[at(id)], last = facts_.first_ref[at(id) + 1];
  return {facts_.refs.data() + first, static_cast<std::size_t>(last - first)};
}

void Scheduler::link_users() {
  const std::size_t count = facts_.role.size();
  first_user_.assign(count + 1, 0);
  for (const Ref& ref : facts_.refs) ++first_user_[at(ref.node) + 1];
  std::partial_sum(first_user_.begin(), first_user_.end(), first_user_.begin());
  users_.resize(facts_.refs.size());
  std::vector<std::int32_t> next(first_user_.begin(), first_user_.end() - 1);
  for (std::size_t id = 0; id < count; ++id) {
    for (const Ref& ref : operands(static_cast<NodeId>(id)))
      users_[static_cast<std::size_t>(next[at(ref.node)]++)] = static_cast<NodeId>(id);
  }
}

void Scheduler::make_ready(NodeId id) {
  if (!fusable(id)) return alone_.push(id);
  const Index size = facts_.size[at(id)];
  const auto waits = [&](const Ref& ref) {
    return in_group(ref.node) && !reads_blocks(facts_.role[at(id)], facts_.role[at(ref.node)], ref);
  };
  const auto refs = operands(id);
  if (size == open_size_ && std::any_of(refs.begin(), refs.end(), waits)) {
    deferred_.push_back(id);
  } else {
    by_size_[size].push(id);
  }
}

void Scheduler::release(NodeId id) {
  for (auto k = first_user_[at(id)]; k < first_user_[at(id) + 1]; ++k) {
    const NodeId user = users_[static_cast<std::size_t>(k)];
    if (--pending_[at(user)] == 0) make_ready(user);
  }
}

void Scheduler::run_alone() {
  while (!alone_.empty()) {
    const NodeId id = alone_.top();
    alone_.pop();
    if (facts_.role[at(id)] == Role::scalar) {
      const Index place = ssize(result_.order);
      result_.order.push_back(id);
      result_.ranges.push_back({place, place + 1, 1});
    }
    release(id);
  }
}

void Scheduler::run_group(Index size) {
  stop_if_asked();
  Heap& ready = by_size_[size];
  const Index first = ssize(result_.order);
  open_size_ = size;
  Index streams = 0;
  while (!ready.empty() && streams < kMaxStreams) {
    const NodeId id = ready.top();
    ready.pop();
    group_of_[at(id)] = group_;
    streams += facts_.num_streams[at(id)];
    result_.order.push_back(id);
    release(id);
  }
  result_.ranges.push_back({first, ssize(result_.order), size});
  ++group_;
  open_size_ = -1;
  if (ready.empty()) by_size_.erase(size);
  for (const NodeId id : std::exchange(deferred_, {})) make_ready(id);
}

// The size whose first ready node comes first in the graph.
Index Scheduler::next_size() const {
  const auto first = std::min_element(
      by_size_.begin(), by_size_.end(),
      [](const auto& a, const auto& b) { return a.second.top() < b.second.top(); });
  return first->first;
}

Ordering Scheduler::run() {
  for (run_alone(); !by_size_.empty(); run_alone()) run_group(next_size());
  return std::move(result_);
}
}  // namespace

Ordering order_nodes(const NodeFacts& facts) { return Scheduler(facts).run(); }

}  // namespace credo::graph
