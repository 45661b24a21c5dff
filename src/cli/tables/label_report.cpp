#include "cli/tables/label_report.hpp"

#include <fmt/format.h>

#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
using models::ChunkScore;
using models::LabelModel;
using models::LabelScore;

// A weight with its words.
struct NamedWeight {
  std::string what, label;
  double weight = 0.0, sd = kNaN;
};

double sd_at(const models::LabelFit& fit, std::size_t place) {
  const std::size_t n = fit.weights.size();
  return fit.covariance.empty() ? kNaN : std::sqrt(fit.covariance[place * n + place]);
}

std::vector<NamedWeight> largest(std::vector<NamedWeight> all, Index count) {
  const auto kept = std::min(ssize(all), count);
  std::partial_sort(all.begin(), all.begin() + kept, all.end(),
                    [](const NamedWeight& a, const NamedWeight& b) {
                      return std::abs(a.weight) > std::abs(b.weight);
                    });
  all.resize(static_cast<std::size_t>(kept));
  return all;
}

std::vector<NamedWeight> feature_weights(const LabelModel& model, const models::LabelFit& fit) {
  std::vector<NamedWeight> all;
  const Index width = model.num_labels();
  for (Index f = 0; f < ssize(model.features.names); ++f)
    for (Index a = 0; a < width; ++a) {
      const auto at = static_cast<std::size_t>(f * width + a);
      if (fit.weights[at] != 0.0)
        all.push_back({model.features.names[static_cast<std::size_t>(f)], model.label_name(a),
                       fit.weights[at], sd_at(fit, at)});
    }
  return all;
}

std::vector<NamedWeight> pair_weights(const LabelModel& model, const models::LabelFit& fit) {
  std::vector<NamedWeight> all;
  for (std::size_t type = 0; type < model.types.size(); ++type)
    for (Index k = 0; k < model.pair_size(type); ++k) {
      const auto at = static_cast<std::size_t>(model.first_pair(type) + k);
      if (model.forbidden[type][static_cast<std::size_t>(k)] == 0 && fit.weights[at] != 0.0)
        all.push_back(
            {model.types[type].name, model.pair_name(type, k), fit.weights[at], sd_at(fit, at)});
    }
  return all;
}

std::string weights_text(const std::vector<NamedWeight>& all, const char* what, const char* label) {
  if (all.empty()) return {};
  const bool has_sd = std::isfinite(all[0].sd);
  std::vector<std::vector<std::string>> rows{{what, label, "weight"}};
  if (has_sd) rows[0].emplace_back("sd");
  for (const NamedWeight& one : all) {
    rows.push_back({visible(one.what), visible(one.label), fmt::format("{:.3f}", one.weight)});
    if (has_sd) rows.back().push_back(fmt::format("{:.3f}", one.sd));
  }
  return text_columns(rows) + "\n";
}

std::string counted(Index count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string score_text(const LabelScore& score) {
  std::string text = fmt::format(
      "{}: {:.2f} % of the rows are right; the probabilities expect {:.2f} % (calibration error "
      "{:.3f}); log score of a row {:.4f}\n",
      score.column, 100.0 * score.accuracy, 100.0 * score.expected_accuracy,
      score.calibration_error, score.log_score);
  if (score.chunks.empty()) return text;
  std::vector<std::vector<std::string>> rows{{"chunks", "precision", "recall", "F1", "true"}};
  for (const ChunkScore& chunk : score.chunks)
    rows.push_back({chunk.kind.empty() ? "all" : chunk.kind,
                    fmt::format("{:.3f}", chunk.precision()), fmt::format("{:.3f}", chunk.recall()),
                    fmt::format("{:.3f}", chunk.f1()), fmt::format("{}", chunk.num_true)});
  return text + text_columns(rows);
}

std::string unknown_text(const LabelledTable& table) {
  std::string text;
  for (const auto& [term, texts] : table.unknown.texts)
    text += fmt::format(
        "{} of {} {} that the training table doesn't have, such as '{}'; {} no weight.\n",
        counted(ssize(texts), "text"), visible(term), texts.size() == 1 ? "is one" : "are texts",
        visible(*texts.begin()), texts.size() == 1 ? "it has" : "they have");
  return text;
}

std::string table_words(const LabelledTable& table) {
  std::string text =
      fmt::format("\n{}: {} in {}\n", table.path, counted(table.data->num_rows(), "row"),
                  counted(ssize(table.data->sequences), "sequence"));
  if (table.scores) {
    for (const LabelScore& score : table.scores->sets) text += score_text(score);
    text += fmt::format(
        "{:.2f} % of the sequences are right in all rows; log probability of the labels of a "
        "sequence {:.4f}\n",
        100.0 * table.scores->sequence_accuracy, table.scores->sequence_log_score);
    if (table.scores->num_forbidden > 0)
      text += fmt::format("{} forbidden labels, which the field gives probability 0.\n",
                          table.scores->num_forbidden == 1
                              ? "One sequence has"
                              : fmt::format("{} sequences have", table.scores->num_forbidden));
  }
  constexpr std::size_t kMostTrees = 5;
  for (std::size_t s = 0; s < std::min(kMostTrees, table.made.words.size()); ++s)
    if (!table.made.words[s].empty())
      text += fmt::format("{}: log of the sum over trees {:.6g}; best {}\n",
                          visible(table.data->names[s]), table.made.log_z[s],
                          visible(table.made.words[s]));
  if (table.made.num_unsettled > 0)
    text += fmt::format("The approximation didn't settle in {}: don't rely on these.\n",
                        counted(table.made.num_unsettled, "sequence"));
  return text + unknown_text(table);
}

std::string fit_words(const LabelReport& report) {
  const LabelModel& model = report.model;
  const models::LabelFit& fit = report.fit;
  std::string labels;
  for (const models::LabelSet& set : model.sets)
    labels += fmt::format("{}{} of {}", labels.empty() ? "" : ", ",
                          counted(ssize(set.names), "label"), set.column);
  std::string text = fmt::format(
      "{}: {}, {}; {} in {}, {}, {}\n", model.request.formula, model.structure.text(), labels,
      counted(report.num_rows, "row"), counted(report.num_sequences, "sequence"),
      counted(ssize(model.features.names), "feature"), counted(model.num_weights(), "weight"));
  if (model.features.num_rare > 0)
    text += fmt::format("{} left out: fewer than {} rows have them (--min-count)\n",
                        counted(model.features.num_rare, "feature"), model.request.min_count);
  if (model.request.is_given)
    return text + "no weights: scores of columns and rules; " + fit.engine_words + "\n";
  text += fmt::format("prior of each weight {}; {}\n", report.prior.text(), fit.engine_words);
  text += fmt::format("log likelihood {:.4f}, {:.4f} a row; {}: {}\n", fit.log_likelihood,
                      fit.log_likelihood / static_cast<double>(std::max<Index>(1, report.num_rows)),
                      counted(fit.num_iterations, "iteration"),
                      fit.has_converged ? "converged" : "NOT converged, --iterations takes more");
  if (report.prior.is_laplace)
    text += fmt::format("{} of {} weights are exactly 0\n", fit.num_zero, fit.weights.size());
  return text;
}

std::string quoted_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string made = "\"";
  for (const char c : text) made += c == '"' ? "\"\"" : std::string(1, c);
  return made + "\"";
}
}  // namespace

std::string LabelReport::text() const {
  std::string text = fit_words(*this);
  for (const std::string& remark : remarks) text += remark + "\n";
  if (num_shown > 0 && !is_loaded)
    text += "\n" +
            weights_text(largest(feature_weights(model, fit), num_shown), "feature", "label") +
            weights_text(largest(pair_weights(model, fit), num_shown), "pair", "labels");
  for (const LabelledTable& table : tables) text += table_words(table);
  return text;
}

std::string LabelReport::csv(const LabelledTable& table) const {
  std::string text = "sequence,row";
  for (const models::LabelSet& set : model.sets) {
    text += "," + quoted_cell(set.column);
    for (const std::string& name : set.names)
      text +=
          "," + quoted_cell("p(" + (model.sets.size() > 1 ? set.column + "=" : "") + name + ")");
  }
  text += "\n";
  const models::LabelData& data = *table.data;
  for (std::size_t s = 0; s < data.sequences.size(); ++s)
    for (Index n = data.sequences[s].first; n < data.sequences[s].first + data.sequences[s].length;
         ++n) {
      text += fmt::format("{},{}", quoted_cell(data.names[s]), n + 1);
      std::size_t at = static_cast<std::size_t>(n * model.num_labels());
      for (std::size_t k = 0; k < model.sets.size(); ++k) {
        const std::vector<std::string>& names = model.sets[k].names;
        const auto best = static_cast<std::size_t>(
            table.made.best[static_cast<std::size_t>(n) * model.sets.size() + k]);
        text += "," + quoted_cell(names[best]);
        for (std::size_t a = 0; a < names.size(); ++a)
          text += fmt::format(",{:.6g}", table.made.marginals[at++]);
      }
      text += "\n";
    }
  return text;
}

namespace {
void add_scores(const LabelledTable& table, results::ArrayList& answer) {
  const models::LabelScores& scores = *table.scores;
  answer.set("num_test_rows", scores.num_rows);
  answer.set("num_test_sequences", scores.num_sequences);
  answer.set("sequence_accuracy", scores.sequence_accuracy);
  answer.set("sequence_log_score", scores.sequence_log_score);
  answer.set("num_forbidden", scores.num_forbidden);
  auto group = answer.add_group("scores", {{"column", ssize(scores.sets)}});
  auto add = group.columns(scores.sets);
  add("label_column", &LabelScore::column, "column of labels");
  add("accuracy", &LabelScore::accuracy, "share of rows whose label is right");
  add("expected_accuracy", &LabelScore::expected_accuracy,
      "the share that the probabilities expect");
  add("calibration_error", &LabelScore::calibration_error);
  add("log_score", &LabelScore::log_score, "mean log probability of the right labels");
  struct OwnChunk {
    std::string column;
    ChunkScore score;
  };
  std::vector<OwnChunk> chunks;
  for (const LabelScore& set : scores.sets)
    for (const ChunkScore& score : set.chunks) chunks.push_back({set.column, score});
  if (chunks.empty()) return;
  auto chunk_group = answer.add_group("chunks", {{"chunk", ssize(chunks)}});
  auto add_chunk = chunk_group.columns(chunks);
  add_chunk("label_column", &OwnChunk::column);
  add_chunk("kind", [](const OwnChunk& one) {
    return one.score.kind.empty() ? std::string("all") : one.score.kind;
  });
  add_chunk("precision", [](const OwnChunk& one) { return one.score.precision(); });
  add_chunk("recall", [](const OwnChunk& one) { return one.score.recall(); });
  add_chunk("f1", [](const OwnChunk& one) { return one.score.f1(); });
  add_chunk("num_true", [](const OwnChunk& one) { return one.score.num_true; });
}

void add_weights(const std::string& name, const std::vector<NamedWeight>& weights,
                 results::ArrayList& answer) {
  auto group = answer.add_group(name, {{name, ssize(weights)}});
  auto add = group.columns(weights, results::Missing::left_out);
  add("what", &NamedWeight::what);
  add("label", &NamedWeight::label);
  add("weight", &NamedWeight::weight);
  add("sd", &NamedWeight::sd, "of the normal approximation");
}

void add_sequences(const LabelledTable& table, results::ArrayList& answer) {
  auto group =
      answer.add_group(table.name + "_sequences", {{"sequence", ssize(table.data->sequences)}});
  group.add_texts({.name = "name", .dims = {"sequence"}}, table.data->names);
  group.add({.name = "log_z",
             .dims = {"sequence"},
             .help = "log of the sum over all labellings or trees"},
            table.made.log_z);
  if (!table.made.words.empty() && !table.made.words[0].empty())
    group.add_texts({.name = "tree", .dims = {"sequence"}, .help = "the best tree"},
                    table.made.words);
}

// Arrays that load_labels reads.
void add_model(const LabelReport& report, results::ArrayList& answer) {
  const models::KeptLabelModel kept = models::kept_label_model(report.model);
  const results::InJson hidden{.key = results::kHidden};
  auto features = answer.add_group("features", {{"feature", ssize(kept.features)}}, hidden);
  features.add_labels("feature", kept.features);
  struct OwnLabel {
    std::string column, name;
  };
  std::vector<OwnLabel> labels;
  for (const models::LabelSet& set : kept.sets)
    for (const std::string& name : set.names) labels.push_back({set.column, name});
  auto label_group = answer.add_group("labels", {{"label", ssize(labels)}}, hidden);
  auto add_label = label_group.columns(labels);
  add_label("label_column", &OwnLabel::column);
  add_label("name", &OwnLabel::name);
  struct OwnColumn {
    std::string name;
    bool is_text = false;
    double mean = 0.0, sd = 1.0;
  };
  std::vector<OwnColumn> columns;
  for (const std::string& name : kept.text_columns) columns.push_back({name, true});
  for (const auto& [name, scale] : kept.scales)
    columns.push_back({name, false, scale.mean, scale.sd});
  auto column_group = answer.add_group("columns", {{"column", ssize(columns)}}, hidden);
  auto add_column = column_group.columns(columns);
  add_column("name", &OwnColumn::name);
  add_column("is_text", &OwnColumn::is_text);
  add_column("mean", &OwnColumn::mean);
  add_column("sd", &OwnColumn::sd);
  auto weights =
      answer.add_group("weights", {{"weight_number", ssize(report.fit.weights)}}, hidden);
  weights.add(
      {.name = "weight", .dims = {"weight_number"}, .help = "weights of features, then of pairs"},
      report.fit.weights);
  if (report.fit.covariance.empty()) return;
  const Index n = ssize(report.fit.weights);
  auto covariance = answer.add_group("covariance", {{"weight_number", n}, {"other", n}}, hidden);
  covariance.add({.name = "covariance", .dims = {"weight_number", "other"}}, report.fit.covariance);
}

void add_predictions(const LabelModel& model, const LabelledTable& table,
                     results::ArrayList& answer) {
  const models::LabelData& data = *table.data;
  const Index n = data.num_rows();
  for (std::size_t k = 0, first = 0; k < model.sets.size(); ++k) {
    const models::LabelSet& set = model.sets[k];
    const auto count = set.names.size(), width = static_cast<std::size_t>(model.num_labels());
    std::vector<double> p, best;
    for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row) {
      for (std::size_t a = 0; a < count; ++a)
        p.push_back(table.made.marginals[row * width + first + a]);
      best.push_back(static_cast<double>(table.made.best[row * model.sets.size() + k]));
    }
    auto group = answer.add_group(
        table.name + (k == 0 ? "" : "_second"), {{"row", n}, {"label", static_cast<Index>(count)}},
        {.key = table.name + (k == 0 ? "" : "_second"), .shape = results::Shape::object});
    group.add_labels("label", set.names);
    group.add({.name = "best",
               .dims = {"row"},
               .help = "labels with the largest score",
               .labels = set.names},
              best);
    group.add({.name = "probability", .dims = {"row", "label"}, .help = "marginal probabilities"},
              p);
    first += count;
    if (table.made.draws.empty()) continue;
    std::vector<double> draws;
    for (const std::vector<Index>& draw : table.made.draws)
      for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row)
        draws.push_back(static_cast<double>(draw[row * model.sets.size() + k]));
    group.add_dimension("draw", ssize(table.made.draws));
    group.add({.name = "draws",
               .dims = {"draw", "row"},
               .help = "draws of all labels together",
               .labels = set.names},
              draws);
  }
}
}  // namespace

results::ArrayList LabelReport::answer() const {
  results::ArrayList answer("label");
  const models::LabelRequest& request = model.request;
  answer.set_all("formula", request.formula, "by", request.by, "structure", model.structure.text(),
                 "prior", prior.text(), "method",
                 std::string(request.is_given         ? "given"
                             : fit.covariance.empty() ? "optimize"
                                                      : "approximate"),
                 "scheme", std::string(request.is_bio ? "bio" : "none"), "pairs",
                 std::string(request.pairs_seen ? "seen" : "all"), "inference", fit.engine_words);
  std::string forbidden;
  for (const std::string& pair : request.forbidden)
    forbidden += (forbidden.empty() ? "" : "\n") + pair;
  answer.set("forbidden", forbidden);
  answer.set_all("scores_prefix", request.scores, "rules", request.rules, "rules_path",
                 request.rules_path);
  answer.set("terms", models::kept_label_model(model).terms);
  answer.set_all("exact_states", request.exact_states, "steps", request.num_steps, "min_count",
                 request.min_count, "num_rows", num_rows, "num_sequences", num_sequences,
                 "num_features", ssize(model.features.names), "num_rare_features",
                 model.features.num_rare, "num_weights", model.num_weights(), "num_zero_weights",
                 fit.num_zero, "log_likelihood", fit.log_likelihood, "log_posterior",
                 fit.log_posterior, "num_iterations", fit.num_iterations, "converged",
                 fit.has_converged);
  add_weights("largest_weights", largest(feature_weights(model, fit), num_shown), answer);
  add_weights("largest_pairs", largest(pair_weights(model, fit), num_shown), answer);
  for (const LabelledTable& table : tables) {
    if (table.scores) add_scores(table, answer);
    add_sequences(table, answer);
    add_predictions(model, table, answer);
  }
  add_model(*this, answer);
  return answer;
}

}  // namespace credo::cli
