// The view that algorithms have of a model: an unnormalised log density over an unconstrained
// vector.
//
// A LogDensity is immutable and shared between threads; what an evaluation writes to lives in an
// Evaluator, one per thread. An algorithm never evaluates by itself: it fills Requests, and an
// Evaluator answers a batch of them. How the batch is computed (lanes, blocks, one by one) never
// changes a value (docs/determinism.md).
#pragma once
#include "base/types.hpp"
#include "density/query.hpp"

namespace credo {
class Rng;
}

namespace credo::density {

// Why a point has no finite log density. `source` is a model-specific place (for a Stan program:
// the statement), looked up with LogDensity::describe; numbers only, so that an evaluation
// allocates nothing.
struct Status {
  std::int32_t source =
      0;  // 0: fine. Otherwise the model's number for "this check at this statement failed"
  double value = 0.0;  // the offending value, where there is one
  bool fatal = false;  // the run must end (index out of range, fatal_error), not just this point
  bool ok() const { return source == 0; }
  static void saved(auto& self, auto&& field) {
    field(self.source);
    field(self.value);
    field(self.fatal);
  }
};

// Kinds of requests. A batch holds one kind.
//   hessian, information   a symmetric matrix B at the position, D × D: the second derivatives of
//                          the log density; the expected information of the likelihood less the
//                          second derivatives of the log prior, which is the Fisher metric
//   ..._slope              the gradient of Σ_jk W_jk B_jk(position), the weights W held fixed
//   pointwise              the log likelihood of each row
enum class Want {
  value,
  gradient,
  hessian,
  hessian_slope,
  information,
  information_slope,
  pointwise
};
inline constexpr Index kNumWants = 7;
inline constexpr Want slope_of(Want matrix) {
  return matrix == Want::hessian ? Want::hessian_slope : Want::information_slope;
}

// One point to evaluate. The spans point into the asker's memory and outlive the evaluation.
//   position: D unconstrained values.  gradient: D values, empty unless Want::gradient or a slope, which
//   goes there.  matrix: D × D for a matrix.  weights: D × D, symmetric, for a slope.
// After an evaluation of the value or the gradient log_density is finite, or -infinity with the
// reason in status (a NaN is a status, too). An evaluation of a matrix or slope sets the status alone.
struct Request {
  std::span<const double> position;
  std::span<double> gradient;
  double log_density = -kInfinity;
  Status status;
  std::span<double> matrix = {};
  std::span<const double> weights = {};
  double dropped = 0.0;              // constants in a finite log density that lp__ lacks
  std::span<double> pointwise = {};  // for Want::pointwise: num_rows() values
  // For a density of batches (density/query.hpp): numbers of the rows that count, from 0, and their weights. For a path
  // between two densities (density/path_density.hpp): the position along it, and the ratio of the answer.
  std::span<const double> rows = {};
  double weight = 1.0;
  double log_ratio = 0.0;
};

// Per-thread working memory for one LogDensity. evaluate() neither allocates nor locks once it has
// been called with the largest batch.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual void evaluate(Want want, std::span<Request* const> batch) = 0;
  // From now on large evaluations may run on so many threads, the caller's included. It changes no
  // value; an evaluator that can't share its work does nothing.
  virtual void use_threads(Index) {}
};

// Whole numbers among the values of a position: its last coordinates, bounds included. A point is
// evaluated at whole numbers within them only; their components of the gradient are 0.
struct DiscreteBlock {
  std::span<const std::int32_t> lower, upper;
  Index size() const { return ssize(lower); }
};

// Picks a place with probability proportional to exp(log_weights[place]); one at least is finite,
// none is +infinity or NaN.
using ChooseByLogWeight = std::function<Index(std::span<const double> log_weights)>;

// Picks the next place of a value that is at place `now`, by a kernel that leaves exp(log_weights) invariant.
using MoveByLogWeight = std::function<Index(Index now, std::span<const double> log_weights)>;

// Updates of a sweep over the discrete block (infer/gibbs/site_sweep.hpp).
enum class SiteUpdate : std::uint8_t { gibbs, random, metropolis, over_relaxed };

// The full conditionals of the discrete block; working memory of one chain.
class DiscreteUpdates {
 public:
  virtual ~DiscreteUpdates() = default;
  virtual SiteUpdate kind() const { return SiteUpdate::gibbs; }
  // A sweep: the steps in order. Each value of the block belongs to one of them.
  virtual Index num_steps() const = 0;
  // Draws the step's values from their exact joint distribution given all the others of the position, and
  // writes them there. The same choices give the same values.
  virtual void update(Index step, std::span<double> position, const ChooseByLogWeight& choose) = 0;
  // The step's values one after the other, each given all the others. False, and nothing moves, if the step draws several
  // values jointly.
  virtual bool move(Index /*step*/, std::span<double> /*position*/, const MoveByLogWeight&) {
    return false;
  }
};

// An initial point: unconstrained values, NaN for those of the discrete block, and the logarithm of the
// density they were drawn from, up to a constant of the model; NaN if the point is refused.
struct Start {
  std::vector<double> position;
  double log_density = kNaN;
};

// Independent draws from a density that is known as a distribution to draw from: a prior, statement by
// statement. Working memory of one thread.
class ExactDraws {
 public:
  virtual ~ExactDraws() = default;
  // A draw, and the logarithm of the density that it was drawn from, up to a constant of the model.
  // Nullopt if the draw lies outside of the support: then the next one takes its place.
  virtual std::optional<Start> next(Rng& rng) = 0;
  // The map from the unit cube, which takes its uniform distribution to that of the draws: numbers in (0, 1);
  // 0 without a map. at() agrees with next().
  virtual Index cube_dimension() const { return 0; }
  virtual std::optional<Start> at(std::span<const double> /*cube*/) { return std::nullopt; }
};

class Model;
class SparseCurvature;
class StateSpaceAt;

class LogDensity {
 public:
  virtual ~LogDensity() = default;
  virtual Index dimension()
      const = 0;  // D, the number of unconstrained values, the discrete block included
  virtual bool has_gradient() const = 0;
  // True if evaluators answer Want::hessian and Want::information with their slopes.
  virtual bool has_hessian() const { return false; }
  virtual bool has_information() const { return false; }
  // Rows of the likelihood, for Want::pointwise; 0 if they aren't known.
  virtual Index num_rows() const { return 0; }
  virtual std::unique_ptr<Evaluator> make_evaluator() const = 0;
  virtual std::string describe(
      const Status& status) const = 0;  // in words: what, where, value, rule, way out

  // A draw from the priors, as an initial point of chains; parameters without a known prior
  // are uniform on (-radius, radius). Nullopt if no prior is known.
  // May be called from several threads at once.
  virtual std::optional<Start> draw_start(Rng&, double) const { return std::nullopt; }

  // True if the density itself can be drawn from; called once, before make_exact_draws().
  virtual Capability can_draw() const {
    return {.can = false,
            .reason = "it isn't known how to draw from this density",
            .hint = "use a sampler that evaluates it"};
  }
  virtual std::unique_ptr<ExactDraws> make_exact_draws() const { return nullptr; }

  // Second derivatives in some coordinates, ascending, as a sparse matrix (density/sparse_curvature.hpp), for points on the path of
  // decisions of `point`; null without them. The density must live as long.
  virtual std::shared_ptr<const SparseCurvature> sparse_curvature(
      std::span<const Index> /*block*/, std::span<const double> /*point*/) const {
    return nullptr;
  }

  // The prior of a posterior: the density without its likelihood, for as long as this one lives; null if these
  // can't be separated.
  virtual std::unique_ptr<LogDensity> prior() const { return nullptr; }

  virtual DiscreteBlock discrete_block() const { return {}; }
  virtual std::unique_ptr<DiscreteUpdates> make_updates() const {
    return nullptr;
  }  // updates of the discrete block

  // Further capabilities. They are virtual functions, not casts, so that a density that stands for another one can pass the question on.
  // The model with names, data and terms; null for other densities.
  virtual const Model* as_model() const { return nullptr; }
  // The state-space model that it states (density/state_space.hpp), for as long as the density lives; null without states.
  // Throws Error(program) where a program states none.
  virtual std::unique_ptr<StateSpaceAt> make_state_space() const;
  // False if the log density lacks the likelihood that its terms ask for: the program leaves the states out, so that
  // only filters can compute the likelihood, and the log density is the prior of the parameters alone.
  virtual Capability has_likelihood() const { return {}; }
};

}  // namespace credo::density
