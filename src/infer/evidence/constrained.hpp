// Draws from a prior above a likelihood, by which nested sampling replaces its lowest points.
//
// Points live in the unit cube where the prior has a map from it, so that the prior is uniform there, and else
// in the unconstrained space. Both are coordinates c; a point's own log density there is `log_prior` (0 in the cube).
#pragma once
#include "infer/core/population.hpp"
#include "infer/evidence/ellipsoids.hpp"
#include "infer/evidence/nested.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"

namespace credo::infer {

class PriorSpace {
 public:
  PriorSpace(density::ExactDraws& draws, const NestedOptions& options, Index dimension);
  Index dimension() const { return dimension_; }
  bool is_cube() const { return is_cube_; }
  // A draw of the prior: its coordinates, and the log density that the draw says it has.
  double draw(Rng& rng, std::span<double> coordinates, std::span<double> position) const;
  // Position of the coordinates; false outside of the support.
  bool place(std::span<const double> coordinates, std::span<double> position) const;

 private:
  density::ExactDraws& draws_;
  Index dimension_;
  bool is_cube_;
};

// Points with a likelihood each. Plain data.
struct LivePoints {
  LivePoints() = default;
  LivePoints(Index num_points, Index num_coordinates, Index dimension)
      : coordinates(num_points, num_coordinates),
        at(num_points, dimension),
        log_likelihoods(static_cast<std::size_t>(num_points), -kInfinity),
        folds(static_cast<std::size_t>(num_points)) {
    for (Index i = 0; i < num_points; ++i) folds[static_cast<std::size_t>(i)] = i % kNumFolds;
  }
  static constexpr Index kNumFolds = 5;

  PopulationState coordinates;  // with log densities in the coordinates
  PopulationState at;           // the unconstrained space, log densities of the prior
  std::vector<double> log_likelihoods;
  std::vector<Index> folds;  // a copy is in that of its original

  Index size() const { return ssize(log_likelihoods); }
  double& log_likelihood(Index i) { return log_likelihoods[static_cast<std::size_t>(i)]; }
  double log_likelihood(Index i) const { return log_likelihoods[static_cast<std::size_t>(i)]; }
  Index fold(Index i) const { return folds[static_cast<std::size_t>(i)]; }
  void copy(Index from, Index to);
  void resize(Index num_points);               // new ones come to the smallest folds
  void remove(std::span<const Index> places);  // others move there

  static void saved(auto& self, auto&& field) {
    field(self.coordinates);
    field(self.at);
    field(self.log_likelihoods);
    field(self.folds);
  }
};

// Moves points by steps that leave the prior above the threshold as it is. The moves of a point depend on its own
// stream alone.
//
// The covariance that shapes a point's moves comes from points among which its start isn't: points belong to folds, and
// each fold has the covariance of the others. A covariance that knows the start has longer directions along it, by the
// leverage D / N of a point, and moves along these lead inwards, to likelihoods that are too large.
class ConstrainedMoves final : public PooledKernel {
 public:
  ConstrainedMoves(const PriorSpace& space, const NestedOptions& options);

  // Takes the covariances of the points for directions and sizes of moves, or ellipsoids around them; a covariance that
  // can't be estimated stays.
  void shape_by(const LivePoints& points, Rng& rng);
  // These points, which lie above the threshold, each with a stream of its own.
  Step<Nothing> move(LivePoints& points, std::span<const Index> which, std::span<Rng> streams,
                     double threshold);

  // Figures of the last move.
  double mean_acceptance() const;  // share of the candidates that were taken
  Index num_candidates() const;
  void tune_scale();  // scale of walks and of steps that reflect

  static void saved(auto& self, auto&& field) {
    field(self.scale_);
    field(self.num_wide_);
    for (auto& metric : self.metrics_) field(metric);
  }

 private:
  struct Slot;
  Step<Nothing> move_one(Slot& slot);
  Step<Nothing> slice(Slot& slot);
  Step<Nothing> walk(Slot& slot);
  Step<Nothing> draw_until_above(Slot& slot);
  Step<Nothing> draw_from_ellipsoids(Slot& slot);
  Step<Nothing> reflect_along_a_path(Slot& slot);
  Step<bool> turn_at_the_edge(Slot& slot, double height);
  Step<Nothing> follow_a_trajectory(Slot& slot);
  Step<Nothing> reflect(Slot& slot, double step);
  Step<bool> look_with_slope(Slot& slot);
  Step<Nothing> look(Slot& slot);
  bool is_within(const Slot& slot, double height) const;
  void take(Slot& slot);
  void draw_direction(Slot& slot) const;
  Index num_moves() const;

  const PriorSpace& space_;
  const NestedOptions& options_;
  double scale_ =
      1.0;  // scale of walks, in standard deviations of all coordinates together, and of path steps
  std::vector<Metric> metrics_;  // for each fold: the covariance of all other points
  BoundingEllipsoids ellipsoids_;
  LivePoints* points_ = nullptr;
  double threshold_ = -kInfinity;
  Index num_candidates_ = 0, num_taken_ = 0;
  Index num_wide_ = 0;  // steps in a row in which ellipsoids took too many draws
};

}  // namespace credo::infer
