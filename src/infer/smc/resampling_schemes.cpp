// Each scheme inverts the cumulated weights at ascending numbers u_1 <= ... <= u_n of (0, 1)
// [douc2005; chopin2020, ch. 9]:
//
//   multinomial  u sorted independent uniforms    residual    floor(n W) copies each, multinomial for what is left
//   stratified   u_k = (k + U_k) / n              systematic  u_k = (k + U) / n
#include "infer/smc/resampling_schemes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {

// next(k): the k-th number, from 0; ascending.
template <class Next>
void invert(const WeightedParents& of, std::span<std::int32_t> parents, Next next) {
  const std::size_t n = parents.size();
  double reached = 0.0, wanted = n > 0 ? next(std::size_t{0}) * of.total : 0.0;
  std::size_t k = 0;
  std::int32_t last =
      0;  // with a weight: rounding may leave the end of the stretches below the total
  for (std::size_t i = 0; i < of.weights.size() && k < n; ++i) {
    reached += of.weights[i];
    if (of.weights[i] > 0.0) last = static_cast<std::int32_t>(i);
    while (wanted < reached) {
      parents[k++] = static_cast<std::int32_t>(i);
      if (k == n) return;
      wanted = next(k) * of.total;
    }
  }
  for (; k < n; ++k) parents[k] = last;
}

// Sorted uniforms: partial sums of n + 1 exponentials over the whole sum.
std::vector<double> sorted_uniforms(std::size_t n, Rng& rng) {
  std::vector<double> u(n);
  double sum = 0.0;
  for (double& x : u) x = sum -= numerics::log(rng.uniform());
  sum -= numerics::log(rng.uniform());
  for (double& x : u) x /= sum;
  return u;
}

void multinomial(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents) {
  const std::vector<double> u = sorted_uniforms(parents.size(), rng);
  invert(of, parents, [&](std::size_t k) { return u[k]; });
}

void stratified(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents) {
  const double n = static_cast<double>(parents.size());
  invert(of, parents, [&](std::size_t k) { return (static_cast<double>(k) + rng.uniform()) / n; });
}

void systematic(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents) {
  const double n = static_cast<double>(parents.size()), u = rng.uniform();
  invert(of, parents, [&](std::size_t k) { return (static_cast<double>(k) + u) / n; });
}

void residual(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents) {
  const double n = static_cast<double>(parents.size());
  std::vector<std::int32_t> copies(of.weights.size());
  std::vector<double> left(of.weights.size());
  std::size_t placed = 0;
  double total = 0.0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const double expected = n * (of.weights[i] / of.total);
    copies[i] =
        static_cast<std::int32_t>(std::min(std::floor(expected), n - static_cast<double>(placed)));
    placed += static_cast<std::size_t>(copies[i]);
    left[i] = std::max(expected - copies[i], 0.0);
    total += left[i];
  }
  std::vector<std::int32_t> others(parents.size() - placed);
  if (!others.empty()) multinomial({left, total}, rng, others);
  for (const std::int32_t parent : others) ++copies[static_cast<std::size_t>(parent)];
  std::size_t k = 0;
  for (std::size_t i = 0; i < copies.size(); ++i)
    for (std::int32_t c = 0; c < copies[i]; ++c) parents[k++] = static_cast<std::int32_t>(i);
}

constexpr std::array<ResamplingScheme, 4> kSchemes{{
    {"multinomial", "independent parents", "gordon1993", multinomial},
    {"residual", "whole expected copies, independent parents for the rest", "liu1998", residual},
    {"stratified", "a uniform number in each of n strata", "kitagawa1996", stratified},
    {"systematic", "one uniform number for all strata", "kitagawa1996", systematic},
}};

// c with sum of min(W / c, 1) = most: between two neighbours of the sorted weights.
double threshold(std::span<const double> weights, Index most) {
  std::vector<double> sorted(weights.begin(), weights.end());
  std::sort(sorted.begin(), sorted.end());
  double below = 0.0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    below += sorted[k];
    const Index heavier = ssize(sorted) - static_cast<Index>(k) - 1;
    if (heavier >= most) continue;
    const double c = below / static_cast<double>(most - heavier);
    if (k + 1 == sorted.size() || c <= sorted[k + 1]) return c;
  }
  return 0.0;
}
}  // namespace

void invert_cumulated(const WeightedParents& of, std::span<const double> ascending,
                      std::span<std::int32_t> parents) {
  invert(of, parents, [&](std::size_t k) { return ascending[k]; });
}

std::span<const ResamplingScheme> resampling_schemes() { return kSchemes; }

std::vector<std::string> resampling_names() {
  std::vector<std::string> names;
  for (const ResamplingScheme& scheme : kSchemes) names.emplace_back(scheme.name);
  return names;
}

const ResamplingScheme& resampling_scheme(std::string_view name) {
  for (const ResamplingScheme& scheme : kSchemes)
    if (scheme.name == name) return scheme;
  const std::vector<std::string> names = resampling_names();
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorCode::usage, fmt::format("unknown resampling scheme '{}'", name), "--resampling",
              near.empty() ? fmt::format("use one of {}", fmt::join(names, ", ")) : near);
}

std::vector<KeptCandidate> optimal_resampling(const WeightedParents& of, Index most, Rng& rng) {
  std::vector<KeptCandidate> kept;
  const Index positive =
      std::count_if(of.weights.begin(), of.weights.end(), [](double w) { return w > 0.0; });
  const bool all = positive <= most;
  const double c = all ? 0.0 : threshold(of.weights, most);
  double reached =
      all ? 0.0
          : -c * rng.uniform();  // stratified: one is kept where the sum passes a multiple of c
  for (std::size_t i = 0; i < of.weights.size(); ++i) {
    const double w = of.weights[i];
    if (w <= 0.0) continue;
    if (all || w > c) {
      kept.push_back({static_cast<std::int32_t>(i), w});
      continue;
    }
    reached += w;
    if (reached < 0.0) continue;
    kept.push_back({static_cast<std::int32_t>(i), c});
    reached -= c;
  }
  return kept;
}

}  // namespace credo::infer
