// A function passed by name to a built-in one (ode_rk45, reduce_sum, ...), ready to be called.
#pragma once
#include "lang/trace/builtins.hpp"

namespace credo::lang {

// Calls run in the machine of the outer call: with numbers they give numbers, while tracing they
// make nodes.
class Callable {
 public:
  // Argument k of the call is the function's name.
  Callable(const BuiltinCall& call, std::size_t k);

  // Arguments as the function's signature has them; bit j of `autodiff` says that argument j has
  // autodiff type (typed::Autodiff).
  Value operator()(std::vector<Value> arguments, std::uint64_t autodiff) const;
  std::string_view name() const { return name_.function.name; }

 private:
  Machine& machine_;
  const typed::FunctionName& name_;
};

// The arguments that follow the fixed ones of a higher-order function, and which of them have
// autodiff type.
struct Trailing {
  std::vector<Value> values;
  std::uint64_t autodiff = 0;

  Trailing(const BuiltinCall& call, std::size_t from);
  // After `leading` arguments of their own; `own` has the bits of those.
  std::uint64_t autodiff_after(std::size_t leading, std::uint64_t own) const;
  std::vector<Value> after(std::vector<Value> leading) const;
};

// True if argument k of the call has autodiff type.
bool has_autodiff(const BuiltinCall& call, std::size_t k);

}  // namespace credo::lang
