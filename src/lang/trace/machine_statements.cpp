// Statements, one function each.
#include <fmt/format.h>

#include "base/error.hpp"
#include "dist/distribution.hpp"
#include "lang/trace/builtins.hpp"
#include "lang/trace/columns.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/trace/indexing.hpp"
#include "lang/trace/machine.hpp"
#include "lang/trace/machine_journal.hpp"
#include "lang/typed/flow_facts.hpp"

namespace credo::lang {

Machine::Flow Machine::execute(const typed::Statement& s) {
  if (is_left_out(s)) return Flow::next;
  count_step();
  enter(s);
  expression_ = nullptr;
  return std::visit([&](const auto& node) { return exec(node); }, s.node);
}

Machine::Flow Machine::execute_all(std::span<const typed::Statement> statements) {
  for (const typed::Statement& s : statements) {
    const Flow flow = execute(s);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Machine::Flow Machine::exec(const typed::Declaration& s) {
  Value& variable = slot(s.slot);
  variable = unset_value(*s.type);
  if (journal_ != nullptr) journal_->own(variable);
  assigned_ = s.value.get();
  if (s.value != nullptr) assign(variable, {}, evaluate_open(*s.value));
  return Flow::next;
}

Machine::Flow Machine::exec(const typed::Unpacking& s) {
  const Value value = evaluate(s.value);
  std::vector<Value> parts;  // all of them before the first write
  for (const auto& leaf : s.leaves) {
    Value part = value;
    for (const int element : leaf.path)
      part = part.tuple()->elements[static_cast<std::size_t>(element)];
    parts.push_back(std::move(part));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const typed::AssignmentTarget& target = s.leaves[i].target;
    assign(slot(target.slot), target.accesses, parts[i], target.range);
  }
  return Flow::next;
}

namespace {
Expr total_of(Machine& machine, const Value& value) {
  return value.is_scalar() ? machine.expr(value) : graph::sum(machine.expr(value));
}
}  // namespace

void Machine::watch(const typed::TargetIncrement& s) {
  const typed::Call* call = options_.watch ? sole_density(program_, s.value) : nullptr;
  const auto* whole = std::get_if<typed::Call>(&s.value.node);
  const bool is_whole_tail = options_.watch_tails && whole != nullptr && is_tail(*whole) &&
                             distribution_function(whole->function.name);
  if (is_whole_tail) call = whole;
  if (call == nullptr) return;
  const std::vector<Value> arguments = evaluate_all(call->arguments);
  (is_whole_tail ? options_.watch_tails
                 : options_.watch)({.call = *call, .arguments = arguments, .increment = &s.value});
}

void Machine::watch_own(const typed::TargetIncrement& s) {
  const auto* call = std::get_if<typed::Call>(&s.value.node);
  if (call == nullptr || !call->function.is_user()) return;
  if (!is_any_density(*call) && !is_tail(*call)) return;
  const std::vector<Value> arguments = evaluate_all(call->arguments);
  options_.watch_own({.call = *call, .arguments = arguments, .increment = &s.value});
}

Machine::Flow Machine::exec(const typed::TargetIncrement& s) {
  watch(s);
  if (options_.watch_own) watch_own(s);
  if (options_.watch && options_.watches_mixtures) watch_mixture(s);
  if (only_watches()) return Flow::next;
  if (options_.apart) {
    const std::size_t group = terms.size();
    for (const IncrementPart& part : parts_of(s.value)) add_apart(part, group);
    return Flow::next;
  }
  return add_total(s.value, TermKind::unlabelled);
}

Machine::Flow Machine::add_total(const typed::Expression& value, TermKind kind) {
  add_term(total_of(*this, evaluate_here(value)), 0.0, kind);
  return Flow::next;
}

void Machine::watch_mixture(const typed::TargetIncrement& s) {
  const std::optional<Mixture> mixture = mixture_in(s.value);
  if (!mixture) return;
  const typed::Call& first = *mixture->densities.front();
  const std::vector<Value> arguments = evaluate_here(first.arguments);
  options_.watch(
      {.call = first, .arguments = arguments, .increment = &s.value, .mixture = &*mixture});
}

// Densities that are added to one of the watched sums are reported.
bool Machine::add_to_sum(const typed::Assignment& s) {
  if (!options_.watch || s.target.slot.local) return false;
  if (!options_.watched_sums.contains(s.target.slot.index)) return false;
  const typed::Call* call = sole_density(program_, s.value);
  if (call == nullptr) return false;
  const std::vector<Value> arguments = evaluate_here(call->arguments);
  options_.watch({.call = *call, .arguments = arguments, .increment = &s.value, .is_summed = true});
  return false;
}

// A summand of an increment with its rows; `group` is the place of the first.
void Machine::add_apart(const IncrementPart& part, std::size_t group) {
  const typed::Expression& e = *part.value;
  const std::int32_t here = statement_;
  const auto* call = std::get_if<typed::Call>(&e.node);
  Expr rows;
  Value value;
  std::vector<char> known;  // for each element of an outcome that is known in part
  if (call != nullptr && (is_density(*call) || is_tail(*call))) {
    std::vector<Value> arguments = evaluate_all(call->arguments);
    rows = is_density(*call) ? rows_of(*this, *call, arguments)
                             : rows_of_tail(*this, *call, arguments);
    if (is_density(*call) && known_of(arguments[0], autodiff_bits(call->arguments)) == Known::some)
      known = known_elements(expr(arguments[0]));
    value = this->call(*call, std::move(arguments));
  } else if (call != nullptr && call->function.name == "sum" && !is_int_based(e.type)) {
    value = evaluate_open(call->arguments[0]);
  } else {
    value = evaluate_open(e);
  }
  if (rows.empty() && call != nullptr && is_any_density(*call)) rows = inner_rows(expr(value));
  if (!value.is_scalar()) rows = expr(value).reshaped(graph::vector_shape(size_of(value)));
  Expr total = total_of(*this, value);
  bool is_taken_off = part.is_negative, is_unsure = false;
  for (const IncrementFactor& factor : part.factors) {
    const Expr by = expr(promoted_to_real(evaluate_open(*factor.value)));
    is_unsure |= !by.is_constant() || !by.is_scalar();
    if (!is_unsure && by.value() < 0.0) is_taken_off = !is_taken_off;
    const auto scale = [&](const Expr& x) { return factor.divides ? x / by : x * by; };
    total = scale(total);
    if (!rows.empty()) rows = scale(rows);
  }
  statement_ = here;
  if (part.is_negative) total = -total;
  if (part.is_negative && !rows.empty()) rows = -rows;
  if (!known.empty() && add_by_elements(rows, known, group)) return;
  add_term(std::move(total), 0.0, TermKind::unlabelled, std::move(rows));
  terms.back().group = group;
  terms.back().is_taken_off = is_taken_off || is_unsure;
}

Machine::Flow Machine::exec(const typed::If& s) {
  const Value condition = evaluate_open(s.condition);
  if (condition.is_whole()) {
    if (const auto flow = try_select(s, condition)) return *flow;
  }
  if (integer(condition) != 0) return execute(*s.if_true);
  return s.if_false ? execute(*s.if_false) : Flow::next;
}

// A loop that never ends by its text is refused, but only after some rounds, so that short loops cost nothing.
void Machine::require_end(const typed::While& s, std::uint64_t round) const {
  constexpr std::uint64_t kRoundsBeforeDoubt = 1000;
  if (round != kRoundsBeforeDoubt || !never_ends(s)) return;
  throw OutOfLimit(ErrorCode::evaluation,
                   "this loop never ends: nothing in it changes its condition or leaves it",
                   locate_range ? locate_range(s.condition.range) : place(),
                   "assign a variable of the condition in the loop, or leave the loop by break");
}

Machine::Flow Machine::exec(const typed::ForRange& s) {
  const std::int64_t first = evaluate_int(s.first), last = evaluate_int(s.last);
  if (may_be_columns() && columns_->try_range(s, first, last)) return Flow::next;
  return count_up(s, first, last);
}

bool Machine::runs_by_columns(const typed::ForEach& s, const Value& container) {
  return may_be_columns() && columns_->try_each(s, container);
}

Machine::Flow Machine::exec(const typed::Message& s) {
  // In a trace the values aren't known; print runs once a kept draw instead
  // (docs/design/language.md, "print").
  if (s.kind == typed::MessageKind::print && (graph_ != nullptr || !options_.print))
    return Flow::next;
  if (s.kind == typed::MessageKind::print) {
    std::string text;
    for (const auto& argument : s.arguments) text += text_of(argument);
    options_.print(text);
    return Flow::next;
  }
  throw rejection(s);
}

// On one side of a select the text also applies to other points. The first scalar that depends on parameters is shown
// with its value at the point. If there are more, the side runs alone, or inside nested sides they are shown as
// source text.
Rejection Machine::rejection(const typed::Message& s) {
  const bool fatal = s.kind == typed::MessageKind::fatal_error;
  Rejection result{.failure = {.kind = fatal ? FailureKind::fatal : FailureKind::rejected,
                               .statement = statement_}};
  Failure& failure = result.failure;
  const bool in_side = graph_ != nullptr && !checks_->mask.empty();
  for (const auto& argument : s.arguments) {
    std::string& text = failure.shows_value ? failure.behind : failure.text;
    if (!in_side || is_known(argument)) {
      text += text_of(argument);
      continue;
    }
    const Value value = evaluate_open(argument);
    if (value.is_scalar() && !failure.shows_value) {
      failure.shows_value = true;
      result.shown = expr(value);
    } else {
      if (num_sides_ < 2) fail("a text with several values that depend on parameters");
      text += text_of_range ? text_of_range(argument.range) : std::string();
    }
  }
  return result;
}

// ---- declared sizes and default values

Machine::SizeOf Machine::own_sizes() {
  return [this](const typed::Expression& size) {
    return within_statement([&] { return evaluate_int(size); });
  };
}

Dims Machine::dims_by(const SizeOf& size_of, const typed::SizedType& type) const {
  Dims dims;
  const auto push = [&](const typed::Expression& size) {
    const std::int32_t n = size_of(size);
    if (n < 0) fail(fmt::format("a size is {}, but must not be negative", n));
    if (dims.count == Dims::kMax)
      fail(fmt::format("the variable has more than {} dimensions", Dims::kMax));
    dims.push(n);
  };
  for (const auto& size : type.array_sizes) push(size);
  for (const auto& size : type.sizes) push(size);
  const bool square = type.constraint == typed::Constraint::cov_matrix ||
                      type.constraint == typed::Constraint::corr_matrix ||
                      type.constraint == typed::Constraint::cholesky_factor_corr ||
                      type.constraint == typed::Constraint::cholesky_factor_cov;
  if (square && type.sizes.size() == 1) dims.push(dims.back());
  if (dims.total() > options_.limits.max_elements)
    fail(fmt::format("the variable has {} elements, the limit is {}",
                     dims.total() < std::numeric_limits<Index>::max() ? std::to_string(dims.total())
                                                                      : to_string(dims),
                     options_.limits.max_elements));
  return dims;
}

Value Machine::unset_by(const SizeOf& size_of, const typed::SizedType& type) const {
  if (type.type.base == BaseType::tuple) {
    if (type.type.depth > 0) fail("arrays of tuples are not implemented yet");
    auto tuple = std::make_shared<TupleValue>();
    for (const auto& element : type.elements) tuple->elements.push_back(unset_by(size_of, element));
    return tuple;
  }
  if (contains_complex(type.type)) fail("complex variables are not implemented yet");
  const Dims dims = dims_by(size_of, type);
  const bool is_integer = type.type.base == BaseType::integer;
  constexpr std::int32_t kUnset = std::numeric_limits<std::int32_t>::min();
  if (dims.count == 0) return is_integer ? Value(kUnset) : Value(Scalar(kNaN));
  if (is_integer)
    return make_ints(dims,
                     std::vector<std::int32_t>(static_cast<std::size_t>(dims.total()), kUnset));
  return from_expr(graph::fill(shape_of(type.type.base, dims), kNaN), type.type.base, dims);
}

// ---- assignment

void Machine::check_sizes(const Dims& expected, const Dims& found, std::string_view of) {
  if (expected == found) return;
  expression_ = assigned_;
  fail(fmt::format("assigned value has size {}, the {} {}", to_string(found), of,
                   to_string(expected)),
       fmt::format("declare it with size {}, or assign a part of the value", to_string(found)));
}

void Machine::assign(Value& variable, std::span<const typed::Access> accesses, const Value& value,
                     SourceRange of) {
  if (accesses.empty()) {
    if (!variable.is_scalar() && !variable.is_tuple())
      check_sizes(dims_of(variable), dims_of(value), "variable");
    if (journal_ != nullptr) journal_->note(variable);
    variable = value;
    return;
  }
  const typed::Access& access = accesses[0];
  if (access.projection >= 0) {
    if (journal_ != nullptr) journal_->note(variable);
    auto& tuple = std::get<Tuple>(variable.held);
    if (tuple.use_count() > 1) tuple = std::make_shared<TupleValue>(*tuple);
    const Journal::Pause pause(journal_);
    assign(tuple->elements[static_cast<std::size_t>(access.projection)], accesses.subspan(1), value,
           of);
    return;
  }
  const auto selections = evaluate_indices(*this, dims_of(variable), access.indices, of);
  const Selected selected = select(base_of(variable), dims_of(variable), selections);
  if (journal_ != nullptr) journal_->note(variable, selected.positions);
  if (accesses.size() == 1) {
    check_sizes(selected.dims, dims_of(value), "selected part");
    write(variable, selected.positions, value);
    return;
  }
  Value part = read(variable, selected, graph_);
  const Journal::Pause pause(journal_);
  assign(part, accesses.subspan(1), value, of);
  write(variable, selected.positions, part);
}

void Machine::assign(const typed::Assignment& s, const Value& value) {
  assigned_ = &s.value;
  assign(slot(s.target.slot), s.target.accesses, value, s.target.range);
}

Value Machine::value_before(const typed::AssignmentTarget& target) {
  Value value = slot(target.slot);
  for (const typed::Access& access : target.accesses) {
    value = access.projection >= 0
                ? Value(value.tuple()->elements[static_cast<std::size_t>(access.projection)])
                : index(value, access.indices, target.range);
  }
  return value;
}

}  // namespace credo::lang
