#include "numerics/ode/multistep.hpp"

#include "base/stop.hpp"
#include "numerics/ode/nordsieck.hpp"

namespace credo::numerics {
namespace {
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kLeastStep = std::numeric_limits<double>::min();
constexpr double kLeastChange = 0.2, kMostChange = 10.0, kWorthwhile = 1.2;
// Steps aim at an error of a sixth of the tolerance, with a higher order at a tenth.
constexpr double kSame = 6.0, kLower = 6.0, kHigher = 10.0;
constexpr double kNewton = 0.1;  // share of the tolerance that the corrector may leave
// Equations without derivatives may require values that differ from those at the start, and their
// slopes are known a step later: two short steps of order 1 without a judgement.
constexpr int kSettling = 2;
constexpr int kMostIterations = 4, kMatrixSteps = 20, kPatience = 3;
// Behind the columns of a lane's order: added to anything, it leaves its bits.
constexpr double kNothing = -0.0;

constexpr std::size_t at(Index k) { return static_cast<std::size_t>(k); }
constexpr Index kColumns = MultistepFormula::kMost + 1;
}  // namespace

// One call of solve.
class Multistep::Run {
 public:
  Run(Multistep& solver, StiffSystem& system, const LaneProblem& problem, OdeEnd* ends);

  void run() {
    begin();
    while (std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return l.active; })) {
      stop_if_asked();
      take_step();
    }
  }

 private:
  enum class Corrector : std::uint8_t { idle, iterating, converged, failed };
  struct Lane {
    bool active = false, restarts = false, accepted = false;
    Corrector corrector = Corrector::idle;
    bool has_matrix = false;
    int matrix_age = 0;                     // in steps
    double gamma = 0.0;                     // of the matrix
    double rate = 1.0;                      // of the corrector's convergence with it
    double change_y = 0.0, change_s = 0.0;  // the corrector's last
    double t = 0.0, h = 0.0, step = 0.0;    // h: unit of the polynomials, step: size tried next
    double largest = 0.0;                   // of e, in units of the tolerance
    int order = 1, next_order = 1;
    int wait = 2;      // steps until order and length may change
    int failures = 0;  // of the error test since then
    int settling = 0;  // steps before errors are judged
    Index next = 0;    // index of the output time
    Index steps = 0;   // since the last one
  };
  Lane& lane(Index l) { return lanes_[at(l)]; }
  double wanted(Index l) { return problem_.times[lane(l).next * count_ + l]; }
  double error_constant(const Lane& own) const {
    return formula_.error[at(own.order)] * formula_.high[at(own.order)];
  }
  void spread(LaneGroup& group, Index l, double value) const;
  LaneGroup folded(LaneGroup worst) const;
  template <class Value>
  double largest(Index l, Value value) const;

  template <class Work>
  void each_algebraic(Index size, Work work) const;
  void find_slopes(const double* t, const double* y, double* dy);
  void begin();
  double first_guess(Index l) const;
  double first_step(Index l, double guess) const;
  void start_over(Index l);
  void restart();
  void take_step();
  void predict_all();
  void renew_matrices();
  void renew_matrix(Index l);
  void iterate();
  bool any_iterates() const;
  void iterate_once(int m);
  void judge_iteration(Index l, int m, double change_y, double change_s);
  void measure_errors();
  void judge(Index l);
  void shorten(Index l);
  void reject(Index l, double error);
  void accept(Index l, double error);
  void choose(Index l, double error);
  static double factor_of(double error, int order, double reserve);
  void correct_all();
  void finish(Index l);
  void record(Index l);
  void deliver(Index l);
  void change_order(Index l);
  void end(Index l, bool out_of_steps);

  const MultistepFormula& formula_;
  LaneFactors& factors_;
  StiffSystem& system_;
  const LaneProblem& problem_;
  OdeEnd* ends_;
  Index count_, states_, columns_, size_;  // numbers of lanes ... values
  Nordsieck z_{}, predicted_{};
  double *e_, *e_before_, *y_, *f_, *change_, *weights_, *jacobian_;
  int order_ = 1;  // the highest of a lane
  NordsieckWeights powers_{}, l_{};
  LaneGroup gamma_{}, share_{}, on_{};
  std::array<double, at(kLaneGroup)> times_{};
  std::array<Lane, at(kLaneGroup)> lanes_{};
};

Multistep::Multistep(MultistepMethod method, Index states, Index columns, Index max_lanes)
    : formula_(method),
      states_(states),
      columns_(columns),
      memory_((2 * kColumns + 6) * padded_to_groups(states * (1 + columns) * max_lanes) +
              padded_to_groups(states * states * max_lanes)),
      factors_(states, max_lanes) {}

void Multistep::solve(StiffSystem& system, const LaneProblem& problem, OdeEnd* ends) {
  Run(*this, system, problem, ends).run();
}

Multistep::Run::Run(Multistep& solver, StiffSystem& system, const LaneProblem& problem,
                    OdeEnd* ends)
    : formula_(solver.formula_),
      factors_(solver.factors_),
      system_(system),
      problem_(problem),
      ends_(ends),
      count_(problem.lanes),
      states_(solver.states_),
      columns_(solver.columns_),
      size_(states_ * (1 + columns_) * count_) {
  double* next = solver.memory_.data();
  const auto take = [&](double value) {
    std::fill_n(next, padded_to_groups(size_), value);
    return std::exchange(next, next + padded_to_groups(size_));
  };
  for (auto& column : z_) column = take(kNothing);
  for (auto& column : predicted_) column = take(kNothing);
  e_ = take(0.0), e_before_ = take(0.0), y_ = take(0.0), f_ = take(0.0), change_ = take(0.0);
  weights_ = take(0.0);
  jacobian_ = next;
  factors_.set_lanes(count_);
  factors_.set_algebraic(problem.algebraic);
}

// A lane's value in its places of a group, which mostly is there already.
void Multistep::Run::spread(LaneGroup& group, Index l, double value) const {
  if (group[at(l)] == value) return;
  for (Index j = l; j < kLaneGroup; j += count_) group[at(j)] = value;
}

// Maxima of the places of a group as those of lanes.
LaneGroup Multistep::Run::folded(LaneGroup worst) const {
  for (Index l = 0; l < count_; ++l) {
    for (Index j = l + count_; j < kLaneGroup; j += count_)
      worst[at(l)] = std::max(worst[at(l)], worst[at(j)]);
  }
  return worst;
}

template <class Value>
double Multistep::Run::largest(Index l, Value value) const {
  double worst = 0.0;
  for (Index i = l; i < size_; i += count_) {
    const double size = std::abs(value(i)) * weights_[i];
    worst = std::isnan(size) ? kInfinity : std::max(worst, size);
  }
  return worst;
}

// The values of states without derivatives, and of their sensitivities, among the first `size`.
template <class Work>
void Multistep::Run::each_algebraic(Index size, Work work) const {
  if (problem_.algebraic == 0) return;
  const Index first = states_ - problem_.algebraic;
  for (Index i = first * count_; i < states_ * count_; ++i) work(i);
  for (Index i = (states_ + first * columns_) * count_; i < size; ++i) work(i);
}

// ---- the first step, and steps after a break

void Multistep::Run::find_slopes(const double* t, const double* y, double* dy) {
  system_.derivative(t, y, dy);
  each_algebraic(size_, [&](Index i) { dy[i] = 0.0; });
}

void Multistep::Run::begin() {
  std::copy_n(problem_.initial, size_, z_[0]);
  find_slopes(problem_.start, z_[0], f_);
  for (Index i = 0; i < size_; ++i) {
    const auto& [relative, absolute, steps] = problem_.tolerance;
    weights_[i] = 1.0 / (absolute + relative * std::abs(z_[0][i]));
  }
  each_algebraic(size_, [&](Index i) { weights_[i] = 0.0; });
  LaneGroup guess{};
  for (Index l = 0; l < count_; ++l) {
    lane(l).t = problem_.start[l];
    lane(l).active = true;
    ends_[l] = {};
    guess[at(l)] = first_guess(l);
    times_[at(l)] = lane(l).t + guess[at(l)];
    for (Index i = l; i < size_; i += count_) y_[i] = z_[0][i] + guess[at(l)] * f_[i];
    if (system_.failed(l) || !std::isfinite(guess[at(l)])) end(l, false);
  }
  find_slopes(times_.data(), y_, change_);
  for (Index l = 0; l < count_; ++l) {
    if (!lane(l).active) continue;
    if (system_.failed(l)) {
      end(l, false);
      continue;
    }
    lane(l).step = first_step(l, guess[at(l)]);
    if (problem_.algebraic > 0) lane(l).step *= 0.1, lane(l).settling = kSettling;
    start_over(l);
  }
}

// Hairer, Nørsett and Wanner, II.4: a hundredth of the time in which the solution changes by its
// own size ...
double Multistep::Run::first_guess(Index l) const {
  const double value = largest(l, [&](Index i) { return z_[0][i]; });
  const double slope = largest(l, [&](Index i) { return f_[i]; });
  const double span = span_of(problem_, l);
  if (!std::isfinite(slope) || !std::isfinite(span)) return kNaN;
  return std::min(value < 1e-5 || slope < 1e-5 ? 1e-6 * span : 0.01 * value / slope, span);
}

// ... and the step in which a second derivative, by a trial step, makes an error of a hundredth of
// the tolerance in a method of order 1.
double Multistep::Run::first_step(Index l, double guess) const {
  const double slope = largest(l, [&](Index i) { return f_[i]; });
  const double bend = largest(l, [&](Index i) { return change_[i] - f_[i]; }) / guess;
  if (!std::isfinite(bend)) return 1e-3 * guess;
  const double most = std::max(slope, bend);
  return std::min(100.0 * guess, most < 1e-15 ? guess : std::sqrt(0.01 / most));
}

// Order 1 from the slope in f.
void Multistep::Run::start_over(Index l) {
  Lane& own = lane(l);
  own.h = own.step;
  own.order = own.next_order = 1;
  own.wait = 2;
  own.has_matrix = own.restarts = false;
  for (Index i = l; i < size_; i += count_) {
    z_[1][i] = own.h * f_[i];
    for (std::size_t j = 2; j < z_.size(); ++j) z_[j][i] = kNothing;
  }
}

void Multistep::Run::restart() {
  const auto asks = [](const Lane& own) { return own.active && own.restarts; };
  if (!std::any_of(lanes_.begin(), lanes_.end(), asks)) return;
  for (Index l = 0; l < count_; ++l) times_[at(l)] = lane(l).t;
  find_slopes(times_.data(), z_[0], f_);
  for (Index l = 0; l < count_; ++l) {
    if (asks(lane(l))) start_over(l);
  }
}

// ---- one step

void Multistep::Run::take_step() {
  restart();
  predict_all();
  renew_matrices();
  iterate();
  measure_errors();
  for (Index l = 0; l < count_; ++l) {
    if (lane(l).active) judge(l);
  }
  correct_all();
  for (Index l = 0; l < count_; ++l) {
    if (lane(l).accepted) finish(l);
  }
}

void Multistep::Run::predict_all() {
  order_ = 1;
  for (Index l = 0; l < count_; ++l) {
    Lane& own = lane(l);
    own.accepted = false;
    own.corrector = own.active ? Corrector::iterating : Corrector::idle;
    const double step = own.active ? own.step : 0.0;
    times_[at(l)] = own.t + step;
    if (own.active) order_ = std::max(order_, own.order);
    const double scale = own.active ? own.step / own.h : 0.0;
    double power = 1.0;
    for (int j = 0; j <= own.order; ++j)
      spread(powers_[at(j)], l, std::exchange(power, power * scale));
    const double slope = formula_.l[at(own.order)][1];
    spread(gamma_, l, step / slope);
    spread(share_, l, 1.0 / slope);
  }
  predict({.from = &z_,
           .to = &predicted_,
           .powers = &powers_,
           .order = order_,
           .absolute = problem_.tolerance.absolute,
           .relative = problem_.tolerance.relative,
           .weights = weights_,
           .size = size_});
  each_algebraic(size_, [&](Index i) { weights_[i] = 0.0; });
}

// I - gamma J anew for lanes whose gamma changed or whose J is old.
void Multistep::Run::renew_matrices() {
  const auto asks = [&](Index l) {
    const Lane& own = lane(l);
    return own.active &&
           (!own.has_matrix || own.gamma != gamma_[at(l)] || own.matrix_age >= kMatrixSteps);
  };
  Index first = 0;
  while (first < count_ && !asks(first)) ++first;
  if (first == count_) return;
  system_.jacobian(times_.data(), predicted_[0], jacobian_);
  for (Index l = first; l < count_; ++l) {
    if (asks(l)) renew_matrix(l);
  }
}

void Multistep::Run::renew_matrix(Index l) {
  Lane& own = lane(l);
  own.gamma = gamma_[at(l)];
  own.matrix_age = 0;
  own.rate = 1.0;
  own.has_matrix = factors_.factor(l, own.gamma, jacobian_);
  if (!own.has_matrix) own.corrector = Corrector::failed;
}

// ---- the corrector: Newton's method for e

void Multistep::Run::iterate() {
  std::fill_n(e_, size_, 0.0);
  std::copy_n(predicted_[0], size_, y_);
  for (int m = 0; m < kMostIterations && any_iterates(); ++m) iterate_once(m);
}

bool Multistep::Run::any_iterates() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& own) { return own.corrector == Corrector::iterating; });
}

// The states first, then states and sensitivities: their residual is of the states corrected once,
// and with the Jacobian of these a single correction would be exact.
void Multistep::Run::iterate_once(int m) {
  const bool both = m > 0 && columns_ > 0;
  const Index n = states_ * count_, size = both ? size_ : n;
  both ? system_.derivative(times_.data(), y_, f_) : system_.states(times_.data(), y_, f_);
  residual({.f = f_,
            .e = e_,
            .slope = predicted_[1],
            .gamma = &gamma_,
            .share = &share_,
            .size = size,
            .out = change_});
  each_algebraic(size, [&](Index i) { change_[i] = gamma_[at(i % kLaneGroup)] * f_[i]; });
  factors_.solve(change_, 1);
  if (both) factors_.solve(change_ + n, columns_);
  for (Index l = 0; l < count_; ++l)
    spread(on_, l, lane(l).corrector == Corrector::iterating ? 1.0 : 0.0);
  const auto apply_to = [&](Index from, Index count) {
    LaneGroup worst{};
    apply({.change = change_ + from,
           .start = predicted_[0] + from,
           .weights = weights_ + from,
           .on = &on_,
           .e = e_ + from,
           .y = y_ + from,
           .size = count,
           .worst = worst.data()});
    return folded(worst);
  };
  const LaneGroup change_y = apply_to(0, n);
  const LaneGroup change_s = both ? apply_to(n, size_ - n) : LaneGroup{};
  for (Index l = 0; l < count_; ++l) {
    if (lane(l).corrector == Corrector::iterating)
      judge_iteration(l, m, change_y[at(l)], change_s[at(l)]);
  }
}

// The error after a correction is at most rate / (1 - rate) of it. The states' rate is that of the
// sensitivities, too, since their matrices are the same.
void Multistep::Run::judge_iteration(Index l, int m, double change_y, double change_s) {
  Lane& own = lane(l);
  const double last_y = std::exchange(own.change_y, change_y);
  const double last_s = std::exchange(own.change_s, change_s);
  const double most = kNewton / error_constant(own), noise = 1e-3 * most;
  const double change = std::max(change_y, change_s);
  if (system_.failed(l)) return end(l, false);
  own.corrector = Corrector::failed;
  if (!std::isfinite(change)) return;
  double rate = 0.0;
  if (m > 0 && last_y > noise) rate = change_y / last_y;
  if (m > 1 && last_s > noise) rate = std::max(rate, change_s / last_s);
  if (rate > 2.0 && change > most) return;
  if (rate > 0.0) own.rate = std::max(own.matrix_age == 0 ? 0.01 : 0.3 * own.rate, rate);
  const bool has_all = m > 0 || columns_ == 0;
  if (has_all && std::min(1.0, own.rate) * change <= most)
    own.corrector = Corrector::converged;
  else if (m + 1 < kMostIterations)
    own.corrector = Corrector::iterating;
}

// ---- the error test, step and order

void Multistep::Run::measure_errors() {
  LaneGroup worst{};
  measure({.a = e_, .weights = weights_, .size = size_, .worst = worst.data()});
  worst = folded(worst);
  for (Index l = 0; l < count_; ++l) lane(l).largest = worst[at(l)];
}

void Multistep::Run::judge(Index l) {
  Lane& own = lane(l);
  if (system_.failed(l)) return end(l, false);
  if (++own.steps > problem_.tolerance.max_steps) return end(l, true);
  const double error = error_constant(own) * own.largest;
  const bool is_judged = own.settling == 0;
  if (own.corrector == Corrector::converged && (error <= 1.0 || !is_judged))
    return accept(l, error);
  own.wait = own.order + 1;
  own.corrector == Corrector::converged ? reject(l, error) : shorten(l);
  const double least = std::max(4.0 * kEpsilon * std::abs(own.t), kLeastStep);
  if (!(own.step > least)) end(l, false);
}

// The corrector failed: with an old matrix the same step with a new one.
void Multistep::Run::shorten(Index l) {
  Lane& own = lane(l);
  if (own.matrix_age == 0) own.step *= 0.25;
  own.has_matrix = false;
}

// The second time with a lower order, and then as from a new start.
void Multistep::Run::reject(Index l, double error) {
  Lane& own = lane(l);
  own.step *= std::clamp(factor_of(error, own.order, kSame), kLeastChange, 0.9);
  if (++own.failures >= kPatience) own.restarts = true;
  if (own.failures < 2 || own.order == 1) return;
  own.next_order = own.order - 1;
  change_order(l);
}

void Multistep::Run::accept(Index l, double error) {
  Lane& own = lane(l);
  own.accepted = true;
  ++own.matrix_age;
  own.h = own.step;
  own.t = times_[at(l)];
  if (own.settling > 0) {
    --own.settling;
    own.restarts = true;
    return;
  }
  if (--own.wait == 0) choose(l, error);
}

// The order, among this and its neighbours, that allows the longest step; nothing changes for
// little gain. Derivatives of one order less are in the last column, of one more in differences of
// e between steps of equal length.
void Multistep::Run::choose(Index l, double error) {
  Lane& own = lane(l);
  own.failures = 0;
  const int q = own.order;
  double best = factor_of(error, q, kSame);
  const auto consider = [&](int order, double constant, double size, double reserve) {
    const double factor = factor_of(constant * size, order, reserve);
    if (factor <= best) return;
    best = factor;
    own.next_order = order;
  };
  if (q > 1) {
    const double slope = formula_.l[at(q)][at(q)];
    const auto column = [&](Index i) { return predicted_[at(q)][i] + slope * e_[i]; };
    consider(q - 1, formula_.error[at(q - 1)] * formula_.factorial[at(q)], largest(l, column),
             kLower);
  }
  if (q < formula_.max_order) {
    const auto difference = [&](Index i) { return e_[i] - e_before_[i]; };
    consider(q + 1, formula_.error[at(q + 1)] * formula_.high[at(q)], largest(l, difference),
             kHigher);
  }
  if (best < kWorthwhile) {
    own.next_order = q;
    own.wait = kPatience;
    return;
  }
  own.step *= std::min(best, kMostChange);
  own.wait = own.next_order + 1;
}

// Factor for the size of a step that has this error, in units of the tolerance.
double Multistep::Run::factor_of(double error, int order, double reserve) {
  return std::pow(std::max(reserve * error, 1e-30), -1.0 / (order + 1));
}

void Multistep::Run::correct_all() {
  for (Index l = 0; l < count_; ++l) {
    const Lane& own = lane(l);
    for (int j = 0; j <= order_; ++j)
      spread(l_[at(j)], l, own.accepted ? formula_.l[at(own.order)][at(j)] : 0.0);
  }
  correct({.predicted = &predicted_,
           .z = &z_,
           .l = &l_,
           .order = order_,
           .e = e_,
           .e_before = e_before_,
           .size = size_});
}

void Multistep::Run::finish(Index l) {
  Lane& own = lane(l);
  record(l);
  while (own.active && wanted(l) <= own.t) {
    deliver(l);
    own.steps = 0;
    own.active = ++own.next < problem_.num_times;
  }
  change_order(l);
}

void Multistep::Run::record(Index l) {
  if (problem_.recorder == nullptr) return;
  const Lane& own = lane(l);
  const auto columns = std::span(z_).first(at(own.order) + 1);
  problem_.recorder->record(l, {own.t - own.h, own.h, own.next}, columns, count_);
}

// The polynomial of the step just made at the output time.
void Multistep::Run::deliver(Index l) {
  const Lane& own = lane(l);
  const double x = (wanted(l) - own.t) / own.h;
  double* out = problem_.out + own.next * size_;
  for (Index i = l; i < size_; i += count_) {
    double value = z_[at(own.order)][i];
    for (std::size_t j = at(own.order); j-- > 0;) value = value * x + z_[j][i];
    out[i] = value;
  }
}

// Raises the order: e is the next difference. Or lowers it: the last difference is dropped.
void Multistep::Run::change_order(Index l) {
  Lane& own = lane(l);
  if (own.next_order == own.order) return;
  const bool higher = own.next_order > own.order;
  const std::size_t top = at(std::max(own.order, own.next_order));
  const double share = formula_.high[at(own.order)] / formula_.factorial[top];
  for (Index i = l; i < size_; i += count_) {
    const double last = higher ? share * e_[i] : -z_[top][i];
    for (std::size_t j = 1; j < top; ++j) z_[j][i] += last * formula_.growth[top][j];
    z_[top][i] = higher ? last : kNothing;
  }
  own.order = own.next_order;
}

void Multistep::Run::end(Index l, bool out_of_steps) {
  Lane& own = lane(l);
  own.active = false;
  own.corrector = Corrector::idle;
  ends_[l] = {.complete = false, .out_of_steps = out_of_steps, .reached = own.t};
}

}  // namespace credo::numerics
