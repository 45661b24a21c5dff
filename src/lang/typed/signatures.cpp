// Matching of call types with signature patterns. A pattern has at most one class and one depth in
// play, so the candidates of a pattern are (choice of the class) x (depth that fits the first
// wrapped argument); independent sets take their cheapest member argument by argument.
#include "lang/typed/signatures.hpp"

#include "base/error.hpp"
#include "lang/typed/signature_parser.hpp"

namespace credo::lang {
namespace {
const std::vector<std::vector<Signature>>& all_signatures();  // parsed once, at the first call
std::optional<Match> match_at(const Signature& signature, std::span<const UnsizedType> arguments,
                              int choice, int depth);
UnsizedType result_type(const Signature& signature, const Match& match, int choice, int depth);
UnsizedType modified(UnsizedType type, TypePattern::Modifier modifier);
std::string joined(const std::vector<TypePattern>& patterns);
}  // namespace

int num_builtins() { return static_cast<int>(signature_rows().size()); }

int find_builtin(std::string_view name) {
  const auto rows = signature_rows();
  const auto row =
      std::lower_bound(rows.begin(), rows.end(), name,
                       [](const SignatureRow& a, std::string_view b) { return a.name < b; });
  if (row == rows.end() || row->name != name) return -1;
  return static_cast<int>(row - rows.begin());
}

std::string_view builtin_name(int builtin) {
  return signature_rows()[static_cast<std::size_t>(builtin)].name;
}

std::span<const Signature> signatures_of(int builtin) {
  return all_signatures()[static_cast<std::size_t>(builtin)];
}

std::vector<Match> match_builtin(int builtin, std::span<const UnsizedType> arguments) {
  std::vector<Match> matches;
  for (const Signature& signature : signatures_of(builtin)) {
    if (signature.is_higher_order || signature.arguments.size() != arguments.size()) continue;
    for (int depth : depths_to_try(signature, arguments)) {
      for (int choice = 0; choice < signature.num_choices; ++choice) {
        auto match = match_at(signature, arguments, choice, depth);
        if (match) matches.push_back(std::move(*match));
      }
    }
  }
  keep_cheapest(matches);
  return matches;
}

void keep_cheapest(std::vector<Match>& matches) {
  int least = std::numeric_limits<int>::max();
  for (const Match& match : matches) least = std::min(least, match.cost);
  std::vector<Match> kept;
  for (Match& match : matches) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Match& other) {
      return other.arguments == match.arguments && other.passed == match.passed;
    });
    if (match.cost == least && !known) kept.push_back(std::move(match));
  }
  matches = std::move(kept);
}

UnsizedType instantiate(const TypePattern& pattern, int choice, int depth) {
  if (pattern.kind == TypePattern::Kind::function) return BaseType::function;
  if (pattern.kind == TypePattern::Kind::tuple) {
    std::vector<UnsizedType> elements;
    for (const TypePattern& part : pattern.parts)
      elements.push_back(instantiate(part, choice, depth));
    return UnsizedType::tuple(std::move(elements));
  }
  CREDO_ASSERT(pattern.is_class || pattern.alternatives.size() == 1,
               "a set has no single instance");
  const std::size_t index = pattern.is_class ? static_cast<std::size_t>(choice) : 0;
  const int more = pattern.wrapped ? depth + pattern.extra_depth : 0;
  return modified(array_of(pattern.alternatives[index], more), pattern.modifier);
}

std::vector<int> depths_to_try(const Signature& signature, std::span<const UnsizedType> arguments) {
  const auto& patterns = signature.arguments;
  const auto wrapped = std::find_if(patterns.begin(), patterns.end(),
                                    [](const TypePattern& p) { return p.wrapped; });
  if (wrapped == patterns.end()) return {0};
  const UnsizedType& argument = arguments[static_cast<std::size_t>(wrapped - patterns.begin())];
  std::vector<int> depths;
  for (const UnsizedType& alternative : wrapped->alternatives) {
    const int depth = argument.depth - wrapped->extra_depth - alternative.depth;
    const bool is_new = std::find(depths.begin(), depths.end(), depth) == depths.end();
    if (is_new && depth >= signature.min_depth && depth <= signature.max_depth)
      depths.push_back(depth);
  }
  return depths;
}

std::optional<CheapestType> cheapest(const TypePattern& pattern, const UnsizedType& argument,
                                     int choice, int depth) {
  const int more = pattern.wrapped ? depth + pattern.extra_depth : 0;
  const auto first = static_cast<std::size_t>(pattern.is_class ? choice : 0);
  const std::size_t last = pattern.is_class ? first + 1 : pattern.alternatives.size();
  std::optional<CheapestType> best;
  for (std::size_t i = first; i < last; ++i) {
    const UnsizedType& alternative = pattern.alternatives[i];
    if (alternative.depth + more != argument.depth) continue;
    UnsizedType type = array_of(alternative, more);
    const auto cost = promotion_cost(argument, type);
    if (cost && (!best || *cost < best->cost)) best = CheapestType{std::move(type), *cost};
  }
  return best;
}

std::string to_string(const TypePattern& pattern) {
  using Kind = TypePattern::Kind;
  std::string text = pattern.data_only ? "data " : "";
  if (pattern.kind == Kind::pack) return "...";
  if (pattern.kind == Kind::tuple) return text + "tuple(" + joined(pattern.parts) + ")";
  if (pattern.kind == Kind::function) {
    const std::vector<TypePattern> parameters(pattern.parts.begin(), pattern.parts.end() - 1);
    return "(" + joined(parameters) + ") => " + to_string(pattern.parts.back());
  }
  const std::string_view name = name_of_set(pattern.alternatives);
  if (!name.empty() && !pattern.wrapped) return text + std::string(name);
  if (pattern.wrapped) text += pattern.extra_depth > 0 ? "nested array[...] " : "array[...] ";
  std::string set;
  for (const UnsizedType& type : pattern.alternatives) {
    set += (set.empty() ? "" : " | ") + to_string(modified(type, pattern.modifier));
  }
  return text + (pattern.alternatives.size() > 1 ? "{" + set + "}" : set);
}

std::string named_sets_in(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSets{{
      {"(ints", "ints is int or array[] int"},
      {"intreals", "intreals is int, real, vector, row_vector or an array of int or real"},
      {" reals", "reals is real, vector, row_vector or array[] real"},
      {"vectors", "vectors is vector, row_vector or an array of them"},
  }};
  std::string found;
  for (const auto& [name, meaning] : kSets) {
    const bool at_begin = name == " reals" && text.find("(reals") != std::string_view::npos;
    if (at_begin || text.find(name) != std::string_view::npos) found += "; " + std::string(meaning);
  }
  return found;
}

std::string to_string(std::string_view name, const Signature& signature) {
  std::string arguments = joined(signature.arguments);
  if (signature.is_variadic) arguments += ", ...";
  return std::string(name) + "(" + arguments + ") => " + to_string(signature.result);
}

namespace {
const std::vector<std::vector<Signature>>& all_signatures() {
  static const std::vector<std::vector<Signature>> all = [] {
    std::vector<std::vector<Signature>> parsed;
    int id = 0;
    for (const SignatureRow& row : signature_rows())
      parsed.push_back(parse_signatures(row.signatures, id));
    return parsed;
  }();
  return all;
}

std::optional<Match> match_at(const Signature& signature, std::span<const UnsizedType> arguments,
                              int choice, int depth) {
  Match match;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypePattern& pattern = signature.arguments[i];
    auto candidate = cheapest(pattern, arguments[i], choice, depth);
    if (!candidate) return std::nullopt;
    match.cost += candidate->cost;
    match.arguments.push_back(std::move(candidate->type));
    match.data_only.push_back(pattern.data_only);
  }
  match.signature = signature.id;
  match.result = result_type(signature, match, choice, depth);
  return match;
}

UnsizedType result_type(const Signature& signature, const Match& match, int choice, int depth) {
  UnsizedType type = instantiate(signature.result, choice, depth);
  const bool any_container =
      std::any_of(match.arguments.begin(), match.arguments.end(),
                  [](const UnsizedType& argument) { return !argument.is_scalar(); });
  return signature.result.modifier == TypePattern::Modifier::rng && any_container ? array_of(type)
                                                                                  : type;
}

UnsizedType modified(UnsizedType type, TypePattern::Modifier modifier) {
  if (modifier == TypePattern::Modifier::real) return with_real_base(std::move(type));
  if (modifier == TypePattern::Modifier::real_part) return real_part(std::move(type));
  if (modifier == TypePattern::Modifier::complex) return with_complex_base(std::move(type));
  return type;
}

std::string joined(const std::vector<TypePattern>& patterns) {
  std::string text;
  for (const TypePattern& pattern : patterns)
    text += (text.empty() ? "" : ", ") + to_string(pattern);
  return text;
}
}  // namespace
}  // namespace credo::lang
