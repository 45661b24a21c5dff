// Reversible-jump Markov chain Monte Carlo [green1995]: chains over the models of a family and
// their parameters.
//
//   Family family({{.name = "A", .density = a, .update = kernel("nuts")}, {…}});
//   Jumps jumps(family, {{.name = "birth", .back_name = "death", .from = 0, .to = 1, …}});
//   StoredDraws store;
//   run(jumps, {.num_chains = 4, .num_draws = 10000}, store);
//   const Visits visits = visits_of(store.draws, family.num_models());
//
// A draw is (m, x_m, zeros). Each transition chooses one of the moves of the present model or, with
// the probability they leave, its update, any kernel of the frame with a warm-up of its own for
// each model. Adaptation of a model's update continues while the chain is there, so that models that
// warm-up hardly visits are updated with settings that hardly moved.
#pragma once
#include "density/draws.hpp"
#include "infer/compose/compose.hpp"
#include "infer/jumps/jump.hpp"

namespace credo::infer::rj {

struct JumpOptions {
  const Jumps* jumps = nullptr;
  SampleOptions run = {};

  static void describe(auto&, auto&&) {}  // jumps have no text
};

struct JumpInfo {
  double log_density = 0.0;
  double accept_stat = 0.0;
  Index model = 0;  // after the transition
  Index move = -1;  // 2 j, or 2 j + 1 back, of jump j; -1: an update
  bool accepted = false;
  bool irreversible = false;
  Index num_evaluations = 0;
  Index num_divergent = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.model,
          FieldSpec{.name = "model", .help = "number of the model", .range = at_least(0)});
    field(self.move,
          FieldSpec{.name = "move", .help = "2 j, or 2 j + 1 back, of jump j; -1: an update"});
    field(self.accepted, FieldSpec{.name = "accepted", .help = "1 if a jump was accepted"});
    field(self.irreversible,
          FieldSpec{.name = "irreversible",
                    .help = "1 if a jump was refused because its map doesn't lead back"});
    field(self.num_evaluations, kEvaluationsColumn);
    field(
        self.num_divergent,
        FieldSpec{.name = "num_divergent", .help = "divergent trajectories", .range = at_least(0)});
  }
};
inline constexpr Index kModelColumn = 2, kMoveColumn = 3, kAcceptStatColumn = 1;

// Leaves the joint distribution of model and parameters invariant for any jumps.
class ReversibleJump final : public PooledKernel {
 public:
  using Options = JumpOptions;
  using State = PointState;
  using Info = JumpInfo;
  static constexpr bool kNeedsGradient = false;  // updates ask for theirs

  ReversibleJump(const JumpOptions& options, Index dimension);
  Step<JumpInfo> step(PointState& current, Rng& rng);

  // Warm-up of the present model's update.
  bool learn(const PointState& state);
  Step<Nothing> search(PointState& state, Rng rng);
  void finish();
  void conclude(ChainResult& result) const;
  static void saved(auto& self, auto&& field) {
    field(self.updates_);
    field(self.searched_);
  }

  Options options;
  NoSettings settings;

 private:
  TransitionKernel* update_of(const PointState& state) const;
  JumpInfo after_update(const PointState& current, const PartInfo& part) const;
  JumpInfo refused(const PointState& current, const Move& move, const JumpTerms& terms) const;

  std::vector<std::unique_ptr<TransitionKernel>> updates_;  // by model; null: none
  std::vector<bool> searched_;
  bool updated_ = false;  // the last transition was an update
  Proposer proposer_;
  std::vector<double> candidate_;
};

// Like run_chains; the sampler and its options in `options` are ignored. Chains for which no
// initial point is given start in model 0, 1, … by turns, at drawn coordinates. Checks the jumps
// first (Jumps::check) and throws what that throws.
RunResult run(const Jumps& jumps, const SampleOptions& options, DrawSink& sink);

// ---- what the draws say about the models ----

// Posterior probabilities of the models: share of the draws of all chains, with its standard error
// from the autocorrelation of the chain's visits; NaN where every draw is, or none is, in the
// model.
struct Visits {
  std::vector<double> probability, mcse;
};
Visits visits_of(const density::Draws& draws, Index num_models);

// log of the number of visits to b over that to a, and its standard error, from the autocorrelation
// of (1_b / p_b - 1_a / p_a). With equal log_prior it is the log Bayes factor.
struct LogOdds {
  double value, mcse;
};
LogOdds log_odds(const density::Draws& draws, Index a, Index b);

// Mean acceptance of each move in the draws, NaN where it was never tried: 2 j, 2 j + 1 back.
std::vector<double> acceptance_of(const density::Draws& info, Index num_jumps);

}  // namespace credo::infer::rj
