#include "graph/solve/ode_field.hpp"

namespace credo::graph {

void read_entries(std::span<const OdeProblem::Entry> entries, const double* arguments, Index lanes,
                  double* out) {
  for (const OdeProblem::Entry& entry : entries) {
    if (entry.argument < 0) std::fill_n(out, lanes, entry.known);
    if (entry.argument >= 0) std::copy_n(arguments + entry.argument * lanes, lanes, out);
    out += lanes;
  }
}

void report_end(const RoutineCall& call, const OdeProblem& problem, Index lane,
                const numerics::OdeEnd& end, const OdeRefusal& refusal) {
  const Index first = ssize(problem.times) * problem.num_states();
  const auto set = [&](Index k, double value) {
    call.values[(first + k) * call.lanes + lane] = value;
  };
  const auto limit = static_cast<double>(problem.tolerance.max_steps);
  const bool refused = refusal.report >= 0;
  set(kOdeSteps, end.complete || !end.out_of_steps ? 0.0 : limit + 1.0);
  set(kOdeReached, end.complete || end.out_of_steps || refused ? kInfinity : end.reached);
  report_refusal(call, first, lane, refusal);
}

Field::Field(const SystemPrograms& system, const OdePrograms& programs)
    : system_(system), programs_(programs), runner_(programs, kMaxLanes) {}

void Field::begin(Index lanes, const double* arguments, Index stride) {
  lanes_ = lanes;
  runner_.set_lanes(lanes);
  refusals_.fill({});
  const Index first = 1 + system_.states();
  for (std::size_t q = 0; q < system_.problem.parameters.size(); ++q) {
    const double* from = arguments + system_.problem.parameters[q] * stride;
    std::copy_n(from, lanes, runner_.input() + (first + Index(q)) * lanes);
  }
}

void Field::evaluate(const double* t, const double* y, const double* beside, double* out) {
  double* input = runner_.input();
  const Index n = system_.states() * lanes_;
  std::copy_n(t, lanes_, input);
  std::copy_n(y, n, input + lanes_);
  const Index first = programs_.input_size() - programs_.beside();
  std::copy_n(beside, programs_.beside() * lanes_, input + first * lanes_);
  runner_.run(out, refusals_.data());
}

StiffField::StiffField(const SystemPrograms& system, bool with_jacobian, bool implicit)
    : whole_(system, with_jacobian ? system.sensitivities : system.values) {
  if (!implicit) return;
  if (with_jacobian) values_.emplace(system, system.simplified);
  jacobian_.emplace(system, system.jacobian);
}

void StiffField::begin(Index lanes, const double* arguments, Index stride) {
  whole_.begin(lanes, arguments, stride);
  for (auto* part : {&values_, &jacobian_}) {
    if (*part) (*part)->begin(lanes, arguments, stride);
  }
}

const OdeRefusal& StiffField::refusal(Index lane) const {
  for (const auto* part : {&values_, &jacobian_}) {
    if (*part && (*part)->failed(lane)) return (*part)->refusal(lane);
  }
  return whole_.refusal(lane);
}

}  // namespace credo::graph
