// Full conformal prediction: no rows are set apart. A candidate outcome y of a new row is kept if it isn't among the α worst of
// n + 1 rows by a model that has seen all of them, y included [vovk2005]. For a Bayesian model the refit is a weighting of the
// draws at hand: w_s ∝ p(y | x, θ_s), add-one-in importance sampling [fong2021].
#pragma once
#include "score/predictions.hpp"

namespace credo::score {

// (1 / (n + 1)) #{i <= n + 1 : c_i <= c_{n+1}} of conformities, the new row's last: candidates with more than 1 - level are kept.
double full_conformal_p(std::span<const double> conformities);

class AddOneIn {
 public:
  // Log likelihoods of the n rows that the model was fitted to, at S draws: n × S.
  explicit AddOneIn(const Rows& log_likelihoods);

  struct Candidate {
    double p_value = kNaN;
    double ess =
        kNaN;  // effective sample size of the weights [kish1965]: the equivalent number of equally weighted draws
  };
  // `log_likelihoods`: those of the candidate at the new row, at the same draws. Conformity: the log predictive density given all
  // n + 1 rows.
  Candidate judge(std::span<const double> log_likelihoods) const;
  Index num_rows() const { return likelihoods_.size(); }

 private:
  Rows likelihoods_;  // exp of each row's less its largest
  std::vector<double> largest_;
};

}  // namespace credo::score
