// Why the log density isn't finite at a point, by running the program with numbers there: which
// outcome lies outside of its distribution, which values are NaN, and what to do about it.
#include <fmt/format.h>

#include "base/error.hpp"
#include "dist/distribution.hpp"
#include "lang/trace/density_call.hpp"
#include "model/data/advice.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using lang::Expr;
using lang::Machine;
using lang::Value;
using typed::BlockKind;

// An outcome outside of [lower, upper].
struct Outside {
  Index element = -1;  // -1: a single number
  double value = 0, lower = -kInfinity, upper = kInfinity;
};
std::optional<Outside> outside(const Value& outcome, const Expr& lower, const Expr& upper);
std::string name_of(const typed::Program& program, const typed::Expression& e);
const typed::GlobalVariable* variable_of(const typed::Program& program, const typed::Expression& e);
std::string bounds_text(const Outside& found);
std::optional<Index> place_where(const Value& value, bool (*is)(double));  // in storage
std::string number_index(const Value& value, Index place);                 // "[3,1]"
Index place_in_file(const Value& value, Index place);
bool is_nan(double x) { return std::isnan(x); }
}  // namespace

// The first density of the program whose outcome it doesn't allow.
class OutcomeReader {
 public:
  OutcomeReader(Machine& machine, const typed::Program& program)
      : machine_(machine), program_(program) {}
  void look(const lang::SeenDensity& seen);
  Advice on_refusal(const lang::Failure& failure) const;
  // Advice on a NaN among the last density's arguments: the variable and its element.
  Advice on_nan(const ProgramSource& source) const;
  Advice advice;

 private:
  void explain(const lang::SeenDensity& seen, const Outside& found, std::string_view what);
  void look_for_nan(const typed::Expression& e);
  struct NotANumber {
    lang::SourceRange range;
    std::string index;  // "[3]" of a container; empty: the expression has its index, or none
  };
  std::optional<NotANumber> nan_;  // in the last density
  Machine& machine_;
  const typed::Program& program_;
  const typed::Call* last_ = nullptr;
};

void OutcomeReader::look(const lang::SeenDensity& seen) {
  last_ = &seen.call;
  nan_.reset();
  for (const typed::Expression& argument : seen.call.arguments) look_for_nan(argument);
  if (!advice.reason.empty()) return;
  if (seen.truncation != nullptr) {
    const auto bound = [&](const typed::Box& box, double absent) {
      return box == nullptr ? Expr(absent)
                            : machine_.expr(lang::promoted_to_real(machine_.evaluate(*box)));
    };
    const Expr lower = bound(seen.truncation->lower, -kInfinity);
    const Expr upper = bound(seen.truncation->upper, kInfinity);
    if (const auto found = outside(seen.arguments[0], lower, upper))
      return explain(seen, *found, "its truncation T[ , ]");
  }
  const auto function = lang::distribution_function(seen.call.function.name);
  if (!function || function->distribution->kind != dist::Kind::univariate) return;
  const dist::Distribution& d = *function->distribution;
  Expr lower = d.lower, upper = d.upper;
  if (d.support != nullptr) {
    std::vector<Expr> args;
    for (const Value& argument : seen.arguments.subspan(1)) args.push_back(machine_.expr(argument));
    const dist::Support support = d.support(args);
    lower = support.lower, upper = support.upper;
  }
  if (const auto found = outside(seen.arguments[0], lower, upper))
    explain(seen, *found, "its support");
}

void OutcomeReader::explain(const lang::SeenDensity& seen, const Outside& found,
                            std::string_view what) {
  const typed::Expression& outcome = seen.call.arguments[0];
  const std::string name = name_of(program_, outcome);
  const std::string index = found.element < 0 ? "" : fmt::format("[{}]", found.element + 1);
  advice.reason = fmt::format("outcome {}{} is {}, outside of {} of {}: {}", name, index,
                              found.value, what, seen.call.function.name, bounds_text(found));
  const typed::GlobalVariable* variable = variable_of(program_, outcome);
  if (variable != nullptr && variable->block == BlockKind::parameters) {
    std::string bounds;
    if (found.lower != -kInfinity) bounds = fmt::format("lower={}", found.lower);
    if (found.upper != kInfinity)
      bounds += fmt::format("{}upper={}", bounds.empty() ? "" : ", ", found.upper);
    advice.hint = fmt::format("declare {} with <{}>", name, bounds);
  } else if (seen.truncation != nullptr) {
    advice.hint =
        "every outcome has to lie between the bounds of T[ , ]: T[a, ] is a lower "
        "bound, T[, b] an upper one";
  } else {
    advice.hint = "check the data, or choose a distribution that allows such an outcome";
  }
}

// Checks variables and elements of them, since values computed from a NaN are NaN, too.
void OutcomeReader::look_for_nan(const typed::Expression& e) {
  if (nan_ || lang::is_int_based(e.type)) return;
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return look_for_nan(*promotion->operand);
  if (const auto* call = std::get_if<typed::Call>(&e.node)) {
    for (const typed::Expression& argument : call->arguments) look_for_nan(argument);
    return;
  }
  const bool is_variable = std::holds_alternative<typed::VariableUse>(e.node);
  const auto* indexed = std::get_if<typed::Indexed>(&e.node);
  if (!is_variable && indexed == nullptr) return;
  const Value value = machine_.evaluate_open(e);
  if (!value.is_reals() && !value.is_real()) return;
  const auto place = place_where(value, is_nan);
  if (!place) return;
  nan_ = NotANumber{e.range, is_variable ? number_index(value, *place) : ""};
}

Advice OutcomeReader::on_nan(const ProgramSource& source) const {
  if (!nan_) return {};
  const std::string name = std::string(source.source.text(nan_->range)) + nan_->index;
  return {fmt::format("{} is nan ({})", name, source.source.where(nan_->range)),
          fmt::format("nan is what a variable holds that was never assigned, and what 0 / 0 or "
                      "log(-1) gives: look where {} is given its value",
                      name)};
}

namespace {
Advice advice_on_nan(const ProgramSource& source, Machine& machine);
}

Advice advice_at(const ProgramParts& parts, std::span<const double> point) {
  const ProgramSource& source = parts.data.source();
  Machine* running = nullptr;
  OutcomeReader* reader = nullptr;
  Machine machine = parts.data.new_machine({.watch = [&](const lang::SeenDensity& seen) {
    if (running != nullptr) reader->look(seen);
  }});
  OutcomeReader outcomes(machine, source.program);
  running = &machine, reader = &outcomes;
  std::optional<lang::Failure> refused;
  bool for_nan = false;
  try {
    parts.parameters.run_density(machine, point);
  } catch (const lang::Rejection& r) {
    if (r.failure.kind == lang::FailureKind::requirement) refused = r.failure;
    for_nan = is_nan(r.value);
  } catch (const Error&) {
    return {};
  }
  if (!outcomes.advice.reason.empty()) return outcomes.advice;
  if (!refused) return {};
  const Advice on_nan = advice_on_nan(source, machine);
  if (!on_nan.hint.empty()) return on_nan;
  const Advice local = for_nan ? outcomes.on_nan(source) : Advice();
  return local.hint.empty() ? outcomes.on_refusal(*refused) : local;
}

// Advice by the refused value: an argument of the last density, else a value with a rule of its own.
Advice OutcomeReader::on_refusal(const lang::Failure& failure) const {
  struct Rule {
    std::string_view argument, rule, hint;
  };
  static constexpr Rule kRules[] = {
      {"lower bound", "",
       "the lower bound has to be less than the upper one wherever parameters are"},
      {"size of", "", "the size of one has to be that of the other: check their declarations"},
      {"sum of the elements", "", "divide by the sum, or use softmax"},
      {"", "symmetric",
       "lkj_corr is for a corr_matrix, lkj_corr_cholesky for its factor; a covariance is "
       "symmetric"},
      {"element above the diagonal", "", "it has to be a lower triangular factor"},
  };
  for (const Rule& rule : kRules) {
    if (failure.argument.starts_with(rule.argument) && failure.rule.starts_with(rule.rule))
      return {"", std::string(rule.hint)};
  }
  if (last_ == nullptr || last_->function.name != failure.function) return {};
  const auto function = lang::distribution_function(failure.function);
  if (!function) return {};
  const std::vector<dist::Argument>& args = function->distribution->args;
  for (std::size_t k = 0; k < args.size() && k + 1 < last_->arguments.size(); ++k) {
    const typed::GlobalVariable* variable = variable_of(program_, last_->arguments[k + 1]);
    if (args[k].name != failure.argument || variable == nullptr) continue;
    if (variable->block == BlockKind::data || variable->block == BlockKind::transformed_data)
      return {"", fmt::format("{} has such a value in the data: change it there", variable->name)};
    return {"", fmt::format("the {} is {}: give it bounds, or a transform, that keep it {}",
                            failure.argument, variable->name, failure.rule)};
  }
  return {};
}

namespace {
// Checks data first, since values computed from a NaN are NaN, too.
Advice advice_on_nan(const ProgramSource& source, Machine& machine) {
  for (const BlockKind block :
       {BlockKind::data, BlockKind::transformed_data, BlockKind::transformed_parameters}) {
    for (std::size_t k = 0; k < source.program.globals.size(); ++k) {
      const typed::GlobalVariable& variable = source.program.globals[k];
      const Value& value = machine.global(static_cast<int>(k));
      const bool has_numbers = value.is_reals() || value.is_real();
      if (variable.block != block || lang::is_int_based(variable.type) || !has_numbers) continue;
      const auto place = place_where(value, is_nan);
      if (!place) continue;
      const std::string name = variable.name + number_index(value, *place);
      if (block == BlockKind::data)
        return {name + " is nan in the data",
                "missing data can't be nan: leave " + name +
                    " out, or make it a parameter (docs/files.md, Missing data)",
                variable.name, place_in_file(value, *place)};
      return {name + " is nan",
              fmt::format("assign {} a value ({})", name, source.source.where(variable.declared))};
    }
  }
  return {};
}

std::optional<Outside> outside(const Value& outcome, const Expr& lower, const Expr& upper) {
  const auto bound = [](const Expr& b, Index i) { return b.value(b.is_scalar() ? 0 : i); };
  for (Index i = 0; i < lang::size_of(outcome); ++i) {
    const double x = lang::scalar_of(outcome, i).known;
    const Outside at{outcome.is_scalar() ? -1 : i, x, bound(lower, i), bound(upper, i)};
    if (x < at.lower || x > at.upper) return at;
  }
  return std::nullopt;
}

const typed::GlobalVariable* variable_of(const typed::Program& program,
                                         const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return variable_of(program, *promotion->operand);
  if (const auto* indexed = std::get_if<typed::Indexed>(&e.node))
    return variable_of(program, *indexed->base);
  const auto* use = std::get_if<typed::VariableUse>(&e.node);
  if (use == nullptr || use->slot.local || use->slot.index < 0) return nullptr;
  return &program.globals[static_cast<std::size_t>(use->slot.index)];
}

std::string name_of(const typed::Program& program, const typed::Expression& e) {
  const typed::GlobalVariable* variable = variable_of(program, e);
  return variable == nullptr ? "of a local variable" : variable->name;
}

std::string bounds_text(const Outside& found) {
  if (found.upper == kInfinity) return fmt::format("at least {}", found.lower);
  if (found.lower == -kInfinity) return fmt::format("at most {}", found.upper);
  return fmt::format("{} to {}", found.lower, found.upper);
}

std::optional<Index> place_where(const Value& value, bool (*is)(double)) {
  for (Index i = 0; i < lang::size_of(value); ++i) {
    const lang::Scalar x = lang::scalar_of(value, i);
    if (x.is_known() && is(x.known)) return i;
  }
  return std::nullopt;
}

// Matrices lie column by column, files have them by rows.
Index place_in_file(const Value& value, Index place) {
  const lang::Dims dims = lang::dims_of(value);
  if (lang::base_of(value) != lang::BaseType::matrix) return place;
  const Index rows = dims.back(1), cols = dims.back(), inside = place % (rows * cols);
  return place - inside + inside % rows * cols + inside / rows;
}

std::string number_index(const Value& value, Index place) {
  if (value.is_scalar()) return {};
  const lang::Dims dims = lang::dims_of(value);
  Index rest = place_in_file(value, place);
  std::string index;
  for (int d = dims.count - 1; d >= 0; --d) {
    index = fmt::format("{}{}{}", rest % dims[d] + 1, index.empty() ? "" : ",", index);
    rest /= dims[d];
  }
  return "[" + index + "]";
}
}  // namespace
}  // namespace credo::model
