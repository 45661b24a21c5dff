#include "infer/smc/splitting.hpp"

#include <fmt/format.h>

#include "infer/core/job.hpp"
#include "infer/smc/above_level.hpp"
#include "infer/smc/begin.hpp"
#include "infer/smc/move_crew.hpp"

namespace credo::infer {
namespace {

struct SplittingInfo {
  double log_density = 0.0;
  static void describe(auto& self, auto&& field) { field(self.log_density, kLogDensityColumn); }
};

class LevelSplitting final : public Job {
 public:
  LevelSplitting(RunContext& run_context, Index number_, const SplittingOptions& options,
                 const density::LogDensity& law, double value)
      : Job(run_context, number_, columns_of<SplittingInfo>()),
        options_(options),
        of_moves_{.mover = "slice", .num_moves = options.num_moves},
        law_(law),
        value_(value),
        particles_(run_context.options.num_draws, law.dimension()),
        scores_(static_cast<std::size_t>(run_context.options.num_draws), -kInfinity),
        crew_(run_context, of_moves_) {}

  Step<Nothing> begin() override;
  bool is_done() const override { return done_; }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }
  std::span<const double> levels() const { return levels_; }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.done_);
    field(self.levels_);
    field(self.particles_);
    field(self.scores_);
    field(self.crew_);
  }
  double next_level() const;

  const SplittingOptions& options_;
  const SmcOptions of_moves_;
  const density::LogDensity& law_;
  double value_;
  bool done_ = false;
  std::vector<double> levels_;
  Particles particles_;
  std::vector<double> scores_;
  MoveCrew crew_;
};

Step<Nothing> LevelSplitting::begin() {
  const StartLaw law{law_, context.options, number};
  const std::vector<Index> all = all_points(particles_.population);
  std::vector<double> drawn_from(all.size());
  co_await draw_points(law, all, 0, particles_.population, drawn_from);
  co_await evaluate_along(particles_.population, -kInfinity, scores_);
  co_return Nothing{};
}

// The score that leaves the share that is asked for, all that tie with it included; where that is no rise, the next one.
double LevelSplitting::next_level() const {
  std::vector<double> falling = scores_;
  std::sort(falling.begin(), falling.end(), std::greater<>());
  const double before = levels_.empty() ? -kInfinity : levels_.back();
  auto place = static_cast<std::size_t>(options_.kept * static_cast<double>(falling.size()));
  place = std::max<std::size_t>(place, 1) - 1;
  while (place > 0 && !(falling[place] > before && falling[place] > falling.back())) --place;
  if (falling[place] > before) return falling[place];
  throw Error(
      ErrorCode::evaluation,
      fmt::format("no score rises above {}: all {} particles are there", before, falling.size()),
      "probability by levels", "state a value that can be reached, or take more particles");
}

Step<Nothing> LevelSplitting::advance() {
  const double level = next_level();
  done_ = level > value_;
  levels_.push_back(std::min(level, value_));
  std::vector<double> survives;
  for (const double score : scores_)
    survives.push_back((done_ ? score > value_ : score >= level) ? 0.0 : -kInfinity);
  if (!particles_.reweight(survives))
    throw Error(ErrorCode::evaluation, fmt::format("no particle has a score above {}", value_),
                "probability by levels", "state a value that can be reached");
  if (done_) co_return Nothing{};
  const Index stage = ssize(levels_);
  crew_.standardise(particles_);
  particles_.resample(context.stream(purpose::kTransition, number, stage).uniform());
  co_await evaluate_along(particles_.population, level, scores_);
  co_await crew_.move(particles_.population, number, stage, level);
  co_await evaluate_along(particles_.population, level, scores_);
  crew_.tune_scale();
  co_return Nothing{};
}

void LevelSplitting::conclude() {
  recorder.result.tuned = {{"log_evidence", {particles_.log_evidence()}},
                           {"log_evidence_error", {particles_.log_evidence_error()}}};
}
}  // namespace

RareEvent rare_event(const density::LogDensity& law, const MakeScores& scores, double value,
                     const SplittingOptions& options) {
  return run_levels(law, scores, options, [&](RunContext& context, Index number) {
    return std::make_unique<LevelSplitting>(context, number, options, law, value);
  });
}

}  // namespace credo::infer
