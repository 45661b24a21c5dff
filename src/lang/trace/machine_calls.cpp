// Calls: operators and built-ins by their rows, user functions in a frame of their own, `~`
// statements.
#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/trace/builtins.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/trace/machine.hpp"
#include "lang/trace/number_call.hpp"

namespace credo::lang {

bool Machine::drops_constants(bool spelt_so) const {
  return spelt_so && !options_.constants &&
         (frame_ == nullptr || frame_->setting.drops_constants || recursion_ == 0);
}

std::uint32_t Machine::autodiff_bits(std::span<const typed::Expression> arguments) const {
  const std::uint64_t of_call = frame_ == nullptr ? 0 : frame_->setting.autodiff;
  std::uint32_t bits = 0;
  for (std::size_t k = 0; k < arguments.size() && k < 32; ++k) {
    if (arguments[k].autodiff.in_call(of_call)) bits |= 1u << k;
  }
  return bits;
}

std::uint64_t Machine::autodiff_of(std::span<const typed::Expression> arguments) const {
  const std::uint64_t of_call = frame_ == nullptr ? 0 : frame_->setting.autodiff;
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k].autodiff.in_call(of_call)) bits |= typed::Autodiff::bit(k);
  }
  return bits;
}

// Whole numbers are decided for functions that don't take them as expressions.
void Machine::settle_arguments(const typed::Call& c, std::span<Value> arguments) {
  if (graph_ == nullptr || c.function.is_user()) return;
  if (std::none_of(arguments.begin(), arguments.end(), is_open)) return;
  if (takes_whole_numbers(c.function.name)) return;
  for (Value& argument : arguments) argument = closed(std::move(argument));
}

Value Machine::call_builtin(const typed::Call& c, std::span<Value> arguments) {
  settle_arguments(c, arguments);
  return run_builtin(c, arguments);
}

Value Machine::run_builtin(const typed::Call& c, std::span<Value> arguments) {
  const BuiltinFunction function = builtin_function(c.function.name);
  if (function == nullptr) fail(fmt::format("function {} is not implemented yet", c.function.name));
  try {
    if (graph_ != nullptr && needs_numbers(c.function.name))
      return call_with_numbers({*this, c, c.function.name, arguments}, function);
    return function({*this, c, c.function.name, arguments});
  } catch (const Error& error) {  // from a layer without source places
    if (!error.where().empty()) throw;
    throw Error(error.code(), error.message(), place(), error.hint());
  }
}

Value Machine::call_passed(const typed::FunctionName& name, std::vector<Value> arguments,
                           std::uint64_t autodiff) {
  if (name.function.is_user()) {
    const bool drops = drops_constants(name.drops_constants);
    return call_user(name.function, std::move(arguments), autodiff, drops);
  }
  typed::Call c;
  c.function = name.function;
  c.drops_constants = name.drops_constants;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    c.arguments.emplace_back().autodiff.always = (autodiff & typed::Autodiff::bit(k)) != 0;
  }
  return call_builtin(c, arguments);
}

Machine::FunctionCall::FunctionCall(Machine& machine, const typed::Function& f)
    : machine_(machine), caller_(machine.frame_), journal_(machine.journal_) {
  if (machine.recursion_ >= machine.options_.limits.max_recursion) {
    machine.fail(fmt::format("{}: calls are nested more than {} deep", f.name,
                             machine.options_.limits.max_recursion),
                 "a recursion that doesn't end?");
  }
  machine.journal_ = nullptr;
  ++machine.recursion_;
}

Machine::FunctionCall::~FunctionCall() {
  machine_.frame_ = caller_;
  machine_.journal_ = journal_;
  --machine_.recursion_;
}

Value Machine::call_user(const typed::FunctionRef& function, std::vector<Value> arguments,
                         std::uint64_t autodiff, bool drops) {
  return within_statement([&] {
    const FunctionCall entered(*this, program_.functions[static_cast<std::size_t>(function.user)]);
    return call_in_frame(function.user, std::move(arguments),
                         {.autodiff = autodiff, .drops_constants = drops});
  });
}

// If an early return can't be a select, the function runs again with guards.
Value Machine::call_in_frame(int function, std::vector<Value> arguments, Frame::Setting setting) {
  const typed::Function& f = program_.functions[static_cast<std::size_t>(function)];
  setting.may_leave_early =
      graph_ != nullptr && options_.selects != Selects::none && !leaves_whole_.contains(function);
  if (!setting.may_leave_early) return run_body(f, std::move(arguments), setting);
  const Mark before = mark();
  try {
    return run_body(f, arguments, setting);
  } catch (const NoEarlyReturns&) {
    roll_back(before);
    forget_packs(before, arguments);
    leaves_whole_.insert(function);
  }
  setting.may_leave_early = false;
  return run_body(f, std::move(arguments), setting);
}

Value Machine::run_body(const typed::Function& f, std::vector<Value> arguments,
                        const Frame::Setting& setting) {
  Frame frame(f.variables.size(), std::move(arguments), setting);
  frame_ = &frame;
  Flow flow = Flow::next;
  try {
    if (f.body != nullptr) flow = execute(*f.body);
  } catch (
      const Rejection& r) {  // points that have returned are done, even if the others are refused
    if (frame.returned.empty()) throw;
    refuse_where(checks_->mask, r);
    return std::move(frame.result);
  } catch (const NoGuardHere&) {
    if (frame.returned.empty()) throw;
    throw NoEarlyReturns{};
  } catch (const Error&) {  // perhaps only for points that have returned
    if (frame.returned.empty()) throw;
    throw NoEarlyReturns{};
  }
  if (flow != Flow::leave_function && !f.result.is_void() && !frame.returned.empty())
    throw NoEarlyReturns{};
  if (frame.result.is_unset() && !f.result.is_void())
    fail(fmt::format("{}: the body ended without a return", f.name),
         "the loop around it didn't run: end the body with a return");
  return std::move(frame.result);
}

// ---- outcome ~ distribution(arguments) T[lower, upper]

Machine::Flow Machine::exec(const typed::Distribution& s) {
  std::vector<Value> arguments = evaluate_here(s.density.arguments);
  settle_arguments(s.density, arguments);
  std::uint32_t bits = autodiff_bits(s.density.arguments);
  if (is_open(arguments[0])) bits |= 1u;
  const Known known = known_of(arguments[0], bits);
  const bool is_truncated = s.lower != nullptr || s.upper != nullptr;
  if (s.density.function.is_user()) {
    if (options_.watch_own)
      options_.watch_own(
          {.call = s.density, .arguments = arguments, .truncation = is_truncated ? &s : nullptr});
    if (options_.watch_own && only_watches()) return Flow::next;
    const Expr value = expr(call(s.density, arguments));
    mark_density(value, known);
    add_term(value, 0.0, TermKind::unlabelled, inner_rows(value));
  } else {
    if (options_.watch)
      options_.watch(
          {.call = s.density, .arguments = arguments, .truncation = is_truncated ? &s : nullptr});
    if (only_watches()) return Flow::next;
    const dist::Density density = density_of(*this, s.density, arguments, true);
    const bool is_in_part = known == Known::some && !is_truncated;
    add_density(density, known, options_.apart ? rows_of(*this, s.density, arguments) : Expr(),
                is_in_part ? known_elements(expr(arguments[0])) : std::vector<char>());
  }
  if (is_truncated) truncate(s, arguments);
  return Flow::next;
}

void Machine::add_density(const dist::Density& density, Known outcome, Expr rows,
                          std::span<const char> known) {
  if (!known.empty() && add_by_elements(rows, known, terms.size())) return;
  const TermKind kind = outcome == Known::none ? TermKind::prior : TermKind::likelihood;
  add_term(density.value, density.dropped, kind, std::move(rows));
  terms.back().is_mixed = outcome == Known::some;
}

namespace {
// Every element of x lies on the right side of the bound, or the term is -infinity.
Expr outside_penalty(Machine& machine, const Value& x, const Expr& bound, bool is_lower) {
  const Expr values = machine.expr(x);
  const Expr outside = is_lower ? graph::less(values, bound) : graph::less(bound, values);
  return graph::select(outside, -kInfinity, 0.0);
}

Expr as_vector(const Expr& x) { return x.reshaped(graph::vector_shape(x.size())); }
}  // namespace

// log P(Y <= x) or log P(Y > x) with element i of the distribution's arguments.
Expr Machine::tail_at(const typed::FunctionRef& function, const Value& x,
                      std::span<const Value> arguments, Index i) {
  typed::Call c;
  c.function = function;
  std::vector<Value> in{x};
  for (const Value& argument : arguments) {
    in.push_back(argument.is_scalar() ? argument : Value(scalar_of(argument, i)));
  }
  return expr(function.is_user() ? call_user(function, in, ~std::uint64_t{0}, false)
                                 : run_builtin(c, in));
}

// Language facts 10.7: the normaliser is taken once an outcome, and per element when an argument is
// a container.
void Machine::truncate(const typed::Distribution& s, std::span<const Value> arguments) {
  const Value lower = s.lower ? evaluate(*s.lower) : Value(),
              upper = s.upper ? evaluate(*s.upper) : Value();
  const Value below =
      s.lower && s.is_discrete ? Value(lower.integer() - 1) : lower;  // P(Y < lower) for counts
  const std::span<const Value> parameters = arguments.subspan(1);
  const auto container = std::find_if(parameters.begin(), parameters.end(),
                                      [](const Value& v) { return !v.is_scalar(); });
  const Index elements = container == parameters.end() ? 1 : size_of(*container);
  const Index repeats = container == parameters.end() ? size_of(arguments[0]) : 1;
  // P(lower <= Y <= upper) on the side of the smaller tail; a user's lccdf isn't called for it.
  const auto log_mass = [&](Index i) {
    const Expr at_lower = tail_at(s.lcdf, below, parameters, i),
               at_upper = tail_at(s.lcdf, upper, parameters, i);
    if (s.lccdf.is_user()) return graph::log_diff_exp(at_upper, at_lower);
    return dist::log_mass_between(at_lower, tail_at(s.lccdf, below, parameters, i), at_upper,
                                  tail_at(s.lccdf, upper, parameters, i));
  };
  Expr normaliser = 0.0, rows = 0.0;
  std::vector<Expr> each;
  for (Index i = 0; i < elements; ++i) {
    if (s.lower && s.upper) {
      each.push_back(log_mass(i));
    } else {
      each.push_back(s.lower ? tail_at(s.lccdf, below, parameters, i)
                             : tail_at(s.lcdf, upper, parameters, i));
    }
    normaliser = normaliser + each.back();
  }
  Expr value = -(static_cast<double>(repeats) * normaliser);
  const auto add_penalty = [&](const Value& bound, bool is_lower) {
    const Expr penalty =
        outside_penalty(*this, arguments[0], expr(promoted_to_real(bound)), is_lower);
    value = value + graph::sum(penalty);
    if (options_.apart) rows = rows + as_vector(penalty);
  };
  if (s.lower) add_penalty(lower, true);
  if (s.upper) add_penalty(upper, false);
  if (options_.apart)
    rows = rows - (elements == 1 ? each[0] : graph::pack(graph::vector_shape(elements), each));
  add_to_last(value, std::move(rows));
}

// Adds a term that completes the last one: it has the same kind, and its rows are parts of the last one's rows.
void Machine::add_to_last(Expr value, Expr rows) {
  const Term last = terms.back();
  if (rows.is_scalar() && !last.rows.empty() && !last.rows.is_scalar())
    rows = graph::broadcast(last.rows.shape(), rows);
  add_term(std::move(value), 0.0, last.kind, std::move(rows));
  terms.back().group = last.group;
  terms.back().is_mixed = last.is_mixed;
}

}  // namespace credo::lang
