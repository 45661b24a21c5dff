// Calls of _rng functions of the distributions.
#pragma once
#include "dist/distribution.hpp"
#include "lang/trace/builtins.hpp"

namespace credo::lang {

// One number each of a univariate distribution, drawn from the streams of the paths; a parameter
// has as many elements as there are paths, or one for all. NaN where parameters are outside of
// their domain, which the caller checks. A vector.
Expr draws_of(const dist::Distribution& d, const DrawSeed& seed, std::vector<DrawPath> paths,
              std::span<const Expr> parameters);

// Whole numbers of these values, sized as `dims`; with bounds as far as they are known.
Value whole_values(const Expr& values, const Dims& dims, const Whole& bounds);
Whole bounds_of(const dist::Distribution& d);

// Draws beyond the whole numbers of the language are refused; no effect on other draws.
void check_whole_draws(Machine& machine, const dist::Distribution& d, std::string_view function,
                       const Expr& draws);

Value run_draw(const BuiltinCall& c);

}  // namespace credo::lang
