// Times from autocorrelations. All lags must not be summed: with c_t divided by n they add up to
// -1/2, so time 0, whatever the chain.
//
// Pairs [geyer1992, sec. 3.3]: P_k = ρ(2k) + ρ(2k+1) is positive and decreasing for a reversible
// chain, single lags needn't be. Summed while positive, made decreasing.
//
// Self-consistent [sokal1997, sec. 3]: the first M ≥ factor · τ(M). Sokal's τ(M) = 1 + 2 Σ ρ(t) is
// small for antithetic chains long before ρ is, and would end the sum after a lag or two; here the
// window is measured by 1 + 2 Σ |ρ(t)|, which is the same where no ρ is negative.
//
// In chains that mix well the pairs end after a few lags: those are summed directly, and only if
// that isn't enough a transform is made.
#include "diagnose/autocorrelation.hpp"

#include "diagnose/autocovariance.hpp"

namespace credo::diagnose {
namespace {
constexpr std::array<Index, 2> kFirstLags = {16, 64};

double total_variance(const Chains& chains);  // var⁺
std::vector<double> over_the_first(std::vector<double> values);
using Lists = std::vector<std::vector<double>>;  // one for each chain
Lists first_covariances(const Chains& chains, std::span<const double> centres, Index num_lags);
std::vector<double> combined(const Lists& covariances, std::span<const double> centres,
                             Index num_draws);
std::optional<AutocorrelationTime> by_first_pairs(const Chains& chains, Index num_lags);

// Autocorrelations as far as their pairs are positive; `size` of them are whole pairs.
struct Truncated {
  std::vector<double> rho;
  std::size_t size;
};
Truncated positive_pairs(std::span<const double> rho);
void make_decreasing(Truncated& rho);
AutocorrelationTime by_pairs(std::span<const double> rho);
AutocorrelationTime by_window(std::span<const double> rho, double factor);
}  // namespace

std::vector<double> autocorrelation(std::span<const double> x) {
  return is_degenerate(x) ? std::vector<double>() : over_the_first(autocovariance(x));
}

std::vector<double> autocorrelation(std::span<const double> x, Index num_lags) {
  return is_degenerate(x) ? std::vector<double>() : over_the_first(autocovariance(x, num_lags));
}

std::vector<double> combined_autocorrelation(const Chains& chains) {
  if (chains.num_draws < 2 || is_degenerate(chains.values)) return {};
  Lists covariances;
  for (Index c = 0; c < chains.num_chains; ++c)
    covariances.push_back(autocovariance(chains.chain(c)));
  return combined(covariances, means(chains), chains.num_draws);
}

std::vector<double> combined_autocorrelation(const Chains& chains, Index num_lags) {
  if (chains.num_draws < 2 || is_degenerate(chains.values)) return {};
  const std::vector<double> centres = means(chains);
  return combined(first_covariances(chains, centres, num_lags), centres, chains.num_draws);
}

ChainAutocorrelations chain_autocorrelations(const Chains& chains, Index num_lags) {
  if (chains.num_draws < 2 || is_degenerate(chains.values))
    return {{}, Lists(static_cast<std::size_t>(chains.num_chains))};
  const std::vector<double> centres = means(chains);
  ChainAutocorrelations all{.combined = {}, .chains = first_covariances(chains, centres, num_lags)};
  all.combined = combined(all.chains, centres, chains.num_draws);
  for (Index c = 0; c < chains.num_chains; ++c) {
    std::vector<double>& own = all.chains[static_cast<std::size_t>(c)];
    own = is_degenerate(chains.chain(c)) ? std::vector<double>() : over_the_first(std::move(own));
  }
  return all;
}

// Σ (x_s - x_{s-t})² = Σ_{s≥t} x_s² + Σ_{s<n-t} x_s² - 2 n c_t, of the centred chain.
std::vector<double> variogram(const Chains& chains) {
  const auto n = static_cast<std::size_t>(chains.num_draws);
  std::vector<double> result(n);
  for (Index c = 0; c < chains.num_chains; ++c) {
    const std::span<const double> x = chains.chain(c);
    const std::vector<double> covariance = autocovariance(x);
    const double centre = mean(x);
    const auto square = [&](std::size_t s) { return (x[s] - centre) * (x[s] - centre); };
    double ends = 2.0 * static_cast<double>(n) * covariance[0];
    for (std::size_t t = 0; t < n; ++t) {
      result[t] += std::max(ends - 2.0 * static_cast<double>(n) * covariance[t], 0.0);
      ends -= square(t) + square(n - 1 - t);
    }
  }
  for (std::size_t t = 0; t < n; ++t) result[t] /= static_cast<double>(n - t);
  for (double& value : result) value /= static_cast<double>(chains.num_chains);
  return result;
}

std::vector<double> variogram_autocorrelation(const Chains& chains) {
  if (chains.num_draws < 2 || is_degenerate(chains.values)) return {};
  std::vector<double> rho = variogram(chains);
  const double total = total_variance(chains);
  for (double& value : rho) value = 1.0 - value / (2.0 * total);
  rho[0] = 1.0;
  return rho;
}

AutocorrelationTime integrated_autocorrelation_time(const Chains& chains,
                                                    const TimeOptions& options) {
  if (options.rule == WindowRule::monotone_pairs && !is_degenerate(chains.values))
    for (const Index num_lags : kFirstLags)
      if (const auto time = by_first_pairs(chains, num_lags)) return *time;
  return integrated_time(combined_autocorrelation(chains), options);
}

AutocorrelationTime integrated_time(std::span<const double> rho, const TimeOptions& options) {
  if (rho.size() < 3) return {};
  return options.rule == WindowRule::monotone_pairs ? by_pairs(rho)
                                                    : by_window(rho, options.factor);
}

namespace {
std::vector<double> over_the_first(std::vector<double> values) {
  const double first = values[0];
  for (double& value : values) value /= first;
  return values;
}

double total_variance(const Chains& chains) {
  double within = 0.0;
  for (const double own : variances(chains)) within += own;
  within /= static_cast<double>(chains.num_chains);
  const double n = static_cast<double>(chains.num_draws);
  const double between = chains.num_chains > 1 ? variance_of_means(chains) : 0.0;
  return (n - 1.0) / n * within + between;
}

Lists first_covariances(const Chains& chains, std::span<const double> centres, Index num_lags) {
  Lists all;
  for (Index c = 0; c < chains.num_chains; ++c)
    all.push_back(autocovariance(chains.chain(c), num_lags, centres[static_cast<std::size_t>(c)]));
  return all;
}

std::vector<double> combined(const Lists& covariances, std::span<const double> centres,
                             Index num_draws) {
  std::vector<double> rho(covariances[0].size());
  for (const std::vector<double>& one : covariances)
    for (std::size_t t = 0; t < one.size(); ++t)
      rho[t] += one[t] / static_cast<double>(covariances.size());
  const double n = static_cast<double>(num_draws);
  const double within = rho[0] * n / (n - 1.0);
  const double total = rho[0] + (covariances.size() > 1 ? variance(centres) : 0.0);
  for (double& value : rho) value = 1.0 - (within - value) / total;
  return rho;
}

// Nullopt if the pairs may continue after those of the first lags. The last two lags don't count:
// positive_pairs doesn't read them.
std::optional<AutocorrelationTime> by_first_pairs(const Chains& chains, Index num_lags) {
  if (chains.num_draws < 2 * num_lags) return {};
  const std::vector<double> centres = means(chains);
  const std::vector<double> rho =
      combined(first_covariances(chains, centres, num_lags), centres, chains.num_draws);
  for (std::size_t t = 0; t + 3 < rho.size(); t += 2)
    if (!((t == 0 ? 1.0 : rho[t]) + rho[t + 1] > 0.0)) return by_pairs(rho);
  return {};
}

AutocorrelationTime by_pairs(std::span<const double> rho) {
  Truncated kept = positive_pairs(rho);
  make_decreasing(kept);
  const auto end =
      kept.rho.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(kept.size, 1));
  const double sum = std::accumulate(kept.rho.begin(), end, 0.0);
  return {.time = -1.0 + 2.0 * sum + kept.rho[kept.size], .window = static_cast<Index>(kept.size)};
}

AutocorrelationTime by_window(std::span<const double> rho, double factor) {
  double time = 1.0, envelope = 1.0;
  for (std::size_t t = 1; t < rho.size(); ++t) {
    time += 2.0 * rho[t];
    envelope += 2.0 * std::fabs(rho[t]);
    if (static_cast<double>(t) >= factor * envelope)
      return {.time = time, .window = static_cast<Index>(t)};
  }
  return {};  // the chain is too short
}

Truncated positive_pairs(std::span<const double> rho) {
  const Index num_draws = ssize(rho);
  Truncated kept{.rho = std::vector<double>(rho.size()), .size = 0};
  double even = 1.0, odd = rho[1];
  kept.rho[0] = even;
  kept.rho[1] = odd;
  Index t = 0;
  while (t < num_draws - 5 && even + odd > 0.0) {
    t += 2;
    even = rho[static_cast<std::size_t>(t)];
    odd = rho[static_cast<std::size_t>(t) + 1];
    if (!(even + odd >= 0.0)) continue;
    kept.rho[static_cast<std::size_t>(t)] = even;
    kept.rho[static_cast<std::size_t>(t) + 1] = odd;
  }
  kept.size = static_cast<std::size_t>(t);
  if (even > 0.0) kept.rho[kept.size] = even;  // half a pair: less bias for antithetic chains
  return kept;
}

void make_decreasing(Truncated& kept) {
  std::vector<double>& rho = kept.rho;
  for (std::size_t t = 2; t + 2 <= kept.size; t += 2) {
    const double before = rho[t - 2] + rho[t - 1];
    if (rho[t] + rho[t + 1] > before) rho[t] = rho[t + 1] = before / 2.0;
  }
}
}  // namespace

}  // namespace credo::diagnose
