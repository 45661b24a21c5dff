#include "graph/core/graph.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "graph/core/gates.hpp"
#include "graph/core/op.hpp"
#include "graph/core/ops.hpp"

namespace credo::graph {

std::string to_string(const Shape& shape) {
  if (shape.is_scalar()) return {};
  const bool scalars = shape.rows == 1 && shape.cols == 1;
  if (scalars) return fmt::format("array[{}]", shape.batch);
  std::string text = shape.batch == 1 ? "" : fmt::format("{} x ", shape.batch);
  if (shape.cols == 1) return text + fmt::format("vector[{}]", shape.rows);
  if (shape.rows == 1) return text + fmt::format("row_vector[{}]", shape.cols);
  return text + fmt::format("matrix[{},{}]", shape.rows, shape.cols);
}

Graph::Graph() { add(ops::constant, Shape{0, 1, 1}, {}); }

NodeId Graph::add(const Op& op, Shape shape, std::span<const Ref> operands,
                  std::int32_t attributes) {
  stop_if_asked();  // tracing, derivatives and passes all come by here
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
  if (attributes == Attributes{}) return -1;
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
  if (gates != nullptr) gates->forget_from(static_cast<NodeId>(mark.nodes));
}

namespace {
constexpr std::size_t kShown = 8;  // elements of a long list

std::string text_of(const Graph& graph, Ref ref) {
  if (ref.node == kScalarConstants)
    return fmt::format("{}", graph.scalar_constants()[static_cast<std::size_t>(ref.element)]);
  return ref.whole() ? fmt::format("%{}", ref.node) : fmt::format("%{}[{}]", ref.node, ref.element);
}

// "0:199" for consecutive numbers, else the first ones.
std::string text_of(const std::vector<std::int32_t>& ints) {
  bool consecutive = ints.size() > 2;
  for (std::size_t k = 1; k < ints.size(); ++k) consecutive &= ints[k] == ints[k - 1] + 1;
  if (consecutive) return fmt::format("{}:{}", ints.front(), ints.back());
  std::string text;
  for (std::size_t k = 0; k < std::min(ints.size(), kShown); ++k)
    text += fmt::format("{}{}", k > 0 ? "," : "", ints[k]);
  return ints.size() > kShown ? text + fmt::format(",… {} in all", ints.size()) : text;
}

std::string text_of(const Buffer& data) {
  std::string text;
  for (Index k = 0; k < std::min<Index>(data->size(), Index{kShown}); ++k)
    text += fmt::format(" {:.5g}", (*data)[k]);
  return data->size() > Index{kShown} ? text + " …" : text;
}

std::string line_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const std::string shape = to_string(node.shape);
  std::string text =
      fmt::format("%{} = {}{}{}", id, node.op->name, shape.empty() ? "" : " ", shape);
  const auto refs = graph.operands(node);
  for (std::size_t k = 0; k < std::min(refs.size(), kShown); ++k)
    text += " " + text_of(graph, refs[k]);
  if (refs.size() > kShown) text += fmt::format(" … {} operands", refs.size());
  if (!graph.attributes(node).ints.empty())
    text += fmt::format(" ({})", text_of(graph.attributes(node).ints));
  if (id != kScalarConstants && graph.is_constant(id)) text += text_of(graph.constant(id));
  return node.statement != 0 ? text + fmt::format("  ; statement {}", node.statement) : text;
}
}  // namespace

std::string dump(const Graph& graph) {
  std::string text;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (id != kScalarConstants) text += line_of(graph, id) + "\n";
  }
  return text;
}

}  // namespace credo::graph
