// Functions that all runs of populations share.
#pragma once
#include "infer/core/job.hpp"
#include "infer/smc/particles.hpp"

namespace credo::infer {

// Makes the particles the draws; row_of(i) is the row of columns of particle i.
template <class RowOf>
void hand_out(const Particles& particles, ChainRecorder& recorder, const RowOf& row_of) {
  for (Index i = 0; i < particles.size(); ++i) {
    write_columns(row_of(i), recorder.columns());
    recorder.keep(i, 0, particles.population.position(i));
  }
}

// Final settings that all populations from a prior to the posterior report.
inline std::vector<TunedSetting> evidence_settings(const Particles& particles, double error) {
  return {{"log_evidence", {particles.log_evidence()}},
          {"log_evidence_error", {error}},
          {"num_ancestors", {static_cast<double>(particles.num_ancestors())}}};
}

// Runs as many populations as the run has chains, each made by make(number), to their ends. Their columns are those of Info.
template <class Info, class Make>
RunResult run_populations(RunContext& context, std::span<const RowGroup> tables, const Make& make) {
  std::vector<std::unique_ptr<Job>> populations;
  for (Index c = 0; c < context.options.num_chains; ++c) populations.push_back(make(c));
  context.begin_sink(columns_of<Info>(), tables);
  return run_jobs(context, populations);
}

}  // namespace credo::infer
