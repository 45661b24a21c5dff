// Projection predictive selection [piironen2020]: terms enter a submodel in the order in which its predictions come nearest to those of
// a reference fit, and the submodel's predictive density for rows left out says how many are needed.
//
//   Each draw of the reference, with the means mu, is projected: the submodel's coefficients minimise KL(reference | submodel), which is
//   a maximum of the likelihood of mu in the place of the outcomes. Links are canonical, so Newton's method takes a few steps.
#pragma once
#include "base/types.hpp"

namespace credo::models {

// Outcomes with a canonical link, per trial.
struct ProjectedFamily {
  std::string_view name, link;
  double (*mean)(double eta);
  double (*variance)(double mean);  // variance of an outcome per trial, up to the dispersion
  // Divergence of an outcome with one mean from that with another; for normal outcomes the square, from which the noise follows.
  double (*divergence)(double from, double to);
  // log p(y | mean); y counts among so many trials.
  double (*log_density)(double y, double mean, double trials, double sigma);
  bool has_sigma;
};
const ProjectedFamily* find_projected_family(std::string_view name, std::string_view link);
std::string projected_family_names();

struct ProjectionTerm {
  std::string name;
  std::vector<std::vector<double>> columns;
};

struct ProjectionProblem {
  const ProjectedFamily* family = nullptr;
  std::vector<ProjectionTerm> terms = {};
  std::vector<double> y = {}, trials = {};      // trials: 1 without
  std::vector<std::vector<double>> means = {};  // by draw of the reference and row, per trial
  std::vector<double> sigma = {};               // by draw; for families that have one
  Index num_search = 40;                        // draws that decide the order
};

struct ProjectionStep {
  std::string term;         // the term that enters; empty: the intercept alone
  double divergence = 0.0;  // from the reference to the submodel, mean over rows and draws
  double elpd = 0.0, elpd_error = 0.0;
  double difference = 0.0, difference_error = 0.0;  // to the reference
};

struct Projection {
  std::vector<ProjectionStep> steps;    // with 0, 1, ... terms
  double elpd = 0.0, elpd_error = 0.0;  // those of the reference
  Index num_suggested =
      -1;  // terms of the smallest submodel within one standard error of the reference; -1: there is no such submodel
  Index num_unreliable = 0;  // rows whose Pareto k is above the limit
};

Projection project_steps(const ProjectionProblem& problem);

// Means of a submodel with these terms at one draw of the reference, and the noise there: for a single set.
struct Projected {
  std::vector<double> mean;
  double sigma = 0.0, divergence = 0.0;
};
Projected project_draw(const ProjectionProblem& problem, std::span<const Index> terms, Index draw);

}  // namespace credo::models
