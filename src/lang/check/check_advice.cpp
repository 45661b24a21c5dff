// Warnings about code that is allowed but seldom meant: densities of nonlinear functions of parameters,
// parameters that lack the bounds their distribution needs, parameters without a density, variables
// without a value. Also the faults of a call that matches no signature.
#include "dist/distribution.hpp"
#include "lang/check/check_internal.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/typed/flow_facts.hpp"

namespace credo::lang {
namespace {
using BlockKind = typed::BlockKind;

// How an expression depends on parameters.
enum class Dependence { none, affine, nonlinear, unknown };

class Form {
 public:
  Form(const typed::Program& program, const std::set<int>& nonlinear)
      : program_(program), nonlinear_(nonlinear) {}
  Dependence of(const typed::Expression& e) const;

 private:
  Dependence of_variable(const typed::VariableUse& use) const;
  Dependence of_call(const typed::Call& call) const;
  Dependence of_product(const typed::Call& call) const;

  const typed::Program& program_;
  const std::set<int>& nonlinear_;  // transformed parameters
};

bool is_density_call(const ast::Expression& e);
const typed::Expression& without_promotion(const typed::Expression& e);
bool has_bounds_of_its_own(const typed::SizedType& type);
std::string_view rule_of(dist::Domain domain);  // empty: none that a bound could keep
std::string_view bounds_for(dist::Domain domain);
bool is_proper_without_prior(const typed::SizedType& type);
int num_mismatches(const Signature& signature, std::span<const CallArgument> arguments,
                   std::size_t& last);
}  // namespace

void Checker::warn_about_density(const ast::Expression& outcome, const typed::Expression& value) {
  if (Form(program_, nonlinear_).of(value) != Dependence::nonlinear) return;
  const auto* variable = ast::as<ast::Variable>(outcome);
  Diagnostic& missing = missing_jacobians_.emplace_back();
  missing.code = DiagCode::missing_jacobian;
  missing.range = outcome.range;
  missing.facts = {variable != nullptr ? variable->name : "this outcome"};
}

void Checker::note_nonlinear(typed::Slot slot, const typed::Expression& value) {
  if (slot.local || block_ != BlockKind::transformed_parameters) return;
  if (Form(program_, nonlinear_).of(value) == Dependence::nonlinear) nonlinear_.insert(slot.index);
}

// A term that isn't a density may be the Jacobian that the program computes by hand.
void Checker::note_increment(const ast::Expression& value) {
  adds_jacobian_ |= !is_density_call(value);
}

void Checker::warn_about_arguments(std::string_view name,
                                   std::span<const typed::Expression> arguments) {
  const auto function = distribution_function(name);
  if (!function || function->role != DistributionRole::density) return;
  const std::vector<dist::Argument>& args = function->distribution->args;
  for (std::size_t k = 1; k < arguments.size() && k <= args.size(); ++k) {
    const std::string_view rule = rule_of(args[k - 1].domain);
    const auto* use = std::get_if<typed::VariableUse>(&without_promotion(arguments[k]).node);
    if (rule.empty() || use == nullptr || use->slot.local || use->slot.index < 0) continue;
    const auto& variable = program_.globals[static_cast<std::size_t>(use->slot.index)];
    if (variable.block != BlockKind::parameters || has_bounds_of_its_own(*variable.sized_type))
      continue;
    report(DiagCode::parameter_without_bound, arguments[k].range,
           {variable.name, std::string(rule), std::string(args[k - 1].name), std::string(name),
            std::string(bounds_for(args[k - 1].domain))});
  }
}

void Checker::report_advice() {
  for (Diagnostic& d : missing_jacobians_) {
    if (!adds_jacobian_) report(d.code, d.range, std::move(d.facts));
  }
  for (const typed::GlobalVariable& variable : program_.globals) {
    const Symbol* symbol = scopes_.find(variable.name);
    if (symbol == nullptr || symbol->declared != variable.declared) continue;
    const bool is_input =
        variable.block == BlockKind::data || variable.block == BlockKind::parameters;
    if (variable.block == BlockKind::parameters && !symbol->is_in_density) {
      if (!is_proper_without_prior(*variable.sized_type))
        report(DiagCode::unused_parameter, variable.declared, {variable.name});
    } else if (!is_input && !symbol->is_assigned && !has_size_zero(*variable.sized_type)) {
      report(DiagCode::never_assigned, variable.declared, {variable.name});
    }
  }
  report_flow();
}

// A global one without any value has been reported where it is declared.
void Checker::report_flow() {
  for (const typed::While* loop : endless_loops(program_))
    report(DiagCode::endless_loop, loop->condition.range);
  for (Unset& unset : unset_elements(program_)) {
    const bool is_global =
        std::any_of(program_.globals.begin(), program_.globals.end(),
                    [&](const auto& variable) { return variable.declared == unset.declared; });
    if (unset.whole && is_global) continue;
    report(DiagCode::unset_element, unset.used, {unset.name}).note(unset.declared, "declared here");
  }
}

// Fault of the argument, if only one is wrong; the arguments of a passed function.
std::string Checker::call_advice(std::string_view name,
                                 std::span<const CallArgument> arguments) const {
  if (!arguments.empty() && arguments[0].function != nullptr) {
    std::string text;
    for (const UserOverload& known : arguments[0].function->overloads) {
      text += (text.empty() ? "" : "; ") + arguments[0].function->name + " is " +
              to_string(arguments[0].function->name, known.type);
    }
    if (name == "reduce_sum" || name == "reduce_sum_static")
      text += (text.empty() ? "" : "; ") +
              std::string("the function's first arguments are the slice, int start and int end");
    return text;
  }
  for (const std::string_view suffix : {"", "_lpdf", "_lpmf"}) {
    const int builtin = find_builtin(std::string(name) + std::string(suffix));
    if (builtin < 0) continue;
    for (const Signature& signature : signatures_of(builtin)) {
      std::size_t at = 0;
      if (signature.is_higher_order || num_mismatches(signature, arguments, at) != 1) continue;
      const UnsizedType& found = arguments[at].type;
      std::string text = "argument " + std::to_string(at + 1) + " is " + to_string(found) +
                         ", not " + to_string(signature.arguments[at]);
      for (const UnsizedType& wanted : signature.arguments[at].alternatives) {
        const std::string conversion = conversion_hint(found, wanted);
        if (!conversion.empty()) return text + ": " + conversion;
      }
      return text;
    }
  }
  return count_advice(name, arguments.size());
}

// "normal takes 2 arguments behind its outcome: location parameter, scale parameter".
std::string Checker::count_advice(std::string_view name, std::size_t count) const {
  for (const std::string_view suffix : {"", "_lpdf", "_lpmf"}) {
    const auto function = distribution_function(std::string(name) + std::string(suffix));
    if (!function || function->role != DistributionRole::density) continue;
    const std::vector<dist::Argument>& args = function->distribution->args;
    if (count == args.size() + 1) continue;
    std::string names;
    for (const dist::Argument& arg : args)
      names += (names.empty() ? "" : ", ") + std::string(arg.name);
    return "it takes " + std::to_string(args.size()) + " arguments behind the outcome: " + names;
  }
  return {};
}

namespace {
Dependence Form::of(const typed::Expression& e) const {
  if (is_int_based(e.type)) return Dependence::none;
  if (const auto* use = std::get_if<typed::VariableUse>(&e.node)) return of_variable(*use);
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return of(*promotion->operand);
  if (const auto* indexed = std::get_if<typed::Indexed>(&e.node)) return of(*indexed->base);
  if (const auto* call = std::get_if<typed::Call>(&e.node)) return of_call(*call);
  return e.autodiff.is_data() ? Dependence::none : Dependence::unknown;
}

Dependence Form::of_variable(const typed::VariableUse& use) const {
  if (use.slot.local || use.slot.index < 0) return Dependence::none;
  const auto& variable = program_.globals[static_cast<std::size_t>(use.slot.index)];
  if (variable.block == BlockKind::parameters) return Dependence::affine;
  if (variable.block != BlockKind::transformed_parameters) return Dependence::none;
  return nonlinear_.contains(use.slot.index) ? Dependence::nonlinear : Dependence::affine;
}

Dependence Form::of_call(const typed::Call& call) const {
  static constexpr std::array<std::string_view, 4> kSums{"add", "subtract", "minus", "plus"};
  static constexpr std::array<std::string_view, 4> kProducts{"multiply", "elt_multiply", "divide",
                                                             "elt_divide"};
  static constexpr std::array<std::string_view, 10> kElementwise{
      "log", "exp", "sqrt", "square", "pow", "inv", "logit", "inv_logit", "log1p", "inv_sqrt"};
  const auto is_in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), call.function.name) != names.end();
  };
  Dependence most = Dependence::none;
  for (const typed::Expression& argument : call.arguments) most = std::max(most, of(argument));
  if (most == Dependence::none || most == Dependence::unknown) return most;
  if (is_in(kSums)) return most;
  if (is_in(kProducts)) return of_product(call);
  return is_in(kElementwise) ? Dependence::nonlinear : Dependence::unknown;
}

Dependence Form::of_product(const typed::Call& call) const {
  const Dependence left = of(call.arguments[0]), right = of(call.arguments[1]);
  const bool is_division = call.function.name.ends_with("divide");
  if (right == Dependence::none) return left;
  if (left == Dependence::none && !is_division) return right;
  return Dependence::nonlinear;
}

bool is_density_call(const ast::Expression& e) {
  const auto* call = ast::as<ast::Call>(e);
  if (call != nullptr) {
    static constexpr std::array<std::string_view, 5> kOfDensities{
        "log_mix", "log_sum_exp", "reduce_sum", "reduce_sum_static", "sum"};
    const std::string& name = call->function.text;
    return is_conditional_name(name) ||
           std::find(kOfDensities.begin(), kOfDensities.end(), name) != kOfDensities.end();
  }
  const auto* last = ast::as<ast::Binary>(e);
  if (last == nullptr) return false;
  for (;; last = ast::as<ast::Binary>(*last->left)) {  // terms of a sum, of which there may be many
    if (!is_density_call(*last->right)) return false;
    if (ast::as<ast::Binary>(*last->left) == nullptr) return is_density_call(*last->left);
  }
}

const typed::Expression& without_promotion(const typed::Expression& e) {
  const auto* promotion = std::get_if<typed::Promotion>(&e.node);
  return promotion == nullptr ? e : without_promotion(*promotion->operand);
}

bool has_bounds_of_its_own(const typed::SizedType& type) {
  if (type.constraint == typed::Constraint::bounds) return type.lower != nullptr;
  return type.constraint != typed::Constraint::none && type.constraint != typed::Constraint::affine;
}

std::string_view rule_of(dist::Domain domain) {
  using enum dist::Domain;
  if (domain == positive_finite || domain == positive) return "> 0";
  if (domain == nonnegative_finite) return ">= 0";
  return domain == probability ? "between 0 and 1" : "";
}

std::string_view bounds_for(dist::Domain domain) {
  return domain == dist::Domain::probability ? "<lower=0, upper=1>" : "<lower=0>";
}

bool is_proper_without_prior(const typed::SizedType& type) {
  using enum typed::Constraint;
  if (type.constraint == bounds) return type.lower != nullptr && type.upper != nullptr;
  return type.constraint == simplex || type.constraint == unit_vector ||
         type.constraint == corr_matrix || type.constraint == cholesky_factor_corr ||
         type.constraint == column_stochastic_matrix || type.constraint == row_stochastic_matrix;
}

// How many arguments don't fit; more than one where their number is wrong.
int num_mismatches(const Signature& signature, std::span<const CallArgument> arguments,
                   std::size_t& last) {
  if (signature.arguments.size() != arguments.size()) return 2;
  int count = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const TypePattern& pattern = signature.arguments[k];
    if (pattern.kind != TypePattern::Kind::plain || pattern.is_class || pattern.wrapped) return 2;
    if (cheapest(pattern, arguments[k].type, 0, 0)) continue;
    ++count;
    last = k;
  }
  return count;
}
}  // namespace
}  // namespace credo::lang
