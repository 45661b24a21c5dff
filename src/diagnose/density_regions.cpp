#include "diagnose/density_regions.hpp"

#include <complex>
#include <set>

#include "numerics/fft.hpp"
#include "numerics/order_statistics.hpp"

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
    const double share = place - static_cast<double>(k), w = weights[i];
    bins[k] += w * (1.0 - share), bins[k + 1] += w * share;
  }
  return bins;
}

// X_j = Σ_k x_k cos(π j (2 k + 1) / (2 K)), by a Fourier transform of the even places and the
// odd ones backwards [makhoul1980].
using Complex = std::complex<double>;
const numerics::Fft& transform() {
  static const numerics::Fft fft(kGrid);
  return fft;
}
const std::vector<Complex>& quarter_turns() {  // exp(i π k / (2 K))
  static const std::vector<Complex> turns = [] {
    std::vector<Complex> all;
    for (std::size_t k = 0; k < kGrid; ++k)
      all.push_back(std::polar(1.0, M_PI * static_cast<double>(k) / (2.0 * kGrid)));
    return all;
  }();
  return turns;
}

// Two sequences at once: one is the real part of the transformed sequence, the other the imaginary.
using Pair = std::array<std::vector<double>, 2>;

Pair cosine_transforms(const Pair& bins) {
  std::vector<Complex> folded(kGrid);
  for (std::size_t k = 0; k < kGrid / 2; ++k) {
    folded[k] = {bins[0][2 * k], bins[1][2 * k]};
    folded[kGrid - 1 - k] = {bins[0][2 * k + 1], bins[1][2 * k + 1]};
  }
  transform().forward(folded);
  Pair all{std::vector<double>(kGrid), std::vector<double>(kGrid)};
  for (std::size_t j = 0; j < kGrid; ++j) {
    const Complex here = folded[j], mirrored = std::conj(folded[(kGrid - j) % kGrid]);
    const Complex real = 0.5 * (here + mirrored), imaginary = 0.5 * (here - mirrored);
    const Complex turn = quarter_turns()[j];
    all[0][j] = real.real() * turn.real() + real.imag() * turn.imag();
    all[1][j] = imaginary.imag() * turn.real() - imaginary.real() * turn.imag();
  }
  return all;
}

// x_k = (X_0 + 2 Σ_{j>0} X_j cos(π j (2 k + 1) / (2 K))) / K.
Pair from_cosines(const Pair& all) {
  std::vector<Complex> folded(kGrid);
  folded[0] = {all[0][0], all[1][0]};
  for (std::size_t j = 1; j < kGrid; ++j)
    folded[j] =
        Complex(all[0][j] + all[1][kGrid - j], all[1][j] - all[0][kGrid - j]) * quarter_turns()[j];
  transform().backward(folded);
  Pair bins{std::vector<double>(kGrid), std::vector<double>(kGrid)};
  for (std::size_t k = 0; k < kGrid / 2; ++k) {
    bins[0][2 * k] = folded[k].real() / kGrid, bins[1][2 * k] = folded[k].imag() / kGrid;
    bins[0][2 * k + 1] = folded[kGrid - 1 - k].real() / kGrid;
    bins[1][2 * k + 1] = folded[kGrid - 1 - k].imag() / kGrid;
  }
  return bins;
}

// The root of t - xi gamma^[5](t) of Botev, Grotowski and Kroese is the square of the bandwidth over the range.
class FixedPoint {
 public:
  FixedPoint(std::span<const double> cosines, double count) : count_(count) {
    std::vector<double> terms(cosines.begin(), cosines.end());
    for (double& a : terms) a *= a;
    for (auto& weighted : weighted_) {
      weighted = terms;
      for (std::size_t k = 0; k < terms.size(); ++k) terms[k] *= static_cast<double>(k * k);
    }
  }
  double operator()(double t) const {
    double f = sum(kStages, t);
    for (int s = kStages - 1; s >= 2; --s) {
      double odd = 1.0;
      for (int k = 1; k < 2 * s; k += 2) odd *= k;
      const double a = (1.0 + std::pow(0.5, s + 0.5)) / 3.0;
      f = sum(
          s, std::pow(2.0 * a * odd / (count_ * std::sqrt(M_PI / 2.0) * f), 2.0 / (3.0 + 2.0 * s)));
    }
    return t - std::pow(2.0 * count_ * std::sqrt(M_PI) * f, -0.4);
  }

 private:
  static constexpr int kStages = 7;
  static constexpr double kGone = 120.0;  // exp(-x) x^7 is 1e-38 of its largest value there

  // 2 π^(2 s) Σ_k k^(2 s) a_k² exp(-k² π² t), each exponential from the one before.
  double sum(int s, double t) const {
    const std::vector<double>& terms = weighted_[static_cast<std::size_t>(s)];
    const double c = M_PI * M_PI * t, narrower = std::exp(-2.0 * c);
    const double reach = std::sqrt(kGone / c) + 1.0;
    const auto end = std::min(terms.size(), static_cast<std::size_t>(std::min(reach, 1e6)) + 1);
    double exponential = std::exp(-c), ratio = std::exp(-3.0 * c), total = 0.0;
    for (std::size_t k = 1; k < end; ++k) {
      total += terms[k] * exponential;
      exponential *= ratio, ratio *= narrower;
    }
    return 2.0 * std::pow(M_PI, 2 * s) * total;
  }

  double count_;
  std::array<std::vector<double>, kStages + 1> weighted_;  // k^(2 s) a_k²
};

// NaN: there is no solution.
double botev_bandwidth(std::span<const double> cosines, double count, double range) {
  const FixedPoint fixed_point(cosines, count);
  double low = 1e-12, high = 0.0;
  for (double t = 1e-7; t < 0.1 && high == 0.0; t *= 2.0) {
    if (fixed_point(t) > 0.0)
      high = t;
    else
      low = t;
  }
  if (high == 0.0) return kNaN;
  for (int k = 0; k < 16; ++k) {  // to 1e-5 of the bandwidth
    const double middle = 0.5 * (low + high);
    (fixed_point(middle) > 0.0 ? high : low) = middle;
  }
  return std::sqrt(high) * range;
}

double silverman_bandwidth(const Chains& draws) {
  const std::vector<double> sorted = sorted_values(draws);
  const double sd = std::sqrt(variance(draws.values)),
               iqr = numerics::quantile_of_sorted(sorted, 0.75) -
                     numerics::quantile_of_sorted(sorted, 0.25);
  const double spread = iqr > 0.0 ? std::min(sd, iqr / 1.34) : sd;
  return 0.9 * spread * std::pow(static_cast<double>(sorted.size()), -0.2);
}

double effective_count(Values draws, Values weights) {
  if (weights.empty()) return static_cast<double>(draws.size());
  double squares = 0.0;
  for (const double w : weights) squares += w * w;
  return 1.0 / squares;
}

// Damping of each cosine by a normal kernel of h steps.
std::vector<double> damping(double h) {
  std::vector<double> left(kGrid);
  for (std::size_t j = 0; j < kGrid; ++j) {
    const double z = M_PI * h * static_cast<double>(j) / kGrid;
    if (z > 9.0) break;  // 3e-18
    left[j] = std::exp(-0.5 * z * z);
  }
  return left;
}

// Cosines reflect the kernel at both ends: draws end at bounds.
Pair smoothed(Pair cosines, std::span<const double> left) {
  for (std::vector<double>& own : cosines)
    for (std::size_t j = 0; j < kGrid; ++j) own[j] *= left[j];
  Pair values = from_cosines(cosines);
  for (std::vector<double>& own : values)
    for (double& v : own) v = std::max(v, 0.0);  // rounding
  return values;
}

double bandwidth_of(const Chains& draws, Values weights, std::span<const double> cosines,
                    double range) {
  const double rule = silverman_bandwidth(draws),
               plug_in = botev_bandwidth(cosines, effective_count(draws.values, weights), range);
  return std::isfinite(plug_in) ? 0.5 * (rule + plug_in) : rule;
}

void normalise(KernelDensity& density) {
  const double total =
      std::accumulate(density.values.begin(), density.values.end(), 0.0) * density.step;
  for (double& v : density.values) v /= total;
}

std::vector<double> left_by(const KernelDensity& density) {
  return damping(std::max(density.bandwidth / density.step, 0.5));
}

void add_to(std::vector<double>& sum, std::span<const double> terms) {
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += terms[k];
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
  const std::vector<KernelDensity> all = chain_densities({draws, ssize(draws), 1}, weights);
  return all.empty() ? KernelDensity() : all[0];
}

// Bins, cosines and heights are linear in the draws: those of all are the sums of the chains'.
std::vector<KernelDensity> chain_densities(const Chains& chains, Values weights) {
  const Values draws = chains.values;
  if (draws.empty() ||
      !std::all_of(draws.begin(), draws.end(), [](double x) { return std::isfinite(x); }))
    return {};
  const auto [least, most] = std::minmax_element(draws.begin(), draws.end());
  const double spread = *most - *least;
  if (!(spread > 0.0)) return {};
  KernelDensity all;
  all.from = *least;
  all.step = spread / static_cast<double>(kGrid - 1);
  const auto num_chains = static_cast<std::size_t>(chains.num_chains),
             count = static_cast<std::size_t>(chains.num_draws);
  const std::vector<double> equal(draws.size(), 1.0 / static_cast<double>(draws.size()));
  std::vector<Pair> pairs((num_chains + 1) / 2);
  for (Pair& pair : pairs) pair.fill(std::vector<double>(kGrid));
  for (std::size_t c = 0; c < num_chains; ++c)
    pairs[c / 2][c % 2] = binned(
        chains.chain(static_cast<Index>(c)),
        (weights.empty() ? Values(equal) : weights).subspan(c * count, count), all.from, all.step);
  std::vector<double> cosines(kGrid);
  for (Pair& pair : pairs) {
    pair = cosine_transforms(pair);
    for (const std::vector<double>& own : pair) add_to(cosines, own);
  }
  all.bandwidth = bandwidth_of(chains, weights, cosines, spread);
  const std::vector<double> left = left_by(all);
  all.values.resize(kGrid);
  std::vector<KernelDensity> densities{all};
  for (Pair& pair : pairs)
    for (std::vector<double>& heights : smoothed(std::move(pair), left)) {
      if (densities.size() > num_chains) break;  // an odd number of chains
      add_to(densities[0].values, heights);
      densities.push_back({all.from, all.step, all.bandwidth, std::move(heights)});
    }
  for (KernelDensity& density : densities) normalise(density);
  return densities;
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

// Neighbours less than a bandwidth apart are one: such a valley can't be distinguished from noise.
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
