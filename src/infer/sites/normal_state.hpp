// The normal distribution q of the rounds: covariance and mean, with updates of rank one.
#pragma once
#include "infer/sites/site_update.hpp"

namespace credo::infer {

class NormalState {
 public:
  // From exp(shiftᵀ θ - ½ θᵀ precision θ). False, and it isn't changed, unless that has a finite integral. O(D³)
  bool set(const numerics::RowMatrix& precision, std::span<const double> shift);

  // The distribution of s = aᵀ θ; keeps V a for add().
  SiteNormal along(const LinearSite& site);
  // Times exp(shift s - ½ precision s²), for the site of the last along(). Asks for 1 + precision v > 0. O(D²)
  void add(const SiteFactor& change);
  // Takes the correlations off.
  void make_diagonal();

  std::span<const double> mean() const { return mean_; }
  const numerics::RowMatrix& covariance() const { return covariance_; }
  double log_mass() const { return log_mass_; }  // log integral of the exponential in set()
  std::vector<double> log_sds() const;
  static void saved(auto& self, auto&& field) {
    field(self.covariance_.values);
    field(self.mean_);
    field(self.log_mass_);
  }

 private:
  numerics::RowMatrix covariance_;
  std::vector<double> mean_, column_;  // V a
  SiteNormal along_;
  double log_mass_ = kNaN;
};

// How far q has moved since it was last asked.
class NormalChanges {
 public:
  // The largest change of a mean, in standard deviations, and of a log standard deviation; infinite at first.
  double since_last(const NormalState& q);

 private:
  std::vector<double> means_, log_sds_;
};

// Adds factor · (a aᵀ, a) to a precision and a shift.
void add_factor(const LinearSite& site, const SiteFactor& factor, numerics::RowMatrix& precision,
                std::span<double> shift);

}  // namespace credo::infer
