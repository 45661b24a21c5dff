// Built-in functions as the machine runs them: one row each. The types they take are the language's
// signatures (lang/typed/signatures.hpp); a row computes them, as expressions over the operation
// table.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::lang {

// Input of a row. Arguments have been promoted to the types of the signature.
struct BuiltinCall {
  Machine& machine;
  const typed::Call& call;
  std::string_view name;
  std::span<Value> arguments;

  const Value& operator[](std::size_t k) const { return arguments[k]; }
  Expr expr(std::size_t k) const { return machine.expr(arguments[k]); }
  std::size_t size() const { return arguments.size(); }
};

// The stream of a call that runs with numbers.
inline Rng stream_of(const BuiltinCall& c) {
  const DrawSeed& seed = c.machine.draw_seed(c.name);
  return stream_at(DrawSeed::joined(seed.high.value(), seed.low.value()),
                   c.machine.path_to(c.call));
}

using BuiltinFunction = Value (*)(const BuiltinCall&);
struct Builtin {
  std::string_view name;
  BuiltinFunction run;
  bool takes_whole_numbers = false;  // open ones, too; otherwise they are decided
  bool needs_numbers = false;  // reads the values of its arguments: lang/trace/number_call.hpp
  // Signatures of a function that the language's table lacks, in the notation of lang/typed/signatures.hpp.
  std::string_view signatures = {};
};

std::span<const Builtin> builtins_arithmetic();  // operators and comparisons
std::span<const Builtin> builtins_elementwise();
std::span<const Builtin> builtins_special();     // two and more arguments, quantiles, factorials
std::span<const Builtin> builtins_order();       // sorting, ranks, quantiles of data
std::span<const Builtin> builtins_containers();  // sizes, filling, joining, slices, conversion
std::span<const Builtin> builtins_reductions();
std::span<const Builtin> builtins_linear_algebra();
std::span<const Builtin> builtins_decompositions();
std::span<const Builtin> builtins_gaussian_process();
std::span<const Builtin> builtins_ode();      // differential equations
std::span<const Builtin> builtins_algebra();  // solve_newton, ...
std::span<const Builtin> builtins_laplace();
std::span<const Builtin> builtins_parallel();     // reduce_sum, map_rect
std::span<const Builtin> builtins_constraints();  // ordered_constrain, ...
std::span<const Builtin> builtins_hidden_markov();
std::span<const Builtin> builtins_quadrature();       // integrate_1d
std::span<const Builtin> builtins_sparse();           // csr_...
std::span<const Builtin> builtins_special_library();  // Bessel, hypergeometric and other rare ones

// How a function is run: its row, or one rule for all functions of the distributions (normal_lpdf,
// normal_lcdf, normal_rng: lang/trace/density_call.cpp). Null: not implemented.
BuiltinFunction builtin_function(std::string_view name);
std::vector<Builtin> rows_with_signatures();
bool takes_whole_numbers(std::string_view name);
bool needs_numbers(std::string_view name);
bool is_implemented(std::string_view name);  // for the checker

}  // namespace credo::lang
