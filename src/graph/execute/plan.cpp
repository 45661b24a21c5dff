#include "graph/execute/plan.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "graph/core/op.hpp"
#include "graph/core/ops.hpp"
#include "graph/execute/plan_products.hpp"
#include "graph/passes/order.hpp"

namespace credo::graph {
namespace {

// Vectors up to this size have places of their own even if only their group reads them; constants
// up to this size lie in the workspace for every lane.
constexpr Index kSmallVector = 64;
constexpr Index kSmallConstant = 512;
constexpr Index kAlign = kGroup;    // elements
constexpr Index kScalarChunk = 64;  // elements

std::size_t at(Index id) { return static_cast<std::size_t>(id); }
std::int32_t narrow(Index value) { return static_cast<std::int32_t>(value); }

// Consecutive elements of one node, as a gather or a pack may ask for.
struct View {
  NodeId node = kNoNode;  // kNoNode: not a view
  Index first = 0;
};

class Planner {
 public:
  Planner(const Graph& graph, NodeId input) : graph_(graph), input_(input) {}
  Plan run(std::span<const Expr> outputs);

 private:
  // facts about nodes
  void find_views();
  View gather_view(NodeId id) const;
  View pack_view(NodeId id) const;
  bool is_identity(NodeId id) const;
  Ref resolved(NodeId user, Ref ref) const;
  bool repeats_scalars(const Node& node) const;
  Index run_size(NodeId id) const;
  Role role(NodeId id) const;
  bool checks_blocks(const Node& node) const;
  void find_facts();
  void find_groups(const Ordering& ordering);
  // places of values
  void find_homes();
  void find_stored(std::span<const Expr> outputs);
  void keep(Ref ref);
  void place_values();
  Index new_place(Index size);
  // steps
  void add_steps(NodeId id);
  void add_listed(NodeId id, Form form);
  void add_product(NodeId id, const TallProduct& product);
  void add_check(NodeId id);
  bool is_small(NodeId id) const;
  void add_small(NodeId id);
  Step new_step(NodeId id, Form form);
  void add_row(NodeId id);
  void add_call(NodeId id);
  void add_copies(NodeId id);
  void add_copy(NodeId id, Index out, Source from, Index count);
  void push(Step step);
  Source source(NodeId user, Ref ref, Index size);
  const double* constant_value(Ref ref) const;
  void hold(Ref ref);
  Index constant_place(Ref ref);
  Index buffer_place(NodeId id);
  Source external(NodeId id);
  Source panels(const TallProduct& product);
  OperandSlot slot(Ref ref);
  OperandSlot output_slot(const Expr& output);
  Index place_of(Ref ref) const;

  const Graph& graph_;
  NodeId input_;
  Plan plan_;
  NodeFacts facts_;
  std::vector<View> views_;
  std::vector<char> stored_, skipped_;
  std::vector<std::int32_t> group_of_, step_of_;
  std::vector<Index> place_;
  std::vector<std::pair<NodeId, Index>> home_;  // the pack a scalar is computed into
  std::unordered_map<std::int64_t, Index> constant_places_;
  std::unordered_map<NodeId, Index> buffer_places_, externals_, panels_;
  std::unordered_set<NodeId> held_;
  std::shared_ptr<AlignedArray> scalars_;  // the graph's scalar constants
  Index scalar_next_ = 0, scalar_end_ = 0;
};

bool Planner::is_identity(NodeId id) const {
  const View& view = views_[at(id)];
  const Node& node = graph_.node(id);
  return view.node != kNoNode && node.op == &ops::gather && view.first == 0 &&
         graph_.operands(node)[0].whole() &&
         graph_.node(view.node).shape.size() == node.shape.size();
}

View Planner::gather_view(NodeId id) const {
  const Node& node = graph_.node(id);
  const Ref from = graph_.operands(node)[0];
  const auto& index = graph_.attributes(node).ints;
  if (graph_.is_constant(from.node) || !from.whole() || index.empty()) return {};
  for (std::size_t i = 1; i < index.size(); ++i) {
    if (index[i] != index[0] + narrow(static_cast<Index>(i))) return {};
  }
  return {from.node, index[0]};
}

View Planner::pack_view(NodeId id) const {
  const auto refs = graph_.operands(graph_.node(id));
  const Ref first = refs.empty() ? Ref{} : refs[0];
  if (refs.empty() || first.whole() || graph_.is_constant(first.node)) return {};
  for (std::size_t i = 1; i < refs.size(); ++i) {
    const Ref next{first.node, first.element + narrow(static_cast<Index>(i))};
    if (!(refs[i] == next)) return {};
  }
  return {first.node, first.element};
}

void Planner::find_views() {
  views_.resize(at(graph_.num_nodes()));
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    const Op* op = graph_.node(id).op;
    if (op == &ops::gather) views_[at(id)] = gather_view(id);
    if (op == &ops::pack) views_[at(id)] = pack_view(id);
  }
}

bool Planner::repeats_scalars(const Node& node) const {
  return (node.op->kind == OpKind::elementwise && node.op->row != nullptr) || node.op == &ops::dot;
}

// The operand that is read: an identity gather's source instead of its copy, and a scalar instead of the
// vector of its broadcast if a scalar suffices. A view reads its source.
Ref Planner::resolved(NodeId user, Ref ref) const {
  if (views_[at(user)].node != kNoNode) return {views_[at(user)].node, -1};
  for (;;) {
    const Node& node = graph_.node(ref.node);
    const bool scalar_does = !ref.whole() || repeats_scalars(graph_.node(user));
    if (is_identity(ref.node)) {
      ref.node = graph_.operands(node)[0].node;
    } else if (node.op == &ops::broadcast && scalar_does) {
      ref = graph_.operands(node)[0];
    } else {
      return ref;
    }
  }
}

// True if the result is one number, complete after its group.
bool is_sum(const Node& node) {
  return node.op == &ops::sum || node.op == &ops::dot || node.op == &ops::sum_log1p_exp;
}

Index Planner::run_size(NodeId id) const {
  const Node& node = graph_.node(id);
  const TallProduct product = tall_product(graph_, id);
  if (product.found()) return product.rows;
  const bool check = node.op->kind == OpKind::check;
  if (!is_sum(node) && node.op != &ops::scatter_add && !check) return node.shape.size();
  Index size = 1;
  for (const Ref& ref : graph_.operands(node)) {
    const Index mine = graph_.shape_of(ref).size();
    if (mine != 1) size = mine;
  }
  return size;
}

Role Planner::role(NodeId id) const {
  const Node& node = graph_.node(id);
  if (node.op->kind == OpKind::source || views_[at(id)].node != kNoNode) return Role::none;
  if (run_size(id) <= 1) return Role::scalar;
  const TallProduct product = tall_product(graph_, id);
  if (product.found()) return product.transposed ? Role::sink : Role::gather;
  if (node.op->kind == OpKind::elementwise && node.op->row != nullptr) return Role::lane_map;
  if (node.op == &ops::gather && !graph_.is_constant(graph_.operands(node)[0].node))
    return Role::gather;
  const bool has_micros = node.op != &ops::sum_log1p_exp;  // short groups run as micros
  if (!has_micros && run_size(id) <= kSmallVector) return Role::scalar;
  if (is_sum(node) || node.op == &ops::scatter_add) return Role::sink;
  return checks_blocks(node) ? Role::sink : Role::scalar;
}

// A check of a long vector can be a step of its group, so that the vector needn't be kept for it.
bool Planner::checks_blocks(const Node& node) const {
  if (node.op->check == nullptr) return false;
  const auto refs = graph_.operands(node);
  const Index size = graph_.shape_of(refs[0]).size();
  if (size <= kSmallVector || graph_.is_constant(refs[0].node)) return false;
  return refs.size() == 1 || graph_.shape_of(refs[1]).is_scalar() ||
         graph_.shape_of(refs[1]).size() == size;
}

void Planner::find_facts() {
  std::vector<char> used(at(graph_.num_nodes()), 0);
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    const Node& node = graph_.node(id);
    facts_.first_ref.push_back(narrow(ssize(facts_.refs)));
    facts_.role.push_back(role(id));
    facts_.size.push_back(narrow(run_size(id)));
    std::int32_t streams = node.op == &ops::sum_log1p_exp ? 2 : 1;  // it has twice the partial sums
    for (const Ref& operand : graph_.operands(node)) {
      const Ref ref = resolved(id, operand);
      used[at(ref.node)] = 1;
      if (graph_.is_constant(ref.node)) {
        ++streams;
      } else {
        facts_.refs.push_back(ref);
      }
    }
    facts_.num_streams.push_back(streams);
  }
  facts_.first_ref.push_back(narrow(ssize(facts_.refs)));
  skipped_.assign(used.size(), 0);
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    if (graph_.node(id).op == &ops::broadcast && !used[at(id)]) skipped_[at(id)] = 1;
  }
}

// A scalar that a pack takes is computed right there; one that two packs take, in the first.
void Planner::find_homes() {
  home_.assign(at(graph_.num_nodes()), {kNoNode, 0});
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    const Node& node = graph_.node(id);
    if (node.op != &ops::pack || views_[at(id)].node != kNoNode) continue;
    const auto refs = graph_.operands(node);
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const Ref ref = resolved(id, refs[i]);
      const Node& from = graph_.node(ref.node);
      if (!ref.whole() || from.op->kind == OpKind::source || !from.shape.is_scalar()) continue;
      if (views_[at(ref.node)].node != kNoNode || from.op == &ops::pack) continue;
      if (home_[at(ref.node)].first == kNoNode) home_[at(ref.node)] = {id, static_cast<Index>(i)};
    }
  }
}

// Stores a node that is needed outside of blocks, and the source of a view.
void Planner::keep(Ref ref) {
  while (!stored_[at(ref.node)]) {
    stored_[at(ref.node)] = 1;
    if (views_[at(ref.node)].node == kNoNode) return;
    ref.node = views_[at(ref.node)].node;
  }
}

void Planner::find_stored(std::span<const Expr> outputs) {
  stored_.assign(at(graph_.num_nodes()), 0);
  for (const Expr& output : outputs) {
    if (!output.is_constant()) skipped_[at(output.ref().node)] = 0, keep(output.ref());
  }
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    const Role mine = facts_.role[at(id)];
    if (views_[at(id)].node != kNoNode) continue;  // kept where it is read
    if (mine < Role::lane_map || mine == Role::sink || facts_.size[at(id)] <= kSmallVector)
      keep({id, -1});
    for (auto k = facts_.first_ref[at(id)]; k < facts_.first_ref[at(id) + 1]; ++k) {
      const Ref ref = facts_.refs[at(k)];
      if (group_of_[at(ref.node)] != group_of_[at(id)] || group_of_[at(id)] < 0 ||
          !reads_blocks(mine, facts_.role[at(ref.node)], ref))
        keep(ref);
    }
  }
}

Index Planner::new_place(Index size) {
  if (size == 1) {
    if (scalar_next_ == scalar_end_) {
      scalar_next_ = plan_.num_elements;
      scalar_end_ = plan_.num_elements += kScalarChunk;
    }
    return scalar_next_++;
  }
  const Index place = plan_.num_elements;
  plan_.num_elements += (size + kAlign - 1) / kAlign * kAlign;
  return place;
}

void Planner::place_values() {
  place_.assign(at(graph_.num_nodes()), kNoPlace);
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    const Node& node = graph_.node(id);
    if (node.op == &ops::pack && views_[at(id)].node == kNoNode)
      place_[at(id)] = new_place(node.shape.size());
  }
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    if (graph_.is_constant(id) || !stored_[at(id)] || skipped_[at(id)]) continue;
    const auto [pack, element] = home_[at(id)];
    const View& view = views_[at(id)];
    if (pack != kNoNode) {
      place_[at(id)] = place_[at(pack)] + element;
    } else if (view.node != kNoNode) {
      place_[at(id)] = place_[at(view.node)] + view.first;
    } else if (place_[at(id)] == kNoPlace) {
      place_[at(id)] = new_place(graph_.node(id).shape.size());
    }
  }
}

const double* Planner::constant_value(Ref ref) const {
  if (ref.node == kScalarConstants) return scalars_->data() + ref.element;
  return graph_.constant(ref.node)->data() + std::max(ref.element, 0);
}

Index Planner::constant_place(Ref ref) {
  const auto key = (std::int64_t{ref.node} << 32) | static_cast<std::uint32_t>(ref.element);
  const auto [entry, is_new] = constant_places_.try_emplace(key, 0);
  if (!is_new) return entry->second;
  entry->second = new_place(1);
  hold(ref);
  plan_.presets.push_back({narrow(entry->second), constant_value(ref), 1});
  return entry->second;
}

// The plan outlives the graph.
void Planner::hold(Ref ref) {
  if (ref.node != kScalarConstants && held_.insert(ref.node).second)
    plan_.buffers.push_back(graph_.constant(ref.node));
}

Index Planner::buffer_place(NodeId id) {
  const auto [entry, is_new] = buffer_places_.try_emplace(id, 0);
  if (!is_new) return entry->second;
  const Buffer& data = graph_.constant(id);
  hold({id, -1});
  entry->second = new_place(data->size());
  plan_.presets.push_back({narrow(entry->second), data->data(), data->size()});
  return entry->second;
}

Source Planner::external(NodeId id) {
  const auto [entry, is_new] = externals_.try_emplace(id, ssize(plan_.external));
  if (is_new) plan_.external.push_back(graph_.constant(id));
  return {narrow(entry->second), Source::external};
}

// Made once for all products with the matrix.
Source Planner::panels(const TallProduct& product) {
  const auto [entry, is_new] = panels_.try_emplace(product.matrix.node, ssize(plan_.external));
  if (is_new) plan_.external.push_back(in_panels(graph_, product));
  return {narrow(entry->second), Source::external};
}

Index Planner::place_of(Ref ref) const {
  CREDO_ASSERT(place_[at(ref.node)] != kNoPlace, "a value that is read has a place");
  return place_[at(ref.node)] + std::max(ref.element, 0);
}

// An operand of a step over `size` elements.
Source Planner::source(NodeId user, Ref operand, Index size) {
  const Ref ref = resolved(user, operand);
  const bool scalar = graph_.shape_of(ref).is_scalar();
  const auto kind = scalar && size != 1 ? Source::repeated : Source::place;
  if (graph_.is_constant(ref.node)) {
    if (scalar) return {narrow(constant_place(ref)), kind};
    if (graph_.constant(ref.node)->size() > kSmallConstant) return external(ref.node);
    return {narrow(buffer_place(ref.node)), kind};
  }
  if (ref.whole() && !stored_[at(ref.node)]) return {step_of_[at(ref.node)], Source::temporary};
  return {narrow(place_of(ref)), kind};
}

Step Planner::new_step(NodeId id, Form form) {
  const Node& node = graph_.node(id);
  Step step{.out = narrow(place_[at(id)]), .size = narrow(run_size(id)), .node = id, .form = form};
  step.num_in = static_cast<std::uint8_t>(std::min(node.num_operands, 3));
  const auto refs = graph_.operands(node);
  for (std::size_t k = 0; k < step.num_in; ++k) step.in[k] = source(id, refs[k], step.size);
  return step;
}

void Planner::push(Step step) {
  stop_if_asked();
  step_of_[at(step.node)] = narrow(ssize(plan_.steps));
  plan_.steps.push_back(step);
  plan_.rows.push_back(graph_.node(step.node).op);
  plan_.statements.push_back(graph_.node(step.node).statement);
}

void Planner::add_row(NodeId id) {
  Step step = new_step(id, Form::row);
  step.row = graph_.node(id).op->row();
  push(step);
}

OperandSlot Planner::slot(Ref ref) {
  const Shape shape = graph_.shape_of(ref);
  if (!graph_.is_constant(ref.node)) return {nullptr, place_of(ref), shape};
  hold(ref);
  return {constant_value(ref), 0, shape};
}

void Planner::add_call(NodeId id) {
  const Node& node = graph_.node(id);
  PlannedCall call;
  call.kernel = node.op->kernel();
  call.shape = node.shape;
  call.attributes = graph_.attributes(node);
  std::vector<Shape> shapes;
  for (const Ref& ref : graph_.operands(node)) {
    shapes.push_back(graph_.shape_of(ref));
    call.operands.push_back(slot(resolved(id, ref)));
    call.operands.back().shape = shapes.back();
  }
  if (node.op->scratch != nullptr)
    plan_.scratch = std::max(plan_.scratch, node.op->scratch(shapes, call.attributes));
  push({.out = narrow(std::max<Index>(place_[at(id)], 0)),
        .extra = narrow(ssize(plan_.calls)),
        .node = id,
        .form = Form::call});
  plan_.calls.push_back(std::move(call));
}

// Joins the copy with the one before it if both ranges are contiguous.
void Planner::add_copy(NodeId id, Index out, Source from, Index count) {
  if (!plan_.steps.empty()) {
    Step& last = plan_.steps.back();
    if (last.node == id && last.form == Form::copy && last.out + last.size == out &&
        last.in[0].at + last.size == from.at) {
      last.size += narrow(count);
      return;
    }
  }
  push({.in = {from}, .out = narrow(out), .size = narrow(count), .node = id, .form = Form::copy});
}

// pack and concat: only what isn't there already.
void Planner::add_copies(NodeId id) {
  Index out = place_[at(id)];
  for (const Ref& operand : graph_.operands(graph_.node(id))) {
    const Ref ref = resolved(id, operand);
    const Index size = graph_.shape_of(operand).size();
    const bool constant = graph_.is_constant(ref.node);
    if (constant) {  // constants lie there from the start
      const OperandSlot from = slot(ref);
      plan_.presets.push_back({narrow(out), from.constant, size});
    } else if (size > 0 && place_of(ref) != out) {
      add_copy(id, out, {narrow(place_of(ref)), Source::place}, size);
    }
    out += size;
  }
}

// gather and scatter_add: with an index list.
void Planner::add_listed(NodeId id, Form form) {
  const Node& node = graph_.node(id);
  Step step = new_step(id, form);
  step.extra = narrow(ssize(plan_.ints));
  step.in[1].at = narrow(node.shape.size());
  const auto& list = graph_.attributes(node).ints;
  plan_.ints.insert(plan_.ints.end(), list.begin(), list.end());
  push(step);
}

// The vector of A x is complete; that of A'x may come block by block.
void Planner::add_product(NodeId id, const TallProduct& product) {
  Step step{.out = narrow(place_[at(id)]), .size = narrow(product.rows), .node = id};
  step.form = product.transposed ? Form::transposed_product : Form::product;
  step.extra = narrow(product.cols);
  step.num_in = 2;
  step.panels = belongs_in_panels(product);
  step.in[0] = step.panels ? panels(product) : external(product.matrix.node);
  if (product.transposed) {
    step.in[1] = source(id, product.vector, product.rows);
  } else {
    step.in[1] = {narrow(place_of(resolved(id, product.vector))), Source::place};
  }
  push(step);
}

void Planner::add_check(NodeId id) {
  const Node& node = graph_.node(id);
  Step step = new_step(id, Form::check);
  step.out = 0;  // has none
  step.extra = narrow(ssize(plan_.checks));
  plan_.checks.push_back({node.op->check(), graph_.attributes(node)});
  push(step);
}

// A row with a tape function for few elements, of a vector that lies in the workspace.
bool Planner::is_small(NodeId id) const {
  const Ref from = resolved(id, graph_.operands(graph_.node(id))[0]);
  return graph_.shape_of(from).size() <= kGroup && !graph_.is_constant(from.node);
}

void Planner::add_small(NodeId id) {
  const Ref from = resolved(id, graph_.operands(graph_.node(id))[0]);
  Step step;
  step.small = graph_.node(id).op->small();
  step.in[0] = {narrow(place_of(from)), Source::place};
  step.num_in = 1;
  step.out = narrow(place_[at(id)]);
  step.size = narrow(graph_.shape_of(from).size());
  step.node = id;
  step.form = Form::small;
  push(step);
}

void Planner::add_steps(NodeId id) {
  const Node& node = graph_.node(id);
  const Op* op = node.op;
  if (skipped_[at(id)]) return;
  if (op->kind == OpKind::elementwise && op->row != nullptr) return add_row(id);
  if (op->kind == OpKind::check && facts_.role[at(id)] == Role::sink) return add_check(id);
  if (op == &ops::sum) return push(new_step(id, Form::sum));
  if (op == &ops::dot) return push(new_step(id, Form::dot));
  if (op == &ops::sum_log1p_exp && facts_.role[at(id)] == Role::sink)
    return push(new_step(id, Form::sum_log1p_exp));
  if (op == &ops::broadcast) return push(new_step(id, Form::broadcast));
  if (op == &ops::pack || op == &ops::concat) return add_copies(id);
  if (op == &ops::scatter_add && run_size(id) > 0) return add_listed(id, Form::scatter_add);
  if (op->small != nullptr && is_small(id)) return add_small(id);
  const bool moves = op == &ops::gather && run_size(id) > 0;
  if (moves && !graph_.is_constant(graph_.operands(node)[0].node))
    return add_listed(id, Form::gather);
  const TallProduct product = tall_product(graph_, id);
  if (product.found()) return add_product(id, product);
  add_call(id);
}

OperandSlot Planner::output_slot(const Expr& output) {
  if (output.is_constant()) {
    Buffer buffer = output.buffer();
    if (buffer == nullptr) {
      auto single = std::make_shared<AlignedArray>(1);
      (*single)[0] = output.value();
      buffer = single;
    }
    plan_.buffers.push_back(buffer);
    return {buffer->data(), 0, output.shape()};
  }
  return {nullptr, place_of(output.ref()), graph_.shape_of(output.ref())};
}

// Finds nodes that share a group; scalars have none.
void Planner::find_groups(const Ordering& ordering) {
  group_of_.assign(at(graph_.num_nodes()), -1);
  for (std::size_t g = 0; g < ordering.ranges.size(); ++g) {
    const auto& range = ordering.ranges[g];
    if (facts_.role[at(ordering.order[at(range.first)])] == Role::scalar) continue;
    for (Index k = range.first; k < range.last; ++k)
      group_of_[at(ordering.order[at(k)])] = narrow(static_cast<Index>(g));
  }
}

Plan Planner::run(std::span<const Expr> outputs) {
  const auto& scalars = graph_.scalar_constants();
  scalars_ = std::make_shared<AlignedArray>(ssize(scalars));
  std::copy(scalars.begin(), scalars.end(), scalars_->data());
  plan_.buffers.push_back(scalars_);
  plan_.kernels = &tape_kernels();
  find_views();
  find_facts();
  find_homes();
  const Ordering ordering = order_nodes(facts_);
  step_of_.assign(at(graph_.num_nodes()), -1);
  find_groups(ordering);
  find_stored(outputs);
  place_values();
  for (const auto& range : ordering.ranges) {
    const std::int32_t first = narrow(ssize(plan_.steps));
    for (Index k = range.first; k < range.last; ++k) add_steps(ordering.order[at(k)]);
    const bool fused = group_of_[at(ordering.order[at(range.first)])] >= 0;
    if (!fused && !plan_.groups.empty() && !plan_.groups.back().fused) {
      plan_.groups.back().last = narrow(ssize(plan_.steps));
    } else {
      plan_.groups.push_back({first, narrow(ssize(plan_.steps)), narrow(range.size), fused});
    }
  }
  plan_.input = {nullptr, place_[at(input_)], graph_.node(input_).shape};
  for (const Expr& output : outputs) plan_.outputs.push_back(output_slot(output));
  return std::move(plan_);
}
}  // namespace

Plan make_plan(const Graph& graph, NodeId input, std::span<const Expr> outputs) {
  Plan plan = Planner(graph, input).run(outputs);
  if (const std::string fault = verify(plan); !fault.empty())
    throw Error(ErrorCode::internal, "the plan of a program is wrong: " + fault);
  return plan;
}

}  // namespace credo::graph
