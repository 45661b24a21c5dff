#include "models/gp/outcomes/outcome_reader.hpp"

#include <fmt/format.h>

#include "models/formula/arithmetic.hpp"

namespace credo::models {
namespace {
std::vector<double> numbers_of(const Expression& e, Frame& frame) {
  std::vector<double> x = arithmetic_of(e, frame).values;
  if (ssize(x) == 1 && frame.num_rows() != 1)
    x.assign(static_cast<std::size_t>(frame.num_rows()), x[0]);
  return x;
}
}  // namespace

bool OutcomeReader::use(const Expression& left, Frame& frame, FormulaFaults& faults) {
  const Expression* y = &left;
  if (left.is_operation("|")) {
    y = &left.parts[0];
    if (!use_modifier(left.parts[1], frame, faults)) return false;
  }
  outcome_ = *y;
  if (family_.needs_trials && !trials_) {
    faults.add(left.place, fmt::format("the family {} needs the number of trials", family_.name),
               fmt::format("{} | trials(COLUMN) ~ ..., or --family bernoulli", y->text()));
    return false;
  }
  const bool is_name = y->kind == Expression::Kind::name;
  const bool may_be_text = family_.is_categorical || family_.name == "bernoulli";
  if (is_name && may_be_text && (family_.is_categorical || frame.is_text(*y))) {
    const auto used = frame.use(*y, ColumnRole::factor);
    if (used) factor_ = used->name;
    return used.has_value();
  }
  return use_columns(*y, frame);
}

bool OutcomeReader::use_modifier(const Expression& e, Frame& frame, FormulaFaults& faults) {
  if (e.is_operation("+") && e.parts.size() == 2)
    return use_modifier(e.parts[0], frame, faults) && use_modifier(e.parts[1], frame, faults);
  const bool is_trials = e.is_call("trials") && family_.needs_trials,
             is_rate = e.is_call("rate") && family_.takes_rate;
  if ((!is_trials && !is_rate) || e.parts.size() != 1) {
    faults.add(e.place,
               fmt::format("{} doesn't modify an outcome of the family {}", e.text(), family_.name),
               "y | trials(n) belongs to binomial, y | rate(e) to poisson and negbinomial");
    return false;
  }
  (is_trials ? trials_ : rate_) = e.parts[0];
  return use_columns(e.parts[0], frame);
}

GpOutcome OutcomeReader::read(Frame& frame, std::span<const Index> rows,
                              FormulaFaults& faults) const {
  GpOutcome made{.family = &family_};
  std::vector<double> y, trials, rate;
  if (factor_.empty()) {
    y = numbers_of(*outcome_, frame);
  } else {
    for (const std::int32_t code : frame.codes(factor_)) y.push_back(static_cast<double>(code - 1));
    made.classes = frame.levels(factor_);
    if (!family_.is_categorical && made.classes.size() != 2)
      faults.add(outcome_->place,
                 fmt::format("{} has {} texts, not two", outcome_->text(), made.classes.size()),
                 "--family categorical has a process for each class");
  }
  if (trials_) trials = numbers_of(*trials_, frame);
  if (rate_) rate = numbers_of(*rate_, frame);
  for (std::size_t n = 0; n < y.size(); ++n) {
    OutcomeSite site{.y = y[n]};
    if (trials_) site.trials = trials[n];
    if (rate_) site.offset = std::log(rate[n]);
    std::string reason;
    if (!std::isfinite(site.y) || !std::isfinite(site.trials))
      reason = "it isn't a finite number";
    else if (!std::isfinite(site.offset))
      reason = fmt::format("rates are positive, and this one is {}", rate[n]);
    else if (family_.refusal != nullptr)
      reason = family_.refusal(site);
    if (!reason.empty()) {
      faults.add(outcome_->place,
                 fmt::format("{} is {:g}{} in row {}: {}", outcome_->text(), site.y,
                             trials_ ? fmt::format(" of {:g} trials", site.trials) : std::string(),
                             rows[n] + 1, reason),
                 "leave the row out, or take another family");
      break;
    }
    made.sites.push_back(site);
  }
  const bool is_discrete = family_.is_categorical || family_.name == "bernoulli";
  if (is_discrete && faults.empty() &&
      std::ranges::all_of(y, [&](double one) { return one == y.front(); }))
    faults.add(outcome_->place, fmt::format("{} is the same in all rows", outcome_->text()),
               "the column needs no model");
  return made;
}

double centre_of_outcomes(const GpOutcome& outcome) {
  const OutcomeFamily& family = *outcome.family;
  if (family.inverse == nullptr) return 0.0;
  double sum = 0.0, of = 0.0;
  for (const OutcomeSite& site : outcome.sites)
    sum += site.y, of += site.trials * std::exp(site.offset);
  if (family.is_scaled) return sum / of;
  const double added = family.takes_rate ? 0.0 : 1.0;
  return family.inverse((sum + 0.5) / (of + added));
}

}  // namespace credo::models
