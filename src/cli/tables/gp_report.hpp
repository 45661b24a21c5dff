// A Gaussian process as a text and as arrays.
#pragma once
#include "cli/tables/gp_flow_report.hpp"
#include "cli/tables/gp_search.hpp"
#include "models/gp/gp_check.hpp"
#include "models/gp/gp_predictions.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct GpReport {
  const models::GpTable& table;
  std::vector<models::GpOptimum> optima = {};
  bool is_bound = false;  // the evidence is a lower bound
  std::string solver = {}, solver_words = {}, derivative = {};
  models::HyperPoints hyper = {};  // several: hyperparameters are averaged over them
  models::GpAverages averages = {};
  std::vector<models::GpAtPoints> at = {};
  std::optional<models::GpCheck> check = {};
  std::vector<models::GpSpectrum> spectra = {};
  std::optional<GpSearchReport> search = {};
  std::optional<GpFlowReport> flow = {};
  bool is_ridge = false;
  double norm = 0.0,
         loss = 0.0;  // ridge regression: squared norm of the function, sum of squared residuals
  std::vector<std::string> remarks = {};  // sentences

  std::string text() const;
  results::ArrayList answer() const;
};

// Sentences of the verdict on the hyperparameters.
std::vector<std::string> gp_findings(const models::GpTable& table,
                                     std::span<const models::GpOptimum> optima);

}  // namespace credo::cli
