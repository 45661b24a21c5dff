#include "infer/latent/inner_mode.hpp"

#include "base/rng.hpp"
#include "infer/core/vectors.hpp"

namespace credo::infer {
namespace {
constexpr double kHalfLogTwoPi = 0.91893853320467274178;
constexpr double kFound =
    1e-20;  // gain of a step, in nats: the mode is 1e-10 standard deviations away
constexpr double kNearlyFound = 1e-9;
constexpr double kWorthAStep = 0.2;  // a step with an old factor must reduce the gain to this share
constexpr Index kMostInnerSteps = 200;
constexpr double kRunsAway = 1e8;

numerics::SparseSymmetric zeros_on(const numerics::SparsePattern& pattern) {
  std::vector<numerics::SparseElement> elements;
  for (Index j = 0; j < pattern.size; ++j)
    for (Index k = pattern.starts[static_cast<std::size_t>(j)];
         k < pattern.starts[static_cast<std::size_t>(j) + 1]; ++k)
      elements.push_back({pattern.rows[static_cast<std::size_t>(k)], j, 0.0});
  return {pattern.size, elements};
}
}  // namespace

struct InnerNumbers {
  explicit InnerNumbers(const numerics::SparsePattern& pattern)
      : matrix(zeros_on(pattern)), damped(matrix), factor(matrix) {}
  numerics::SparseSymmetric matrix, damped;  // H at the last point where it was evaluated
  numerics::SparseFactor factor;
  bool is_current = false;  // H is that of here_
  bool is_damped = false;
  std::optional<numerics::FailedPivot> failed;  // the pivot of H itself
};

InnerMode::InnerMode(const LatentModel& model)
    : model_(model),
      evaluator_(model.density.make_evaluator()),
      curvature_(model.curvature->make()),
      here_(static_cast<std::size_t>(model.density.dimension())),
      there_(here_),
      gradient_(here_),
      next_gradient_(here_),
      step_(model.block.inner.size()),
      rise_(step_),
      weights_(model.curvature->pattern()->rows.size()),
      log_det_slope_(here_),
      direction_(here_),
      product_(here_) {}

InnerMode::~InnerMode() = default;

density::Status InnerMode::evaluate(std::span<const double> x, std::span<double> gradient,
                                    double& value) {
  density::Request request{.position = x, .gradient = gradient, .status = {}};
  density::Request* batch[] = {&request};
  evaluator_->evaluate(density::Want::gradient, batch);
  value = request.log_density;
  for (const double g : gradient)
    if (request.status.ok() && !std::isfinite(g)) request.status = {kNoInnerMode, g, false};
  return request.status;
}

// f₀ + S (φ - φ₀).
void InnerMode::start_at(std::span<const double> outer) {
  const InnerReference& reference = model_.reference;
  std::ranges::copy(reference.position, here_.begin());
  const std::size_t d = model_.block.inner.size();
  for (std::size_t m = 0; m < outer.size() && !reference.sensitivity.empty(); ++m) {
    const double move =
        outer[m] - reference.position[static_cast<std::size_t>(model_.block.outer[m])];
    for (std::size_t k = 0; k < d; ++k)
      here_[static_cast<std::size_t>(model_.block.inner[k])] +=
          move * reference.sensitivity[m * d + k];
  }
  put_at(here_, model_.block.outer, outer);
}

// The first start at which the log density is finite: that of the reference, its f₀ as it is, and 0.
density::Status InnerMode::begin(std::span<const double> outer) {
  start_at(outer);
  density::Status status = evaluate(here_, gradient_, log_density_);
  if (status.ok()) return status;
  for (const Index place : model_.block.inner)
    here_[static_cast<std::size_t>(place)] =
        model_.reference.position[static_cast<std::size_t>(place)];
  if (evaluate(here_, gradient_, log_density_).ok()) return {};
  for (const Index place : model_.block.inner) here_[static_cast<std::size_t>(place)] = 0.0;
  return evaluate(here_, gradient_, log_density_);
}

// The factor of H at here_. The diagonal is raised until H is positive definite.
density::Status InnerMode::factorise() {
  InnerNumbers& n = *normal_.numbers_;
  const density::Status status = curvature_->matrix(here_, n.matrix.values());
  if (!status.ok()) return status;
  ++num_matrices_;
  for (double& value : n.matrix.values()) value = -value;
  n.is_current = true;
  n.failed = n.factor.refactor(n.matrix);
  n.is_damped = n.failed.has_value();
  const auto& starts = n.matrix.pattern().starts;
  double raise = 1e-3;
  for (int tries = 0; n.is_damped && tries < 20; ++tries, raise *= 10.0) {
    std::ranges::copy(n.matrix.values(), n.damped.values().begin());
    for (std::size_t k = 0; k < step_.size(); ++k) {
      double& diagonal = n.damped.values()[static_cast<std::size_t>(starts[k])];
      diagonal += raise * (std::fabs(diagonal) + 1e-3);
    }
    if (!n.factor.refactor(n.damped)) return {};
  }
  if (!n.is_damped) return {};
  return {kInnerNotPeaked, static_cast<double>(n.failed->row), false};
}

// Moves here_ along step_ to a point that is high enough. Gains below the rounding of the log density are believed.
bool InnerMode::climb_along(double gain) {
  constexpr double kArmijoShare = 1e-4;
  const double rounding = 1e-12 * (1.0 + std::fabs(log_density_));
  double length = 1.0;
  for (int tries = 0; tries < 40; ++tries, length *= 0.5) {
    there_ = here_;
    for (std::size_t k = 0; k < step_.size(); ++k)
      there_[static_cast<std::size_t>(model_.block.inner[k])] += length * step_[k];
    double value = -kInfinity;
    if (!evaluate(there_, next_gradient_, value).ok()) continue;
    if (value < log_density_ + 2.0 * kArmijoShare * length * gain - rounding) continue;
    std::swap(here_, there_);
    std::swap(gradient_, next_gradient_);
    log_density_ = value;
    normal_.numbers_->is_current = false;
    return largest(step_) * length < kRunsAway && largest(here_) < kRunsAway;
  }
  return false;
}

// Newton's method; a factor is kept as long as steps with it gain much [nocedal2006, sec. 3.3].
density::Status InnerMode::step_to_mode() {
  InnerNumbers& n = *normal_.numbers_;
  density::Status status = factorise();
  double before = kInfinity;
  for (Index k = 0; status.ok() && k < kMostInnerSteps; ++k) {
    take_at(gradient_, model_.block.inner, rise_);
    std::ranges::copy(rise_, step_.begin());
    n.factor.solve(step_, workspace_);
    const double gain = 0.5 * dot(rise_, step_);
    const bool is_level = gain <= kNearlyFound && gain > kWorthAStep * before;
    if (gain <= kFound || is_level) return n.is_current ? density::Status{} : factorise();
    const bool is_slow = gain > kWorthAStep * before || n.is_damped;
    const bool moves = (n.is_current || !is_slow) && climb_along(gain);
    if (!moves && n.is_current)
      return gain <= kNearlyFound ? density::Status{} : density::Status{kNoInnerMode, gain, false};
    before = moves ? gain : kInfinity;
    if (!moves) status = factorise();
  }
  return status.ok() ? density::Status{kNoInnerMode, 0.0, false} : status;
}

density::Status InnerMode::find(std::span<const double> outer) {
  if (normal_.numbers_ == nullptr) {
    normal_.block_ = &model_.block;
    normal_.numbers_ = std::make_shared<InnerNumbers>(*model_.curvature->pattern());
  }
  density::Status status = begin(outer);
  if (status.ok()) status = step_to_mode();
  const InnerNumbers& n = *normal_.numbers_;
  if (status.ok() && n.failed)
    status = {kInnerNotPeaked, static_cast<double>(n.failed->row), false};
  if (!status.ok()) return status;
  normal_.position_ = here_;
  normal_.log_marginal_ = log_density_ + static_cast<double>(step_.size()) * kHalfLogTwoPi -
                          0.5 * n.factor.log_determinant();
  return {};
}

InnerNormal InnerMode::release() { return std::exchange(normal_, {}); }

density::Status InnerMode::gradient(std::span<double> slope) {
  const LatentBlock& block = model_.block;
  // s = -∇ log |H| by all coordinates, H = -B and the weights are those of log |H|.
  const numerics::SparseFactor& factor = normal_.numbers_->factor;
  factor.log_determinant_gradient(weights_, workspace_);
  density::Status status = curvature_->slope(here_, weights_, log_det_slope_);
  if (!status.ok()) return status;
  take_at(log_det_slope_, block.inner, step_);
  factor.solve(step_, workspace_);
  std::ranges::fill(direction_, 0.0);
  put_at(direction_, block.inner, step_);
  status = curvature_->multiply(here_, direction_, product_);
  for (std::size_t m = 0; status.ok() && m < slope.size(); ++m) {
    const auto d = static_cast<std::size_t>(block.outer[m]);
    slope[m] = gradient_[d] + 0.5 * (log_det_slope_[d] + product_[d]);
  }
  return status;
}

density::Status InnerMode::sensitivity(std::vector<double>& into) {
  const std::size_t d = step_.size(), count = model_.block.outer.size();
  into.assign(d * count, 0.0);
  std::vector<double> direction(here_.size(), 0.0), product(here_.size());
  for (std::size_t m = 0; m < count; ++m) {
    const auto place = static_cast<std::size_t>(model_.block.outer[m]);
    direction[place] = 1.0;
    const density::Status status = curvature_->multiply(here_, direction, product);
    if (!status.ok()) return status;
    direction[place] = 0.0;
    std::ranges::copy(values_at(product, model_.block.inner),
                      into.begin() + static_cast<Index>(m * d));
  }
  normal_.numbers_->factor.solve(into, static_cast<Index>(count));
  return {};
}

double InnerNormal::log_determinant() const { return numbers_->factor.log_determinant(); }

void InnerNormal::add_noise(Rng& rng, std::span<double> x) const {
  std::vector<double> noise(block_->inner.size());
  for (double& z : noise) z = rng.normal();
  numbers_->factor.half_solve_transposed(noise);
  for (std::size_t k = 0; k < noise.size(); ++k)
    x[static_cast<std::size_t>(block_->inner[k])] += noise[k];
}

double InnerNormal::log_density(std::span<const double> x) const {
  std::vector<double> away = values_at(x, block_->inner), product(away.size());
  add(away, -1.0, values_at(position_, block_->inner));
  numbers_->matrix.multiply(away, product);
  return -0.5 * dot(away, product) - static_cast<double>(away.size()) * kHalfLogTwoPi +
         0.5 * log_determinant();
}

std::vector<double> InnerNormal::covariance() const {
  const std::size_t d = block_->inner.size();
  std::vector<double> inverse(d * d, 0.0);
  for (std::size_t k = 0; k < d; ++k) inverse[k * d + k] = 1.0;
  numbers_->factor.solve(inverse, static_cast<Index>(d));
  return inverse;
}

}  // namespace credo::infer
