// Routines that solve a traced system (graph/solve/ode.hpp, graph/solve/roots.hpp): their shared part. After the
// results stand a few reports of the solver's own, then a value and its bound for each way that f
// can be refused.
#pragma once
#include "graph/execute/per_thread.hpp"
#include "graph/solve/ode_programs.hpp"

namespace credo::graph {

// No refusal: 0 is below infinity. `first`: where the refusals begin among the values.
inline void clear_refusals(const RoutineCall& call, Index first, Index num_refusals) {
  double* refusals = call.values + first * call.lanes;
  for (Index k = 0; k < num_refusals; ++k) {
    std::fill_n(refusals + 2 * k * call.lanes, call.lanes, 0.0);
    std::fill_n(refusals + (2 * k + 1) * call.lanes, call.lanes, kInfinity);
  }
}

// `results`: how many values stand before the reports.
inline void report_refusal(const RoutineCall& call, Index results, Index lane,
                           const OdeRefusal& refusal) {
  if (refusal.report < 0) return;
  call.values[(results + refusal.report) * call.lanes + lane] = refusal.value;
  call.values[(results + refusal.report + 1) * call.lanes + lane] = -kInfinity;
}

// Work is the working memory of a thread: made from Work::Shared, which all threads share, and a flag if
// derivatives are needed; run(call) writes everything but the absence of refusals, pull_back(call),
// if there is one, the adjoints. Shared has num_results(), kReports (the solver's own ones), and
// the programs() that a run may use.
template <class Work>
class SystemRoutine final : public Routine {
 public:
  using Shared = typename Work::Shared;
  // `reference`: where f is traced first.
  SystemRoutine(std::unique_ptr<const Shared> shared, Index num_refusals,
                std::span<const double> reference)
      : shared_(std::move(shared)), num_refusals_(num_refusals) {
    for (const OdePrograms* programs : shared_->programs()) {
      std::vector<double> input(reference.begin(), reference.end());
      input.resize(static_cast<std::size_t>(programs->input_size()), 0.0);
      programs->add_path(input);
    }
  }

  std::string_view name() const override { return shared_->system.problem.name; }
  Index num_arguments() const override { return shared_->system.problem.num_arguments; }
  Index num_results() const override { return shared_->num_results(); }
  Index num_reports() const override { return Shared::kReports + 2 * num_refusals_; }

  bool pulls_back() const override { return kPullsBack; }

  void run(const RoutineCall& call) const override {
    clear_refusals(call, num_results() + Shared::kReports, num_refusals_);
    work(call.jacobian != nullptr).run(call);
  }
  void pull_back(const PullbackCall& call) const override {
    if constexpr (kPullsBack) work(false).pull_back(call);
  }

 private:
  static constexpr bool kPullsBack = requires(Work & w, const PullbackCall& c) { w.pull_back(c); };
  Work& work(bool with_jacobian) const {
    const auto make = [&] { return std::make_unique<Work>(*shared_, with_jacobian); };
    return (with_jacobian ? with_jacobian_ : without_).get(make);
  }

  std::unique_ptr<const Shared> shared_;
  Index num_refusals_;
  PerThread<Work> with_jacobian_, without_;
};

}  // namespace credo::graph
