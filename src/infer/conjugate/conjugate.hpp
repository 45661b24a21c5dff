// Exact posteriors of conjugate models, found from values of the log density alone (docs/design/conjugate.md).
//
// Parameters that don't meet in the log density are blocks. The values of a block's log density at more points than it has sufficient statistics determine the
// natural parameters of its posterior. Log density less log posterior is then the log evidence, at every point: that it is the same at further random points,
// near and far, proves the answer up to rounding.
#pragma once
#include "base/rng.hpp"
#include "base/types.hpp"

namespace credo::infer::conjugate {

// Log density of the declared values of all parameters, with all constants and without Jacobian terms; not finite outside of the support.
using LogDensityAt = std::function<double(std::span<const double> values)>;

enum class Domain : std::uint8_t { real, positive, unit, simplex };  // unit: (0, 1)

// A number, or the elements of a simplex. Places are those of its elements among all values.
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

// The posterior of the units that meet.
class Block {
 public:
  virtual ~Block() = default;
  virtual std::string_view family() const = 0;
  virtual double log_density(std::span<const double> values) const = 0;
  virtual std::vector<Marginal> marginals() const = 0;
  // Adds to the covariances of all values (num_values x num_values).
  virtual void add_covariance(std::span<double> all) const = 0;
  // Writes the block's values, about `spread` standard deviations away from the posterior's centre.
  virtual void scatter(Rng& rng, double spread, std::span<double> values) const = 0;
};

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
