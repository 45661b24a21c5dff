// Ensembles: walkers that propose from each other's places [goodman2010; foreman2013].
//
// The walkers are dealt into two halves; each half moves by the positions in the other, all its
// proposals evaluated in one batch. The population as a whole is a Markov chain whose distribution is the
// product of the target with itself. Each walker is a chain of draws.
//
// Cautions of the literature. The walkers must outnumber twice the dimension, or they stay in a
// subspace. In more than some twenty dimensions the stretch move may look converged where it isn't
// [huijser2022]; take hmc or nuts. Autocorrelation times are long and their estimates unstable:
// rely on them if a run has fifty times their length [foreman2013, sec. 4].
#pragma once
#include "infer/core/population.hpp"
#include "infer/core/sample.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

enum class EnsembleMove { stretch, walk, differential_evolution, snooker };
inline constexpr std::array<std::string_view, 4> kEnsembleMoveNames = {
    "stretch", "walk", "differential_evolution", "snooker"};
inline constexpr std::span<const std::string_view> enum_names(EnsembleMove) {
  return kEnsembleMoveNames;
}

inline constexpr FieldSpec kNumWalkersField{
    .name = "num_walkers",
    .help =
        "walkers of an ensemble, an even number; 0: two more than twice the dimension, at "
        "least 16",
    .range = at_least(0)};

struct EnsembleOptions {
  Index num_walkers = 0;
  EnsembleMove move = EnsembleMove::stretch;
  double stretch = 2.0;
  Index num_partners = 3;
  double gamma = 0.0;
  double noise = 1e-5;
  double jump_share = 0.1;

  static void describe(auto& self, auto&& field) {
    field(self.num_walkers, kNumWalkersField);
    field(self.move, FieldSpec{.name = "move", .help = "how walkers propose"});
    field(self.stretch, FieldSpec{.name = "stretch",
                                  .help = "largest factor of a stretch, a",
                                  .range = {.lo = 1.0, .lo_open = true, .hi_open = true}});
    field(self.num_partners, FieldSpec{.name = "num_partners",
                                       .help = "walkers whose spread a walk move follows",
                                       .range = at_least(2)});
    field(self.gamma,
          FieldSpec{.name = "gamma",
                    .help = "factor of a difference; 0: 2.38 / sqrt(2 dimension), snooker 1.7",
                    .range = {.lo = 0.0, .hi_open = true}});
    field(self.noise,
          FieldSpec{.name = "noise",
                    .help = "standard deviation of the noise that is added to a difference",
                    .range = {.lo = 0.0, .hi_open = true}});
    field(self.jump_share, FieldSpec{.name = "jump_share",
                                     .help = "share of differential evolution with factor 1, which "
                                             "jumps between modes",
                                     .range = {.lo = 0.0, .hi = 1.0}});
  }
};

struct EnsembleInfo {
  double log_density = 0.0;  // at the walker
  double accept_stat = 0.0;  // of the walker's last proposal
  bool accepted = false;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.accepted, kAcceptedColumn);
  }
};

// The number in the options, or one from the dimension. Throws Error(usage) for an odd number or fewer than twice the
// dimension.
Index number_of_walkers(Index given, Index dimension);
// Throws Error(usage) where all walkers are at one point, from which none of them could move.
void check_apart(const PopulationState& walkers);
// Warnings of the literature for this dimension.
std::vector<std::string> ensemble_warnings(Index num_walkers, Index dimension);

// Leaves the product of the target with itself invariant.
class Ensemble final : public PooledKernel {
 public:
  using Options = EnsembleOptions;
  using State = PopulationState;
  using Info = EnsembleInfo;
  static constexpr bool kNeedsGradient = false;
  static Index num_walkers(const EnsembleOptions& options, Index dimension) {
    return number_of_walkers(options.num_walkers, dimension);
  }
  static std::vector<std::string> warnings(const EnsembleOptions& options, Index dimension) {
    return ensemble_warnings(num_walkers(options, dimension), dimension);
  }

  Ensemble(const EnsembleOptions& options, Index dimension);
  PopulationState make_state() const { return {count_, dimension_}; }
  void init(const PopulationState& walkers, Rng&) const { check_apart(walkers); }
  Step<EnsembleInfo> step(PopulationState& walkers, Rng& rng);

  EnsembleInfo walker_info(const PopulationState& walkers, const EnsembleInfo&, Index w) const;
  static std::span<const double> walker_position(const PopulationState& walkers, Index w) {
    return walkers.position(w);
  }

  EnsembleOptions options;
  NoSettings settings;

 private:
  struct Half {
    Index first, count, other;  // `other`: first walker of the second half
  };
  void propose(const PopulationState& walkers, const Half& half, Index w, Rng& rng);
  double stretch(const PopulationState& walkers, const Half& half, Index w, Rng& rng);
  double walk(const PopulationState& walkers, const Half& half, Index w, Rng& rng);
  double differ(const PopulationState& walkers, const Half& half, Index w, Rng& rng);
  double snooker(const PopulationState& walkers, const Half& half, Index w, Rng& rng);
  void weigh(const PopulationState& walkers, const Half& half);
  void decide(PopulationState& walkers, Index w, Rng& rng);

  Index count_, dimension_;
  Candidates candidates_;
  // Values of the proposals, one a walker. Moves return the factor whose power D - 1 is in the ratio.
  std::vector<double> factors_, accept_probs_;
  std::vector<bool> accepted_;
  std::vector<double> centre_;
};

// ---- parts that other population kernels use ----

// Two different places of 0 … count - 1, uniformly.
std::pair<Index, Index> two_of(Index count, Rng& rng);
// x' = x + γ · (projection of a - b on x - z) [terbraak2008]; returns (D - 1) log |x' - z| / |x -
// z|.
struct SnookerPartners {
  std::span<const double> z, a, b;
};
double snooker_move(std::span<const double> x, const SnookerPartners& partners, double gamma,
                    std::span<double> to);

}  // namespace credo::infer
