#include "graph/graph.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/error.hpp"
#include "graph/op.hpp"
#include "graph/ops.hpp"

namespace credo::graph {

std::string to_string(const Shape& shape) {
  if (shape.batch != 1) return fmt::format("{}x[{},{}]", shape.batch, shape.rows, shape.cols);
  return fmt::format("[{},{}]", shape.rows, shape.cols);
}

Graph::Graph() { add(ops::constant, Shape{0, 1, 1}, {}); }

NodeId Graph::add(const Op& op, Shape shape, std::span<const Ref> operands,
                  std::int32_t attributes) {
  const auto id = static_cast<NodeId>(nodes_.size());
  CREDO_ASSERT(std::all_of(operands.begin(), operands.end(),
                           [&](Ref r) { return r.node >= 0 && r.node < id; }),
               "operands come before their users");
  nodes_.push_back({&op, shape, static_cast<std::int32_t>(operands_.size()),
                    static_cast<std::int32_t>(operands.size()), attributes, statement});
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  return id;
}

NodeId Graph::add_input(Shape shape) { return add(ops::input, shape, {}); }

NodeId Graph::add_constant(Shape shape, Buffer data) {
  CREDO_ASSERT(data->size() == shape.size(), "a constant fills its shape");
  const auto [place, is_new] = constant_index_.try_emplace(data.get(), kNoNode);
  if (is_new) {
    place->second = add(ops::constant, shape, {});
    constants_[place->second] = std::move(data);
  }
  return place->second;
}

Ref Graph::scalar_constant(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto [place, is_new] =
      scalar_index_.try_emplace(bits, static_cast<std::int32_t>(scalars_.size()));
  if (is_new) {
    scalars_.push_back(value);
    nodes_[kScalarConstants].shape.batch = static_cast<std::int32_t>(scalars_.size());
  }
  return {kScalarConstants, place->second};
}

std::int32_t Graph::add_attributes(Attributes attributes) {
  if (attributes.ints.empty() && attributes.reals.empty()) return -1;
  attributes_.push_back(std::move(attributes));
  return static_cast<std::int32_t>(attributes_.size() - 1);
}

std::span<const Ref> Graph::operands(const Node& node) const {
  return {operands_.data() + node.first_operand, static_cast<std::size_t>(node.num_operands)};
}

const Attributes& Graph::attributes(const Node& node) const {
  static const Attributes none;
  return node.attributes < 0 ? none : attributes_[static_cast<std::size_t>(node.attributes)];
}

const Buffer& Graph::constant(NodeId id) const { return constants_.at(id); }

bool Graph::is_constant(NodeId id) const { return node(id).op == &ops::constant; }

// Scalar constants stay: an unused element of node 0 costs nothing.
void Graph::roll_back(const Mark& mark) {
  const auto gone = [&](const auto& entry) { return entry.second >= mark.nodes; };
  std::erase_if(constant_index_, gone);
  std::erase_if(constants_, [&](const auto& entry) { return entry.first >= mark.nodes; });
  nodes_.resize(static_cast<std::size_t>(mark.nodes));
  operands_.resize(static_cast<std::size_t>(mark.operands));
  attributes_.resize(static_cast<std::size_t>(mark.attributes));
}

std::string dump(const Graph& graph) {
  std::string text;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    text += fmt::format("%{} = {}{}", id, node.op->name, to_string(node.shape));
    for (const Ref& ref : graph.operands(node)) {
      if (ref.node == kScalarConstants) {
        text += fmt::format(" {}", graph.scalar_constants()[static_cast<std::size_t>(ref.element)]);
      } else {
        text += ref.whole() ? fmt::format(" %{}", ref.node)
                            : fmt::format(" %{}[{}]", ref.node, ref.element);
      }
    }
    text += node.statement != 0 ? fmt::format("  ; statement {}\n", node.statement) : "\n";
  }
  return text;
}

}  // namespace credo::graph
