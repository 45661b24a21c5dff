// The rows of some data at draws of a fit: the probability of each outcome, for the observed outcomes and for any
// others. Scores and conformal sets of a fit are computed from them.
#pragma once
#include "density/model.hpp"
#include "results/draws/chosen_draws.hpp"
#include "results/files/fit.hpp"
#include "score/conformal.hpp"

namespace credo::results {

struct OutcomeOptions {
  std::string outcome = {};  // a variable of the data; empty: the only one that densities are of
  Index num_draws = 1000;    // at most, spread over all
  std::uint64_t seed = 1;    // of replicates
};

struct DataText {
  std::string path, text;  // JSON
};

class OutcomeRows {
 public:
  // `model`: the fit's program, its data in `data`; both it and the fit must live as long. Throws Error(program) where the
  // likelihood hasn't one row for each element of the outcome, or a row depends on another row's outcome; Error(usage) where
  // the outcome isn't one variable of one dimension.
  OutcomeRows(const Fit& fit, const density::Model& model, DataText data, OutcomeOptions options);

  Index size() const { return ssize(observed_); }
  std::span<const double> observed() const { return observed_; }
  bool is_whole() const { return is_whole_; }
  // True if the outcome is that of a density of classes: bernoulli, categorical, ordered.
  bool is_of_classes() const { return is_of_classes_; }
  Index num_draws() const { return ssize(positions_); }

  // N × S: the log likelihood of each row at each draw, its outcome the given one.
  score::Rows log_likelihoods(std::span<const double> outcomes) const;
  score::Rows log_likelihoods() const { return log_likelihoods(observed_); }
  // N × S: outcomes that the statements of the likelihood draw.
  score::Rows replicates() const;
  const std::string& name() const { return name_; }
  const std::string& source() const { return data_.path; }

 private:
  void find_outcome();
  void require_own_rows() const;
  std::vector<double> drawn_outcomes(density::Replicates& replicates, std::size_t draw) const;
  std::string text_with(std::span<const double> outcomes) const;

  const Fit& fit_;
  const density::Model& model_;
  DataText data_;
  OutcomeOptions options_;
  std::string name_;
  std::vector<double> observed_;
  bool is_whole_ = false, is_of_classes_ = false;
  std::vector<std::vector<double>> positions_;
};

enum class RowUse : std::uint8_t {
  as_they_are,  // for rows that the fit hasn't seen; if it has, predictions are too good
  left_out,  // for rows of the fit: draws are weighted as if it hadn't seen the row (diagnose/psis.hpp)
  likelihoods  // log likelihoods at the draws, for joint scores
};
struct FitPredictions {
  score::Predictions predictions;
  Index num_unreliable = 0;  // rows that can't be left out so: Pareto k above its limit
};
// Probabilities of classes from the likelihood of each; otherwise replicates, with the log predictive density of the
// observed outcome.
FitPredictions predictions_of(const OutcomeRows& rows, RowUse use);

// Draws of an output of a fit, such as a generated quantity, beside the variable of the data that it predicts, "y=y_rep".
// Throws Error(usage) where either isn't there, or isn't a vector of the same length.
score::Predictions predictions_of_pair(const Fit& fit, const DataText& data,
                                       const std::string& pair, Index num_draws);

// Outcomes of each row that are kept, by the log likelihoods of a candidate at the draws: whole outcomes are all
// evaluated; for real ones, a grid over all replicates and outcomes, then the ends are bisected: the set is the interval
// between the outermost ones that are kept, infinite if that is the grid's end.
using KeepOutcome = std::function<bool(Index row, std::span<const double> log_likelihoods)>;
std::vector<score::OutcomeSet> outcome_sets(const OutcomeRows& rows,
                                            const score::Predictions& predictions,
                                            const KeepOutcome& keep);

}  // namespace credo::results
