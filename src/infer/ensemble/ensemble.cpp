// Moves of walker x by walkers of the other half; each leaves the target invariant given those.
//
//   stretch       x' = y + z (x - y), z ∝ 1/sqrt(z) on [1/a, a]; ratio z^(D-1)  [goodman2010, eq. 7]
//   walk          x' = x + Σ_j z_j (x_j - mean), z ~ N(0, 1), j in a few        [goodman2010, eq. 11]
//   differential  x' = x + γ (x_a - x_b) + noise                                [terbraak2006]
//   snooker       x' on the line through x and z; ratio (|x' - z| / |x - z|)^(D-1)  [terbraak2008]
#include "infer/ensemble/ensemble.hpp"

#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {

Step<EnsembleInfo> Ensemble::step(PopulationState& walkers, Rng& rng) {
  const Index half_count = count_ / 2;
  for (const Half half : {Half{0, half_count, half_count}, Half{half_count, half_count, 0}}) {
    for (Index w = half.first; w < half.first + half.count; ++w) propose(walkers, half, w, rng);
    co_await candidates_.evaluate(half.first, half.count);
    weigh(walkers, half);
    for (Index w = half.first; w < half.first + half.count; ++w) decide(walkers, w, rng);
  }
  co_return EnsembleInfo{};
}

Ensemble::Ensemble(const EnsembleOptions& options_, Index dimension)
    : options(options_),
      count_(number_of_walkers(options_.num_walkers, dimension)),
      dimension_(dimension),
      candidates_(count_, dimension),
      factors_(static_cast<std::size_t>(count_)),
      accept_probs_(factors_.size()),
      accepted_(factors_.size()),
      centre_(static_cast<std::size_t>(dimension)) {
  if (options.gamma == 0.0)
    options.gamma =
        options.move == EnsembleMove::snooker
            ? 1.7
            : 2.38 / std::sqrt(2.0 * static_cast<double>(std::max<Index>(dimension, 1)));
  if (options.num_partners > count_ / 2)
    throw Error(ErrorCode::usage,
                fmt::format("{} partners of {} walkers", options.num_partners, count_ / 2),
                "num_partners", "give fewer, or more walkers");
}

void Ensemble::propose(const PopulationState& walkers, const Half& half, Index w, Rng& rng) {
  using Move = double (Ensemble::*)(const PopulationState&, const Half&, Index, Rng&);
  constexpr std::array<Move, 4> moves = {&Ensemble::stretch, &Ensemble::walk, &Ensemble::differ,
                                         &Ensemble::snooker};
  factors_[static_cast<std::size_t>(w)] =
      (this->*moves[static_cast<std::size_t>(options.move)])(walkers, half, w, rng);
}

// z by inversion: ((a - 1) u + 1)² / a.
double Ensemble::stretch(const PopulationState& walkers, const Half& half, Index w, Rng& rng) {
  const std::span<const double> x = walkers.position(w),
                                y = walkers.position(half.other + rng.index_below(half.count));
  const std::span<double> to = candidates_.position(w);
  const double root = (options.stretch - 1.0) * rng.uniform() + 1.0;
  const double z = root * root / options.stretch;
  for (std::size_t d = 0; d < to.size(); ++d) to[d] = y[d] + z * (x[d] - y[d]);
  return z;
}

// Partners next to each other in a half, from a random first one: as good as any by
// exchangeability.
double Ensemble::walk(const PopulationState& walkers, const Half& half, Index w, Rng& rng) {
  const std::span<const double> x = walkers.position(w);
  const std::span<double> to = candidates_.position(w);
  const Index first = rng.index_below(half.count);
  const auto partner = [&](Index j) {
    return walkers.position(half.other + (first + j) % half.count);
  };
  std::fill(centre_.begin(), centre_.end(), 0.0);
  for (Index j = 0; j < options.num_partners; ++j)
    for (std::size_t d = 0; d < to.size(); ++d)
      centre_[d] += partner(j)[d] / static_cast<double>(options.num_partners);
  std::copy(x.begin(), x.end(), to.begin());
  for (Index j = 0; j < options.num_partners; ++j) {
    const double z = rng.normal();
    for (std::size_t d = 0; d < to.size(); ++d) to[d] += z * (partner(j)[d] - centre_[d]);
  }
  return 1.0;
}

double Ensemble::differ(const PopulationState& walkers, const Half& half, Index w, Rng& rng) {
  const auto [first, second] = two_of(half.count, rng);
  const std::span<const double> x = walkers.position(w), a = walkers.position(half.other + first),
                                b = walkers.position(half.other + second);
  const std::span<double> to = candidates_.position(w);
  const double gamma = rng.uniform() < options.jump_share ? 1.0 : options.gamma;
  for (std::size_t d = 0; d < to.size(); ++d) {
    to[d] = x[d] + gamma * (a[d] - b[d]);
    if (options.noise > 0.0) to[d] += options.noise * rng.normal();
  }
  return 1.0;
}

double Ensemble::snooker(const PopulationState& walkers, const Half& half, Index w, Rng& rng) {
  const auto [first, second] = two_of(half.count, rng);
  Index third = rng.index_below(half.count - 2);  // neither of the two
  if (third >= std::min(first, second)) ++third;
  if (third >= std::max(first, second)) ++third;
  return snooker_move(walkers.position(w),
                      {.z = walkers.position(half.other + third),
                       .a = walkers.position(half.other + first),
                       .b = walkers.position(half.other + second)},
                      options.gamma, candidates_.position(w));
}

// Acceptance probabilities min(1, factor^(D-1) π(x') / π(x)) for one half, with the logarithms and
// exponentials of all at once.
void Ensemble::weigh(const PopulationState& walkers, const Half& half) {
  const auto first = static_cast<std::size_t>(half.first),
             count = static_cast<std::size_t>(half.count);
  double* const factors = factors_.data() + first;
  double* const probs = accept_probs_.data() + first;
  numerics::function(numerics::Unary::log).array(factors, factors, count);
  const double power = static_cast<double>(dimension_) - 1.0;
  for (std::size_t i = 0; i < count; ++i) {
    const Index w = half.first + static_cast<Index>(i);
    const double log_ratio =
        candidates_.log_density(w) - walkers.log_density(w) + power * factors[i];
    probs[i] = log_ratio >= 0.0 ? 0.0 : std::isnan(log_ratio) ? -kInfinity : log_ratio;
  }
  numerics::function(numerics::Unary::exp).array(probs, probs, count);
}

void Ensemble::decide(PopulationState& walkers, Index w, Rng& rng) {
  const auto i = static_cast<std::size_t>(w);
  accepted_[i] = rng.uniform() < accept_probs_[i];
  if (!accepted_[i]) return;
  const std::span<const double> candidate = candidates_.position(w);
  std::copy(candidate.begin(), candidate.end(), walkers.position(w).begin());
  walkers.log_density(w) = candidates_.log_density(w);
}

EnsembleInfo Ensemble::walker_info(const PopulationState& walkers, const EnsembleInfo&,
                                   Index w) const {
  const auto i = static_cast<std::size_t>(w);
  return {.log_density = walkers.log_density(w),
          .accept_stat = accept_probs_[i],
          .accepted = accepted_[i]};
}

std::pair<Index, Index> two_of(Index count, Rng& rng) {
  const Index first = rng.index_below(count), second = rng.index_below(count - 1);
  return {first, second + (second >= first ? 1 : 0)};
}

double snooker_move(std::span<const double> x, const SnookerPartners& partners, double gamma,
                    std::span<double> to) {
  double square = 0.0, along = 0.0;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const double off = x[d] - partners.z[d];
    square += off * off;
    along += off * (partners.a[d] - partners.b[d]);
  }
  const double move = square > 0.0 ? gamma * along / square : 0.0;  // no line through x = z: stays
  const double factor = 1.0 + move;                                 // of x - z
  for (std::size_t d = 0; d < x.size(); ++d)
    to[d] = partners.z[d] + factor * (x[d] - partners.z[d]);
  return std::fabs(factor);
}

Index number_of_walkers(Index given, Index dimension) {
  if (given == 0) return std::max<Index>(16, 2 * dimension + 2);
  if (given % 2 == 0 && given >= std::max<Index>(6, 2 * dimension)) return given;
  throw Error(ErrorCode::usage,
              fmt::format("num_walkers must be even and at least {}, is {}",
                          std::max<Index>(6, 2 * dimension), given),
              "num_walkers", "fewer walkers than twice the dimension stay in a subspace");
}

void check_apart(const PopulationState& walkers) {
  const std::vector<double>& all = walkers.positions;
  const auto step = static_cast<std::ptrdiff_t>(walkers.dimension);
  if (all.empty() || !std::equal(all.begin() + step, all.end(), all.begin())) return;
  throw Error(ErrorCode::usage, "all walkers start at the same point, from which none can move",
              "init", "give a larger init_radius or init_spread");
}

std::vector<std::string> ensemble_warnings(Index num_walkers, Index dimension) {
  constexpr Index kManyDimensions = 20;
  if (dimension <= kManyDimensions) return {};
  return {
      fmt::format("{} walkers in {} dimensions: ensembles may look converged where they aren't "
                  "in more than {} dimensions; compare with a Hamiltonian sampler",
                  num_walkers, dimension, kManyDimensions)};
}

extern const SamplerSpec kEnsemble;
const SamplerSpec kEnsemble = sampler_row<Ensemble, NoAdaptation>(
    {.name = "ensemble",
     .summary =
         "walkers that propose from each other's places: stretch, walk, differences, snooker",
     .reference = "goodman2010"});

}  // namespace credo::infer
