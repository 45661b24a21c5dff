// Each scheme inverts the cumulated weights at ascending numbers u_1 <= ... <= u_n of (0, 1)
// [douc2005; chopin2020, ch. 9]:
//
//   multinomial  u sorted independent uniforms    residual    floor(n W) copies each, multinomial for the rest
//   stratified   u_k = (k + U_k) / n              systematic  u_k = (k + U) / n
#include "infer/smc/resampling_schemes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {

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
  invert_cumulated(
      of, [&](std::size_t k) { return u[k]; }, parents);
}

void stratified(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents) {
  const double n = static_cast<double>(parents.size());
  invert_cumulated(
      of, [&](std::size_t k) { return (static_cast<double>(k) + rng.uniform()) / n; }, parents);
}

void systematic(const WeightedParents& of, Rng& rng, std::span<std::int32_t> parents) {
  const double n = static_cast<double>(parents.size()), u = rng.uniform();
  invert_cumulated(
      of, [&](std::size_t k) { return (static_cast<double>(k) + u) / n; }, parents);
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

// How many of the weights exceed c, and c: the sum of min(W / c, 1) is `most`, below the number of positive weights.
struct Threshold {
  Index num_heavier = 0;
  double c = 0.0, largest_light = 0.0;
  Threshold(std::span<const double> weights, Index most);
};

Threshold::Threshold(std::span<const double> weights, Index most) {
  std::vector<double> falling(weights.begin(), weights.end());
  std::sort(falling.begin(), falling.end(), std::greater<>());
  std::vector<double> from(falling.size());  // sums from a weight on, beginning with the smallest
  std::partial_sum(falling.rbegin(), falling.rend(), from.rbegin());
  auto at = [&](const std::vector<double>& list) {
    return list[static_cast<std::size_t>(num_heavier)];
  };
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double rest = total;
  while (num_heavier < most - 1 &&
         at(falling) * static_cast<double>(most - num_heavier) > at(from)) {
    rest -= at(falling);
    ++num_heavier;
  }
  if (rest < 1e-8 * total) rest = at(from);  // a difference that has lost half of its digits
  largest_light = at(falling);
  c = rest / static_cast<double>(most - num_heavier);
}
}  // namespace

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

std::vector<Index> systematic_parents(std::span<const double> log_weights, double u, Index count) {
  std::vector<Index> parents(count < 0 ? log_weights.size() : static_cast<std::size_t>(count));
  std::vector<double> expected;  // copies
  for (const double w : log_weights)
    expected.push_back(numerics::exp(w) * static_cast<double>(parents.size()));
  invert_cumulated(
      {expected, 1.0}, [&](std::size_t k) { return u + static_cast<double>(k); },
      std::span(parents));
  return parents;
}

std::vector<KeptCandidate> optimal_resampling(std::span<const double> weights, Index most,
                                              double u) {
  std::vector<KeptCandidate> kept;
  const auto keep = [&](std::size_t i, double weight, bool is_heavy) {
    kept.push_back({static_cast<std::int32_t>(i), weight, is_heavy});
  };
  if (std::ranges::count_if(weights, [](double w) { return w > 0.0; }) <= most) {
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] > 0.0) keep(i, weights[i], true);
    return kept;
  }
  const Threshold threshold(weights, most);
  const double num_light = static_cast<double>(most - threshold.num_heavier);
  double reached = 0.0, drawn = 0.0;  // sums over light ones
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > threshold.largest_light) {
      keep(i, weights[i], true);
      continue;
    }
    reached += weights[i];
    if (weights[i] <= 0.0 || drawn >= num_light || (u + drawn) * threshold.c >= reached) continue;
    keep(i, threshold.c, false);
    drawn += 1.0;
  }
  return kept;
}

}  // namespace credo::infer
