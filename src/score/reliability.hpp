// Calibration of probabilities: reliability in bins, with the intervals that a calibrated forecaster stays
// within [broecker2007], and calibration errors.
#pragma once
#include "score/predictions.hpp"

namespace credo::score {

enum class Binning : std::uint8_t { equal_width, equal_count };

struct ReliabilityOptions {
  Index num_bins = 10;
  Binning binning = Binning::equal_width;
  double error_rate = 0.05;  // largest share of calibrated predictions that are called uncalibrated
  std::uint64_t seed = 1;    // of outcomes that are drawn by the probabilities, for the trend
};

struct ReliabilityBin {
  double lower = 0.0, upper = 1.0;  // (lower, upper] of the probabilities; the first one has 0, too
  Index count = 0;
  double predicted = kNaN, observed = kNaN;  // mean probability, share of events
  // The share of events stays within, in all bins at once, with probability 1 - error_rate / 2 at least if the
  // probabilities are right.
  double band_lower = kNaN, band_upper = kNaN;
  double p_value = 1.0;
  double gap() const { return predicted - observed; }  // above 0: too sure
  bool is_outside() const { return observed < band_lower || observed > band_upper; }
};

struct Reliability {
  std::string of;                    // "top", or the name of a class
  std::vector<ReliabilityBin> bins;  // those that hold a row
  double ece = kNaN;                 // Σ_b n_b / N |observed - predicted| [guo2017]
  double square = kNaN;              // Σ_b n_b / N (observed - predicted)²
  double largest = kNaN;             // max_b |observed - predicted|, also called MCE
  double gap = kNaN;                 // mean of predicted less observed
  // Probability that bins of calibrated predictions are as far off: exact, by Šidák's bound.
  double band_p = kNaN;
  // The score test of logit(events) = a + b logit(p), a = 0 and b = 1 [cox1958]: sees errors of one direction that are
  // small in each bin. By outcomes that are drawn where there is little information, by chi-square otherwise.
  double trend_p = kNaN;
  // Maximum likelihood estimate of b: below 1 the probabilities are too sure; infinite if they separate events from
  // non-events, NaN if they are all equal.
  double slope = kNaN;
  double p_value = kNaN;  // two-sided: twice the smaller one
};

// `events`: 1 if the event with this probability took place. Equal counts keep equal probabilities together. At least one row.
// O(N) and sorting; with little information some thousand times N random numbers.
Reliability reliability_of(std::span<const double> probabilities, std::span<const char> events,
                           const ReliabilityOptions& options = {});

// Edges of the bins, ascending, from 0 to 1: a probability p is in the bin with edges[b] < p <= edges[b + 1].
std::vector<double> bin_edges(std::span<const double> probabilities, Index num_bins,
                              Binning binning);
std::size_t bin_of(std::span<const double> edges, double probability);

struct ClassCalibration {
  std::vector<Reliability> parts =
      {};  // reliability of the likeliest class if there are more than two; and of each class (the second of two)
  double ece = kNaN;  // error of the likeliest class
  double marginal =
      kNaN;  // Σ_k w_k Σ_b n_bk / N (observed - predicted)², w_k = 1 / K: marginal (static) calibration error
  double p_value = kNaN;  // for all parts together, by Bonferroni's bound
  double error_rate = 0.05;
  bool is_refused() const { return p_value <= error_rate; }
};
// Calibration on rows with an outcome. Throws Error(data) without such rows.
ClassCalibration class_calibration(const Predictions& all, const ReliabilityOptions& options = {});
// Advice to a forecaster, in a sentence.
std::string sentence_of(const ClassCalibration& calibration);

}  // namespace credo::score
