// A distribution with scores of its positions, for algorithms that go up level by level.
#pragma once
#include "base/error.hpp"
#include "infer/core/job.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/splitting.hpp"
#include "infer/smc/start.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {

// The distribution on {S >= λ}: a request's weight is λ, its log ratio S.
class AboveLevel final : public density::LogDensity {
 public:
  AboveLevel(const density::LogDensity& distribution, const MakeScores& scores)
      : distribution_(distribution), scores_(scores) {}
  Index dimension() const override { return distribution_.dimension(); }
  bool has_gradient() const override { return false; }
  std::string describe(const density::Status& status) const override {
    return status.source == kBelow ? "below the level" : distribution_.describe(status);
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(distribution_.make_evaluator(), scores_(), dimension());
  }

 private:
  static constexpr std::int32_t kBelow = -1;
  class Evaluating final : public density::Evaluator {
   public:
    Evaluating(std::unique_ptr<density::Evaluator> distribution, LevelScores scores,
               Index dimension)
        : distribution_(std::move(distribution)),
          scores_(std::move(scores)),
          dimension_(static_cast<std::size_t>(dimension)) {}
    void evaluate(density::Want want, std::span<density::Request* const> batch) override {
      distribution_->evaluate(want, batch);
      positions_.clear();
      for (const density::Request* request : batch)
        if (request->status.ok())
          positions_.insert(positions_.end(), request->position.begin(), request->position.end());
      values_.resize(positions_.size() / dimension_);
      scores_(positions_, values_);
      std::size_t next = 0;
      for (density::Request* request : batch) {
        request->log_ratio = -kInfinity;
        if (!request->status.ok()) continue;
        const double score = values_[next++];
        if (!std::isnan(score)) request->log_ratio = score;
        if (request->log_ratio >= request->weight) continue;
        request->status = {.source = kBelow, .value = score};
        request->log_density = -kInfinity;
      }
    }

   private:
    std::unique_ptr<density::Evaluator> distribution_;
    LevelScores scores_;
    std::size_t dimension_;
    std::vector<double> positions_, values_;
  };

  const density::LogDensity& distribution_;
  const MakeScores& scores_;
};

// Sets the bound to the mean of the populations' bounds, and the highest level that one of them reached.
inline void take_bound(const RunResult& result, RareEvent& found) {
  std::vector<double> bounds;
  found.highest = -kInfinity;
  for (const ChainResult& chain : result.chains)
    for (const TunedSetting& setting : chain.tuned) {
      if (setting.name == "log_bound") bounds.push_back(setting.values[0]);
      if (setting.name == "highest") found.highest = std::max(found.highest, setting.values[0]);
    }
  found.log_bound =
      numerics::log_sum_exp(bounds) - numerics::log(static_cast<double>(bounds.size()));
}

// Populations of jobs, made by make(context, number), that report levels() and as log evidence the log probability.
template <class Options, class Make>
RareEvent run_levels(const density::LogDensity& distribution, const MakeScores& scores,
                     const Options& options, const Make& make) {
  const SampleOptions run{.sampler = "smc",
                          .num_chains = options.num_populations,
                          .num_warmup = 0,
                          .num_draws = options.num_particles,
                          .seed = options.seed,
                          .num_threads = options.num_threads};
  if (const density::Capability can = distribution.can_draw(); !can.can)
    throw Error(ErrorCode::usage, "the distribution can't be drawn from: " + can.reason, can.where,
                can.hint);
  require_particles(distribution, run);
  const AboveLevel density(distribution, scores);
  StoredDraws nothing_is_kept;
  RunContext context(density, run, 1, nothing_is_kept);
  using Population = std::invoke_result_t<Make, RunContext&, Index>::element_type;
  std::vector<std::unique_ptr<Job>> jobs;
  for (Index c = 0; c < run.num_chains; ++c) jobs.push_back(make(context, c));
  const RunResult result = run_jobs(context, jobs);
  RareEvent found;
  if (result.interrupted) return found;
  found.log_probability = log_evidence(result).value_or(LogEvidence{});
  if (std::isnan(found.log_probability.value)) take_bound(result, found);
  const auto levels = static_cast<const Population&>(*jobs.front()).levels();
  found.levels.assign(levels.begin(), levels.end());
  for (const ChainResult& chain : result.chains) found.num_evaluations += chain.num_evaluations;
  return found;
}

}  // namespace credo::infer
