#include "cli/score/score_report.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::cli {
namespace {
constexpr std::array<double, 5> kShownCoverages{1.0, 0.9, 0.75, 0.5, 0.25};

std::string reliability_text(const score::Reliability& part) {
  std::string text = fmt::format("{:<20} {:>7} {:>9} {:>9}   {}\n",
                                 part.of == "top" ? "likeliest class" : "class " + part.of, "rows",
                                 "said", "happened", "if calibrated");
  for (const score::ReliabilityBin& bin : part.bins)
    text += fmt::format("  {:>7.3g} to {:<7.3g} {:>7} {:>9.3f} {:>9.3f}   {:.3f} to {:.3f}{}\n",
                        bin.lower, bin.upper, bin.count, bin.predicted, bin.observed,
                        bin.band_lower, bin.band_upper, bin.is_outside() ? "  outside" : "");
  return text;
}

std::string distributions_text(const score::DistributionCalibration& calibration) {
  std::string text;
  if (!calibration.coverage.empty())
    text += fmt::format("{:<20} {:>9} {:>18} {:>11}\n", "central interval", "holds",
                        "95 % interval", "mean width");
  for (const score::CoverageFigure& figure : calibration.coverage)
    text += fmt::format("  {:<18} {:>9.3f}     {:.3f} to {:.3f} {:>11.4g}\n",
                        fmt::format("{:g} %", 100.0 * figure.mass), figure.share(), figure.lower,
                        figure.upper, figure.mean_width);
  if (!calibration.levels.empty())
    text += fmt::format("{:<20} {:>9} {:>11}\n", "quantile", "below", "p");
  for (const score::LevelFigure& figure : calibration.levels)
    text +=
        fmt::format("  {:<18g} {:>9.3f} {:>11.3g}\n", figure.level, figure.share, figure.p_value);
  return text;
}

}  // namespace

// --- scores -------------------------------------------------------------------------------------------
ScoredPredictions score_all(const score::Predictions& all, std::span<const std::string> names,
                            const score::ScoreOptions& options) {
  ScoredPredictions scored;
  if (names.empty()) scored.rows = score::scores_that_apply(all, options);
  for (const std::string& name : names) {
    const score::ScoreRow& row = score::find_score(name);
    if (!row.applies(all, options))
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' isn't a score of predictions of the form '{}'", name,
                              score::name_of(all.form)),
                  "--score");
    scored.rows.push_back(&row);
  }
  for (const score::ScoreRow* row : scored.rows) {
    scored.by_row.push_back(score::row_scores(*row, all, options));
    scored.figures.push_back(score::figure_of(*row, scored.by_row.back()));
  }
  return scored;
}

namespace {
std::string error_text(double error) {
  return std::isnan(error) ? "-" : fmt::format("{:.2g}", error);
}

// A score is infinite if the outcome that happened had probability 0.
std::string impossible_text(const ScoredPredictions& scored) {
  for (std::size_t k = 0; k < scored.rows.size(); ++k) {
    if (scored.rows[k]->name != "log") continue;
    const auto count = std::count(scored.by_row[k].begin(), scored.by_row[k].end(), -kInfinity);
    if (count > 0)
      return fmt::format("{} of {} outcomes had the probability 0: the log score is infinite\n",
                         count, scored.by_row[k].size());
  }
  return {};
}
}  // namespace

std::string text_of(const ScoredPredictions& scored) {
  std::string text = fmt::format("{:<12} {:>12} {:>11}  {}\n", "score", "mean", "error", "better");
  for (std::size_t k = 0; k < scored.rows.size(); ++k) {
    const score::ScoreRow& row = *scored.rows[k];
    const char* better = !row.is_proper ? "-" : row.higher_is_better ? "higher" : "lower";
    text += fmt::format("{:<12} {:>12.5g} {:>11}  {}\n", row.name, scored.figures[k].value,
                        error_text(scored.figures[k].error), better);
  }
  return text + impossible_text(scored);
}

// --- calibration ----------------------------------------------------------------------------------------
std::string Calibration::sentence() const {
  if (of_classes) return score::sentence_of(*of_classes);
  return of_distributions ? score::sentence_of(*of_distributions) : std::string();
}

Calibration calibration_of(const score::Predictions& all, const score::ReliabilityOptions& options,
                           std::uint64_t seed) {
  Calibration calibration;
  if (score::known_rows(all).empty() || all.dimension > 1) return calibration;
  if (all.form == score::Form::classes)
    calibration.of_classes = score::class_calibration(all, options);
  else if (all.form != score::Form::point && all.form != score::Form::likelihood)
    calibration.of_distributions = score::distribution_calibration(all, options.error_rate, seed);
  return calibration;
}

std::string text_of(const Calibration& calibration) {
  std::string text;
  if (calibration.of_classes) {
    const score::ClassCalibration& classes = *calibration.of_classes;
    text += reliability_text(classes.parts[0]);
    text += fmt::format("calibration error: {:.4f} of the likeliest class (ECE), {:.2g} marginal\n",
                        classes.ece, classes.marginal);
  }
  if (calibration.of_distributions) text += distributions_text(*calibration.of_distributions);
  const std::string sentence = calibration.sentence();
  return text + (sentence.empty() ? "" : sentence + "\n");
}

// --- classes --------------------------------------------------------------------------------------------
std::string text_of(const score::Predictions& all, const score::Confusion& confusion) {
  constexpr Index kMostShown = 8;
  if (confusion.num_classes > kMostShown)
    return fmt::format("confusion of {} classes: --json\n", confusion.num_classes);
  std::string text = fmt::format("{:<16}", "is, called");
  for (const std::string& name : all.classes) text += fmt::format(" {:>10.10}", name);
  for (Index k = 0; k < confusion.num_classes; ++k) {
    text += fmt::format("\n  {:<14.14}", all.classes[static_cast<std::size_t>(k)]);
    for (Index l = 0; l < confusion.num_classes; ++l)
      text += fmt::format(" {:>10}", confusion.at(k, l));
  }
  return text + "\n";
}

std::string text_of(const score::Predictions& all, const score::ErrorRates& rates,
                    double prevalence) {
  const auto line = [&](std::size_t k, double rate, const score::BetaDistribution& distribution) {
    return fmt::format(
        "error where {} is right: {:.3f} (90 % of its posterior: {:.3f} to {:.3f})\n",
        all.classes[k], rate, distribution.quantile(0.05), distribution.quantile(0.95));
  };
  const score::VerdictValue value =
      score::verdict_value(prevalence, rates.e0.mean(), rates.e1.mean());
  return line(0, rates.rate0(), rates.e0) + line(1, rates.rate1(), rates.e1) +
         fmt::format("area under the ROC curve: {:.4f}\n", rates.auc) +
         fmt::format(
             "where {:.3g} of the cases are {}: called {} it is so with probability {:.3f}, "
             "called {} with {:.3f}\n",
             prevalence, all.classes[1], all.classes[1], value.positive, all.classes[0],
             value.negative);
}

// --- joint ----------------------------------------------------------------------------------------------
std::string text_of(const score::JointFigure& joint) {
  std::string text =
      fmt::format("joint log score of {} blocks, {} rows: {:.5g} a block (error {:.2g})\n",
                  joint.num_blocks, joint.num_rows, joint.log_score, joint.error);
  if (!std::isnan(joint.kl))
    text += fmt::format(
        "divergence from the distribution that made the outcomes: {:.4g} a block (error {:.2g})\n",
        joint.kl, joint.kl_error);
  return text;
}

// --- recalibration --------------------------------------------------------------------------------------
namespace {
std::string p_text(const Calibration& calibration) {
  return calibration.of_classes ? fmt::format(" {:>11.2g}", calibration.of_classes->p_value) : "";
}
}  // namespace

std::string text_of(std::span<const Recalibration> all, const ScoredPredictions& before,
                    const Calibration& calibration) {
  std::string text = fmt::format("{:<16}", "recalibrated");
  for (const score::ScoreRow* row : before.rows) text += fmt::format(" {:>11}", row->name);
  text += fmt::format(" {:>11}\n{:<16}", "p", "  as they are");
  for (const score::Figure& figure : before.figures)
    text += fmt::format(" {:>11.4g}", figure.value);
  text += p_text(calibration) + "\n";
  for (const Recalibration& one : all) {
    text += fmt::format("  {:<14}", one.method);
    for (const score::Figure& figure : one.scored.figures)
      text += fmt::format(" {:>11.4g}", figure.value);
    text += p_text(one.calibration) + "\n";
  }
  return text;
}

// --- conformal sets -------------------------------------------------------------------------------------
std::string text_of(std::span<const ConformalResult> all, const score::Predictions& predictions) {
  const bool classes = predictions.form == score::Form::classes;
  std::string text =
      fmt::format("{:<16} {:>9} {:>9} {:>18} {:>10} {:>7} {:>7}\n", "conformal sets", "promised",
                  "hold", "95 % interval", classes ? "classes" : "length", "empty", "all");
  for (const ConformalResult& one : all) {
    const score::SetFigures& figures = one.figures;
    text += fmt::format(
        "  {:<14} {:>9.3f} {:>9} {:>18} {:>10.4g} {:>7} {:>7}\n", one.method, one.level,
        std::isnan(figures.coverage) ? "-" : fmt::format("{:.3f}", figures.coverage),
        std::isnan(figures.coverage)
            ? "-"
            : fmt::format("{:.3f} to {:.3f}", figures.coverage_lower, figures.coverage_upper),
        figures.mean_size, figures.num_empty, figures.num_whole);
  }
  for (const ConformalResult& one : all)
    if (one.least_ess < 100.0)
      text += fmt::format(
          "{}: an outcome moves the posterior so far that {:.0f} draws are left: take more\n",
          one.method, one.least_ess);
  return text;
}

std::string set_text(const score::OutcomeSet& set, const score::Predictions& all) {
  std::string text;
  for (const Index k : set.classes)
    text += (text.empty() ? "" : ";") + all.classes[static_cast<std::size_t>(k)];
  return text;
}

// --- two predictions ------------------------------------------------------------------------------------
std::string text_of(std::span<const score::Difference> differences,
                    const score::DistributionDistances& distances) {
  std::string text = fmt::format("{:<12} {:>12} {:>12} {:>12} {:>11}  {}\n", "score", "these",
                                 "others", "difference", "error", "");
  for (const score::Difference& one : differences) {
    const bool is_clear = std::abs(one.difference) > 2.0 * one.error;
    const bool is_better = (one.difference > 0.0) == one.score->higher_is_better;
    text += fmt::format("{:<12} {:>12.5g} {:>12.5g} {:>12.4g} {:>11.2g}  {}\n", one.score->name,
                        one.first.value, one.second.value, one.difference, one.error,
                        !one.score->is_proper ? ""
                        : !is_clear           ? "not told apart"
                        : is_better           ? "better"
                                              : "worse");
  }
  if (!std::isnan(distances.l2))
    text +=
        fmt::format("distance of the distributions, mean over rows: L2 {:.4g}, Hellinger {:.4g}\n",
                    distances.l2, distances.hellinger);
  return text;
}

// --- selective ------------------------------------------------------------------------------------------
std::string text_of(const Selection& selection) {
  std::string text =
      fmt::format("{:<12} {:>9} {:>9} {:>11}\n", "predicted", "share", "accuracy", "if above");
  for (const double coverage : kShownCoverages) {
    const score::SelectivePoint point = score::at_coverage(selection.curve, coverage);
    text += fmt::format("{:<12} {:>9.3f} {:>9.3f} {:>11.4g}\n", point.num_predicted, point.coverage,
                        point.accuracy, point.threshold);
  }
  text += fmt::format("area under the curve of errors: {:.4g}\n", selection.area);
  if (!selection.rule) return text;
  if (selection.rule->threshold == kInfinity)
    return text + fmt::format(
                      "No threshold keeps the error below {:g}: the calibration rows are too few, "
                      "or the predictions too bad.\n",
                      selection.max_error);
  text += fmt::format("Predicted where the confidence is at least {:g}, the error is at most {:g}",
                      selection.rule->threshold, selection.max_error);
  if (selection.applied)
    text += fmt::format("; of these rows {:.3f} are, with an accuracy of {:.3f}",
                        selection.applied->coverage, selection.applied->accuracy);
  return text + ".\n";
}

}  // namespace credo::cli
