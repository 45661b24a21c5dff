// The fit of a field from the file of its arrays.
#include <fmt/format.h>

#include "cli/run/answer_file.hpp"
#include "cli/tables/label_report.hpp"

namespace credo::cli {
namespace {
std::vector<std::string> texts_at(const results::ArrayResult& file, std::string_view group,
                                  std::string_view field) {
  const results::Group* const found = file.find_group(group);
  const results::Field* const own = found == nullptr ? nullptr : found->find(field);
  std::vector<std::string> texts;
  if (own == nullptr) return texts;
  for (const double place : file.read(*found, *own))
    texts.push_back(own->labels[static_cast<std::size_t>(place)]);
  return texts;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

models::LabelRequest request_of(const results::ArrayResult& file) {
  return {.formula = file.text("formula"),
          .by = file.text("by"),
          .structure = file.text("structure"),
          .pairs_seen = file.text("pairs") == "seen",
          .is_bio = file.text("scheme") == "bio",
          .forbidden = lines_of(file.text("forbidden")),
          .min_count = static_cast<Index>(file.number("min_count")),
          .exact_states = file.number("exact_states"),
          .rules = file.text("rules"),
          .rules_path = file.text("rules_path"),
          .scores = file.text("scores_prefix"),
          .is_given = file.text("method") == "given",
          .num_steps = static_cast<Index>(file.number("steps"))};
}
}  // namespace

LoadedLabels load_labels(const std::string& path) {
  const auto refuse = [&](const std::string& message) {
    throw Error(ErrorCode::data, message, path,
                "credo label FORMULA --data TABLE -o fit.nc writes such a file");
  };
  if (path.ends_with(".json")) refuse("a JSON file isn't read as a fit of labels");
  const auto file = open_answer(path);
  if (file == nullptr)
    throw Error(ErrorCode::io, "the file isn't there, or is no result in NetCDF", path,
                "credo label FORMULA --data TABLE -o fit.nc writes such a file");
  if (file->text("question") != "label") refuse("the file is no fit of credo label");
  models::KeptLabelModel kept{.request = request_of(*file),
                              .terms = file->text("terms"),
                              .sets = {},
                              .features = texts_at(*file, "features", "feature"),
                              .text_columns = {},
                              .scales = {}};
  const std::vector<std::string> columns = texts_at(*file, "labels", "label_column"),
                                 labels = texts_at(*file, "labels", "name");
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (kept.sets.empty() || kept.sets.back().column != columns[k])
      kept.sets.push_back({.column = columns[k], .names = {}});
    kept.sets.back().names.push_back(labels[k]);
  }
  const std::vector<std::string> names = texts_at(*file, "columns", "name");
  const std::vector<double> is_text = file->find("columns", "is_text"),
                            means = file->find("columns", "mean"),
                            sds = file->find("columns", "sd");
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (is_text[k] != 0.0)
      kept.text_columns.push_back(names[k]);
    else
      kept.scales[names[k]] = {.mean = means[k], .sd = sds[k]};
  }
  LoadedLabels loaded;
  loaded.model = models::restored_label_model(kept);
  loaded.fit.weights = file->find("weights", "weight");
  loaded.fit.covariance = file->find("covariance", "covariance");
  if (ssize(loaded.fit.weights) != loaded.model.num_weights())
    refuse(fmt::format("the file has {} weights, and its field {}", loaded.fit.weights.size(),
                       loaded.model.num_weights()));
  models::restore_unseen_pairs(loaded.model, loaded.fit.weights);
  loaded.fit.log_likelihood = file->number("log_likelihood");
  loaded.fit.log_posterior = file->number("log_posterior");
  loaded.fit.num_iterations = static_cast<Index>(file->number("num_iterations"));
  loaded.fit.has_converged = file->text("converged") == "true" || file->number("converged") == 1.0;
  loaded.fit.num_zero = static_cast<Index>(file->number("num_zero_weights"));
  loaded.fit.engine_words = file->text("inference");
  loaded.prior = models::parse_weight_prior(file->text("prior"));
  loaded.num_rows = static_cast<Index>(file->number("num_rows"));
  loaded.num_sequences = static_cast<Index>(file->number("num_sequences"));
  return loaded;
}

}  // namespace credo::cli
