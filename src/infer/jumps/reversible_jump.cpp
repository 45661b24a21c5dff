#include "infer/jumps/reversible_jump.hpp"

#include <fmt/format.h>

#include "diagnose/convergence.hpp"
#include "infer/core/chain.hpp"
#include "infer/mcmc/walk/metropolis.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer::rj {
namespace {
constexpr Index kCheckPoints = 8;

Index model_at(std::span<const double> position) { return static_cast<Index>(position[0]); }
Index number_of(const Move& move) { return 2 * move.jump + (move.there ? 0 : 1); }
}  // namespace

// Algorithm 17 of [murphy2023]: one of the moves, else an update within the model.
Step<JumpInfo> ReversibleJump::step(PointState& current, Rng& rng) {
  const std::optional<Move> move = proposer_.choose(model_at(current.position), rng);
  updated_ = !move;
  if (!move) {
    PartInfo part;
    if (TransitionKernel* const update = update_of(current))
      part = co_await update->step(current, rng);
    co_return after_update(current, part);
  }
  const JumpTerms terms = proposer_.propose(*move, current.position, candidate_, rng);
  JumpInfo info = refused(current, *move, terms);
  if (terms.irreversible || !(terms.sum() > -kInfinity)) co_return info;
  const double log_density = (co_await evaluate(std::span<const double>(candidate_))).log_density;
  const MetropolisInfo decided = decide(current, candidate_, log_density,
                                        log_density - current.log_density + terms.sum(), rng);
  info.log_density = decided.log_density;
  info.accept_stat = decided.accept_stat;
  info.accepted = decided.accepted;
  info.model = model_at(current.position);
  info.num_evaluations = 1;
  co_return info;
}

ReversibleJump::ReversibleJump(const JumpOptions& options_, Index dimension)
    : options(options_),
      proposer_(*options.jumps),
      candidate_(static_cast<std::size_t>(dimension)) {
  const Family& family = options.jumps->family();
  for (Index m = 0; m < family.num_models(); ++m) {
    const std::vector<Index> coordinates = family.coordinates_of(m);
    std::unique_ptr<TransitionKernel> update;
    if (family.model(m).update && !coordinates.empty())
      update = family.model(m).update({.run = options.run,
                                       .dimension = dimension,
                                       .coordinates = coordinates,
                                       .share = options.jumps->update_probability(m)});
    updates_.push_back(std::move(update));
  }
  searched_.resize(updates_.size());
}

TransitionKernel* ReversibleJump::update_of(const PointState& state) const {
  return updates_[static_cast<std::size_t>(model_at(state.position))].get();
}

JumpInfo ReversibleJump::after_update(const PointState& current, const PartInfo& part) const {
  return {.log_density = current.log_density,
          .accept_stat = part.num_decisions > 0
                             ? part.accept_sum / static_cast<double>(part.num_decisions)
                             : 1.0,
          .model = model_at(current.position),
          .num_evaluations = part.num_evaluations,
          .num_divergent = part.num_divergent};
}

JumpInfo ReversibleJump::refused(const PointState& current, const Move& move,
                                 const JumpTerms& terms) const {
  return {.log_density = current.log_density,
          .model = model_at(current.position),
          .move = number_of(move),
          .irreversible = terms.irreversible};
}

// ---- warm-up ----

// True also when the chain is in a model for the first time: then its settings are searched for.
bool ReversibleJump::learn(const PointState& state) {
  TransitionKernel* const update = update_of(state);
  if (!update) return false;
  const bool wants = updated_ && update->learn();
  return wants || !searched_[static_cast<std::size_t>(model_at(state.position))];
}

Step<Nothing> ReversibleJump::search(PointState& state, Rng rng) {
  searched_[static_cast<std::size_t>(model_at(state.position))] = true;
  if (TransitionKernel* const update = update_of(state)) co_await update->search(state, rng);
  co_return Nothing{};
}

void ReversibleJump::finish() {
  for (const auto& update : updates_)
    if (update) update->finish();
}

void ReversibleJump::conclude(ChainResult& result) const {
  for (const auto& update : updates_)
    if (update) update->report_tuned(result);
}

namespace {
class JumpAdaptation {
 public:
  JumpAdaptation(const SampleOptions&, const ReversibleJump&) {}
  bool learn(Index, const JumpInfo&, const PointState& state, ReversibleJump& kernel) {
    return kernel.learn(state);
  }
  Step<Nothing> search(ReversibleJump& kernel, PointState& state, Rng rng) {
    return kernel.search(state, rng);
  }
  void finish(ReversibleJump& kernel) const { kernel.finish(); }
  static void saved(auto&, auto&&) {}
};

// Chains start in different models, at coordinates to be drawn, with zeros behind them.
std::vector<std::vector<double>> spread_starts(const Family& family, const SampleOptions& options) {
  std::vector<std::vector<double>> starts;
  for (Index c = 0; c < options.num_chains; ++c) {
    const Index m = (options.first_chain + c) % family.num_models();
    std::vector<double> start(static_cast<std::size_t>(family.dimension()), 0.0);
    start[0] = static_cast<double>(m);
    std::fill_n(start.begin() + 1, family.dimension_of(m), kNaN);
    starts.push_back(std::move(start));
  }
  return starts;
}

void check_starts(const Family& family, const SampleOptions& options) {
  for (const std::vector<double>& start : options.init)
    if (start.empty() || model_of(family, start) < 0)
      throw Error(ErrorCode::usage,
                  fmt::format("an initial point must begin with the number of a model below {}",
                              family.num_models()),
                  "init");
}
}  // namespace

RunResult run(const Jumps& jumps, const SampleOptions& options, DrawSink& sink) {
  const Family& family = jumps.family();
  check_starts(family, options);
  jumps.check(kCheckPoints, options.seed);
  SampleOptions started = options;
  if (started.init.empty()) started.init = spread_starts(family, options);
  RunResult result = run_sampler<ReversibleJump, JumpAdaptation>(
      family, started, {.jumps = &jumps, .run = options}, sink);
  result.sampler = "reversible_jump";
  return result;
}

// ---- what the draws say about the models ----

namespace {
// Series of f(model) for each draw, chain by chain.
template <class Function>
std::vector<double> series_of(const density::Draws& draws, const Function& function) {
  std::vector<double> series;
  for (const double m : draws.quantity(0)) series.push_back(function(static_cast<Index>(m)));
  return series;
}

double mcse(const density::Draws& draws, std::span<const double> series) {
  return diagnose::mcse_mean({series, draws.num_draws(), draws.num_chains()});
}
}  // namespace

Visits visits_of(const density::Draws& draws, Index num_models) {
  Visits visits;
  for (Index m = 0; m < num_models; ++m) {
    const std::vector<double> inside =
        series_of(draws, [m](Index model) { return model == m ? 1.0 : 0.0; });
    visits.probability.push_back(diagnose::mean(inside));
    visits.mcse.push_back(mcse(draws, inside));
  }
  return visits;
}

LogOdds log_odds(const density::Draws& draws, Index a, Index b) {
  const auto share = [&](Index m) {
    return diagnose::mean(series_of(draws, [m](Index model) { return model == m ? 1.0 : 0.0; }));
  };
  const double p_a = share(a), p_b = share(b);
  const std::vector<double> influence = series_of(draws, [=](Index model) {
    return (model == b ? 1.0 / p_b : 0.0) - (model == a ? 1.0 / p_a : 0.0);
  });
  return {numerics::log(p_b / p_a), mcse(draws, influence)};
}

std::vector<double> acceptance_of(const density::Draws& info, Index num_jumps) {
  std::vector<double> sum(static_cast<std::size_t>(2 * num_jumps)), count(sum.size());
  const std::span<const double> moves = info.quantity(kMoveColumn),
                                accept = info.quantity(kAcceptStatColumn);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (moves[i] < 0.0) continue;
    sum[static_cast<std::size_t>(moves[i])] += accept[i];
    count[static_cast<std::size_t>(moves[i])] += 1.0;
  }
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] /= count[k];
  return sum;
}

}  // namespace credo::infer::rj
