// One step, with N live points and k of them replaced:
//
//   the k lowest die, in their order, the first as the lowest of N, the next of N - 1, …; with whatever ties with
//   the last of them [fowlie2021]
//   each is replaced by a copy of one that is left, moved within the prior above the last one's likelihood
//
// until log(1 + Z_live / Z_dead) < tolerance; then the live points die as the lowest of N, N - 1, …, 1.
// They all share the top of the likelihood if all of them are equal.
//
// If the number of live points varies, a first run with a quarter of them shows how many should live at each
// likelihood (live_plan.hpp); the second has so many after each step, and the two are one run of both their points.
#include "infer/evidence/nested.hpp"

#include <fmt/format.h>

#include "density/path_density.hpp"
#include "infer/core/job.hpp"
#include "infer/core/table.hpp"
#include "infer/evidence/constrained.hpp"
#include "infer/evidence/live_plan.hpp"
#include "infer/evidence/shrinkage.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/smc/begin.hpp"
#include "infer/smc/population_run.hpp"
#include "infer/smc/resampling.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
constexpr Index kNumSimulations = 200;
constexpr double kLeastPValue = 1e-3;  // p-value of ranks, over all chains
constexpr double kMostShift = 0.5;     // by copies that didn't move, in errors

constexpr double kFirstShare = 0.25,
                 kLeastShare = 0.1;  // shares of the live points, where their number varies
constexpr Index kLeastLive = 10, kMostTimes = 32;

// The dead of a run, where they were and their prior's log densities; how many were drawn to begin with.
struct DeadRun {
  DeadPoints dead;
  std::vector<double> positions, priors;
  Index num_begun = 0, num_drawn = 0;

  static void saved(auto& self, auto&& field) {
    field(self.dead);
    field(self.positions);
    field(self.priors);
    field(self.num_begun);
    field(self.num_drawn);
  }
};

DeadRun merged(const DeadRun& first, const DeadRun& second, std::size_t dimension) {
  DeadRun both{.dead = {},
               .positions = {},
               .priors = {},
               .num_begun = first.num_begun + second.num_begun,
               .num_drawn = first.num_drawn + second.num_drawn};
  std::vector<Index> order;
  both.dead = merged(first.dead, second.dead, order);
  both.dead.begin_with(both.num_begun, both.num_drawn);
  for (const Index k : order) {
    const bool is_first = k < first.dead.size();
    const DeadRun& from = is_first ? first : second;
    const auto i = static_cast<std::size_t>(is_first ? k : k - first.dead.size());
    const auto at = std::span(from.positions).subspan(i * dimension, dimension);
    both.positions.insert(both.positions.end(), at.begin(), at.end());
    both.priors.push_back(from.priors[i]);
  }
  return both;
}

std::vector<RowGroup> steps() { return {{"nested", "step", columns_of<NestedStep>()}}; }

class Nested final : public Job {
 public:
  Nested(RunContext& run_context, Index number_, const NestedOptions& options,
         const density::LogDensity& from)
      : Job(run_context, number_, columns_of<NestedInfo>()),
        options_(options),
        draws_(from.make_exact_draws()),
        space_(*draws_, options, from.dimension()),
        is_first_(options.aim != LiveAim::constant),
        live_(first_size(options), space_.dimension(), from.dimension()),
        moves_(space_, options) {}

  Step<Nothing> begin() override;
  bool is_done() const override { return done_; }
  Step<Nothing> advance() override;
  void conclude() override;
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.is_first_);
    field(self.live_);
    field(self.run_);
    field(self.run_before_);
    field(self.plan_);
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
    field(self.reach_);
    field(self.done_);
  }
  static Index first_size(const NestedOptions& options) {
    if (options.aim == LiveAim::constant) return options.live_points;
    return std::max(kLeastLive,
                    static_cast<Index>(kFirstShare * static_cast<double>(options.live_points)));
  }
  Rng stream(std::uint32_t purpose, Index point, Index iteration) const;
  std::vector<Index> by_likelihood() const;
  Index num_dying(std::span<const Index> order) const;
  void die(Index point, Index num_live);
  double log_remaining() const;
  Step<Nothing> begin_points();
  Step<Nothing> draw_live(std::span<const Index> which, Index attempt,
                          std::span<double> drawn_from);
  Step<Nothing> begin_second_run();
  std::vector<Index> places_of_new(std::span<const Index> dying, Index num_left, double threshold);
  Index origin_of(Index place, std::span<const Index> left, Rng& rng) const;
  Step<Nothing> replace(std::span<const Index> places, std::span<const Index> left,
                        double threshold, Rng& rng);
  void rank(std::span<const Index> places, std::span<const Index> left, Rng& rng);
  void report_replaced(double threshold, Index num_replaced);
  void finish(Rng& rng);
  double reach_of(std::span<const double> log_weights) const;
  void hand_out(const NestedEvidence& found, Rng& rng);

  const NestedOptions& options_;
  std::unique_ptr<density::ExactDraws> draws_;
  PriorSpace space_;
  bool is_first_;  // true in the first of two runs
  LivePoints live_;
  DeadRun run_, run_before_;
  LivePlan plan_;
  NestedSum sum_;
  InsertionRanks ranks_;
  ConstrainedMoves moves_;
  Index num_steps_ = 0, progress_ = 0;
  Index num_new_ = 0,
        num_stuck_ = 0;  // points that took a place; those among them that are still the copy
  double log_evidence_ = kNaN, error_ = kNaN, information_ = kNaN;
  double reach_ = kNaN;  // only for runs that begin at a normal distribution
  bool done_ = false;
};

// The stream of a live point, its own.
Rng Nested::stream(std::uint32_t purpose, Index point, Index iteration) const {
  const SampleOptions& run = context.options;
  const Index most = options_.live_points * (options_.aim == LiveAim::constant ? 1 : kMostTimes);
  return Rng({.seed = run.seed,
              .purpose = purpose,
              .chain = static_cast<std::uint32_t>((run.first_chain + number) * most + point),
              .iteration = static_cast<std::uint32_t>(iteration)});
}

Step<Nothing> Nested::begin() {
  co_await begin_points();
  co_return Nothing{};
}

Step<Nothing> Nested::draw_live(std::span<const Index> which, Index attempt,
                                std::span<double> drawn_from) {
  for (const Index i : which) {
    Rng rng = stream(purpose::kInitialPoint, i, attempt);
    drawn_from[static_cast<std::size_t>(i)] =
        space_.draw(rng, live_.coordinates.position(i), live_.at.position(i));
  }
  co_return Nothing{};
}

// Points begin where the likelihood isn't 0; how many draws that took enters the evidence.
Step<Nothing> Nested::begin_points() {
  constexpr Index kTriesOfARun = 1'000'000;  // more than a point has
  const Index first_try = run_before_.dead.size() > 0 ? kTriesOfARun : 0;
  const DrawPoints draw = [this, first_try](std::span<const Index> which, Index attempt,
                                            std::span<double> drawn_from) {
    return draw_live(which, first_try + attempt, drawn_from);
  };
  const Index num_without =
      co_await begin_with_likelihood(live_.at, live_.log_likelihoods, draw, context.options);
  for (Index i = 0; i < live_.size(); ++i)
    live_.coordinates.log_density(i) = space_.is_cube() ? 0.0 : live_.at.log_density(i);
  run_ = {.dead = {},
          .positions = {},
          .priors = {},
          .num_begun = live_.size(),
          .num_drawn = live_.size() + num_without};
  run_.dead.begin_with(run_.num_begun, run_.num_drawn);
  sum_ = NestedSum(run_.dead.log_start);
  co_return Nothing{};
}

// Begins with the points that the first run hasn't had.
Step<Nothing> Nested::begin_second_run() {
  for (Index num_live = live_.size(); const Index i : by_likelihood()) die(i, num_live--);
  const auto all = static_cast<double>(options_.live_points);
  const double mean = std::max<double>(kLeastLive, all - static_cast<double>(live_.size()));
  plan_ = LivePlan(run_.dead, options_.aim,
                   {.mean = mean,
                    .least = std::min(mean, std::max<double>(kLeastLive, kLeastShare * all)),
                    .most = static_cast<double>(kMostTimes) * all,
                    .num_last = live_.size()});
  run_before_ = std::exchange(run_, {});
  is_first_ = false;
  live_ =
      LivePoints(plan_.at(-kInfinity), space_.dimension(), static_cast<Index>(live_.at.dimension));
  co_await begin_points();
  co_return Nothing{};
}

Step<Nothing> Nested::advance() {
  Rng rng = context.stream(purpose::kTransition, number, num_steps_++);
  const std::vector<Index> order = by_likelihood();
  const Index count = num_dying(order), num_live = live_.size();
  if (count == num_live || numerics::log_sum_exp(std::array{
                               0.0, log_remaining() - sum_.log_evidence()}) < options_.tolerance) {
    if (is_first_)
      co_await begin_second_run();
    else
      finish(rng);
    co_return Nothing{};
  }
  const auto dying = std::span(order).first(static_cast<std::size_t>(count)),
             left = std::span(order).subspan(static_cast<std::size_t>(count));
  const double threshold = live_.log_likelihood(dying.back());
  moves_.shape_by(live_, rng);
  for (Index j = 0; j < count; ++j) die(dying[static_cast<std::size_t>(j)], num_live - j);
  const std::vector<Index> places = places_of_new(dying, ssize(left), threshold);
  if (!places.empty()) {
    co_await replace(places, left, threshold, rng);
    rank(places, left, rng);
    moves_.tune_scale();
  }
  if (ssize(places) < count) live_.remove(dying.subspan(places.size()));
  report_replaced(threshold, count);
  const double first = options_.aim == LiveAim::constant ? 0.0 : kFirstShare,
               share = numerics::exp(
                   -numerics::log_sum_exp(std::array{0.0, log_remaining() - sum_.log_evidence()})),
               whole = is_first_ ? first * share : first + (1.0 - first) * share;
  progress_ = std::max(progress_,
                       static_cast<Index>(whole * static_cast<double>(context.options.num_draws)));
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
  run_.dead.add(live_.log_likelihood(point), num_live);
  run_.positions.insert(run_.positions.end(), position.begin(), position.end());
  run_.priors.push_back(live_.at.log_density(point));
  sum_.add(live_.log_likelihood(point), static_cast<double>(num_live));
}

double Nested::log_remaining() const {
  return sum_.log_mass() + numerics::log_sum_exp(live_.log_likelihoods) -
         numerics::log(static_cast<double>(live_.size()));
}

// Places of the dying, as far as points are to live, and new ones for the rest.
std::vector<Index> Nested::places_of_new(std::span<const Index> dying, Index num_left,
                                         double threshold) {
  std::vector<Index> places(dying.begin(), dying.end());
  if (is_first_ || options_.aim == LiveAim::constant) return places;
  const Index num_new = std::max<Index>(0, plan_.at(threshold) - num_left);
  const Index first_more = live_.size();
  if (num_new > ssize(places)) live_.resize(num_left + num_new);
  places.resize(static_cast<std::size_t>(num_new));
  for (std::size_t k = dying.size(); k < places.size(); ++k)
    places[k] = first_more + static_cast<Index>(k - dying.size());
  return places;
}

// A remaining point in the fold of the place, so that no relative ever shapes its moves; else any remaining one.
Index Nested::origin_of(Index place, std::span<const Index> left, Rng& rng) const {
  std::vector<Index> kin;
  for (const Index i : left)
    if (live_.fold(i) == live_.fold(place)) kin.push_back(i);
  const std::span<const Index> from = kin.empty() ? left : std::span<const Index>(kin);
  return from[static_cast<std::size_t>(rng.index_below(ssize(from)))];
}

Step<Nothing> Nested::replace(std::span<const Index> places, std::span<const Index> left,
                              double threshold, Rng& rng) {
  std::vector<Rng> streams;
  std::vector<Index> origins;
  for (const Index i : places) {
    origins.push_back(origin_of(i, left, rng));
    live_.copy(origins.back(), i);
    streams.push_back(stream(purpose::kWalker, i, num_steps_));
  }
  co_await moves_.move(live_, places, streams, threshold);
  num_new_ += ssize(places);
  for (std::size_t k = 0; k < origins.size(); ++k)
    num_stuck_ += std::ranges::equal(std::as_const(live_).at.position(places[k]),
                                     std::as_const(live_).at.position(origins[k]));
  co_return Nothing{};
}

// The first new point among those that are left, the next among these and the first, …: ranks that are independent of
// each other.
void Nested::rank(std::span<const Index> places, std::span<const Index> left, Rng& rng) {
  std::vector<double> others;
  for (const Index i : left) others.push_back(live_.log_likelihood(i));
  for (const Index i : places) {
    const double value = live_.log_likelihood(i);
    const auto [first, last] = std::equal_range(others.begin(), others.end(), value);
    ranks_.add(first - others.begin(), last - first, ssize(others), rng);
    others.insert(last, value);
  }
}

void Nested::report_replaced(double threshold, Index num_replaced) {
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
  if (run_before_.dead.size() > 0) run_ = merged(run_before_, run_, live_.at.dimension);
  const NestedEvidence found = nested_evidence(run_.dead);
  log_evidence_ = found.log_evidence;
  information_ = found.information;
  error_ = simulated_error(run_.dead, kNumSimulations, rng);
  if (options_.from == PathStart::normal) reach_ = reach_of(found.log_weights);
  hand_out(found, rng);
  done_ = true;
  recorder.done_with(context.options.num_draws);
}

// Largest the absolute mean + 2 standard deviations of a coordinate of the posterior, in standard deviations of the
// normal distribution at which the run begins.
double Nested::reach_of(std::span<const double> log_weights) const {
  double furthest = 0.0;
  const std::size_t n = live_.at.dimension;
  for (std::size_t d = 0; d < n; ++d) {
    double mean = 0.0, square = 0.0;
    for (std::size_t i = 0; i < log_weights.size(); ++i) {
      const double w = numerics::exp(log_weights[i]), x = run_.positions[i * n + d];
      mean += w * x, square += w * x * x;
    }
    const double sd = std::sqrt(std::max(square - mean * mean, 0.0));
    furthest = std::max(furthest, (std::abs(mean) + 2.0 * sd) / options_.reference_sd);
  }
  return furthest;
}

// Hands out as many of the dead points as draws were requested, in random order.
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
    const double log_likelihood = run_.dead.log_likelihoods[point];
    write_columns(NestedInfo{.log_density = run_.priors[point] + log_likelihood,
                             .log_weight = chosen.log_weights[order[k]],
                             .log_likelihood = log_likelihood},
                  recorder.columns());
    recorder.keep(static_cast<Index>(k), 0,
                  std::span<const double>(run_.positions)
                      .subspan(point * live_.at.dimension, live_.at.dimension));
  }
}

void Nested::conclude() {
  // Error for a constant number of live points; the simulated error is right for any number.
  const auto live =
      options_.aim == LiveAim::constant ? static_cast<double>(options_.live_points) : kNaN;
  recorder.result.tuned = {{"log_evidence", {log_evidence_}},
                           {"log_evidence_error", {error_}},
                           {"information", {information_}},
                           {"log_evidence_error_information", {std::sqrt(information_ / live)}},
                           {"num_dead", {static_cast<double>(run_.dead.size())}},
                           {"num_new", {static_cast<double>(num_new_)}},
                           {"num_stuck", {static_cast<double>(num_stuck_)}},
                           {"insertion_p", {ranks_.p_value()}}};
  if (!std::isnan(reach_)) recorder.result.tuned.push_back({"reach", {reach_}});
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
// makes log ξ fall by about s less than is assumed, over the H nats of the way.
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

// Points of the posterior that few draws of the normal distribution come near are reached by climbing alone. All runs
// miss the same points if climbing misses them, and neither their spread nor their ranks show it.
void warn_of_normal(RunResult& result, const NestedOptions& own) {
  if (own.from != PathStart::normal || result.chains.empty()) return;
  constexpr double kFar = 2.0;
  double reach = 0.0;
  for (const ChainResult& chain : result.chains)
    reach = std::max(reach, tuned_value(chain, "reach"));
  result.warnings.push_back(fmt::format(
      "runs begin at a normal distribution with standard deviation {:g} on the unconstrained "
      "scale; all runs may miss the same tails and modes beyond it, and their agreement doesn't "
      "show this. Begin at the prior (--from prior), or compare with another --reference-sd or "
      "with nuts",
      own.reference_sd));
  if (reach > kFar)
    result.warnings.push_back(fmt::format(
        "the draws reach {:.1f} standard deviations of that normal distribution, where few of its "
        "{} points lie: the tails are cut off, and the evidence is too small. Use --reference-sd "
        "{:g} or more",
        reach, own.live_points, std::ceil(2.0 * reach * own.reference_sd / kFar)));
}

// Requirements of the moves on the model.
void require_of_move(const density::LogDensity& path, const density::LogDensity& from,
                     const NestedOptions& own) {
  if (own.move == ConstrainedMove::galilean || own.move == ConstrainedMove::hamiltonian) {
    if (own.in_cube)
      throw Error(ErrorCode::usage, "paths that reflect need gradients, and the unit cube has none",
                  "sampler nested", "leave out --in-cube, or use --move slice");
    if (!path.has_gradient())
      throw Error(ErrorCode::usage, "paths that reflect need the gradient of the density",
                  "sampler nested", "use --move slice");
  }
  if (own.move != ConstrainedMove::ellipsoids) return;
  const Index in_cube = own.in_cube ? from.make_exact_draws()->cube_dimension() : 0;
  if (in_cube == 0)
    throw Error(ErrorCode::usage,
                own.in_cube ? "ellipsoids lie in the unit cube, and this prior has no map from it"
                            : "ellipsoids lie in the unit cube, where the prior is uniform",
                "sampler nested", own.in_cube ? "use --move slice" : "add --in-cube true");
  const double share = own.aim == LiveAim::constant ? 1.0 : kLeastShare;
  const auto least = static_cast<Index>(
      std::ceil(static_cast<double>(BoundingEllipsoids::least_points(in_cube)) / share));
  if (own.live_points < least)
    throw Error(ErrorCode::usage,
                fmt::format("{} live points are too few for an ellipsoid of {} dimensions",
                            own.live_points, in_cube),
                "sampler nested", fmt::format("--live-points {}, or --move slice", least));
}

RunResult run_nested(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  const auto own = options_for<NestedOptions>(options.kernel, options.sampler);
  validate(own);
  require_continuous(density, "nested sampling");
  require_no_metric(options);
  const auto from = start_of_path(density, own.from, own.reference_sd, options.sampler);
  const density::PathDensity path(*from, density);
  require_of_move(path, *from, own);
  RunContext context(path, options, 1, sink);
  const auto make = [&](Index number) {
    return std::make_unique<Nested>(context, number, own, *from);
  };
  RunResult result = run_populations<NestedInfo>(context, steps(), make);
  result.evidence_is_normalised = own.from == PathStart::prior;
  if (!result.interrupted)
    warn_of_ranks(result), warn_of_copies(result), warn_of_normal(result, own);
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
