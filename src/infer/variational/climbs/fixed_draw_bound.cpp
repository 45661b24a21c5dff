#include "infer/variational/climbs/fixed_draw_bound.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "infer/core/vectors.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/variational/climbs/family_requests.hpp"
#include "infer/variational/climbs/inner_steps.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kFixedDraws = 1'000'001;  // no chain of a run

class BoundEvaluator final : public density::Evaluator {
 public:
  BoundEvaluator(const density::LogDensity& of, const DistributionFamily& family,
                 std::span<const double> draws, MeanTerm at_mean)
      : family_(family.clone_family()),
        draws_(draws),
        num_base_(static_cast<std::size_t>(family.num_base())),
        requests_(of, ssize(draws) / std::max<Index>(1, family.num_base()), true) {
    if (at_mean.density == nullptr) return;
    factor_ = at_mean.factor;
    of_mean_ = at_mean.density->make_evaluator();
    centre_.resize(static_cast<std::size_t>(family.dimension()));
    slope_.resize(centre_.size());
    none_.assign(num_base_, 0.0);
  }

  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    CREDO_ASSERT(want == density::Want::value || want == density::Want::gradient,
                 "a bound has values and gradients");
    for (density::Request* request : batch) answer(*request);
  }
  void use_threads(Index num_threads) override { requests_.use_threads(num_threads); }

 private:
  void answer(density::Request& request) {
    family_->move_to(request.position);
    const std::span<const density::Request> at = requests_.ask(*family_, draws_);
    request.log_density = 0.0;
    std::fill(request.gradient.begin(), request.gradient.end(), 0.0);
    for (const density::Request& one : at) {
      request.status = one.status;
      if (!request.status.ok()) {
        request.log_density = -kInfinity;
        return;
      }
      request.log_density += one.log_density;
    }
    NormalFamily* normal = family_->as_normal();
    normal != nullptr ? finish_normal(*normal, at, request) : finish(at, request);
  }
  void finish_normal(NormalFamily& family, std::span<const density::Request> at,
                     density::Request& request) {
    const double count = static_cast<double>(at.size());
    request.log_density = request.log_density / count + family.entropy();
    if (!request.gradient.empty()) {
      for (std::size_t s = 0; s < at.size(); ++s)
        family.pull_back(draws_.subspan(s * num_base_, num_base_), at[s].gradient,
                         request.gradient);
      for (double& slope : request.gradient) slope /= count;
      family.add_entropy_slope(request.gradient);
    }
    if (of_mean_ != nullptr) add_at_mean(family, request);
  }
  void finish(std::span<const density::Request> at, density::Request& request) {
    const double count = static_cast<double>(at.size());
    for (const double log_q : requests_.log_q()) request.log_density -= log_q;
    request.log_density /= count;
    if (request.gradient.empty()) return;
    slopes_.clear();
    for (const density::Request& one : at)
      slopes_.insert(slopes_.end(), one.gradient.begin(), one.gradient.end());
    ones_.assign(at.size(), 1.0);
    family_->pull_back_draws(draws_, slopes_, ones_, request.gradient);
    for (double& slope : request.gradient) slope /= count;
  }

  // The mean is where the family places zero.
  void add_at_mean(NormalFamily& family, density::Request& request) {
    family.place(none_, centre_);
    density::Request at{.position = centre_, .gradient = slope_, .status = {}};
    density::Request* batch[] = {&at};
    of_mean_->evaluate(density::Want::gradient, batch);
    request.status = at.status;
    request.log_density =
        at.status.ok() ? request.log_density + factor_ * at.log_density : -kInfinity;
    if (!at.status.ok() || request.gradient.empty()) return;
    for (double& slope : slope_) slope *= factor_;
    family.pull_back(none_, slope_, request.gradient);
  }

  std::unique_ptr<DistributionFamily> family_;
  std::vector<double> slopes_, ones_;  // work of families that aren't normal
  std::span<const double> draws_;
  std::size_t num_base_;
  FamilyRequests requests_;
  double factor_ = 0.0;
  std::unique_ptr<density::Evaluator> of_mean_;  // null: no term of the mean
  std::vector<double> centre_, slope_, none_;
};
}  // namespace

std::vector<double> balanced_draws(Index num_draws, Index num_base, CovarianceShape shape,
                                   std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(num_base);
  const auto kind = shape == CovarianceShape::full ? MetricKind::dense : MetricKind::diagonal;
  std::vector<double> draws(static_cast<std::size_t>(num_draws) * n),
      moments(kind == MetricKind::dense ? n * n : n, 0.0);
  Rng rng({.seed = seed, .purpose = purpose::kWalker, .chain = kFixedDraws, .iteration = 0});
  const auto at = [&](std::size_t s) { return std::span(draws).subspan(s * n, n); };
  const std::size_t num_pairs = static_cast<std::size_t>(num_draws) / 2;
  for (std::size_t s = 0; s < num_pairs; ++s) {
    for (double& z : at(s)) z = rng.normal();
    for (std::size_t j = 0; j < n; ++j) {
      const double scaled = at(s)[j] / static_cast<double>(num_pairs);
      if (kind == MetricKind::dense)
        add(std::span(moments).subspan(j * n, n), scaled, at(s));
      else
        moments[j] += scaled * at(s)[j];
    }
  }
  Metric metric(kind, num_base);
  const bool is_positive = metric.set_inverse(moments);
  CREDO_ASSERT(is_positive, "there are at least as many pairs as dimensions");
  for (std::size_t s = 0; is_positive && s < num_pairs; ++s) {
    metric.unshape_move(at(s));
    for (std::size_t d = 0; d < n; ++d) at(num_pairs + s)[d] = -at(s)[d];
  }
  return draws;
}

std::vector<double> stratified_draws(Index num_draws, Index num_base, std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(num_base), half = static_cast<std::size_t>(num_draws) / 2;
  const auto density_at = [&](std::size_t k) {  // at the upper end of part k of the lower half
    const double z = numerics::inv_phi(static_cast<double>(k) / static_cast<double>(2 * half));
    return std::exp(-0.5 * z * z);
  };
  std::vector<double> means(half);
  double square = 0.0;
  for (std::size_t k = 0; k < half; ++k) {
    means[k] = (k == 0 ? 0.0 : density_at(k)) - density_at(k + 1);
    square += means[k] * means[k] / static_cast<double>(half);
  }
  for (double& mean : means) mean /= std::sqrt(square);
  std::vector<double> draws(2 * half * n);
  Rng rng({.seed = seed, .purpose = purpose::kWalker, .chain = kFixedDraws, .iteration = 0});
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t s = half; s > 1; --s)
      std::swap(means[s - 1],
                means[static_cast<std::size_t>(rng.uniform() * static_cast<double>(s))]);
    for (std::size_t s = 0; s < half; ++s) {
      const double z = rng.uniform() < 0.5 ? means[s] : -means[s];
      draws[s * n + j] = z, draws[(half + s) * n + j] = -z;
    }
  }
  return draws;
}

std::unique_ptr<density::Evaluator> FixedDrawBound::make_evaluator() const {
  return std::make_unique<BoundEvaluator>(of_, *family_, draws_, at_mean_);
}

namespace {
// Inner steps that end lower than they began are too long for the curvature of some rows, and more of them diverge.
void require_rising_steps(const FixedDrawBound& bound, const Mode& end) {
  constexpr double kRounding = 1e-6;
  std::vector<double> x = end.position;
  x.resize(static_cast<std::size_t>(bound.dimension()));  // offsets of 0: no steps
  density::Request request{.position = x, .gradient = {}, .status = {}};
  density::Request* batch[] = {&request};
  bound.make_evaluator()->evaluate(density::Want::value, batch);
  const double allowed = kRounding * (1.0 + std::fabs(request.log_density));
  if (!request.status.ok() || end.log_density >= request.log_density - allowed) return;
  throw Error(ErrorCode::usage,
              fmt::format("the gradient steps of each row end lower ({:.6g}) than they begin "
                          "({:.6g}): they overshoot",
                          end.log_density, request.log_density),
              "semi", "take fewer steps, or leave --semi out");
}
}  // namespace

ClimbResult climb_fixed(const density::LogDensity& density, DistributionFamily& family,
                        std::vector<double> draws, Index max_iterations,
                        const FixedClimbConduct& conduct) {
  constexpr double kGradientTolerance = 1e-6;
  const FixedDrawBound all(density, family, std::move(draws), conduct.at_mean);
  NormalFamily* normal = family.as_normal();
  const InnerSteps inner(all, normal != nullptr ? normal->num_offsets() : 0, conduct.inner_steps);
  const density::LogDensity& bound =
      conduct.inner_steps > 0 ? static_cast<const density::LogDensity&>(inner) : all;
  const Index each = all.num_draws() * (3 * conduct.inner_steps + 1);
  std::vector<double> start = family.start();
  start.resize(static_cast<std::size_t>(bound.dimension()));
  ClimbResult climb;
  const auto report = [&](double value, double step, double gradient, Index num_evaluations) {
    climb.course.push_back({value, step, gradient, num_evaluations * each});
    if (conduct.on_fit) conduct.on_fit({"iterations", ssize(climb.course), max_iterations, value});
  };
  const Mode mode = find_mode(bound, {.max_iterations = max_iterations,
                                      .tolerance = kGradientTolerance,
                                      .start = start,
                                      .num_threads = conduct.num_threads,
                                      .keeps_state = true,
                                      .on_iteration = report});
  if (conduct.inner_steps > 0) require_rising_steps(all, mode);
  family.move_to(conduct.inner_steps > 0 ? inner.completed(mode.position) : mode.position);
  climb.objective = mode.log_density;
  climb.converged = mode.converged;
  climb.num_evaluations = mode.num_evaluations * each;
  return climb;
}

}  // namespace credo::infer
