#include "infer/variational/climbs/climb_stochastic.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "credo/optimiser.hpp"
#include "infer/core/vectors.hpp"
#include "infer/variational/climbs/family_requests.hpp"
#include "infer/variational/climbs/refined_points.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kStepDraws = stream("variational.step_draws"),
                        kRefinement = stream("variational.refine");
constexpr Index kLookEvery = 100;       // steps
constexpr Index kMostEmptySteps = 100;  // in a row, whose draws have no density
constexpr double kMostRHat = 1.1;

// The iterates of one step size: at most kMostKept of them, evenly spaced.
class Iterates {
 public:
  void take(std::span<const double> parameters) {
    constexpr std::size_t kMostKept = 400;
    if (count_++ % every_ != 0) return;
    kept_.emplace_back(parameters.begin(), parameters.end());
    if (kept_.size() < kMostKept) return;
    for (std::size_t k = 1; 2 * k < kept_.size(); ++k) kept_[k] = std::move(kept_[2 * k]);
    kept_.resize(kept_.size() / 2);
    every_ *= 2;
  }
  void clear() {
    kept_.clear();
    count_ = 0, every_ = 1;
  }
  std::size_t size() const { return kept_.size(); }
  // Iterates of the numbers that settle (NormalFamily::settled).
  Iterates settled(const NormalFamily& family) const {
    Iterates all;
    for (const std::vector<double>& parameters : kept_)
      all.kept_.push_back(family.settled(parameters));
    return all;
  }
  std::size_t num_components() const { return kept_.front().size(); }
  // Mean of component k over iterates first to last - 1 of those that are kept.
  double mean(std::size_t k, std::size_t first, std::size_t last) const {
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i) sum += kept_[i][k];
    return sum / static_cast<double>(last - first);
  }
  double variance(std::size_t k, std::size_t first, std::size_t last) const {
    const double centre = mean(k, first, last);
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i) sum += std::pow(kept_[i][k] - centre, 2);
    return sum / static_cast<double>(last - first - 1);
  }
  // Averages of the last half, and of its two halves.
  std::vector<double> averages() const { return averages(kept_.size() / 2, kept_.size()); }
  std::array<std::vector<double>, 2> averages_of_halves() const {
    const std::size_t first = kept_.size() / 2, middle = (first + kept_.size()) / 2;
    return {averages(first, middle), averages(middle, kept_.size())};
  }

 private:
  std::vector<double> averages(std::size_t first, std::size_t last) const {
    std::vector<double> all(kept_.front().size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = mean(k, first, last);
    return all;
  }
  std::vector<std::vector<double>> kept_;
  Index count_ = 0, every_ = 1;
};

struct LevelFigures {
  double largest_r_hat = 1.0;  // largest of the components that vary at all
  double error = 0.0;          // root mean square of the errors of the averages
};

// By halves and by tenths of the last half of the iterates.
LevelFigures figures_of(const Iterates& iterates, double unseen) {
  constexpr std::size_t kParts = 10;
  const std::size_t first = iterates.size() / 2, length = (iterates.size() - first) / kParts,
                    last = first + length * kParts, middle = first + length * kParts / 2;
  LevelFigures figures;
  const std::size_t num_parameters = iterates.num_components();
  for (std::size_t k = 0; k < num_parameters; ++k) {
    std::array<double, kParts> parts;
    for (std::size_t p = 0; p < kParts; ++p)
      parts[p] = iterates.mean(k, first + p * length, first + (p + 1) * length);
    const double mean = std::accumulate(parts.begin(), parts.end(), 0.0) / kParts;
    double square = 0.0;
    for (const double part : parts) square += (part - mean) * (part - mean);
    const double error = std::sqrt(square / (kParts - 1.0) / kParts);
    figures.error += error * error / static_cast<double>(num_parameters);
    const double gap = iterates.mean(k, first, middle) - iterates.mean(k, middle, last);
    if (std::fabs(gap) < unseen) continue;
    const double within =
        0.5 * (iterates.variance(k, first, middle) + iterates.variance(k, middle, last));
    figures.largest_r_hat =
        std::max(figures.largest_r_hat, std::sqrt(1.0 + 0.5 * gap * gap / within));
  }
  figures.error = std::sqrt(figures.error);
  return figures;
}

// Gradients are in nats by standard deviation: those below 1e-3 gain nothing, and an optimiser that divides by their size must not
// make them long steps.
numerics::Optimiser make_optimiser(const std::string& name, Index dimension) {
  constexpr double kSmallGradient = 1e-3;
  const bool is_natural = name == kNaturalSteps;  // gradients are natural before the step
  const numerics::StepRow& row = numerics::optimiser_step(is_natural ? "gradient" : name);
  std::vector<double> settings;
  for (const numerics::StepSetting& setting : row.settings)
    settings.push_back(setting.name == "epsilon" ? kSmallGradient : setting.standard);
  return {row, dimension, settings};
}

// Rise of the mean of the second half of some windows over that of the first, with its standard error.
struct PlateauGain {
  double value = 0.0, error = 0.0, last_mean = 0.0;
};
PlateauGain gain_of(std::span<const double> heights) {
  const std::size_t half = heights.size() / 2;
  const double n = static_cast<double>(half);
  std::array<double, 2> means{}, squares{};
  for (std::size_t k = 0; k < 2 * half; ++k) means[k / half] += heights[k] / n;
  for (std::size_t k = 0; k < 2 * half; ++k)
    squares[k / half] += std::pow(heights[k] - means[k / half], 2);
  return {.value = means[1] - means[0],
          .error = std::sqrt((squares[0] + squares[1]) / (n - 1.0) / n),
          .last_mean = means[1]};
}

class StochasticClimb {
 public:
  StochasticClimb(const StochasticClimbSetup& setup, DistributionFamily& family)
      : setup_(setup),
        own_(setup.options),
        family_(family),
        requests_(setup.density, num_draws(), setup.estimator.needs_gradient),
        parameters_(family_.start()),
        gradient_(parameters_.size()),
        optimiser_(make_optimiser(own_.optimizer, ssize(parameters_))),
        rate_(own_.step) {
    if (own_.batch > 0) rows_.emplace(setup.num_rows, own_.batch, own_.seed);
    if (rows_ && setup.whole != nullptr && family.as_normal() != nullptr)
      anchor_.emplace(*setup.whole, setup.density, own_.num_threads);
    requests_.use_threads(own_.num_threads);
    if (setup.prior != nullptr) prior_.emplace(*setup.prior, num_draws(), true);
    if (own_.refine > 0) refined_.emplace(setup.density, own_.refine);
  }

  ClimbResult run() {
    if (own_.stop == "patience")
      climb_with_patience();
    else
      family_.as_normal() != nullptr ? climb_by_levels() : climb_by_plateaus();
    return {.objective = course_.empty() ? -kInfinity : course_.back().bound,
            .converged = converged_,
            .num_evaluations = num_steps_ * num_draws(),
            .course = std::move(course_),
            .is_lost = is_lost_};
  }

 private:
  Index num_draws() const {
    constexpr Index kFewestOfUpper = 100;  // a few draws have most of the mean squared weight
    if (setup_.objective.is_upper()) return std::max(own_.step_draws, kFewestOfUpper);
    return setup_.objective.num_draws > 0 ? setup_.objective.num_draws : own_.step_draws;
  }
  void step();
  void make_natural();
  bool draw();
  void refine(std::span<const double> rows);
  void take_prior(const density::Request& at, double log_q);
  void look_at_anchor();
  void report();
  void look_whether_lost();
  bool has_digits();
  bool is_level_over();
  double distance(const std::vector<double>& a, const std::vector<double>& b);
  bool is_over(const std::vector<double>& averages);
  void climb_by_levels();
  std::optional<double> climb_to_plateau();
  void climb_by_plateaus();
  void climb_with_patience();

  const StochasticClimbSetup& setup_;
  const BoundOptions& own_;
  DistributionFamily& family_;
  std::vector<double> before_;  // averages of the last step size
  FamilyRequests requests_;
  std::vector<double> parameters_, gradient_, memory_;
  numerics::Optimiser optimiser_;
  std::optional<BatchRows> rows_;
  std::optional<GradientAnchor> anchor_;
  std::optional<RefinedPoints> refined_;
  std::optional<FamilyRequests> prior_;
  EstimatorDraws draws_;
  double rate_;
  Iterates iterates_;
  LevelFigures level_;
  double change_ = kInfinity;  // by the last halving
  Index num_steps_ = 0, num_empty_ = 0, num_summed_ = 0;
  double sum_ = 0.0, sum_of_squares_ = 0.0, last_value_ = 0.0;  // since the last report
  std::vector<double> values_;                                  // likewise
  double median_ = -kInfinity;  // median of the values before the last report
  Index num_low_ = 0;           // reports in a row that lie far below the start
  GradientNoise noise_;
  bool converged_ = false, is_lost_ = false;
  std::vector<BoundRow> course_;
};

// False where none of the draws has a density.
bool StochasticClimb::draw() {
  draws_ = {.num_base = static_cast<std::size_t>(family_.num_base()),
            .dimension = static_cast<std::size_t>(family_.dimension())};
  std::vector<double> z(static_cast<std::size_t>(num_draws()) * draws_.num_base);
  Rng rng({.seed = own_.seed,
           .purpose = kStepDraws,
           .chain = 0,
           .iteration = static_cast<std::uint32_t>(num_steps_)});
  for (double& v : z) v = rng.normal();
  const auto rows = rows_ ? rows_->next() : std::span<const double>();
  const auto answers = requests_.ask(family_, z, rows, rows_ ? rows_->weight() : 1.0);
  if (anchor_) anchor_->relate(rows, rows_->weight());
  const auto priors = prior_ ? prior_->ask(family_, z) : std::span<const density::Request>();
  draws_.power = own_.power;
  for (std::size_t s = 0; s < answers.size(); ++s) {
    const density::Request& at = answers[s];
    if (!at.status.ok() || (prior_ && !priors[s].status.ok())) continue;
    if (prior_) take_prior(priors[s], requests_.log_q()[s]);
    const auto base = std::span(z).subspan(s * draws_.num_base, draws_.num_base);
    draws_.z.insert(draws_.z.end(), base.begin(), base.end());
    draws_.x.insert(draws_.x.end(), at.position.begin(), at.position.end());
    draws_.gradients.insert(draws_.gradients.end(), at.gradient.begin(), at.gradient.end());
    if (anchor_ && !at.gradient.empty())
      add(std::span(draws_.gradients).last(at.gradient.size()), 1.0, anchor_->gradient_terms());
    draws_.log_ratios.push_back(at.log_density + (anchor_ ? anchor_->value_term() : 0.0) -
                                requests_.log_q()[s]);
  }
  if (refined_) refine(rows);
  return draws_.count() > 0;
}

void StochasticClimb::take_prior(const density::Request& at, double log_q) {
  draws_.prior_ratios.push_back(at.log_density - log_q);
  draws_.prior_gradients.insert(draws_.prior_gradients.end(), at.gradient.begin(),
                                at.gradient.end());
}

// The gradient at points is that at the end of transitions from each draw.
void StochasticClimb::refine(std::span<const double> rows) {
  NormalFamily& family = *family_.as_normal();
  Rng rng({.seed = own_.seed,
           .purpose = kRefinement,
           .chain = 0,
           .iteration = static_cast<std::uint32_t>(num_steps_)});
  refined_->set_rows(rows, rows_ ? rows_->weight() : 1.0);
  const std::vector<double> variances = family.variances();
  for (std::size_t s = 0; s < draws_.count(); ++s)
    refined_->refine(draws_.point(s), family.points(), variances, rng,
                     std::span(draws_.gradients).subspan(s * draws_.dimension, draws_.dimension));
}

// Moves the anchor to the mean of the distribution once that is more than a standard deviation away.
void StochasticClimb::look_at_anchor() {
  if (!anchor_) return;
  NormalFamily& family = *family_.as_normal();
  family.move_to(parameters_);
  const std::vector<double> mean = family.mean();
  std::vector<double> slope(mean.size()),
      off(anchor_->position().begin(), anchor_->position().end());
  family.score(off, slope);
  add(off, -1.0, mean);
  double square = -dot(slope, off);
  for (const PointCoordinate& point : family.points())
    square += std::pow(off[static_cast<std::size_t>(point.coordinate)] / point.unit, 2);
  if (num_steps_ > 0 && square <= static_cast<double>(mean.size())) return;
  if (!anchor_->move_to(mean)) anchor_.reset();
}

void StochasticClimb::step() {
  if (num_steps_ % kLookEvery == 0) look_at_anchor();
  family_.move_to(parameters_);
  const bool has_draws = draw();
  ++num_steps_;
  num_empty_ = has_draws ? 0 : num_empty_ + 1;
  // A climb that is compared with its start counts as lost, and begins again with shorter steps (climb_guard.hpp).
  if (num_empty_ > kMostEmptySteps && !std::isfinite(setup_.start_height))
    throw Error(ErrorCode::evaluation, "the draws of a hundred steps have no density", "normal",
                "declare the ranges of the parameters, or take shorter steps with --step");
  if (!has_draws) return;
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  setup_.estimator.add(setup_.objective, family_, draws_, memory_, gradient_);
  for (double& g : gradient_) g *= setup_.objective.sign();
  noise_.take(gradient_);
  if (own_.optimizer == kNaturalSteps) make_natural();
  optimiser_.climb(parameters_, gradient_, rate_);
  last_value_ = objective_value(setup_.objective, draws_);
  values_.push_back(last_value_);
  sum_ += last_value_, sum_of_squares_ += last_value_ * last_value_, ++num_summed_;
}

// False where standard deviations are beyond numbers, or the covariance has so few digits that log q at draws is far from its mean, minus
// the entropy, about which it varies by √(D / 2).
bool StochasticClimb::has_digits() {
  constexpr double kSmallest = 1e-280, kLargest = 1e280, kMostErrors = 10.0;
  NormalFamily* family = family_.as_normal();
  if (family == nullptr) return true;
  const double half = 0.5 * static_cast<double>(family->dimension());
  for (const double log_q : requests_.log_q())
    if (!(std::fabs(log_q + family->entropy()) < kMostErrors * (1.0 + half))) return false;
  family->move_to(parameters_);
  std::vector<double> variances = family->variances();
  for (const PointCoordinate& point : family->points())
    variances[static_cast<std::size_t>(point.coordinate)] = 1.0;
  return std::ranges::all_of(variances, [](double v) { return v > kSmallest && v < kLargest; });
}

// About their place the parameters vary by the root of half a step or less, each at a cost of as many nats as its variance: that, some
// nats and the noise of the mean are no sign.
void StochasticClimb::look_whether_lost() {
  constexpr double kFewNats = 10.0, kClearErrors = 4.0;
  constexpr Index kMostLow = 3;
  if (num_empty_ >= kMostEmptySteps && std::isfinite(setup_.start_height)) {
    is_lost_ = true;
    return;
  }
  const double count = static_cast<double>(std::max<Index>(2, num_summed_)), mean = sum_ / count;
  const double error =
      std::sqrt(std::max(0.0, sum_of_squares_ / count - mean * mean) / (count - 1.0));
  const double usual = kFewNats + rate_ * static_cast<double>(parameters_.size());
  const bool is_low = !(mean + kClearErrors * error > setup_.start_height - usual);
  num_low_ = is_low ? num_low_ + 1 : 0;
  is_lost_ = (std::isfinite(setup_.start_height) && num_low_ >= kMostLow) || !has_digits();
}

// Steps are no longer than one unit of any parameter, which is about a standard deviation or a factor of e.
void StochasticClimb::make_natural() {
  NormalFamily* family = family_.as_normal();
  if (family == nullptr || !family->precondition(gradient_))
    throw Error(
        ErrorCode::usage, "the natural gradient of this covariance isn't known", "optimizer",
        "take --covariance full, diagonal, blocks or low_rank with --rank 1, or --optimizer "
        "adam");
  const double length = rate_ * largest(gradient_);
  if (length > 1.0)
    for (double& g : gradient_) g /= length;
}

void StochasticClimb::report() {
  look_whether_lost();
  course_.push_back({.bound = sum_ / static_cast<double>(std::max<Index>(1, num_summed_)),
                     .step = rate_,
                     .gradient = largest(gradient_),
                     .num_evaluations = num_steps_ * num_draws(),
                     .signal_to_noise = noise_.ratio()});
  if (own_.on_fit) own_.on_fit({"steps", num_steps_, own_.max_steps, course_.back().bound});
  sum_ = sum_of_squares_ = 0.0, num_summed_ = 0;
  if (!values_.empty()) {
    const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2);
    std::ranges::nth_element(values_, middle);
    median_ = *middle;
  }
  values_.clear();
  noise_.clear();
}

bool StochasticClimb::is_level_over() {
  constexpr double kUnseen = 0.1;  // tolerances
  constexpr std::size_t kFewest = 100;
  if (iterates_.size() < kFewest) return false;
  level_ = figures_of(iterates_.settled(*family_.as_normal()), kUnseen * own_.tolerance);
  return level_.largest_r_hat < kMostRHat && level_.error < 2.0 * own_.tolerance;
}

// Distance of two members, by coordinate.
double StochasticClimb::distance(const std::vector<double>& a, const std::vector<double>& b) {
  NormalFamily& family = *family_.as_normal();
  const auto other = family.clone();
  family.move_to(a);
  other->move_to(b);
  double square = symmetric_divergence(family, *other);
  const std::vector<double> here = family.mean(), there = other->mean();
  for (const PointCoordinate& point : family.points()) {
    const auto d = static_cast<std::size_t>(point.coordinate);
    square += std::pow((here[d] - there[d]) / point.unit, 2);
  }
  return std::sqrt(square / static_cast<double>(family.dimension()));
}

// The step size is over. True if shorter steps would change no more than the tolerance, or no more than the error of the averages: that
// of a difference of two of them is about 1 / √2 of the difference of the halves.
bool StochasticClimb::is_over(const std::vector<double>& averages) {
  constexpr double kSteepest = 0.5, kFlattest = 0.84, kFirst = 0.71, kClear = 2.0;
  const auto halves = iterates_.averages_of_halves();
  const double error = distance(halves[0], halves[1]) / std::sqrt(2.0);
  const double change = before_.empty() ? kInfinity : distance(averages, before_);
  const double ratio =
      std::isfinite(change_) ? std::clamp(change / change_, kSteepest, kFlattest) : kFirst;
  before_ = averages;
  change_ = change;
  family_.move_to(averages);
  return change < kClear * error || change * ratio / (1.0 - ratio) < own_.tolerance;
}

void StochasticClimb::climb_by_levels() {
  while (!converged_ && num_steps_ < own_.max_steps) {
    step();
    iterates_.take(parameters_);
    if (num_steps_ % kLookEvery != 0) continue;
    stop_if_asked();
    report();
    if (is_lost_) return;
    if (!is_level_over()) continue;
    parameters_ = iterates_.averages();
    converged_ = is_over(parameters_);
    if (converged_) return;
    rate_ *= 0.5;
    iterates_.clear();
  }
  if (iterates_.size() > 1) parameters_ = iterates_.averages();
  family_.move_to(parameters_);
}

// Steps of one size until the mean height of the last windows is no higher than that of as many before them. A height is the median of the
// objective over the steps of a window: a draw in a tail that the flow misses moves a mean by more than a level gains. Ends at a running
// average of the iterates. Returns the last mean; nothing if the steps are used up.
std::optional<double> StochasticClimb::climb_to_plateau() {
  constexpr std::size_t kWindows = 5;
  constexpr double kAveraged = 1.0 / kLookEvery, kClear = 2.0;
  std::vector<double> heights, average = parameters_;
  while (num_steps_ < own_.max_steps) {
    step();
    for (std::size_t k = 0; k < average.size(); ++k)
      average[k] += kAveraged * (parameters_[k] - average[k]);
    if (num_steps_ % kLookEvery != 0) continue;
    stop_if_asked();
    report();
    if (is_lost_) break;
    heights.push_back(setup_.objective.sign() * median_);
    if (heights.size() < 2 * kWindows) continue;
    const PlateauGain gain = gain_of(std::span(heights).last(2 * kWindows));
    if (gain.value > std::max(own_.tolerance, kClear * gain.error)) continue;
    parameters_ = average;
    return gain.last_mean;
  }
  parameters_ = average;
  return std::nullopt;
}

void StochasticClimb::climb_by_plateaus() {
  constexpr int kFewestLevels = 4;
  double before = -kInfinity;
  for (int level = 1; !converged_; ++level) {
    const std::optional<double> height = climb_to_plateau();
    if (!height) break;
    converged_ = level >= kFewestLevels && *height - before < own_.tolerance;
    before = *height;
    rate_ *= 0.5;
  }
  family_.move_to(parameters_);
}

void StochasticClimb::climb_with_patience() {
  double best = -kInfinity;
  std::vector<double> sums(parameters_.size(), 0.0);  // since the best window began
  Index num_windows = 0, num_worse = 0;
  while (num_worse < own_.patience && num_steps_ < own_.max_steps && !is_lost_) {
    stop_if_asked();
    std::vector<double> own(parameters_.size(), 0.0);
    for (Index t = 0; t < own_.window; ++t) {
      add(own, 1.0 / static_cast<double>(own_.window), parameters_);
      step();
    }
    report();
    const double height = setup_.objective.sign() * course_.back().bound;
    num_worse = height > best ? 0 : num_worse + 1;
    if (height > best) best = height, num_windows = 0, std::fill(sums.begin(), sums.end(), 0.0);
    add(sums, 1.0, own);
    ++num_windows;
  }
  converged_ = num_worse >= own_.patience;
  for (std::size_t k = 0; k < sums.size(); ++k)
    parameters_[k] = sums[k] / static_cast<double>(std::max<Index>(1, num_windows));
  family_.move_to(parameters_);
}
}  // namespace

void GradientNoise::take(std::span<const double> gradient) {
  if (count_++ == 0) {
    means_.assign(gradient.begin(), gradient.end());
    squares_.assign(gradient.size(), 0.0);
    return;
  }
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    const double off = gradient[k] - means_[k];
    means_[k] += off / static_cast<double>(count_);
    squares_[k] += off * (gradient[k] - means_[k]);
  }
}

double GradientNoise::ratio() const {
  if (count_ < 2) return kNaN;
  double sum = 0.0, num_varying = 0.0;
  for (std::size_t k = 0; k < means_.size(); ++k) {
    if (!(squares_[k] > 0.0)) continue;
    sum += std::fabs(means_[k]) / std::sqrt(squares_[k] / static_cast<double>(count_ - 1));
    num_varying += 1.0;
  }
  return num_varying > 0.0 ? sum / num_varying : kNaN;
}

// Σ over columns r of each root of r' Σ⁻¹ r, and the distance of the means: tr(Σ_q⁻¹ Σ_p) = Σ_k r_k' Σ_q⁻¹ r_k.
double symmetric_divergence(NormalFamily& p, NormalFamily& q) {
  const auto half = [](NormalFamily& of,
                       NormalFamily& by) {  // 2 KL(of ‖ by) + D, less the log ratio
    const std::vector<double> mean = by.mean(), from = of.mean();
    std::vector<double> z(static_cast<std::size_t>(of.num_base()), 0.0), x(mean.size()),
        slope(mean.size());
    double sum = 0.0;
    const auto add_square = [&](std::span<const double> off) {
      for (std::size_t d = 0; d < x.size(); ++d) x[d] = mean[d] + off[d];
      by.score(x, slope);
      sum -= dot(slope, off);
    };
    std::vector<double> off(mean.size());
    for (double& one : z) {
      one = 1.0;
      of.place(z, off);
      add(off, -1.0, from);
      add_square(off);
      one = 0.0;
    }
    for (std::size_t d = 0; d < off.size(); ++d) off[d] = from[d] - mean[d];
    add_square(off);
    return sum - static_cast<double>(mean.size());
  };
  return std::max(0.0, 0.5 * (half(p, q) + half(q, p)));
}

ClimbResult climb_stochastic(const StochasticClimbSetup& setup, DistributionFamily& family) {
  if (setup.estimator.needs_normal && family.as_normal() == nullptr)
    throw Error(ErrorCode::usage,
                fmt::format("the estimator {} takes scores, which only normal distributions have",
                            setup.estimator.name),
                "gradient", "take --gradient reparam, or leave it out");
  return StochasticClimb(setup, family).run();
}

}  // namespace credo::infer
