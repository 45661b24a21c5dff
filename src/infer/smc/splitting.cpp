#include "infer/smc/splitting.hpp"

#include "infer/core/job.hpp"
#include "infer/smc/above_level.hpp"
#include "infer/smc/begin.hpp"
#include "infer/smc/move_crew.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {

struct SplittingInfo {
  double log_density = 0.0;
  static void describe(auto& self, auto&& field) { field(self.log_density, kLogDensityColumn); }
};

class LevelSplitting final : public Job {
 public:
  LevelSplitting(RunContext& run_context, Index number_, const SplittingOptions& options,
                 const density::LogDensity& distribution, double value)
      : Job(run_context, number_, columns_of<SplittingInfo>()),
        options_(options),
        of_moves_{.mover = "slice", .num_moves = options.num_moves},
        distribution_(distribution),
        value_(value),
        particles_(run_context.options.num_draws, distribution.dimension()),
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
    field(self.log_bound_);
    field(self.levels_);
    field(self.particles_);
    field(self.scores_);
    field(self.crew_);
  }
  std::optional<double> next_level() const;
  void give_up(double log_share);

  const SplittingOptions& options_;
  const SmcOptions of_moves_;
  const density::LogDensity& distribution_;
  double value_;
  bool done_ = false;
  double log_bound_ = kNaN;  // set by give_up()
  std::vector<double> levels_;
  Particles particles_;
  std::vector<double> scores_;
  MoveCrew crew_;
};

Step<Nothing> LevelSplitting::begin() {
  const StartDistribution distribution{distribution_, context.options, number};
  const std::vector<Index> all = all_points(particles_.population);
  std::vector<double> drawn_from(all.size());
  co_await draw_points(distribution, all, 0, particles_.population, drawn_from);
  co_await evaluate_along(particles_.population, -kInfinity, scores_);
  co_return Nothing{};
}

// The score that the share `kept` of the particles reaches, with all ties. If it isn't above the last level, the next
// higher score; none if no score is higher.
std::optional<double> LevelSplitting::next_level() const {
  std::vector<double> falling = scores_;
  std::sort(falling.begin(), falling.end(), std::greater<>());
  const double before = levels_.empty() ? -kInfinity : levels_.back();
  auto place = static_cast<std::size_t>(options_.kept * static_cast<double>(falling.size()));
  place = std::max<std::size_t>(place, 1) - 1;
  while (place > 0 && !(falling[place] > before && falling[place] > falling.back())) --place;
  if (falling[place] > before) return falling[place];
  return std::nullopt;
}

// Ends the population: the event has at most exp(log_share) times the remaining probability.
void LevelSplitting::give_up(double log_share) {
  log_bound_ = particles_.log_evidence() + log_share;
  done_ = true;
}

Step<Nothing> LevelSplitting::advance() {
  const std::optional<double> next = next_level();
  constexpr double kRuleOfThree = 3.0;  // if none of n succeeds, the share is below 3/n at 95 %
  if (!next) {
    give_up(numerics::log(kRuleOfThree / static_cast<double>(particles_.size())));
    co_return Nothing{};
  }
  const double level = *next;
  done_ = level > value_;
  levels_.push_back(std::min(level, value_));
  std::vector<double> survives;
  for (const double score : scores_)
    survives.push_back((done_ ? score > value_ : score >= level) ? 0.0 : -kInfinity);
  const bool any = particles_.reweight(survives);
  CREDO_ASSERT(any, "a particle has the score that was chosen");
  if (!done_ && is_out_of_reach(levels_, value_, particles_.log_evidence())) give_up(0.0);
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
  const bool reached = std::isnan(log_bound_);
  recorder.result.tuned = {
      {"log_evidence", {reached ? particles_.log_evidence() : -kInfinity}},
      {"log_evidence_error", {reached ? particles_.log_evidence_error() : 0.0}},
      {"log_bound", {log_bound_}},
      {"highest", {levels_.empty() ? kNaN : levels_.back()}}};
}
}  // namespace

bool is_out_of_reach(std::span<const double> levels, double value, double log_probability) {
  constexpr double kLeastLogProbability = -230.0;  // 1e-100
  if (log_probability < kLeastLogProbability) return true;
  constexpr std::size_t kLookedAt = 30, kRecent = 10;
  constexpr double kMostTimes = 1000.0;  // ten thousand more levels at the pace of the last ten
  if (levels.size() < kLookedAt) return false;
  const double rise = levels.back() - levels[levels.size() - 1 - kRecent];
  return kMostTimes * rise < value - levels.back();
}

RareEvent rare_event(const density::LogDensity& distribution, const MakeScores& scores,
                     double value, const SplittingOptions& options) {
  return run_levels(distribution, scores, options, [&](RunContext& context, Index number) {
    return std::make_unique<LevelSplitting>(context, number, options, distribution, value);
  });
}

}  // namespace credo::infer
