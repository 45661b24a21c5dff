// Figures of one quantity that pictures show: what `credo plot` draws and the report's page draws from the same numbers.
#pragma once
#include "diagnose/chains.hpp"
#include "report/picture.hpp"

namespace credo::report {

// Density, or of whole numbers shares, at low, low + step, ....
struct Marginal {
  bool is_whole = false;
  double low = kNaN, step = kNaN;
  Series all;                  // empty: nothing varies, or some draw isn't finite
  std::vector<Series> chains;  // of each chain, at the same places
  double at(std::size_t k) const { return low + step * static_cast<double>(k); }
  Series places() const;
};

// At so many places at most. Whole numbers that span more are taken as real ones. `weights` as diagnose::kernel_density.
Marginal marginal_of(const diagnose::Chains& chains, bool is_whole, Index num_places,
                     std::span<const double> weights = {});

Mark area_of(const Marginal& marginal, Role role, std::string label = {});  // down to 0
Mark body_of(const Marginal& marginal, Role role);  // the area; bars of whole numbers

struct Autocorrelations {
  Series all;                  // autocorrelations of all chains together, lag 0 first
  std::vector<Series> chains;  // autocorrelations of each chain; empty for one that never moves
};
Autocorrelations autocorrelations_of(const diagnose::Chains& chains, Index num_lags);

// The quantiles that pictures of intervals have.
struct Quantiles {
  double q5 = kNaN, q25 = kNaN, q50 = kNaN, q75 = kNaN, q95 = kNaN;
};
// Quantiles over all chains. NaN with a value that isn't finite.
Quantiles quantiles_of(const diagnose::Chains& chains, std::span<const double> weights = {});
Quantiles quantiles_of(std::span<const double> values, std::span<const double> weights = {});

// The central 90 % and 50 % at each place: lying (intervals), upright (spans), or along a line (areas).
struct IntervalMarks {
  Mark wide, narrow;
  IntervalMarks(Mark::Kind kind, std::string label, Role inner = Role::inner);
  void add(double place, const Quantiles& q);
};

}  // namespace credo::report
