// Predictions beside their outcomes, whoever made them: what scores, calibration and conformal sets are computed from.
#pragma once
#include "base/stream.hpp"
#include "base/types.hpp"

namespace credo::score {

inline constexpr std::uint32_t kScoreStream = stream("score", 100);  // chain: which part

// Form of the prediction in a row.
//   classes      probabilities of K classes
//   normal       mean and standard deviation of a normal distribution
//   point        a number alone
//   quantiles    at ascending levels
//   draws        S draws from the predictive distribution, ascending; vectors of D numbers one after another, in
// any order   likelihood   the log likelihood of the outcome at each of M draws of the parameters
enum class Form : std::uint8_t { classes, normal, point, quantiles, draws, likelihood };
inline constexpr Index kNumForms = 6;
std::string_view name_of(Form form);

// N × K numbers, row after row.
struct Rows {
  Index num_columns = 0;
  std::vector<double> values = {};

  Index size() const { return num_columns == 0 ? 0 : ssize(values) / num_columns; }
  std::span<const double> operator[](Index i) const {
    return std::span(values).subspan(static_cast<std::size_t>(i * num_columns),
                                     static_cast<std::size_t>(num_columns));
  }
  void add(std::span<const double> row) { values.insert(values.end(), row.begin(), row.end()); }
};

struct Predictions {
  Form form = Form::classes;
  Rows values = {};  // probabilities of classes; otherwise by Form
  Rows logs =
      {};  // logarithms of the probabilities of classes, which keep digits that probabilities near 1 lose
  Rows logits = {};  // logits of classes as they were given; empty: the logarithms
  // N × dimension; numbers of classes from 0; NaN: not known.
  std::vector<double> outcomes = {};
  Index dimension = 1;                    // numbers in an outcome
  std::vector<std::string> classes = {};  // their names
  std::vector<double> levels = {};        // of quantiles
  // One for each row, or empty.
  std::vector<double> weights =
      {};  // density ratio of where predictions are used to where they were made
  std::vector<double> log_density = {};  // log density of the outcome
  std::vector<double> log_true =
      {};  // log density of the outcome by the distribution that made it, if that is known
  std::vector<double> confidence = {};  // higher: rather predict
  std::vector<Index> blocks = {};       // of rows that are predicted jointly
  std::string source = {};              // for messages

  Index num_rows() const { return values.size(); }
  Index num_classes() const { return ssize(classes); }
  Index num_draws() const { return values.num_columns / dimension; }
  double outcome(Index i) const { return outcomes[static_cast<std::size_t>(i * dimension)]; }
  bool knows_outcome(Index i) const { return !std::isnan(outcome(i)); }
  // The class of a row, which is known.
  std::size_t label(Index i) const { return static_cast<std::size_t>(outcome(i)); }
  std::span<const double> logits_of(Index i) const {
    return logits.num_columns == 0 ? logs[i] : logits[i];
  }
};

// Rows of which the outcome is known.
std::vector<Index> known_rows(const Predictions& all);
// These rows alone, in this order.
Predictions rows_of(const Predictions& all, std::span<const Index> rows);

// Rows whose quantiles fall somewhere.
Index num_crossing(const Predictions& all);
// Draws of numbers are put in order.
void sort_draws(Predictions& all);

struct Halves {
  Predictions first, second;
};
// Some of the rows, which are chosen by the seed, and all others; each part in its order. The first part has
// round(share · N) rows. Throws Error(usage) where a part would be empty.
Halves split(const Predictions& all, double share, std::uint64_t seed);

Index likeliest_class(const Predictions& all, Index row);  // the first one of equal ones

// True if the distribution of a row has quantiles at this level; and the quantile, NaN without one. Draws have those of
// their empirical distribution, linear between order statistics.
bool has_quantile(const Predictions& all, double level);
double quantile_of(const Predictions& all, Index row, double level);
double mean_of(const Predictions& all, Index row);  // NaN where the form has none
// Standard deviation of a normal distribution or of draws.
double sd_of(const Predictions& all, Index row);

// Probabilities of classes and their logarithms, each from the others.
struct ClassProbabilities {
  std::vector<double> probabilities, logs;
};
ClassProbabilities distribution_of_logits(std::span<const double> logits);
ClassProbabilities distribution_of_probabilities(std::vector<double> probabilities);
void add_distribution(Predictions& all, const ClassProbabilities& distribution);

// log(softmax(logits)): logits less the log of the sum of their exponentials; -infinity stays.
std::vector<double> log_softmax(std::span<const double> logits);

}  // namespace credo::score
