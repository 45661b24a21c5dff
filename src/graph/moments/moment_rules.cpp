// Values of operations whose operands are sums of products: a row each.
#include <fmt/format.h>

#include "graph/moments/moment_value.hpp"

namespace credo::graph {
namespace {

MomentValue negated(const MomentValue& a) { return scaled_by(a, std::array{-1.0}); }

// A function of a sum of products, element by element.
template <class Function>
MomentValue mapped(const MomentValue& a, Function function) {
  if (a.root != nullptr) throw NoMoments{"applies a function to a Cholesky factor"};
  if (a.is_list()) {
    MomentValue result{.shape = a.shape};
    for (const MomentValue& element : a.elements)
      result.elements.push_back(mapped(element, function));
    return result;
  }
  if (a.has_bound()) throw NoMoments{"applies a function to log_sum_exp or log_mix"};
  return {.shape = a.shape, .sum = function(a.sum)};
}

MomentValue add_rule(const MomentCall& call) { return plus(*call.in[0], *call.in[1]); }
MomentValue sub_rule(const MomentCall& call) { return plus(*call.in[0], negated(*call.in[1])); }
MomentValue neg_rule(const MomentCall& call) { return negated(*call.in[0]); }
MomentValue mul_rule(const MomentCall& call) { return product_of(*call.in[0], *call.in[1]); }
MomentValue inverse_of(const MomentValue& a) {
  return mapped(a, [](const MomentSum& x) { return power_of(x, -1.0); });
}
MomentValue div_rule(const MomentCall& call) {
  return product_of(*call.in[0], inverse_of(*call.in[1]));
}
MomentValue square_rule(const MomentCall& call) {
  const MomentValue& a = *call.in[0];
  if (a.root == nullptr || a.root->form != MatrixRoot::Form::residuals) return product_of(a, a);
  auto squares = std::make_shared<MatrixRoot>(*a.root);
  squares->form = MatrixRoot::Form::squares;
  return {.shape = a.shape, .root = squares};
}
MomentValue sqrt_rule(const MomentCall& call) {
  return mapped(*call.in[0], [](const MomentSum& x) { return power_of(x, 0.5); });
}
MomentValue pow_rule(const MomentCall& call) {
  const auto exponent = call.in[1]->constant();
  if (!exponent) throw NoMoments{"has a parameter as an exponent"};
  for (const double e : *exponent)
    if (e != exponent->front()) throw NoMoments{"has exponents that differ by element"};
  return mapped(*call.in[0], [&](const MomentSum& x) { return power_of(x, exponent->front()); });
}
MomentValue log_rule(const MomentCall& call) {
  const MomentValue& a = *call.in[0];
  if (a.root == nullptr || a.root->form != MatrixRoot::Form::diagonal) return mapped(a, log_of);
  auto logs = std::make_shared<MatrixRoot>(*a.root);
  logs->form = MatrixRoot::Form::log_diagonal;
  return {.shape = a.shape, .root = logs};
}
MomentValue log1p_rule(const MomentCall& call) {
  return mapped(*call.in[0], [](const MomentSum& x) {
    MomentSum whole(MomentTerm{});
    whole.add(x);
    return log_of(whole);
  });
}
MomentValue exp_rule(const MomentCall& call) { return mapped(*call.in[0], exp_of); }
// a log(b); nothing where a is 0.
MomentValue multiply_log_rule(const MomentCall& call) {
  return product_of(*call.in[0], mapped(*call.in[1], log_of));
}

// ---- logs of sums of exponentials

MomentValue bound_value(const Expr& bound, Shape shape) { return {.shape = shape, .bound = bound}; }

// Adds the alternatives of one operand of log_sum_exp; those of a log_sum_exp in it take its place. False if it isn't a sum of products,
// nor a log_sum_exp of such sums.
bool add_alternatives(const MomentValue& value, std::vector<MomentSum>& alternatives) {
  if (value.is_plain()) {
    alternatives.push_back(value.sum);
    return true;
  }
  const bool is_log_sum = !value.is_list() && value.bound.empty() && value.root == nullptr &&
                          value.sum.empty() && value.log_sums.size() == 1;
  if (!is_log_sum) return false;
  const LogSum& inner = value.log_sums[0];
  if (inner.is_total || inner.weights != std::vector{1.0}) return false;
  alternatives.insert(alternatives.end(), inner.alternatives.begin(), inner.alternatives.end());
  return true;
}

// Rows that wait for others of their form.
std::optional<MomentValue> waiting(std::span<const MomentValue> values, Shape shape) {
  LogSum sum{.alternatives = {}, .rows = shape.size()};
  for (const MomentValue& value : values)
    if (!add_alternatives(value, sum.alternatives)) return std::nullopt;
  constexpr std::size_t kMostSummands = 200;
  if (shape.is_scalar())
    for (MomentSum& x : sum.alternatives) x = expanded(x, kMostSummands);
  return MomentValue{.shape = shape, .log_sums = {std::move(sum)}};
}

MomentValue log_sum_exp_rule(const MomentCall& call) {
  const MomentValue &a = *call.in[0], &b = *call.in[1];
  if (call.expectations.is_linear)
    return plus(scaled_by(a, std::array{0.4}), scaled_by(b, std::array{0.6}));
  if (auto rows = waiting(std::array{a, b}, call.node.shape)) return *rows;
  call.expectations.has_nested = true;
  return bound_value(
      log_sum_exp(expectation_of(a, call.expectations), expectation_of(b, call.expectations)),
      call.node.shape);
}

std::vector<MomentValue> scalars_of(const MomentValue& a) {
  if (a.is_list()) return a.elements;
  std::vector<MomentValue> all;
  for (Index k = 0; k < a.size(); ++k) {
    const auto place = static_cast<std::int32_t>(k);
    all.push_back(a.size() == 1 ? a : elements_of(a, std::array{place}, Shape{}));
  }
  return all;
}

MomentValue log_sum_exp_all_rule(const MomentCall& call) {
  const MomentValue& a = *call.in[0];
  if (call.expectations.is_linear) {
    std::vector<double> weights;
    const auto n = static_cast<double>(a.size());
    for (double k = 1.0; k <= n; k += 1.0) weights.push_back(2.0 * k / (n * (n + 1.0)));
    return total_of(scaled_by(a, weights));
  }
  if (auto row = waiting(scalars_of(a), {})) return *row;
  call.expectations.has_nested = true;
  return bound_value(log_sum_exp(expectation_of(a, call.expectations)), {});
}

MomentValue log1p_exp_rule(const MomentCall& call) {
  const MomentValue& a = *call.in[0];
  if (call.expectations.is_linear) return scaled_by(a, std::array{0.6});
  return bound_value(log1p_exp(expectation_of(a, call.expectations)), call.node.shape);
}

// ---- sums and moves

MomentValue sum_rule(const MomentCall& call) {
  const MomentValue& a = *call.in[0];
  if (a.root == nullptr) return total_of(a);
  const MatrixRoot& root = *a.root;
  if (root.form == MatrixRoot::Form::log_diagonal)
    return log_determinant(root, call.node.statement);
  if (root.form != MatrixRoot::Form::squares) throw NoMoments{"sums elements of a Cholesky factor"};
  return quadratic_forms(root, FormOf::all, call.node.statement);
}

MomentValue dot_rule(const MomentCall& call) {
  return total_of(product_of(*call.in[0], *call.in[1]));
}

MomentValue gather_rule(const MomentCall& call) {
  return elements_of(*call.in[0], call.attributes->ints, call.node.shape);
}

MomentValue broadcast_rule(const MomentCall& call) {
  MomentValue result = with_shape(*call.in[0], call.node.shape);
  return result;
}

MomentValue list_of(std::span<const MomentValue* const> parts, Shape shape) {
  MomentValue result{.shape = shape};
  for (const MomentValue* part : parts)
    for (Index i = 0; i < part->size(); ++i) {
      const auto at = static_cast<std::int32_t>(i);
      result.elements.push_back(part->size() == 1 ? with_shape(*part, {})
                                                  : elements_of(*part, std::array{at}, Shape{}));
    }
  return result;
}

bool is_of_form(const MomentValue& value, const MomentValue& first) {
  if (!value.is_plain() || value.sum.terms().size() != first.sum.terms().size()) return false;
  for (std::size_t t = 0; t < value.sum.terms().size(); ++t) {
    const MomentTerm &a = value.sum.terms()[t], &b = first.sum.terms()[t];
    const auto is_alike = [](const MomentFactor& f, const MomentFactor& g) {
      return f.group == g.group && f.atom == g.atom && f.weights == nullptr &&
             g.weights == nullptr && f.at->size() == 1 && g.at->size() == 1;
    };
    if (a.is_summed || b.is_summed || a.factors.empty() ||
        !std::ranges::equal(a.factors, b.factors, is_alike))
      return false;
  }
  return true;
}

// Scalars of one form, each a few products of single coordinates, as a vector; else the list.
MomentValue as_vector(MomentValue list) {
  const MomentValue& first = list.elements.front();
  if (list.size() < 2 || first.sum.empty() ||
      !std::ranges::all_of(list.elements,
                           [&](const MomentValue& x) { return is_of_form(x, first); }))
    return list;
  MomentValue result{.shape = list.shape};
  for (std::size_t t = 0; t < first.sum.terms().size(); ++t) {
    MomentTerm term = first.sum.terms()[t];
    term.coefficient.clear();
    for (const MomentValue& x : list.elements)
      term.coefficient.push_back(x.sum.terms()[t].coefficient[0]);
    if (std::ranges::all_of(term.coefficient, [&](double c) { return c == term.coefficient[0]; }))
      term.coefficient.resize(1);
    for (std::size_t k = 0; k < term.factors.size(); ++k) {
      std::vector<std::int32_t> at;
      for (const MomentValue& x : list.elements)
        at.push_back(x.sum.terms()[t].factors[k].at->front());
      term.factors[k].at = coordinates_of(std::move(at));
    }
    result.sum.add(std::move(term));
  }
  return result;
}

// Constants become one constant; else a list of the elements.
MomentValue pack_rule(const MomentCall& call) {
  std::vector<double> known;
  for (const MomentValue* part : call.in) {
    const auto constant = part->constant();
    if (!constant) return as_vector(list_of(call.in, call.node.shape));
    for (Index i = 0; i < part->size(); ++i)
      known.push_back((*constant)[constant->size() == 1 ? 0 : static_cast<std::size_t>(i)]);
  }
  return constant_value(call.node.shape, std::move(known));
}

// The elements that go to one place are added: those that come first there, then the second ones, ...
MomentValue scatter_add_rule(const MomentCall& call) {
  const auto& index = call.attributes->ints;
  const MomentValue& a = *call.in[0];
  const auto size = static_cast<std::size_t>(call.node.shape.size());
  std::vector<std::vector<std::int32_t>> layers;
  std::vector<std::size_t> depth(size, 0);
  for (std::size_t k = 0; k < index.size(); ++k) {
    const auto to = static_cast<std::size_t>(index[k]);
    if (depth[to] == layers.size()) layers.emplace_back(size, -1);
    layers[depth[to]++][to] = static_cast<std::int32_t>(k);
  }
  MomentValue result = constant_value(call.node.shape, {0.0});
  for (std::vector<std::int32_t>& layer : layers) {
    std::vector<double> is_there;
    for (std::int32_t& from : layer) {
      is_there.push_back(from < 0 ? 0.0 : 1.0);
      from = std::max(from, 0);
    }
    const bool all = std::ranges::all_of(is_there, [](double x) { return x == 1.0; });
    const MomentValue moved = elements_of(a, layer, call.node.shape);
    result =
        plus(result, all ? moved : product_of(moved, constant_value(call.node.shape, is_there)));
  }
  return result;
}

// Elements of a or b by a constant condition.
MomentValue chosen(std::span<const double> condition, const MomentValue& a, const MomentValue& b,
                   Shape shape) {
  const auto is_zero = [](double c) { return c == 0.0; };
  if (std::ranges::none_of(condition, is_zero)) return with_shape(a, shape);
  if (std::ranges::all_of(condition, is_zero)) return with_shape(b, shape);
  if (a.root != nullptr && b.constant() == std::vector{0.0}) {  // the lower triangle of a factor
    const Index side = shape.rows;
    for (Index k = 0; k < ssize(condition); ++k)
      if (k % side >= k / side && is_zero(condition[static_cast<std::size_t>(k)]))
        throw NoMoments{"uses a part of a Cholesky factor"};
    return with_shape(a, shape);
  }
  std::vector<double> other;
  for (const double c : condition) other.push_back(is_zero(c) ? 1.0 : 0.0);
  const auto masked = [&](const MomentValue& x, std::span<const double> mask) {
    if (const auto constant = x.constant()) {  // it may be infinite where it isn't chosen
      std::vector<double> values;
      for (std::size_t i = 0; i < mask.size(); ++i)
        values.push_back(is_zero(mask[i]) ? 0.0 : (*constant)[constant->size() == 1 ? 0 : i]);
      return constant_value(shape, std::move(values));
    }
    return product_of(x, constant_value(shape, {mask.begin(), mask.end()}));
  };
  return plus(masked(a, condition), masked(b, other));
}

// By indicators: the condition is 1 or 0, so c a + (1 - c) b.
MomentValue select_rule(const MomentCall& call) {
  const MomentValue &condition = *call.in[0], &a = *call.in[1], &b = *call.in[2];
  if (const auto constant = condition.constant()) {
    std::vector<double> all = *constant;
    if (ssize(all) < call.node.shape.size())
      all.assign(static_cast<std::size_t>(call.node.shape.size()), all[0]);
    return chosen(all, a, b, call.node.shape);
  }
  for (const MomentTerm& term : condition.sum.terms())
    for (const MomentFactor& f : term.factors)
      if (f.atom.kind != AtomKind::one_hot) throw NoMoments{"decides by the value of a parameter"};
  const MomentValue other = plus(constant_value({}, {1.0}), negated(condition));
  return plus(product_of(condition, a), product_of(other, b));
}

// A place that depends on whole numbers: the sum over their values of indicators times the elements at these places.
MomentValue take_rule(const MomentCall& call) {
  const MomentValue &x = *call.in[0], &place = *call.in[1];
  if (place.is_list()) {
    MomentValue result{.shape = call.node.shape};
    for (const MomentValue& one : place.elements) {
      const std::array<const MomentValue*, 2> in{&x, &one};
      Node node = call.node;
      node.shape = {};
      result.elements.push_back(take_rule({node, call.attributes, in, call.expectations}));
    }
    return result;
  }
  MomentValue result = constant_value(call.node.shape, {0.0});
  const MomentSum places = split_by_states(place.sum);
  for (const MomentTerm& term : places.terms()) {
    std::vector<std::int32_t> index;
    for (Index i = 0; i < call.node.shape.size(); ++i)
      index.push_back(static_cast<std::int32_t>(
          term.coefficient[term.coefficient.size() == 1 ? 0 : static_cast<std::size_t>(i)]));
    if (std::ranges::any_of(index, [&](std::int32_t k) { return k < 0 || k >= x.size(); }))
      throw NoMoments{"chooses an element that isn't there for some value of a whole number"};
    MomentTerm indicator = term;
    indicator.coefficient = {1.0};
    result = plus(result, product_of({.shape = call.node.shape, .sum = indicator},
                                     elements_of(x, index, call.node.shape)));
  }
  return result;
}

constexpr MomentRule kMomentRules[] = {
    {"add", add_rule, true},
    {"broadcast", broadcast_rule},
    {"concat", pack_rule},
    {"div", div_rule},
    {"dot", dot_rule},
    {"exp", exp_rule},
    {"gather", gather_rule},
    {"log", log_rule},
    {"log1p", log1p_rule},
    {"log1p_exp", log1p_exp_rule},
    {"log_sum_exp", log_sum_exp_rule},
    {"log_sum_exp_all", log_sum_exp_all_rule},
    {"mul", mul_rule, true},
    {"multiply_log", multiply_log_rule},
    {"neg", neg_rule, true},
    {"pack", pack_rule},
    {"pow", pow_rule},
    {"scatter_add", scatter_add_rule},
    {"select", select_rule, true},
    {"sqrt", sqrt_rule},
    {"square", square_rule},
    {"sub", sub_rule, true},
    {"sum", sum_rule},
    {"take", take_rule},
};
}  // namespace

std::span<const MomentRule> moment_rules() { return kMomentRules; }

}  // namespace credo::graph
