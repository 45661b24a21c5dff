// Statements over columns, one function each.
#include "lang/trace/builtins.hpp"
#include "lang/trace/columns.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::lang {
namespace {
constexpr std::int64_t kFewSteps = 8;            // an inner loop that is rather run step by step
constexpr std::int64_t kMostRows = 100'000'000;  // of an inner loop laid out with the outer one
}  // namespace

Columns::Flow Columns::dispatch(const typed::Statement& s) {
  m_.count_step();
  m_.enter(s.id);
  return std::visit([&](const auto& node) { return exec(node); }, s.node);
}

Columns::Flow Columns::execute(const typed::Statement& s) {
  const bool is_simple = std::holds_alternative<typed::Assignment>(s.node) ||
                         std::holds_alternative<typed::TargetIncrement>(s.node) ||
                         std::holds_alternative<typed::JacobianIncrement>(s.node) ||
                         std::holds_alternative<typed::Distribution>(s.node) ||
                         std::holds_alternative<typed::Return>(s.node) ||
                         std::holds_alternative<typed::CallStatement>(s.node);
  return is_simple ? execute_split(s) : dispatch(s);
}

// Rows that take different paths through the statement run group by group.
Columns::Flow Columns::execute_split(const typed::Statement& s) {
  const Mark before = mark(facts(s));
  try {
    return dispatch(s);
  } catch (const SplitRows& split) {
    if (split.context != before.at->id) throw;
    roll_back(before);
    return partition(split.keys, facts(s), [&](std::int32_t) { return execute_split(s); });
  }
}

Columns::Flow Columns::execute_all(std::span<const typed::Statement> statements) {
  for (std::size_t k = 0; k < statements.size(); ++k) {
    if (const auto flow = leave_early(statements[k], statements.subspan(k + 1))) return *flow;
    const Flow flow = execute(statements[k]);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

// ---- declarations and assignments

Columns::Flow Columns::exec(const typed::Declaration& s) {
  if (s.type->type.base == BaseType::tuple) abandon("a variable of a type that columns don't know");
  const auto size_of = [&](const typed::Expression& size) { return evaluate_int(size); };
  slot(s.slot) = m_.unset_by(size_of, *s.type);
  if (s.value != nullptr) assign_whole(s.slot, evaluate(*s.value));
  return Flow::next;
}

Value Columns::value_before(const typed::AssignmentTarget& target) {
  if (target.accesses.empty()) return variable(target.slot);
  if (target.accesses.size() > 1) abandon("an update of an element behind several brackets");
  const SlotKey key = key_of(target.slot);
  return index(slot_here(target.slot), target.accesses[0].indices, &key);
}

// ---- terms

// The sum over all rows.
Expr Columns::total(const Value& value) {
  Expr sum = 0.0;
  const Index count = row_dims(value).total();
  if (!value.is_column() && count > 1)
    return static_cast<double>(at_->width) * graph::sum(m_.expr(value));
  for (Index k = 0; k < count; ++k) {
    const Expr x = element(value, k);
    const Expr part =
        x.is_scalar() && at_->width > 1 ? static_cast<double>(at_->width) * x : graph::sum(x);
    sum = k == 0 ? part : sum + part;
  }
  return sum;
}

void Columns::add_term(const Value& value, TermKind kind) {
  const Value all = where_taken(value);
  m_.add_term(total(all), 0.0, kind, rows_of(all));
}

// The elements in the order of the rounds; nothing where terms aren't kept apart.
Expr Columns::rows_of(const Value& value) {
  if (!m_.options_.apart) return {};
  std::vector<Expr> elements;
  for (Index k = 0; k < row_dims(value).total(); ++k) elements.push_back(element(value, k));
  return in_rounds(elements);
}

// Columns of elements as one vector, all elements of a round before those of the next one.
Expr Columns::in_rounds(std::span<const Expr> elements) {
  const Index count = ssize(elements), size = count * at_->width;
  if (count == 1) return spread(elements[0], at_->width);
  std::vector<Expr> columns;
  for (const Expr& x : elements) columns.push_back(spread(x, at_->width));
  IntList order;
  for (Index i = 0; i < size; ++i)
    order.push_back(static_cast<std::int32_t>(i % count * at_->width + i / count));
  const auto shape = graph::vector_shape(size);
  return graph::gather(shape, graph::concat(shape, columns), std::move(order));
}

Expr Columns::rows_of(const typed::Call& c, std::span<const Value> arguments) {
  if (!m_.options_.apart) return {};
  const dist::Distribution& d = *distribution_function(c.function.name)->distribution;
  if (d.kind == dist::Kind::multivariate) abandon("rows of a joint density");
  std::vector<Expr> each;
  for (Index k = 0; k < common_elements(arguments); ++k) {
    const std::vector<Expr> in = elements(arguments, k);
    each.push_back(
        dist::log_density_each(d, in[0], std::span(in).subspan(1), c.function.name, m_.checks()));
  }
  return in_rounds(each);
}

Columns::Known Columns::known_of(const Value& outcome, std::uint32_t autodiff) {
  if ((autodiff & 1u) == 0) return Known::all;
  if (!outcome.is_column()) return m_.known_of(outcome, autodiff);
  const std::vector<char> known = known_elements(outcome);
  const auto count = std::count(known.begin(), known.end(), 1);
  return count == ssize(known) ? Known::all : count > 0 ? Known::some : Known::none;
}

// Marks for the known elements of the outcome, in the order of rows_of().
std::vector<char> Columns::known_elements(const Value& outcome) {
  std::vector<Expr> all;
  for (Index k = 0; k < row_dims(outcome).total(); ++k) all.push_back(element(outcome, k));
  return m_.known_elements(in_rounds(all));
}

Columns::Flow Columns::exec(const typed::TargetIncrement& s) {
  const std::size_t group = m_.terms.size();
  if (!m_.options_.apart) {
    increase_target({.value = &s.value}, group);
  } else {
    for (const IncrementPart& part : parts_of(s.value)) increase_target(part, group);
  }
  return Flow::next;
}

// Summands by themselves where terms are kept apart; `group` is the place of the first.
void Columns::increase_target(const IncrementPart& part, std::size_t group) {
  bool is_taken_off = part.is_negative;
  const auto* call = std::get_if<typed::Call>(&part.value->node);
  const bool is_plain = part.factors.empty() && !part.is_negative;
  if (is_plain && !is_masked() && call != nullptr &&
      is_density(*call)) {  // the value by rows isn't needed
    const std::vector<Value> arguments = evaluate_all(call->arguments);
    const bool drop = m_.drops_constants(call->drops_constants);
    if (arguments[0].is_column() &&
        known_of(arguments[0], m_.autodiff_bits(call->arguments)) == Known::some &&
        m_.add_by_elements(rows_of(*call, arguments), known_elements(arguments[0]), group))
      return;
    m_.add_term(summed_density(*call, arguments, drop).value, 0.0, TermKind::unlabelled,
                rows_of(*call, arguments));
  } else {
    Value value = evaluate(*part.value);
    for (const IncrementFactor& factor : part.factors) {
      const Value by = evaluate(*factor.value);
      is_taken_off |= !is_known_positive(by);
      value = binary(factor.divides ? "divide" : "multiply", value, by);
    }
    if (part.is_negative) value = unary("minus", value);
    add_term(value, TermKind::unlabelled);
  }
  m_.terms.back().group = group;
  m_.terms.back().is_taken_off = is_taken_off;
}

// True for a known number, or known numbers of the rounds, none of which is negative.
bool Columns::is_known_positive(const Value& value) {
  const Expr x = value.is_column() ? element(value, 0) : m_.expr(promoted_to_real(value));
  if (!x.is_constant()) return false;
  for (Index i = 0; i < x.size(); ++i)
    if (x.element(i).value() < 0.0) return false;
  return true;
}

Columns::Flow Columns::exec(const typed::JacobianIncrement& s) {
  add_term(evaluate_here(s.value), TermKind::user_jacobian);
  return Flow::next;
}

Columns::Flow Columns::exec(const typed::Distribution& s) {
  const std::vector<Value> arguments = evaluate_here(s.density.arguments);
  const Known known = known_of(arguments[0], m_.autodiff_bits(s.density.arguments));
  const bool is_truncated = s.lower != nullptr || s.upper != nullptr;
  if (is_masked() && is_truncated) abandon("truncation on one side of a decision");
  if (s.density.function.is_user()) {
    const Value each = where_taken(call(s.density, arguments));
    const Expr value = total(each);
    m_.mark_density(value, known);
    m_.add_term(value, 0.0, TermKind::unlabelled, rows_of(each));
  } else if (is_masked()) {
    add_masked(s, arguments);
  } else {
    const dist::Density density = summed_density(s.density, arguments, true);
    const bool is_in_part = known == Known::some && arguments[0].is_column() &&
                            s.lower == nullptr && s.upper == nullptr;
    m_.add_density(density, known, rows_of(s.density, arguments),
                   is_in_part ? known_elements(arguments[0]) : std::vector<char>());
  }
  if (is_truncated) truncate(s, arguments);
  return Flow::next;
}

// Adds the density in rows that take the side. The constants that `~` drops also depend on the row.
void Columns::add_masked(const typed::Distribution& s, std::span<const Value> given) {
  const std::string_view name = s.density.function.name;
  const auto function = distribution_function(name);
  if (!function || function->distribution->kind != dist::Kind::univariate)
    abandon(std::string(name) + " on one side of a decision");
  std::vector<Value> arguments(given.begin(), given.end());
  gate_arguments(name, arguments);
  if (common_elements(arguments) != 1) abandon("containers on one side of a decision");
  const std::vector<Expr> in = elements(arguments, 0);
  const dist::DensityRequest request{
      .function = name, .drop_constants = true, .autodiff = m_.autodiff_bits(s.density.arguments)};
  const dist::DensityEach each = dist::log_density_parts(
      *function->distribution, in[0], std::span(in).subspan(1), request, m_.checks());
  const bool whole = m_.options_.constants;
  const Value value = where_taken(scalar_value(whole ? each.value : each.value - each.dropped));
  const Known known = known_of(given[0], request.autodiff);
  m_.mark_density(each.value, known);
  m_.add_density({total(value), 0.0}, known, rows_of(value));
  if (whole) m_.terms.back().varying = total(where_taken(scalar_value(each.dropped)));
}

// log of P(lower <= Y <= upper) row by row, and -infinity for an outcome outside (facts 10.7).
void Columns::truncate(const typed::Distribution& s, std::span<const Value> arguments) {
  for (const Value& argument : arguments) {
    if (row_dims(argument).count > 0) abandon("truncation of containers");
  }
  const Value lower = s.lower ? evaluate(*s.lower) : Value(),
              upper = s.upper ? evaluate(*s.upper) : Value();
  const auto tail_at = [&](const typed::FunctionRef& function, const Value& x, double shift) {
    if (function.is_user()) abandon("truncation of a user's distribution");
    typed::Call c;
    c.function = function;
    std::vector<Value> in{scalar_value(element(x, 0) + shift)};
    in.insert(in.end(), arguments.begin() + 1, arguments.end());
    return element(tail(c, in), 0);
  };
  const double below = s.is_discrete ? -1.0 : 0.0;  // P(Y < lower) for counts
  Expr value;
  if (s.lower && s.upper) {
    value = dist::log_mass_between(tail_at(s.lcdf, lower, below), tail_at(s.lccdf, lower, below),
                                   tail_at(s.lcdf, upper, 0.0), tail_at(s.lccdf, upper, 0.0));
  } else {
    value = s.lower ? tail_at(s.lccdf, lower, below) : tail_at(s.lcdf, upper, 0.0);
  }
  value = -value;
  const Expr y = element(arguments[0], 0);
  const auto penalty = [](const Expr& outside) { return graph::select(outside, -kInfinity, 0.0); };
  if (s.lower) value = value + penalty(graph::less(y, element(lower, 0)));
  if (s.upper) value = value + penalty(graph::less(element(upper, 0), y));
  const Value each = scalar_value(value);
  m_.add_to_last(total(each), rows_of(each));
}

// ---- control flow

Columns::Flow Columns::exec(const typed::If& s) {
  const Value condition = evaluate(s.condition);
  return is_drawn(condition, 0) ? choose(s, condition, {}) : branch_by(s, condition);
}

// Runs a branch whose condition is known.
Columns::Flow Columns::branch_by(const typed::If& s, const Value& condition) {
  const auto branch = [&](std::int32_t outcome) {
    if (outcome != 0) return execute(*s.if_true);
    return s.if_false ? execute(*s.if_false) : Flow::next;
  };
  if (condition.is_int()) return branch(condition.integer());
  IntList keys = *int_element(condition, 0);
  for (std::int32_t& key : keys) key = key != 0 ? 1 : 0;
  Facts touched = facts(*s.if_true);
  if (s.if_false) {
    for (const SlotUse& use : facts(*s.if_false).slots) touched.slots.push_back(use);
  }
  return partition(int_column(std::move(keys)), touched, branch);
}

// If no row takes the side, its loops may never end.
void Columns::require_end(const typed::While&, std::uint64_t round) const {
  constexpr std::uint64_t kMostMasked = 1000;
  if (is_masked() && round == kMostMasked) abandon("a long loop in one side of a decision");
}

Columns::Flow Columns::exec(const typed::ForRange& s) {
  const Value low = evaluate(s.first), high = evaluate(s.last);
  const IntList first = *int_element(low, 0), last = *int_element(high, 0);
  IntList trips(first.size());
  for (std::size_t i = 0; i < first.size(); ++i)
    trips[i] =
        static_cast<std::int32_t>(std::max<std::int64_t>(std::int64_t{last[i]} - first[i] + 1, 0));
  const std::int64_t longest = *std::max_element(trips.begin(), trips.end());
  if (longest == 0) return Flow::next;
  const bool uniform = low.is_int() && high.is_int();
  if (longest > kFewSteps || !uniform) {
    if (try_expand(s, first, trips)) return Flow::next;
  }
  if (longest > 4 * at_->width) abandon("an inner loop is much longer");
  return uniform ? count_up(s, low.integer(), high.integer()) : step_ragged(s, first, trips);
}

// Step by step; rows whose loop has ended rest.
Columns::Flow Columns::step_ragged(const typed::ForRange& s, const IntList& first,
                                   const IntList& trips) {
  const std::int32_t longest = *std::max_element(trips.begin(), trips.end());
  for (std::int32_t step = 0; step < longest; ++step) {
    IntList active(trips.size()), place(trips.size());
    for (std::size_t i = 0; i < trips.size(); ++i) {
      active[i] = trips[i] > step ? 1 : 0;
      place[i] = first[i] + step;
    }
    m_.slot(s.slot) = int_value(int_column(std::move(place)));
    const Deeper deeper(*this, static_cast<std::uint64_t>(step));
    Facts touched = facts(*s.body);
    touched.slots.push_back({.slot = s.slot, .reads = 1});
    const Flow flow = partition(int_column(std::move(active)), touched, [&](std::int32_t runs) {
      return runs != 0 ? execute(*s.body) : Flow::next;
    });
    if (flow == Flow::leave_loop || flow == Flow::leave_function)
      abandon("an inner loop ends early");
  }
  return Flow::next;
}

// All rounds of the inner loop as rows of their own.
bool Columns::try_expand(const typed::ForRange& s, const IntList& first, const IntList& trips) {
  const Facts& body = facts(*s.body);
  if (is_masked() || !body.blocker.empty() || !can_expand(body)) return false;
  const std::int64_t total = std::accumulate(trips.begin(), trips.end(), std::int64_t{0});
  if (total > kMostRows || total == 0) return false;
  const Mark before = mark(body);
  try {
    expand(s, first, trips);
    return true;
  } catch (const NotColumnar&) {
    roll_back(before);
  } catch (const SplitRows&) {
    roll_back(before);
  }
  return false;
}

void Columns::expand(const typed::ForRange& s, const IntList& first, const IntList& trips) {
  IntList rows, places;
  Context loop;
  for (std::size_t i = 0; i < trips.size(); ++i) {
    for (std::int32_t t = 0; t < trips[i]; ++t) {
      rows.push_back(static_cast<std::int32_t>(i));
      places.push_back(first[i] + t);
      if (draws()) loop.paths.push_back(deeper(at_->paths[i], static_cast<std::uint64_t>(t)));
    }
  }
  loop.width = ssize(rows);
  loop.rows = int_column(std::move(rows));
  run_loop(loop, *s.body, s.slot, [&] { return int_value(int_column(std::move(places))); });
}

// Every variable from outside is only added to, or is a container whose writes are kept apart.
bool Columns::can_expand(const Facts& body) {
  return std::all_of(body.slots.begin(), body.slots.end(), [&](const SlotUse& use) {
    if (use.declared || !use.is_assigned()) return true;
    const SlotKey key = key_of(use.slot);
    const bool is_scalar = row_dims(m_.slot(use.slot)).count == 0;
    if (use.is_sum() && is_scalar) return !is_exact();
    if (is_scalar || use.whole > 0) return false;
    return shared_by(key) != nullptr || (use.is_sum() && is_summed_by_element(key));
  });
}

bool Columns::runs_by_columns(const typed::ForEach&, const Value& container) const {
  if (container.is_tuple() || container.is_column() || container.is_scalar())
    abandon("a loop over a container that differs between rounds");
  return false;
}

Columns::Flow Columns::exec(const typed::Message& s) {
  if (s.kind == typed::MessageKind::print) return Flow::next;  // as in every trace
  abandon("a round rejects");
}

}  // namespace credo::lang
