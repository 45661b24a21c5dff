// Input of `credo score`: a table, or predictions of a fit.
#pragma once
#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/score/score_report.hpp"
#include "results/draws/outcome_rows.hpp"
#include "score/read_predictions.hpp"

namespace credo::cli {

struct ScoreData {
  score::Predictions test;                        // predictions that are scored
  std::optional<score::Predictions> calibration;  // other rows, by the same program
  std::string remark;                             // on where they come from
};

class ScoreInputs {
 public:
  void describe(Arguments& arguments);
  // `level`: level of conformal sets, whose quantiles a quantile regression predicts. Throws Error(usage) and Error(data).
  ScoreData read(double level, Output& output, bool json);
  score::Predictions read_table(const std::string& path) const;
  std::uint64_t seed() const { return seed_; }
  Index num_draws() const { return num_draws_; }
  const std::vector<std::string>& files() const { return files_; }

  bool is_fit() const { return fit_ != nullptr; }
  // Sets of a fit at the rows of --test: by the fit, reweighted for each outcome, or, for real outcomes, by the predictive
  // density and the calibration rows. Throws Error(usage).
  ConformalResult full_sets(const ScoreData& data, const score::ConformalOptions& options);
  ConformalResult density_sets(const ScoreData& data, const score::ConformalOptions& options) const;

 private:
  score::ReadOptions read_options() const;
  ScoreData read_tables() const;
  ScoreData read_regression(double level) const;
  void weigh_by_shift(ScoreData& data) const;
  void take_split(ScoreData& data) const;
  ScoreData read_fit(Output& output, bool json);
  ScoreData read_pair(Output& output, bool json);
  results::DataText own_data();
  results::RowUse use_of_own() const;
  // Rows of a fit with the model of their data.
  struct FitRows {
    std::unique_ptr<density::Model> model;  // null: the model of the fit
    std::unique_ptr<results::OutcomeRows> rows;
  };
  FitRows rows_of_own();
  FitRows rows_of_file(const std::string& path, Output& output, bool json);
  ConformalResult kept_sets(const ScoreData& data, const score::ConformalOptions& options,
                            const results::KeepOutcome& keep) const;

  std::vector<std::string> files_;
  std::string calibration_, test_, outcome_, form_, covariates_, train_, class_prior_, shift_,
      pair_;
  double split_ = 0.0;
  std::uint64_t seed_ = 1;
  Index num_draws_ = 1000;
  bool normalise_ = false, in_sample_ = false;
  FittedModel fitted_;
  std::unique_ptr<results::Fit> fit_;
  std::unique_ptr<model::Model> model_;
  FitRows own_, other_, calibration_rows_;
};

// Numbers above 0 between commas, divided by their sum. Throws Error(usage).
std::vector<double> parse_shares(const std::string& text, const std::string& option);

}  // namespace credo::cli
