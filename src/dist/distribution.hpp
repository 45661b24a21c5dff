// One distribution: its arguments and support, its log density as a formula over the rows of the
// operation table, and what else is known of it. One file each, one row each in dist/table.cpp; the
// names of the language (_lpdf, _lpmf, _cdf, _lcdf, _lccdf, _rng, ~, truncation), broadcasting,
// checks and the property suite follow from the row.
#pragma once
#include "base/rng.hpp"
#include "graph/ops/checks.hpp"

namespace credo::dist {

using graph::Checks;
using graph::Expr;

enum class Domain {
  real,  // not NaN
  finite,
  positive_finite,
  nonnegative_finite,
  positive,     // infinity is allowed
  probability,  // [0, 1]
  integer,      // any whole number
  count,        // whole number >= 0
  unit_simplex,
  custom  // checked by the distribution's own `check`
};

struct Argument {
  std::string_view name;  // name in messages: "location parameter"
  Domain domain = Domain::finite;
};

// Effect of a point outside the support: an error (the evaluation is refused), or log density
// -infinity.
enum class Outside { error, minus_infinity };

using Args = std::span<const Expr>;
using Params = std::span<const double>;

// How outcome and arguments are shaped.
enum class Kind {
  univariate,   // everything broadcasts elementwise over scalars and 1-d containers; the result is
                // the sum
  multivariate  // the formula sees whole containers
};

// Result of draw_all.
enum class Drawn { number, vector, square_matrix };

enum class Tail { cdf, log_cdf, log_ccdf };

// Level of a quantile, P(X <= x) = p = 1 - q: as one number, which is meant exactly, and
// as the others to rounding, so that both tails keep their digits.
struct Level {
  Tail given = Tail::cdf;
  double p = 0.0, q = 1.0, log_p = -kInfinity, log_q = 0.0;
};
Level level(Tail given, double value);

// Interval in which the density is positive, with both ends.
struct Support {
  Expr lower, upper;
};

struct Distribution;

// An independent outcome of a regression.
struct Part {
  const Distribution* distribution;
  std::vector<Expr> args;
};

// Moments of the n elements of an outcome in column-major order: means, the n x n covariances, and the
// differential entropy (of the elements that aren't fixed: below the diagonal of a symmetric or
// triangular matrix and on it), in nats. Moments that don't exist are NaN, those that
// diverge are infinite.
struct Moments {
  std::vector<double> mean, covariance;
  double entropy = 0.0;
};

struct Distribution {
  std::string_view name;  // "normal"
  Kind kind = Kind::univariate;
  bool discrete = false;       // _lpmf, integer outcome
  bool known_outcome = false;  // the formula reads the outcome's value
  bool only_density = false;   // without tails, draws or moments in the language
  std::vector<Argument> args;
  Argument outcome{"random variable", Domain::real};
  double lower = -kInfinity,
         upper = kInfinity;  // bounds of a support that doesn't depend on arguments; inclusive
  Support (*support)(Args args) = nullptr;  // for a support that depends on arguments
  std::string_view support_rule =
      {};  // in words, for messages: "between 0 and the population size"
  Outside outside = Outside::error;
  std::string_view reference;  // "johnson1995, ch. 13"

  // Terms whose sum is the log density (elementwise; scalar terms count once per element). Split so
  // that a term uses as few arguments as possible: `~` drops the terms of which no argument has
  // autodiff type (language rule 10.3).
  std::vector<Expr> (*log_density)(const Expr& y, Args args) = nullptr;
  void (*check)(const Expr& y, Args args, std::string_view function,
                Checks& checks) = nullptr;  // beyond the domains;
                                            // without an outcome (empty) for _rng

  // Elementwise, complete, inside the support; outside of it the driver supplies 0, 1, -infinity,
  // 0. Null: not known.
  Expr (*cdf)(const Expr& y, Args args) = nullptr;
  Expr (*log_cdf)(const Expr& y, Args args) = nullptr;
  Expr (*log_ccdf)(const Expr& y, Args args) = nullptr;

  // Plain numbers, one element each. Null: mean and variance that don't exist (dist/audit.hpp says
  // why), a quantile that is found by inverting the tails (dist/quantile.hpp), an entropy that is
  // summed or integrated (dist/entropy.hpp).
  double (*quantile)(const Level& at, Params args) = nullptr;
  double (*draw)(Rng& rng, Params args) = nullptr;  // null: by inversion of the quantile
  // Draws from uniform numbers in (0, 1), elementwise: for draws that are computed together.
  Expr (*from_uniform)(const Expr& u, Args args) = nullptr;
  std::vector<double> (*draw_all)(Rng& rng,
                                  Args args) = nullptr;  // multivariate; constants; column-major
  Drawn drawn = Drawn::vector;
  double (*mean)(Params args) = nullptr;
  double (*variance)(Params args) = nullptr;
  double (*entropy)(Params args) = nullptr;

  // Multivariate, with the arguments of draw_all. `parts`: outcomes that are independent of each
  // other, from which the rest follows; `num_categories`: the outcome is a whole number from 1 to
  // this one, and the rest follows from its masses; else `moments`.
  std::vector<Part> (*parts)(Args args) = nullptr;
  // A regression as one statement: the distribution of the outcomes of its rows, with arguments that are scalars or have one element
  // a row. Null: it isn't one.
  Part (*rows)(Args args) = nullptr;
  Index (*num_categories)(Args args) = nullptr;
  Moments (*moments)(Args args) = nullptr;

  // The expected information of one outcome about the arguments, elementwise: the upper triangle of
  // a symmetric matrix by columns. An empty entry isn't known. Null: none is.
  std::vector<Expr> (*information)(Args args) = nullptr;
};

std::span<const Distribution* const> table();     // alphabetical, without those with only a density
const Distribution* find(std::string_view name);  // those with only a density, too; null: not there

// Request for a log density.
struct DensityRequest {
  std::string_view function;     // name in messages: "normal_lpdf"
  bool drop_constants = false;   // `~`: leave out terms that no autodiff argument enters
  std::uint32_t autodiff = ~0u;  // bit 0: outcome, bit k: argument k
};

// The log density of all elements, as one scalar term before summation would be: `value` is the
// scalar sum. Sizes have been checked by the caller (all containers have one length N). An empty
// container gives 0.
struct Density {
  Expr value;            // complete, or without dropped terms
  double dropped = 0.0;  // the sum of the dropped terms (they are constant: only data enter them)
};
Density log_density(const Distribution& d, const Expr& y, Args args, const DensityRequest& request,
                    Checks& checks);

// The log density element by element, complete: a vector, or a scalar if all inputs are. For a
// multivariate row only if its terms have one element for each outcome.
Expr log_density_each(const Distribution& d, const Expr& y, Args args, std::string_view function,
                      Checks& checks);

// The log density element by element and its dropped part; an element each, or scalars.
struct DensityEach {
  Expr value, dropped;
};
DensityEach log_density_parts(const Distribution& d, const Expr& y, Args args,
                              const DensityRequest& request, Checks& checks);

// A draw of the scalar distribution, by its sampler or by inversion. Parameters are checked by the
// caller.
double draw(const Distribution& d, Rng& rng, Params args);
void check_parameters(const Distribution& d, Args args, std::string_view function, Checks& checks);
bool parameters_hold(const Distribution& d, Params args);  // the checks of check_parameters

// A draw of the multivariate distribution, as many numbers as the outcome has elements, in
// column-major order; whole numbers where it is discrete. Arguments are constants in the order of
// the language's _rng function (even if it lacks that function); checked here.
std::vector<double> draw_all(const Distribution& d, Rng& rng, Args args, std::string_view function,
                             Checks& checks);

// The smallest x whose tail function has reached `value`: P(X <= x) >= p, its logarithm, or
// P(X > x) <= q by the logarithm of q. NaN where `value` is no such probability. For a continuous
// distribution the result moves the tail's logarithm by no more than 1e-11 of it plus the rounding
// of x.
double quantile(const Distribution& d, Tail which, double value, Params args);
inline double quantile(const Distribution& d, double p, Params args) {
  return quantile(d, Tail::cdf, p, args);
}

// Mean, variance and entropy (natural logarithm; differential if continuous) of one outcome of a
// univariate distribution: NaN if it doesn't exist, infinite if it diverges.
double mean(const Distribution& d, Params args);
double variance(const Distribution& d, Params args);
double entropy(const Distribution& d, Params args);

// Moments of a multivariate distribution, with the arguments of its draws.
Moments moments(const Distribution& d, Args args);

// A univariate distribution cut to lower <= X <= upper; either may be infinite. The mass is taken
// on the side of the smaller tail, so that a range 1e8 standard deviations away has one.
struct Range {
  double lower = -kInfinity, upper = kInfinity;
};
double log_mass(const Distribution& d, const Range& range, Params args);
double draw_within(const Distribution& d, const Range& range, Rng& rng, Params args);  // inversion
// log(P(X <= upper) - P(X <= lower)) of tails at both ends.
Expr log_mass_between(const Expr& log_cdf_lower, const Expr& log_ccdf_lower,
                      const Expr& log_cdf_upper, const Expr& log_ccdf_upper);

// P(X = k) of the categories k = 1 ... of a row with `num_categories`.
std::vector<double> category_masses(const Distribution& d, Args args);
double category_tail(const Distribution& d, Tail which, double k, Args args);
double category_quantile(const Distribution& d, Tail which, double value, Args args);

Expr tail_each(const Distribution& d, Tail which, const Expr& y, Args args,
               std::string_view function, Checks& checks);  // element by element
Expr tail(const Distribution& d, Tail which, const Expr& y, Args args, std::string_view function,
          Checks& checks);

}  // namespace credo::dist
