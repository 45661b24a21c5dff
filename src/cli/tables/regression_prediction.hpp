// Predictions of a fit that credo regression made, for the rows of another table.
#pragma once
#include "cli/load.hpp"
#include "models/regression/prediction.hpp"
#include "models/regression/regression.hpp"
#include "results/draws/predict.hpp"
#include "results/files/fit.hpp"

namespace credo::cli {

struct RegressionScale {
  std::string scale = {};       // linear, mean or outcome; empty: mean and outcome
  std::string new_groups = {};  // draw, mean or refuse; empty: draw

  bool is_given() const { return !scale.empty() || !new_groups.empty(); }
};

// True if the fit keeps the request of a regression.
bool is_regression(const results::Fit& fit);
// The regression again, from the request and the table that the fit keeps. Throws Error(usage) if it isn't the fit's program.
models::Regression regression_of_fit(const results::Fit& fit, Output& output);
// A model with the fit's parameters whose generated quantities are the predictions. `model`: the table and how it is read; without
// one the fit's own. `options`: gets the selection, files and paths. Faults of the table are printed before an Error(data) is thrown.
std::unique_ptr<model::Model> regression_prediction(const results::Fit& fit, ModelArguments& model,
                                                    const RegressionScale& scale,
                                                    results::PredictOptions& options,
                                                    Output& output);
// The model of a prediction's program with its rows. `arguments`: gets the names and texts of both.
std::unique_ptr<model::Model> load_prediction(const models::Prediction& prediction,
                                              ModelArguments& arguments, Output& output);

}  // namespace credo::cli
