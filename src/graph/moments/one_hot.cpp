// Functions of whole numbers, by indicators of their values, and decisions by bounds.
#include "graph/moments/moment_walk.hpp"

namespace credo::graph {
namespace {
constexpr std::size_t kMostTogether = 3;      // whole numbers in one function
constexpr std::size_t kMostStates = 100'000;  // values of these together

bool is_indicator(const MomentFactor& f) {
  return f.atom.kind == AtomKind::one_hot && f.weights == nullptr;
}

// The whole numbers of the operands, each as the coordinates of its elements; nullopt if there is anything else.
std::optional<std::vector<MomentFactor>> whole_numbers(std::span<const MomentValue* const> in) {
  std::vector<MomentFactor> found;
  for (const MomentValue* value : in) {
    if (value->is_list() || value->root != nullptr || value->has_bound()) return std::nullopt;
    for (const MomentTerm& term : value->sum.terms())
      for (const MomentFactor& f : term.factors) {
        if (!is_indicator(f) || term.is_summed) return std::nullopt;
        const bool is_known = std::ranges::any_of(
            found, [&](const MomentFactor& g) { return g.group == f.group && *g.at == *f.at; });
        if (!is_known) found.push_back(f);
      }
  }
  if (found.empty() || found.size() > kMostTogether) return std::nullopt;
  return found;
}

// The operand where the whole numbers have these values.
Expr operand_at(const MomentValue& value, std::span<const MomentFactor> state) {
  std::vector<double> sum(1, 0.0);
  for (const MomentTerm& term : value.sum.terms()) {
    const bool holds = std::ranges::all_of(term.factors, [&](const MomentFactor& f) {
      return std::ranges::any_of(state, [&](const MomentFactor& g) {
        return g.group == f.group && *g.at == *f.at && g.atom == f.atom;
      });
    });
    if (!holds) continue;
    const std::vector<double>& c = term.coefficient;
    if (c.size() > sum.size()) sum.resize(c.size(), sum[0]);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += c[c.size() == 1 ? 0 : i];
  }
  return sum.size() == 1 ? Expr(sum[0]) : constant(vector_shape(ssize(sum)), sum);
}

// Calls f for all values of the whole numbers.
template <class Function>
void for_each_state(std::vector<MomentFactor>& numbers, std::span<const CoordinateGroup> groups,
                    Function f, std::size_t k = 0) {
  if (k == numbers.size()) return f();
  const CoordinateGroup& group = groups[static_cast<std::size_t>(numbers[k].group)];
  for (double s = group.lower; s <= group.upper; s += 1.0) {
    numbers[k].atom.power = s;
    for_each_state(numbers, groups, f, k + 1);
  }
}
}  // namespace

namespace {
// Bounds of a value: those of a constant, or of a product of powers of parameters that aren't negative.
struct Bounds {
  double lower = -kInfinity, upper = kInfinity;
};
Bounds bounds_of(const MomentValue& value, std::span<const CoordinateGroup> groups) {
  if (const auto constant = value.constant())
    return {*std::ranges::min_element(*constant), *std::ranges::max_element(*constant)};
  if (value.is_list() || value.root != nullptr || value.has_bound() ||
      value.sum.terms().size() != 1)
    return {};
  const MomentTerm& term = value.sum.terms()[0];
  constexpr double kLeastPositive = 4.9406564584124654e-324;  // 0 itself has no mass
  Bounds bounds{kLeastPositive, 1.0};
  for (const double c : term.coefficient) {
    if (!(c >= 0.0)) return {};
    bounds.upper = std::max(bounds.upper, c);
  }
  for (const MomentFactor& f : term.factors) {
    if (f.group < 0 || f.weights != nullptr || f.atom.kind != AtomKind::power) return {};
    const CoordinateGroup& group = groups[static_cast<std::size_t>(f.group)];
    if (!(group.lower >= 0.0)) return {};
    if (!(group.upper <= 1.0) || f.atom.power < 0.0) bounds.upper = kInfinity;
  }
  return bounds;
}
}  // namespace

std::optional<MomentValue> value_by_bounds(const Op& op, Shape shape,
                                           std::span<const MomentValue* const> in,
                                           std::span<const CoordinateGroup> groups) {
  if (op.name != "less" && op.name != "less_equal") return std::nullopt;
  const Bounds a = bounds_of(*in[0], groups), b = bounds_of(*in[1], groups);
  if (!(a.upper <= b.lower)) return std::nullopt;
  return constant_value(shape, {1.0});  // also for `less`: equality has no mass
}

std::optional<MomentValue> value_by_states(const Op& op, Shape shape,
                                           std::span<const MomentValue* const> in,
                                           std::span<const CoordinateGroup> groups) {
  if (op.kind != OpKind::elementwise) return std::nullopt;
  auto numbers = whole_numbers(in);
  if (!numbers) return std::nullopt;
  std::size_t states = 1;
  for (const MomentFactor& f : *numbers) {
    const CoordinateGroup& group = groups[static_cast<std::size_t>(f.group)];
    states *= static_cast<std::size_t>(group.upper - group.lower + 1);
  }
  if (states > kMostStates) return std::nullopt;
  MomentValue result{.shape = shape};
  for_each_state(*numbers, groups, [&] {
    std::vector<Expr> operands;
    for (const MomentValue* value : in) operands.push_back(operand_at(*value, *numbers));
    const Expr at = graph::apply(op, std::span<const Expr>(operands));
    std::vector<double> coefficient;
    for (Index i = 0; i < at.size(); ++i) coefficient.push_back(at.value(i));
    result.sum.add(MomentTerm{.coefficient = std::move(coefficient), .factors = *numbers});
  });
  return result;
}

MomentSum split_by_states(const MomentSum& a) {
  MomentSum result;
  double constant = 0.0;
  for (const MomentTerm& term : a.terms()) {
    const bool fits =
        term.factors.size() <= 1 &&
        (term.factors.empty() ? term.coefficient.size() == 1 : is_indicator(term.factors[0]));
    if (!fits)
      throw NoMoments{"chooses elements by more than one whole number, or by a parameter",
                      "index with the whole number itself"};
    if (term.factors.empty()) constant = term.coefficient[0];
  }
  for (const MomentTerm& term : a.terms()) {
    if (term.factors.empty()) continue;
    MomentTerm moved = term;
    for (double& c : moved.coefficient) c += constant;
    result.add(std::move(moved));
  }
  return result;
}

}  // namespace credo::graph
