// One step, with N live points and k of them replaced:
//
//   the k lowest die, in their order, the first as the lowest of N, the next of N - 1, …; with whatever ties with
//   the last of them [fowlie2021]
//   each is replaced by a copy of one that is left, moved within the prior above the last one's likelihood
//
// until log(1 + Z_live / Z_dead) < tolerance; then the live points die as the lowest of N, N - 1, …, 1.
// They all share the top of the likelihood where none is above the others.
#include "infer/evidence/nested.hpp"

#include <fmt/format.h>

#include "density/path_density.hpp"
#include "infer/core/job.hpp"
#include "infer/core/table.hpp"
#include "infer/evidence/begin.hpp"
#include "infer/evidence/constrained.hpp"
#include "infer/evidence/shrinkage.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/smc/resampling.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kNumSimulations = 200;
constexpr double kLeastPValue = 1e-3;  // of ranks, over all chains
constexpr double kMostShift = 0.5;     // by copies that didn't move, in errors

std::vector<RowGroup> steps() { return {{"nested", "step", columns_of<NestedStep>()}}; }

class Nested final : public Job {
 public:
  Nested(RunContext& run_context, Index number_, const NestedOptions& options,
         const density::LogDensity& from)
      : Job(run_context, number_, columns_of<NestedInfo>()),
        options_(options),
        draws_(from.make_exact_draws()),
        space_(*draws_, options, from.dimension()),
        live_(options.live_points, space_.dimension(), from.dimension()),
        moves_(space_, options) {}

  Step<Nothing> begin() override;
  bool is_done() const override { return done_; }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.live_);
    field(self.dead_);
    field(self.dead_positions_);
    field(self.dead_priors_);
    field(self.sum_);
    field(self.ranks_);
    field(self.moves_);
    field(self.num_steps_);
    field(self.progress_);
    field(self.num_new_);
    field(self.num_stuck_);
    field(self.log_evidence_);
    field(self.error_);
    field(self.information_);
    field(self.done_);
  }
  Rng stream(std::uint32_t purpose, Index point, Index iteration) const;
  std::vector<Index> by_likelihood() const;
  Index num_dying(std::span<const Index> order) const;
  void die(Index point, Index num_live);
  double log_remaining() const;
  Step<Nothing> replace(std::span<const Index> dying, std::span<const Index> left, Rng& rng);
  void rank(std::span<const Index> dying, std::span<const Index> left, Rng& rng);
  void tell(double threshold, Index num_replaced);
  void finish(Rng& rng);
  void hand_out(const NestedEvidence& found, Rng& rng);

  const NestedOptions& options_;
  std::unique_ptr<density::ExactDraws> draws_;
  PriorSpace space_;
  LivePoints live_;
  DeadPoints dead_;
  std::vector<double> dead_positions_, dead_priors_;
  NestedSum sum_;
  InsertionRanks ranks_;
  ConstrainedMoves moves_;
  Index num_steps_ = 0, progress_ = 0;
  Index num_new_ = 0,
        num_stuck_ = 0;  // points that took a place; of them those that are still the copy
  double log_evidence_ = kNaN, error_ = kNaN, information_ = kNaN;
  bool done_ = false;
};

// Of a live point: a stream of its own.
Rng Nested::stream(std::uint32_t purpose, Index point, Index iteration) const {
  const SampleOptions& run = context.options;
  return Rng(
      {.seed = run.seed,
       .purpose = purpose,
       .chain = static_cast<std::uint32_t>((run.first_chain + number) * live_.size() + point),
       .iteration = static_cast<std::uint32_t>(iteration)});
}

// Points begin where the likelihood isn't 0; how many draws that took enters the evidence.
Step<Nothing> Nested::begin() {
  const DrawPoint draw = [this](Index i, Index attempt) {
    Rng rng = stream(purpose::kInitialPoint, i, attempt);
    return space_.draw(rng, live_.coordinates.position(i), live_.at.position(i));
  };
  const Index num_without =
      co_await begin_with_likelihood(live_.at, live_.log_likelihoods, draw, context.options);
  for (Index i = 0; i < live_.size(); ++i)
    live_.coordinates.log_density(i) = space_.is_cube() ? 0.0 : live_.at.log_density(i);
  dead_.begin_with(live_.size(), live_.size() + num_without);
  sum_ = NestedSum(dead_.log_start);
  co_return Nothing{};
}

Step<Nothing> Nested::advance() {
  Rng rng = context.stream(purpose::kTransition, number, num_steps_++);
  const std::vector<Index> order = by_likelihood();
  const Index count = num_dying(order), num_live = live_.size();
  if (count == num_live ||
      log_sum_of_exp(std::array{0.0, log_remaining() - sum_.log_evidence()}) < options_.tolerance) {
    finish(rng);
    co_return Nothing{};
  }
  const auto dying = std::span(order).first(static_cast<std::size_t>(count)),
             left = std::span(order).subspan(static_cast<std::size_t>(count));
  const double threshold = live_.log_likelihood(dying.back());
  moves_.shape_by(live_);
  for (Index j = 0; j < count; ++j) die(dying[static_cast<std::size_t>(j)], num_live - j);
  co_await replace(dying, left, rng);
  rank(dying, left, rng);
  tell(threshold, count);
  moves_.tune_scale();
  const double share =
      numerics::exp(-log_sum_of_exp(std::array{0.0, log_remaining() - sum_.log_evidence()}));
  progress_ = std::max(progress_,
                       static_cast<Index>(share * static_cast<double>(context.options.num_draws)));
  recorder.done_with(progress_);
  co_return Nothing{};
}

std::vector<Index> Nested::by_likelihood() const {
  std::vector<Index> order(static_cast<std::size_t>(live_.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return live_.log_likelihood(a) < live_.log_likelihood(b);
  });
  return order;
}

// With all that tie with the last one: nothing at its likelihood is above it.
Index Nested::num_dying(std::span<const Index> order) const {
  Index count =
      std::max<Index>(1, static_cast<Index>(options_.replaced * static_cast<double>(live_.size())));
  const auto likelihood = [&](Index k) {
    return live_.log_likelihood(order[static_cast<std::size_t>(k)]);
  };
  while (count < live_.size() && likelihood(count) == likelihood(count - 1)) ++count;
  return count;
}

void Nested::die(Index point, Index num_live) {
  const std::span<const double> position = std::as_const(live_).at.position(point);
  dead_.add(live_.log_likelihood(point), num_live);
  dead_positions_.insert(dead_positions_.end(), position.begin(), position.end());
  dead_priors_.push_back(live_.at.log_density(point));
  sum_.add(live_.log_likelihood(point), static_cast<double>(num_live));
}

double Nested::log_remaining() const {
  return sum_.log_mass() + log_sum_of_exp(live_.log_likelihoods) -
         numerics::log(static_cast<double>(live_.size()));
}

Step<Nothing> Nested::replace(std::span<const Index> dying, std::span<const Index> left, Rng& rng) {
  const double threshold = live_.log_likelihood(dying.back());
  std::vector<Rng> streams;
  std::vector<Index> origins;
  for (const Index i : dying) {
    origins.push_back(left[static_cast<std::size_t>(rng.index_below(ssize(left)))]);
    live_.copy(origins.back(), i);
    streams.push_back(stream(purpose::kWalker, i, num_steps_));
  }
  co_await moves_.move(live_, dying, streams, threshold);
  num_new_ += ssize(dying);
  for (std::size_t k = 0; k < origins.size(); ++k)
    num_stuck_ += std::ranges::equal(std::as_const(live_).at.position(dying[k]),
                                     std::as_const(live_).at.position(origins[k]));
  co_return Nothing{};
}

// The first new point among those that are left, the next among these and the first, …: ranks that know nothing of
// each other.
void Nested::rank(std::span<const Index> dying, std::span<const Index> left, Rng& rng) {
  std::vector<double> others;
  for (const Index i : left) others.push_back(live_.log_likelihood(i));
  for (const Index i : dying) {
    const double value = live_.log_likelihood(i);
    const auto [first, last] = std::equal_range(others.begin(), others.end(), value);
    ranks_.add(first - others.begin(), last - first, ssize(others), rng);
    others.insert(last, value);
  }
}

void Nested::tell(double threshold, Index num_replaced) {
  recorder.row(0, NestedStep{.log_likelihood = threshold,
                             .log_mass = sum_.log_mass(),
                             .log_evidence = sum_.log_evidence(),
                             .log_remaining = log_remaining(),
                             .num_replaced = num_replaced,
                             .accept_stat = moves_.mean_acceptance(),
                             .num_candidates = moves_.num_candidates()});
}

void Nested::finish(Rng& rng) {
  Index num_live = live_.size();
  for (const Index i : by_likelihood()) die(i, num_live--);
  const NestedEvidence found = nested_evidence(dead_);
  log_evidence_ = found.log_evidence;
  information_ = found.information;
  error_ = simulated_error(dead_, kNumSimulations, rng);
  hand_out(found, rng);
  done_ = true;
  recorder.done_with(context.options.num_draws);
}

// As many of the dead points as draws were asked for, in an order that says nothing.
void Nested::hand_out(const NestedEvidence& found, Rng& rng) {
  const ChosenPoints chosen =
      choose_weighted(found.log_weights, context.options.num_draws, rng.uniform());
  std::vector<std::size_t> order(chosen.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(rng.index_below(static_cast<Index>(i)))]);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto point = static_cast<std::size_t>(chosen.points[order[k]]);
    const double log_likelihood = dead_.log_likelihoods[point];
    write_columns(NestedInfo{.log_density = dead_priors_[point] + log_likelihood,
                             .log_weight = chosen.log_weights[order[k]],
                             .log_likelihood = log_likelihood},
                  recorder.columns());
    recorder.keep(static_cast<Index>(k), 0,
                  std::span<const double>(dead_positions_)
                      .subspan(point * live_.at.dimension, live_.at.dimension));
  }
}

void Nested::conclude() {
  const double live = static_cast<double>(live_.size());
  recorder.result.tuned = {{"log_evidence", {log_evidence_}},
                           {"log_evidence_error", {error_}},
                           {"information", {information_}},
                           {"log_evidence_error_information", {std::sqrt(information_ / live)}},
                           {"num_dead", {static_cast<double>(dead_.size())}},
                           {"num_new", {static_cast<double>(num_new_)}},
                           {"num_stuck", {static_cast<double>(num_stuck_)}},
                           {"insertion_p", {ranks_.p_value()}}};
}

void warn_of_ranks(RunResult& result) {
  const double limit = kLeastPValue / static_cast<double>(result.chains.size());
  for (std::size_t c = 0; c < result.chains.size(); ++c)
    for (const TunedSetting& setting : result.chains[c].tuned)
      if (setting.name == "insertion_p" && setting.values[0] < limit)
        result.warnings.push_back(fmt::format(
            "chain {}: new points aren't spread over the live ones as draws of the prior would be "
            "(p = {:.2g}), so the evidence may be wrong: more moves (--num-moves), --in-cube true, "
            "or more live points",
            c + 1, setting.values[0]));
}

double tuned_value(const ChainResult& chain, std::string_view name) {
  for (const TunedSetting& setting : chain.tuned)
    if (setting.name == name) return setting.values[0];
  return kNaN;
}

// Copies that didn't move tie with their origin and are no draws of the prior; the ranks don't see them. A share s of them
// makes log ξ fall by about s less than it is said to, over the H nats of the way.
void warn_of_copies(RunResult& result) {
  for (std::size_t c = 0; c < result.chains.size(); ++c) {
    const double stuck = tuned_value(result.chains[c], "num_stuck"),
                 all = tuned_value(result.chains[c], "num_new");
    const double shift = stuck / all * tuned_value(result.chains[c], "information");
    if (shift > kMostShift * tuned_value(result.chains[c], "log_evidence_error"))
      result.warnings.push_back(fmt::format(
          "chain {}: {:.0f} of {:.0f} new points are copies of others that didn't move, so the "
          "evidence may be wrong: more moves (--num-moves), or --move slice",
          c + 1, stuck, all));
  }
}

RunResult run_nested(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  const auto own = options_for<NestedOptions>(options.kernel, options.sampler);
  validate(own);
  require_continuous(density, "nested sampling");
  require_no_metric(options);
  const auto from = start_of_path(density, own.from, own.reference_sd, options.sampler);
  const density::PathDensity path(*from, density);
  RunContext context(path, options, 1, sink);
  std::vector<std::unique_ptr<Job>> jobs;
  for (Index c = 0; c < options.num_chains; ++c)
    jobs.push_back(std::make_unique<Nested>(context, c, own, *from));
  const std::vector<RowGroup> groups = steps();
  context.begin_sink(columns_of<NestedInfo>(), groups);
  RunResult result = run_jobs(context, jobs);
  result.evidence_is_normalised = own.from == PathStart::prior;
  if (!result.interrupted) warn_of_ranks(result), warn_of_copies(result);
  return result;
}
}  // namespace

extern const SamplerSpec kNested;
const SamplerSpec kNested = {
    .name = "nested",
    .summary = "nested sampling: the log evidence, and weighted draws, from the prior inwards",
    .needs_gradient = false,
    .reference = "skilling2006",
    .biased = false,
    .has_warmup = false,
    .columns = columns_of<NestedInfo>,
    .groups = steps,
    .options = [] { return KernelOptions(NestedOptions{}); },
    .make = nullptr,
    .run = run_nested,
    .family = Family::particles};

}  // namespace credo::infer
