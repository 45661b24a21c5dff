#include "graph/program.hpp"

#include "base/error.hpp"
#include "graph/op.hpp"

namespace credo::graph {

Program::Program(const Graph& graph, NodeId input, std::span<const Expr> outputs) {
  const auto& scalars = graph.scalar_constants();
  scalars_ = AlignedArray(ssize(scalars));
  std::copy(scalars.begin(), scalars.end(), scalars_.data());
  offsets_.assign(static_cast<std::size_t>(graph.num_nodes()), -1);
  attributes_.resize(static_cast<std::size_t>(graph.num_nodes()));
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (graph.is_constant(id)) continue;
    offsets_[static_cast<std::size_t>(id)] = elements_;
    elements_ += graph.node(id).shape.size();
    if (graph.node(id).op->kind != OpKind::source) add_instruction(graph, id);
  }
  input_ = {nullptr, offsets_[static_cast<std::size_t>(input)], graph.node(input).shape};
  for (const Expr& output : outputs) outputs_.push_back(slot(graph, output));
  offsets_.clear();
}

OperandSlot Program::slot(const Graph& graph, const Expr& operand) {
  if (operand.is_constant()) {
    if (operand.buffer() != nullptr) {
      buffers_.push_back(operand.buffer());
      return {buffers_.back()->data(), 0, operand.shape()};
    }
    auto single = std::make_shared<AlignedArray>(1);
    (*single)[0] = operand.value();
    buffers_.push_back(single);
    return {buffers_.back()->data(), 0, Shape{}};
  }
  const Ref ref = operand.ref();
  const Index element = ref.whole() ? 0 : ref.element;
  return {nullptr, offsets_[static_cast<std::size_t>(ref.node)] + element, graph.shape_of(ref)};
}

void Program::add_instruction(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  Instruction instruction{.kernel = node.op->kernel(),
                          .first_slot = static_cast<std::int32_t>(slots_.size()),
                          .num_slots = node.num_operands,
                          .offset = offsets_[static_cast<std::size_t>(id)],
                          .shape = node.shape,
                          .attributes = static_cast<std::int32_t>(id),
                          .statement = node.statement};
  attributes_[static_cast<std::size_t>(id)] = graph.attributes(node);
  std::vector<Shape> shapes;
  for (const Ref& ref : graph.operands(node)) {
    shapes.push_back(graph.shape_of(ref));
    if (ref.node == kScalarConstants) {
      slots_.push_back({scalars_.data() + ref.element, 0, Shape{}});
    } else if (graph.is_constant(ref.node)) {
      buffers_.push_back(graph.constant(ref.node));
      slots_.push_back(
          {buffers_.back()->data() + (ref.whole() ? 0 : ref.element), 0, shapes.back()});
    } else {
      slots_.push_back(
          {nullptr, offsets_[static_cast<std::size_t>(ref.node)] + (ref.whole() ? 0 : ref.element),
           shapes.back()});
    }
  }
  if (node.op->scratch != nullptr) {
    scratch_ =
        std::max(scratch_, node.op->scratch(shapes, attributes_[static_cast<std::size_t>(id)]));
  }
  instructions_.push_back(instruction);
}

Workspace::Workspace(const Program& program, Index max_lanes)
    : program_(&program),
      values_(program.workspace_elements() * max_lanes),
      scratch_(program.scratch_elements() * max_lanes) {}

void Workspace::set_input(Index lane, std::span<const double> values) {
  CREDO_ASSERT(ssize(values) == program_->input_size(), "a value for every input");
  double* input = values_.data() + program_->input_.offset * lanes_ + lane;
  for (std::size_t i = 0; i < values.size(); ++i) input[static_cast<Index>(i) * lanes_] = values[i];
}

void Workspace::run() {
  status_.fill({});
  Call call{.workspace = values_.data(),
            .scratch = scratch_.data(),
            .status = status_.data(),
            .lanes = lanes_};
  for (const Instruction& instruction : program_->instructions_) {
    call.operands = program_->slots_.data() + instruction.first_slot;
    call.num_operands = instruction.num_slots;
    call.shape = instruction.shape;
    call.out = values_.data() + instruction.offset * lanes_;
    call.attributes = &program_->attributes_[static_cast<std::size_t>(instruction.attributes)];
    instruction.kernel(call);
  }
}

double Workspace::output(std::size_t k, Index element, Index lane) const {
  const OperandSlot& slot = program_->outputs_[k];
  if (slot.constant != nullptr) return slot.constant[slot.shape.is_scalar() ? 0 : element];
  return values_[(slot.offset + element) * lanes_ + lane];
}

void Workspace::copy_output(std::size_t k, Index lane, std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = output(k, static_cast<Index>(i), lane);
}

}  // namespace credo::graph
