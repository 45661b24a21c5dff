// The log likelihood of one series under a linear-Gaussian state-space model, and its gradient, for graphs (graph/ops/series.cpp).
// Outcomes may be missing, parts of the first state may be unknown, and the transition may alternate between some kinds.
//
//   y_t ~ N(z_t' x_t, r_t),   x_t ~ N(A_k x_(t-1), diag(q_k)) with k = kind_t,   x_1 = m + E delta + N(0, P)
//
// A column of E belongs to each unknown number delta, which has the variance kappa, kappa to infinity. With u unknowns the log density
// is the diffuse one, lim log p(y) + u/2 log(2 pi kappa), found by the augmented filter [dejong1991; durbin2012, sec. 5.7.3].
//
// A filter for many outcomes whose model never changes is in kalman_score.hpp. Nothing here allocates.
#pragma once
#include "base/types.hpp"

namespace credo::numerics {

struct SeriesSizes {
  Index times = 0, states = 0, unknowns = 0, kinds = 1;
  bool design_varies = false, noise_varies = false;  // z and r differ from time to time
  // Optional parts of the gradient, zero if not requested.
  bool by_design = true, by_transition = true;
};

// Column-major, one behind the other, and the gradient likewise.
enum SeriesPart : std::size_t {
  kSeriesOutcomes,    // y: times; NaN is a missing outcome
  kSeriesDesign,      // z: states x times, or states
  kSeriesTransition,  // A: states x (states * kinds)
  kSeriesStateNoise,  // q: states x kinds, variances
  kSeriesNoise,       // r: times, or one variance
  kSeriesMean,        // m
  kSeriesCovariance,  // P
  kSeriesUnknown,     // E: states x unknowns
  kSeriesKinds,       // kind: times, from 1; that of the first time isn't read. Its gradient is 0
  kSeriesParts
};
// Outcomes determine an unknown if this share of its information is left beside the other unknowns.
inline constexpr double kLeastUnknownShare = 1e-13;
using SeriesInputs = std::array<const double*, kSeriesParts>;
Index series_part_size(const SeriesSizes& sizes, std::size_t part);

// Complete, with its constants. P counts by its symmetric part. NaN if the variance of an outcome given those before it isn't positive,
// or if the outcomes don't determine the unknowns.
double series_log_density(const SeriesSizes& sizes, const SeriesInputs& in, double* scratch);
Index series_log_density_scratch(const SeriesSizes& sizes);

// Its gradient: the filter forwards, then its adjoints backwards. NaN in all places where the log density is NaN.
void series_score(const SeriesSizes& sizes, const SeriesInputs& in, double* gradient,
                  double* scratch);
Index series_score_scratch(const SeriesSizes& sizes);

// The filter alone, whose results stay in `trace`: for each time so many numbers: P, a, B of the predicted state N(a + B delta, P), then
// P z, F, v and V of the outcome y = z' a - V' delta + v with var(v) = F; F is 0 without an outcome. Returns the log density.
double series_filter(const SeriesSizes& sizes, const SeriesInputs& in, double* trace,
                     double* scratch);
Index series_trace_size(const SeriesSizes& sizes);  // numbers for a time
// For series_filter().
Index series_filter_scratch(const SeriesSizes& sizes);

}  // namespace credo::numerics
