// `y ~ foo(args) T[L, U]` (language facts 10.2, 10.7): foo_lpmf for an int outcome when there is
// one that fits, else foo_lpdf; truncation needs both log tail functions.
#include "lang/check/check_internal.hpp"
#include "lang/diagnostics/names.hpp"

namespace credo::lang {
Checker::Node Checker::statement_node(const ast::Tilde& s, SourceRange range) {
  typed::Distribution result;
  const bool draws = is_allowed(in_generated_quantities | in_transformed_data);
  require_place(in_model | in_lp_function, "~", range,
                draws ? "~ is for the model; to draw, assign " + s.distribution.text + "_rng(...)"
                      : "use it in the model or in a function ending in _lp");
  std::vector<typed::Expression>& arguments = result.density.arguments;
  const int mass = find_builtin(s.distribution.text + "_lpmf");
  const bool may_pass = mass >= 0 && takes_functions(mass);
  arguments.push_back(expression(s.outcome));
  for (const ast::Expression& e : s.arguments)
    arguments.push_back(call_argument(e, may_pass, false));
  const CallTypes types = call_types(arguments);
  Match match;
  if (!resolve_density(s, types.arguments, result, match)) return typed::Empty{};
  result.density.drops_constants = true;
  const std::string name = s.distribution.text + (result.is_discrete ? "_lpmf" : "_lpdf");
  warn_about_density(s.outcome, arguments[0]);
  warn_about_arguments(name, arguments);
  finish_call(name, find_builtin(name), match, result.density, s.distribution.range);
  truncate(s, result, types.arguments);
  return result;
}

bool Checker::resolve_density(const ast::Tilde& s, const std::vector<CallArgument>& arguments,
                              typed::Distribution& result, Match& match) {
  const bool is_poison = std::any_of(arguments.begin(), arguments.end(),
                                     [](const CallArgument& a) { return contains_poison(a.type); });
  std::optional<ResolveFailure> failure;
  const bool is_int = is_int_based(arguments[0].type);
  for (const bool discrete : {is_int, !is_int}) {
    const std::string name = s.distribution.text + (discrete ? "_lpmf" : "_lpdf");
    const int builtin = find_builtin(name);
    const std::vector<UserOverload> known = overloads(name);
    if (builtin < 0 && known.empty()) continue;
    if (is_poison) return false;
    auto found = resolve_call(name, builtin, known, arguments);
    if (found) {
      result.is_discrete = discrete;
      match = std::move(*found);
      return true;
    }
    if (!failure) failure = found.error();
  }
  if (failure) {
    report_failure(s.distribution.text, arguments, *failure, s.distribution.range);
    return false;
  }
  report_unknown_distribution(s.distribution);
  return false;
}

void Checker::truncate(const ast::Tilde& s, typed::Distribution& result,
                       const std::vector<CallArgument>& arguments) {
  if (!s.truncation || (!s.truncation->lower && !s.truncation->upper)) return;
  result.lower = truncation_bound(s.truncation->lower, result.is_discrete);
  result.upper = truncation_bound(s.truncation->upper, result.is_discrete);
  const bool is_scalar_or_list = num_dimensions(arguments[0].type) <= 1;
  if (is_scalar_or_list) {
    result.lcdf = tail_function(s, "_lcdf", arguments);
    result.lccdf = tail_function(s, "_lccdf", arguments);
  }
  const bool has_both = !result.lcdf.name.empty() && !result.lccdf.name.empty();
  if (!has_both) {
    report(DiagCode::truncation_not_available, s.truncation->range,
           {s.distribution.text,
            "it has no " + s.distribution.text + "_lcdf and _lccdf for these types"});
    return;
  }
  const typed::FunctionRef& needed = result.upper ? result.lcdf : result.lccdf;
  if (!needed.is_user()) require_implemented(needed.name, s.truncation->range);
}

typed::Box Checker::truncation_bound(const ast::ExpressionPtr& e, bool is_discrete) {
  if (!e) return nullptr;
  const UnsizedType type = is_discrete ? BaseType::integer : BaseType::real;
  return boxed(required(*e, type, "a truncation bound"));
}

// The tail function for the outcome's own type; without a name if it doesn't exist.
typed::FunctionRef Checker::tail_function(const ast::Tilde& s, std::string_view suffix,
                                          std::vector<CallArgument> arguments) {
  const std::string name = s.distribution.text + std::string(suffix);
  const int builtin = find_builtin(name);
  const UnsizedType outcome = arguments[0].type;
  for (const UnsizedType& type : {element_type(outcome).value_or(outcome), outcome}) {
    arguments[0].type = type;
    const auto match = resolve_call(name, builtin, overloads(name), arguments);
    if (match) return reference(*match, builtin);
  }
  return {};
}

}  // namespace credo::lang
