#include "numerics/ode/runge_kutta.hpp"

#include "base/stop.hpp"

namespace credo::numerics {
namespace {
constexpr double kSafety = 0.9, kLeastChange = 0.2, kMostChange = 8.0;
constexpr double kStabilityLimit = 3.25;  // limit of Dormand and Prince's pair, negative axis
constexpr Index kManySteps = 1000;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
template <class T>
using Group = std::array<T, static_cast<std::size_t>(kLaneGroup)>;

// Size of an error at the tolerance.
double scale_of(const OdeTolerance& tolerance, double a, double b) {
  return tolerance.absolute + tolerance.relative * std::max(std::abs(a), std::abs(b));
}
}  // namespace

// One call of solve, for L lanes.
template <Index L>
class RungeKutta::Run {
 public:
  Run(RungeKutta& solver, LaneSystem& system, const LaneProblem& problem, OdeEnd* ends)
      : pair_(solver.pair_),
        system_(system),
        problem_(problem),
        ends_(ends),
        size_(solver.elements_ * L) {
    double* next = solver.memory_.data();
    std::fill_n(next, (4 + pair_.stages) * padded_to_groups(size_), 0.0);
    const auto take = [&] { return std::exchange(next, next + padded_to_groups(size_)); };
    y_ = take(), stage_ = take(), new_y_ = take(), error_ = take();
    for (int s = 0; s < pair_.stages; ++s) k_[at(s)] = take();
  }

  void run() {
    begin();
    while (std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return l.active; })) {
      stop_if_asked();
      take_step();
    }
  }

 private:
  struct Lane {
    bool active = true, rejected = false, cut = false;  // cut: the step ends at an output time
    bool moved = false;                                 // the last step was accepted
    double t = 0.0, h = 0.0, step = 0.0;  // h: the controller's size, step: size taken
    Index next = 0;                       // output time
    Index steps = 0;                      // since the last one
    Index all_steps = 0;                  // tried
    int limited = 0, free = 0;            // since the last others: by stability, not by it
  };
  static std::size_t at(int s) { return static_cast<std::size_t>(s); }
  Lane& lane(Index l) { return lanes_[static_cast<std::size_t>(l)]; }
  double wanted(Index l) { return problem_.times[lane(l).next * L + l]; }

  void begin();
  double first_step(Index l) const;
  void take_step();
  void evaluate_stages();
  void combine(const std::array<double, EmbeddedPair::kMost>& weights, int count,
               const double* start, double* out) const;
  void measure_errors();
  void judge(Index l);
  void accept(Index l, double error);
  bool is_stiff(Index l);
  void move_on();
  template <class F>
  void spread(Group<F>& group, F Lane::*field) const;
  void deliver(Index l, double time);
  double between(Index i, Index l, double theta) const;
  void end(Index l, bool out_of_steps);

  const EmbeddedPair& pair_;
  LaneSystem& system_;
  const LaneProblem& problem_;
  OdeEnd* ends_;
  Index size_;
  double *y_, *stage_, *new_y_, *error_;
  std::array<double*, EmbeddedPair::kMost> k_{};
  std::array<Lane, static_cast<std::size_t>(L)> lanes_{};
  std::array<double, static_cast<std::size_t>(L)> times_{};
  Group<double> worst_{}, steps_{};
};

template <Index L>
void RungeKutta::Run<L>::begin() {
  std::copy_n(problem_.initial, size_, y_);
  system_.derivative(problem_.start, y_, k_[0]);
  for (Index l = 0; l < L; ++l) {
    lane(l).t = problem_.start[l];
    ends_[l] = {};
    if (system_.failed(l)) {
      end(l, false);
      continue;
    }
    lane(l).h = first_step(l);
    if (!std::isfinite(lane(l).h)) end(l, false);
  }
}

// Hairer, Nørsett and Wanner, II.4, without its trial step: a hundredth of the time in which the
// solution changes by its own size.
template <Index L>
double RungeKutta::Run<L>::first_step(Index l) const {
  double value = 0.0, slope = 0.0;
  for (Index i = l; i < size_; i += L) {
    const double scale = scale_of(problem_.tolerance, y_[i], y_[i]);
    value = std::max(value, std::abs(y_[i]) / scale);
    slope = std::max(slope, std::abs(k_[0][i]) / scale);
    if (!std::isfinite(k_[0][i])) return kNaN;
  }
  const double span = span_of(problem_, l);
  if (!std::isfinite(span)) return kNaN;
  const double guess = value < 1e-5 || slope < 1e-5 ? 1e-3 * span : 0.01 * value / slope;
  return std::min(guess, span);
}

template <Index L>
void RungeKutta::Run<L>::take_step() {
  for (Index l = 0; l < L; ++l) {
    Lane& own = lane(l);
    own.moved = false;
    own.step = own.active ? own.h : 0.0;
    own.cut = own.active && !pair_.is_dense && own.t + own.h >= wanted(l);
    if (own.cut) own.step = wanted(l) - own.t;
  }
  spread(steps_, &Lane::step);
  evaluate_stages();
  measure_errors();
  for (Index l = 0; l < L; ++l) {
    if (lane(l).active) judge(l);
  }
  move_on();
}

template <Index L>
template <class F>
void RungeKutta::Run<L>::spread(Group<F>& group, F Lane::*field) const {
  for (std::size_t j = 0; j < group.size(); ++j)
    group[j] = lanes_[j % static_cast<std::size_t>(L)].*field;
}

template <Index L>
void RungeKutta::Run<L>::combine(const std::array<double, EmbeddedPair::kMost>& weights, int count,
                                 const double* start, double* out) const {
  sum_stages({.stages = std::span(k_).first(at(count)),
              .weights = weights.data(),
              .steps = steps_.data(),
              .start = start,
              .size = padded_to_groups(size_),
              .out = out});
}

template <Index L>
void RungeKutta::Run<L>::evaluate_stages() {
  if (!pair_.last_is_first) {
    for (std::size_t l = 0; l < times_.size(); ++l) times_[l] = lanes_[l].t;
    system_.derivative(times_.data(), y_, k_[0]);
  }
  for (int s = 1; s < pair_.stages; ++s) {
    double* point = s + 1 == pair_.stages && pair_.last_is_first ? new_y_ : stage_;
    combine(pair_.a[at(s)], s, y_, point);
    for (std::size_t l = 0; l < times_.size(); ++l)
      times_[l] = lanes_[l].t + pair_.c[at(s)] * lanes_[l].step;
    system_.derivative(times_.data(), point, k_[at(s)]);
  }
  combine(pair_.e, pair_.stages, nullptr, error_);
  if (pair_.last_is_first) return;
  combine(pair_.b, pair_.stages, y_, new_y_);
}

// The largest error of each lane in units of the tolerance.
template <Index L>
void RungeKutta::Run<L>::measure_errors() {
  measure_step({.error = error_,
                .a = y_,
                .b = new_y_,
                .absolute = problem_.tolerance.absolute,
                .relative = problem_.tolerance.relative,
                .size = padded_to_groups(size_),
                .worst = worst_.data()});
  for (std::size_t j = static_cast<std::size_t>(L); j < worst_.size(); ++j) {
    double& own = worst_[j % static_cast<std::size_t>(L)];
    own = std::max(own, worst_[j]);
  }
}

template <Index L>
void RungeKutta::Run<L>::judge(Index l) {
  Lane& own = lane(l);
  if (system_.failed(l)) return end(l, false);
  if (problem_.ends_stiff && is_stiff(l)) {
    end(l, false);
    ends_[l].stiff = true;
    return;
  }
  const double error = worst_[static_cast<std::size_t>(l)];
  if (error <= 1.0) return accept(l, error);
  own.rejected = true;
  own.h = own.step * std::max(kLeastChange, kSafety * std::pow(error, -1.0 / pair_.order));
  if (++own.steps > problem_.tolerance.max_steps) return end(l, true);
  if (own.h <= 4.0 * kEpsilon * std::abs(own.t) || own.h < std::numeric_limits<double>::min())
    end(l, false);
}

template <Index L>
void RungeKutta::Run<L>::accept(Index l, double error) {
  Lane& own = lane(l);
  ++own.steps;
  if (problem_.recorder != nullptr)
    problem_.recorder->record(l, {own.t, own.step, own.next}, std::span(&y_, 1), L);
  const double end_time = own.cut ? wanted(l) : own.t + own.step;
  while (own.next < problem_.num_times && wanted(l) <= end_time) {
    deliver(l, wanted(l));
    ++own.next;
    own.steps = 0;
  }
  own.active = own.next < problem_.num_times;
  const double change = kSafety * std::pow(std::max(error, 1e-10), -1.0 / pair_.order);
  const double grown =
      own.step * std::clamp(change, kLeastChange, own.rejected ? 1.0 : kMostChange);
  own.h = own.cut ? std::max(own.h, grown) : grown;  // a cut step says little of longer ones
  if (own.cut && change < 1.0) own.h = grown;
  own.rejected = false;
  own.t = end_time;
  own.moved = true;
  if (own.active && own.steps > problem_.tolerance.max_steps) end(l, true);
}

// [hairer1996, IV.2]: the last two stages are f at two points of one time. By how much it differs
// is the step times the largest eigenvalue, and as large as stability allows in 15 steps, tried
// ones, without 6 others in a row. Asked only after so many steps that an implicit method costs
// less than they did.
template <Index L>
bool RungeKutta::Run<L>::is_stiff(Index l) {
  Lane& own = lane(l);
  if (!pair_.last_is_first || ++own.all_steps <= kManySteps) return false;
  const double *last = k_[at(pair_.stages - 1)], *before = k_[at(pair_.stages - 2)];
  double slopes = 0.0, points = 0.0;
  for (Index i = l; i < size_; i += L) {
    const double scale = scale_of(problem_.tolerance, y_[i], new_y_[i]);
    const double slope = own.step * (last[i] - before[i]) / scale;
    const double point = (new_y_[i] - stage_[i]) / scale;
    slopes += slope * slope;
    points += point * point;
  }
  const bool limited = slopes > kStabilityLimit * kStabilityLimit * points;
  own.free = limited ? 0 : own.free + 1;
  if (own.free == 6) own.limited = 0;
  own.limited += limited ? 1 : 0;
  return own.limited >= 15;
}

// The lanes whose step was accepted go to its end.
template <Index L>
void RungeKutta::Run<L>::move_on() {
  Group<bool> moved;
  spread(moved, &Lane::moved);
  const double* slope = k_[at(pair_.last_is_first ? pair_.stages - 1 : 0)];
  for (Index i = 0; i < size_; i += kLaneGroup) {
    for (std::size_t j = 0; j < moved.size(); ++j) {
      const Index e = i + Index(j);
      y_[e] = moved[j] ? new_y_[e] : y_[e];
      k_[0][e] = moved[j] ? slope[e] : k_[0][e];
    }
  }
}

// The solution of lane l at a time in the step just made, from t to t + step.
template <Index L>
void RungeKutta::Run<L>::deliver(Index l, double time) {
  const Lane& own = lane(l);
  const double theta = own.step > 0.0 ? (time - own.t) / own.step : 1.0;
  double* out = problem_.out + own.next * size_;
  for (Index i = l; i < size_; i += L)
    out[i] = theta == 1.0 || !pair_.is_dense ? new_y_[i] : between(i, l, theta);
}

template <Index L>
double RungeKutta::Run<L>::between(Index i, Index l, double theta) const {
  const double h = lanes_[static_cast<std::size_t>(l)].step;
  const double rise = new_y_[i] - y_[i];
  const double first = h * k_[0][i] - rise;
  const double last = rise - h * k_[at(pair_.stages - 1)][i] - first;
  double curve = 0.0;
  for (int s = 0; s < pair_.stages; ++s) curve += pair_.dense[at(s)] * k_[at(s)][i];
  const double rest = 1.0 - theta;
  return y_[i] + theta * (rise + rest * (first + theta * (last + rest * (h * curve))));
}

template <Index L>
void RungeKutta::Run<L>::end(Index l, bool out_of_steps) {
  lane(l).active = false;
  ends_[l] = {.complete = false, .out_of_steps = out_of_steps, .reached = lane(l).t};
}

RungeKutta::RungeKutta(const EmbeddedPair& pair, Index elements, Index max_lanes)
    : pair_(pair),
      elements_(elements),
      memory_((4 + pair.stages) * padded_to_groups(elements * max_lanes)) {}

void RungeKutta::solve(LaneSystem& system, const LaneProblem& problem, OdeEnd* ends) {
  switch (problem.lanes) {
    case 1:
      return Run<1>(*this, system, problem, ends).run();
    case 2:
      return Run<2>(*this, system, problem, ends).run();
    case 4:
      return Run<4>(*this, system, problem, ends).run();
    default:
      return Run<8>(*this, system, problem, ends).run();
  }
}

}  // namespace credo::numerics
