#include "cli/tables/impact_report.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
using models::Impact;
using models::ImpactTime;
constexpr Index kMostTimes = 20;

std::string short_number(double x) { return fmt::format("{:.4g}", x); }
std::string percent(double x) { return fmt::format("{:+.3g} %", 100.0 * x); }
std::string range_text(const models::SeriesBand& band) {
  return fmt::format("{} to {}", short_number(band.q5), short_number(band.q95));
}

// Shares of draws say no more than 0.1 %.
std::string probability_text(double share) {
  constexpr double kLeast = 0.001;
  return share > 1.0 - kLeast ? "above 99.9 %"
         : share < kLeast     ? "below 0.1 %"
                              : fmt::format("{:.1f} %", 100.0 * share);
}

std::string unit_text(const ImpactReport& report) {
  if (report.made.is_plain_outcome) return {};
  return fmt::format("Outcomes, expected outcomes and effects are of {}.\n", report.made.outcome);
}

std::string times_text(const ImpactReport& report) {
  const std::string level = fmt::format("{:.4g} %", 100.0 * report.level);
  std::vector<std::vector<std::string>> rows{
      {"time", "outcome", "expected", "effect", level, "cumulative", level}};
  const auto& times = report.impact.times;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (ssize(times) > kMostTimes && static_cast<Index>(k) >= kMostTimes / 2 &&
        k + kMostTimes / 2 < times.size())
      continue;
    const ImpactTime& t = times[k];
    rows.push_back({report.made.axis.label(t.place), short_number(t.outcome),
                    short_number(t.expected.mean), short_number(t.effect.mean),
                    range_text(t.effect), short_number(t.cumulative.mean),
                    range_text(t.cumulative)});
  }
  std::string text = text_columns(rows);
  if (ssize(times) > kMostTimes)
    text += fmt::format("{} times in the middle are left out: -o FILE.json has all\n",
                        ssize(times) - kMostTimes);
  return text;
}

// "+3.1 % (+1 % to +5 %), "; empty without a relative effect.
std::string relative_text(const Impact& impact) {
  if (!impact.no_relative.empty()) return {};
  return fmt::format("{} ({} to {}), ", percent(impact.relative.q50), percent(impact.relative.q5),
                     percent(impact.relative.q95));
}

std::string checks_text(const ImpactReport& report) {
  if (report.checks.empty()) return {};
  std::vector<std::vector<std::string>> rows{
      {"check", "of", "sum of effects", "interval", "covered", ""}};
  Index failed = 0, computed = 0;
  for (const ImpactCheck& check : report.checks) {
    computed += check.is_computed();
    failed += check.is_computed() && !check.is_passed();
    if (!check.is_computed())
      rows.push_back(
          {check.kind, check.name, "", "", "", "couldn't be computed: " + check.failure});
    else
      rows.push_back({check.kind, check.name, short_number(check.impact.sum.mean),
                      range_text(check.impact.sum), fmt::format("{:.0f} %", 100.0 * check.covered),
                      check.is_passed() ? "contains 0" : "EXCLUDES 0"});
  }
  std::string text = "\nWhere no effect is expected:\n" + text_columns(rows, "  ");
  if (const Index without = ssize(report.checks) - computed; without > 0)
    text += fmt::format("{} of {} checks couldn't be computed, so that they say nothing.\n",
                        without, report.checks.size());
  if (computed == 0) return text;
  if (failed == 0) return text + "All intervals contain 0.\n";
  return text + fmt::format(
                    "{} of {} checks didn't pass: the model predicts this series badly, a "
                    "covariate was itself affected, or there "
                    "was another change. Of sound models about {:.3g} would not.\n",
                    failed, computed, (1.0 - report.level) * static_cast<double>(computed));
}

void add_band(results::ArrayList::Builder& group, const std::string& name,
              const std::vector<ImpactTime>& times, models::SeriesBand ImpactTime::*of) {
  const auto column = [&](const std::string& field, double models::SeriesBand::*part) {
    std::vector<double> values;
    for (const ImpactTime& t : times) values.push_back(t.*of.*part);
    group.add({.name = field, .dims = {"time"}}, std::move(values));
  };
  column(name, &models::SeriesBand::mean), column(name + "_low", &models::SeriesBand::q5),
      column(name + "_high", &models::SeriesBand::q95);
}
}  // namespace

std::string ImpactReport::sentence() const {
  const ImpactTime &first = impact.times.front(), &last = impact.times.back();
  std::string text = fmt::format(
      "From {} to {}, {} was {} on average. Without the intervention {} is expected ({:.4g} %: "
      "{}). The effect is {} on average ({}), "
      "{}and {} in all ({}). The probability that it is above 0 is {}. ",
      made.axis.label(first.place), made.axis.label(last.place), made.outcome,
      short_number(impact.outcome), short_number(impact.expected.mean), 100.0 * level,
      range_text(impact.expected), short_number(impact.effect.mean), range_text(impact.effect),
      relative_text(impact), short_number(impact.sum.mean), range_text(impact.sum),
      probability_text(impact.positive));
  if (!impact.no_relative.empty()) text += impact.no_relative + " ";
  text += impact.contains_zero() ? "The interval contains 0: these data don't show an effect."
                                 : "The interval excludes 0. It is the effect of the intervention "
                                   "if all else stayed as it was, and if the "
                                   "covariates weren't affected.";
  return text;
}

std::string ImpactReport::text() const {
  return "\n" + unit_text(*this) + times_text(*this) + "\n" + wrapped(sentence(), text_width(1)) +
         "\n" + checks_text(*this);
}

results::ArrayList ImpactReport::answer() const {
  results::ArrayList list("impact");
  list.set("formula", made.formula);
  list.set("from", made.axis.label(made.axis.num_times));
  list.set("level", level);
  list.set("outcome", impact.outcome);
  const auto band = [&](const std::string& name, const models::SeriesBand& values) {
    list.set_all(name, values.mean, name + "_low", values.q5, name + "_high", values.q95);
  };
  band("expected", impact.expected), band("effect", impact.effect), band("sum", impact.sum),
      band("relative", impact.relative);
  if (!impact.no_relative.empty()) list.set("no_relative", impact.no_relative);
  list.set("positive", impact.positive);
  list.set("contains_zero", impact.contains_zero());
  list.set("sentence", sentence());
  std::vector<std::string> labels;
  for (const ImpactTime& t : impact.times) labels.push_back(made.axis.label(t.place));
  auto times = list.add_group("times", {{"time", ssize(labels)}});
  times.add_labels("time", labels);
  std::vector<double> outcomes;
  for (const ImpactTime& t : impact.times) outcomes.push_back(t.outcome);
  times.add({.name = "outcome", .dims = {"time"}}, std::move(outcomes));
  add_band(times, "expected", impact.times, &ImpactTime::expected);
  add_band(times, "effect", impact.times, &ImpactTime::effect);
  add_band(times, "cumulative", impact.times, &ImpactTime::cumulative);
  auto add = list.add_rows("checks", checks).columns(checks);
  add("kind", &ImpactCheck::kind), add("name", &ImpactCheck::name);
  add("sum", [](const ImpactCheck& c) { return c.impact.sum.mean; });
  add("low", [](const ImpactCheck& c) { return c.impact.sum.q5; });
  add("high", [](const ImpactCheck& c) { return c.impact.sum.q95; });
  add("covered", &ImpactCheck::covered);
  add("passed", &ImpactCheck::is_passed);
  add("failure", &ImpactCheck::failure);
  return list;
}

}  // namespace credo::cli
