// Calls and operators: which function, which promotions, and whether it may be called here.
#include "lang/check/check_internal.hpp"
#include "lang/diagnostics/names.hpp"

namespace credo::lang {
namespace {
constexpr std::string_view kIntDivision = "idivide";  // has no call form

// Places in which a name may be called (language facts 13), by its ending.
struct PermissionRow {
  std::string_view ending;
  unsigned places;
  std::string_view hint;
};
constexpr std::array<PermissionRow, 5> kPermissions{{
    {"_rng", in_transformed_data | in_generated_quantities | in_rng_function,
     "random numbers are for transformed data, generated quantities and functions ending in _rng"},
    {"_lp", in_transformed_parameters | in_model | in_lp_function,
     "functions ending in _lp are for the model and for each other"},
    {"_jacobian", in_transformed_parameters | in_jacobian_function,
     "functions ending in _jacobian are for transformed parameters and for each other"},
    {"_lupdf", in_model | in_density_function, "write _lpdf"},
    {"_lupmf", in_model | in_density_function, "write _lpmf"},
}};

// Built-ins of which a better one exists (language facts 20); a prefix of the name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDeprecated{{
    {"integrate_ode", "use ode_rk45, ode_bdf or ode_adams"},
    {"algebra_solver_newton", "use solve_newton"},
    {"algebra_solver", "use solve_powell"},
    {"lkj_cov_", "use lkj_corr and a prior for the standard deviations"},
}};

std::string operator_hint(std::string_view function, const std::vector<CallArgument>& operands);
std::string types_text(const std::vector<CallArgument>& arguments);
bool is_data(const typed::Expression& e);
}  // namespace

bool Checker::apply_operator(std::string_view name, std::string_view spelling,
                             std::vector<typed::Expression> operands, typed::Expression& result) {
  if (std::any_of(operands.begin(), operands.end(), is_poisoned)) return false;
  const int builtin = find_builtin(name);
  const std::vector<CallArgument> types = call_types(operands).arguments;
  const std::vector<UserOverload> none;
  const auto match = resolve_call(name, builtin, none, types);
  if (!match) {
    const std::string text = types.size() == 1
                                 ? to_string(types[0].type)
                                 : to_string(types[0].type) + " and " + to_string(types[1].type);
    report(DiagCode::operator_types, result.range, {std::string(spelling), text},
           operator_hint(name, types));
    return false;
  }
  typed::Call made;
  made.is_operator = true;
  made.arguments = std::move(operands);
  finish_call(name, builtin, *match, made, result.range);
  result.type = match->result;
  result.autodiff = autodiff_of_call(made, result.type);
  result.node = std::move(made);
  return true;
}

bool Checker::call(const ast::Call& n, SourceRange range, typed::Call& result, UnsizedType& type) {
  const std::string name = full_name(n.function.text);
  result.drops_constants = name != n.function.text;
  int builtin = name == kIntDivision ? -1 : find_builtin(name);
  const std::vector<UserOverload> known = overloads(name);
  const bool is_known =
      builtin >= 0 || (!known.empty() && scopes_.find(n.function.text) == nullptr);
  result.arguments = call_arguments(n, builtin >= 0 && takes_functions(builtin));
  if (!is_known) return report_unknown_function(n.function, edits_of_old_call(n, result.arguments));
  check_bar(n, range);
  check_permission(n.function.text, n.function.range);
  if (std::any_of(result.arguments.begin(), result.arguments.end(), is_poisoned)) return false;
  const CallTypes types = call_types(result.arguments);
  const auto match = resolve_call(name, builtin, known, types.arguments);
  if (!match) {
    const bool is_explained = !match.error().is_ambiguous && name.starts_with("laplace_") &&
                              report_laplace_failure(name, builtin, types, result.arguments);
    if (!is_explained) report_failure(n.function.text, types.arguments, match.error(), range);
    return false;
  }
  if (is_conditional_name(name)) warn_about_arguments(name, result.arguments);
  finish_call(name, builtin, *match, result, n.function.range);
  type = match->result;
  return true;
}

std::vector<typed::Expression> Checker::call_arguments(const ast::Call& n, bool takes_functions) {
  std::vector<typed::Expression> result;
  for (const ast::Expression& e : n.arguments)
    result.push_back(call_argument(e, takes_functions, result.empty()));
  return result;
}

// A function that takes functions takes one first.
typed::Expression Checker::call_argument(const ast::Expression& e, bool takes_functions,
                                         bool is_first) {
  const auto* name = ast::as<ast::Variable>(e);
  const bool may_be = takes_functions && name != nullptr && scopes_.find(name->name) == nullptr;
  const bool is_function = may_be && is_function_name(name->name);
  if (may_be && !is_function && is_first) {
    report_unknown_function({name->name, e.range});
    return {};
  }
  if (!is_function) return expression(e);
  check_permission(name->name, e.range);
  typed::Expression result;
  result.type = BaseType::function;
  result.range = e.range;
  result.statement = statement_;
  typed::FunctionName function;
  const std::string full = full_name(name->name);
  function.drops_constants = full != name->name;
  const std::vector<UserOverload> known = overloads(full);  // the call selects one of them
  function.function = known.empty() ? builtin_reference(find_builtin(full), -1)
                                    : user_reference(known.front().function);
  result.node = function;
  return result;
}

bool Checker::is_function_name(std::string_view name) {
  const std::string full = full_name(name);
  return functions_.contains(full) || (full != kIntDivision && find_builtin(full) >= 0);
}

CallTypes Checker::call_types(std::span<const typed::Expression> arguments) const {
  CallTypes types;
  types.passed.resize(arguments.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    types.arguments.push_back({arguments[k].type});
    const auto* function = std::get_if<typed::FunctionName>(&arguments[k].node);
    if (function == nullptr) continue;
    types.passed[k] = passed_function(function->function.name);
    types.arguments[k].function = &types.passed[k];
  }
  return types;
}

PassedFunction Checker::passed_function(std::string_view name) const {
  PassedFunction passed;
  passed.name = std::string(name);
  passed.overloads = overloads(name);
  passed.builtin = find_builtin(name);
  return passed;
}

std::vector<UserOverload> Checker::overloads(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? std::vector<UserOverload>{} : found->second;
}

// Int results never carry derivatives; a function that may change the target always does.
typed::Autodiff Checker::autodiff_of_call(const typed::Call& call,
                                          const UnsizedType& result) const {
  typed::Autodiff autodiff;
  if (is_int_based(result)) return autodiff;
  for (const typed::Expression& argument : call.arguments) autodiff.join(argument.autodiff);
  autodiff.always |= suffix_of(call.function.name) == typed::Suffix::lp;
  return autodiff;
}

void Checker::check_bar(const ast::Call& n, SourceRange range) {
  const bool is_conditional = is_conditional_name(n.function.text);
  if (is_conditional && n.arguments.size() > 1 && !n.has_bar) {
    report(DiagCode::bar_expected, range, {n.function.text}).edits = edits_of_bar(n);
  } else if (!is_conditional && n.has_bar) {
    report(DiagCode::bar_not_allowed, range, {n.function.text});
  }
}

void Checker::check_permission(std::string_view name, SourceRange range) {
  for (const PermissionRow& row : kPermissions) {
    if (!name.ends_with(row.ending)) continue;
    const bool allowed = require_place(row.places, std::string(name), range, std::string(row.hint));
    if (allowed && row.ending == "_lp" && is_allowed(in_transformed_parameters)) {
      report(DiagCode::deprecated, range, {"a function ending in _lp in transformed parameters"},
             "use jacobian += and a function ending in _jacobian");
    }
    if (allowed && row.ending == "_rng" && in_global_size_) {
      report(DiagCode::not_data_only, range, {"a size", std::string(name)});
    }
    return;
  }
}

void Checker::finish_call(std::string_view name, int builtin, const Match& match, typed::Call& call,
                          SourceRange range) {
  call.function = reference(match, builtin);
  if (suffix_of(name) == typed::Suffix::rng) call.site = ++num_sites_;
  if (match.user < 0) check_builtin(name, range);
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    typed::Expression& argument = call.arguments[k];
    if (std::holds_alternative<typed::FunctionName>(argument.node)) {
      finish_passed(name, match.passed[k], argument);
      continue;
    }
    require_data(name, match, k, argument);
    argument = promoted(std::move(argument), match.arguments[k]);
  }
}

// meaning: the function of the program; -1 for a built-in one.
void Checker::finish_passed(std::string_view name, int meaning, typed::Expression& argument) {
  typed::FunctionRef& function = std::get<typed::FunctionName>(argument.node).function;
  check_passed_suffix(name, function.name, argument.range);
  if (meaning >= 0) {
    function = user_reference(meaning);
  } else {
    function = builtin_reference(find_builtin(function.name), -1);
    check_builtin(function.name, argument.range);
  }
}

// Functions that change the target, or draw, can't be called by others; densities by sums only.
void Checker::check_passed_suffix(std::string_view name, std::string_view passed,
                                  SourceRange range) {
  using enum typed::Suffix;
  const typed::Suffix suffix = suffix_of(passed);
  const bool is_density = suffix == lpdf || suffix == lpmf;
  const bool takes_densities = name.starts_with("reduce_sum");
  const bool fits =
      is_density ? takes_densities : suffix != lp && suffix != rng && suffix != jacobian;
  if (fits) return;
  report(DiagCode::type_mismatch, range,
         {"the function passed to " + std::string(name),
          takes_densities ? "a plain function or a density" : "a plain function",
          "one ending in " + std::string(passed.substr(passed.rfind('_')))},
         "pass a function whose name has no such ending, and use its result");
}

// Arguments declared as data mustn't depend on parameters, nor may arguments of
// laplace_latent_solve, which has no derivatives.
void Checker::require_data(std::string_view name, const Match& match, std::size_t k,
                           const typed::Expression& argument) {
  const std::string what = "argument " + std::to_string(k + 1) + " of " + std::string(name);
  if (match.data_only[k]) require_data(argument, what);
  if (!argument.type.is_tuple() || match.data_only_elements.empty()) return;
  std::vector<bool> data_only = match.data_only_elements[k];
  if (name.starts_with("laplace_latent_solve")) data_only.assign(data_only.size(), true);
  const auto* literal = std::get_if<typed::TupleLiteral>(&argument.node);
  const bool any = std::find(data_only.begin(), data_only.end(), true) != data_only.end();
  if (literal == nullptr && any) require_data(argument, what);
  if (literal == nullptr) return;
  for (std::size_t i = 0; i < data_only.size(); ++i) {
    if (data_only[i])
      require_data(literal->elements[i], "element " + std::to_string(i + 1) + " of " + what);
  }
}

void Checker::require_data(const typed::Expression& e, std::string what) {
  if (is_data(e)) return;
  report(DiagCode::not_data_only, e.range,
         {std::move(what), function_ != nullptr ? "arguments not declared data" : "parameters"});
}

typed::FunctionRef Checker::reference(const Match& match, int builtin) const {
  return match.user >= 0 ? user_reference(match.user) : builtin_reference(builtin, match.signature);
}

typed::FunctionRef Checker::builtin_reference(int builtin, int signature) const {
  typed::FunctionRef function;
  function.signature = signature;
  function.builtin = builtin;
  if (builtin >= 0) function.name = builtin_name(builtin);
  return function;
}

typed::FunctionRef Checker::user_reference(int index) const {
  typed::FunctionRef function;
  function.user = index;
  function.name = program_.functions[static_cast<std::size_t>(index)].name;
  return function;
}

void Checker::report_failure(std::string_view name, const std::vector<CallArgument>& arguments,
                             const ResolveFailure& failure, SourceRange range) {
  const std::string advice = failure.is_ambiguous ? "" : call_advice(name, arguments);
  std::string hint;
  for (const std::string& candidate : failure.candidates)
    hint += (hint.empty() ? "it takes " : "; or ") + candidate;
  if (!advice.empty()) hint = hint.empty() ? advice : advice + "; " + hint;
  hint += named_sets_in(hint);
  const DiagCode code = failure.is_ambiguous ? DiagCode::ambiguous_call : DiagCode::call_types;
  report(code, range, {std::string(name), types_text(arguments)}, std::move(hint));
}

bool takes_functions(int builtin) {
  const auto signatures = signatures_of(builtin);
  return std::any_of(signatures.begin(), signatures.end(),
                     [](const Signature& signature) { return signature.is_higher_order; });
}

void Checker::check_builtin(std::string_view name, SourceRange range) {
  require_implemented(name, range);
  for (const auto& [prefix, hint] : kDeprecated) {
    if (!name.starts_with(prefix)) continue;
    report(DiagCode::deprecated, range, {std::string(name)}, std::string(hint));
    return;
  }
}

void Checker::require_implemented(std::string_view name, SourceRange range) {
  if (options_.is_implemented == nullptr || options_.is_implemented(name)) return;
  report(DiagCode::not_implemented, range, {std::string(name)});
}

namespace {
std::string operator_hint(std::string_view function, const std::vector<CallArgument>& operands) {
  if (operands.size() != 2) return "";
  const UnsizedType &a = operands[0].type, &b = operands[1].type;
  if (a.is(BaseType::vector) && b.is(BaseType::vector) && function == "multiply") {
    return "use dot_product(a, b) or a .* b";
  }
  if (a.is(BaseType::vector) && b.is(BaseType::vector) && function == "divide") return "use a ./ b";
  const bool is_array = (a.depth > 0) != (b.depth > 0) || (a.depth > 0 && b.depth > 0);
  if (is_array) return "arithmetic has no arrays; convert with to_vector";
  const bool mixed = (a.is(BaseType::vector) && b.is(BaseType::row_vector)) ||
                     (a.is(BaseType::row_vector) && b.is(BaseType::vector));
  if (mixed) return "transpose one of them with '";
  if (a.is(BaseType::vector) && b.is(BaseType::matrix) && function == "multiply")
    return "write matrix * vector, or make it a row_vector with v' * matrix";
  if (a.is(BaseType::matrix) && b.is(BaseType::row_vector) && function == "multiply")
    return "make it a vector with matrix * v'";
  if (function.starts_with("logical_") && !(a.is_scalar() && b.is_scalar()))
    return "compare element by element in a loop, as in x[n] > 0";
  if (function == "logical_and" || function == "logical_or") return "compare with 0 to make an int";
  return "";
}

// Ints have no derivatives, but what operators and ?: make of parameters is decided by them.
bool is_data(const typed::Expression& e) {
  if (!e.autodiff.is_data()) return false;
  const auto all_data = [](const std::vector<typed::Expression>& all) {
    return std::all_of(all.begin(), all.end(), is_data);
  };
  if (const auto* n = std::get_if<typed::Call>(&e.node))
    return !n->is_operator || all_data(n->arguments);
  if (const auto* n = std::get_if<typed::Conditional>(&e.node))
    return is_data(*n->condition) && is_data(*n->if_true) && is_data(*n->if_false);
  if (const auto* n = std::get_if<typed::ShortCircuit>(&e.node))
    return is_data(*n->left) && is_data(*n->right);
  if (const auto* n = std::get_if<typed::ArrayLiteral>(&e.node)) return all_data(n->elements);
  if (const auto* n = std::get_if<typed::Promotion>(&e.node)) return is_data(*n->operand);
  const auto* indexed = std::get_if<typed::Indexed>(&e.node);
  return indexed == nullptr || is_data(*indexed->base);
}

// Text of a type; for a function of the program, with its arguments and result.
std::string text_of(const CallArgument& argument) {
  const PassedFunction* passed = argument.function;
  if (passed == nullptr || passed->overloads.size() != 1) return to_string(argument.type);
  return to_string(passed->name, passed->overloads[0].type);
}

std::string types_text(const std::vector<CallArgument>& arguments) {
  std::string text;
  for (const CallArgument& argument : arguments)
    text += (text.empty() ? "" : ", ") + text_of(argument);
  return text;
}
}  // namespace
}  // namespace credo::lang
