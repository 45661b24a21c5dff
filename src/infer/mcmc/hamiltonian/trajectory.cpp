// The generalised U-turn [betancourt2017, app. A.4.2]: with ρ the sum of the momenta of a stretch
// and v its end velocities, it continues while v(first)·ρ > 0 and v(last)·ρ > 0. If two stretches
// meet, the same test is made for the earlier one with the first point of the later, and for the later
// with the last point of the earlier: otherwise a trajectory whose halves each look straight can
// close a full circle unseen [stan-reference-manual, ch. "MCMC sampling"].
#include "infer/mcmc/hamiltonian/trajectory.hpp"

#include "base/error.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kPointsPerSubtree = 3;

// Points alive at once: three of each sub-tree on the stack, of the whole and of a fresh leaf.
Index num_points(Index max_depth) { return kPointsPerSubtree * (max_depth + 3); }

// True if a stretch continues: its end velocities point along its momentum sum a + b.
bool goes_on(const PhasePoint& from, const PhasePoint& to, std::span<const double> a,
             std::span<const double> b) {
  double along_from = 0.0, along_to = 0.0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const double sum = a[d] + b[d];
    along_from += from.velocity[d] * sum;
    along_to += to.velocity[d] * sum;
  }
  return along_from > 0.0 && along_to > 0.0;
}
}  // namespace

Joint join_weights(double into, double later, Choice choice) {
  const double larger = std::max(into, later);
  if (larger == -kInfinity) return {larger, 0.0};
  const double ratio = numerics::exp(-std::fabs(into - later));  // smaller over larger
  const double log_total = larger + numerics::log1p(ratio);
  if (choice == Choice::biased) return {log_total, later >= into ? 1.0 : ratio};
  return {log_total, (later >= into ? 1.0 : ratio) / (1.0 + ratio)};
}

Trajectory::Trajectory(Index max_depth, Index dimension)
    : points_(num_points(max_depth), dimension),
      uses_(static_cast<std::size_t>(num_points(max_depth))),
      sums_(static_cast<std::size_t>((max_depth + 3) * dimension)),
      stack_(static_cast<std::size_t>(max_depth + 2)) {
  const auto n = static_cast<std::size_t>(dimension);
  whole_.momentum_sum = std::span(sums_).first(n);
  for (std::size_t i = 0; i < stack_.size(); ++i)
    stack_[i].momentum_sum = std::span(sums_).subspan((i + 1) * n, n);
  spare_.reserve(uses_.size());
}

void Trajectory::begin(const HmcState& state, const HmcSettings& settings, double step_size,
                       Rng& rng) {
  settings_ = &settings;
  step_size_ = step_size;
  std::fill(uses_.begin(), uses_.end(), 0);
  spare_.clear();
  for (Index i = points_.size(); i-- > 0;) spare_.push_back(i);

  const Index start = acquire();
  uses_[static_cast<std::size_t>(start)] = kPointsPerSubtree;
  PhasePoint& point = points_[start];
  begin_at(point, state, settings.metric, rng);
  whole_ = {.first = start,
            .last = start,
            .chosen = start,
            .log_weight = 0.0,
            .height = 0,
            .momentum_sum = whole_.momentum_sum};
  std::copy(point.momentum.begin(), point.momentum.end(), whole_.momentum_sum.begin());
  start_energy_ = point.energy;
  prob_sum_ = last_energy_error_ = 0.0;
  num_leapfrog_ = 0;
  forward_ = true;
  diverged_ = false;
}

// `whole_` always lies in the direction of integration, so that there is one kind of join.
void Trajectory::begin_half(bool forward) {
  if (forward != forward_) std::swap(whole_.first, whole_.last);
  forward_ = forward;
  signed_step_ = forward ? step_size_ : -step_size_;
  stack_size_ = 0;
  frontier_ = whole_.last;
}

PhasePoint& Trajectory::advance() {
  const Index next = acquire();
  first_half(points_[frontier_], points_[next], signed_step_, settings_->metric);
  frontier_ = next;
  return points_[next];
}

bool Trajectory::grow(Rng& rng) {
  PhasePoint& point = points_[frontier_];
  second_half(point, signed_step_, settings_->metric);
  ++num_leapfrog_;
  last_energy_error_ = energy_error(point.energy, start_energy_);
  prob_sum_ += metropolis_prob(-last_energy_error_);
  diverged_ = is_divergent(last_energy_error_);
  if (diverged_) return false;
  push_leaf();
  while (stack_size_ > 1 && stack_[stack_size_ - 2].height == stack_[stack_size_ - 1].height) {
    --stack_size_;
    if (!merge(stack_[stack_size_ - 1], stack_[stack_size_], Choice::multinomial, rng))
      return false;
  }
  return true;
}

bool Trajectory::join(Rng& rng) { return merge(whole_, stack_[0], Choice::biased, rng); }

double Trajectory::mean_metropolis_prob() const {
  return num_leapfrog_ == 0 ? 0.0 : prob_sum_ / static_cast<double>(num_leapfrog_);
}

Index Trajectory::acquire() {
  CREDO_ASSERT(!spare_.empty(), "a trajectory never holds more points than its depth allows");
  const Index point = spare_.back();
  spare_.pop_back();
  return point;
}

void Trajectory::release(Index point) {
  if (--uses_[static_cast<std::size_t>(point)] == 0) spare_.push_back(point);
}

void Trajectory::push_leaf() {
  Subtree& leaf = stack_[stack_size_++];
  const std::span<const double> momentum = points_[frontier_].momentum;
  uses_[static_cast<std::size_t>(frontier_)] = kPointsPerSubtree;
  leaf.first = leaf.last = leaf.chosen = frontier_;
  leaf.log_weight = -last_energy_error_;
  leaf.height = 0;
  std::copy(momentum.begin(), momentum.end(), leaf.momentum_sum.begin());
}

// Chooses before it asks for the turn: the last half still counts where the whole has turned.
bool Trajectory::merge(Subtree& into, const Subtree& later, Choice choice, Rng& rng) {
  const Joint joint = join_weights(into.log_weight, later.log_weight, choice);
  const bool take_later = rng.uniform() < joint.later_share;
  const bool go_on = !turns(into, later);
  release(into.last);
  release(later.first);
  release(take_later ? into.chosen : later.chosen);
  into.last = later.last;
  if (take_later) into.chosen = later.chosen;
  into.log_weight = joint.log_total;
  ++into.height;
  for (std::size_t d = 0; d < into.momentum_sum.size(); ++d)
    into.momentum_sum[d] += later.momentum_sum[d];
  return go_on;
}

bool Trajectory::turns(const Subtree& earlier, const Subtree& later) const {
  const PhasePoint &first = points_[earlier.first], &before = points_[earlier.last],
                   &after = points_[later.first], &last = points_[later.last];
  return !(goes_on(first, last, earlier.momentum_sum, later.momentum_sum) &&
           goes_on(first, after, earlier.momentum_sum, after.momentum) &&
           goes_on(before, last, before.momentum, later.momentum_sum));
}

}  // namespace credo::infer
