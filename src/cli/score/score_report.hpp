// Results of `credo score`: each part as text, and as arrays of an answer.
#pragma once
#include "results/arrays/arrays.hpp"
#include "score/calibrators.hpp"
#include "score/comparison.hpp"
#include "score/conformal.hpp"
#include "score/confusion.hpp"
#include "score/distribution_calibration.hpp"
#include "score/joint.hpp"
#include "score/selective.hpp"

namespace credo::cli {

struct ScoredPredictions {
  std::vector<const score::ScoreRow*> rows;
  std::vector<std::vector<double>> by_row;  // values of each score
  std::vector<score::Figure> figures;
};
ScoredPredictions score_all(const score::Predictions& all, std::span<const std::string> names,
                            const score::ScoreOptions& options);

// Calibration of distributions or of classes, by the form of the predictions.
struct Calibration {
  std::optional<score::ClassCalibration> of_classes;
  std::optional<score::DistributionCalibration> of_distributions;
  std::string sentence() const;
};
// Empty if the form has no calibration (a number alone, likelihoods, vectors) or no outcome is known.
Calibration calibration_of(const score::Predictions& all, const score::ReliabilityOptions& options,
                           std::uint64_t seed);

struct Recalibration {
  std::string method;
  std::vector<score::CalibratorParameter> parameters;
  score::Predictions predictions;
  ScoredPredictions scored;
  Calibration calibration;
};

struct ConformalResult {
  std::string method;
  Index num_scores = 0;
  double level = 0.9, exact_coverage = kNaN, threshold = kNaN;  // NaN: one for each row
  std::vector<score::OutcomeSet> sets;
  score::SetFigures figures;
  double least_ess = kNaN;  // least ESS of the weights of draws, for full conformal sets
};

std::string text_of(const ScoredPredictions& scored);
void add_to(results::ArrayList& answer, const ScoredPredictions& scored);
std::string text_of(const Calibration& calibration);
void add_to(results::ArrayList& answer, const Calibration& calibration);
std::string text_of(const score::Predictions& all, const score::Confusion& confusion);
std::string text_of(const score::Predictions& all, const score::ErrorRates& rates,
                    double prevalence);
void add_to(results::ArrayList& answer, const score::Confusion& confusion);
void add_to(results::ArrayList& answer, const score::ErrorRates& rates, double prevalence);
std::string text_of(const score::JointFigure& joint);
void add_to(results::ArrayList& answer, const score::JointFigure& joint);
std::string text_of(std::span<const Recalibration> all, const ScoredPredictions& before,
                    const Calibration& calibration);
void add_to(results::ArrayList& answer, std::span<const Recalibration> all);
std::string text_of(std::span<const ConformalResult> all, const score::Predictions& predictions);
void add_to(results::ArrayList& answer, std::span<const ConformalResult> all,
            const score::Predictions& predictions);
std::string text_of(std::span<const score::Difference> differences,
                    const score::DistributionDistances& distances);
void add_to(results::ArrayList& answer, std::span<const score::Difference> differences,
            const score::DistributionDistances& distances);
struct Selection {
  std::vector<score::SelectivePoint> curve;
  double area = kNaN;
  std::optional<score::SelectiveRule> rule;
  double max_error = kNaN;
  std::optional<score::SelectivePoint> applied;  // the rule on the rows that are scored
};
std::string text_of(const Selection& selection);
void add_to(results::ArrayList& answer, const Selection& selection);

// "cat;dog" of classes; ends of an interval are columns of their own.
std::string set_text(const score::OutcomeSet& set, const score::Predictions& all);

}  // namespace credo::cli
