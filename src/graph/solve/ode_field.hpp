// The right-hand side of a differential equation as the solvers ask for it: all lanes at once, with
// the arguments of a run.
#pragma once
#include "graph/core/kernel.hpp"
#include "graph/solve/system_routine.hpp"
#include "numerics/ode/runge_kutta.hpp"

namespace credo::graph {

// Size of the vector that is solved: the states, and the rows of their sensitivities.
inline Index elements_of(const SystemPrograms& system, bool with_jacobian) {
  return system.states() * (1 + (with_jacobian ? system.columns.count() : 0));
}

// Reads the values of entries in each lane of a run, [entry][lane].
void read_entries(std::span<const OdeProblem::Entry> entries, const double* arguments, Index lanes,
                  double* out);

// Report of a lane's end, beside the states, for all routines of differential equations.
void report_end(const RoutineCall& call, const OdeProblem& problem, Index lane,
                const numerics::OdeEnd& end, const OdeRefusal& refusal);

// A form of the system.
class Field final : public numerics::LaneSystem {
 public:
  Field(const SystemPrograms& system, const OdePrograms& programs);

  // Parameters lie behind time and states, before the sensitivities.
  void begin(Index lanes, const double* arguments, Index stride);
  void derivative(const double* t, const double* y, double* dy) override {
    evaluate(t, y, y + system_.states() * lanes_, dy);
  }
  // The program's output; `beside` holds its inputs after the parameters.
  void evaluate(const double* t, const double* y, const double* beside, double* out);
  bool failed(Index lane) const override { return refusal(lane).report >= 0; }
  const OdeRefusal& refusal(Index lane) const { return refusals_[static_cast<std::size_t>(lane)]; }

 private:
  const SystemPrograms& system_;
  const OdePrograms& programs_;
  OdeRunner runner_;
  Index lanes_ = 1;
  std::array<OdeRefusal, static_cast<std::size_t>(kMaxLanes)> refusals_{};
};

// With sensitivities or without, and what implicit methods need beside.
class StiffField final : public numerics::StiffSystem {
 public:
  StiffField(const SystemPrograms& system, bool with_jacobian, bool implicit);

  void begin(Index lanes, const double* arguments, Index stride);
  void derivative(const double* t, const double* y, double* dy) override {
    whole_.derivative(t, y, dy);
  }
  void states(const double* t, const double* y, double* dy) override {
    (values_ ? *values_ : whole_).derivative(t, y, dy);
  }
  void jacobian(const double* t, const double* y, double* df) override {
    jacobian_->derivative(t, y, df);
  }
  bool failed(Index lane) const override { return refusal(lane).report >= 0; }
  const OdeRefusal& refusal(Index lane) const;

 private:
  Field whole_;
  std::optional<Field> values_, jacobian_;
};

}  // namespace credo::graph
