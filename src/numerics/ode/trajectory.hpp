// The steps of one lane's solution, to go through them again backwards: each step's time and
// length, and the states where every spacing-th step starts. States that would need more than
// kMostDoubles are thinned to every other one, which doubles the spacing; those between are made
// again from the one before, a segment at a time. Memory is kept from one solution to the next.
#pragma once
#include "base/std.hpp"
#include "numerics/ode/ode.hpp"

namespace credo::numerics {

class Trajectory {
 public:
  static constexpr Index kMostDoubles = Index{1} << 20;

  explicit Trajectory(Index states, Index most_doubles = kMostDoubles)
      : states_(states),
        most_kept_(std::max<Index>(most_doubles / std::max<Index>(states, 1), 16)) {
    steps_.reserve(64);
    kept_.reserve(static_cast<std::size_t>(64 * states));
  }

  void clear() {
    steps_.clear(), kept_.clear();
    spacing_ = 1, segment_ = -1;
  }
  void add(const OdeStep& step, const double* y, Index stride) {
    if (num_steps() % spacing_ == 0 && num_steps() / spacing_ == most_kept_) thin();
    if (num_steps() % spacing_ == 0) {
      for (Index i = 0; i < states_; ++i) kept_.push_back(y[i * stride]);
    }
    steps_.push_back(step);
  }

  Index num_steps() const { return ssize(steps_); }
  const OdeStep& step(Index k) const { return steps_[static_cast<std::size_t>(k)]; }
  Index spacing() const { return spacing_; }

  // The state where step k starts, if it is there: kept, or in the segment made again.
  bool has_state(Index k) const { return k % spacing_ == 0 || k / spacing_ == segment_; }
  const double* state(Index k) const {
    const Index place = k % spacing_ == 0 ? k / spacing_ : k % spacing_;
    const std::vector<double>& from = k % spacing_ == 0 ? kept_ : between_;
    return from.data() + place * states_;
  }
  // Says that the segment with step k is made again from now on, and where it starts.
  Index open_segment(Index k) {
    segment_ = k / spacing_;
    const auto size = static_cast<std::size_t>(spacing_ * states_);
    if (between_.size() < size) between_.resize(size);
    return segment_ * spacing_;
  }
  double* state_between(Index k) { return between_.data() + k % spacing_ * states_; }

 private:
  void thin() {
    const Index half = (ssize(kept_) / states_ + 1) / 2;
    for (Index k = 1; k < half; ++k)
      std::copy_n(kept_.data() + 2 * k * states_, states_, kept_.data() + k * states_);
    kept_.resize(static_cast<std::size_t>(half * states_));
    spacing_ *= 2;
  }

  Index states_, most_kept_, spacing_ = 1;
  Index segment_ = -1;  // the recomputed segment
  std::vector<OdeStep> steps_;
  std::vector<double> kept_, between_;
};

}  // namespace credo::numerics
