#include "results/estimates/model_odds.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/core/sample.hpp"
#include "results/files/answer_values.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

std::vector<ModelOdds> odds_of(std::vector<ModelOdds> models) {
  double top = -kInfinity, total = 0.0, total_prior = 0.0;
  for (const ModelOdds& m : models) {
    if (!std::isfinite(m.log_evidence) || !std::isfinite(m.error))
      throw Error(ErrorCode::data, "its log evidence or the error of it isn't known", m.name,
                  "estimate it with credo evidence");
    total_prior += m.prior;
    top = std::max(top, m.log_evidence);
  }
  for (ModelOdds& m : models) {
    m.prior /= total_prior;
    m.probability = m.prior * std::exp(m.log_evidence - top);
    total += m.probability;
  }
  double squares = 0.0;
  for (ModelOdds& m : models) {
    m.probability /= total;
    squares += std::pow(m.probability * m.error, 2);
  }
  for (ModelOdds& m : models) {
    const double own =
        std::pow((1.0 - m.probability) * m.error, 2) - std::pow(m.probability * m.error, 2);
    m.probability_error = m.probability * std::sqrt(std::max(0.0, squares + own));
  }
  std::stable_sort(models.begin(), models.end(), [](const ModelOdds& a, const ModelOdds& b) {
    return a.probability > b.probability;
  });
  return models;
}

void require_same_data(std::span<const ModelOdds> models) {
  for (const ModelOdds& model : models)
    if (const std::string why = difference_of_data(models[0].data, model.data); !why.empty())
      throw Error(ErrorCode::data,
                  fmt::format("{} and {} are evidences of different data: {}", models[0].name,
                              model.name, why),
                  model.name, "run credo evidence for both models with the same data");
}

std::string_view words_of_bayes_factor(double log_bayes_factor) {
  if (log_bayes_factor < 1.0) return "not worth more than a bare mention";
  if (log_bayes_factor < 3.0) return "positive evidence";
  if (log_bayes_factor < 5.0) return "strong evidence";
  return "very strong evidence";
}

std::string sentence_of(std::span<const ModelOdds> models) {
  const ModelOdds &first = models[0], &second = models[1];
  const double log_factor = first.log_evidence - second.log_evidence,
               error = std::hypot(first.error, second.error);
  constexpr double kNotKnown = 2.0;  // errors
  const std::string figures = fmt::format(
      "{} {:.3f} ± {:.3f}", first.is_of_bound ? "difference of the log bounds" : "log Bayes factor",
      log_factor, error);
  const std::string caution =
      first.is_of_bound ? " These are lower bounds: by how much each is below its evidence isn't "
                          "known, nor in the errors."
                        : "";
  if (std::abs(log_factor) < kNotKnown * error)
    return fmt::format(
               "Which of {} and {} the data favour isn't known: {}; estimate the {} better.",
               first.name, second.name, figures, first.is_of_bound ? "bounds" : "evidences") +
           caution;
  const ModelOdds& favoured = log_factor > 0.0 ? first : second;
  return fmt::format(
             "{} {} over {} by a factor of {:.4g}: {}, {}.",
             first.is_of_bound ? "By their lower bounds the data favour" : "The data favour",
             favoured.name, (log_factor > 0.0 ? second : first).name,
             std::exp(std::abs(log_factor)), figures, words_of_bayes_factor(std::abs(log_factor))) +
         caution;
}

ModelOdds read_evidence(const std::string& path) {
  ModelOdds found{.name = path};
  if (!is_answer_file(path)) {
    const auto fit = open_fit(std::span(&path, 1));
    const auto evidence = infer::log_evidence(fit->result());
    if (!evidence)
      throw Error(ErrorCode::data, "the result has no log evidence", path,
                  "use credo evidence -o, or --sampler nested or smc");
    found.log_evidence = evidence->value;
    found.error = evidence->error;
    return found;
  }
  const io::JsonValue json = read_answer(path);
  const io::JsonValue *agree = json.find("agree"), *disagree = json.find("disagree");
  if (disagree != nullptr ? disagree->truth : agree != nullptr && !agree->truth)
    throw Error(ErrorCode::data, "its methods disagree about the log evidence", path,
                "see credo evidence: one of them is wrong; no mean of them is right");
  for (const auto& [key, into] :
       {std::pair{"log_evidence", &found.log_evidence}, std::pair{"error", &found.error}}) {
    const io::JsonValue* value = json.find(key);
    if (value == nullptr)
      throw Error(ErrorCode::data, fmt::format("there is no '{}' in it", key), path,
                  "name a file that credo evidence -o has written");
    *into = value->as_number(key);
  }
  if (const io::JsonValue* data = json.find("data")) found.data = read_digests(*data);
  return found;
}

ModelOdds read_bound(const std::string& path, double num_equivalent_modes) {
  ModelOdds found{.name = path, .is_of_bound = true, .num_equivalent_modes = num_equivalent_modes};
  const auto no_bound = [&] {
    return Error(ErrorCode::data, "there is no bound by elbo in it", path,
                 "name a file of credo evidence --method elbo -o");
  };
  if (!is_answer_file(path)) throw no_bound();
  static const std::pair<std::string, std::string> kGroups[] = {{"evidence", "methods"}};
  const io::JsonValue json = read_answer(path, kGroups);
  const io::JsonValue* methods = json.find("methods");
  if (methods == nullptr) throw no_bound();
  for (const io::JsonValue& method : methods->as_array("methods")) {
    const io::JsonValue *name = method.find("method"), *bound = method.find("lower"),
                        *error = method.find("lower_error");
    if (name == nullptr || name->text != "elbo" || bound == nullptr || error == nullptr) continue;
    found.log_evidence = bound->as_number("lower") + std::log(num_equivalent_modes);
    found.error = error->as_number("lower_error");
  }
  if (!std::isfinite(found.log_evidence)) throw no_bound();
  if (const io::JsonValue* data = json.find("data")) found.data = read_digests(*data);
  return found;
}

}  // namespace credo::results
