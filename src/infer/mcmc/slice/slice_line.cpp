// Slice sampling along a line [neal2003, figs. 3-6]. With t the place on the line, 0 the current:
//
//   log y = log f(0) - Exp(1);  S = {t : log f(t) >= log y};  grow an interval around 0 until its
//   ends lie outside S; draw t uniformly from it, shrinking it towards 0 at every t outside S.
//
// An interval that doubled could have been reached from fewer places than 0: a t counts only if the
// doubling from t would have led to the same interval.
#include "infer/mcmc/slice/slice_line.hpp"

#include <bit>

namespace credo::infer {

Step<LineMove> LineSlicer::move(PointState& current, Rng& rng) {
  count_ = {};
  height_ = current.log_density - rng.exponential();
  interval_.lo = -width * rng.uniform();
  interval_.hi = interval_.lo + width;
  if (growth == SliceGrowth::stepping_out)
    co_await step_out(current, rng);
  else
    co_await double_out(current, rng);
  co_await shrink(current, rng);
  co_return count_;
}

LineSlicer::LineSlicer(Index dimension)
    : direction(static_cast<std::size_t>(dimension)), candidate_(direction.size()) {}

// The steps allowed are dealt to both sides at random: so the same interval is as likely from every
// point of it.
Step<Nothing> LineSlicer::step_out(const PointState& current, Rng& rng) {
  Index left = rng.index_below(max_growth), right = max_growth - 1 - left;
  while (left-- > 0 && (co_await at(current, interval_.lo)).log_density >= height_)
    interval_.lo -= width, ++count_.num_expansions;
  while (right-- > 0 && (co_await at(current, interval_.hi)).log_density >= height_)
    interval_.hi += width, ++count_.num_expansions;
  co_return Nothing{};
}

Step<Nothing> LineSlicer::double_out(const PointState& current, Rng& rng) {
  double at_lo = (co_await at(current, interval_.lo)).log_density;
  double at_hi = (co_await at(current, interval_.hi)).log_density;
  for (Index k = max_doublings(); k > 0 && (at_lo >= height_ || at_hi >= height_); --k) {
    const bool left = rng.uniform() < 0.5;
    double& end = left ? interval_.lo : interval_.hi;
    const double length = interval_.length();
    end += left ? -length : length;
    (left ? at_lo : at_hi) = (co_await at(current, end)).log_density;
    ++count_.num_expansions;
  }
  co_return Nothing{};
}

// Ends: at t = 0 the density is at least the height. If it isn't, because the current log
// density came from elsewhere with another rounding, the interval shrinks to the point itself,
// which stays.
Step<Nothing> LineSlicer::shrink(PointState& current, Rng& rng) {
  for (Interval rest = interval_;;) {
    const double t = rng.uniform(rest.lo, rest.hi);
    const double log_density = (co_await at(current, t)).log_density;
    bool accepted = log_density >= height_;
    if (accepted && growth == SliceGrowth::doubling) accepted = co_await could_return(current, t);
    if (accepted) {
      place(current, t);
      std::copy(candidate_.begin(), candidate_.end(), current.position.begin());
      current.log_density = log_density;
      co_return Nothing{};
    }
    ++count_.num_contractions;
    place(current, t);
    if (candidate_ == current.position) co_return Nothing{};
    (t < 0.0 ? rest.lo : rest.hi) = t;
  }
}

// True if doubling from t could have ended with this interval: halves it back towards t, and where
// the halves of t and of 0 differ, requires that doubling would have continued from the half of t.
Step<bool> LineSlicer::could_return(const PointState& current, double t) {
  Interval half = interval_;
  bool differs = false;
  while (half.length() > 1.1 * width) {
    const double middle = 0.5 * (half.lo + half.hi);
    differs = differs || (0.0 < middle) != (t < middle);
    (t < middle ? half.hi : half.lo) = middle;
    if (!differs || (co_await at(current, half.lo)).log_density >= height_) continue;
    if ((co_await at(current, half.hi)).log_density < height_) co_return false;
  }
  co_return true;
}

void LineSlicer::place(const PointState& current, double t) {
  for (std::size_t d = 0; d < candidate_.size(); ++d)
    candidate_[d] = current.position[d] + t * direction[d];
}

Evaluate LineSlicer::at(const PointState& current, double t) {
  ++count_.num_evaluations;
  place(current, t);
  return evaluate(candidate_);
}

// An interval of 2^k widths, not above max_growth.
Index LineSlicer::max_doublings() const {
  return static_cast<Index>(std::bit_width(static_cast<std::uint64_t>(max_growth))) - 1;
}

}  // namespace credo::infer
