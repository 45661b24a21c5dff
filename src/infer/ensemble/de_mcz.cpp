#include "infer/ensemble/de_mcz.hpp"

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kFirstEntriesPerDimension = 10;  // [terbraak2008, sec. 2.2]

Index first_entries(std::size_t dimension) {
  return std::max<Index>(10, kFirstEntriesPerDimension * static_cast<Index>(dimension));
}
}  // namespace

Step<EnsembleInfo> DeMcz::step(PopulationState& walkers, Rng& rng) {
  for (Index w = 0; w < options.num_walkers; ++w)
    log_ratios_[static_cast<std::size_t>(w)] =
        propose(walkers.position(w), candidates_.position(w), rng);
  co_await candidates_.evaluate(0, options.num_walkers);
  for (Index w = 0; w < options.num_walkers; ++w) {
    const auto i = static_cast<std::size_t>(w);
    const double log_density = candidates_.log_density(w);
    accept_probs_[i] = log_density == -kInfinity
                           ? 0.0
                           : metropolis_prob(log_density - walkers.log_density(w) + log_ratios_[i]);
    accepted_[i] = rng.uniform() < accept_probs_[i];
    if (!accepted_[i]) continue;
    const std::span<const double> candidate = candidates_.position(w);
    std::copy(candidate.begin(), candidate.end(), walkers.position(w).begin());
    walkers.log_density(w) = log_density;
  }
  co_return EnsembleInfo{};
}

DeMcz::DeMcz(const DeMczOptions& options_, Index dimension)
    : options(options_),
      settings{.archive = {}, .dimension = static_cast<std::size_t>(dimension)},
      gamma_(2.38 / std::sqrt(2.0 * static_cast<double>(std::max<Index>(dimension, 1)))),
      candidates_(options_.num_walkers, dimension),
      log_ratios_(static_cast<std::size_t>(options_.num_walkers)),
      accept_probs_(log_ratios_.size()),
      accepted_(log_ratios_.size()) {}

PopulationState DeMcz::make_state() const {
  return {options.num_walkers + first_entries(settings.dimension),
          static_cast<Index>(settings.dimension)};
}

void DeMcz::init(PopulationState& state, Rng&) {
  check_apart(state);
  const auto walkers = static_cast<std::size_t>(options.num_walkers);
  const auto begin =
      state.positions.begin() + static_cast<std::ptrdiff_t>(walkers * settings.dimension);
  settings.archive.assign(begin, state.positions.end());
  state.positions.erase(begin, state.positions.end());
  state.log_densities.resize(walkers);
}

double DeMcz::propose(std::span<const double> x, std::span<double> to, Rng& rng) {
  const bool by_snooker = rng.uniform() < options.snooker_share;
  const auto [first, second] = two_of(settings.size(), rng);
  const std::span<const double> a = settings.entry(first), b = settings.entry(second);
  if (by_snooker) {
    const double gamma = rng.uniform(1.2, 2.2);  // [terbraak2008, sec. 2.3]
    const std::span<const double> z = settings.entry(rng.index_below(settings.size()));
    const double factor = snooker_move(x, {.z = z, .a = a, .b = b}, gamma, to);
    return (static_cast<double>(x.size()) - 1.0) * numerics::log(factor);
  }
  const double gamma = rng.uniform() < options.jump_share ? 1.0 : gamma_;
  for (std::size_t d = 0; d < to.size(); ++d)
    to[d] = x[d] + gamma * (a[d] - b[d]) + options.noise * rng.normal();
  return 0.0;
}

EnsembleInfo DeMcz::walker_info(const PopulationState& walkers, const EnsembleInfo&,
                                Index w) const {
  const auto i = static_cast<std::size_t>(w);
  return {.log_density = walkers.log_density(w),
          .accept_stat = accept_probs_[i],
          .accepted = accepted_[i]};
}

bool ArchiveAdaptation::learn(Index iteration, const EnsembleInfo&, const PopulationState& walkers,
                              DeMcz& kernel) {
  if ((iteration + 1) % kernel.options.thin_archive == 0)
    kernel.settings.archive.insert(kernel.settings.archive.end(), walkers.positions.begin(),
                                   walkers.positions.end());
  return false;
}

void ArchiveAdaptation::finish(DeMcz& kernel) const {
  DeMczSettings& settings = kernel.settings;
  const Index drop = std::min(settings.size() / 2, settings.size() - first_entries(0));
  if (drop <= 0) return;
  settings.archive.erase(
      settings.archive.begin(),
      settings.archive.begin() +
          static_cast<std::ptrdiff_t>(drop) * static_cast<std::ptrdiff_t>(settings.dimension));
}

void report_settings(const DeMczSettings& settings, ChainResult& result) {
  result.tuned = {{"num_archived", {static_cast<double>(settings.size())}}};
}

extern const SamplerSpec kDeMcz;
const SamplerSpec kDeMcz = sampler_row<DeMcz, ArchiveAdaptation>(
    {.name = "de_mcz",
     .summary = "differential evolution and snooker moves from an archive that warm-up fills",
     .reference = "terbraak2008"});

}  // namespace credo::infer
