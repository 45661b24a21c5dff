#include "graph/solve/roots.hpp"

#include "graph/core/kernel.hpp"
#include "graph/solve/system_routine.hpp"

namespace credo::graph {
namespace {

// f as OdePrograms see it: x is a state without known derivatives, so that derivatives are by q
// only.
OdeProblem as_system(const RootProblem& problem) {
  OdeProblem system;
  system.name = problem.name;
  system.initial.resize(problem.guess.size());
  system.parameters = problem.parameters;
  system.num_arguments = problem.num_arguments;
  return system;
}

constexpr int kAttempts = 13;        // dampings 0 and 1e-6 ... 1e5 of the largest squared slope
constexpr double kRounding = 4e-16;  // a relative step of x that can't be improved

// State shared by all threads.
struct RootShared {
  static constexpr Index kReports = kRootRefusals;
  RootShared(RootProblem p, const OdeTracer& tracer)
      : problem(std::move(p)), system(as_system(problem), tracer) {}
  Index num_results() const { return system.states(); }
  std::vector<const OdePrograms*> programs() const {
    return {&system.values, &system.jacobian, &system.sensitivities};
  }
  RootProblem problem;
  SystemPrograms system;
};

// The columns of b become those of a^-1 b, by elimination with pivots; a by columns, destroyed.
// False where a pivot is 0 or no number.
bool solve(std::vector<double>& a, std::vector<double>& b, Index n, Index columns) {
  const auto at = [n](std::vector<double>& m, Index i, Index j) -> double& {
    return m[static_cast<std::size_t>(i + j * n)];
  };
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(at(a, i, k)) > std::abs(at(a, pivot, k))) pivot = i;
    if (!(std::abs(at(a, pivot, k)) > 0.0) || std::isinf(at(a, pivot, k))) return false;
    for (Index j = k; j < n; ++j) std::swap(at(a, k, j), at(a, pivot, j));
    for (Index j = 0; j < columns; ++j) std::swap(at(b, k, j), at(b, pivot, j));
    for (Index i = k + 1; i < n; ++i) {
      const double factor = at(a, i, k) / at(a, k, k);
      if (factor == 0.0) continue;
      for (Index j = k; j < n; ++j) at(a, i, j) -= factor * at(a, k, j);
      for (Index j = 0; j < columns; ++j) at(b, i, j) -= factor * at(b, k, j);
    }
  }
  for (Index j = 0; j < columns; ++j) {
    for (Index k = n - 1; k >= 0; --k) {
      for (Index i = k + 1; i < n; ++i) at(b, k, j) -= at(a, k, i) * at(b, i, j);
      at(b, k, j) /= at(a, k, k);
    }
  }
  return true;
}

double norm(const std::vector<double>& f) {
  double squares = 0.0;
  for (const double v : f) squares += v * v;
  return std::sqrt(squares);
}

// Working memory of a thread, for one lane after the other.
class RootWork {
 public:
  using Shared = RootShared;
  RootWork(const RootShared& shared, bool with_jacobian);
  void run(const RoutineCall& call) {
    for (Index lane = 0; lane < call.lanes; ++lane) run(call, lane);
  }

 private:
  void run(const RoutineCall& call, Index lane);
  void begin(const RoutineCall& call, Index lane);
  double evaluate(const std::vector<double>& x, std::vector<double>& f, OdeRefusal& refusal);
  bool evaluate_slopes();
  bool newton_step(double damping);
  bool improve();
  void iterate();
  void write_jacobian(const RoutineCall& call, Index lane);

  const RootShared& shared_;
  Index n_;
  OdeRunner values_, direct_, jacobian_;
  std::vector<double> x_, f_, trial_, trial_f_, slopes_, matrix_, step_, beside_;
  double residual_ = 0.0;
  Index steps_ = 0;
  OdeRefusal refusal_;
};

RootWork::RootWork(const RootShared& shared, bool /*with_jacobian*/)
    : shared_(shared),
      n_(shared.system.states()),
      values_(shared.system.values, 1),
      direct_(shared.system.sensitivities, 1),
      jacobian_(shared.system.jacobian, 1) {
  const auto n = static_cast<std::size_t>(n_);
  for (auto* v : {&x_, &f_, &trial_, &trial_f_, &step_}) v->resize(n);
  slopes_.resize(n * n);
  matrix_.resize(n * n);
  beside_.resize(static_cast<std::size_t>(shared.system.sensitivities.output_size()));
  for (OdeRunner* runner : {&values_, &direct_, &jacobian_}) runner->set_lanes(1);
}

void RootWork::begin(const RoutineCall& call, Index lane) {
  const auto argument = [&](std::int32_t k) { return call.arguments[k * call.lanes + lane]; };
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const OdeProblem::Entry& guess = shared_.problem.guess[i];
    x_[i] = guess.argument < 0 ? guess.known : argument(guess.argument);
  }
  std::fill_n(direct_.input(), shared_.system.sensitivities.input_size(), 0.0);
  for (OdeRunner* runner : {&values_, &direct_, &jacobian_}) {
    runner->input()[0] = 0.0;
    for (std::size_t q = 0; q < shared_.problem.parameters.size(); ++q)
      runner->input()[1 + n_ + static_cast<Index>(q)] = argument(shared_.problem.parameters[q]);
  }
  steps_ = 0;
  refusal_ = {};
}

// The norm of f; NaN where it is refused.
double RootWork::evaluate(const std::vector<double>& x, std::vector<double>& f,
                          OdeRefusal& refusal) {
  refusal = {};
  std::copy(x.begin(), x.end(), values_.input() + 1);
  values_.run(f.data(), &refusal);
  return refusal.report >= 0 ? kNaN : norm(f);
}

bool RootWork::evaluate_slopes() {
  OdeRefusal refusal;
  std::copy(x_.begin(), x_.end(), jacobian_.input() + 1);
  jacobian_.run(slopes_.data(), &refusal);
  return refusal.report < 0;
}

// step = -(J'J + damping I)^-1 J'f, or -J^-1 f without damping.
bool RootWork::newton_step(double damping) {
  if (damping == 0.0) {
    matrix_ = slopes_;
    for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -f_[i];
    return solve(matrix_, step_, n_, 1);
  }
  const auto slope = [&](Index i, Index j) {
    return slopes_[static_cast<std::size_t>(i + j * n_)];
  };
  for (Index j = 0; j < n_; ++j) {
    double against = 0.0;
    for (Index i = 0; i < n_; ++i) against -= slope(i, j) * f_[static_cast<std::size_t>(i)];
    step_[static_cast<std::size_t>(j)] = against;
    for (Index k = 0; k < n_; ++k) {
      double product = j == k ? damping : 0.0;
      for (Index i = 0; i < n_; ++i) product += slope(i, j) * slope(i, k);
      matrix_[static_cast<std::size_t>(j + k * n_)] = product;
    }
  }
  return solve(matrix_, step_, n_, 1);
}

// One step that makes |f| smaller: Newton's, or ones that are damped more and more.
bool RootWork::improve() {
  double size = 0.0;
  for (const double s : slopes_) size = std::max(size, s * s);
  OdeRefusal refusal;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double damping = attempt == 0 ? 0.0 : size * std::pow(10.0, attempt - 7);
    if (!newton_step(damping)) continue;
    if (damping == 0.0 && norm(step_) <= kRounding * norm(x_)) return false;
    for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + step_[i];
    const double residual = evaluate(trial_, trial_f_, refusal);
    if (!(residual < residual_)) continue;
    x_.swap(trial_);
    f_.swap(trial_f_);
    residual_ = residual;
    return true;
  }
  return false;
}

// Until no step makes |f| smaller: solutions are as good as rounding allows, so that derivatives
// are those of the root and not of a point near it.
void RootWork::iterate() {
  residual_ = evaluate(x_, f_, refusal_);
  if (refusal_.report >= 0) return;
  while (residual_ > 0.0 && steps_ <= shared_.problem.max_steps) {
    ++steps_;
    if (!evaluate_slopes() || !improve()) break;
  }
  if (residual_ <= shared_.problem.residual) steps_ = std::min(steps_, shared_.problem.max_steps);
}

void RootWork::write_jacobian(const RoutineCall& call, Index lane) {
  const Index p = shared_.problem.num_arguments, c = shared_.system.columns.count();
  for (Index e = 0; e < n_ * p; ++e) call.jacobian[e * call.lanes + lane] = 0.0;
  if (c == 0 || !evaluate_slopes()) return;
  OdeRefusal refusal;
  std::copy(x_.begin(), x_.end(), direct_.input() + 1);
  direct_.run(beside_.data(), &refusal);
  // Rows of df/dq lie one after the other behind f; solve() needs columns.
  std::vector<double>& by = trial_f_;
  for (Index j = 0; j < c; ++j) {
    for (Index i = 0; i < n_; ++i)
      by[static_cast<std::size_t>(i)] = -beside_[static_cast<std::size_t>(n_ + i * c + j)];
    matrix_ = slopes_;
    if (!solve(matrix_, by, n_, 1)) std::fill(by.begin(), by.end(), kNaN);
    const Index argument = shared_.system.columns.arguments[static_cast<std::size_t>(j)];
    for (Index i = 0; i < n_; ++i)
      call.jacobian[(i * p + argument) * call.lanes + lane] = by[static_cast<std::size_t>(i)];
  }
}

void RootWork::run(const RoutineCall& call, Index lane) {
  begin(call, lane);
  iterate();
  for (Index i = 0; i < n_; ++i)
    call.values[i * call.lanes + lane] = x_[static_cast<std::size_t>(i)];
  const auto set = [&](Index k, double value) {
    call.values[(n_ + k) * call.lanes + lane] = value;
  };
  const bool refused = refusal_.report >= 0;
  set(kRootSteps, refused ? 0.0 : static_cast<double>(steps_));
  set(kRootResidual, refused ? 0.0 : residual_);
  report_refusal(call, n_, lane, refusal_);
  if (call.jacobian != nullptr) write_jacobian(call, lane);
}
}  // namespace

std::shared_ptr<const Routine> make_root(RootProblem problem, OdeTracer tracer, Index num_refusals,
                                         std::span<const double> reference) {
  return std::make_shared<SystemRoutine<RootWork>>(
      std::make_unique<const RootShared>(std::move(problem), tracer), num_refusals, reference);
}

}  // namespace credo::graph
