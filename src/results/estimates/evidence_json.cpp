// Evidence estimates as arrays.
#include "results/arrays/answer_json.hpp"
#include "results/estimates/evidence_methods.hpp"

namespace credo::results {

namespace {
void add_pair(ArrayList& answer, const char* name, const std::optional<Disagreement>& pair,
              double limit) {
  if (!pair) return;
  answer.add_group(name, {{"place", 2}}, {.shape = Shape::object})
      .add_texts({.name = "methods", .dims = {"place"}}, {pair->first, pair->second})
      .add({.name = "score", .help = "difference in joint standard errors"}, {pair->score})
      .add({.name = "limit", .help = "exceeded by chance in one report of a hundred"}, {limit});
}

void add_estimates(ArrayList& answer, const std::vector<EvidenceEstimate>& all) {
  using E = EvidenceEstimate;
  std::vector<std::string> names;
  for (const E& e : all) names.push_back(e.method);
  auto group = answer.add_group("evidence", {{"method", ssize(all)}}, {.key = "methods"});
  group.add_labels("method", std::move(names));
  auto always = group.columns(all), add = group.columns(all, Missing::left_out);
  auto beside = group.columns(all, Missing::as_before);
  always("log_evidence", &E::log_evidence, "log marginal likelihood");
  always("error", &E::error, "standard error; NaN if unknown");
  add(
      "lower", [](const E& e) { return e.lower.value; }, "lower bound in the mean");
  beside(
      "lower_error", [](const E& e) { return e.lower.error; }, "standard error of lower");
  add(
      "upper", [](const E& e) { return e.upper.value; }, "upper bound in the mean");
  beside(
      "upper_error", [](const E& e) { return e.upper.error; }, "standard error of upper");
  add("nested", &E::nested, "the nested model of log_bayes_factor");
  beside(
      "log_bayes_factor", [](const E& e) { return e.log_factor.value; },
      "log Bayes factor of the nested model over the whole one");
  beside(
      "log_bayes_factor_error", [](const E& e) { return e.log_factor.error; },
      "standard error of log_bayes_factor");
  always("num_evaluations", &E::num_evaluations);
  always("seconds", &E::seconds, "wall-clock time");
  always("refusal", &E::refusal, "reason for which the method gave no estimate");
  answer.add_lists("evidence", "notes", elements_within(all, &E::notes));
}
}  // namespace

ArrayList arrays_of(const EvidenceReport& report) {
  ArrayList answer("evidence");
  const EvidenceEstimate* best = report.best();
  answer.set("log_evidence", best == nullptr ? kNaN : best->log_evidence);
  answer.set("error", best == nullptr ? kNaN : best->error);
  answer.set("method", best == nullptr ? "" : best->method);
  answer.set("agree", report.agree());
  answer.set("disagree", report.disagree());
  answer.set("sentence", report.sentence());
  answer.set("sentence_of_nested", report.sentence_of_nested());
  add_pair(answer, "furthest", report.furthest(), report.limit());
  add_pair(answer, "furthest_below_bound", report.furthest_below_bound(), report.limit());
  add_estimates(answer, report.estimates);
  add_list(answer, "notes", "note", report.notes);
  add_digests(answer, report.data);
  return answer;
}

}  // namespace credo::results
