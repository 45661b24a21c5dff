// Overload resolution, and the rules for functions that take functions: the passed function has the
// leading types of the pattern exactly, its trailing parameters take the call's extra arguments (or
// a tuple's elements) with promotion.
#include "lang/typed/overloads.hpp"

namespace credo::lang {
namespace {
constexpr std::size_t kMaxCandidates = 12;
using Kind = TypePattern::Kind;

std::optional<Match> match_user(const UserOverload& overload,
                                std::span<const UnsizedType> arguments);
std::vector<std::string> all_candidates(std::string_view name, int builtin,
                                        std::span<const UserOverload> overloads);
std::vector<std::string> candidates_of(std::string_view name, const std::vector<Match>& matches);

// One higher-order pattern against one call.
class HigherOrder {
 public:
  HigherOrder(const Signature& signature, std::span<const CallArgument> arguments)
      : signature_(signature), arguments_(arguments) {}
  std::vector<Match> matches();

 private:
  std::optional<Match> match_at(int choice, int depth, std::size_t meanings);
  std::size_t num_meanings() const;  // number for all passed functions together
  bool bind_functions(Match& match, std::size_t meanings);
  bool bind(const TypePattern& pattern, const PassedFunction& passed, std::size_t meaning,
            Match& match);
  bool bind_user(const UserOverload& overload, const TypePattern& pattern, Match& match);
  bool bind_builtin(int builtin, const TypePattern& pattern, Match& match);
  bool add_plain(std::size_t k, Match& match);
  bool add_tuple(std::size_t k, Match& match);
  bool add_extras(Match& match);
  bool add(const UnsizedType& from, const UnsizedType& to, bool data_only, Match& match) const;
  std::vector<UnsizedType> extras_for(char pack) const;
  std::vector<UnsizedType> leading_types(const TypePattern& pattern) const;

  struct Pack {
    std::vector<UnsizedType> types;
    std::vector<bool> data_only;
  };
  const Signature& signature_;
  std::span<const CallArgument> arguments_;
  std::map<char, Pack> packs_;
  int choice_ = 0, depth_ = 0;
};
char pack_of(const TypePattern& pattern);  // pack of its last parameter or part; 0 without a pack
std::size_t num_meanings_of(const PassedFunction& passed);
std::vector<UnsizedType> types_of(std::span<const CallArgument> arguments);
}  // namespace

Result<Match, ResolveFailure> resolve_call(std::string_view name, int builtin,
                                           std::span<const UserOverload> overloads,
                                           std::span<const CallArgument> arguments) {
  const std::vector<UnsizedType> types = types_of(arguments);
  std::vector<Match> matches;
  if (builtin >= 0) {
    matches = match_builtin(builtin, types);
    for (const Signature& signature : signatures_of(builtin)) {
      if (!signature.is_higher_order) continue;
      for (Match& match : HigherOrder(signature, arguments).matches())
        matches.push_back(std::move(match));
    }
  }
  for (const UserOverload& overload : overloads) {
    if (auto match = match_user(overload, types)) matches.push_back(std::move(*match));
  }
  keep_cheapest(matches);
  if (matches.empty())
    return Unexpected{ResolveFailure{false, all_candidates(name, builtin, overloads)}};
  if (matches.size() > 1) return Unexpected{ResolveFailure{true, candidates_of(name, matches)}};
  return std::move(matches.front());
}

std::string to_string(std::string_view name, const FunctionType& type) {
  std::string text;
  for (std::size_t k = 0; k < type.parameters.size(); ++k) {
    text += (k == 0 ? "" : ", ") + std::string(type.data_only[k] ? "data " : "") +
            to_string(type.parameters[k]);
  }
  return std::string(name) + "(" + text + ") => " + to_string(type.result);
}

namespace {
std::optional<Match> match_user(const UserOverload& overload,
                                std::span<const UnsizedType> arguments) {
  const FunctionType& type = overload.type;
  if (type.parameters.size() != arguments.size()) return std::nullopt;
  Match match;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto cost = promotion_cost(arguments[k], type.parameters[k]);
    if (!cost) return std::nullopt;
    match.cost += *cost;
  }
  match.arguments = type.parameters;
  match.data_only = type.data_only;
  match.result = type.result;
  match.user = overload.function;
  return match;
}

std::vector<std::string> all_candidates(std::string_view name, int builtin,
                                        std::span<const UserOverload> overloads) {
  std::vector<std::string> candidates;
  for (const UserOverload& overload : overloads)
    candidates.push_back(to_string(name, overload.type));
  if (builtin < 0) return candidates;
  for (const Signature& signature : signatures_of(builtin)) {
    if (candidates.size() < kMaxCandidates) candidates.push_back(to_string(name, signature));
  }
  return candidates;
}

std::vector<std::string> candidates_of(std::string_view name, const std::vector<Match>& matches) {
  std::vector<std::string> candidates;
  for (const Match& match : matches) {
    candidates.push_back(
        to_string(name, FunctionType{match.arguments, match.data_only, match.result}));
  }
  return candidates;
}

std::vector<Match> HigherOrder::matches() {
  const std::size_t fixed = signature_.arguments.size();
  const bool arity =
      signature_.is_variadic ? arguments_.size() >= fixed : arguments_.size() == fixed;
  std::vector<Match> found;
  if (!arity) return found;
  const std::vector<UnsizedType> types = types_of(arguments_);
  for (int depth : depths_to_try(signature_, types)) {
    for (int choice = 0; choice < signature_.num_choices; ++choice) {
      for (std::size_t meanings = 0; meanings < num_meanings(); ++meanings) {
        if (auto match = match_at(choice, depth, meanings)) found.push_back(std::move(*match));
      }
    }
  }
  return found;
}

std::optional<Match> HigherOrder::match_at(int choice, int depth, std::size_t meanings) {
  packs_.clear();
  choice_ = choice, depth_ = depth;
  Match match;
  match.data_only_elements.resize(arguments_.size());
  if (!bind_functions(match, meanings)) return std::nullopt;
  for (std::size_t k = 0; k < signature_.arguments.size(); ++k) {
    const Kind kind = signature_.arguments[k].kind;
    const bool fits = kind == Kind::tuple ? add_tuple(k, match) : add_plain(k, match);
    if (!fits) return std::nullopt;
  }
  if (signature_.is_variadic && !add_extras(match)) return std::nullopt;
  match.signature = signature_.id;
  match.result = instantiate(signature_.result, choice, depth);
  return match;
}

std::size_t HigherOrder::num_meanings() const {
  std::size_t product = 1;
  for (const CallArgument& argument : arguments_) {
    if (argument.function != nullptr) product *= num_meanings_of(*argument.function);
  }
  return product;
}

// meanings: which one of each function, the first one's in the lowest place.
bool HigherOrder::bind_functions(Match& match, std::size_t meanings) {
  for (std::size_t k = 0; k < signature_.arguments.size(); ++k) {
    const bool wants_function = signature_.arguments[k].kind == Kind::function;
    const PassedFunction* passed = arguments_[k].function;
    if (wants_function != (passed != nullptr)) return false;
    if (!wants_function) {
      match.passed.push_back(-1);
      continue;
    }
    const std::size_t count = num_meanings_of(*passed);
    if (!bind(signature_.arguments[k], *passed, meanings % count, match)) return false;
    meanings /= count;
  }
  return true;
}

bool HigherOrder::bind(const TypePattern& pattern, const PassedFunction& passed,
                       std::size_t meaning, Match& match) {
  if (meaning < passed.overloads.size())
    return bind_user(passed.overloads[meaning], pattern, match);
  return bind_builtin(passed.builtin, pattern, match);
}

bool HigherOrder::bind_user(const UserOverload& overload, const TypePattern& pattern,
                            Match& match) {
  const FunctionType& type = overload.type;
  const std::vector<UnsizedType> leading = leading_types(pattern),
                                 extras = extras_for(pack_of(pattern));
  if (type.parameters.size() != leading.size() + extras.size()) return false;
  if (type.result != instantiate(pattern.parts.back(), choice_, depth_)) return false;
  for (std::size_t k = 0; k < leading.size(); ++k) {
    const bool data_fits = pattern.parts[k].data_only || !type.data_only[k];
    if (type.parameters[k] != leading[k] || !data_fits) return false;
  }
  Pack& pack = packs_[pack_of(pattern)];
  for (std::size_t k = 0; k < extras.size(); ++k) {
    if (!promotion_cost(extras[k], type.parameters[leading.size() + k])) return false;
  }
  const auto from = static_cast<std::ptrdiff_t>(leading.size());
  pack.types.assign(type.parameters.begin() + from, type.parameters.end());
  pack.data_only.assign(type.data_only.begin() + from, type.data_only.end());
  match.passed.push_back(overload.function);
  return true;
}

bool HigherOrder::bind_builtin(int builtin, const TypePattern& pattern, Match& match) {
  std::vector<UnsizedType> types = leading_types(pattern);
  const auto from = static_cast<std::ptrdiff_t>(types.size());
  const std::vector<UnsizedType> leading = types;
  for (const UnsizedType& type : extras_for(pack_of(pattern))) types.push_back(type);
  const std::vector<Match> found = match_builtin(builtin, types);
  if (found.size() != 1 || found[0].result != instantiate(pattern.parts.back(), choice_, depth_))
    return false;
  if (!std::equal(leading.begin(), leading.end(), found[0].arguments.begin())) return false;
  Pack& pack = packs_[pack_of(pattern)];
  pack.types.assign(found[0].arguments.begin() + from, found[0].arguments.end());
  pack.data_only.assign(found[0].data_only.begin() + from, found[0].data_only.end());
  match.passed.push_back(-1);
  return true;
}

bool HigherOrder::add_plain(std::size_t k, Match& match) {
  const TypePattern& pattern = signature_.arguments[k];
  if (pattern.kind == Kind::function)
    return add(BaseType::function, BaseType::function, false, match);
  const auto best = cheapest(pattern, arguments_[k].type, choice_, depth_);
  return best && add(arguments_[k].type, best->type, pattern.data_only, match);
}

bool HigherOrder::add_tuple(std::size_t k, Match& match) {
  const TypePattern& pattern = signature_.arguments[k];
  const char pack = pack_of(pattern);
  std::vector<bool>& data_only = match.data_only_elements[k];
  if (pack == 0) {
    for (const TypePattern& part : pattern.parts) data_only.push_back(part.data_only);
    return add(arguments_[k].type, instantiate(pattern, choice_, depth_), false, match);
  }
  const Pack& bound = packs_[pack];
  data_only = bound.data_only;
  return add(arguments_[k].type, UnsizedType::tuple(bound.types), false, match);
}

bool HigherOrder::add_extras(Match& match) {
  const Pack& pack = packs_['.'];
  const std::size_t fixed = signature_.arguments.size();
  for (std::size_t k = fixed; k < arguments_.size(); ++k) {
    match.passed.push_back(-1);
    const std::size_t extra = k - fixed;
    if (!add(arguments_[k].type, pack.types[extra], pack.data_only[extra], match)) return false;
  }
  return true;
}

bool HigherOrder::add(const UnsizedType& from, const UnsizedType& to, bool data_only,
                      Match& match) const {
  const auto cost = promotion_cost(from, to);
  if (!cost) return false;
  match.cost += *cost;
  match.arguments.push_back(to);
  match.data_only.push_back(data_only);
  return true;
}

std::vector<UnsizedType> HigherOrder::extras_for(char pack) const {
  const std::size_t fixed = signature_.arguments.size();
  if (pack == 0) return {};
  if (pack == '.') return types_of(arguments_.subspan(fixed));
  for (std::size_t k = 0; k < fixed; ++k) {
    const TypePattern& pattern = signature_.arguments[k];
    if (pattern.kind == Kind::tuple && pack_of(pattern) == pack) return arguments_[k].type.elements;
  }
  return {};
}

std::vector<UnsizedType> HigherOrder::leading_types(const TypePattern& pattern) const {
  std::vector<UnsizedType> types;
  for (std::size_t k = 0; k + 1 < pattern.parts.size(); ++k) {
    if (pattern.parts[k].kind != Kind::pack)
      types.push_back(instantiate(pattern.parts[k], choice_, depth_));
  }
  return types;
}

char pack_of(const TypePattern& pattern) {
  for (const TypePattern& part : pattern.parts) {
    if (part.kind == Kind::pack) return part.pack;
  }
  return 0;
}

std::size_t num_meanings_of(const PassedFunction& passed) {
  return passed.overloads.size() + (passed.builtin >= 0 ? 1 : 0);
}

std::vector<UnsizedType> types_of(std::span<const CallArgument> arguments) {
  std::vector<UnsizedType> types;
  for (const CallArgument& argument : arguments) types.push_back(argument.type);
  return types;
}
}  // namespace
}  // namespace credo::lang
