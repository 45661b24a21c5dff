#include "graph/factors/factors.hpp"

#include "base/error.hpp"
#include "graph/core/op.hpp"
#include "graph/core/ops.hpp"

namespace credo::graph {

// ---- what depends on what

namespace {
std::vector<std::int32_t> sites_from(Index first_site, Index size) {
  std::vector<std::int32_t> site_of(static_cast<std::size_t>(size), -1);
  for (Index k = first_site; k < size; ++k)
    site_of[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(k - first_site);
  return site_of;
}
}  // namespace

Dependence::Dependence(const Graph& graph, NodeId input, Index first_site, std::size_t widest)
    : Dependence(graph, input, sites_from(first_site, graph.node(input).shape.size()), widest) {}

Dependence::Dependence(const Graph& graph, NodeId input, std::vector<std::int32_t> site_of,
                       std::size_t widest)
    : graph_(graph), input_(input), site_of_(std::move(site_of)), widest_(widest) {
  extend();
}

bool Dependence::is_site(Ref ref) const {
  return ref.node == input_ && !ref.whole() && site_of_[static_cast<std::size_t>(ref.element)] >= 0;
}

void Dependence::extend() {
  for (auto id = static_cast<NodeId>(by_element_.size()); id < graph_.num_nodes(); ++id) add(id);
}

std::int32_t Dependence::interned(Sites sites) {
  const auto [place, is_new] =
      index_.try_emplace(std::move(sites), static_cast<std::int32_t>(sets_.size()));
  if (is_new) sets_.push_back(place->first);
  return place->second;
}

std::int32_t Dependence::joined(std::int32_t a, std::int32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const auto key = std::minmax(a, b);
  const auto known = joined_.find(key);
  if (known != joined_.end()) return known->second;
  Sites both;
  const Sites &x = sites(a), &y = sites(b);
  std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
  if (both.size() > widest_) both.resize(widest_ + 1);  // a sum over n sites doesn't cost n^2
  return joined_[key] = interned(std::move(both));
}

std::int32_t Dependence::element(NodeId id, Index k) const {
  const auto& sets = by_element_[static_cast<std::size_t>(id)];
  return sets.empty() ? 0 : sets[sets.size() == 1 ? 0 : static_cast<std::size_t>(k)];
}

std::int32_t Dependence::of(Ref ref) {
  if (!ref.whole()) return element(ref.node, ref.element);
  std::int32_t all = 0;
  for (const std::int32_t set : by_element_[static_cast<std::size_t>(ref.node)])
    all = joined(all, set);
  return all;
}

bool Dependence::only_on_sites(Ref ref) {
  extend();
  if (ref.node == input_) return is_site(ref);
  return of(ref) != 0 && on_rest_[static_cast<std::size_t>(ref.node)] == 0;
}

void Dependence::add(NodeId id) {
  const Node& node = graph_.node(id);
  bool on_rest = id == input_ && std::ranges::find(site_of_, -1) != site_of_.end();
  for (const Ref& ref : graph_.operands(node))
    on_rest = on_rest || (!is_site(ref) && on_rest_[static_cast<std::size_t>(ref.node)] != 0);
  on_rest_.push_back(on_rest);
  by_element_.push_back(sets_of(id));
  auto& sets = by_element_.back();
  if (std::all_of(sets.begin(), sets.end(), [](std::int32_t s) { return s == 0; })) sets.clear();
}

std::vector<std::int32_t> Dependence::sets_of(NodeId id) {
  const Node& node = graph_.node(id);
  const auto size = static_cast<std::size_t>(node.shape.size());
  std::vector<std::int32_t> sets(size, 0);
  if (id == input_) {
    for (std::size_t k = 0; k < size; ++k)
      if (site_of_[k] >= 0) sets[k] = interned({site_of_[k]});
    return sets;
  }
  const auto refs = graph_.operands(node);
  if (std::ranges::none_of(refs, [&](Ref ref) { return on_any(ref); })) return {};
  const auto all = [&] {
    std::int32_t set = 0;
    for (const Ref& ref : refs) set = joined(set, of(ref));
    return set;
  };
  if (node.op->kind == OpKind::check) return {all()};
  const auto at = [&](const Ref& ref, std::size_t k) { return place_of(ref, k); };
  const std::string_view row = node.op->name;
  if (node.op->kind == OpKind::elementwise) {
    for (const Ref& ref : refs) {
      for (std::size_t k = 0; k < size; ++k) sets[k] = joined(sets[k], at(ref, k));
    }
  } else if (row == "pack") {
    for (std::size_t k = 0; k < size; ++k) sets[k] = of(refs[k]);
  } else if (row == "concat") {
    std::size_t to = 0;
    for (const Ref& ref : refs) {
      const Index count = graph_.shape_of(ref).size();
      for (Index k = 0; k < count; ++k) sets[to++] = at(ref, static_cast<std::size_t>(k));
    }
  } else if (row == "gather") {
    const auto& index = graph_.attributes(node).ints;
    for (std::size_t k = 0; k < size; ++k)
      sets[k] = at(refs[0], static_cast<std::size_t>(index[k]));
  } else if (row == "take") {
    const std::int32_t source = of(refs[0]);
    for (std::size_t k = 0; k < size; ++k) sets[k] = joined(source, at(refs[1], k));
  } else if (!add_product(node, sets)) {
    sets.assign(size, all());
  }
  return sets;
}

std::int32_t Dependence::place_of(Ref ref, std::size_t k) const {
  return ref.whole() ? element(ref.node, static_cast<Index>(k)) : element(ref.node, ref.element);
}

// A constant 0 takes the other factor out, unless that isn't finite.
bool Dependence::is_known_zero(Ref ref, Index element) const {
  if (ref.node == kScalarConstants)
    return graph_.scalar_constants()[static_cast<std::size_t>(ref.element)] == 0.0;
  return graph_.is_constant(ref.node) &&
         graph_.constant(ref.node)->data()[ref.whole() ? element : ref.element] == 0.0;
}

// Products of matrices and triangular solves, element by element. False: another row, or a product of too many terms.
bool Dependence::add_product(const Node& node, std::vector<std::int32_t>& sets) {
  constexpr Index kMostTerms = 20'000'000;
  const auto& ints = graph_.attributes(node).ints;
  const auto refs = graph_.operands(node);
  if (node.op->name == "matmul") {
    const Index rows = ints[0], cols = ints[2];
    if (rows * ints[1] * cols > kMostTerms) return false;
    for (Index k = 0; k < rows * cols; ++k)
      sets[static_cast<std::size_t>(k)] = of_matmul(node, k % rows, k / rows);
    return true;
  }
  if (node.op->name != "solve_lower") return false;
  const Index n = ints[0];
  const std::int32_t factor = of(refs[0]);
  for (Index j = 0; j < ints[1]; ++j) {  // a column of the result needs that of the right side
    std::int32_t set = factor;
    for (Index i = 0; i < n; ++i)
      set = joined(set, place_of(refs[1], static_cast<std::size_t>(i + j * n)));
    std::fill_n(sets.begin() + j * n, n, set);
  }
  return true;
}

// The sites of element (i, j) of a product of matrices.
std::int32_t Dependence::of_matmul(const Node& node, Index i, Index j) {
  const auto& ints = graph_.attributes(node).ints;
  const auto refs = graph_.operands(node);
  std::int32_t set = 0;
  for (Index p = 0; p < ints[1]; ++p) {
    const Index a = ints[3] != 0 ? p + i * ints[1] : i + p * ints[0];
    const Index b = ints[4] != 0 ? j + p * ints[2] : p + j * ints[1];
    if (is_known_zero(refs[0], a) || is_known_zero(refs[1], b)) continue;
    set = joined(set, joined(place_of(refs[0], static_cast<std::size_t>(a)),
                             place_of(refs[1], static_cast<std::size_t>(b))));
  }
  return set;
}

// ---- the factors of a sum

namespace {
struct Atom {
  Expr value;   // the sum of its elements counts
  Expr factor;  // a scalar without sites

  Expr scaled() const {
    return factor.is_constant() && factor.value() == 1.0 ? value : factor * value;
  }
};

class Factoriser {
 public:
  Factoriser(Graph& graph, NodeId input, Index first_site, FactorUse use)
      : graph_(graph),
        updates_(use == FactorUse::updates),
        widest_(updates_ ? kWidestUpdate : kWidestScope),
        depends_(graph, input, first_site, widest_) {}

  Factors run(const Expr& target) {
    const Index end = graph_.num_nodes();
    expand(target, 1.0);
    for (NodeId id = 0; id < end; ++id) {
      if (graph_.node(id).op->kind == OpKind::check) state_check(id);
    }
    depends_.extend();
    for (const Atom& atom : atoms_) place(atom);
    finish_values();
    if (!states_.empty()) factors_.states = sum(pack(vector_shape(ssize(states_)), states_));
    return std::move(factors_);
  }

 private:
  std::int32_t sites_of(const Expr& e) { return e.is_constant() ? 0 : depends_.of(e.ref()); }

  // Summands of c times the sum of e's elements. Sums of recurrences are deep: a list, no
  // recursion.
  void expand(const Expr& target, const Expr& factor) {
    push(target, factor);
    while (!waiting_.empty()) {
      const Atom atom = waiting_.back();
      waiting_.pop_back();
      if (sites_of(atom.value) == 0) {
        factors_.rest = factors_.rest + atom.factor * sum(atom.value);
      } else if (!atom.value.ref().whole() || !expand_row(atom.value, atom.factor)) {
        atoms_.push_back(atom);
      }
    }
  }
  void push(const Expr& e, const Expr& c) { waiting_.push_back({e, c}); }

  Expr operand(Ref ref) { return {graph_, ref}; }

  bool expand_row(const Expr& e, const Expr& c) {
    const Node node = graph_.node(e.ref().node);
    const std::vector<Ref> refs(graph_.operands(node).begin(), graph_.operands(node).end());
    const std::string_view row = node.op->name;
    const auto size = static_cast<double>(node.shape.size());
    const auto times = [&](const Expr& x) { return x.size() == 1 ? size : 1.0; };
    if (row == "add" || row == "sub") {
      const Expr a = operand(refs[0]), b = operand(refs[1]);
      push(a, c * times(a));
      push(b, (row == "add" ? c : -c) * times(b));
    } else if (row == "neg") {
      push(operand(refs[0]), -c);
    } else if (row == "sum") {
      push(operand(refs[0]), c);
    } else if (row == "pack" || row == "concat") {
      for (const Ref& ref : refs) push(operand(ref), c);
    } else if (row == "broadcast") {
      push(operand(refs[0]), c * size);
    } else if (row == "dot") {
      atoms_.push_back({operand(refs[0]) * operand(refs[1]), c});
    } else if (row == "mul") {
      return expand_product(refs, c, size);
    } else if (row == "div" && updates_ && coefficient_of(refs[1])) {
      const Expr a = operand(refs[0]);
      push(a, c * times(a) / *coefficient_of(refs[1]));
    } else {
      return false;
    }
    return true;
  }

  bool expand_product(std::span<const Ref> refs, const Expr& c, double size) {
    for (std::size_t k = 0; k < 2; ++k) {
      const std::optional<Expr> coefficient = coefficient_of(refs[k]);
      if (!coefficient) continue;
      const Expr other = operand(refs[1 - k]);
      push(other, c * *coefficient * (other.size() == 1 ? size : 1.0));
      return true;
    }
    return false;
  }
  // A constant; for updates any scalar without sites.
  std::optional<Expr> coefficient_of(Ref ref) {
    if (ref.node == kScalarConstants)
      return graph_.scalar_constants()[static_cast<std::size_t>(ref.element)];
    const Expr e = operand(ref);
    if (!updates_ || !e.is_scalar() || sites_of(e) != 0) return std::nullopt;
    return e;
  }

  // A check that depends on sites: 0 where it holds, else -infinity.
  void state_check(NodeId id) {
    const Node node = graph_.node(id);
    const std::vector<Ref> refs(graph_.operands(node).begin(), graph_.operands(node).end());
    if (updates_ ? depends_.of({id, -1}) == 0 : !depends_.only_on_sites({id, -1})) return;
    const Expr x = operand(refs[0]), bound = refs.size() > 1 ? operand(refs[1]) : Expr(0.0);
    const std::string_view row = node.op->name;
    const Expr holds = row == "check_greater"         ? less(bound, x)
                       : row == "check_greater_equal" ? less_equal(bound, x)
                       : row == "check_less"          ? less(x, bound)
                       : row == "check_less_equal"    ? less_equal(x, bound)
                       : row == "check_finite"        ? less(abs(x), kInfinity)
                                                      : equal(x, x);
    atoms_.push_back({select(holds, 0.0, -kInfinity), 1.0});
    states_.push_back(sum(atoms_.back().value));
  }

  bool is_wide(std::int32_t set) const { return depends_.sites(set).size() > widest_; }
  void place(const Atom& atom);
  void place_elements(const Atom& atom);
  Expr part(const Expr& values, std::vector<std::int32_t> index);
  void finish_values();
  std::int32_t factor_of(std::int32_t set, const Expr& value);

  Graph& graph_;
  bool updates_;
  std::size_t widest_;
  Dependence depends_;
  std::vector<Atom> atoms_, waiting_;
  Factors factors_;
  std::map<std::int32_t, std::int32_t> factor_index_;  // set -> factor
  std::vector<Expr> scalars_, vectors_;                // summands of factors
  std::vector<Expr> states_;                           // checks
  std::vector<std::int32_t> scalar_factors_;
  std::vector<std::vector<std::int32_t>> vector_factors_;
};

std::int32_t Factoriser::factor_of(std::int32_t set, const Expr& value) {
  const auto [place, is_new] =
      factor_index_.try_emplace(set, static_cast<std::int32_t>(factors_.scopes.size()));
  if (is_new) factors_.scopes.push_back(depends_.sites(set));
  if (is_wide(set) && factors_.too_wide == 0)
    factors_.too_wide = std::max(graph_.node(value.ref().node).statement, 1);
  return place->second;
}

void Factoriser::place(const Atom& atom) {
  if (!atom.value.is_scalar()) return place_elements(atom);
  const std::int32_t set = depends_.of(atom.value.ref());
  if (updates_ && is_wide(set)) {
    factors_.wide = factors_.wide + atom.scaled();
  } else {
    scalars_.push_back(atom.scaled());
    scalar_factors_.push_back(factor_of(set, atom.value));
  }
}

void Factoriser::place_elements(const Atom& atom) {
  std::vector<std::int32_t> with, without, wide, factors;
  for (Index k = 0; k < atom.value.size(); ++k) {
    const auto element = static_cast<std::int32_t>(k);
    const std::int32_t set = depends_.of({atom.value.ref().node, element});
    const bool apart = updates_ && is_wide(set);
    (set == 0 ? without : apart ? wide : with).push_back(element);
    if (set != 0 && !apart) factors.push_back(factor_of(set, atom.value));
  }
  const Expr scaled = atom.scaled();
  if (!without.empty()) factors_.rest = factors_.rest + sum(part(scaled, std::move(without)));
  if (!wide.empty()) factors_.wide = factors_.wide + sum(part(scaled, std::move(wide)));
  if (with.empty()) return;
  vectors_.push_back(part(scaled, std::move(with)));
  vector_factors_.push_back(std::move(factors));
}

Expr Factoriser::part(const Expr& values, std::vector<std::int32_t> index) {
  const Shape shape = vector_shape(ssize(index));
  return ssize(index) == values.size() ? values.reshaped(shape)
                                       : gather(shape, values, std::move(index));
}

void Factoriser::finish_values() {
  if (factors_.scopes.empty()) return;
  if (!scalars_.empty()) {
    vectors_.push_back(pack(vector_shape(ssize(scalars_)), scalars_));
    vector_factors_.push_back(scalar_factors_);
  }
  const Shape shape = vector_shape(ssize(factors_.scopes));
  for (std::size_t k = 0; k < vectors_.size(); ++k) {
    const Expr part = scatter_add(shape, vectors_[k], std::move(vector_factors_[k]));
    factors_.values = factors_.values.empty() ? part : factors_.values + part;
  }
}
}  // namespace

Factors factorise(Graph& graph, const Expr& target, NodeId input, Index first_site, FactorUse use) {
  return Factoriser(graph, input, first_site, use).run(target);
}

// ---- with numbers for the sites

namespace {
bool is_zero(const Expr& x) {
  if (!x.is_constant()) return false;
  const auto values = x.values();
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0.0; });
}

// 0 times anything: a state that switches a term off doesn't depend on it, in its derivative
// neither (`y ~ bernoulli(occupied * p)` has no slope in p for a site that isn't occupied).
bool is_switched_off(const Node& node, std::span<const Expr> in) {
  return node.op->name == "mul" && (is_zero(in[0]) || is_zero(in[1]));
}
}  // namespace

Substitution::Substitution(const Traced& from, Index input_size)
    : from_(from), rebuild_(*from.graph), input_size_(input_size) {
  input_ = to().add_input(vector_shape(input_size));
  Dependence depends(*from.graph, from.input, input_size);
  for (NodeId id = 0; id < from.graph->num_nodes(); ++id)
    on_sites_.push_back(depends.only_on_sites({id, -1}));
}

void Substitution::set(std::span<const double> known, bool with_checks) {
  const Graph& graph = *from_.graph;
  known_.assign(known.begin(), known.end());
  values_.assign(static_cast<std::size_t>(graph.num_nodes()), Expr());
  std::vector<Expr> in;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (id == kScalarConstants || id == from_.input || graph.is_constant(id)) continue;
    to().statement = node.statement;
    in.clear();
    for (const Ref& ref : graph.operands(node)) in.push_back(operand(ref));
    const auto k = static_cast<std::size_t>(id);
    if (node.op->kind != OpKind::check) {
      values_[k] = substituted(node, in).reshaped(node.shape);
    } else if (with_checks && on_sites_[k] == 0) {
      add_check(node, in);
    }
  }
}

Expr Substitution::once(const Op& op, Shape shape, std::span<const Expr> in,
                        const Attributes& attributes) {
  std::vector<Ref> refs;
  for (const Expr& e : in) refs.push_back(e.ref_in(to()));
  return {to(), {rebuild_.add_once(op, shape, refs, attributes), -1}};
}

Expr Substitution::substituted(const Node& node, std::span<const Expr> in) {
  const Attributes& attributes = from_.graph->attributes(node);
  if (is_switched_off(node, in)) return fill(node.shape, 0.0);
  const bool known =
      std::all_of(in.begin(), in.end(), [](const Expr& e) { return e.is_constant(); });
  if (known) return apply(*node.op, in, attributes);
  if (node.op->name != "take" || !in[1].is_constant())
    return once(*node.op, node.shape, in, attributes);
  std::vector<std::int32_t> index;
  for (const double place : in[1].values()) {
    if (!(place >= 0.0 && place < static_cast<double>(in[0].size()) && place == std::floor(place)))
      return once(*node.op, node.shape, in, attributes);
    index.push_back(static_cast<std::int32_t>(place));
  }
  if (node.shape.is_scalar()) return in[0].element(index[0]);
  return once(ops::gather, node.shape, in.first(1),
              {std::move(index),
               {double(node.shape.batch), double(node.shape.rows), double(node.shape.cols)}});
}

// Adds a check unless another state has already added an equal check of the same values.
void Substitution::add_check(const Node& node, std::span<const Expr> in) {
  const Attributes& attributes = from_.graph->attributes(node);
  std::vector<std::int32_t> key{attributes.ints.empty() ? 0 : attributes.ints[0]};
  for (const char letter : node.op->name) key.push_back(letter);
  std::vector<Ref> refs;
  for (const Expr& e : in) {
    refs.push_back(e.ref_in(to()));
    key.push_back(refs.back().node), key.push_back(refs.back().element);
  }
  if (!checks_.insert(std::move(key)).second) return;
  to().add(*node.op, node.shape, refs, to().add_attributes(attributes));
}

Expr Substitution::operand(Ref ref) const {
  const Graph& graph = *from_.graph;
  if (ref.node == kScalarConstants)
    return graph.scalar_constants()[static_cast<std::size_t>(ref.element)];
  const bool is_one = input_size_ + ssize(known_) == 1;  // its element is the whole
  if (ref.node == from_.input && (is_one || !ref.whole())) {
    const Index k = ref.whole() ? 0 : ref.element;
    return k < input_size_ ? Expr(to_graph_, {input_, static_cast<std::int32_t>(k)})
                           : Expr(known_[static_cast<std::size_t>(k - input_size_)]);
  }
  // Only gathers of unconstrained values take the input as a whole, and they find them in the new one.
  if (ref.node == from_.input) return {to_graph_, {input_, -1}};
  const Expr whole = graph.is_constant(ref.node)
                         ? Expr(graph.node(ref.node).shape, graph.constant(ref.node))
                         : values_[static_cast<std::size_t>(ref.node)];
  if (ref.whole()) return whole;
  return whole.is_constant() ? Expr(whole.value(ref.element)) : whole.element(ref.element);
}

Expr Substitution::operator()(const Expr& of_from) const {
  return of_from.is_constant() ? of_from : operand(of_from.ref()).reshaped(of_from.shape());
}

Traced Substitution::finish(std::vector<Expr> outputs) {
  return {.graph = rebuild_.release(), .input = input_, .outputs = std::move(outputs)};
}

}  // namespace credo::graph
