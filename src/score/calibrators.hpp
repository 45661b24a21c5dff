// Recalibration: maps from probabilities of classes to better ones, fitted to rows that the predictions weren't made
// from. One row of a table each.
#pragma once
#include "score/predictions.hpp"
#include "score/reliability.hpp"

namespace credo::score {

struct CalibratorOptions {
  Index num_bins = 10;                     // bins of histogram and scaling_binning
  Binning binning = Binning::equal_count;  // of the same
  double smoothing =
      0.0;  // smoothing of labels: the outcome's class counts 1 - ε + ε / K, each other one ε / K
  double ridge = 0.0;  // penalty of the scaling methods: draws their parameters towards no change
};

struct CalibratorParameter {
  std::string name;
  double value = kNaN;
};

class Calibrator {
 public:
  virtual ~Calibrator() = default;
  // Calibrated probabilities of the classes, for a row of predictions of the same kind.
  virtual ClassProbabilities distribution(const Predictions& all, Index row) const = 0;
  virtual std::vector<CalibratorParameter> parameters() const = 0;
};

struct CalibratorRow {
  std::string_view name, words;
  bool by_class =
      false;  // for more than two classes: each against all others, then divided by the sum
  std::string_view reference;
  // Fitted to rows with an outcome. Throws Error(data) without such rows, and if the optimum isn't finite.
  std::unique_ptr<Calibrator> (*fit)(const Predictions& all, const CalibratorOptions& options);
};

std::span<const CalibratorRow* const> calibrator_rows();
const CalibratorRow& find_calibrator(
    std::string_view name);  // throws Error(usage) with the names there are
std::vector<std::string> names_of_calibrators();

Predictions recalibrated(const Predictions& all, const Calibrator& calibrator);

// --- Parts of calibrators -----------------------------------------------------------------------------
// Weights t_k of the classes for each row with an outcome, with labels smoothed.
std::vector<double> targets_of(const Predictions& all, std::span<const Index> rows,
                               double smoothing);

// The probability of one class, and its logit, which may say more.
struct Chance {
  double probability, logit;
};
class ClassMap {
 public:
  virtual ~ClassMap() = default;
  virtual double probability(const Chance& chance) const = 0;
  virtual std::vector<CalibratorParameter> parameters() const = 0;
};
// Chances and targets, one a row; targets in [0, 1].
using FitClassMap = std::unique_ptr<ClassMap> (*)(std::span<const Chance> chances,
                                                  std::span<const double> targets,
                                                  const CalibratorOptions& options);
std::unique_ptr<ClassMap> fit_platt(std::span<const Chance> chances,
                                    std::span<const double> targets,
                                    const CalibratorOptions& options);
// The same map of the second of two classes, or of each of several against all others [zadrozny2002].
std::unique_ptr<Calibrator> fit_by_class(const Predictions& all, const CalibratorOptions& options,
                                         FitClassMap fit);

// The non-decreasing values that are nearest to y in weighted mean square, in the order given: neighbours that fall are
// pooled [ayer1955].
std::vector<double> isotonic(std::span<const double> y, std::span<const double> weights);

}  // namespace credo::score
