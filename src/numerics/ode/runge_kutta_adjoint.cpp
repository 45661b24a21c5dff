#include "numerics/ode/runge_kutta_adjoint.hpp"

#include "base/stop.hpp"

namespace credo::numerics {
namespace {
constexpr std::size_t kMost = EmbeddedPair::kMost;
using Weights = std::array<double, kMost>;

std::size_t at(Index k) { return static_cast<std::size_t>(k); }

// The solution at t + theta h is y + h sum_s w_s k_s.
Weights weights_between(const EmbeddedPair& pair, double theta) {
  const double rest = 1.0 - theta;
  Weights w{};
  for (std::size_t s = 0; s < at(pair.stages); ++s) {
    const double curve = theta * rest * theta * rest;
    w[s] = theta * theta * (3.0 - 2.0 * theta) * pair.b[s] + curve * pair.dense[s];
  }
  w[0] += theta * rest * rest;
  w[at(pair.stages - 1)] -= theta * theta * rest;
  return w;
}
}  // namespace

// One call of pull_back.
class RungeKuttaAdjoint::Run {
 public:
  Run(RungeKuttaAdjoint& own, AdjointSystem& system, const LaneProblem& problem,
      const double* weights);
  const double* run();

 private:
  struct Lane {
    bool moves = false;
    Index left = 0;  // steps that aren't gone through yet
  };
  Trajectory& trajectory(Index l) { return own_.trajectories_[at(l)]; }
  void place(Index l, Index step);
  void rest(Index l);
  void make_segments();
  int last_stage() const;
  void evaluate_stages(int points, int slopes);
  void take_weights();
  void take_weight(Index l, const OdeStep& step, Index time);
  void pull_stage(int s);
  void go_back();

  RungeKuttaAdjoint& own_;
  const EmbeddedPair& pair_;
  AdjointSystem& system_;
  const LaneProblem& problem_;
  const double* weights_;
  Index lanes_, size_, all_;  // elements of all lanes: states; states and parameters
  bool between_ = false;      // some lane has an output time between the ends of its step
  double *adjoint_, *next_, *y_, *beside_, *weight_;
  std::array<double*, kMost> points_{}, k_{}, pulled_{}, direct_{};
  std::array<Lane, 8> per_lane_{};
  std::array<double, 8> t_{}, times_{}, steps_{};
};

RungeKuttaAdjoint::Run::Run(RungeKuttaAdjoint& own, AdjointSystem& system,
                            const LaneProblem& problem, const double* weights)
    : own_(own),
      pair_(own.pair_),
      system_(system),
      problem_(problem),
      weights_(weights),
      lanes_(problem.lanes),
      size_(own.sizes_.states * problem.lanes),
      all_((own.sizes_.states + own.sizes_.parameters) * problem.lanes) {
  double* next = own.memory_.data();
  std::fill_n(next, own.memory_.size(), 0.0);
  const auto take = [&](Index size) { return std::exchange(next, next + padded_to_groups(size)); };
  adjoint_ = take(all_), next_ = take(all_), y_ = take(size_), weight_ = take(size_);
  beside_ = take(all_);
  for (std::size_t s = 0; s < at(pair_.stages); ++s) {
    points_[s] = take(size_), k_[s] = take(size_), direct_[s] = take(size_);
    pulled_[s] = take(all_);
  }
}

const double* RungeKuttaAdjoint::Run::run() {
  for (Index l = 0; l < lanes_; ++l) per_lane_[at(l)].left = trajectory(l).num_steps();
  const auto is_left = [](const Lane& lane) { return lane.left > 0; };
  while (std::any_of(per_lane_.begin(), per_lane_.end(), is_left)) {
    stop_if_asked();
    make_segments();
    for (Index l = 0; l < lanes_; ++l) {
      Lane& lane = per_lane_[at(l)];
      lane.moves = lane.left > 0;
      lane.moves ? place(l, --lane.left) : rest(l);
    }
    take_weights();
    evaluate_stages(last_stage() + 1, last_stage());
    go_back();
  }
  return adjoint_;
}

// Lane l goes to the start of a step whose state is there.
void RungeKuttaAdjoint::Run::place(Index l, Index step) {
  const Trajectory& own = trajectory(l);
  t_[at(l)] = own.step(step).t;
  for (std::size_t j = at(l); j < steps_.size(); j += at(lanes_)) steps_[j] = own.step(step).h;
  for (Index i = 0; i < own_.sizes_.states; ++i) y_[i * lanes_ + l] = own.state(step)[i];
}

// For an idle lane f is evaluated at the start of the solution.
void RungeKuttaAdjoint::Run::rest(Index l) {
  t_[at(l)] = problem_.start[l];
  for (std::size_t j = at(l); j < steps_.size(); j += at(lanes_)) steps_[j] = 0.0;
  for (Index i = 0; i < own_.sizes_.states; ++i)
    y_[i * lanes_ + l] = problem_.initial[i * lanes_ + l];
}

// Makes the states of the next segment again in all lanes that have come to its end.
void RungeKuttaAdjoint::Run::make_segments() {
  std::array<Index, 8> from{}, to{};
  bool any = false;
  for (Index l = 0; l < lanes_; ++l) {
    const Index last = per_lane_[at(l)].left - 1;
    if (last < 0 || trajectory(l).has_state(last)) continue;
    from[at(l)] = trajectory(l).open_segment(last), to[at(l)] = last;
    any = true;
  }
  while (any) {
    any = false;
    for (Index l = 0; l < lanes_; ++l) from[at(l)] < to[at(l)] ? place(l, from[at(l)]) : rest(l);
    const int slopes = pair_.stages - (pair_.last_is_first ? 1 : 0);
    evaluate_stages(slopes, slopes);
    sum_stages({.stages = std::span(k_).first(at(pair_.stages)),
                .weights = pair_.b.data(),
                .steps = steps_.data(),
                .start = y_,
                .size = padded_to_groups(size_),
                .out = weight_});
    for (Index l = 0; l < lanes_; ++l) {
      if (from[at(l)] >= to[at(l)]) continue;
      double* state = trajectory(l).state_between(++from[at(l)]);
      for (Index i = 0; i < own_.sizes_.states; ++i) state[i] = weight_[i * lanes_ + l];
      any = any || from[at(l)] < to[at(l)];
    }
  }
}

// Last stage that the solution depends on: if f at the new point is one, it matters between the ends
// only.
int RungeKuttaAdjoint::Run::last_stage() const {
  return pair_.stages - (between_ || !pair_.last_is_first ? 1 : 2);
}

// Points of the first stages, and f at so many of them.
void RungeKuttaAdjoint::Run::evaluate_stages(int points, int slopes) {
  std::copy_n(y_, size_, points_[0]);
  for (int s = 0; s < points; ++s) {
    if (s > 0) {
      sum_stages({.stages = std::span(k_).first(at(s)),
                  .weights = pair_.a[at(s)].data(),
                  .steps = steps_.data(),
                  .start = y_,
                  .size = padded_to_groups(size_),
                  .out = points_[at(s)]});
    }
    for (std::size_t l = 0; l < at(lanes_); ++l) times_[l] = t_[l] + pair_.c[at(s)] * steps_[l];
    if (s < slopes) system_.derivative(times_.data(), points_[at(s)], k_[at(s)]);
  }
}

// The adjoints of solutions at output times within the steps.
void RungeKuttaAdjoint::Run::take_weights() {
  if (between_) {
    std::fill_n(beside_, all_, 0.0);
    for (std::size_t s = 0; s < at(pair_.stages); ++s) std::fill_n(direct_[s], size_, 0.0);
  }
  between_ = false;
  for (Index l = 0; l < lanes_; ++l) {
    if (!per_lane_[at(l)].moves) continue;
    const Trajectory& own = trajectory(l);
    const Index k = per_lane_[at(l)].left;
    const Index end = k + 1 < own.num_steps() ? own.step(k + 1).next : problem_.num_times;
    for (Index time = own.step(k).next; time < end; ++time) take_weight(l, own.step(k), time);
  }
}

void RungeKuttaAdjoint::Run::take_weight(Index l, const OdeStep& step, Index time) {
  const double* weight = weights_ + time * size_;
  const double theta = step.h > 0.0 ? (problem_.times[time * lanes_ + l] - step.t) / step.h : 1.0;
  const bool at_end = theta == 1.0 || !pair_.is_dense;
  double* whole = at_end ? adjoint_ : beside_;
  for (Index i = l; i < size_; i += lanes_) whole[i] += weight[i];
  if (at_end) return;
  between_ = true;
  const Weights w = weights_between(pair_, theta);
  for (std::size_t s = 0; s < at(pair_.stages); ++s) {
    for (Index i = l; i < size_; i += lanes_) direct_[s][i] += step.h * w[s] * weight[i];
  }
}

// The adjoint of stage s, and what follows from it for its point and the parameters.
void RungeKuttaAdjoint::Run::pull_stage(int s) {
  std::array<double*, 8> parts{adjoint_};
  std::array<double, 8> factors{pair_.b[at(s)]};
  std::size_t count = 1;
  for (int r = s + 1; r <= last_stage(); ++r, ++count)
    parts[count] = pulled_[at(r)], factors[count] = pair_.a[at(r)][at(s)];
  sum_stages({.stages = std::span(parts).first(count),
              .weights = factors.data(),
              .steps = steps_.data(),
              .start = between_ ? direct_[at(s)] : nullptr,
              .size = padded_to_groups(size_),
              .out = weight_});
  for (std::size_t l = 0; l < at(lanes_); ++l) times_[l] = t_[l] + pair_.c[at(s)] * steps_[l];
  system_.pull_back(times_.data(), points_[at(s)], weight_, pulled_[at(s)]);
}

void RungeKuttaAdjoint::Run::go_back() {
  std::array<double*, 8> parts{};
  std::size_t count = 0;
  for (int s = last_stage(); s >= 0; --s) {
    pull_stage(s);
    parts[count++] = pulled_[at(s)];
  }
  if (between_) parts[count++] = beside_;
  static constexpr std::array<double, 8> kOnes{1, 1, 1, 1, 1, 1, 1, 1};
  sum_stages({.stages = std::span(parts).first(count),
              .weights = kOnes.data(),
              .steps = kOnes.data(),
              .start = adjoint_,
              .size = padded_to_groups(all_),
              .out = next_});
  for (Index l = 0; l < lanes_; ++l) {
    if (per_lane_[at(l)].moves) continue;
    for (Index e = l; e < all_; e += lanes_) next_[e] = adjoint_[e];
  }
  std::swap(adjoint_, next_);
}

RungeKuttaAdjoint::RungeKuttaAdjoint(const EmbeddedPair& pair, AdjointSizes sizes,
                                     Index most_doubles)
    : pair_(pair),
      sizes_(sizes),
      forward_(pair, sizes.states, sizes.max_lanes),
      trajectories_(at(sizes.max_lanes), Trajectory(sizes.states, most_doubles)),
      memory_((2 + 3 * pair.stages) * padded_to_groups(sizes.states * sizes.max_lanes) +
              (3 + pair.stages) *
                  padded_to_groups((sizes.states + sizes.parameters) * sizes.max_lanes)) {}

void RungeKuttaAdjoint::solve(AdjointSystem& system, LaneProblem problem, bool keep, OdeEnd* ends) {
  for (Index l = 0; l < problem.lanes; ++l) trajectories_[at(l)].clear();
  problem.recorder = keep ? this : nullptr;
  forward_.solve(system, problem, ends);
}

const double* RungeKuttaAdjoint::pull_back(AdjointSystem& system, const LaneProblem& problem,
                                           const double* weights, OdeEnd* /*ends*/) {
  return Run(*this, system, problem, weights).run();
}

}  // namespace credo::numerics
