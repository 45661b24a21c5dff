// Facts of a model's text, its variables and its densities: plain data, for code that
// explains a run in the model's own words. A model without a text has none.
#pragma once
#include "density/layout.hpp"

namespace credo::density {

// A place in the text, ready to be shown.
struct Place {
  std::string file;
  Index line = 0, column = 0;  // from 1; 0: there is no text
  std::string where;           // "glm.stan:9:14"
  std::string shown;           // that line, with the place marked, and a line break behind it
};

// An end of a range.
struct RangeEnd {
  bool is_stated = false;
  double at = kNaN;        // the number that is written there; NaN: something else is
  bool is_of_data = true;  // no parameter moves it
};

enum class ConstraintKind {
  none,
  bounds,
  affine,
  simplex,
  unit_vector,
  cholesky_factor_corr,
  cov_matrix,
  other
};

struct StatedVariable {
  std::string name;
  Block block = Block::unknown;  // unknown: a data variable
  Place declared;
  ConstraintKind constraint = ConstraintKind::other;
  RangeEnd lower = {}, upper = {};
  std::size_t bounds_begin = 0, bounds_size = 0;  // <...> in the text; 0: it isn't there

  bool has_bounds() const { return constraint == ConstraintKind::bounds; }
};

// An outcome or an argument of a density. Variables are places in ProgramFacts::variables.
struct StatedArgument {
  std::string role = {};             // "outcome", "scale parameter"
  std::vector<Index> mentions = {};  // all that are read
  Index variable = -1;               // that it is, or is an element of
  std::vector<Index> factors = {};   // that it has the sign of: itself, or factors, each once
  RangeEnd lower = {}, upper = {};   // ends of the density; NaN: unknown from the text alone
  bool is_ordered = false;           // its elements must be

  bool reads(Index wanted) const;
};

// Each `~` and each `target +=` of a call of a density in the model block, wherever it is nested.
struct StatedDensity {
  std::int32_t statement = 0;
  Place place;
  std::string function;                   // "normal_lpdf"
  std::vector<StatedArgument> arguments;  // outcome first; there is one at least
  // True for the density of a parameter that has other parameters as arguments, or is on a standard scale that other
  // parameters multiply. Such a density states how effects vary, not prior knowledge of a parameter.
  bool is_of_effects = false;
};

struct ProgramFacts {
  std::vector<StatedVariable> variables;  // in order of their declarations
  std::vector<StatedDensity> densities;
  std::vector<Place> statements;  // by number
  // Data that look like outcomes but that no statement of the model reads, as places in `variables`.
  std::vector<Index> unread_outcomes = {};
  bool has_likelihood = true;  // false: no term depends on data
  std::string text;            // of the program's own file

  const StatedVariable* find_parameter(std::string_view name) const;  // null if there isn't one
  // Finds a parameter, transformed parameter or generated quantity.
  const StatedVariable* find_output(std::string_view name) const;
  // The statement in which `scale` is an argument of the density of `outcome`; null if there isn't one.
  const Place* place_of_scale(std::string_view scale, std::string_view outcome) const;
  // The text without the bounds of a parameter's declaration: "real<lower=0> x" as "real x". Nullopt
  // if it has no bounds or lies in an included file.
  std::optional<std::string> text_without_bounds(std::string_view parameter) const;
};

}  // namespace credo::density
