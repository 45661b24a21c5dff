#include "graph/moments/moment_walk.hpp"

#include <fmt/format.h>

namespace credo::graph {

namespace {
// The operands of a node with this row; none if it has another one.
std::span<const Ref> operands_of(const Graph& graph, Ref ref, std::string_view op) {
  if (ref.node == kScalarConstants || graph.is_constant(ref.node) || !ref.whole()) return {};
  const Node& node = graph.node(ref.node);
  return node.op->name == op ? graph.operands(node) : std::span<const Ref>();
}

// w exp(min(x - m, 700)): w and x.
std::optional<std::pair<Ref, Ref>> weighted_exp(const Graph& graph, Ref ref, Ref m) {
  const auto product = operands_of(graph, ref, "mul");
  if (product.empty()) return std::nullopt;
  const auto exponential = operands_of(graph, product[1], "exp");
  if (exponential.empty()) return std::nullopt;
  const auto least = operands_of(graph, exponential[0], "fmin");
  if (least.empty()) return std::nullopt;
  const auto difference = operands_of(graph, least[0], "sub");
  if (difference.empty() || difference[1] != m) return std::nullopt;
  return std::pair{product[0], difference[0]};
}
}  // namespace

std::optional<LogMix> log_mix_at(const Graph& graph, NodeId id) {
  const auto sum = operands_of(graph, {id, -1}, "add");
  if (sum.empty()) return std::nullopt;
  const auto chosen = operands_of(graph, sum[0], "select"),
             logarithm = operands_of(graph, sum[1], "log");
  if (chosen.empty() || logarithm.empty()) return std::nullopt;
  const auto mixture = operands_of(graph, logarithm[0], "add");
  if (mixture.empty()) return std::nullopt;
  const auto first = weighted_exp(graph, mixture[0], sum[0]),
             second = weighted_exp(graph, mixture[1], sum[0]);
  if (!first || !second || first->second != chosen[1] || second->second != chosen[2])
    return std::nullopt;
  return LogMix{first->first, first->second, second->first, second->second};
}

MomentWalk::MomentWalk(const Graph& graph, NodeId input, std::span<const CoordinateGroup> groups,
                       Expectations& expectations)
    : graph_(graph),
      input_(input),
      groups_(groups),
      expectations_(expectations),
      is_needed_(static_cast<std::size_t>(graph.num_nodes()), 0),
      values_(static_cast<std::size_t>(graph.num_nodes())) {}

std::int32_t MomentWalk::group_of(Index coordinate) const {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (coordinate >= groups_[g].first && coordinate < groups_[g].first + groups_[g].size)
      return static_cast<std::int32_t>(g);
  throw NoMoments{"reads an element of no parameter"};
}

// Coordinates of one group; a whole number is the sum of its values times indicators.
MomentSum MomentWalk::coordinates(std::vector<std::int32_t> at, std::int32_t statement) const {
  const std::int32_t number = group_of(at[0]);
  const CoordinateGroup& group = groups_[static_cast<std::size_t>(number)];
  const Coordinates shared = coordinates_of(std::move(at));
  const auto term = [&](double coefficient, Atom atom) {
    return MomentTerm{.coefficient = {coefficient},
                      .factors = {{.group = number, .atom = atom, .at = shared}},
                      .statement = statement};
  };
  if (!group.is_whole) return term(1.0, {});
  MomentSum sum;
  for (double s = group.lower; s <= group.upper; s += 1.0) sum.add(term(s, {AtomKind::one_hot, s}));
  return sum;
}

// Elements of one group are a vector, those of several groups a list.
MomentValue MomentWalk::input_elements(std::span<const std::int32_t> index,
                                       const Node& node) const {
  const CoordinateGroup& first = groups_[static_cast<std::size_t>(group_of(index[0]))];
  const bool is_one_group = std::ranges::all_of(
      index, [&](std::int32_t i) { return i >= first.first && i < first.first + first.size; });
  if (is_one_group)
    return {.shape = node.shape, .sum = coordinates({index.begin(), index.end()}, node.statement)};
  MomentValue list{.shape = node.shape};
  for (const std::int32_t i : index)
    list.elements.push_back({.shape = {}, .sum = coordinates({i}, node.statement)});
  return list;
}

MomentValue MomentWalk::operand(Ref ref) const {
  if (ref.node == kScalarConstants)
    return constant_value({}, {graph_.scalar_constants()[static_cast<std::size_t>(ref.element)]});
  if (graph_.is_constant(ref.node)) {
    const auto& values = *graph_.constant(ref.node);
    const auto size = static_cast<std::size_t>(graph_.node(ref.node).shape.size());
    if (!ref.whole()) return constant_value({}, {values.data()[ref.element]});
    return constant_value(graph_.node(ref.node).shape, {values.data(), values.data() + size});
  }
  if (ref.node == input_) {
    std::vector<std::int32_t> index{ref.element};
    if (ref.whole()) {
      index.resize(static_cast<std::size_t>(graph_.node(input_).shape.size()));
      std::iota(index.begin(), index.end(), 0);
    }
    Node node = graph_.node(input_);
    if (!ref.whole()) node.shape = {};
    return input_elements(index, node);
  }
  const MomentValue& value = *values_[static_cast<std::size_t>(ref.node)];
  if (ref.whole()) return value;
  return elements_of(value, std::array{ref.element}, Shape{});
}

// An operation of constants.
std::optional<MomentValue> MomentWalk::folded(const Node& node,
                                              std::span<const MomentValue* const> in) const {
  std::vector<Expr> operands;
  for (const MomentValue* value : in) {
    const auto constant = value->constant();
    if (!constant) return std::nullopt;
    operands.push_back(value->size() == 1      ? Expr(constant->front())
                       : constant->size() == 1 ? fill(value->shape, constant->front())
                                               : graph::constant(value->shape, *constant));
  }
  const Attributes attributes = node.attributes < 0 ? Attributes{} : graph_.attributes(node);
  const Expr result = apply(*node.op, std::span<const Expr>(operands), attributes);
  std::vector<double> values;
  for (Index i = 0; i < result.size(); ++i) values.push_back(result.value(i));
  return constant_value(node.shape, std::move(values));
}

MomentValue MomentWalk::mixed(const LogMix& mix, const Node& node) const {
  const auto alternative = [&](Ref weight, Ref density) {
    MomentValue log = operand(weight);
    log.sum = log_of(log.sum);
    return plus(log, operand(density));
  };
  const MomentValue a = alternative(mix.t, mix.a), b = alternative(mix.u, mix.b);
  const std::array<const MomentValue*, 2> in{&a, &b};
  return find_moment_rule("log_sum_exp")->apply({node, nullptr, in, expectations_});
}

MomentValue MomentWalk::applied(NodeId id) const {
  const Node& node = graph_.node(id);
  if (const auto mix = log_mix_at(graph_, id)) return mixed(*mix, node);
  const auto refs = graph_.operands(node);
  if (node.op->name == "gather" && refs[0] == Ref{input_, -1})
    return input_elements(graph_.attributes(node).ints, node);
  std::vector<MomentValue> in;
  for (const Ref& ref : refs) in.push_back(operand(ref));
  std::vector<const MomentValue*> pointers;
  for (const MomentValue& value : in) pointers.push_back(&value);
  if (auto value = folded(node, pointers)) return *value;
  if (auto value = value_by_bounds(*node.op, node.shape, pointers, groups_)) return *value;
  const MomentRule* rule = find_moment_rule(node.op->name);
  if (rule == nullptr || !rule->is_polynomial)
    if (auto value = value_by_states(*node.op, node.shape, pointers, groups_)) return *value;
  if (rule == nullptr)
    throw NoMoments{fmt::format("applies {} to parameters", node.op->name),
                    "no exponential family has this function; use --method normal"};
  return rule->apply({.node = node,
                      .attributes = node.attributes < 0 ? nullptr : &graph_.attributes(node),
                      .in = pointers,
                      .expectations = expectations_});
}

void MomentWalk::mark(NodeId last) {
  is_needed_[static_cast<std::size_t>(last)] = 1;
  for (NodeId id = last; id >= 0; --id) {
    if (is_needed_[static_cast<std::size_t>(id)] == 0) continue;
    if (const auto mix = log_mix_at(graph_, id)) {
      for (const Ref& ref : {mix->t, mix->a, mix->u, mix->b})
        is_needed_[static_cast<std::size_t>(ref.node)] = 1;
      continue;
    }
    for (const Ref& ref : graph_.operands(graph_.node(id)))
      is_needed_[static_cast<std::size_t>(ref.node)] = 1;
  }
}

void MomentWalk::visit(NodeId id) {
  const auto k = static_cast<std::size_t>(id);
  const bool is_source = id == input_ || id == kScalarConstants || graph_.is_constant(id);
  if (is_needed_[k] == 0 || is_source || values_[k] != nullptr) return;
  try {
    MomentValue value = applied(id);
    value.shape = graph_.node(id).shape;
    if (graph_.node(id).statement > 0) {
      value.sum.set_statement(graph_.node(id).statement);
      for (LogSum& sum : value.log_sums)
        for (MomentSum& one : sum.alternatives) one.set_statement(graph_.node(id).statement);
    }
    values_[k] = std::make_unique<MomentValue>(std::move(value));
  } catch (NoMoments& refused) {
    if (refused.statement == 0) refused.statement = graph_.node(id).statement;
    throw;
  }
}

MomentValue MomentWalk::value(const Expr& of) {
  if (of.is_constant()) {
    if (of.is_scalar()) return constant_value({}, {of.value()});
    return constant_value(of.shape(), {of.values().begin(), of.values().end()});
  }
  if (values_[static_cast<std::size_t>(of.ref().node)] != nullptr) return operand(of.ref());
  mark(of.ref().node);
  for (NodeId id = 0; id <= of.ref().node; ++id) visit(id);
  return operand(of.ref());
}

}  // namespace credo::graph
