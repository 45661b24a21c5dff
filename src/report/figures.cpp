#include "report/figures.hpp"

#include "diagnose/autocorrelation.hpp"
#include "diagnose/density_regions.hpp"
#include "numerics/order_statistics.hpp"
#include "numerics/radix_sort.hpp"

namespace credo::report {
namespace {

Series shares(std::span<const double> values, std::span<const double> weights, double low,
              std::size_t count) {
  Series all(count);
  double total = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    all[static_cast<std::size_t>(values[i] - low)] += weight, total += weight;
  }
  for (double& share : all) share /= total;
  return all;
}

Marginal whole_marginal(const diagnose::Chains& chains, Range ends,
                        std::span<const double> weights) {
  Marginal marginal{.is_whole = true, .low = ends.low, .step = 1.0, .all = {}, .chains = {}};
  const auto count = static_cast<std::size_t>(ends.high - ends.low) + 1;
  marginal.all = shares(chains.values, weights, ends.low, count);
  for (Index c = 0; c < chains.num_chains; ++c) {
    const auto first = static_cast<std::size_t>(c * chains.num_draws),
               draws = static_cast<std::size_t>(chains.num_draws);
    marginal.chains.push_back(shares(chains.chain(c),
                                     weights.empty() ? weights : weights.subspan(first, draws),
                                     ends.low, count));
  }
  return marginal;
}
}  // namespace

Marginal marginal_of(const diagnose::Chains& chains, bool is_whole, Index num_places,
                     std::span<const double> weights) {
  if (diagnose::is_degenerate(chains.values)) return {};
  if (is_whole) {
    const auto [low, high] = std::minmax_element(chains.values.begin(), chains.values.end());
    if (*high - *low < static_cast<double>(num_places))
      return whole_marginal(chains, {*low, *high}, weights);
  }
  const std::vector<diagnose::KernelDensity> densities = diagnose::chain_densities(chains, weights);
  if (densities.empty()) return {};
  const diagnose::KernelDensity& all = densities[0];
  const double width = all.step * static_cast<double>(all.values.size() - 1);
  Marginal marginal{.low = all.from,
                    .step = width / static_cast<double>(num_places - 1),
                    .all = {},
                    .chains = std::vector<Series>(densities.size() - 1)};
  for (std::size_t d = 0; d < densities.size(); ++d) {
    Series& series = d == 0 ? marginal.all : marginal.chains[d - 1];
    for (Index k = 0; k < num_places; ++k)  // the last place lies on the end, in spite of rounding
      series.push_back(
          densities[d].at(std::min(marginal.at(static_cast<std::size_t>(k)), all.from + width)));
    if (series.back() == 0.0) series.back() = densities[d].values.back();
  }
  return marginal;
}

Autocorrelations autocorrelations_of(const diagnose::Chains& chains, Index num_lags) {
  diagnose::ChainAutocorrelations all = diagnose::chain_autocorrelations(chains, num_lags);
  return {.all = std::move(all.combined), .chains = std::move(all.chains)};
}

namespace {
Quantiles weighted_quantiles(std::span<const double> values, std::span<const double> weights) {
  const std::vector<std::uint32_t> order = numerics::order_of(values);
  Quantiles q;
  double below = 0.0;
  for (const std::uint32_t i : order) {
    below += weights[i];
    for (const auto& [p, at] :
         {std::pair{0.05, &q.q5}, std::pair{0.25, &q.q25}, std::pair{0.5, &q.q50},
          std::pair{0.75, &q.q75}, std::pair{0.95, &q.q95}})
      if (std::isnan(*at) && below >= p) *at = values[i];
  }
  return q;
}
}  // namespace

Quantiles quantiles_of(const diagnose::Chains& chains, std::span<const double> weights) {
  const std::span<const double> values = chains.values;
  if (values.empty() ||
      !std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
    return {};
  if (!weights.empty()) return weighted_quantiles(values, weights);
  const std::vector<double> sorted = diagnose::sorted_values(chains);
  const auto at = [&](double p) { return numerics::quantile_of_sorted(sorted, p); };
  return {at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)};
}

Quantiles quantiles_of(std::span<const double> values, std::span<const double> weights) {
  return quantiles_of(diagnose::Chains{values, ssize(values), 1}, weights);
}

Series Marginal::places() const {
  Series x;
  for (std::size_t k = 0; k < all.size(); ++k) x.push_back(at(k));
  return x;
}

Mark area_of(const Marginal& marginal, Role role, std::string label) {
  return {.kind = Mark::Kind::area,
          .role = role,
          .x = marginal.places(),
          .y = marginal.all,
          .y2 = Series(marginal.all.size(), 0.0),
          .label = std::move(label)};
}

Mark body_of(const Marginal& marginal, Role role) {
  Mark body = area_of(marginal, role);
  if (!marginal.is_whole) return body;
  body.kind = Mark::Kind::bars;
  std::swap(body.y, body.y2);
  body.x2 = body.x;
  for (double& x : body.x) x -= 0.4;
  for (double& x : body.x2) x += 0.4;
  return body;
}

IntervalMarks::IntervalMarks(Mark::Kind kind, std::string label, Role inner)
    : wide{.kind = kind, .role = Role::interval, .label = std::move(label)},
      narrow{.kind = kind, .role = inner, .label = "50 %"} {}

void IntervalMarks::add(double place, const Quantiles& q) {
  for (auto [mark, low, high] :
       {std::tuple{&wide, q.q5, q.q95}, std::tuple{&narrow, q.q25, q.q75}}) {
    const bool is_lying = mark->kind == Mark::Kind::intervals;
    if (mark->kind == Mark::Kind::area) std::swap(low, high);
    (is_lying ? mark->y : mark->x).push_back(place);
    (is_lying ? mark->x : mark->y).push_back(low);
    (is_lying ? mark->x2 : mark->y2).push_back(high);
  }
}

}  // namespace credo::report
