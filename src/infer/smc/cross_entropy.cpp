// Draws x_1 ... x_N of p, w = 1; then
//
//   1  λ: the score that leaves a share `kept` of the draws, s* at most
//   2  m, V = mean and covariance of those with S(x) >= λ, by their weights w: among all normal distributions the nearest
// to p on      {S >= λ} in relative entropy
//   3  draws of q = 0.1 p + 0.9 t_4(m, V), w = p / q
//   4  at λ = s*: P(S > s*) = mean of w 1[S > s*]
//
// A normal distribution that is fitted to a tail has a lighter one than p, and its weights no variance; Student's t
// with the same centre and scale has weights with one, and the share of p bounds them [hesterberg1995].
#include "infer/smc/cross_entropy.hpp"

#include "infer/core/job.hpp"
#include "infer/core/population.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"
#include "infer/mcmc/info_fields.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "infer/smc/above_level.hpp"
#include "infer/smc/start.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
constexpr double kShareOfDistribution = 0.1, kFreedom = 4.0;
constexpr Index kMostLevels = 100;

struct CrossEntropyInfo {
  double log_density = 0.0;
  static void describe(auto& self, auto&& field) { field(self.log_density, kLogDensityColumn); }
};

// t_4(centre, V).
class FittedDistribution {
 public:
  explicit FittedDistribution(Index dimension)
      : centre_(static_cast<std::size_t>(dimension), 0.0), metric_(MetricKind::dense, dimension) {}

  void fit(const PopulationState& points, std::span<const double> weights);
  void draw(Rng& rng, std::span<double> position) const;
  double log_density(std::span<const double> position) const;

  static void saved(auto& self, auto&& field) {
    field(self.centre_);
    field(self.metric_);
  }

 private:
  double log_root_of_determinant() const;

  std::vector<double> centre_;
  Metric metric_;
};

// With few effective points the distribution is wider than they are, or it would lose, level by level, regions they
// miss; off the diagonal the covariance stays as it is, so that few points have a positive definite one, too. It stays
// as a whole if the points have no positive definite covariance.
void FittedDistribution::fit(const PopulationState& points, std::span<const double> weights) {
  const std::size_t n = centre_.size();
  double total = 0.0, squares = 0.0;
  for (const double w : weights) total += w, squares += w * w;
  std::vector<double> covariance(n * n, 0.0);
  centre_.assign(n, 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (std::size_t d = 0; d < n; ++d)
      centre_[d] += weights[i] / total * points.position(static_cast<Index>(i))[d];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0.0) continue;
    const std::span<const double> x = points.position(static_cast<Index>(i));
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        covariance[j * n + k] += weights[i] / total * (x[j] - centre_[j]) * (x[k] - centre_[k]);
  }
  const double effective = total * total / squares;
  const double wider = 1.0 + (static_cast<double>(n) + 4.0) / effective;
  for (std::size_t j = 0; j < n; ++j) covariance[j * n + j] *= wider;
  (void)metric_.set_inverse(covariance);
}

// A chi-square of 4 degrees of freedom is twice the sum of two exponentials.
void FittedDistribution::draw(Rng& rng, std::span<double> position) const {
  std::vector<double> noise(position.size());
  const double chi_square = 2.0 * (rng.exponential() + rng.exponential());
  for (double& z : noise) z = rng.normal() * std::sqrt(kFreedom / chi_square);
  metric_.shape_move(noise, position);
  for (std::size_t d = 0; d < position.size(); ++d) position[d] += centre_[d];
}

double FittedDistribution::log_root_of_determinant() const {
  std::vector<double> unit(centre_.size(), 0.0), column(centre_.size());
  double sum = 0.0;
  for (std::size_t d = 0; d < unit.size(); ++d) {
    unit[d] = 1.0;
    metric_.shape_move(unit, column);
    sum += numerics::log(column[d]);
    unit[d] = 0.0;
  }
  return sum;
}

double FittedDistribution::log_density(std::span<const double> position) const {
  std::vector<double> z(position.begin(), position.end());
  for (std::size_t d = 0; d < z.size(); ++d) z[d] -= centre_[d];
  metric_.unshape_move(z);
  double square = 0.0;
  for (const double x : z) square += x * x;
  const double dimension = static_cast<double>(z.size());
  return numerics::lgamma(0.5 * (kFreedom + dimension)) - numerics::lgamma(0.5 * kFreedom) -
         0.5 * dimension * numerics::log(kFreedom * std::numbers::pi) - log_root_of_determinant() -
         0.5 * (kFreedom + dimension) * numerics::log1p(square / kFreedom);
}

// The score that leaves a share of them, all that tie with it included.
double score_that_keeps(double share, std::span<const double> scores) {
  std::vector<double> falling(scores.begin(), scores.end());
  std::ranges::sort(falling, std::greater<>());
  const auto place = static_cast<std::size_t>(share * static_cast<double>(falling.size()));
  return falling[std::max<std::size_t>(place, 1) - 1];
}

class CrossEntropy final : public Job {
 public:
  CrossEntropy(RunContext& run_context, Index number_, const CrossEntropyOptions& options,
               const density::LogDensity& distribution, double value)
      : Job(run_context, number_, columns_of<CrossEntropyInfo>()),
        options_(options),
        distribution_(distribution),
        value_(value),
        points_(run_context.options.num_draws, distribution.dimension()),
        fitted_(distribution.dimension()) {}

  Step<Nothing> begin() override { return draw(1.0); }
  bool is_done() const override { return done_; }
  Step<Nothing> advance() override;
  void conclude() override {
    recorder.result.tuned = {{"log_evidence", {log_probability_}},
                             {"log_evidence_error", {error_}},
                             {"log_bound", {log_bound_}},
                             {"highest", {levels_.empty() ? kNaN : levels_.back()}}};
  }
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }
  std::span<const double> levels() const { return levels_; }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.done_);
    field(self.levels_);
    field(self.points_);
    field(self.scores_);
    field(self.weights_);
    field(self.fitted_);
    field(self.log_probability_);
    field(self.error_);
    field(self.log_bound_);
  }
  Step<Nothing> draw(double share_of_distribution);
  double log_weight(Index i, double share_of_distribution) const;
  std::vector<double> weights_above(double level) const;
  void estimate();
  void give_up();

  const CrossEntropyOptions& options_;
  const density::LogDensity& distribution_;
  double value_;
  bool done_ = false;
  std::vector<double> levels_;
  PopulationState points_;
  std::vector<double> scores_, weights_;
  FittedDistribution fitted_;
  double log_probability_ = kNaN, error_ = kNaN;
  double log_bound_ = kNaN;  // bound above the last level; kept by give_up()
};

// Draws from the mixture, and their weights.
Step<Nothing> CrossEntropy::draw(double share_of_distribution) {
  const auto of_distribution = distribution_.make_exact_draws();
  for (Index i = 0; i < points_.num_points(); ++i) {
    Rng rng = particle_stream(context.options, purpose::kWalker, number, i, ssize(levels_));
    if (rng.uniform() < share_of_distribution)
      std::ranges::copy(draw_exactly(*of_distribution, rng).position, points_.position(i).begin());
    else
      fitted_.draw(rng, points_.position(i));
  }
  co_await evaluate_along(points_, -kInfinity, scores_);
  weights_.clear();
  for (Index i = 0; i < points_.num_points(); ++i)
    weights_.push_back(numerics::exp(log_weight(i, share_of_distribution)));
  co_return Nothing{};
}

double CrossEntropy::log_weight(Index i, double share_of_distribution) const {
  const double own = points_.log_density(i) - options_.log_mass;
  if (share_of_distribution == 1.0 || own == -kInfinity || !options_.weighs)
    return own == -kInfinity ? own : 0.0;
  const double ratio = fitted_.log_density(points_.position(i)) - own;
  return -numerics::log(share_of_distribution +
                        (1.0 - share_of_distribution) * numerics::exp(ratio));
}

// 0 below.
std::vector<double> CrossEntropy::weights_above(double level) const {
  std::vector<double> all = weights_;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!(level < value_ ? scores_[i] >= level : scores_[i] > value_)) all[i] = 0.0;
  return all;
}

Step<Nothing> CrossEntropy::advance() {
  if (!levels_.empty() && levels_.back() == value_) {
    estimate();
    done_ = true;
    co_return Nothing{};
  }
  double level = std::min(value_, score_that_keeps(options_.kept, scores_));
  const auto survivors = weights_above(level);
  const double sum = std::accumulate(survivors.begin(), survivors.end(), 0.0);
  if (sum > 0.0) log_bound_ = numerics::log(sum / static_cast<double>(survivors.size()));
  if (ssize(levels_) == kMostLevels || !(sum > 0.0) ||
      is_out_of_reach(levels_, value_, std::isnan(log_bound_) ? 0.0 : log_bound_)) {
    give_up();
    co_return Nothing{};
  }
  fitted_.fit(points_, survivors);
  levels_.push_back(level);
  co_await draw(kShareOfDistribution);
  co_return Nothing{};
}

// No point lies above the value. The probability above the last level bounds that of the event.
void CrossEntropy::give_up() {
  if (std::isnan(log_bound_)) log_bound_ = 0.0;
  log_probability_ = -kInfinity;
  error_ = 0.0;
  done_ = true;
}

void CrossEntropy::estimate() {
  const std::vector<double> counted = weights_above(value_);
  const double n = static_cast<double>(counted.size());
  double mean = 0.0, square = 0.0;
  for (const double w : counted) mean += w / n;
  for (const double w : counted) square += (w - mean) * (w - mean) / (n - 1.0);
  if (!(mean > 0.0)) return give_up();
  log_bound_ = kNaN;
  log_probability_ = numerics::log(mean);
  error_ = std::sqrt(square / n) / mean;
}
}  // namespace

RareEvent cross_entropy(const density::LogDensity& distribution, const MakeScores& scores,
                        double value, const CrossEntropyOptions& options) {
  return run_levels(distribution, scores, options, [&](RunContext& context, Index number) {
    return std::make_unique<CrossEntropy>(context, number, options, distribution, value);
  });
}

}  // namespace credo::infer
