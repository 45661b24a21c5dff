// Parallel tempering [swendsen1986; syed2022]: replicas on a ladder from a reference to the target,
// each moved by a kernel of its own, neighbours exchanged. The draws are those of the target's
// rung.
//
// It also yields the log evidence by stepping stones [xie2011], where the target's log
// density keeps its constants.
#pragma once
#include "infer/compose/compose.hpp"
#include "infer/core/population.hpp"
#include "infer/ensemble/tempered.hpp"

namespace credo::infer {

enum class SwapOrder { non_reversible, reversible };
inline constexpr std::array<std::string_view, 2> kSwapOrderNames = {"non_reversible", "reversible"};
inline constexpr std::span<const std::string_view> enum_names(SwapOrder) { return kSwapOrderNames; }

struct TemperingOptions {
  Index num_rungs = 10;
  SwapOrder swaps = SwapOrder::non_reversible;
  std::string explorer = "slice";
  double reference_sd = 5.0;
  std::shared_ptr<const Reference> reference = nullptr;  // in its place
  KernelMaker explorer_kernel = nullptr;                 // in the place of the named one

  static void describe(auto& self, auto&& field) {
    field(self.num_rungs, FieldSpec{.name = "num_rungs",
                                    .help = "temperatures, reference and target included",
                                    .range = {.lo = 2.0, .hi = 1e4}});
    field(self.swaps,
          FieldSpec{.name = "swaps", .help = "order in which neighbours are exchanged"});
    field(self.explorer, FieldSpec{.name = "explorer",
                                   .help = "sampler that moves the replicas between exchanges"});
    field(self.reference_sd,
          FieldSpec{.name = "reference_sd",
                    .help = "standard deviation of the reference, unconstrained space; wide enough "
                            "to hold all modes",
                    .range = positive()});
  }
};

struct TemperingInfo {
  double log_density = 0.0;
  double swap_stat = 0.0;  // mean probability of the exchanges that were tried
  Index num_round_trips = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.swap_stat, FieldSpec{.name = "swap_stat",
                                    .help = "mean probability of the exchanges tried",
                                    .range = {.lo = 0.0, .hi = 1.0}});
    field(self.num_round_trips, FieldSpec{.name = "num_round_trips",
                                          .help = "travels from reference to target and back that "
                                                  "ended here",
                                          .range = at_least(0)});
  }
};

// Replica k lives on rung k. Plain data.
struct TemperedState {
  std::vector<PointState> replicas;       // log densities on their rungs
  std::vector<double> target, reference;  // log densities of the two ends, at the replicas
  std::vector<Index> names, last_ends;    // of the replicas by rung; the end each name saw last
  Index parity = 0;                       // of the pairs that are tried next

  Index num_points() const { return ssize(replicas); }
  void set(Index k, const PointState& point);
  static void saved(auto& self, auto&& field) {
    field(self.replicas);
    field(self.target);
    field(self.reference);
    field(self.names);
    field(self.last_ends);
    field(self.parity);
  }
};

struct TemperingSettings {
  std::vector<double> ladder;  // inverse temperatures, 0 first, 1 last

  static void saved(auto& self, auto&& field) { field(self.ladder); }
};
void report_settings(const TemperingSettings& settings, ChainResult& result);

// Rejections of neighbours, and weights of the stepping stones in batches.
class LadderStatistics {
 public:
  explicit LadderStatistics(Index num_rungs);
  void restart(Index batch_length);
  void add_swap(Index rung, double accept_prob);
  // Adds one transition: log weights (β' - β) (log p - log q) for all steps of the ladder.
  void add_weights(std::span<const double> log_weights);

  std::vector<double> rejections() const;  // mean, by neighbours
  struct Evidence {
    double log_evidence, error;  // error: standard error from batches
  };
  Evidence evidence() const;
  static void saved(auto& self, auto&& field) {
    field(self.batch_length_);
    field(self.in_batch_);
    field(self.rejected_);
    field(self.tried_);
    field(self.batches_);
    field(self.open_);
  }

 private:
  std::size_t num_steps_;
  Index batch_length_ = 1, in_batch_ = 0;
  std::vector<double> rejected_, tried_;
  std::vector<double> batches_;  // log of the mean weight, step by step within a batch
  std::vector<double> open_;     // log of the sum, of the batch under way
};

// A ladder on which neighbours are rejected equally often, from the rejections of another: equal
// steps of the communication barrier Λ(β), linear between the old rungs [syed2022, alg. 2].
std::vector<double> equal_rejection_ladder(std::span<const double> ladder,
                                           std::span<const double> rejections);

// Leaves the product of the densities on the ladder invariant.
class Tempering final : public PooledKernel {
 public:
  using Options = TemperingOptions;
  using State = TemperedState;
  using Info = TemperingInfo;
  static constexpr bool kNeedsGradient = false;
  static Index num_walkers(const TemperingOptions&, Index) { return 1; }

  Tempering(const TemperingOptions& options, Index dimension);
  void make_explorers(const SampleOptions& run);
  TemperedState make_state() const;
  Step<TemperingInfo> step(TemperedState& state, Rng& rng);
  void conclude(ChainResult& result) const;

  TemperingInfo walker_info(const TemperedState&, const TemperingInfo& info, Index) const {
    return info;
  }
  static std::span<const double> walker_position(const TemperedState& state, Index) {
    return state.replicas.back().position;
  }

  // Warm-up.
  Step<Nothing> search(TemperedState& state, Rng& rng);
  bool learn();
  void tune_ladder(TemperedState& state);
  void finish();
  static void saved(auto& self, auto&& field) {
    field(self.explorers_);
    field(self.statistics_);
    field(self.searched_);
    field(self.num_done_);
  }

  TemperingOptions options;
  TemperingSettings settings;

 private:
  Step<Nothing> explore(TemperedState& state, Rng& rng);
  Step<Nothing> look(TemperedState& state);
  void exchange(TemperedState& state, Rng& rng, TemperingInfo& info);
  void swap_replicas(TemperedState& state, std::size_t k) const;
  void set_rungs(TemperedState& state) const;
  void note_ends(TemperedState& state, TemperingInfo& info) const;
  void weigh(const TemperedState& state);
  double beta(std::size_t k) const { return settings.ladder[k]; }

  Index dimension_;
  std::vector<std::unique_ptr<TransitionKernel>> explorers_;  // kernels of rungs 1 …
  std::vector<Rng> streams_;
  StepTeam<PartInfo> team_;
  StepTeam<Nothing> searches_;
  LadderStatistics statistics_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> batch_;
  std::vector<double> log_weights_;
  std::vector<bool> wants_search_;
  bool searched_ = false;
  Index num_done_ = 0, num_warmup_ = 0, batch_length_ = 1;  // statistics are those of the draws
};

class TemperingAdaptation {
 public:
  TemperingAdaptation(const SampleOptions& options, Tempering& kernel);
  bool learn(Index iteration, const TemperingInfo&, TemperedState& state, Tempering& kernel);
  Step<Nothing> search(Tempering& kernel, TemperedState& state, Rng rng);
  void finish(Tempering& kernel) const { kernel.finish(); }
  static void saved(auto& self, auto&& field) { field(self.round_end_); }

 private:
  Index num_warmup_, round_end_;
};

}  // namespace credo::infer
