#include "infer/variational/fits/moments.hpp"

#include "base/error.hpp"
#include "infer/core/vectors.hpp"
#include "infer/optimise/mode.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {

// Points m ± √D L e_k, whose mean and covariance are exact: the mean of log q over them is that of any distribution with these moments.
std::vector<double> points_with(const Moments& moments, const numerics::RowMatrix& root) {
  const std::size_t n = moments.mean.size();
  const double length = std::sqrt(static_cast<double>(n));
  std::vector<double> points;
  for (std::size_t k = 0; k < n; ++k)
    for (const double sign : {length, -length})
      for (std::size_t d = 0; d < n; ++d)
        points.push_back(moments.mean[d] +
                         sign * root(static_cast<Index>(d), static_cast<Index>(k)));
  return points;
}

// Mean of log q over points, as a log density of λ.
class MeanLogDensity final : public density::LogDensity {
 public:
  MeanLogDensity(const NormalFamily& family, std::vector<double> points)
      : family_(family.clone()), points_(std::move(points)) {}
  Index dimension() const override { return family_->num_parameters(); }
  bool has_gradient() const override { return true; }
  std::string describe(const density::Status&) const override { return {}; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(*family_, points_);
  }

 private:
  class Evaluating final : public density::Evaluator {
   public:
    Evaluating(const NormalFamily& family, std::span<const double> points)
        : family_(family.clone()), points_(points) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch) answer(*request);
    }

   private:
    void answer(density::Request& request) {
      const auto n = static_cast<std::size_t>(family_->dimension());
      const double count = static_cast<double>(points_.size() / n);
      family_->move_to(request.position);
      request.log_density = 0.0;
      request.status = {};
      std::fill(request.gradient.begin(), request.gradient.end(), 0.0);
      for (std::size_t first = 0; first < points_.size(); first += n) {
        const auto point = points_.subspan(first, n);
        request.log_density += family_->log_density(point) / count;
        if (!request.gradient.empty()) family_->add_parameter_score(point, request.gradient);
      }
      for (double& slope : request.gradient) slope /= count;
    }
    std::unique_ptr<NormalFamily> family_;
    std::span<const double> points_;
  };

  std::unique_ptr<NormalFamily> family_;
  std::vector<double> points_;
};

// Weights relative to the largest one.
std::vector<double> relative_weights(std::size_t count, std::span<const double> log_weights) {
  std::vector<double> shares(count, 1.0);
  if (log_weights.empty()) return shares;
  const double top = *std::ranges::max_element(log_weights);
  for (std::size_t s = 0; s < count; ++s) shares[s] = std::exp(log_weights[s] - top);
  return shares;
}
}  // namespace

double mean_log_density(const density::LogDensity& density,
                        std::span<const std::vector<double>> points,
                        std::span<const double> log_weights) {
  const std::vector<double> shares = relative_weights(points.size(), log_weights);
  const auto evaluator = density.make_evaluator();
  double sum = 0.0, total = 0.0;
  for (std::size_t s = 0; s < points.size(); ++s) {
    density::Request request{.position = points[s], .gradient = {}, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::value, batch);
    if (!request.status.ok()) return kNaN;
    sum += shares[s] * request.log_density, total += shares[s];
  }
  return sum / total;
}

Moments weighted_moments(std::span<const std::vector<double>> points,
                         std::span<const double> log_weights) {
  const std::size_t n = points.front().size();
  const std::vector<double> shares = relative_weights(points.size(), log_weights);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  Moments moments{std::vector<double>(n, 0.0), std::vector<double>(n * n, 0.0)};
  for (std::size_t s = 0; s < points.size(); ++s) add(moments.mean, shares[s] / sum, points[s]);
  std::vector<double> off(n);
  for (std::size_t s = 0; s < points.size(); ++s) {
    for (std::size_t d = 0; d < n; ++d) off[d] = points[s][d] - moments.mean[d];
    for (std::size_t j = 0; j < n; ++j)
      add(std::span(moments.covariance).subspan(j * n, n), shares[s] / sum * off[j], off);
  }
  return moments;
}

MomentFit fit_moments(const Moments& moments, CovarianceShape shape, Index rank,
                      std::vector<std::vector<Index>> blocks) {
  constexpr Index kMostIterations = 1000;
  constexpr double kTolerance = 1e-7;
  const Index n = ssize(moments.mean);
  const numerics::RowMatrix root =
      numerics::lower_factor(numerics::RowMatrix(n, n, moments.covariance));
  if (std::ranges::any_of(root.values, [](double v) { return std::isnan(v); }))
    throw Error(ErrorCode::evaluation, "the draws' covariance isn't positive definite", "moments",
                "take more draws, or --covariance diagonal");
  MomentFit fit{
      .family = family_of(shape).make({moments.mean, moments.covariance, rank, std::move(blocks)})};
  const MeanLogDensity density(*fit.family, points_with(moments, root));
  const std::vector<double> start = fit.family->start();
  const Mode mode = find_mode(
      density, {.max_iterations = kMostIterations, .tolerance = kTolerance, .start = start});
  fit.family->move_to(mode.position);
  fit.converged = mode.converged;
  fit.mean_log_q = mode.log_density;
  fit.divergence = -static_cast<double>(n) * (kNormalConstant + 0.5) -
                   0.5 * numerics::log_determinant_of_factor(root) - mode.log_density;
  return fit;
}

}  // namespace credo::infer
