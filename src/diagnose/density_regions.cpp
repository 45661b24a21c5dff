#include "diagnose/density_regions.hpp"

#include <set>

#include "diagnose/chains.hpp"

namespace credo::diagnose {
namespace {
constexpr std::size_t kGrid = 1024;
using Values = std::span<const double>;

double weight_at(Values weights, std::size_t i, std::size_t count) {
  return weights.empty() ? 1.0 / static_cast<double>(count) : weights[i];
}

struct Counted {
  double value, weight;
};
std::vector<Counted> sorted(Values draws, Values weights) {
  std::vector<Counted> all;
  for (std::size_t i = 0; i < draws.size(); ++i)
    all.push_back({draws[i], weight_at(weights, i, draws.size())});
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.value < b.value; });
  return all;
}

bool are_whole(Values draws) {
  return std::all_of(draws.begin(), draws.end(),
                     [](double x) { return x == std::floor(x) && std::isfinite(x); });
}

// Each draw shared out between its two neighbours on the grid.
std::vector<double> binned(Values draws, Values weights, double from, double step) {
  std::vector<double> bins(kGrid);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double place = (draws[i] - from) / step;
    const auto k = std::min(static_cast<std::size_t>(std::max(place, 0.0)), kGrid - 2);
    const double share = place - static_cast<double>(k), w = weight_at(weights, i, draws.size());
    bins[k] += w * (1.0 - share), bins[k + 1] += w * share;
  }
  return bins;
}

// The cosine transform of the bins.
std::vector<double> cosine_transform(std::span<const double> bins) {
  std::vector<double> table(4 * kGrid), transform(kGrid);
  for (std::size_t k = 0; k < table.size(); ++k)
    table[k] = std::cos(M_PI * static_cast<double>(k) / (2.0 * static_cast<double>(kGrid)));
  for (std::size_t j = 0; j < kGrid; ++j)
    for (std::size_t k = 0; k < kGrid; ++k)
      transform[j] += bins[k] * table[(j * (2 * k + 1)) % table.size()];
  return transform;
}

// t - xi gamma^[5](t) of Botev, Grotowski and Kroese, whose root is the square of the bandwidth over the range.
double fixed_point(double t, double count, std::span<const double> squares) {
  const auto sum = [&](int s, double time) {
    double total = 0.0;
    for (std::size_t k = 1; k < squares.size(); ++k) {
      const double kk = static_cast<double>(k * k);
      total += std::pow(kk, s) * squares[k] * std::exp(-kk * M_PI * M_PI * time);
    }
    return 2.0 * std::pow(M_PI, 2 * s) * total;
  };
  constexpr int kStages = 7;
  double f = sum(kStages, t);
  for (int s = kStages - 1; s >= 2; --s) {
    double odd = 1.0;
    for (int k = 1; k < 2 * s; k += 2) odd *= k;
    const double a = (1.0 + std::pow(0.5, s + 0.5)) / 3.0;
    const double time =
        std::pow(2.0 * a * odd / (count * std::sqrt(M_PI / 2.0) * f), 2.0 / (3.0 + 2.0 * s));
    f = sum(s, time);
  }
  return t - std::pow(2.0 * count * std::sqrt(M_PI) * f, -0.4);
}

// NaN: there is no solution.
double botev_bandwidth(std::span<const double> bins, double count, double range) {
  std::vector<double> squares = cosine_transform(bins);
  for (double& a : squares) a *= a;
  double low = 1e-12, high = 0.0;
  for (double t = 1e-7; t < 0.1 && high == 0.0; t *= 1.5) {
    if (fixed_point(t, count, squares) > 0.0)
      high = t;
    else
      low = t;
  }
  if (high == 0.0) return kNaN;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (fixed_point(middle, count, squares) > 0.0 ? high : low) = middle;
  }
  return std::sqrt(high) * range;
}

double silverman_bandwidth(Values draws) {
  const double sd = std::sqrt(variance(draws)), iqr = quantile(draws, 0.75) - quantile(draws, 0.25);
  const double spread = iqr > 0.0 ? std::min(sd, iqr / 1.34) : sd;
  return 0.9 * spread * std::pow(static_cast<double>(draws.size()), -0.2);
}

double effective_count(Values draws, Values weights) {
  if (weights.empty()) return static_cast<double>(draws.size());
  double squares = 0.0;
  for (const double w : weights) squares += w * w;
  return 1.0 / squares;
}

// By a normal kernel of h steps. What lies beyond an end is put back inside: draws end at bounds.
std::vector<double> smoothed(std::span<const double> bins, double h) {
  const auto count = ssize(bins), reach = static_cast<Index>(std::ceil(5.0 * h));
  std::vector<double> kernel, values(bins.size());
  for (Index d = 0; d <= reach; ++d) {
    const double z = static_cast<double>(d) / h;
    kernel.push_back(std::exp(-0.5 * z * z));
  }
  for (Index k = 0; k < count; ++k) {
    const double bin = bins[static_cast<std::size_t>(k)];
    if (bin == 0.0) continue;
    for (Index j = k - reach; j <= k + reach; ++j) {
      const Index back = j < 0 ? -j : j >= count ? 2 * (count - 1) - j : j;
      if (back >= 0 && back < count)
        values[static_cast<std::size_t>(back)] +=
            bin * kernel[static_cast<std::size_t>(std::abs(j - k))];
    }
  }
  return values;
}
}  // namespace

double KernelDensity::at(double x) const {
  const double place = (x - from) / step;
  if (values.empty() || !(place >= 0.0) || place > static_cast<double>(values.size() - 1))
    return 0.0;
  const auto k = std::min(static_cast<std::size_t>(place), values.size() - 2);
  const double share = place - static_cast<double>(k);
  return (1.0 - share) * values[k] + share * values[k + 1];
}

double KernelDensity::mode() const {
  const auto top = std::max_element(values.begin(), values.end()) - values.begin();
  return values.empty() ? kNaN : from + step * static_cast<double>(top);
}

KernelDensity kernel_density(Values draws, Values weights) {
  KernelDensity density;
  if (draws.empty() ||
      !std::all_of(draws.begin(), draws.end(), [](double x) { return std::isfinite(x); }))
    return density;
  const auto [least, most] = std::minmax_element(draws.begin(), draws.end());
  const double spread = *most - *least;
  if (!(spread > 0.0)) return density;
  density.from = *least;
  density.step = spread / static_cast<double>(kGrid - 1);
  const std::vector<double> bins = binned(draws, weights, density.from, density.step);
  const double rule = silverman_bandwidth(draws),
               plug_in = botev_bandwidth(bins, effective_count(draws, weights), spread);
  density.bandwidth = std::isfinite(plug_in) ? 0.5 * (rule + plug_in) : rule;
  density.values = smoothed(bins, std::max(density.bandwidth / density.step, 0.5));
  const double total =
      std::accumulate(density.values.begin(), density.values.end(), 0.0) * density.step;
  for (double& v : density.values) v /= total;
  return density;
}

Interval equal_tailed_interval(Values draws, double mass, Values weights) {
  const double tail = 0.5 * (1.0 - mass);
  if (weights.empty()) return {quantile(draws, tail), quantile(draws, 1.0 - tail)};
  Interval interval;
  double below = 0.0;
  for (const Counted& w : sorted(draws, weights)) {
    below += w.weight;
    if (std::isnan(interval.lower) && below >= tail) interval.lower = w.value;
    if (std::isnan(interval.upper) && below >= 1.0 - tail) interval.upper = w.value;
  }
  return interval;
}

Interval narrowest_interval(Values draws, double mass, Values weights) {
  const std::vector<Counted> all = sorted(draws, weights);
  constexpr double kRounding = 1e-12;
  Interval best;
  double held = 0.0;
  for (std::size_t first = 0, end = 0; first < all.size(); ++first) {
    while (end < all.size() && held < mass - kRounding) held += all[end++].weight;
    if (held < mass - kRounding) break;
    const Interval now{all[first].value, all[end - 1].value};
    if (std::isnan(best.lower) || now.upper - now.lower < best.upper - best.lower) best = now;
    held -= all[first].weight;
  }
  return best;
}

namespace {
// The most frequent whole numbers, in their order.
std::vector<Interval> region_of_whole(Values draws, double mass, Values weights) {
  std::map<double, double> shares;
  for (const Counted& w : sorted(draws, weights)) shares[w.value] += w.weight;
  std::vector<std::pair<double, double>> order(shares.begin(), shares.end());
  std::stable_sort(order.begin(), order.end(),
                   [](auto& a, auto& b) { return a.second > b.second; });
  std::set<double> taken;
  double held = 0.0;
  for (const auto& [value, share] : order) {
    if (held >= mass) break;
    taken.insert(value), held += share;
  }
  std::vector<Interval> region;
  for (const double value : taken) {
    if (!region.empty() && region.back().upper == value - 1.0)
      region.back().upper = value;
    else
      region.push_back({value, value});
  }
  return region;
}

// Neighbours less than a bandwidth apart are one: no such valley can be told from noise.
std::vector<Interval> regions_above(const KernelDensity& density, double level) {
  std::vector<Interval> region;
  const auto place = [&](std::size_t k) {
    return density.from + density.step * static_cast<double>(k);
  };
  const auto crossing = [&](std::size_t k) {  // between k - 1 and k
    const double a = density.values[k - 1], b = density.values[k];
    return place(k - 1) + density.step * (level - a) / (b - a);
  };
  const std::size_t last = density.values.size() - 1;
  for (std::size_t k = 0; k <= last; ++k) {
    const bool was = k > 0 && density.values[k - 1] >= level, is = density.values[k] >= level;
    if (!was && is) {
      const double lower = k == 0 ? place(0) : crossing(k);
      const bool joins = !region.empty() && lower - region.back().upper < density.bandwidth;
      if (!joins) region.push_back({lower, place(k)});
    }
    if (was && !is) region.back().upper = crossing(k);
    if (is && k == last) region.back().upper = place(k);
  }
  return region;
}
}  // namespace

std::vector<Interval> highest_density_region(Values draws, double mass, Values weights) {
  if (draws.empty()) return {};
  if (are_whole(draws)) return region_of_whole(draws, mass, weights);
  const KernelDensity density = kernel_density(draws, weights);
  if (density.values.empty()) return {};
  std::vector<double> at_draws;
  for (const double x : draws) at_draws.push_back(density.at(x));
  std::vector<Counted> heights = sorted(at_draws, {});
  if (!weights.empty()) {
    heights.clear();
    for (std::size_t i = 0; i < draws.size(); ++i) heights.push_back({at_draws[i], weights[i]});
    std::stable_sort(heights.begin(), heights.end(),
                     [](auto& a, auto& b) { return a.value < b.value; });
  }
  double below = 0.0, level = 0.0;
  for (const Counted& height : heights) {
    level = height.value;
    below += height.weight;
    if (below >= 1.0 - mass) break;
  }
  return regions_above(density, level);
}

double mode_of(Values draws, Values weights) {
  if (draws.empty()) return kNaN;
  if (!are_whole(draws)) {
    const KernelDensity density = kernel_density(draws, weights);
    return density.values.empty() ? draws[0] : density.mode();
  }
  std::map<double, double> shares;
  for (const Counted& w : sorted(draws, weights)) shares[w.value] += w.weight;
  return std::max_element(shares.begin(), shares.end(),
                          [](auto& a, auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace credo::diagnose
