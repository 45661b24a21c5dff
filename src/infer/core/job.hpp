// A job: a part of a run that proceeds by itself, in any algorithm. A chain of a sampler is one, so is
// a population that goes from the prior to the posterior, or a climb to a mode.
//
// A job is a coroutine that asks for evaluations (infer/core/step.hpp). Between two steps it is plain data,
// which save() and load() take: there a run is stopped, and resumed with the same bits. Jobs of a run
// are independent of each other.
#pragma once
#include "base/archive.hpp"
#include "infer/core/group.hpp"
#include "infer/core/recorder.hpp"

namespace credo::infer {

class Job : public PooledKernel {
 public:
  Job(RunContext& run_context, Index number_, std::span<const FieldSpec> columns)
      : context(run_context), number(number_), recorder(run_context, number_, columns) {}
  virtual ~Job() = default;

  // Starts the job. Not called when a run is resumed.
  virtual Step<Nothing> begin() = 0;
  virtual bool is_done() const = 0;
  // A step of the algorithm, until it is done.
  virtual Step<Nothing> advance() = 0;
  // After the last step: stores results on the run as a whole.
  virtual void conclude() {}
  virtual void save(ArchiveWriter& to) const = 0;
  virtual void load(ArchiveReader& from) = 0;

  RunContext& context;
  const Index number;  // from 0
  ChainRecorder recorder;
  ChainProgram* program = nullptr;  // the program that runs it
};

// Resumes or begins a job, and runs it to its end.
Step<Nothing> run_job(Job& job);

// Runs all to their ends, or until the run is stopped, over threads, and over ranks where the caller works on them
// (base/ranks.hpp; infer/core/rank_jobs.hpp). Throws as run_groups does; ShareDone on a rank other than 0.
RunResult run_jobs(RunContext& context, std::span<const std::unique_ptr<Job>> jobs);

}  // namespace credo::infer
