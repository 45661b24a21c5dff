#include "results/draws/cross_check.hpp"

#include "diagnose/agreement.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/tail_index.hpp"
#include "diagnose/weights.hpp"
#include "infer/core/table.hpp"
#include "results/draws/judge.hpp"
#include "results/draws/weights.hpp"
#include "results/files/fit_layout.hpp"
#include "verdict/findings.hpp"

namespace credo::results {
namespace {
using diagnose::Estimate;
using verdict::CrossCheck;
using verdict::CrossFigure;

enum class What : std::uint8_t { mean, sd, q5, q50, q95, beyond };
constexpr std::array<std::string_view, 6> kWhat{
    "mean", "sd", "5 % quantile", "median", "95 % quantile", verdict::kBeyondFigure};
constexpr double kLeastShift = 0.1, kLeastShare = 0.03;  // shift in sds; share of all draws
constexpr double kNoMeanError = 0.5,
                 kNoSdError = 0.25;  // tail indices: no variance, no fourth moment
constexpr double kRoughest = 0.25;   // combined error of a typical mean, in standard deviations
constexpr double kLeastEvidence = 0.02;
constexpr Index kLeastPopulations = 2;

bool is_of_populations(const Fit& fit) {
  const auto rows = infer::samplers();
  return std::ranges::any_of(rows, [&](const infer::SamplerSpec* row) {
    return row->name == fit.result().sampler && row->family == infer::Family::particles;
  });
}

// One run's estimates of the expectation of a function of an output.
class Side {
 public:
  explicit Side(const Fit& fit)
      : fit_(fit), log_weights_(log_weights_of(fit)), in_batches_(is_of_populations(fit)) {
    const double all = static_cast<double>(fit.num_draws(false) * fit.num_chains());
    size_ = log_weights_.empty() ? all : diagnose::weight_ess(log_weights_);
    in_batches_ = in_batches_ || !log_weights_.empty();
  }
  const Fit& fit() const { return fit_; }
  diagnose::Chains chains(std::span<const double> values) const {
    return {values, fit_.num_draws(false), fit_.num_chains()};
  }
  // `spread`: a standard deviation of the function. The error isn't less than that of independent draws: a few
  // batches may lie together by chance.
  Estimate expectation(std::span<const double> values, double spread) const {
    Estimate estimate = in_batches_ ? diagnose::estimate_of_batches(means(values))
                                    : diagnose::estimate_of_chains(chains(values));
    if (in_batches_ || estimate.error == 0.0)
      estimate.error = std::max(estimate.error, spread / std::sqrt(size_));
    return estimate;
  }
  diagnose::Summary summary(std::span<const double> values) const {
    return log_weights_.empty() ? diagnose::summarise(chains(values))
                                : diagnose::weighted_summary(values, log_weights_);
  }

 private:
  // The mean of each chain by its own weights.
  std::vector<double> means(std::span<const double> values) const {
    std::vector<double> all;
    const auto size = static_cast<std::size_t>(fit_.num_draws(false));
    for (std::size_t begin = 0; begin < values.size(); begin += size) {
      const auto own = values.subspan(begin, size);
      all.push_back(
          log_weights_.empty()
              ? diagnose::mean(own)
              : diagnose::weighted_summary(own, std::span(log_weights_).subspan(begin, size)).mean);
    }
    return all;
  }

  const Fit& fit_;
  std::vector<double> log_weights_;
  bool in_batches_;
  double size_ = 0.0;  // draws that count the same
};

// The share of each chain in the evidence of all; empty if a chain has no evidence.
std::vector<double> evidence_shares(const Fit& fit) {
  std::vector<double> shares;
  double largest = -kInfinity;
  for (const infer::ChainResult& chain : fit.result().chains) {
    const auto evidence = infer::log_evidence(chain);
    if (!evidence || !std::isfinite(evidence->value)) return {};
    shares.push_back(evidence->value);
    largest = std::max(largest, evidence->value);
  }
  double sum = 0.0;
  for (double& share : shares) sum += share = std::exp(share - largest);
  for (double& share : shares) share /= sum;
  return shares;
}

class Comparison {
 public:
  Comparison(const Fit& first, const Fit& second)
      : first_(first), second_(second), shares_(evidence_shares(second)) {}

  void add(const std::string& name, std::span<const double> a, std::span<const double> b) {
    const auto is_finite = [](double x) { return std::isfinite(x); };
    if (!std::ranges::all_of(a, is_finite) || !std::ranges::all_of(b, is_finite)) return;
    if (diagnose::is_degenerate(a)) return;
    name_ = name, a_ = a, b_ = b;
    own_ = first_.summary(a), other_ = second_.summary(b);
    const double tail = heavier_tail();
    if (!(tail >= kNoMeanError)) compare_means();
    if (!(tail >= kNoSdError)) compare_spreads();
    compare_shares(What::q5, 0.05, own_.q5, other_.q5);
    compare_shares(What::q50, 0.5, own_.median, other_.median);
    compare_shares(What::q95, 0.95, own_.q95, other_.q95);
    look_beyond();
  }

  std::vector<CrossFigure> result() {
    const double count = static_cast<double>(figures_.size());
    for (std::size_t k = 0; k < figures_.size(); ++k)
      figures_[k].differs = matters_[k] && figures_[k].p_value * count < kCrossFalseAlarms;
    if (!beyond_.output.empty()) figures_.push_back(beyond_);
    return std::move(figures_);
  }

 private:
  double heavier_tail() const {
    const double first = diagnose::tail_index(first_.chains(a_)).largest(),
                 second = diagnose::tail_index(second_.chains(b_)).largest();
    return std::fmax(first, second);
  }

  // `size`: size of the difference, in units of the least one that matters.
  void add_figure(What what, double first, double second, const Estimate& one,
                  const Estimate& other, double size) {
    const double p = diagnose::disagreement_p_value(one, other);
    if (std::isnan(p)) return;
    figures_.push_back({.output = name_,
                        .figure = std::string(kWhat[static_cast<std::size_t>(what)]),
                        .first = first,
                        .second = second,
                        .errors = diagnose::combined_errors(one, other),
                        .p_value = p});
    matters_.push_back(size >= 1.0);
  }

  void compare_means() {
    const Estimate one = first_.expectation(a_, own_.sd), other = second_.expectation(b_, own_.sd);
    add_figure(What::mean, one.value, other.value, one, other,
               std::abs(one.value - other.value) / (kLeastShift * own_.sd));
  }

  // By squares about the first run's mean.
  void compare_spreads() {
    const auto squares = [&](std::span<const double> values) {
      std::vector<double> all;
      for (const double x : values) all.push_back((x - own_.mean) * (x - own_.mean));
      return all;
    };
    const std::vector<double> a = squares(a_), b = squares(b_);
    const double spread = std::sqrt(diagnose::variance(a));
    const Estimate one = first_.expectation(a, spread), other = second_.expectation(b, spread);
    add_figure(What::sd, own_.sd, other_.sd, one, other,
               std::abs(std::sqrt(other.value / one.value) - 1.0) / kLeastShift);
  }

  void compare_shares(What what, double p, double quantile, double others) {
    const auto below = [&](std::span<const double> values) {
      std::vector<double> all;
      for (const double x : values) all.push_back(x <= quantile ? 1.0 : 0.0);
      return all;
    };
    const double spread = std::sqrt(p * (1.0 - p));
    const Estimate one = first_.expectation(below(a_), spread),
                   other = second_.expectation(below(b_), spread);
    add_figure(what, quantile, others, one, other, std::abs(one.value - other.value) / kLeastShare);
  }

  // Populations whose particles lie mostly where the first run has no draw.
  void look_beyond() {
    if (shares_.empty() || second_.fit().num_chains() != ssize(shares_)) return;
    const auto [low, high] = std::ranges::minmax(a_);
    Index count = 0;
    double share = 0.0;
    for (Index c = 0; c < ssize(shares_); ++c) {
      const auto own = second_.chains(b_).chain(c);
      const auto outside =
          std::ranges::count_if(own, [&](double x) { return x < low || x > high; });
      if (2 * outside <= ssize(own)) continue;
      ++count, share += shares_[static_cast<std::size_t>(c)];
    }
    if (count < kLeastPopulations || share < kLeastEvidence) return;
    if (!beyond_.output.empty() && share <= beyond_.second) return;
    beyond_ = {.output = name_,
               .figure = std::string(verdict::kBeyondFigure),
               .first = 0.0,
               .second = share,
               .errors = kInfinity,
               .p_value = 0.0,
               .differs = true};
  }

  Side first_, second_;
  std::vector<double> shares_;
  std::string name_;  // name of the current output
  std::span<const double> a_, b_;
  diagnose::Summary own_{}, other_{};
  std::vector<CrossFigure> figures_;
  std::vector<bool> matters_;
  CrossFigure beyond_ = {};
};

// The failed check of the second run's own draws; empty if it passed. Populations needn't move between modes:
// each one reaches them from the prior by itself, and the check requires only that populations agree.
std::string own_fault(const Fit& second) {
  static const std::array<const verdict::FindingSpec*, 6> rows = {
      &verdict::weights,   &verdict::stuck_chain,   &verdict::not_mixed,
      &verdict::few_draws, &verdict::few_ancestors, &verdict::multimodal};
  const auto asked =
      std::span(rows).first(is_of_populations(second) ? rows.size() - 1 : rows.size());
  for (const verdict::Finding& finding : judge_fit(second, {.rows = asked}).findings) {
    const bool passes = finding.level == verdict::Level::note ||
                        (finding.id == "few_ancestors" && finding.level != verdict::Level::bad);
    if (!passes) return finding.text;
  }
  return "";
}

// True if a typical mean isn't known to a quarter of a standard deviation: agreement is weak evidence then.
bool is_rough(const Fit& first, std::span<const CrossFigure> figures) {
  std::vector<double> errors;
  for (const CrossFigure& figure : figures) {
    const auto place = find_quantity(first, figure.output);
    if (figure.figure != "mean" || !place || !(figure.errors > 0.0)) continue;
    const density::Draws draws = first.quantities(false, *place, 1);
    const double sd = std::sqrt(diagnose::variance(draws.quantity(0)));
    errors.push_back(std::abs(figure.first - figure.second) / figure.errors / sd);
  }
  return !errors.empty() && diagnose::quantile(errors, 0.5) > kRoughest;
}
}  // namespace

std::vector<CrossFigure> compare_draws(const Fit& first, const Fit& second) {
  Comparison comparison(first, second);
  for_each_batch(first, {.first = first_output(first), .count = first.layout().size()},
                 [&](Index begin, const density::Draws& draws) {
                   for (Index k = 0; k < draws.num_quantities(); ++k) {
                     const std::string name = quantity_name(first, begin + k);
                     const auto place = find_quantity(second, name);
                     if (!place) continue;
                     const density::Draws others = second.quantities(false, *place, 1);
                     comparison.add(name, draws.quantity(k), others.quantity(0));
                   }
                 });
  return comparison.result();
}

CrossCheck cross_checked(const Fit& first, const Fit& second, const std::string& reservation) {
  CrossCheck cross{.algorithm = second.result().sampler};
  cross.figures = compare_draws(first, second);
  const auto differs = [](const CrossFigure& figure) { return figure.differs; };
  const bool is_beyond =
      !cross.figures.empty() && cross.figures.back().figure == verdict::kBeyondFigure;
  const std::string fault = is_beyond ? "" : own_fault(second);
  if (!fault.empty()) {
    cross.reason = "the second run failed its own checks. " + fault;
    return cross;
  }
  if (std::ranges::any_of(cross.figures, differs)) {
    cross.outcome = CrossCheck::Outcome::differ;
    return cross;
  }
  if (cross.figures.empty())
    cross.reason = "all outputs are constant, so no figure can be compared.";
  else if (is_rough(first, cross.figures))
    cross.reason = "the errors of the two are so large together that little could differ.";
  else if (!reservation.empty())
    cross.reason = reservation;
  else
    cross.outcome = CrossCheck::Outcome::agree;
  return cross;
}

// ---- in files

namespace {
constexpr const char* kAlgorithm = "cross_check";
constexpr const char* kOutcome = "cross_check_outcome";
constexpr const char* kReason = "cross_check_reason";

struct CrossRow {
  Index output = 0, figure = 0;
  double first = kNaN, second = kNaN, errors = kNaN, p_value = kNaN;
  bool differs = false;

  static void describe(auto& self, auto&& field) {
    using infer::FieldSpec;
    field(self.output, FieldSpec{.name = "output", .help = "its number among the run's, from 0"});
    field(self.figure, FieldSpec{.name = "figure",
                                 .help = "0 mean, 1 sd, 2 to 4 quantiles, 5 beyond all draws"});
    field(self.first, FieldSpec{.name = "first", .help = "by the run"});
    field(self.second, FieldSpec{.name = "second", .help = "by the second run"});
    field(self.errors, FieldSpec{.name = "errors", .help = "combined errors between them"});
    field(self.p_value,
          FieldSpec{.name = "p_value", .help = "p-value of the difference, for this figure alone"});
    field(self.differs,
          FieldSpec{.name = "differs", .help = "true if the figure counts as different"});
  }
};

std::string setting(const Fit& fit, const char* name) {
  const auto found = fit.origin().settings.find(name);
  return found == fit.origin().settings.end() ? "" : found->second;
}

CrossFigure figure_of(const Fit& fit, std::span<const double> row) {
  const auto output = static_cast<Index>(row[0]);
  const bool is_known = output >= 0 && output < fit.layout().size();
  const auto what = static_cast<std::size_t>(std::clamp(row[1], 0.0, 5.0));
  return {
      .output = is_known ? fit.layout().element_name(output) : "output " + std::to_string(output),
      .figure = std::string(kWhat[what]),
      .first = row[2],
      .second = row[3],
      .errors = row[4],
      .p_value = row[5],
      .differs = row[6] != 0.0};
}
}  // namespace

RowTable cross_check_table() {
  static const std::vector<infer::FieldSpec> columns = infer::columns_of<CrossRow>();
  return table_of({.name = kCrossCheckTable, .row = "comparison", .columns = columns});
}

std::vector<double> cross_check_rows(const Fit& fit, const CrossCheck& cross) {
  std::vector<double> rows;
  std::vector<double> row(infer::columns_of<CrossRow>().size());
  for (const CrossFigure& figure : cross.figures) {
    const auto what = std::ranges::find(kWhat, figure.figure) - kWhat.begin();
    infer::write_columns(CrossRow{.output = fit.layout().find(figure.output).value_or(-1),
                                  .figure = what,
                                  .first = figure.first,
                                  .second = figure.second,
                                  .errors = figure.errors,
                                  .p_value = figure.p_value,
                                  .differs = figure.differs},
                         row);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::map<std::string, std::string> cross_check_settings(const CrossCheck& cross) {
  return {{kAlgorithm, cross.algorithm},
          {kOutcome, std::string(to_string(cross.outcome))},
          {kReason, cross.reason}};
}

std::optional<CrossCheck> cross_check_of(const Fit& fit) {
  const auto outcome = verdict::outcome_named(setting(fit, kOutcome));
  if (!outcome) return std::nullopt;
  CrossCheck cross{
      .algorithm = setting(fit, kAlgorithm), .outcome = *outcome, .reason = setting(fit, kReason)};
  const std::vector<RowTable>& tables = fit.tables();
  const auto table = std::ranges::find(tables, kCrossCheckTable, &RowTable::name);
  if (table == tables.end()) return cross;
  const std::size_t width = infer::columns_of<CrossRow>().size();
  const std::vector<double> rows = fit.table_rows(table - tables.begin(), 0);
  if (table->columns.size() != width) return cross;
  for (std::size_t begin = 0; begin + width <= rows.size(); begin += width)
    cross.figures.push_back(figure_of(fit, std::span(rows).subspan(begin, width)));
  return cross;
}

}  // namespace credo::results
