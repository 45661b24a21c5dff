// Results of `credo score` as arrays.
#include "cli/score/score_report.hpp"

namespace credo::cli {
namespace {
using results::ArrayList;
using results::elements_within;
using results::Missing;
using results::Shape;

struct NamedScore {
  const score::ScoreRow* row;
  score::Figure figure;
  std::vector<double> by_row;
};
std::vector<NamedScore> scores_of(const ScoredPredictions& scored) {
  std::vector<NamedScore> all;
  for (std::size_t k = 0; k < scored.rows.size(); ++k)
    all.push_back({scored.rows[k], scored.figures[k], scored.by_row[k]});
  return all;
}

// Beginning of the names of groups within another one.
std::string prefix_of(const std::string& group) { return group.empty() ? "" : group + "_"; }

// Scores of predictions, each within a row of a group; without a group those of one.
void add_scores(ArrayList& answer, const std::string& of,
                std::span<const ScoredPredictions> predictions) {
  using S = NamedScore;
  const std::string name = prefix_of(of) + "scores";
  const auto all = elements_within(predictions, scores_of);
  auto add = answer.add_rows(name, all, {.key = "scores", .of = of}).columns(all);
  add("name", [](const S& s) { return s.row->name; });
  add("value", [](const S& s) { return s.figure.value; });
  add("error", [](const S& s) { return s.figure.error; });
  add("num_rows", [](const S& s) { return s.figure.num_rows; });
  add("higher_is_better", [](const S& s) { return s.row->higher_is_better; });
  add("proper", [](const S& s) { return s.row->is_proper; });
  answer.add_lists(name, "rows", elements_within(all, &S::by_row));
}

using Calibrations = std::span<const Calibration>;

void add_reliability(ArrayList& answer, const std::string& prefix, Calibrations all) {
  using R = score::Reliability;
  using B = score::ReliabilityBin;
  const auto parts = elements_within(all, [](const Calibration& c) { return c.of_classes->parts; });
  auto add = answer
                 .add_rows(prefix + "reliability", parts,
                           {.key = "reliability", .of = prefix + "calibration"})
                 .columns(parts);
  add("of", &R::of), add("ece", &R::ece), add("square", &R::square), add("largest", &R::largest);
  add("gap", &R::gap), add("slope", &R::slope), add("p_value", &R::p_value);
  add("band_p", &R::band_p), add("trend_p", &R::trend_p);
  const auto bins = elements_within(parts, &R::bins);
  auto add_bin =
      answer.add_rows(prefix + "bins", bins, {.key = "bins", .of = prefix + "reliability"})
          .columns(bins);
  add_bin("lower", &B::lower), add_bin("upper", &B::upper), add_bin("count", &B::count);
  add_bin("predicted", &B::predicted), add_bin("observed", &B::observed);
  add_bin("band_lower", &B::band_lower), add_bin("band_upper", &B::band_upper);
  add_bin("p_value", &B::p_value), add_bin("outside", &B::is_outside);
}

void add_coverage(ArrayList& answer, const Calibration& calibration) {
  using C = score::CoverageFigure;
  using L = score::LevelFigure;
  const score::DistributionCalibration& own = *calibration.of_distributions;
  auto add = answer.add_rows("coverage", own.coverage, {.key = "calibration.coverage"})
                 .columns(own.coverage);
  add("mass", &C::mass), add("share", &C::share), add("lower", &C::lower);
  add("upper", &C::upper), add("covered", &C::covered), add("mean_width", &C::mean_width);
  auto add_level =
      answer.add_rows("levels", own.levels, {.key = "calibration.levels"}).columns(own.levels);
  add_level("level", &L::level), add_level("share", &L::share), add_level("p_value", &L::p_value);
  answer.add_rows("pits", own.pits, {.key = "calibration.pits", .shape = Shape::values})
      .columns(own.pits)("pit", std::identity());
}

// Columns of calibrations of one kind, in the JSON of their rows the object `calibration`.
template <class Kind>
auto calibration_columns(ArrayList::Builder group, Calibrations all,
                         std::optional<Kind> Calibration::*kind) {
  return [group, all, kind](const std::string& name, auto member) mutable {
    group.add_column({.name = name}, all,
                     [&](const Calibration& c) { return std::invoke(member, *(c.*kind)); });
  };
}

// Calibrations of classes, each within a row of a group.
void add_class_calibrations(ArrayList& answer, const std::string& of, Calibrations all) {
  using C = score::ClassCalibration;
  const auto one_each = elements_within(all, [](const Calibration& c) { return std::vector{c}; });
  const auto group = answer.add_rows(prefix_of(of) + "calibration", one_each,
                                     {.key = "calibration", .shape = Shape::row, .of = of});
  auto add = calibration_columns(group, all, &Calibration::of_classes);
  add("ece", &C::ece), add("marginal", &C::marginal), add("p_value", &C::p_value);
  add("error_rate", &C::error_rate), add("refused", &C::is_refused);
  add_reliability(answer, prefix_of(of), all);
}
}  // namespace

void add_to(ArrayList& answer, const ScoredPredictions& scored) {
  add_scores(answer, "", {&scored, 1});
}

void add_to(ArrayList& answer, const Calibration& calibration) {
  using D = score::DistributionCalibration;
  answer.set("sentence", calibration.sentence());
  if (calibration.of_classes) return add_class_calibrations(answer, "", {&calibration, 1});
  if (!calibration.of_distributions) return answer.set("", kNaN, "calibration", Missing::null);
  auto add = calibration_columns(
      answer.add_group("calibration", {{"calibration", 1}}, {.shape = Shape::row}),
      {&calibration, 1}, &Calibration::of_distributions);
  add("p_value", &D::p_value), add("error_rate", &D::error_rate), add("refused", &D::is_refused);
  add("pit_mean", &D::pit_mean), add("pit_sd", &D::pit_sd);
  add_coverage(answer, calibration);
}

void add_to(ArrayList& answer, const score::Confusion& confusion) {
  const std::vector<std::string> dims{"class", "called"};
  answer
      .add_group("confusion", {{"class", confusion.num_classes}, {"called", confusion.num_classes}},
                 {.shape = Shape::object})
      .add({.name = "counts", .dims = dims, .kind = density::Kind::whole},
           {confusion.counts.begin(), confusion.counts.end()})
      .add({.name = "expected", .dims = dims, .help = "mean probability of a class"},
           confusion.expected);
}

void add_to(ArrayList& answer, const score::ErrorRates& rates, double prevalence) {
  const score::VerdictValue value =
      score::verdict_value(prevalence, rates.e0.mean(), rates.e1.mean());
  const auto set = [&](const std::string& name, double figure) {
    std::string own = "error_rates_" + name;
    std::ranges::replace(own, '.', '_');
    answer.set(own, figure, "error_rates." + name);
  };
  const auto add = [&](const std::string& of, double rate, const score::BetaDistribution& own) {
    set(of + ".rate", rate), set(of + ".a", own.a), set(of + ".b", own.b);
    set(of + ".mean", own.mean()), set(of + ".mode", own.mode());
    set(of + ".q5", own.quantile(0.05)), set(of + ".q95", own.quantile(0.95));
  };
  add("e0", rates.rate0(), rates.e0), add("e1", rates.rate1(), rates.e1);
  set("auc", rates.auc), set("share_positive", rates.share_positive());
  set("prevalence", prevalence), set("positive_value", value.positive);
  set("negative_value", value.negative);
}

void add_to(ArrayList& answer, const score::JointFigure& joint) {
  using J = score::JointFigure;
  const std::span<const J> one(&joint, 1);
  auto add = answer.add_rows("joint", one, {.shape = Shape::row}).columns(one);
  add("num_blocks", &J::num_blocks), add("num_rows", &J::num_rows);
  add("log_score", &J::log_score, "mean over blocks"), add("error", &J::error);
  add("cross_entropy", &J::cross_entropy), add("kl", &J::kl), add("kl_error", &J::kl_error);
}

void add_to(ArrayList& answer, std::span<const Recalibration> all) {
  using P = score::CalibratorParameter;
  std::vector<ScoredPredictions> scored;
  std::vector<Calibration> calibrations;
  for (const Recalibration& one : all) {
    scored.push_back(one.scored);
    calibrations.push_back(one.calibration);
  }
  const std::string name = "recalibrated";
  auto rows = answer.add_rows(name, all);
  rows.columns(all)("method", &Recalibration::method);
  rows.columns(calibrations)("sentence", &Calibration::sentence);
  const auto parameters = elements_within(all, &Recalibration::parameters);
  auto add = answer
                 .add_rows("recalibrated_parameters", parameters,
                           {.key = "parameters", .shape = Shape::named, .of = name})
                 .columns(parameters);
  add("name", &P::name), add("value", &P::value);
  add_scores(answer, name, scored);
  if (calibrations.front().of_classes) add_class_calibrations(answer, name, calibrations);
}

namespace {
void add_sets(ArrayList& answer, std::span<const ConformalResult> all,
              const score::Predictions& predictions) {
  const auto rows = elements_within(all, &ConformalResult::sets);
  const bool are_classes = predictions.form == score::Form::classes;
  std::size_t most = are_classes ? 0 : 2;
  for (const auto& one : rows) most = std::max(most, one.element.classes.size());
  const std::string place = are_classes ? "member" : "end";
  std::vector<std::string> members;  // empty texts behind those of small sets
  std::vector<double> ends;
  for (const auto& one : rows) {
    for (const Index k : one.element.classes)
      members.push_back(predictions.classes[static_cast<std::size_t>(k)]);
    members.resize(members.size() + most - one.element.classes.size());
    ends.insert(ends.end(), {one.element.lower, one.element.upper});
  }
  auto sets = answer.add_rows("sets", rows, {.shape = Shape::values, .of = "conformal"},
                              {{place, static_cast<Index>(most)}});
  if (are_classes)
    sets.add_texts({.name = "classes", .dims = {"sets", place}, .missing = Missing::left_out},
                   members);
  else
    sets.add({.name = "ends", .dims = {"sets", place}}, std::move(ends));
}
}  // namespace

void add_to(ArrayList& answer, std::span<const ConformalResult> all,
            const score::Predictions& predictions) {
  using C = ConformalResult;
  using F = score::SetFigures;
  auto add = answer.add_rows("conformal", all).columns(all);
  const auto figure = [&](const char* name, auto member) {
    add(name, [member](const C& one) { return one.figures.*member; });
  };
  add("method", &C::method), add("level", &C::level), add("num_calibration", &C::num_scores);
  add("exact_coverage", &C::exact_coverage), add("threshold", &C::threshold);
  figure("coverage", &F::coverage), figure("coverage_lower", &F::coverage_lower);
  figure("coverage_upper", &F::coverage_upper), figure("mean_size", &F::mean_size);
  figure("num_empty", &F::num_empty), figure("num_whole", &F::num_whole);
  add("least_ess", &C::least_ess);
  add_sets(answer, all, predictions);
}

void add_to(ArrayList& answer, std::span<const score::Difference> differences,
            const score::DistributionDistances& distances) {
  using D = score::Difference;
  auto rows = answer.add_rows("differences", differences, {.key = "against.differences"});
  auto add = rows.columns(differences);
  add("name", [](const D& one) { return one.score->name; });
  add("these", [](const D& one) { return one.first.value; });
  add("others", [](const D& one) { return one.second.value; });
  add("difference", &D::difference), add("error", &D::error);
  // A score added up over rows: the regret where the others knew all rows.
  rows.columns(differences, Missing::left_out)("regret", [](const D& one) {
    const double sign = one.score->higher_is_better ? -1.0 : 1.0;
    return one.score->root ? kNaN : sign * one.difference * static_cast<double>(one.first.num_rows);
  });
  answer.set("l2", distances.l2, "against.l2");
  answer.set("hellinger", distances.hellinger, "against.hellinger");
}

void add_to(ArrayList& answer, const Selection& selection) {
  using P = score::SelectivePoint;
  answer.set("area_under_risk", selection.area, "selective.area_under_risk");
  auto add = answer.add_rows("curve", selection.curve, {.key = "selective.curve"})
                 .columns(selection.curve);
  add("threshold", &P::threshold), add("coverage", &P::coverage), add("accuracy", &P::accuracy);
  if (!selection.rule) return;
  answer.set("rule_max_error", selection.max_error, "selective.rule.max_error");
  answer.set("rule_threshold", selection.rule->threshold, "selective.rule.threshold");
  if (!selection.applied) return;
  answer.set("rule_coverage", selection.applied->coverage, "selective.rule.coverage");
  answer.set("rule_accuracy", selection.applied->accuracy, "selective.rule.accuracy");
}

}  // namespace credo::cli
