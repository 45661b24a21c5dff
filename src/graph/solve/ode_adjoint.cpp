#include "graph/solve/ode_adjoint.hpp"

#include "graph/solve/ode_field.hpp"
#include "graph/solve/ode_methods.hpp"
#include "numerics/ode/multistep_adjoint.hpp"
#include "numerics/ode/runge_kutta_adjoint.hpp"

namespace credo::graph {
namespace {

struct AdjointShared {
  static constexpr Index kReports = kOdeRefusals;
  AdjointShared(OdeProblem problem, const OdeTracer& tracer) : system(std::move(problem), tracer) {}
  Index num_results() const { return ssize(system.problem.times) * system.states(); }
  std::vector<const OdePrograms*> programs() const {
    std::vector<const OdePrograms*> all{&system.values, &system.simplified, &system.pullback};
    if (is_multistep(system.problem.method)) all.push_back(&system.jacobian);
    return all;
  }
  SystemPrograms system;
};

// f and its products with adjoints.
class AdjointField final : public numerics::AdjointSystem {
 public:
  explicit AdjointField(const SystemPrograms& system)
      : values_(system, system.values),
        simplified_(system, system.simplified),
        pullback_(system, system.pullback) {
    if (is_multistep(system.problem.method)) jacobian_.emplace(system, system.jacobian);
  }
  void begin(Index lanes, const double* arguments, bool differentiated) {
    forward_ = differentiated ? &simplified_ : &values_;
    forward_->begin(lanes, arguments, lanes);
    pullback_.begin(lanes, arguments, lanes);
    if (jacobian_) jacobian_->begin(lanes, arguments, lanes);
  }
  void derivative(const double* t, const double* y, double* dy) override {
    forward_->derivative(t, y, dy);
  }
  void states(const double* t, const double* y, double* dy) override {
    forward_->derivative(t, y, dy);
  }
  void jacobian(const double* t, const double* y, double* df) override {
    jacobian_->derivative(t, y, df);
  }
  void pull_back(const double* t, const double* y, const double* weights, double* out) override {
    pullback_.evaluate(t, y, weights, out);
  }
  bool failed(Index lane) const override {
    return refusal(lane).report >= 0 || pullback_.failed(lane);
  }
  const OdeRefusal& refusal(Index lane) const {
    return jacobian_ && jacobian_->failed(lane) ? jacobian_->refusal(lane)
                                                : forward_->refusal(lane);
  }

 private:
  Field values_, simplified_, pullback_;
  std::optional<Field> jacobian_;
  Field* forward_ = &values_;
};

using Solver = std::variant<numerics::RungeKuttaAdjoint, numerics::MultistepAdjoint>;

Solver make_solver(const OdeProblem& problem) {
  const numerics::AdjointSizes sizes{.states = problem.num_states(),
                                     .parameters = ssize(problem.parameters),
                                     .max_lanes = kMaxLanes};
  if (!is_multistep(problem.method))
    return numerics::RungeKuttaAdjoint(pair_of(problem.method), sizes);
  const OdeBackward backward = problem.backward.value_or(
      OdeBackward{.method = problem.method, .tolerance = problem.tolerance, .relative = true});
  return numerics::MultistepAdjoint(multistep_of(problem.method),
                                    {.method = multistep_of(backward.method),
                                     .tolerance = backward.tolerance,
                                     .relative = backward.relative},
                                    sizes);
}

// Working memory of a thread.
class AdjointWork {
 public:
  using Shared = AdjointShared;
  AdjointWork(const AdjointShared& shared, bool with_jacobian);
  void run(const RoutineCall& call);
  void pull_back(const PullbackCall& call);

 private:
  void solve(Index lanes, const double* arguments, bool keep);
  bool has_kept(const PullbackCall& call) const;
  void pull_times(const PullbackCall& call);
  void end_lane(const PullbackCall& call, Index lane, const numerics::OdeEnd& end);
  void pull_arguments(const PullbackCall& call, const double* adjoints);
  void add_product(std::int32_t argument, double sign, const double* adjoint, double* out);

  const SystemPrograms& system_;
  const OdeProblem& problem_;
  Index states_, num_times_, lanes_ = 0;
  AdjointField field_;
  Solver solver_;
  numerics::LaneProblem lane_problem_;
  bool kept_ = false;
  AlignedArray arguments_, start_, initial_, times_, out_, slopes_;
  std::array<numerics::OdeEnd, static_cast<std::size_t>(kMaxLanes)> ends_{};
};

AdjointWork::AdjointWork(const AdjointShared& shared, bool /*with_jacobian*/)
    : system_(shared.system),
      problem_(shared.system.problem),
      states_(problem_.num_states()),
      num_times_(ssize(problem_.times)),
      field_(system_),
      solver_(make_solver(problem_)),
      arguments_(problem_.num_arguments * kMaxLanes),
      start_(kMaxLanes),
      initial_(states_ * kMaxLanes),
      times_(num_times_ * kMaxLanes),
      out_(num_times_ * states_ * kMaxLanes),
      slopes_(states_ * kMaxLanes) {}

void AdjointWork::solve(Index lanes, const double* arguments, bool keep) {
  lanes_ = lanes;
  kept_ = keep;
  std::copy_n(arguments, problem_.num_arguments * lanes, arguments_.data());
  field_.begin(lanes, arguments_.data(), keep);
  read_entries(std::array{problem_.start}, arguments, lanes, start_.data());
  read_entries(problem_.initial, arguments, lanes, initial_.data());
  read_entries(problem_.times, arguments, lanes, times_.data());
  lane_problem_ = {.lanes = lanes,
                   .start = start_.data(),
                   .initial = initial_.data(),
                   .times = times_.data(),
                   .num_times = num_times_,
                   .out = out_.data(),
                   .tolerance = problem_.tolerance};
  std::visit([&](auto& s) { s.solve(field_, lane_problem_, keep, ends_.data()); }, solver_);
  for (Index l = 0; l < lanes; ++l) {
    numerics::OdeEnd& end = ends_[static_cast<std::size_t>(l)];
    end.complete = end.complete && !field_.failed(l);
    if (end.complete) continue;
    for (Index e = l; e < num_times_ * states_ * lanes; e += lanes) out_[e] = kNaN;
  }
}

void AdjointWork::run(const RoutineCall& call) {
  solve(call.lanes, call.arguments, call.keep);
  std::copy_n(out_.data(), num_times_ * states_ * lanes_, call.values);
  for (Index l = 0; l < lanes_; ++l)
    report_end(call, problem_, l, ends_[static_cast<std::size_t>(l)], field_.refusal(l));
}

bool AdjointWork::has_kept(const PullbackCall& call) const {
  const auto bytes = static_cast<std::size_t>(problem_.num_arguments * call.lanes) * sizeof(double);
  return kept_ && lanes_ == call.lanes &&
         std::memcmp(arguments_.data(), call.arguments, bytes) == 0;
}

void AdjointWork::pull_back(const PullbackCall& call) {
  if (!has_kept(call)) solve(call.lanes, call.arguments, true);
  std::array<numerics::OdeEnd, static_cast<std::size_t>(kMaxLanes)> ends = ends_;
  const double* adjoints = std::visit(
      [&](auto& s) { return s.pull_back(field_, lane_problem_, call.weights, ends.data()); },
      solver_);
  std::fill_n(call.adjoints, problem_.num_arguments * lanes_, 0.0);
  pull_arguments(call, adjoints);
  pull_times(call);
  for (Index l = 0; l < lanes_; ++l) end_lane(call, l, ends[static_cast<std::size_t>(l)]);
}

// Without a solution, or if f is refused now, derivatives are missing; if no result
// depends on it, they aren't needed.
void AdjointWork::end_lane(const PullbackCall& call, Index lane, const numerics::OdeEnd& end) {
  const auto set = [&](Index a, double value) { call.adjoints[a * lanes_ + lane] = value; };
  bool any = false;
  for (Index e = 0; e < num_times_ * states_; ++e)
    any = any || call.weights[e * lanes_ + lane] != 0;
  const bool complete = end.complete && !field_.failed(lane);
  for (Index a = 0; a < problem_.num_arguments && !(complete && any); ++a) set(a, any ? kNaN : 0.0);
  const bool failed = any && !complete && ends_[static_cast<std::size_t>(lane)].complete;
  set(problem_.num_arguments, failed ? end.reached : -kInfinity);
}

// The adjoint of `argument` grows by sign times that of a state moving with the slopes.
void AdjointWork::add_product(std::int32_t argument, double sign, const double* adjoint,
                              double* out) {
  for (Index i = 0; i < states_; ++i) {
    for (Index l = 0; l < lanes_; ++l)
      out[argument * lanes_ + l] += sign * adjoint[i * lanes_ + l] * slopes_[i * lanes_ + l];
  }
}

// Initial states, parameters, and the start, with which all moves by -f there.
void AdjointWork::pull_arguments(const PullbackCall& call, const double* adjoints) {
  const auto add = [&](std::int32_t argument, const double* adjoint) {
    for (Index l = 0; l < lanes_; ++l) call.adjoints[argument * lanes_ + l] += adjoint[l];
  };
  for (Index i = 0; i < states_; ++i) {
    const std::int32_t argument = problem_.initial[static_cast<std::size_t>(i)].argument;
    if (argument >= 0) add(argument, adjoints + i * lanes_);
  }
  for (std::size_t q = 0; q < problem_.parameters.size(); ++q)
    add(problem_.parameters[q], adjoints + (states_ + static_cast<Index>(q)) * lanes_);
  if (problem_.start.argument < 0) return;
  field_.derivative(start_.data(), initial_.data(), slopes_.data());
  add_product(problem_.start.argument, -1.0, adjoints, call.adjoints);
}

// dy(t)/dt = f where a time is an argument.
void AdjointWork::pull_times(const PullbackCall& call) {
  for (Index k = 0; k < num_times_; ++k) {
    const std::int32_t argument = problem_.times[static_cast<std::size_t>(k)].argument;
    if (argument < 0) continue;
    const Index first = k * states_ * lanes_;
    field_.derivative(times_.data() + k * lanes_, out_.data() + first, slopes_.data());
    add_product(argument, 1.0, call.weights + first, call.adjoints);
  }
}
}  // namespace

// The limits were measured: docs/design/ode.md. The adjoint equation starts again at each output
// time.
bool prefers_adjoint(const OdeProblem& problem) {
  constexpr Index kStates = 8, kSensitivities = 256;
  if (problem.backward) return true;
  if (problem.derivatives != OdeDerivatives::by_cost || problem.algebraic > 0)
    return problem.derivatives == OdeDerivatives::adjoint;
  const bool implicit = is_multistep(problem.method);
  const Index n = problem.num_states(), c = OdeColumns(problem).count();
  const Index starts = implicit ? 1 + ssize(problem.times) : 1;
  return n >= kStates && c >= (implicit ? 32 : 4) && n * c >= kSensitivities * starts;
}

std::shared_ptr<const Routine> make_adjoint_ode(OdeProblem problem, const OdeTracer& tracer,
                                                Index num_refusals,
                                                std::span<const double> reference) {
  return std::make_shared<SystemRoutine<AdjointWork>>(
      std::make_unique<const AdjointShared>(std::move(problem), tracer), num_refusals, reference);
}

}  // namespace credo::graph
