// Finds the wrong argument of a Laplace function. Their calls are long: two functions, each with a
// tuple of arguments that are passed on to it, and a tuple of options.
#include "lang/check/check_internal.hpp"

namespace credo::lang {
namespace {
using Kind = TypePattern::Kind;
constexpr std::array<std::string_view, 6> kOptions{"the initial guess",      "the tolerance",
                                                   "the most steps",         "the solver",
                                                   "the most line searches", "allow_fallthrough"};

bool has_pack(const TypePattern& pattern) {
  return std::any_of(pattern.parts.begin(), pattern.parts.end(),
                     [](const TypePattern& part) { return part.kind == Kind::pack; });
}
}  // namespace

bool Checker::report_laplace_failure(std::string_view name, int builtin, const CallTypes& types,
                                     std::span<const typed::Expression> arguments) {
  const std::vector<TypePattern>& patterns = signatures_of(builtin)[0].arguments;
  for (std::size_t k = 0; k < std::min(patterns.size(), arguments.size()); ++k) {
    const TypePattern& pattern = patterns[k];
    const typed::Expression& argument = arguments[k];
    if (pattern.kind == Kind::function) {
      if (types.arguments[k].function == nullptr) return false;
    } else if (pattern.kind == Kind::tuple) {
      if (!argument.type.is_tuple()) return false;
      const bool is_reported =
          has_pack(pattern) ? report_forwarded(types.arguments[k - 1], patterns[k - 1], argument)
                            : report_options(name, pattern, argument);
      if (is_reported) return true;
    } else if (!cheapest(pattern, argument.type, 0, 0)) {
      report(DiagCode::type_mismatch, argument.range,
             {"argument " + std::to_string(k + 1) + " of " + std::string(name), to_string(pattern),
              to_string(argument.type)});
      return true;
    }
  }
  if (arguments.size() <= patterns.size()) return false;
  const bool has_options = name.find("_tol") != name.npos;
  report(DiagCode::call_types, arguments[patterns.size()].range,
         {std::string(name), "more than " + std::to_string(patterns.size()) + " arguments"},
         has_options ? "its options are one tuple"
                     : "the variant with _tol in its name takes a tuple of options");
  return true;
}

// Checks the elements of a tuple against the parameters of the function that takes them.
bool Checker::report_forwarded(const CallArgument& function, const TypePattern& pattern,
                               const typed::Expression& tuple) {
  if (function.function->overloads.size() != 1) return false;
  const FunctionType& type = function.function->overloads[0].type;
  const std::size_t own = pattern.parts.size() - 2;  // beside the pack and the result
  if (type.parameters.size() < own) return false;
  const std::vector<UnsizedType> wanted(type.parameters.begin() + static_cast<std::ptrdiff_t>(own),
                                        type.parameters.end());
  const std::string what = "passed to " + function.function->name;
  if (wanted.size() != tuple.type.elements.size()) {
    report(DiagCode::type_mismatch, tuple.range,
           {"the tuple " + what, to_string(UnsizedType::tuple(wanted)), to_string(tuple.type)});
    return true;
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (report_element(tuple, k, "element " + std::to_string(k + 1) + " of the tuple " + what,
                       wanted[k]))
      return true;
  }
  return false;
}

bool Checker::report_options(std::string_view name, const TypePattern& pattern,
                             const typed::Expression& tuple) {
  const UnsizedType wanted = instantiate(pattern, 0, 0);
  const std::string of = " of " + std::string(name);
  if (wanted.elements.size() != tuple.type.elements.size()) {
    const auto* literal = std::get_if<typed::TupleLiteral>(&tuple.node);
    report(DiagCode::type_mismatch,
           literal == nullptr ? tuple.range : literal->elements.back().range,
           {"the tuple of options" + of, to_string(wanted), to_string(tuple.type)});
    return true;
  }
  for (std::size_t k = 0; k < wanted.elements.size(); ++k) {
    if (report_element(tuple, k, std::string(kOptions[k]) + of, wanted.elements[k])) return true;
  }
  return false;
}

bool Checker::report_element(const typed::Expression& tuple, std::size_t k, std::string what,
                             const UnsizedType& wanted) {
  const UnsizedType& found = tuple.type.elements[k];
  if (promotes(found, wanted)) return false;
  const auto* literal = std::get_if<typed::TupleLiteral>(&tuple.node);
  report(DiagCode::type_mismatch, literal == nullptr ? tuple.range : literal->elements[k].range,
         {std::move(what), to_string(wanted), to_string(found)});
  return true;
}

}  // namespace credo::lang
