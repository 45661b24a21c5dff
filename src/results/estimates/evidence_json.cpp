// Evidence estimates of several methods as JSON and as arrays.
#include "results/estimates/evidence_methods.hpp"

namespace credo::results {

std::string to_json(const EvidenceReport& report) {
  io::JsonWriter json;
  json.begin_object().key("log_evidence");
  const EvidenceEstimate* best = report.best();
  json.number(best == nullptr ? kNaN : best->log_evidence);
  json.key("error").number(best == nullptr ? kNaN : best->error);
  json.key("method").string(best == nullptr ? "" : best->method);
  json.key("agree").boolean(report.agree()).key("disagree").boolean(report.disagree());
  json.key("sentence").string(report.sentence());
  json.key("sentence_of_nested").string(report.sentence_of_nested());
  if (const std::optional<Disagreement> pair = report.furthest()) {
    json.key("furthest").begin_object().key("methods").begin_array();
    json.string(pair->first).string(pair->second).end_array();
    json.key("score").number(pair->score).key("limit").number(report.limit()).end_object();
  }
  if (const std::optional<Disagreement> below = report.furthest_below_bound()) {
    json.key("furthest_below_bound").begin_object().key("methods").begin_array();
    json.string(below->first).string(below->second).end_array();
    json.key("score").number(below->score).key("limit").number(report.limit()).end_object();
  }
  json.key("methods").begin_array();
  for (const EvidenceEstimate& e : report.estimates) {
    json.line_break().begin_object().key("method").string(e.method);
    json.key("log_evidence").number(e.log_evidence).key("error").number(e.error);
    if (std::isfinite(e.lower.value))
      json.key("lower").number(e.lower.value).key("lower_error").number(e.lower.error);
    if (std::isfinite(e.upper.value)) {
      json.key("upper").number(e.upper.value).key("upper_error").number(e.upper.error);
    }
    if (!e.nested.empty()) {
      json.key("nested").string(e.nested).key("log_bayes_factor").number(e.log_factor.value);
      json.key("log_bayes_factor_error").number(e.log_factor.error);
    }
    json.key("num_evaluations").integer(e.num_evaluations).key("seconds").number(e.seconds);
    json.key("refusal").string(e.refusal).key("notes").begin_array();
    for (const std::string& note : e.notes) json.string(note);
    json.end_array().end_object();
  }
  json.end_array().key("notes").begin_array();
  for (const std::string& note : report.notes) json.string(note);
  json.end_array().key("data");
  write_digests(json, report.data);
  return json.end_object().text() + "\n";
}

ArrayList arrays_of(const EvidenceReport& report) {
  ArrayList answer;
  answer.set("question", std::string("evidence"));
  answer.set("version", std::string(CREDO_VERSION));
  const EvidenceEstimate* best = report.best();
  answer.set("log_evidence", best == nullptr ? kNaN : best->log_evidence);
  answer.set("error", best == nullptr ? kNaN : best->error);
  answer.set("sentence", report.sentence());
  std::vector<std::string> names;
  for (const EvidenceEstimate& e : report.estimates) names.push_back(e.method);
  auto group = answer.add_group("evidence", {{"method", ssize(report.estimates)}});
  group.add_labels("method", std::move(names));
  const auto add = [&](const char* name, const char* help, auto value_of) {
    group.add_column({.name = name, .dims = {"method"}, .help = help}, report.estimates, value_of);
  };
  using E = EvidenceEstimate;
  add("log_evidence", "log marginal likelihood", [](const E& e) { return e.log_evidence; });
  add("error", "standard error; NaN if unknown", [](const E& e) { return e.error; });
  add("lower", "lower bound in the mean", [](const E& e) { return e.lower.value; });
  add("lower_error", "standard error of lower", [](const E& e) { return e.lower.error; });
  add("upper", "upper bound in the mean", [](const E& e) { return e.upper.value; });
  add("upper_error", "standard error of upper", [](const E& e) { return e.upper.error; });
  add("log_bayes_factor", "log Bayes factor of the nested model over the whole one",
      [](const E& e) { return e.log_factor.value; });
  add("log_bayes_factor_error", "standard error of log_bayes_factor",
      [](const E& e) { return e.log_factor.error; });
  group.add_column({.name = "num_evaluations", .dims = {"method"}, .kind = density::Kind::whole},
                   report.estimates, [](const E& e) { return e.num_evaluations; });
  add("seconds", "wall-clock time", [](const E& e) { return e.seconds; });
  return answer;
}

}  // namespace credo::results
