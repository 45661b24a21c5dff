#include "infer/core/job.hpp"

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

RunResult collect(const RunContext& context, std::span<const ChainProgram> programs,
                  std::span<const std::unique_ptr<Job>> jobs) {
  RunResult result;
  result.num_walkers = context.num_walkers;
  // Chain by chain, so that neither threads nor a break change what is said.
  for (const ChainProgram& program : programs)
    for (const Refusal& refusal : program.refusals.entries()) add_refusal(result, refusal);
  for (std::size_t c = 0; c < jobs.size(); ++c) {
    ChainRecorder& recorder = jobs[c]->recorder;
    recorder.result.num_evaluations = programs[c].num_evaluations;
    result.chains.push_back(std::move(recorder.result));
    std::move(recorder.divergences.begin(), recorder.divergences.end(),
              std::back_inserter(result.divergences));
  }
  result.seconds = clock_seconds() - context.start_seconds;
  return result;
}
}  // namespace

RunResult run_jobs(RunContext& context, std::span<const std::unique_ptr<Job>> jobs) {
  std::vector<ChainProgram> programs;
  for (const auto& job : jobs) programs.push_back({.program = run_job(*job), .refusals = {}});
  for (std::size_t c = 0; c < jobs.size(); ++c) {
    jobs[c]->program = &programs[c];
    jobs[c]->recorder.watch(programs[c].num_evaluations);
  }
  const bool finished =
      run_groups(context.density, programs,
                 {.num_threads = context.options.num_threads, .stop = context.options.stop});
  RunResult result = collect(context, programs, jobs);
  result.interrupted = !finished;
  return result;
}

}  // namespace credo::infer
