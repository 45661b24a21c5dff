#include "infer/core/job.hpp"

#include "infer/core/rank_jobs.hpp"

namespace credo::infer {
namespace {

void offer_state(Job& job, Index num_steps) {
  if (!job.recorder.wants_state(num_steps, job.is_done())) return;
  ArchiveWriter writer;
  writer(num_steps);
  job.save(writer);
  writer(job.recorder)(*job.program);
  job.recorder.state(num_steps, job.is_done(), writer.bytes(), job.program->refusals.entries());
}

// The steps that were done.
Index load_state(Job& job, std::string_view bytes) {
  ArchiveReader reader(bytes, "state of chain " + std::to_string(job.number));
  Index num_steps = 0;
  reader(num_steps);
  job.load(reader);
  reader(job.recorder)(*job.program).finish();
  return num_steps;
}

RunResult collect(const RunContext& context, std::span<const std::unique_ptr<Job>> jobs,
                  std::span<const ChainProgram> programs) {
  std::vector<JobRemarks> remarks;
  for (std::size_t c = 0; c < jobs.size(); ++c)
    remarks.push_back(remarks_of(*jobs[c], programs[c]));
  return result_of(context, std::move(remarks));
}
}  // namespace

Step<Nothing> run_job(Job& job) {
  Index num_steps = 0;
  if (const std::string_view state = job.context.state_of(job.number); !state.empty())
    num_steps = load_state(job, state);
  else
    co_await job.begin();
  while (!job.is_done()) {
    co_await job.advance();
    offer_state(job, ++num_steps);
  }
  job.conclude();
  job.recorder.done();
  co_return Nothing{};
}

JobRemarks remarks_of(Job& job, const ChainProgram& program) {
  job.recorder.result.num_evaluations = program.num_evaluations;
  const std::span<const Refusal> refusals = program.refusals.entries();
  return {.result = std::move(job.recorder.result),
          .divergences = std::move(job.recorder.divergences),
          .refusals = {refusals.begin(), refusals.end()}};
}

RunResult result_of(const RunContext& context, std::vector<JobRemarks> jobs) {
  RunResult result;
  result.num_walkers = context.num_walkers;
  // Chain by chain, so that the messages don't depend on threads, ranks or breaks.
  for (JobRemarks& job : jobs) {
    for (const Refusal& refusal : job.refusals) add_refusal(result, refusal);
    result.chains.push_back(std::move(job.result));
    std::move(job.divergences.begin(), job.divergences.end(),
              std::back_inserter(result.divergences));
  }
  result.seconds = clock_seconds() - context.start_seconds;
  return result;
}

std::vector<ChainProgram> programs_of(std::span<const std::unique_ptr<Job>> jobs) {
  std::vector<ChainProgram> programs;
  for (const auto& job : jobs) programs.push_back({.program = run_job(*job), .refusals = {}});
  for (std::size_t c = 0; c < jobs.size(); ++c) {
    jobs[c]->program = &programs[c];
    jobs[c]->recorder.watch(programs[c].num_evaluations);
  }
  return programs;
}

RunResult run_jobs(RunContext& context, std::span<const std::unique_ptr<Job>> jobs) {
  if (Ranks* const ranks = current_ranks()) return run_jobs_over(*ranks, context, jobs);
  std::vector<ChainProgram> programs = programs_of(jobs);
  const bool finished =
      run_groups(context.density, programs,
                 {.num_threads = context.options.num_threads, .stop = context.options.stop});
  RunResult result = collect(context, jobs, programs);
  result.interrupted = !finished;
  return result;
}

}  // namespace credo::infer
