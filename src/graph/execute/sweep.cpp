#include "graph/execute/sweep.hpp"

#include "base/stop.hpp"
#include "graph/core/op.hpp"

namespace credo::graph {

DirectSweep::DirectSweep(const Graph& graph, NodeId input_node, std::span<const Expr> results) {
  const auto& scalars = graph.scalar_constants();
  scalars_ = AlignedArray(ssize(scalars));
  std::copy(scalars.begin(), scalars.end(), scalars_.data());
  offsets_.assign(static_cast<std::size_t>(graph.num_nodes()), -1);
  attributes_.resize(static_cast<std::size_t>(graph.num_nodes()));
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (graph.is_constant(id)) continue;
    offsets_[static_cast<std::size_t>(id)] = num_elements;
    num_elements += graph.node(id).shape.size();
    if (graph.node(id).op->kind != OpKind::source) add_instruction(graph, id);
  }
  input = {nullptr, offsets_[static_cast<std::size_t>(input_node)], graph.node(input_node).shape};
  for (const Expr& result : results) outputs.push_back(slot(graph, result));
  offsets_.clear();
}

OperandSlot DirectSweep::slot(const Graph& graph, const Expr& operand) {
  if (!operand.is_constant()) return operand_slot(graph, operand.ref());
  if (operand.buffer() != nullptr) {
    buffers_.push_back(operand.buffer());
    return {buffers_.back()->data(), 0, operand.shape()};
  }
  auto single = std::make_shared<AlignedArray>(1);
  (*single)[0] = operand.value();
  buffers_.push_back(single);
  return {buffers_.back()->data(), 0, Shape{}};
}

OperandSlot DirectSweep::operand_slot(const Graph& graph, Ref ref) {
  const Shape shape = graph.shape_of(ref);
  const Index element = ref.whole() ? 0 : ref.element;
  if (ref.node == kScalarConstants) return {scalars_.data() + element, 0, shape};
  if (graph.is_constant(ref.node)) {
    buffers_.push_back(graph.constant(ref.node));
    return {buffers_.back()->data() + element, 0, shape};
  }
  return {nullptr, offsets_[static_cast<std::size_t>(ref.node)] + element, shape};
}

void DirectSweep::add_instruction(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Instruction instruction{.kernel = node.op->kernel(),
                                .first_slot = static_cast<std::int32_t>(slots_.size()),
                                .num_slots = node.num_operands,
                                .offset = offsets_[static_cast<std::size_t>(id)],
                                .shape = node.shape,
                                .attributes = static_cast<std::int32_t>(id)};
  Attributes& attributes = attributes_[static_cast<std::size_t>(id)];
  attributes = graph.attributes(node);
  std::vector<Shape> shapes;
  for (const Ref& ref : graph.operands(node)) {
    shapes.push_back(graph.shape_of(ref));
    slots_.push_back(operand_slot(graph, ref));
  }
  if (node.op->scratch != nullptr)
    scratch = std::max(scratch, node.op->scratch(shapes, attributes));
  instructions_.push_back(instruction);
}

void DirectSweep::run(Call call) const {
  for (const Instruction& instruction : instructions_) {
    stop_if_asked();
    call.operands = slots_.data() + instruction.first_slot;
    call.num_operands = instruction.num_slots;
    call.shape = instruction.shape;
    call.out = call.workspace + instruction.offset * call.lanes;
    call.attributes = &attributes_[static_cast<std::size_t>(instruction.attributes)];
    instruction.kernel(call);
  }
}

}  // namespace credo::graph
