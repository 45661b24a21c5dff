// The member of a normal family that is nearest to draws by KL(p ‖ q): it has their mean, and the part of their covariance that the
// family can hold (moment projection [murphy2023, 5.1.4.2]). The evidence bound makes KL(q ‖ p) small instead, which leaves
// out tails and modes where q can't hold them; this covers them.
#pragma once
#include "density/log_density.hpp"
#include "infer/core/fields.hpp"
#include "infer/variational/families/normal_family.hpp"

namespace credo::infer {

struct Moments {
  std::vector<double> mean, covariance;  // D, D × D
};
// Weighted, of points that have D values each; weights as logarithms, none: equal ones. Two points at least.
Moments weighted_moments(std::span<const std::vector<double>> points,
                         std::span<const double> log_weights);

// Weighted mean of the log density over such points: with it E_p[log p - log q], an upper bound of the log evidence, is known. NaN where the density
// refuses a point.
double mean_log_density(const density::LogDensity& density,
                        std::span<const std::vector<double>> points,
                        std::span<const double> log_weights);

struct MomentsOptions {
  CovarianceShape covariance = CovarianceShape::automatic;
  Index rank = 5;
  std::vector<std::string> join = {};
  std::string from = {};
  // A flow in the place of a normal distribution, and the draws that it is fitted to: points one after another, with their log weights.
  std::string layers = {};
  Index hidden = 32;
  std::vector<double> points = {}, log_weights = {};
  // Moments of the draws in `from`, which a command reads. If empty, those of a short run of NUTS count.
  std::vector<double> mean = {}, second = {};
  std::vector<double> log_density = {};  // one number, or none

  static void describe(auto& self, auto&& field) {
    field(self.covariance, FieldSpec{.name = "covariance",
                                     .help = "covariance of the normal distribution; auto: full up "
                                             "to 200 values, else of low rank"});
    field(self.rank, kRankField);
    field(self.join, kJoinField);
    field(self.from, FieldSpec{.name = "from",
                               .help = "a fit of this program whose draws are approximated; none: "
                                       "1000 draws of NUTS",
                               .values = "*"});
    field(self.layers, FieldSpec{.name = "layers",
                                 .help = "layers of a flow, as maf:5 or spline:4, fitted to the "
                                         "draws by maximum likelihood; none: a normal distribution",
                                 .values = "*"});
    field(self.hidden, FieldSpec{.name = "hidden",
                                 .help = "units of the network of each layer",
                                 .range = {.lo = 1.0, .hi = 10'000.0},
                                 .needs = "layers"});
    field(
        self.points,
        FieldSpec{.name = "points", .help = "the draws themselves, for a flow", .needs = "layers"});
    field(
        self.log_weights,
        FieldSpec{.name = "log_weights", .help = "logarithms of their weights", .needs = "points"});
    field(self.mean, FieldSpec{.name = "mean",
                               .help = "mean of the unconstrained values in the place of draws"});
    field(self.second,
          FieldSpec{.name = "second", .help = "their covariance, row by row", .needs = "mean"});
    field(self.log_density,
          FieldSpec{.name = "log_density",
                    .help = "mean log density at the draws, for the upper bound of the evidence",
                    .needs = "mean"});
  }
};

struct MomentFit {
  std::unique_ptr<NormalFamily> family;
  double divergence =
      kNaN;  // KL from the normal distribution with the moments: 0 for a full covariance
  double mean_log_q = kNaN;  // over the draws
  bool converged = false;
};
// Throws Error(evaluation) where the covariance isn't positive definite.
MomentFit fit_moments(const Moments& moments, CovarianceShape shape, Index rank,
                      std::vector<std::vector<Index>> blocks);

}  // namespace credo::infer
