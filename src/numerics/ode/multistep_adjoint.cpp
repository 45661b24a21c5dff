#include "numerics/ode/multistep_adjoint.hpp"

namespace credo::numerics {
namespace {
constexpr std::size_t kLanes = 8;
std::size_t at(Index k) { return static_cast<std::size_t>(k); }

// Gauss's points and weights on (0, 1), for the order 10.
constexpr double kInner = 0.2692346550528415, kOuter = 0.453089922969332;
constexpr std::array<double, 5> kPoints{0.5 - kOuter, 0.5 - kInner, 0.5, 0.5 + kInner,
                                        0.5 + kOuter};
constexpr std::array<double, 5> kWeights{0.11846344252809454, 0.23931433524968324,
                                         0.28444444444444444, 0.23931433524968324,
                                         0.11846344252809454};
}  // namespace

// One call of pull_back, and the adjoint equation between two output times: s is the time before
// the later one.
class MultistepAdjoint::Run final : public StiffSystem {
 public:
  Run(MultistepAdjoint& own, AdjointSystem& system, const LaneProblem& problem, OdeEnd* ends);
  const double* run(const double* weights);

  void derivative(const double* s, const double* adjoint, double* out) override {
    pull(s, adjoint);
    std::copy_n(pulled_, size_, out);
  }
  void states(const double* s, const double* adjoint, double* out) override {
    derivative(s, adjoint, out);
  }
  void jacobian(const double* s, const double* adjoint, double* df) override;
  bool failed(Index lane) const override { return system_.failed(lane); }

 private:
  const PolynomialPath& path(Index l) const { return own_.states_[at(l)]; }
  const PolynomialPath& adjoint_path(Index l) const { return own_.adjoints_[at(l)]; }
  void scale_weights(const double* weights);
  void look(const double* s);
  void pull(const double* s, const double* adjoint);
  bool begin_interval(Index k);
  void solve_interval();
  void integrate();
  void add_point(Index step, std::size_t point);
  Index most_steps() const;

  MultistepAdjoint& own_;
  AdjointSystem& system_;
  const LaneProblem& problem_;
  OdeEnd* ends_;
  Index n_, p_, lanes_, size_;
  double *adjoint_, *y_, *pulled_, *point_, *solved_, *jacobian_;
  std::array<double, kLanes> zero_{}, times_{}, from_{}, length_{}, scale_{};
  std::array<bool, kLanes> moves_{};
};

MultistepAdjoint::Run::Run(MultistepAdjoint& own, AdjointSystem& system, const LaneProblem& problem,
                           OdeEnd* ends)
    : own_(own),
      system_(system),
      problem_(problem),
      ends_(ends),
      n_(own.sizes_.states),
      p_(own.sizes_.parameters),
      lanes_(problem.lanes),
      size_(n_ * lanes_) {
  double* next = own.memory_.data();
  std::fill_n(next, own.memory_.size(), 0.0);
  const auto take = [&](Index size) { return std::exchange(next, next + size); };
  adjoint_ = take((n_ + p_) * lanes_), pulled_ = take((n_ + p_) * lanes_);
  y_ = take(size_), point_ = take(size_), solved_ = take(size_), jacobian_ = take(n_ * size_);
}

const double* MultistepAdjoint::Run::run(const double* weights) {
  scale_weights(weights);
  for (Index k = problem_.num_times; k-- > 0;) {
    for (Index e = 0; e < size_; ++e)
      adjoint_[e] += weights[k * size_ + e] / scale_[at(e % lanes_)];
    if (!begin_interval(k)) continue;
    solve_interval();
    integrate();
  }
  for (Index e = 0; e < (n_ + p_) * lanes_; ++e) adjoint_[e] *= scale_[at(e % lanes_)];
  return adjoint_;
}

// Scales by powers of two, so that no weight is rounded.
void MultistepAdjoint::Run::scale_weights(const double* weights) {
  scale_.fill(1.0);
  if (!own_.options_.relative) return;
  for (Index l = 0; l < lanes_; ++l) {
    double most = 0.0;
    for (Index e = l; e < problem_.num_times * size_; e += lanes_)
      most = std::max(most, std::abs(weights[e]));
    if (most > 0.0 && std::isfinite(most)) scale_[at(l)] = std::exp2(std::ilogb(most));
  }
}

// The time and the forward solution s before the end of the interval. The solution begins at the
// start: steps beyond it use its values there.
void MultistepAdjoint::Run::look(const double* s) {
  for (Index l = 0; l < lanes_; ++l) {
    times_[at(l)] = std::max(from_[at(l)] - s[l], problem_.start[l]);
    if (path(l).size() == 0) {
      for (Index i = 0; i < n_; ++i) y_[i * lanes_ + l] = problem_.initial[i * lanes_ + l];
      continue;
    }
    path(l).evaluate(path(l).step_at(times_[at(l)]), times_[at(l)], y_ + l, lanes_);
  }
}

void MultistepAdjoint::Run::pull(const double* s, const double* adjoint) {
  look(s);
  system_.pull_back(times_.data(), y_, adjoint, pulled_);
}

void MultistepAdjoint::Run::jacobian(const double* s, const double*, double* df) {
  look(s);
  system_.jacobian(times_.data(), y_, jacobian_);
  for (Index c = 0; c < n_; ++c) {
    for (Index r = 0; r < n_; ++r)
      std::copy_n(jacobian_ + (r * n_ + c) * lanes_, lanes_, df + (c * n_ + r) * lanes_);
  }
}

// Goes from output time k to the one before it. Idle lanes, since both times are equal
// or there is no solution, solve the equation of an adjoint of zero for some short time. False
// if all lanes are idle.
bool MultistepAdjoint::Run::begin_interval(Index k) {
  bool any = false;
  for (Index l = 0; l < lanes_; ++l) {
    const double end = problem_.times[k * lanes_ + l];
    const double until = k > 0 ? problem_.times[(k - 1) * lanes_ + l] : problem_.start[l];
    moves_[at(l)] = ends_[l].complete && end > until;
    any = any || moves_[at(l)];
    from_[at(l)] = moves_[at(l)] ? end : problem_.start[l];
    length_[at(l)] = moves_[at(l)] ? end - until : 1.0;
    for (Index i = 0; i < n_; ++i)
      point_[i * lanes_ + l] = moves_[at(l)] ? adjoint_[i * lanes_ + l] : 0.0;
  }
  return any;
}

void MultistepAdjoint::Run::solve_interval() {
  std::array<OdeEnd, kLanes> ends{};
  for (PolynomialPath& path : own_.adjoints_) path.clear();
  own_.recorded_ = &own_.adjoints_;
  own_.backward_.solve(*this,
                       {.lanes = lanes_,
                        .start = zero_.data(),
                        .initial = point_,
                        .times = length_.data(),
                        .num_times = 1,
                        .out = solved_,
                        .tolerance = own_.options_.tolerance,
                        .recorder = &own_},
                       ends.data());
  for (Index l = 0; l < lanes_; ++l) {
    if (!moves_[at(l)]) continue;
    moves_[at(l)] = ends[at(l)].complete && !failed(l);
    if (!moves_[at(l)])
      ends_[l] = {.complete = false,
                  .out_of_steps = ends[at(l)].out_of_steps,
                  .reached = from_[at(l)] - ends[at(l)].reached};
    for (Index e = l; e < size_; e += lanes_) adjoint_[e] = solved_[e];
  }
}

Index MultistepAdjoint::Run::most_steps() const {
  Index most = 0;
  for (Index l = 0; l < lanes_; ++l) {
    if (moves_[at(l)]) most = std::max(most, own_.adjoints_[at(l)].size());
  }
  return most;
}

void MultistepAdjoint::Run::integrate() {
  if (p_ == 0) return;
  const Index most = most_steps();
  for (Index step = 0; step < most; ++step) {
    for (std::size_t point = 0; point < kPoints.size(); ++point) add_point(step, point);
  }
}

// The last step may go beyond the interval's end.
void MultistepAdjoint::Run::add_point(Index step, std::size_t point) {
  std::array<double, kLanes> s{}, weight{};
  for (Index l = 0; l < lanes_; ++l) {
    const PolynomialPath& own = adjoint_path(l);
    if (!moves_[at(l)] || step >= own.size()) {
      for (Index i = 0; i < n_; ++i) point_[i * lanes_ + l] = 0.0;
      continue;
    }
    const double first = own.start(step), h = std::min(own.end(step), length_[at(l)]) - first;
    s[at(l)] = first + kPoints[point] * h;
    weight[at(l)] = kWeights[point] * h;
    own.evaluate(step, s[at(l)], point_ + l, lanes_);
  }
  pull(s.data(), point_);
  for (Index l = 0; l < lanes_; ++l) {
    if (weight[at(l)] == 0.0) continue;
    for (Index e = size_ + l; e < (n_ + p_) * lanes_; e += lanes_)
      adjoint_[e] += weight[at(l)] * pulled_[e];
  }
}

MultistepAdjoint::MultistepAdjoint(MultistepMethod forward, const BackwardOptions& backward,
                                   AdjointSizes sizes)
    : options_(backward),
      sizes_(sizes),
      forward_(forward, sizes.states, 0, sizes.max_lanes),
      backward_(backward.method, sizes.states, 0, sizes.max_lanes),
      states_(at(sizes.max_lanes), PolynomialPath(sizes.states)),
      adjoints_(at(sizes.max_lanes), PolynomialPath(sizes.states)),
      memory_((5 * sizes.states + 2 * sizes.parameters + sizes.states * sizes.states) *
              sizes.max_lanes) {}

void MultistepAdjoint::solve(AdjointSystem& system, LaneProblem problem, bool keep, OdeEnd* ends) {
  for (PolynomialPath& path : states_) path.clear();
  recorded_ = &states_;
  problem.recorder = keep ? this : nullptr;
  forward_.solve(system, problem, ends);
}

const double* MultistepAdjoint::pull_back(AdjointSystem& system, const LaneProblem& problem,
                                          const double* weights, OdeEnd* ends) {
  return Run(*this, system, problem, ends).run(weights);
}

}  // namespace credo::numerics
