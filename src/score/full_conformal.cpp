#include "score/full_conformal.hpp"

#include "diagnose/weights.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::score {

double full_conformal_p(std::span<const double> conformities) {
  const double own = conformities.back();
  const auto as_low =
      std::count_if(conformities.begin(), conformities.end(), [&](double c) { return c <= own; });
  return static_cast<double>(as_low) / static_cast<double>(conformities.size());
}

AddOneIn::AddOneIn(const Rows& log_likelihoods) : likelihoods_(log_likelihoods) {
  for (Index i = 0; i < log_likelihoods.size(); ++i) {
    const std::span<const double> row = log_likelihoods[i];
    largest_.push_back(*std::max_element(row.begin(), row.end()));
  }
  for (std::size_t e = 0; e < likelihoods_.values.size(); ++e) {
    const double largest = largest_[e / static_cast<std::size_t>(likelihoods_.num_columns)];
    double& x = likelihoods_.values[e];
    x = largest == -kInfinity ? 0.0 : numerics::exp(x - largest);
  }
}

AddOneIn::Candidate AddOneIn::judge(std::span<const double> log_likelihoods) const {
  const double total = numerics::log_sum_exp(log_likelihoods);
  if (total == -kInfinity) return {0.0, kNaN};  // an outcome that no draw allows
  std::vector<double> weights, own;
  const double largest = *std::max_element(log_likelihoods.begin(), log_likelihoods.end());
  for (const double x : log_likelihoods) {
    weights.push_back(numerics::exp(x - total));
    own.push_back(numerics::exp(x - largest));
  }
  const auto conformity = [&](double scale, std::span<const double> likelihoods) {
    return scale + numerics::log(std::inner_product(likelihoods.begin(), likelihoods.end(),
                                                    weights.begin(), 0.0));
  };
  std::vector<double> conformities;
  for (Index i = 0; i < num_rows(); ++i)
    conformities.push_back(conformity(largest_[static_cast<std::size_t>(i)], likelihoods_[i]));
  // Rows that conform equally are as many as they are, however their sums were rounded.
  constexpr double kRounding = 1e-10;
  conformities.push_back(conformity(largest, own) + kRounding);
  return {full_conformal_p(conformities), diagnose::weight_ess(log_likelihoods)};
}

}  // namespace credo::score
