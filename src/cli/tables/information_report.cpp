#include "cli/tables/information_report.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kMostShown = 40;  // states that the text lists

std::string four_digits(double x) { return fmt::format("{:.4f}", x == 0.0 ? 0.0 : x); }

std::string table_of_words(const InformationReport& report) {
  const models::WordEntropies& words = *report.words;
  std::vector<std::vector<std::string>> rows{
      {"length", "words", "entropy", "sd", "per symbol", "excess", "predictive"}};
  for (std::size_t t = 0; t < words.entropy.size(); ++t)
    rows.push_back(
        {fmt::format("{}", t + 1), fmt::format("{}", words.num_words[t]),
         four_digits(report.in_unit(words.entropy[t].value)),
         fmt::format("{:.2g}", report.in_unit(words.entropy[t].sd)),
         four_digits(report.in_unit(words.per_symbol[t])),
         four_digits(report.in_unit(words.learning[t])),
         t < words.predictive.size() ? four_digits(report.in_unit(words.predictive[t])) : ""});
  return text_columns(rows) +
         "per symbol: entropy less that of words one shorter; excess: per symbol less its last "
         "value; predictive: information of the first part of the longest words on their rest\n";
}

std::string table_of_states(const InformationReport& report) {
  const std::vector<double> parts = models::entropy_by_questions(report.probabilities);
  std::vector<std::vector<std::string>> rows{{"state", "share", "information", "question"}};
  for (std::size_t k = 0; k < std::min(kMostShown, report.states.size()); ++k)
    rows.push_back({report.states[k], fmt::format("{:.4f}", report.probabilities[k]),
                    four_digits(report.in_unit(models::self_information(report.probabilities[k]))),
                    k < parts.size() ? four_digits(report.in_unit(parts[k])) : ""});
  std::string text =
      text_columns(rows) +
      "question: information in whether it is this state, times the probability that "
      "no earlier one is; the sum is the entropy of the shares\n";
  if (report.states.size() > kMostShown)
    text += fmt::format("and {} more states\n", report.states.size() - kMostShown);
  return text;
}

std::string table_of_channel(const InformationReport& report) {
  std::vector<std::vector<std::string>> rows{{"input", "probability"}};
  for (std::size_t x = 0; x < std::min(kMostShown, report.inputs.size()); ++x)
    rows.push_back({report.inputs[x], fmt::format("{:.6f}", report.input_distribution[x])});
  std::string text = text_columns(rows);
  if (!report.decoder) return text;
  const models::Decoder& decoder = *report.decoder;
  rows = {{"output", "decoded as", "posterior", "share"}};
  for (std::size_t y = 0; y < std::min(kMostShown, report.outputs.size()); ++y)
    rows.push_back({report.outputs[y],
                    decoder.input[y] < 0
                        ? "never comes"
                        : report.inputs[static_cast<std::size_t>(decoder.input[y])],
                    decoder.input[y] < 0 ? "" : fmt::format("{:.4f}", decoder.posterior[y]),
                    fmt::format("{:.4f}", decoder.output[y])});
  return text + "\n" + text_columns(rows) +
         fmt::format("decoded wrongly with probability {:.4g}\n", decoder.error);
}
}  // namespace

std::string InformationReport::text() const {
  std::string text = title + "\n";
  std::vector<std::vector<std::string>> rows{{"", unit(), "sd", ""}};
  for (const InformationFigure& one : figures)
    rows.push_back({one.name, four_digits(in_unit(one.value)),
                    std::isnan(one.sd) ? "" : fmt::format("{:.2g}", in_unit(one.sd)), one.note});
  if (!figures.empty()) text += text_columns(rows);
  if (!states.empty()) text += "\n" + table_of_states(*this);
  if (words) text += "\n" + table_of_words(*this);
  if (!input_distribution.empty()) text += "\n" + table_of_channel(*this);
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

results::ArrayList InformationReport::answer() const {
  results::ArrayList answer("information");
  answer.set("title", title);
  answer.set("unit", unit());
  if (!estimator.empty()) answer.set("estimator", estimator);
  std::vector<std::string> names;
  for (const InformationFigure& one : figures) names.push_back(one.name);
  auto group = answer.add_group("figures", {{"figure", ssize(figures)}});
  group.add_labels("figure", names);
  auto add = group.columns(figures, results::Missing::null);
  add("value", [this](const InformationFigure& f) { return in_unit(f.value); });
  add(
      "sd", [this](const InformationFigure& f) { return in_unit(f.sd); },
      "standard deviation of the estimate, without its bias");
  if (!states.empty()) {
    auto own = answer.add_group("states", {{"state", ssize(states)}});
    own.add_labels("state", states);
    own.add({.name = "share", .dims = {"state"}}, probabilities);
    std::vector<double> selves;
    for (const double p : probabilities) selves.push_back(in_unit(models::self_information(p)));
    own.add({.name = "information", .dims = {"state"}, .help = "-log share"}, selves);
  }
  if (words) {
    const auto scaled = [this](std::vector<double> values) {
      for (double& value : values) value = in_unit(value);
      return values;
    };
    auto own = answer.add_group("words", {{"length", ssize(words->entropy)}});
    own.add_numbers("length", 1);
    auto column = own.columns(words->entropy);
    column("entropy", [this](const models::EntropyEstimate& e) { return in_unit(e.value); });
    column("sd", [this](const models::EntropyEstimate& e) { return in_unit(e.sd); });
    own.add({.name = "per_symbol", .dims = {"length"}}, scaled(words->per_symbol));
    own.add({.name = "excess", .dims = {"length"}, .help = "learning curve"},
            scaled(words->learning));
    std::vector<double> predictive = words->predictive;
    predictive.push_back(kNaN);
    own.add({.name = "predictive", .dims = {"length"}, .missing = results::Missing::null},
            scaled(predictive));
  }
  if (!input_distribution.empty()) {
    auto own = answer.add_group("inputs", {{"input", ssize(inputs)}});
    own.add_labels("input", inputs);
    own.add({.name = "probability",
             .dims = {"input"},
             .help = "probability at the capacity, or the given one"},
            input_distribution);
  }
  if (decoder) {
    answer.set("decoding_error", decoder->error);
    auto own = answer.add_group("outputs", {{"output", ssize(outputs)}});
    own.add_labels("output", outputs);
    std::vector<double> decoded;
    for (const Index x : decoder->input)
      decoded.push_back(x < 0 ? kNaN : static_cast<double>(x + 1));
    own.add({.name = "decoded",
             .dims = {"output"},
             .help = "number of the input",
             .missing = results::Missing::null},
            decoded);
    own.add({.name = "posterior", .dims = {"output"}, .missing = results::Missing::null},
            decoder->posterior);
    own.add({.name = "share", .dims = {"output"}}, decoder->output);
  }
  return answer;
}

std::string BottleneckReport::text() const {
  const double unit = in_bits ? std::log(2.0) : 1.0;
  std::string text = title + "\n";
  std::vector<std::vector<std::string>> rows{
      {"beta", "clusters", "I(T; " + outcome + ")", "share", "I(X; T)", "objective"}};
  for (std::size_t b = 0; b < betas.size(); ++b) {
    const models::Bottleneck& one = curve[b];
    rows.push_back(
        {fmt::format("{:.4g}", betas[b]), fmt::format("{}", one.num_distinct()),
         four_digits(one.relevance / unit),
         information > 0.0 ? fmt::format("{:.1f} %", 100.0 * one.relevance / information) : "",
         four_digits(one.compression / unit), four_digits(one.objective / unit)});
  }
  text += text_columns(rows);
  const models::Bottleneck& last = curve.back();
  rows = {{"state", "share", "cluster", "probability"}};
  const std::size_t num = last.cluster.size();
  for (std::size_t x = 0; x < std::min(kMostShown, states.size()); ++x) {
    const auto own = std::span(last.assignment).subspan(x * num, num);
    const auto best = std::ranges::max_element(own);
    rows.push_back({states[x], fmt::format("{:.4f}", shares[x]),
                    fmt::format("{}", best - own.begin() + 1), fmt::format("{:.3f}", *best)});
  }
  text += fmt::format("\nat beta {:.4g}\n", betas.back()) + text_columns(rows);
  if (states.size() > kMostShown)
    text += fmt::format("and {} more states\n", states.size() - kMostShown);
  for (const std::string& remark : remarks) text += remark + "\n";
  return text;
}

results::ArrayList BottleneckReport::answer() const {
  const double unit = in_bits ? std::log(2.0) : 1.0;
  results::ArrayList answer("bottleneck");
  answer.set("title", title);
  answer.set("unit", std::string(in_bits ? "bits" : "nats"));
  answer.set("information", information / unit);
  auto group = answer.add_group("curve", {{"place", ssize(betas)}});
  group.add({.name = "beta", .dims = {"place"}}, betas);
  auto add = group.columns(curve);
  add(
      "relevance", [unit](const models::Bottleneck& one) { return one.relevance / unit; },
      "I(T; Y)");
  add(
      "compression", [unit](const models::Bottleneck& one) { return one.compression / unit; },
      "I(X; T)");
  add("objective", [unit](const models::Bottleneck& one) { return one.objective / unit; });
  add("clusters", [](const models::Bottleneck& one) { return one.num_distinct(); });
  add("iterations", &models::Bottleneck::num_iterations);
  const models::Bottleneck& last = curve.back();
  const Index num = ssize(last.cluster);
  auto own = answer.add_group("states", {{"state", ssize(states)}, {"cluster", num}});
  own.add_labels("state", states);
  own.add({.name = "share", .dims = {"state"}}, shares);
  own.add({.name = "assignment",
           .dims = {"state", "cluster"},
           .help = "probability of the cluster at the last beta"},
          last.assignment);
  auto clusters = answer.add_group("clusters", {{"cluster", num}, {"outcome", ssize(outcomes)}});
  clusters.add({.name = "size", .dims = {"cluster"}, .help = "probability of the cluster"},
               last.cluster);
  clusters.add({.name = "distribution",
                .dims = {"cluster", "outcome"},
                .help = "distribution of the outcome"},
               last.outcome);
  return answer;
}

}  // namespace credo::cli
