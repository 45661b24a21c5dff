#include "infer/variational/fits/hamiltonian_map.hpp"

#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr double kFirstStep = 0.3;  // in units
}

HamiltonianMap::HamiltonianMap(const density::LogDensity& density,
                               std::unique_ptr<NormalFamily> first, std::vector<double> units,
                               Index num_leapfrog)
    : density_(density),
      first_(std::move(first)),
      units_(std::move(units)),
      centre_(first_->mean()),
      num_steps_(static_cast<std::size_t>(num_leapfrog)),
      steps_(size()),
      shift_(size()),
      slope_(size() * size()),
      scales_(size()),
      evaluator_(density.make_evaluator()),
      products_(density),
      z_(num_first_base()),
      positions_((num_steps_ + 1) * size()),
      gradients_(positions_.size()),
      half_momenta_(num_steps_ * size()),
      first_momentum_(size()),
      momentum_(size()),
      residual_(size()),
      of_position_(size()),
      of_momentum_(size()),
      of_steps_(size()),
      product_(size()),
      direction_(size()) {
  move_to(start());
}

HamiltonianMap::HamiltonianMap(const HamiltonianMap& other)
    : HamiltonianMap(other.density_, other.first_->clone(), other.units_,
                     static_cast<Index>(other.num_steps_)) {
  centre_ = other.centre_;
  first_ = other.first_->clone();
  steps_ = other.steps_, shift_ = other.shift_, slope_ = other.slope_, scales_ = other.scales_;
}

Index HamiltonianMap::num_parameters() const {
  return static_cast<Index>(num_first() + size() * (size() + 3));
}

std::vector<double> HamiltonianMap::start() const {
  std::vector<double> all = first_->start();
  all.resize(static_cast<std::size_t>(num_parameters()), 0.0);
  return all;
}

void HamiltonianMap::move_to(std::span<const double> parameters) {
  first_->move_to(parameters.first(num_first()));
  const std::size_t n = size();
  const auto after = parameters.subspan(num_first());
  for (std::size_t d = 0; d < n; ++d) {
    steps_[d] = kFirstStep * units_[d] * numerics::exp(after[d]);
    shift_[d] = after[n + d];
    scales_[d] = numerics::exp(after[2 * n + n * n + d]);
  }
  std::copy_n(after.begin() + static_cast<std::ptrdiff_t>(2 * n), n * n, slope_.begin());
}

bool HamiltonianMap::evaluate(std::size_t k) {
  density::Request request{
      .position = part(positions_, k), .gradient = part(gradients_, k), .status = {}};
  density::Request* batch[] = {&request};
  evaluator_->evaluate(density::Want::gradient, batch);
  log_density_ = request.log_density;
  return request.status.ok();
}

bool HamiltonianMap::place(std::span<const double> z) {
  const std::size_t n = size();
  std::copy_n(z.begin(), z_.size(), z_.begin());
  std::copy_n(z.begin() + static_cast<std::ptrdiff_t>(z_.size()), n, first_momentum_.begin());
  momentum_ = first_momentum_;
  first_->place(z_, part(positions_, 0));
  if (!evaluate(0)) return false;
  for (std::size_t k = 0; k < num_steps_; ++k) {
    const auto here = part(positions_, k), next = part(positions_, k + 1),
               half = part(half_momenta_, k);
    for (std::size_t d = 0; d < n; ++d) {
      half[d] = momentum_[d] + 0.5 * steps_[d] * part(gradients_, k)[d];
      next[d] = here[d] + steps_[d] * half[d];
    }
    if (!evaluate(k + 1)) return false;
    for (std::size_t d = 0; d < n; ++d)
      momentum_[d] = half[d] + 0.5 * steps_[d] * part(gradients_, k + 1)[d];
  }
  return true;
}

// log r, and its residuals p_L - b - B (x_L - c) / u.
double HamiltonianMap::log_reverse() {
  const std::size_t n = size();
  const auto x = last(positions_);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double mean = shift_[i];
    for (std::size_t j = 0; j < n; ++j) mean += slope_[i * n + j] * (x[j] - centre_[j]) / units_[j];
    residual_[i] = momentum_[i] - mean;
    const double z = residual_[i] / scales_[i];
    sum -= 0.5 * z * z + numerics::log(scales_[i]) + kNormalConstant;
  }
  return sum;
}

double HamiltonianMap::log_joint() { return log_density_ + log_reverse(); }

double HamiltonianMap::entropy() const {
  return first_->entropy() + static_cast<double>(size()) * (kNormalConstant + 0.5);
}

double HamiltonianMap::log_q() {
  double sum = first_->log_density(part(positions_, 0)) - log_reverse();
  for (const double p : first_momentum_) sum -= 0.5 * p * p + kNormalConstant;
  return sum;
}

// Slopes of log r by b, B and log t into λ, by x_L and p_L into the adjoints.
void HamiltonianMap::add_reverse_slopes(std::span<double> into) {
  const std::size_t n = size();
  const auto x = last(positions_);
  log_reverse();
  std::copy_n(last(gradients_).begin(), n, of_position_.begin());
  for (std::size_t i = 0; i < n; ++i) {
    const double w = residual_[i] / (scales_[i] * scales_[i]);
    into[n + i] += w;
    for (std::size_t j = 0; j < n; ++j) {
      into[2 * n + i * n + j] += w * (x[j] - centre_[j]) / units_[j];
      of_position_[j] += slope_[i * n + j] * w / units_[j];
    }
    into[2 * n + n * n + i] += residual_[i] * w - 1.0;
    of_momentum_[i] = -w;
  }
}

// The steps backwards. A momentum p_k is kicked at x_k by the end of step k and by the beginning of step k + 1, so that one product
// with e∘a_p serves both; at the ends of the trajectory it counts half.
bool HamiltonianMap::pull_back(std::span<double> into) {
  const std::size_t n = size();
  const auto after = into.subspan(num_first());
  add_reverse_slopes(after);
  std::fill(of_steps_.begin(), of_steps_.end(), 0.0);
  for (std::size_t k = num_steps_ + 1; k-- > 0;) {
    const double share = k == 0 || k == num_steps_ ? 0.5 : 1.0;
    for (std::size_t d = 0; d < n; ++d) direction_[d] = share * steps_[d] * of_momentum_[d];
    if (!products_.multiply(part(positions_, k), direction_, product_)) return false;
    for (std::size_t d = 0; d < n; ++d) {
      of_position_[d] += product_[d];
      of_steps_[d] += share * of_momentum_[d] * part(gradients_, k)[d];
      if (k == 0) continue;
      of_steps_[d] += of_position_[d] * part(half_momenta_, k - 1)[d];
      of_momentum_[d] += steps_[d] * of_position_[d];
    }
  }
  first_->pull_back(z_, of_position_, into.first(num_first()));
  for (std::size_t d = 0; d < n; ++d) after[d] += of_steps_[d] * steps_[d];
  return true;
}

}  // namespace credo::infer
