#include "graph/ode.hpp"

#include "graph/ode_adjoint.hpp"
#include "graph/ode_field.hpp"
#include "graph/system_routine.hpp"
#include "numerics/ode/multistep.hpp"

namespace credo::graph {
namespace {
using numerics::OdeEnd;

bool is_multistep(OdeMethod method) {
  return method == OdeMethod::adams || method == OdeMethod::bdf;
}
// What all threads share.
struct OdeShared {
  static constexpr Index kReports = kOdeRefusals;
  OdeShared(OdeProblem problem, const OdeTracer& tracer) : system(std::move(problem), tracer) {}
  Index num_results() const { return ssize(system.problem.times) * system.states(); }
  std::vector<const OdePrograms*> programs() const {
    std::vector<const OdePrograms*> all{&system.values};
    if (system.columns.count() > 0) all.push_back(&system.sensitivities);
    if (is_multistep(system.problem.method)) all.push_back(&system.jacobian);
    return all;
  }
  SystemPrograms system;
};

// The same for one lane and the multistep methods.
class StiffField final : public numerics::SensitivitySystem {
 public:
  explicit StiffField(const SystemPrograms& shared)
      : shared_(shared), values_(shared, shared.values), runner_(shared.jacobian, 1) {
    if (shared.columns.count() > 0) both_.emplace(shared, shared.sensitivities);
    joined_.resize(static_cast<std::size_t>(elements_of(shared, true)));
    slopes_.resize(joined_.size());
  }

  void begin(const double* arguments, Index stride) {
    values_.begin(1, arguments, stride);
    if (both_) both_->begin(1, arguments, stride);
    refusal_ = {};
    for (std::size_t q = 0; q < shared_.problem.parameters.size(); ++q) {
      runner_.input()[1 + shared_.states() + Index(q)] =
          arguments[shared_.problem.parameters[q] * stride];
    }
  }

  bool derivative(double t, const double* y, double* dy) override {
    values_.derivative(&t, y, dy);
    return !values_.failed(0);
  }
  bool jacobian(double t, const double* y, double* by_columns) override {
    runner_.input()[0] = t;
    std::copy_n(y, shared_.states(), runner_.input() + 1);
    runner_.run(by_columns, &refusal_);
    return refusal_.report < 0;
  }
  bool sensitivities(double t, const double* y, const double* s, double* ds) override {
    const Index n = shared_.states(), rest = ssize(joined_) - n;
    std::copy_n(y, n, joined_.data());
    std::copy_n(s, rest, joined_.data() + n);
    both_->derivative(&t, joined_.data(), slopes_.data());
    std::copy_n(slopes_.data() + n, rest, ds);
    return !both_->failed(0);
  }
  OdeRefusal refusal() const {
    if (refusal_.report >= 0) return refusal_;
    return both_ && both_->failed(0) ? both_->refusal(0) : values_.refusal(0);
  }

 private:
  const SystemPrograms& shared_;
  Field values_;
  std::optional<Field> both_;
  OdeRunner runner_;
  OdeRefusal refusal_;
  std::vector<double> joined_, slopes_;
};

// What a thread works in: with derivatives or without.
class OdeWork {
 public:
  using Shared = OdeShared;
  OdeWork(const OdeShared& shared, bool with_jacobian) : OdeWork(shared.system, with_jacobian) {}
  OdeWork(const SystemPrograms& shared, bool with_jacobian);
  void run(const RoutineCall& call);

 private:
  void prepare(const RoutineCall& call);
  void solve_together();
  void solve_alone(const RoutineCall& call, Index lane);
  void report(const RoutineCall& call, Index lane, const OdeRefusal& refusal);
  void write_values(const RoutineCall& call);
  void write_jacobian(const RoutineCall& call);
  void add_times(const RoutineCall& call);
  double entry(const RoutineCall& call, const OdeProblem::Entry& e, Index lane) const {
    return e.argument < 0 ? e.known : call.arguments[e.argument * lanes_ + lane];
  }

  const SystemPrograms& shared_;
  bool with_jacobian_;
  Index states_, elements_, num_times_, lanes_ = 1;
  Field field_;
  std::optional<numerics::RungeKutta> explicit_;
  std::optional<StiffField> stiff_;
  std::optional<numerics::Multistep> multistep_;
  AlignedArray start_, initial_, times_, out_, slopes_;
  std::array<OdeEnd, static_cast<std::size_t>(kMaxLanes)> ends_{};
  std::vector<double> one_initial_, one_times_, one_out_;
};

OdeWork::OdeWork(const SystemPrograms& shared, bool with_jacobian)
    : shared_(shared),
      with_jacobian_(with_jacobian && shared.columns.count() > 0),
      states_(shared.states()),
      elements_(elements_of(shared_, with_jacobian_)),
      num_times_(ssize(shared.problem.times)),
      field_(shared, with_jacobian_ ? shared.sensitivities : shared.values),
      start_(kMaxLanes),
      initial_(elements_ * kMaxLanes),
      times_(num_times_ * kMaxLanes),
      out_(num_times_ * elements_ * kMaxLanes),
      slopes_(elements_ * kMaxLanes) {
  const OdeMethod method = shared.problem.method;
  if (!is_multistep(method)) {
    explicit_.emplace(pair_of(method), elements_, kMaxLanes);
    return;
  }
  using numerics::MultistepMethod;
  stiff_.emplace(shared);
  multistep_.emplace(method == OdeMethod::bdf ? MultistepMethod::bdf : MultistepMethod::adams,
                     states_, with_jacobian_ ? shared.columns.count() : 0);
  one_initial_.resize(static_cast<std::size_t>(elements_));
  one_times_.resize(static_cast<std::size_t>(num_times_));
  one_out_.resize(static_cast<std::size_t>(elements_ * num_times_));
}

// Start, times, initial states, and dy/dx at the start: 1 for an initial state by itself, -f for
// all by the start.
void OdeWork::prepare(const RoutineCall& call) {
  lanes_ = call.lanes;
  field_.begin(lanes_, call.arguments, lanes_);
  std::fill_n(initial_.data(), elements_ * lanes_, 0.0);
  const Index c = with_jacobian_ ? shared_.columns.count() : 0;
  for (Index l = 0; l < lanes_; ++l) {
    start_[l] = entry(call, shared_.problem.start, l);
    for (Index k = 0; k < num_times_; ++k)
      times_[k * lanes_ + l] = entry(call, shared_.problem.times[std::size_t(k)], l);
    for (Index i = 0; i < states_; ++i) {
      const auto& initial = shared_.problem.initial[static_cast<std::size_t>(i)];
      initial_[i * lanes_ + l] = entry(call, initial, l);
      if (c == 0 || initial.argument < 0) continue;
      const Index j = shared_.columns.of_argument[static_cast<std::size_t>(initial.argument)];
      initial_[(states_ + i * c + j) * lanes_ + l] = 1.0;
    }
  }
  const std::int32_t start = shared_.problem.start.argument;
  if (c == 0 || start < 0) return;
  field_.derivative(start_.data(), initial_.data(), slopes_.data());
  const Index j = shared_.columns.of_argument[static_cast<std::size_t>(start)];
  for (Index i = 0; i < states_; ++i) {
    for (Index l = 0; l < lanes_; ++l)
      initial_[(states_ + i * c + j) * lanes_ + l] -= slopes_[i * lanes_ + l];
  }
}

void OdeWork::solve_together() {
  explicit_->solve(field_,
                   {.lanes = lanes_,
                    .start = start_.data(),
                    .initial = initial_.data(),
                    .times = times_.data(),
                    .num_times = num_times_,
                    .out = out_.data(),
                    .tolerance = shared_.problem.tolerance},
                   ends_.data());
}

void OdeWork::solve_alone(const RoutineCall& call, Index lane) {
  for (Index e = 0; e < elements_; ++e)
    one_initial_[static_cast<std::size_t>(e)] = initial_[e * lanes_ + lane];
  for (Index k = 0; k < num_times_; ++k)
    one_times_[static_cast<std::size_t>(k)] = times_[k * lanes_ + lane];
  stiff_->begin(call.arguments + lane, lanes_);
  ends_[static_cast<std::size_t>(lane)] =
      multistep_->solve(*stiff_, {.start = start_[lane],
                                  .initial = one_initial_.data(),
                                  .times = one_times_,
                                  .out = one_out_.data(),
                                  .tolerance = shared_.problem.tolerance});
  for (Index e = 0; e < elements_ * num_times_; ++e)
    out_[e * lanes_ + lane] = one_out_[static_cast<std::size_t>(e)];
}

void OdeWork::report(const RoutineCall& call, Index lane, const OdeRefusal& refusal) {
  const Index first = num_times_ * states_;
  const auto set = [&](Index k, double value) { call.values[(first + k) * lanes_ + lane] = value; };
  const OdeEnd& end = ends_[static_cast<std::size_t>(lane)];
  const auto limit = static_cast<double>(shared_.problem.tolerance.max_steps);
  const bool refused = refusal.report >= 0;
  set(kOdeSteps, end.complete || !end.out_of_steps ? 0.0 : limit + 1.0);
  set(kOdeReached, end.complete || end.out_of_steps || refused ? kInfinity : end.reached);
  report_refusal(call, first, lane, refusal);
}

// States time by time; NaN where there is no solution.
void OdeWork::write_values(const RoutineCall& call) {
  for (Index k = 0; k < num_times_; ++k) {
    for (Index e = 0; e < states_ * lanes_; ++e) {
      const bool complete = ends_[static_cast<std::size_t>(e % lanes_)].complete;
      call.values[k * states_ * lanes_ + e] = complete ? out_[k * elements_ * lanes_ + e] : kNaN;
    }
  }
}

void OdeWork::write_jacobian(const RoutineCall& call) {
  const Index p = shared_.problem.num_arguments, c = with_jacobian_ ? shared_.columns.count() : 0;
  std::fill_n(call.jacobian, num_times_ * states_ * p * lanes_, 0.0);
  for (Index k = 0; k < num_times_; ++k) {
    for (Index i = 0; i < states_; ++i) {
      for (Index j = 0; j < c; ++j) {
        const Index argument = shared_.columns.arguments[static_cast<std::size_t>(j)];
        const double* from = out_.data() + (k * elements_ + states_ + i * c + j) * lanes_;
        std::copy_n(from, lanes_, call.jacobian + ((k * states_ + i) * p + argument) * lanes_);
      }
    }
  }
  add_times(call);
}

// dy(t)/dt = f where a time is an argument.
void OdeWork::add_times(const RoutineCall& call) {
  const Index p = shared_.problem.num_arguments;
  for (Index k = 0; k < num_times_; ++k) {
    const std::int32_t argument = shared_.problem.times[static_cast<std::size_t>(k)].argument;
    if (argument < 0) continue;
    field_.derivative(times_.data() + k * lanes_, out_.data() + k * elements_ * lanes_,
                      slopes_.data());
    for (Index i = 0; i < states_; ++i) {
      double* out = call.jacobian + ((k * states_ + i) * p + argument) * lanes_;
      for (Index l = 0; l < lanes_; ++l) out[l] += slopes_[i * lanes_ + l];
    }
  }
}

void OdeWork::run(const RoutineCall& call) {
  prepare(call);
  if (explicit_) solve_together();
  std::array<OdeRefusal, static_cast<std::size_t>(kMaxLanes)> refusals;
  for (Index l = 0; l < lanes_; ++l) {
    if (!explicit_) solve_alone(call, l);
    const OdeRefusal refusal = explicit_ ? field_.refusal(l) : stiff_->refusal();
    refusals[static_cast<std::size_t>(l)] = refusal;
    if (refusal.report >= 0) ends_[static_cast<std::size_t>(l)].complete = false;
  }
  write_values(call);
  for (Index l = 0; l < lanes_; ++l) report(call, l, refusals[static_cast<std::size_t>(l)]);
  if (call.jacobian != nullptr) write_jacobian(call);
}
}  // namespace

const numerics::EmbeddedPair& pair_of(OdeMethod method) {
  return method == OdeMethod::cash_karp ? numerics::kCashKarp : numerics::kDormandPrince;
}

std::shared_ptr<const Routine> make_ode(OdeProblem problem, OdeTracer tracer, Index num_refusals,
                                        std::span<const double> reference) {
  if (prefers_adjoint(problem))
    return make_adjoint_ode(std::move(problem), tracer, num_refusals, reference);
  return std::make_shared<SystemRoutine<OdeWork>>(
      std::make_unique<const OdeShared>(std::move(problem), tracer), num_refusals, reference);
}

}  // namespace credo::graph
