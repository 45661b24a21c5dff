// A run over ranks. All ranks have the same density and the same jobs; each runs its share of the jobs, or
// evaluates points for a rank that does (infer/core/rank_share.hpp).
//
//   rank 0                          every other rank
//   ready from each          <----  ready: its settings, and the log density at a point
//   go, with states of jobs  ---->  its jobs, over threads, or points for its leader
//   records, into the sink   <----  draws, rows, states, progress
//   control: stop, states    ---->
//   result of each job       <----  records: the share is done, or has failed
//
// Rank 0 alone decides when a state is needed and when the run ends.
#pragma once
#include "base/ranks.hpp"
#include "infer/core/job.hpp"

namespace credo::infer {

// Remarks of a job at its end.
struct JobRemarks {
  ChainResult result = {};
  std::vector<Divergence> divergences = {};
  std::vector<Refusal> refusals = {};
  double sampling_seconds = 0.0;
  static void saved(auto& self, auto&& field) {
    field(self.result);
    field(self.divergences);
    field(self.refusals);
    field(self.sampling_seconds);
  }
};
JobRemarks remarks_of(Job& job, const ChainProgram& program);  // takes them out of the job
RunResult result_of(const RunContext& context, std::vector<JobRemarks> jobs);
std::vector<ChainProgram> programs_of(std::span<const std::unique_ptr<Job>> jobs);

// Like run_jobs, on rank 0. On every other rank it ends with ShareDone. Throws Error{usage} where a rank has other
// settings or computes another log density, and Error as a rank failed.
RunResult run_jobs_over(Ranks& ranks, RunContext& context,
                        std::span<const std::unique_ptr<Job>> jobs);

}  // namespace credo::infer
