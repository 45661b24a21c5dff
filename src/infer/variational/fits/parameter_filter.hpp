// The extended Kalman filter of parameters [murphy2023, 17.6.1]: a normal belief N(m, P) of the unconstrained values sees the rows of
// the likelihood one after another, each once and linearised at m. With the row's numbers η, H = ∂ηᵀ/∂x, their expected information
// F and g = ∇ log p(row):
//
//   P ← P + q I                                                    between rows
//   W = P H L C⁻ᵀ,   L Lᵀ = F,   C Cᵀ = I + Lᵀ Hᵀ P H L             so that W Wᵀ = P H (F⁻¹ + Hᵀ P H)⁻¹ Hᵀ P
//   m ← m + P g - W Wᵀ g,   P ← P - W Wᵀ
//
// For normal rows with noise R this is m + K (y - η), K = P H (R + Hᵀ P H)⁻¹; other rows have their score and information in the place of
// (y - η) / R and 1 / R. Decoupled [murphy2023, 17.6.1.3]: P has a block for each group of values and nothing beside them; W is that of
// all groups, P_g ← P_g - W_g W_gᵀ.
#pragma once
#include "density/linearised_rows.hpp"
#include "infer/variational/climbs/normal_prior.hpp"

namespace credo::infer {

struct ParameterFilterSetup {
  NormalBelief belief;
  std::vector<std::vector<Index>> groups;  // each coordinate once
  double noise =
      0.0;  // variance of the rows' noise, in the place of 1 / F; 0: as the rows state it
  double process_noise = 0.0;
  bool is_later =
      false;  // process noise before the first row, too: the belief is that after an earlier row
};

class ParameterFilter {
 public:
  explicit ParameterFilter(ParameterFilterSetup setup);
  void see(const density::LinearisedRow& row);
  const std::vector<double>& mean() const { return belief_.mean; }
  const std::vector<double>& covariance() const { return belief_.covariance; }
  Index num_seen() const { return num_seen_; }
  static void saved(auto& self, auto&& field) {
    field(self.belief_.mean);
    field(self.belief_.covariance);
    field(self.num_seen_);
  }

 private:
  void diffuse();
  void multiply(std::span<const double> v, std::span<double> into) const;  // P v
  void set_gain(const density::LinearisedRow& row, double weight);         // W
  void move(std::span<const double> gradient, double weight);

  NormalBelief belief_;
  std::vector<std::vector<Index>> groups_;
  double noise_, process_noise_;
  bool is_later_;
  Index num_seen_ = 0;
  std::vector<double> gain_;  // W, K × D, one column after another
};

}  // namespace credo::infer
