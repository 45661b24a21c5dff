// Exact posteriors of conjugate models, found from values of the log density alone (docs/design/conjugate.md).
//
// Parameters that don't meet in the log density are blocks. The values of a block's log density at more points than it has sufficient statistics determine the
// natural parameters of its posterior. Log density less log posterior is then the log evidence, at every point: that it is the same at further random points,
// near and far, proves the answer up to rounding.
#pragma once
#include "base/rng.hpp"
#include "base/types.hpp"

#include <optional>

namespace credo::infer::conjugate {

// Log density of the declared values of all parameters, with all constants and without Jacobian terms; not finite outside of the support.
using LogDensityAt = std::function<double(std::span<const double> values)>;

// unit: (0, 1); covariance: a symmetric matrix that is positive definite
enum class Domain : std::uint8_t { real, positive, unit, simplex, covariance };

// A number, or the elements of a simplex or, by columns, of a matrix. Places are those of its elements among all values.
struct Unit {
  std::string name;
  Domain domain = Domain::real;
  std::vector<Index> places;
};
struct Statement {
  LogDensityAt log_density;
  bool is_of_data = false;
};
struct Problem {
  std::vector<Unit> units;
  Index num_values = 0;
  LogDensityAt log_density;
  std::vector<Statement> statements =
      {};  // they are only read to say which of them breaks conjugacy
};

struct Argument {
  std::string name;
  double value = 0.0;
};
// The marginal distribution of one value. Moments that don't exist are NaN, those that diverge infinite.
struct Marginal {
  Index place = 0;
  std::string family;
  std::vector<Argument> arguments;
  double mean = kNaN, sd = kNaN;
};

// A block as plain data: what files keep of it, and what predictive distributions are made of.
struct BlockState {
  // number, dirichlet, normal, normal_scale: real numbers and the scale of their covariance, or matrix: a covariance or precision matrix, and the real numbers
  // to whose covariance or precision it is proportional
  std::string kind;
  std::vector<Index>
      places;  // the number, the simplex or the real numbers among all values, then the elements of a matrix
  // Moments of the real numbers; for normal_scale: those where the precision is 1.
  std::vector<double> mean, covariance;
  // The number or scale x: x^power has this family with these arguments. A simplex or matrix has the
  // `arguments` of its distribution; `power` is then the factor of the precision of a matrix's real numbers.
  std::string family = {};
  double power = 1.0;
  std::vector<double> arguments = {};
  Index scale_place = -1;
};

// The posterior of the units that meet.
class Block {
 public:
  virtual ~Block() = default;
  virtual std::string_view family() const = 0;
  virtual BlockState state() const = 0;
  virtual double log_density(std::span<const double> values) const = 0;
  virtual std::vector<Marginal> marginals() const = 0;
  // Adds to the covariances of all values (num_values x num_values).
  virtual void add_covariance(std::span<double> all) const = 0;
  // Writes the block's values, about `spread` standard deviations away from the posterior's centre.
  virtual void scatter(Rng& rng, double spread, std::span<double> values) const = 0;
};

// The block of a state, as a density with marginals. Its scatter() is that of a block that was fitted at the middle of its distribution. Throws
// Error(data) if a number is outside of its family, or a covariance isn't positive definite.
std::unique_ptr<Block> block_of(const BlockState& state, Index num_values);
// The marginal distribution of some of a block's real numbers, with its scale; a number or a simplex is kept whole. Empty without a place.
std::optional<BlockState> restricted(const BlockState& state,
                                     const std::function<bool(Index place)>& keep);

// The unit (a place in Problem::units) for which there is no answer; the statement that breaks conjugacy, or -1.
struct Refusal {
  Index unit = 0, statement = -1;
  std::string reason, hint;
};
struct Answer {
  std::vector<std::unique_ptr<Block>> blocks;
  double log_evidence = kNaN;
  Index num_checks = 0;      // points at which the answer was compared with the log density
  double largest_gap = 0.0;  // largest difference found, relative to 1 + |log density|
  std::optional<Refusal> refusal = {};
};

// Evaluations: about n^2 for n parameters. `seed`: that of the points of the proof.
Answer solve(const Problem& problem, std::uint64_t seed = 1);

}  // namespace credo::infer::conjugate
