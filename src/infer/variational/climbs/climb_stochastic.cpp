#include "infer/variational/climbs/climb_stochastic.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "credo/optimiser.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/vectors.hpp"
#include "infer/variational/climbs/family_requests.hpp"
#include "infer/variational/climbs/iterates.hpp"
#include "infer/variational/climbs/refined_points.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kStepDraws = stream("variational.step_draws"),
                        kRefinement = stream("variational.refine");
constexpr Index kLookEvery = 100;       // steps
constexpr Index kMostEmptySteps = 100;  // in a row, whose draws have no density
constexpr double kMostRHat = 1.1;

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

// A climb by plateaus between two steps.
struct PlateauState {
  int level = 1;
  double height_before = -kInfinity;  // mean of the objective at the end of the last level
  std::vector<double> heights = {};   // by report of this level
  std::vector<double> average =
      {};  // running average of the iterates; empty: the level hasn't begun
  static void saved(auto& self, auto&& field) {
    field(self.level);
    field(self.height_before);
    field(self.heights);
    field(self.average);
  }
};

// A climb with patience between two windows.
struct WindowState {
  double best = -kInfinity;
  std::vector<double> sums = {};  // over the windows since the best one began
  Index num_windows = 0, num_worse = 0;
  static void saved(auto& self, auto&& field) {
    field(self.best);
    field(self.sums);
    field(self.num_windows);
    field(self.num_worse);
  }
};

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
    stage_.resume(*this);
    if (own_.stop == "patience")
      climb_with_patience();
    else
      family_.as_normal() != nullptr ? climb_by_levels() : climb_by_plateaus();
    iterates_.clear();  // nothing asks for them any more
    stage_.end(*this);
    return {.objective = course_.empty() ? -kInfinity : course_.back().bound,
            .converged = converged_,
            .num_evaluations = num_steps_ * num_draws(),
            .course = std::move(course_),
            .is_lost = is_lost_};
  }

  void save(ArchiveWriter& to) const {
    saved(*this, to);
    if (rows_) to(*rows_);
    const bool is_anchored = anchor_.has_value();
    to(is_anchored);
    if (is_anchored)
      to(std::vector<double>(anchor_->position().begin(), anchor_->position().end()));
  }
  void load(ArchiveReader& from) {
    saved(*this, from);
    if (rows_) from(*rows_);
    bool is_anchored = false;
    from(is_anchored);
    if (!is_anchored) return anchor_.reset();
    std::vector<double> position;
    from(position);
    if (!anchor_ || !anchor_->move_to(position)) anchor_.reset();
  }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.before_);
    field(self.parameters_);
    field(self.gradient_);
    field(self.memory_);
    field(self.optimiser_);
    field(self.rate_);
    field(self.iterates_);
    field(self.change_);
    field(self.num_steps_);
    field(self.num_empty_);
    field(self.num_summed_);
    field(self.sum_);
    field(self.sum_of_squares_);
    field(self.last_value_);
    field(self.values_);
    field(self.median_);
    field(self.num_low_);
    field(self.noise_);
    field(self.converged_);
    field(self.is_lost_);
    field(self.course_);
    field(self.plateau_);
    field(self.windows_);
  }
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
  bool look_at_level();
  void climb_by_levels();
  std::optional<double> end_of_level() const;
  std::optional<double> climb_to_plateau();
  void climb_by_plateaus();
  void see_window();
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
  std::vector<double> values_;  // values of the steps since the last report
  double median_ = -kInfinity;  // median of the values before the last report
  Index num_low_ = 0;           // reports in a row that lie far below the start
  GradientNoise noise_;
  bool converged_ = false, is_lost_ = false;
  std::vector<BoundRow> course_;
  PlateauState plateau_;
  WindowState windows_;
  FitStage stage_;
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

// Judges a level of steps of one size, every hundred steps. True at the end of the climb.
bool StochasticClimb::look_at_level() {
  stop_if_asked();
  report();
  if (is_lost_) return true;
  if (!is_level_over()) return false;
  parameters_ = iterates_.averages();
  converged_ = is_over(parameters_);
  if (converged_) return true;
  rate_ *= 0.5;
  iterates_.clear();
  return false;
}

void StochasticClimb::climb_by_levels() {
  while (!stage_.has_ended() && num_steps_ < own_.max_steps) {
    step();
    iterates_.take(parameters_);
    if (num_steps_ % kLookEvery == 0 && look_at_level()) break;
    stage_.look(*this);
  }
  if (is_lost_ || converged_) return family_.move_to(parameters_);
  if (iterates_.size() > 1) parameters_ = iterates_.averages();
  family_.move_to(parameters_);
}

// The mean height of the last windows, if it is no higher than that of as many before them. A height is the median of the objective over
// the steps of a window: a draw in a tail that the flow misses moves a mean by more than a level gains.
std::optional<double> StochasticClimb::end_of_level() const {
  constexpr std::size_t kWindows = 5;
  constexpr double kClear = 2.0;
  if (plateau_.heights.size() < 2 * kWindows) return std::nullopt;
  const PlateauGain gain = gain_of(std::span(plateau_.heights).last(2 * kWindows));
  if (gain.value > std::max(own_.tolerance, kClear * gain.error)) return std::nullopt;
  return gain.last_mean;
}

// Steps of one size up to a plateau. Ends at a running average of the iterates. Returns the last mean; nothing if the steps are
// used up.
std::optional<double> StochasticClimb::climb_to_plateau() {
  constexpr double kAveraged = 1.0 / kLookEvery;
  if (plateau_.average.empty()) plateau_.average = parameters_, plateau_.heights.clear();
  while (num_steps_ < own_.max_steps) {
    step();
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      plateau_.average[k] += kAveraged * (parameters_[k] - plateau_.average[k]);
    if (num_steps_ % kLookEvery == 0) {
      stop_if_asked();
      report();
      if (is_lost_) break;
      plateau_.heights.push_back(setup_.objective.sign() * median_);
      if (const std::optional<double> height = end_of_level()) {
        parameters_ = std::exchange(plateau_.average, {});
        return height;
      }
    }
    stage_.look(*this);
  }
  parameters_ = plateau_.average;
  return std::nullopt;
}

void StochasticClimb::climb_by_plateaus() {
  constexpr int kFewestLevels = 4;
  while (!stage_.has_ended() && !converged_) {
    const std::optional<double> height = climb_to_plateau();
    if (!height) break;
    converged_ =
        plateau_.level >= kFewestLevels && *height - plateau_.height_before < own_.tolerance;
    plateau_.height_before = *height;
    rate_ *= 0.5;
    ++plateau_.level;
  }
  family_.move_to(parameters_);
}

void StochasticClimb::see_window() {
  std::vector<double> own(parameters_.size(), 0.0);
  for (Index t = 0; t < own_.window; ++t) {
    add(own, 1.0 / static_cast<double>(own_.window), parameters_);
    step();
  }
  report();
  const double height = setup_.objective.sign() * course_.back().bound;
  windows_.num_worse = height > windows_.best ? 0 : windows_.num_worse + 1;
  if (height > windows_.best) {
    windows_.best = height, windows_.num_windows = 0;
    std::fill(windows_.sums.begin(), windows_.sums.end(), 0.0);
  }
  add(windows_.sums, 1.0, own);
  ++windows_.num_windows;
}

void StochasticClimb::climb_with_patience() {
  if (windows_.sums.empty()) windows_.sums.assign(parameters_.size(), 0.0);
  while (!stage_.has_ended() && windows_.num_worse < own_.patience && num_steps_ < own_.max_steps &&
         !is_lost_) {
    stop_if_asked();
    see_window();
    stage_.look(*this);
  }
  converged_ = windows_.num_worse >= own_.patience;
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    parameters_[k] =
        windows_.sums[k] / static_cast<double>(std::max<Index>(1, windows_.num_windows));
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
