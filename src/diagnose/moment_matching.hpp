// Importance sampling from draws of another density that are moved to where they are needed [paananen2021]: affine maps give
// the draws the weighted moments that importance weights have found, for as long as the weights become better.
#pragma once
#include "diagnose/psis.hpp"

namespace credo::diagnose {

// Draws of a density p of D coordinates, and a row of the likelihood; p without the row is p / likelihood.
struct MatchedDensity {
  Index dimension = 0;                     // D
  std::span<const double> points;          // S draws of p, D coordinates each, a draw after another
  std::span<const double> log_density;     // log p there, up to a constant
  std::span<const double> log_likelihood;  // of the row
  // Evaluates other points, S at a time: writes log density, then log likelihood; a point that p refuses has the log
  // density -infinity.
  std::function<void(std::span<const double> points, std::span<double> log_density,
                     std::span<double> log_likelihood)>
      at;
};

struct MatchOptions {
  double r_eff = 1.0;    // relative efficiency of the draws
  double k_limit = 0.7;  // maps end at a Pareto k up to this
  Index most_maps = 30;
  bool mixes = true;  // false: in the end all draws are moved
};

struct MomentMatch {
  RowFigures row;  // elpd_loo, mcse and pareto_k are of the moved draws, the others as they were
  Index num_maps = 0;
};

// `row`: by the draws as they are (row_figures). Maps match means, then means and variances, then means and covariances,
// where there are ten draws for each coordinate at least; each is kept if it lowers Pareto k. In the end, where `mixes`, half of the draws are
// moved and half of them aren't, with weights for the mixture of both [paananen2021, 3.1.3], so that what the row was
// weighed by can't make the mean of its likelihood infinite.
MomentMatch match_moments(const MatchedDensity& density, const RowFigures& row,
                          const MatchOptions& options);

}  // namespace credo::diagnose
