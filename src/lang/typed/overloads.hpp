// Selects a call's function among a name's built-in signatures and the program's own overloads
// (language facts 8.3, 8.4, 8.6). The cheapest promotions win; two equally cheap ones are
// ambiguous.
#pragma once
#include "lang/typed/signatures.hpp"

namespace credo::lang {

struct UserOverload {
  int function = -1;  // index into the program's functions
  FunctionType type;
};

// A function's name as an argument, with its possible meanings.
struct PassedFunction {
  std::string name;
  std::vector<UserOverload> overloads;
  int builtin = -1;
};

struct CallArgument {
  UnsizedType type;                          // `function` when it is a name
  const PassedFunction* function = nullptr;  // then not null
};

struct ResolveFailure {
  bool is_ambiguous = false;
  std::vector<std::string> candidates;  // "normal_lpdf(reals, ...) => real"
};

// builtin: -1 if the name isn't a built-in function. In the match, `passed[k]` is the program's function that
// argument k names, -1 for a built-in one.
Result<Match, ResolveFailure> resolve_call(std::string_view name, int builtin,
                                           std::span<const UserOverload> overloads,
                                           std::span<const CallArgument> arguments);

std::string to_string(std::string_view name, const FunctionType& type);

}  // namespace credo::lang
