// The process at points, averaged over hyperparameters.
#pragma once
#include "models/gp/gp_table.hpp"
#include "models/gp/hyper.hpp"

namespace credo::models {

struct GpAtPoints {
  std::string name;  // group of the answer: "predictions" or "fitted"
  GpPoints points = {};
  Index num_draws = 0;
  bool from_prior = false;  // draws
  GpMoments all = {};
  // Means of the outcomes, by class, for outcomes that aren't normal: [class][point].
  std::vector<std::vector<double>> outcomes = {};
  std::vector<GpMoments> terms = {};  // by term of the covariance; empty for one term
  GpMoments slope = {};               // derivative by an input; empty if it isn't computed
  std::vector<std::vector<double>> draws = {};  // draws of the function
};

struct GpAverages {
  double noise_variance = 0.0;
  std::vector<double> coefficients = {}, coefficient_sds = {};  // coefficients of the mean
  std::vector<double> weights = {};  // alpha of the last point, if requested
};

struct GpSlope {
  Index column = -1;        // input; -1: no derivative
  bool is_in_mean = false;  // the mean has the input itself as a term, the last one
};
// The derivative by an input. Throws Error(usage) if the process has no derivative.
GpSlope slope_by(const GpTable& table, const std::string& input);

// Fills `at`. Draws have the seed `seed`.
GpAverages predict(const GpTable& table, GpSolver& solver, const HyperPoints& hyper,
                   const GpSlope& slope, bool wants_weights, std::uint64_t seed,
                   std::span<GpAtPoints> at);

}  // namespace credo::models
