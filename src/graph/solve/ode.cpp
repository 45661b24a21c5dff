#include "graph/solve/ode.hpp"

#include "graph/solve/ode_adjoint.hpp"
#include "graph/solve/ode_field.hpp"
#include "graph/solve/ode_methods.hpp"
#include "graph/solve/system_routine.hpp"
#include "numerics/ode/multistep.hpp"
#include "numerics/ode/runge_kutta.hpp"

namespace credo::graph {
namespace {
using numerics::OdeEnd;

bool needs_multistep(const OdeProblem& problem) {
  return is_multistep(problem.method) || may_turn_stiff(problem);
}

// State shared by all threads.
struct OdeShared {
  static constexpr Index kReports = kOdeRefusals;
  OdeShared(OdeProblem problem, const OdeTracer& tracer) : system(std::move(problem), tracer) {}
  Index num_results() const { return ssize(system.problem.times) * system.states(); }
  std::vector<const OdePrograms*> programs() const {
    std::vector<const OdePrograms*> all{&system.values};
    if (system.columns.count() > 0) all.push_back(&system.sensitivities);
    if (needs_multistep(system.problem))
      all.insert(all.end(), {&system.simplified, &system.jacobian});
    return all;
  }
  SystemPrograms system;
};

template <class T>
using LaneArray = std::array<T, static_cast<std::size_t>(kMaxLanes)>;

// Working memory of a thread, with derivatives or without.
class OdeWork {
 public:
  using Shared = OdeShared;
  OdeWork(const OdeShared& shared, bool with_jacobian) : OdeWork(shared.system, with_jacobian) {}
  OdeWork(const SystemPrograms& shared, bool with_jacobian);
  void run(const RoutineCall& call);

 private:
  void prepare(const RoutineCall& call);
  numerics::LaneProblem lane_problem(AlignedArray& out) const;
  void solve();
  void solve_stiff(const RoutineCall& call);
  void note_end(Index lane, const OdeEnd& end);
  void write_values(const RoutineCall& call);
  void write_jacobian(const RoutineCall& call);
  void add_times(const RoutineCall& call);

  const SystemPrograms& shared_;
  bool with_jacobian_;
  Index states_, elements_, num_times_, lanes_ = 1;
  StiffField field_;
  std::optional<numerics::RungeKutta> explicit_;
  std::optional<numerics::Multistep> implicit_;  // alone, or for lanes that turn out stiff
  AlignedArray start_, initial_, times_, out_, slopes_, stiff_arguments_, stiff_out_;
  LaneArray<OdeEnd> ends_{};
  LaneArray<OdeRefusal> refusals_{};
};

OdeWork::OdeWork(const SystemPrograms& shared, bool with_jacobian)
    : shared_(shared),
      with_jacobian_(with_jacobian && shared.columns.count() > 0),
      states_(shared.states()),
      elements_(elements_of(shared_, with_jacobian_)),
      num_times_(ssize(shared.problem.times)),
      field_(shared, with_jacobian_, needs_multistep(shared.problem)),
      start_(kMaxLanes),
      initial_(elements_ * kMaxLanes),
      times_(num_times_ * kMaxLanes),
      out_(num_times_ * elements_ * kMaxLanes),
      slopes_(elements_ * kMaxLanes) {
  const OdeProblem& problem = shared.problem;
  if (!is_multistep(problem.method))
    explicit_.emplace(pair_of(problem.method), elements_, kMaxLanes);
  if (needs_multistep(problem))
    implicit_.emplace(multistep_of(problem.method), states_,
                      with_jacobian_ ? shared.columns.count() : 0, kMaxLanes);
  if (!may_turn_stiff(problem)) return;
  stiff_arguments_ = AlignedArray(problem.num_arguments * kMaxLanes);
  stiff_out_ = AlignedArray(num_times_ * elements_ * kMaxLanes);
}

// Start, times, initial states, and dy/dx at the start: 1 for an initial state by itself, -f for
// all by the start.
void OdeWork::prepare(const RoutineCall& call) {
  lanes_ = call.lanes;
  field_.begin(lanes_, call.arguments, lanes_);
  const OdeProblem& problem = shared_.problem;
  read_entries(std::span(&problem.start, 1), call.arguments, lanes_, start_.data());
  read_entries(problem.times, call.arguments, lanes_, times_.data());
  read_entries(problem.initial, call.arguments, lanes_, initial_.data());
  std::fill_n(initial_.data() + states_ * lanes_, (elements_ - states_) * lanes_, 0.0);
  const Index c = with_jacobian_ ? shared_.columns.count() : 0;
  if (c == 0) return;
  for (Index i = 0; i < states_; ++i) {
    const std::int32_t argument = problem.initial[static_cast<std::size_t>(i)].argument;
    if (argument < 0) continue;
    const Index j = shared_.columns.of_argument[static_cast<std::size_t>(argument)];
    std::fill_n(initial_.data() + (states_ + i * c + j) * lanes_, lanes_, 1.0);
  }
  const std::int32_t start = problem.start.argument;
  if (start < 0) return;
  field_.derivative(start_.data(), initial_.data(), slopes_.data());
  const Index j = shared_.columns.of_argument[static_cast<std::size_t>(start)];
  for (Index i = 0; i < states_; ++i) {
    for (Index l = 0; l < lanes_; ++l)
      initial_[(states_ + i * c + j) * lanes_ + l] -= slopes_[i * lanes_ + l];
  }
}

numerics::LaneProblem OdeWork::lane_problem(AlignedArray& out) const {
  return {.lanes = lanes_,
          .start = start_.data(),
          .initial = initial_.data(),
          .times = times_.data(),
          .num_times = num_times_,
          .out = out.data(),
          .tolerance = shared_.problem.tolerance,
          .recorder = nullptr,
          .ends_stiff = may_turn_stiff(shared_.problem),
          .algebraic = shared_.problem.algebraic};
}

void OdeWork::solve() {
  LaneArray<OdeEnd> ends;
  explicit_ ? explicit_->solve(field_, lane_problem(out_), ends.data())
            : implicit_->solve(field_, lane_problem(out_), ends.data());
  for (Index l = 0; l < lanes_; ++l) note_end(l, ends[static_cast<std::size_t>(l)]);
}

// A lane whose right-hand side was refused has no solution.
void OdeWork::note_end(Index lane, const OdeEnd& end) {
  const auto l = static_cast<std::size_t>(lane);
  refusals_[l] = field_.refusal(lane);
  ends_[l] = end;
  if (field_.failed(lane)) ends_[l].complete = false;
}

// Lanes that were given up as stiff once more. The others take part as copies of one of them.
void OdeWork::solve_stiff(const RoutineCall& call) {
  const auto stiff = [&](Index l) { return ends_[static_cast<std::size_t>(l)].stiff; };
  Index one = 0;
  while (one < lanes_ && !stiff(one)) ++one;
  if (one == lanes_) return;
  for (Index e = 0; e < shared_.problem.num_arguments * lanes_; ++e) {
    const Index l = e % lanes_;
    stiff_arguments_[e] = call.arguments[e - l + (stiff(l) ? l : one)];
  }
  RoutineCall again = call;
  again.arguments = stiff_arguments_.data();
  prepare(again);
  LaneArray<OdeEnd> ends;
  implicit_->solve(field_, lane_problem(stiff_out_), ends.data());
  for (Index l = 0; l < lanes_; ++l) {
    if (!stiff(l)) continue;
    note_end(l, ends[static_cast<std::size_t>(l)]);
    for (Index e = l; e < num_times_ * elements_ * lanes_; e += lanes_) out_[e] = stiff_out_[e];
  }
  prepare(call);
}

// States time by time; NaN without a solution.
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
  solve();
  solve_stiff(call);
  write_values(call);
  for (std::size_t l = 0; l < static_cast<std::size_t>(lanes_); ++l)
    report_end(call, shared_.problem, Index(l), ends_[l], refusals_[l]);
  if (call.jacobian != nullptr) write_jacobian(call);
}
}  // namespace

std::shared_ptr<const Routine> make_ode(OdeProblem problem, OdeTracer tracer, Index num_refusals,
                                        std::span<const double> reference) {
  if (prefers_adjoint(problem))
    return make_adjoint_ode(std::move(problem), tracer, num_refusals, reference);
  return std::make_shared<SystemRoutine<OdeWork>>(
      std::make_unique<const OdeShared>(std::move(problem), tracer), num_refusals, reference);
}

}  // namespace credo::graph
