#include "graph/passes/rebuild.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::graph {
namespace {
std::size_t mix(std::size_t hash, std::size_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15ULL + (hash >> 29);
}

std::size_t hash_of(const Op& op, Shape shape, std::span<const Ref> refs,
                    const Attributes& attributes) {
  std::size_t hash = std::hash<const void*>()(&op);
  for (const Ref& ref : refs) {
    hash = mix(mix(hash, static_cast<std::size_t>(ref.node)),
               static_cast<std::size_t>(ref.element + 1));
  }
  for (const std::int32_t value : attributes.ints)
    hash = mix(hash, static_cast<std::size_t>(value));
  for (const double value : attributes.reals) hash = mix(hash, std::hash<double>()(value));
  hash = mix(hash, static_cast<std::size_t>(shape.size()));
  hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93ULL;
  return hash ^ (hash >> 32);  // the low bits choose the slot
}
}  // namespace

Rebuild::Rebuild(const Graph& from)
    : from_(from),
      to_(std::make_unique<Graph>()),
      place_(static_cast<std::size_t>(from.num_nodes())) {}

Ref Rebuild::mapped(Ref ref) const {
  if (ref.node == kScalarConstants) {
    return to_->scalar_constant(from_.scalar_constants()[static_cast<std::size_t>(ref.element)]);
  }
  if (from_.is_constant(ref.node)) {
    return {to_->add_constant(from_.node(ref.node).shape, from_.constant(ref.node)), ref.element};
  }
  const Ref place = place_[static_cast<std::size_t>(ref.node)];
  CREDO_ASSERT(place.node != kNoNode, "operands are placed before their users");
  if (ref.whole() || !place.whole()) return place;
  // A node that became a number has one element only.
  return to_->node(place.node).shape.is_scalar() ? place : Ref{place.node, ref.element};
}

std::vector<Ref> Rebuild::mapped_operands(NodeId id) const {
  std::vector<Ref> refs;
  for (const Ref& ref : from_.operands(from_.node(id))) {
    stop_if_asked();  // an output of a program may have 1e8 operands
    refs.push_back(mapped(ref));
  }
  return refs;
}

void Rebuild::copy(NodeId id) {
  const Node& node = from_.node(id);
  const std::vector<Ref> refs = mapped_operands(id);  // may add constants first
  to_->statement = node.statement;
  set_place(
      id, {to_->add(*node.op, node.shape, refs, to_->add_attributes(from_.attributes(node))), -1});
}

NodeId Rebuild::add_once(const Op& op, Shape shape, std::span<const Ref> refs,
                         const Attributes& attributes) {
  const std::size_t hash = hash_of(op, shape, refs, attributes);
  const auto is_same = [&](NodeId id) {
    const Node& other = to_->node(id);
    const auto others = to_->operands(other);
    return other.op == &op && other.shape == shape &&
           std::equal(refs.begin(), refs.end(), others.begin(), others.end()) &&
           to_->attributes(other) == attributes;
  };
  for (std::size_t slot = hash; !seen_.empty(); ++slot) {
    const Seen& entry = seen_[slot & (seen_.size() - 1)];
    if (entry.id == kNoNode) break;
    if (entry.hash == hash && is_same(entry.id)) return entry.id;
  }
  const NodeId id = to_->add(op, shape, refs, to_->add_attributes(attributes));
  remember({hash, id});
  return id;
}

void Rebuild::remember(Seen entry) {
  if (2 * (num_seen_ + 1) > seen_.size()) {
    std::vector<Seen> old(std::max<std::size_t>(64, 2 * seen_.size()));
    std::swap(old, seen_);
    num_seen_ = 0;
    for (const Seen& moved : old) {
      if (moved.id != kNoNode) remember(moved);
    }
  }
  std::size_t slot = entry.hash;
  while (seen_[slot & (seen_.size() - 1)].id != kNoNode) ++slot;
  seen_[slot & (seen_.size() - 1)] = entry;
  ++num_seen_;
}

Traced Rebuild::finish(const Traced& traced) {
  std::vector<Expr> outputs;
  for (const Expr& output : traced.outputs) {
    outputs.push_back(output.is_constant() ? output
                                           : mapped_expr(output.ref()).reshaped(output.shape()));
  }
  const NodeId input = place_[static_cast<std::size_t>(traced.input)].node;
  return {.graph = std::move(to_), .input = input, .outputs = std::move(outputs)};
}

}  // namespace credo::graph
