#include "infer/variational/fits/flow_to_draws.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "credo/optimiser.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/vectors.hpp"
#include "infer/variational/climbs/climb_stochastic.hpp"
#include "infer/variational/fits/moments.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
constexpr std::size_t kFewestPoints = 50, kHeldOutOf = 5;  // every fifth draw
constexpr Index kStepsBetween = 50;  // steps between two evaluations of the draws held out
constexpr int kMostLooks = 10, kMostHalvings = 5;  // without a higher mean

// Draws one after another, with weights that add up to 1.
struct WeightedPoints {
  std::vector<double> points, weights;
  Index count() const { return ssize(weights); }
  void take(std::span<const double> point, double weight) {
    points.insert(points.end(), point.begin(), point.end());
    weights.push_back(weight);
  }
  void normalise() {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w /= sum;
  }
};

class ClimbToDraws {
 public:
  ClimbToDraws(GraphFamily& family, WeightedPoints training, WeightedPoints held_out,
               const FlowToDrawsOptions& options)
      : family_(family),
        training_(std::move(training)),
        held_out_(std::move(held_out)),
        own_(options),
        rows_(training_.count(), std::min(options.batch, training_.count()), options.seed),
        parameters_(family.start()),
        gradient_(parameters_.size()),
        optimiser_(numerics::optimiser_step("adam"), ssize(parameters_), {}) {}

  ClimbResult run() {
    FitStage stage;
    step_ = own_.step;
    if (!stage.resume(*this)) {
      best_ = parameters_;
      best_height_ = height();
      normal_height = best_height_;
    }
    while (num_steps_ < own_.max_steps && num_halvings_ < kMostHalvings) {
      climb(step_);
      look_at_height();
      stage.look(*this);
    }
    stage.end(*this);
    family_.move_to(best_);
    return {.objective = best_height_,
            .converged = num_halvings_ == kMostHalvings,
            .num_evaluations = num_steps_ * own_.batch,
            .course = std::move(course_)};
  }
  double normal_height = kNaN;

  static void saved(auto& self, auto&& field) {
    field(self.normal_height);
    field(self.rows_);
    field(self.parameters_);
    field(self.gradient_);
    field(self.best_);
    field(self.optimiser_);
    field(self.best_height_);
    field(self.step_);
    field(self.num_without_);
    field(self.num_halvings_);
    field(self.num_steps_);
    field(self.course_);
  }

 private:
  void look_at_height() {
    const double now = height();
    course_.push_back({now, step_, largest(gradient_), num_steps_ * own_.batch});
    num_without_ = now > best_height_ ? 0 : num_without_ + 1;
    if (now > best_height_) best_height_ = now, best_ = parameters_;
    if (num_without_ < kMostLooks) return;
    parameters_ = best_;
    step_ *= 0.5, num_without_ = 0, ++num_halvings_;
  }
  void climb(double step) {
    stop_if_asked();
    const std::size_t n = static_cast<std::size_t>(family_.dimension());
    for (Index t = 0; t < kStepsBetween; ++t) {
      WeightedPoints batch;
      for (const double row : rows_.next()) {
        const auto s = static_cast<std::size_t>(row);
        batch.take(std::span(training_.points).subspan(s * n, n), training_.weights[s]);
      }
      batch.normalise();
      family_.move_to(parameters_);
      std::fill(gradient_.begin(), gradient_.end(), 0.0);
      family_.add_parameter_scores(batch.points, batch.weights, gradient_);
      optimiser_.climb(parameters_, gradient_, step);
      ++num_steps_;
    }
  }
  // Mean log q of the draws held out.
  double height() {
    family_.move_to(parameters_);
    std::vector<double> log_q(held_out_.weights.size());
    family_.log_densities(held_out_.points, log_q);
    return dot(log_q, held_out_.weights);
  }

  GraphFamily& family_;
  WeightedPoints training_, held_out_;
  const FlowToDrawsOptions& own_;
  BatchRows rows_;
  std::vector<double> parameters_, gradient_, best_;
  numerics::Optimiser optimiser_;
  double best_height_ = -kInfinity, step_ = 0.0;
  int num_without_ = 0,
      num_halvings_ = 0;  // looks without a higher mean, of this step; halvings of the step
  Index num_steps_ = 0;
  std::vector<BoundRow> course_;
};

void require_draws(const GraphMap& map, std::span<const std::vector<double>> points) {
  if (!map.has_inverse())
    throw Error(ErrorCode::usage, "planar layers have no inverse, and so no density at draws",
                "layers", "take maf, iaf, affine or spline");
  if (points.size() < kFewestPoints)
    throw Error(ErrorCode::usage,
                fmt::format("a flow is fitted to {} draws at least, there are {}", kFewestPoints,
                            points.size()),
                "from", "take more draws");
}
}  // namespace

DensityOfDraws fit_flow_to_draws(std::span<const std::vector<double>> points,
                                 std::span<const double> log_weights,
                                 const FlowToDrawsOptions& options) {
  const Moments moments = weighted_moments(points, log_weights);
  const Index n = ssize(moments.mean);
  DensityOfDraws fit;
  fit.spec = {options.layers, options.hidden, moments.mean,
              numerics::lower_factor(numerics::RowMatrix(n, n, moments.covariance)).values};
  const auto map = make_flow(fit.spec);
  require_draws(*map, points);
  const double top = log_weights.empty() ? 0.0 : *std::ranges::max_element(log_weights);
  WeightedPoints training, held_out;
  for (std::size_t s = 0; s < points.size(); ++s)
    (s % kHeldOutOf == 0 ? held_out : training)
        .take(points[s], log_weights.empty() ? 1.0 : std::exp(log_weights[s] - top));
  held_out.normalise();
  fit.family = std::make_shared<GraphFamily>(map);
  ClimbToDraws climb(*fit.family, std::move(training), std::move(held_out), options);
  static_cast<ClimbResult&>(fit) = climb.run();
  fit.normal_objective = climb.normal_height;
  return fit;
}

}  // namespace credo::infer
