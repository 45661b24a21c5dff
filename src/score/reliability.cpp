#include "score/reliability.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "diagnose/chains.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"
#include "score/poisson_binomial.hpp"
#include "score/predictions.hpp"
#include "score/softmax_fit.hpp"

namespace credo::score {
namespace {

struct BinMembers {
  std::vector<double> probabilities;
  Index events = 0;
};

void judge_bin(ReliabilityBin& bin, const BinMembers& members, double rate) {
  const PoissonBinomial distribution(members.probabilities);
  const auto count = static_cast<double>(bin.count);
  const PoissonBinomial::Range range = distribution.range_above(rate);
  bin.band_lower = static_cast<double>(range.lower) / count;
  bin.band_upper = static_cast<double>(range.upper) / count;
  bin.p_value = distribution.two_sided_p(members.events);
}

void sum_up(Reliability& reliability, double num_rows) {
  double ece = 0.0, square = 0.0, largest = 0.0, gap = 0.0, least = 1.0;
  for (const ReliabilityBin& bin : reliability.bins) {
    const double share = static_cast<double>(bin.count) / num_rows;
    ece += share * std::abs(bin.gap()), square += share * bin.gap() * bin.gap();
    gap += share * bin.gap(), largest = std::max(largest, std::abs(bin.gap()));
    least = std::min(least, bin.p_value);
  }
  reliability.ece = ece, reliability.square = square;
  reliability.largest = largest, reliability.gap = gap;
  // Given the probabilities, bins are independent.
  reliability.band_p =
      -std::expm1(static_cast<double>(reliability.bins.size()) * std::log1p(-least));
}
// The score of (a, b) at (0, 1) and its variance, from rows whose probabilities aren't 0 or 1.
class Trend {
 public:
  Trend(std::span<const double> probabilities) {
    for (const double p : probabilities) {
      logits_.push_back(p > 0.0 && p < 1.0 ? numerics::logit(p) : 0.0);
      const double v = p * (1.0 - p), l = logits_.back();
      v11_ += v, v12_ += v * l, v22_ += v * l * l;
    }
  }
  double information() const { return v11_; }
  // G' V⁻¹ G; the part of the mean alone where all logits are the same.
  double statistic(std::span<const double> probabilities, std::span<const char> events) {
    g1_ = g2_ = 0.0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const double rest = (events[i] != 0 ? 1.0 : 0.0) - probabilities[i];
      g1_ += rest, g2_ += rest * logits_[i];
    }
    if (!(v11_ > 0.0)) return 0.0;
    const double spread = v22_ - v12_ * v12_ / v11_, tilt = g2_ - v12_ / v11_ * g1_;
    has_slope_ = spread > 1e-9 * v22_;
    return g1_ * g1_ / v11_ + (has_slope_ ? tilt * tilt / spread : 0.0);
  }
  // Maximum likelihood estimate of b in logit(events) = a + b logit(p): infinite if the logits separate events from
  // non-events, NaN if all logits are equal.
  double slope(std::span<const double> probabilities, std::span<const char> events) const {
    if (!has_slope_) return kNaN;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < events.size(); ++i)
      if (probabilities[i] > 0.0 && probabilities[i] < 1.0) rows.push_back(i);
    static constexpr std::array<double, 2> kEvent{0.0, 1.0}, kNoEvent{1.0, 0.0};
    const auto logit = [&](Index row) { return logits_[rows[static_cast<std::size_t>(row)]]; };
    const SoftmaxFit fit =
        fit_softmax({.num_rows = ssize(rows),
                     .num_classes = 2,
                     .num_parameters = 2,
                     .design =
                         [&](Index row, std::span<double> design) {
                           design[0] = design[1] = 0.0, design[2] = 1.0, design[3] = logit(row);
                         },
                     .target = [&](Index row) -> std::span<const double> {
                       return events[rows[static_cast<std::size_t>(row)]] != 0 ? kEvent : kNoEvent;
                     },
                     .start = {0.0, 1.0}});
    return fit.converged ? fit.parameters[1] : std::copysign(kInfinity, fit.parameters[1]);
  }
  // Degrees of freedom of the statistic: its tail is exp(-x / 2) for two, erfc(√(x / 2)) for one.
  double chi_square_tail(double x) const {
    return has_slope_ ? std::exp(-0.5 * x) : numerics::erfc(std::sqrt(0.5 * x));
  }

 private:
  std::vector<double> logits_;
  double v11_ = 0.0, v12_ = 0.0, v22_ = 0.0, g1_ = 0.0, g2_ = 0.0;
  bool has_slope_ = false;
};

void judge_trend(Reliability& reliability, std::span<const double> probabilities,
                 std::span<const char> events, const ReliabilityOptions& options) {
  constexpr double kEnough = 500.0;  // Σ p (1 - p): the distribution is near chi-square
  Trend trend(probabilities);
  const double found = trend.statistic(probabilities, events);
  reliability.slope = trend.slope(probabilities, events);
  reliability.trend_p = trend.chi_square_tail(found);
  if (trend.information() >= kEnough) return;
  // The place of the statistic among those of drawn outcomes: exact, whatever their number.
  // Draws end when so many are as large that p isn't small [besag1991].
  constexpr Index kLargeEnough = 20;
  constexpr double kMostNumbers = 2e7;
  const double wanted = std::ceil(40.0 / options.error_rate);
  const auto most = static_cast<Index>(std::clamp(
      wanted, 999.0, std::max(999.0, kMostNumbers / static_cast<double>(events.size()))));
  Rng rng({.seed = options.seed, .purpose = kScoreStream, .chain = 2, .iteration = 0});
  std::vector<char> drawn(events.size());
  Index as_large = 0, count = 0;
  while (count < most && as_large < kLargeEnough) {
    for (std::size_t i = 0; i < drawn.size(); ++i)
      drawn[i] = rng.uniform() < probabilities[i] ? 1 : 0;
    as_large += trend.statistic(probabilities, drawn) >= found * (1.0 - 1e-12) ? 1 : 0;
    ++count;
  }
  reliability.trend_p = as_large == kLargeEnough
                            ? static_cast<double>(as_large) / static_cast<double>(count)
                            : static_cast<double>(as_large + 1) / static_cast<double>(count + 1);
}
}  // namespace

std::vector<double> bin_edges(std::span<const double> probabilities, Index num_bins,
                              Binning binning) {
  std::vector<double> edges{0.0};
  if (binning == Binning::equal_width) {
    for (Index b = 1; b < num_bins; ++b)
      edges.push_back(static_cast<double>(b) / static_cast<double>(num_bins));
  } else {
    std::vector<double> sorted(probabilities.begin(), probabilities.end());
    std::sort(sorted.begin(), sorted.end());
    for (Index b = 1; b < num_bins; ++b) {  // the last one of the first b / B of all
      const Index place = (b * ssize(sorted) + num_bins - 1) / num_bins - 1;
      const double edge = sorted[static_cast<std::size_t>(std::max<Index>(place, 0))];
      if (edge > edges.back() && edge < sorted.back()) edges.push_back(edge);
    }
  }
  edges.push_back(1.0);
  return edges;
}

std::size_t bin_of(std::span<const double> edges, double probability) {
  const auto above = std::lower_bound(edges.begin() + 1, edges.end() - 1, probability);
  return static_cast<std::size_t>(above - edges.begin()) - 1;
}

Reliability reliability_of(std::span<const double> probabilities, std::span<const char> events,
                           const ReliabilityOptions& options) {
  CREDO_ASSERT(probabilities.size() == events.size() && !events.empty(), "an event a probability");
  const std::vector<double> edges = bin_edges(probabilities, options.num_bins, options.binning);
  std::vector<BinMembers> members(edges.size() - 1);
  for (std::size_t i = 0; i < events.size(); ++i) {
    BinMembers& own = members[bin_of(edges, probabilities[i])];
    own.probabilities.push_back(probabilities[i]);
    own.events += events[i] != 0 ? 1 : 0;
  }
  const auto filled = std::count_if(members.begin(), members.end(), [](const BinMembers& own) {
    return !own.probabilities.empty();
  });
  const double rate =
      -std::expm1(std::log1p(-0.5 * options.error_rate) / static_cast<double>(filled));
  Reliability reliability;
  for (std::size_t b = 0; b < members.size(); ++b) {
    if (members[b].probabilities.empty()) continue;
    ReliabilityBin bin{
        .lower = edges[b], .upper = edges[b + 1], .count = ssize(members[b].probabilities)};
    bin.predicted = diagnose::mean(members[b].probabilities);
    bin.observed = static_cast<double>(members[b].events) / static_cast<double>(bin.count);
    judge_bin(bin, members[b], rate);
    reliability.bins.push_back(bin);
  }
  sum_up(reliability, static_cast<double>(events.size()));
  judge_trend(reliability, probabilities, events, options);
  reliability.p_value = std::min(1.0, 2.0 * std::min(reliability.band_p, reliability.trend_p));
  return reliability;
}

namespace {
// Reliability of one class, or of the likeliest one (-1).
Reliability part_of(const Predictions& all, Index of_class, const ReliabilityOptions& options) {
  std::vector<double> probabilities;
  std::vector<char> events;
  for (const Index i : known_rows(all)) {
    const Index k = of_class < 0 ? likeliest_class(all, i) : of_class;
    probabilities.push_back(all.values[i][static_cast<std::size_t>(k)]);
    events.push_back(static_cast<Index>(all.label(i)) == k ? 1 : 0);
  }
  Reliability part = reliability_of(probabilities, events, options);
  part.of = of_class < 0 ? "top" : all.classes[static_cast<std::size_t>(of_class)];
  return part;
}
}  // namespace

ClassCalibration class_calibration(const Predictions& all, const ReliabilityOptions& options) {
  if (known_rows(all).empty())
    throw Error(ErrorCode::data, "no row has an outcome", all.source,
                "calibration compares predictions with what happened");
  const Index k = all.num_classes();
  ClassCalibration calibration{.error_rate = options.error_rate};
  ReliabilityOptions own = options;
  own.error_rate /= k > 2 ? static_cast<double>(k + 1) : 1.0;
  double sum = 0.0;
  if (k > 2) calibration.parts.push_back(part_of(all, -1, own));
  for (Index c = k > 2 ? 0 : 1; c < k; ++c) {
    calibration.parts.push_back(part_of(all, c, own));
    sum += calibration.parts.back().square;
  }
  calibration.ece = k > 2 ? calibration.parts[0].ece : part_of(all, -1, own).ece;
  // With two classes the bins of the first mirror those of the second, except at their edges.
  if (k == 2) sum += part_of(all, 0, own).square;
  calibration.marginal = sum / static_cast<double>(k);
  double least = 1.0;
  for (const Reliability& part : calibration.parts) least = std::min(least, part.p_value);
  calibration.p_value = std::min(1.0, least * static_cast<double>(calibration.parts.size()));
  return calibration;
}

namespace {
// The part that is least like chance.
const Reliability& worst_part(const ClassCalibration& calibration) {
  return *std::min_element(
      calibration.parts.begin(), calibration.parts.end(),
      [](const Reliability& a, const Reliability& b) { return a.p_value < b.p_value; });
}

std::string places_outside(const ClassCalibration& calibration) {
  constexpr Index kMostShown = 3;
  std::string places;
  Index outside = 0, bins = 0;
  for (const Reliability& part : calibration.parts)
    for (const ReliabilityBin& bin : part.bins) {
      ++bins;
      if (!bin.is_outside() || ++outside > kMostShown) continue;
      places += fmt::format("{}{} said {:.2f}, happened {:.2f}", places.empty() ? "" : "; ",
                            part.of, bin.predicted, bin.observed);
    }
  if (outside == 0) return {};
  return fmt::format("; {} of {} bins lie outside of their bands ({}{})", outside, bins, places,
                     outside > kMostShown ? "; ..." : "");
}

std::string fault_of(const Reliability& part) {
  constexpr double kNear = 0.1;  // least deviation of a slope
  constexpr double kSmall = 0.025;
  if (part.trend_p <= kSmall && part.slope <= 0.0)
    return fmt::format(
        "the higher they are, the fewer events happen: the best factor for their logits is {:.2f}",
        part.slope);
  if (part.trend_p <= kSmall && part.slope == kInfinity)
    return "they aren't sure enough: they separate events from the others perfectly";
  if (part.trend_p <= kSmall && part.slope < 1.0 - kNear)
    return fmt::format("they are too sure: logits should be {:.2f} times as large", part.slope);
  if (part.trend_p <= kSmall && part.slope > 1.0 + kNear)
    return fmt::format("they aren't sure enough: logits should be {:.2f} times as large",
                       part.slope);
  constexpr double kLeastGap = 0.005;  // least mean gap that is reported
  if (std::abs(part.gap) < kLeastGap) return "bins are off in both directions";
  return fmt::format("they are too {} by {:.3f} in the mean", part.gap > 0.0 ? "high" : "low",
                     std::abs(part.gap));
}
}  // namespace

std::string sentence_of(const ClassCalibration& calibration) {
  const double percent = 100.0 * calibration.error_rate;
  if (!calibration.is_refused())
    return fmt::format(
        "Nothing speaks against calibration: shares of events are such as chance allows (p = "
        "{:.2g}; "
        "calibrated probabilities are refused in {:g} % of cases at most).",
        calibration.p_value, percent);
  return fmt::format("The probabilities aren't calibrated (p = {:.2g}, below {:g} %): {}{}.",
                     calibration.p_value, percent, fault_of(worst_part(calibration)),
                     places_outside(calibration));
}

}  // namespace credo::score
