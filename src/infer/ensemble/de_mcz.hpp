// Differential evolution from an archive of past states: DE-MCz [terbraak2008]. Warm-up fills the
// archive; then it is frozen, so that the draws are those of a Markov chain.
#pragma once
#include "infer/ensemble/ensemble.hpp"

namespace credo::infer {

struct DeMczOptions {
  Index num_walkers = 3;
  Index thin_archive = 10;
  double snooker_share = 0.1;
  double jump_share = 0.1;
  double noise = 1e-5;

  static void describe(auto& self, auto&& field) {
    field(self.num_walkers, FieldSpec{.name = "num_walkers",
                                      .help = "walkers that share an archive",
                                      .range = at_least(1)});
    field(self.thin_archive, FieldSpec{.name = "thin_archive",
                                       .help = "warm-up transitions between two entries",
                                       .range = at_least(1)});
    field(self.snooker_share, FieldSpec{.name = "snooker_share",
                                        .help = "share of snooker moves",
                                        .range = {.lo = 0.0, .hi = 1.0}});
    field(self.jump_share, FieldSpec{.name = "jump_share",
                                     .help = "share of differences with factor 1",
                                     .range = {.lo = 0.0, .hi = 1.0}});
    field(self.noise,
          FieldSpec{.name = "noise",
                    .help = "standard deviation of the noise that is added to a difference",
                    .range = {.lo = 0.0, .hi_open = true}});
  }
};

struct DeMczSettings {
  std::vector<double> archive;  // position by position
  std::size_t dimension = 0;
  Index size() const { return dimension == 0 ? 0 : ssize(archive) / static_cast<Index>(dimension); }
  std::span<const double> entry(Index i) const {
    return std::span(archive).subspan(static_cast<std::size_t>(i) * dimension, dimension);
  }
  static void saved(auto& self, auto&& field) {
    field(self.archive);
    field(self.dimension);
  }
};
void report_settings(const DeMczSettings& settings, ChainResult& result);

// Leaves the product of the target with itself invariant, for every archive.
class DeMcz final : public PooledKernel {
 public:
  using Options = DeMczOptions;
  using State = PopulationState;
  using Info = EnsembleInfo;
  static constexpr bool kNeedsGradient = false;
  static Index num_walkers(const DeMczOptions& options, Index) { return options.num_walkers; }

  DeMcz(const DeMczOptions& options, Index dimension);
  // The walkers, and as many points again as the first archive takes.
  PopulationState make_state() const;
  void init(PopulationState& state, Rng& rng);
  Step<EnsembleInfo> step(PopulationState& walkers, Rng& rng);

  EnsembleInfo walker_info(const PopulationState& walkers, const EnsembleInfo&, Index w) const;
  static std::span<const double> walker_position(const PopulationState& walkers, Index w) {
    return walkers.position(w);
  }

  DeMczOptions options;
  DeMczSettings settings;

 private:
  double propose(std::span<const double> x, std::span<double> to, Rng& rng);

  double gamma_;
  Candidates candidates_;
  std::vector<double> log_ratios_, accept_probs_;
  std::vector<bool> accepted_;
};

class ArchiveAdaptation {
 public:
  ArchiveAdaptation(const SampleOptions&, const DeMcz&) {}
  bool learn(Index iteration, const EnsembleInfo&, const PopulationState& walkers, DeMcz& kernel);
  // The first half of the entries, from before the walkers found their places, is dropped.
  void finish(DeMcz& kernel) const;
  static void saved(auto&, auto&&) {}
};

}  // namespace credo::infer
