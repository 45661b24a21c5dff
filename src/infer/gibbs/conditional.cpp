#include "infer/gibbs/conditional.hpp"

#include <fmt/format.h>

namespace credo::infer::gibbs {
namespace {
[[noreturn]] void fail(ErrorCode code, std::string message, const char* where, const char* hint) {
  throw Error(code, std::move(message), where, hint);
}

struct Line {
  double slope, x, height;  // through (x, height)
  double at(double z) const { return height + slope * (z - x); }
};

// Of the envelope: exp(line) on [lo, hi], either end may be infinite.
struct Piece {
  double lo, hi;
  Line line;

  double top() const { return std::max(end(lo), end(hi)); }
  double end(double z) const { return std::isinf(z) ? -kInfinity : line.at(z); }
  // log of the integral of exp(line).
  double log_mass() const {
    const double rise = line.slope * (hi - lo);
    if (std::fabs(rise) < 1e-12) return line.at(lo) + std::log(hi - lo);
    return top() + std::log(-std::expm1(-std::fabs(rise))) - std::log(std::fabs(line.slope));
  }
  double draw(double u) const {
    const double rise = line.slope * (hi - lo);
    if (std::fabs(rise) < 1e-12) return lo + u * (hi - lo);
    // From the higher end downwards: a truncated exponential.
    const double depth = -std::log1p(u * std::expm1(-std::fabs(rise))) / std::fabs(line.slope);
    return line.slope > 0.0 ? hi - depth : lo + depth;
  }
};

class Envelope {
 public:
  Envelope(const LogDensity1d& log_density, const ArmsOptions& options)
      : support_(options.support) {
    for (const double x : options.points) add(x, log_density(x));
    if (ssize(points_) < 3)
      fail(ErrorCode::data, fmt::format("{} different points, must be at least 3", points_.size()),
           "points", "");
    build();
  }

  void insert(double x, double height) {
    add(x, height);
    build();
  }
  Index num_points() const { return ssize(points_); }

  double height(double x) const {
    for (const Piece& piece : pieces_)
      if (x <= piece.hi) return piece.line.at(x);
    return pieces_.back().line.at(x);
  }

  double draw(Rng& rng) const {
    double total = 0.0;
    for (const double mass : masses_) total += mass;
    double share = rng.uniform() * total;
    std::size_t k = 0;
    for (; k + 1 < masses_.size() && share >= masses_[k]; ++k) share -= masses_[k];
    return pieces_[k].draw(rng.uniform());
  }

 private:
  void add(double x, double height) {
    if (!(x >= support_.lo && x <= support_.hi))
      fail(ErrorCode::data, fmt::format("{} isn't in the support", x), "points", "");
    if (!std::isfinite(height))
      fail(ErrorCode::evaluation, fmt::format("the log density is {} at {}", height, x),
           "log_density", "give points where the density is positive and finite");
    const auto place = std::lower_bound(points_.begin(), points_.end(), std::pair{x, -kInfinity});
    if (place != points_.end() && place->first == x) return;
    points_.insert(place, {x, height});
  }

  Line chord(Index i) const {  // through points i and i + 1
    const auto [x, height] = points_[i];
    const auto [next, next_height] = points_[i + 1];
    return {(next_height - height) / (next - x), x, height};
  }

  void push(double lo, double hi, const Line& line) {
    if (lo < hi) pieces_.push_back({lo, hi, line});
  }

  // Where the chords of both neighbouring segments, prolonged, lie above this segment's own chord,
  // the lower of them; else its own. Slopes decide, since they meet its ends.
  void push_segment(Index i) {
    const double lo = points_[i].first, hi = points_[i + 1].first;
    const Line own = chord(i);
    const bool has_left = i > 0, has_right = i + 2 < num_points();
    const Line left = has_left ? chord(i - 1) : own, right = has_right ? chord(i + 1) : own;
    const bool left_above = left.slope > own.slope, right_above = right.slope < own.slope;
    if (has_left && has_right) {
      if (!left_above || !right_above) return push(lo, hi, own);
      const double crossing =
          std::clamp((right.at(lo) - left.at(lo)) / (left.slope - right.slope) + lo, lo, hi);
      push(lo, crossing, left);
      return push(crossing, hi, right);
    }
    if (has_right) return push(lo, hi, right_above ? right : own);
    push(lo, hi, left_above ? left : own);
  }

  void build() {
    const Index n = num_points();
    pieces_.clear();
    push(support_.lo, points_[0].first, chord(0));
    for (Index i = 0; i + 1 < n; ++i) push_segment(i);
    push(points_[n - 1].first, support_.hi, chord(n - 2));
    const bool left_open = std::isinf(support_.lo) && chord(0).slope <= 0.0;
    if (left_open || (std::isinf(support_.hi) && chord(n - 2).slope >= 0.0))
      fail(ErrorCode::evaluation, "the envelope doesn't fall towards an infinite end", "points",
           "spread the points to both sides of the modes, or bound the support");
    weigh();
  }

  void weigh() {
    double top = -kInfinity;
    masses_.clear();
    for (const Piece& piece : pieces_) {
      masses_.push_back(piece.log_mass());
      top = std::max(top, masses_.back());
    }
    for (double& mass : masses_) mass = std::exp(mass - top);
  }

  Interval support_;
  std::vector<std::pair<double, double>> points_;  // ascending, with log densities
  std::vector<Piece> pieces_;
  std::vector<double> masses_;
};

// log of f(x') min(f(x), h(x)) / (f(x) min(f(x'), h(x'))).
double log_metropolis_ratio(double f_new, double h_new, double f_old, double h_old) {
  return f_new + std::min(f_old, h_old) - f_old - std::min(f_new, h_new);
}
}  // namespace

double draw_by_rejection(const LogDensity1d& log_ratio, const std::function<double(Rng&)>& propose,
                         Rng& rng, Index max_tries) {
  for (Index k = 0; k < max_tries; ++k) {
    const double x = propose(rng), log_accept = log_ratio(x);
    if (log_accept > 1e-12)
      fail(ErrorCode::evaluation,
           fmt::format("the log ratio to the envelope is {} at {}, must be at most 0", log_accept,
                       x),
           "log_ratio", "raise the envelope");
    if (std::log(rng.uniform()) < log_accept) return x;
  }
  fail(ErrorCode::evaluation, fmt::format("nothing accepted in {} tries", max_tries), "log_ratio",
       "find an envelope nearer to the density");
}

double draw_by_inversion(const std::function<double(double)>& cdf, const Interval& support,
                         Rng& rng) {
  double lo = support.lo, hi = support.hi;
  if (!std::isfinite(lo) || !std::isfinite(hi))
    fail(ErrorCode::data, "inversion needs finite bounds", "support", "");
  const double u = rng.uniform();
  for (;;) {
    const double middle = lo + 0.5 * (hi - lo);
    if (middle <= lo || middle >= hi) return middle;
    (cdf(middle) < u ? lo : hi) = middle;
  }
}

ArmsDraw draw_by_arms(const LogDensity1d& log_density, double current, const ArmsOptions& options,
                      Rng& rng) {
  Envelope envelope(log_density, options);
  ArmsDraw draw{.num_evaluations = envelope.num_points()};
  for (;;) {
    const double x = envelope.draw(rng), f = log_density(x), h = envelope.height(x);
    ++draw.num_evaluations;
    if (std::log(rng.uniform()) < f - h) {
      draw.value = x;
      if (!options.metropolis_step) return draw;
      const double f_old = log_density(current);
      ++draw.num_evaluations;
      if (!std::isfinite(f_old))
        fail(ErrorCode::evaluation, fmt::format("the log density is {} at {}", f_old, current),
             "current", "start where the density is positive and finite");
      const double log_ratio = log_metropolis_ratio(f, h, f_old, envelope.height(current));
      draw.moved = std::log(rng.uniform()) < log_ratio;
      if (!draw.moved) draw.value = current;
      return draw;
    }
    if (envelope.num_points() < options.max_points && std::isfinite(f)) envelope.insert(x, f);
  }
}

}  // namespace credo::infer::gibbs
