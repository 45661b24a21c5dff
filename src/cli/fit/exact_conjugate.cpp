// Exact posteriors of continuous parameters: infer/conjugate/conjugate.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/fit/conjugate_problem.hpp"
#include "cli/fit/exact_method.hpp"
#include "cli/fit/exact_predictive.hpp"
#include "cli/term/terminal.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/files/data_digest.hpp"
#include "results/files/evidence.hpp"
#include "results/files/facts.hpp"

namespace credo::cli {
namespace {
namespace conjugate = infer::conjugate;

// The marginals of all blocks in the order of the values, with the block's family.
struct OfValue {
  conjugate::Marginal marginal;
  std::string_view block_family;
  Index block = 0;
};
std::vector<OfValue> by_value(const conjugate::Answer& answer) {
  std::vector<OfValue> all;
  for (Index b = 0; b < ssize(answer.blocks); ++b) {
    const conjugate::Block& block = *answer.blocks[static_cast<std::size_t>(b)];
    for (conjugate::Marginal& marginal : block.marginals())
      all.push_back({std::move(marginal), block.family(), b + 1});
  }
  std::ranges::sort(all, {}, [](const OfValue& value) { return value.marginal.place; });
  return all;
}

std::string words_of(const conjugate::Marginal& marginal) {
  std::vector<std::string> arguments;
  for (const conjugate::Argument& a : marginal.arguments)
    arguments.push_back(fmt::format("{} = {:.6g}", a.name, a.value));
  return fmt::format("{}({})", marginal.family, fmt::join(arguments, ", "));
}

// Makes the log evidence that of normalised priors: NaN if one is improper. Returns remarks about priors that don't integrate to 1.
std::vector<std::string> normalise_evidence(conjugate::Answer& answer,
                                            const ExactQuestion& question) {
  if (question.model.query().terms == density::Terms::likelihood || !question.after.empty())
    return {};  // no prior is in it, or a normalised one
  const density::PriorMass mass = prior_mass(question.model);
  answer.log_evidence = mass.improper.empty() ? answer.log_evidence - mass.log_mass : kNaN;
  return results::remarks_on(mass);
}

std::string conjugate_text(const conjugate::Answer& answer, const std::vector<OfValue>& values,
                           const std::vector<std::string>& names, const ExactQuestion& question,
                           std::span<const std::string> remarks) {
  const std::string sum = std::isnan(answer.log_evidence)
                              ? question.sum_is + ": none\n"
                              : fmt::format("{}: {:.6f}\n", question.sum_is, answer.log_evidence);
  std::string text = fmt::format(
      "exact posterior: {} of {}; it agrees with the log density at {} further points\n"
      "{}{}{}\n",
      answer.blocks.size() == 1 ? "one block"
                                : fmt::format("{} independent blocks", answer.blocks.size()),
      names.size() == 1 ? "one parameter" : fmt::format("{} parameters", names.size()),
      answer.num_checks, sum, fmt::join(remarks, "\n"), remarks.empty() ? "" : "\n");
  std::vector<std::vector<std::string>> rows{{"parameter", "mean", "sd", "posterior", "block"}};
  for (const OfValue& value : values)
    rows.push_back({names[static_cast<std::size_t>(value.marginal.place)],
                    fmt::format("{:.6g}", value.marginal.mean),
                    fmt::format("{:.6g}", value.marginal.sd), words_of(value.marginal),
                    fmt::format("{} {}", value.block, value.block_family)});
  return text + text_columns(rows);
}

results::ArrayList arrays_of(const conjugate::Answer& answer, const std::vector<OfValue>& values,
                             const std::vector<std::string>& names, const ExactQuestion& question,
                             const std::vector<std::string>& remarks) {
  results::ArrayList arrays("exact");
  arrays.set("program", question.model.name(), results::kHidden);
  arrays.set("method", std::string("conjugate"));
  arrays.set("sum_is", question.sum_is);
  arrays.set("log_evidence", answer.log_evidence, "", results::Missing::left_out);
  arrays.set("num_checks", answer.num_checks);
  arrays.set("largest_gap", answer.largest_gap);
  if (!remarks.empty()) add_list(arrays, "notes", "note", remarks);
  const auto size = ssize(names);
  arrays.add_group("posterior_parameters", {{"parameter", size}}, {.key = "parameters"})
      .add_labels("parameter", names, "name")
      .add_column({.name = "family"}, values,
                  [](const OfValue& value) { return value.marginal.family; })
      .add_column({.name = "mean"}, values,
                  [](const OfValue& value) { return value.marginal.mean; })
      .add_column({.name = "sd"}, values, [](const OfValue& value) { return value.marginal.sd; })
      .add_column({.name = "block", .help = "parameters of one block are dependent"}, values,
                  [](const OfValue& value) { return value.block; })
      .add_column({.name = "block_family"}, values,
                  [](const OfValue& value) { return std::string(value.block_family); });
  const auto arguments = results::elements_within(
      values, [](const OfValue& value) { return value.marginal.arguments; });
  arrays
      .add_rows("arguments", arguments,
                {.key = "arguments", .shape = results::Shape::named, .of = "posterior_parameters"})
      .add_column({.name = "name"}, arguments, &conjugate::Argument::name)
      .add_column({.name = "value"}, arguments, &conjugate::Argument::value);
  std::vector<double> covariance(static_cast<std::size_t>(size * size));
  for (const auto& block : answer.blocks) block->add_covariance(covariance);
  arrays
      .add_group("covariance", {{"parameter", size}, {"parameter_2", size}},
                 {.key = "covariance", .shape = results::Shape::object})
      .add({.name = "covariance", .dims = {"parameter", "parameter_2"}, .key = "values"},
           std::move(covariance));
  return arrays;
}

void refuse_discrete_options(const ExactQuestion& question) {
  const results::ExactOptions& options = question.options;
  if (options.num_draws == 0 && !options.pairs && options.joints.empty() && !question.has_values)
    return;
  throw Error(ErrorCode::usage, "a conjugate posterior has no --at, --pairs, --joint and --number",
              "--method conjugate", "leave them out; credo sample draws");
}

// One digest of all data of the program.
std::string digest_of(const model::Model& model) {
  std::string all;
  for (const results::DataDigest& one : results::digests_of_all(model))
    all += fmt::format("{} {}\n", one.name, one.digest);
  return results::hash_of(all);
}

// The earlier posterior; its data mustn't be these, because they would count twice.
std::optional<KeptPosterior> earlier(const ExactQuestion& question) {
  if (question.after.empty()) return std::nullopt;
  if (question.model.query().terms != density::Terms::all)
    throw Error(ErrorCode::usage, "the prior is the earlier posterior", "--terms", "leave it out");
  KeptPosterior kept = read_kept(question.after);
  if (!question.has_equal_data &&
      std::ranges::find(kept.data, digest_of(question.model)) != kept.data.end())
    throw Error(
        ErrorCode::data, "the earlier posterior has seen these data already", question.after,
        "give the next data, or --equal-data if these are new observations with equal values");
  return kept;
}

KeptPosterior kept_of(const conjugate::Answer& answer, const ConjugateProblem& asked,
                      const std::optional<KeptPosterior>& before, const model::Model& model) {
  KeptPosterior kept{.source = {}, .names = asked.names(), .blocks = {}, .data = {}};
  for (const auto& block : answer.blocks) kept.blocks.push_back(block->state());
  if (before) kept.data = before->data;
  kept.data.push_back(digest_of(model));
  return kept;
}

struct Conjugate final : filters::Method<ExactMethod, filters::NoOptions> {
  density::Capability applies(const model::Model& model) const override {
    if (model.discrete().size() > 0)
      return {false, "the program has discrete parameters, too", model.name(),
              "--method elimination is about these"};
    if (model.num_continuous() > 0) return {};
    return {false, "the program has no parameter", model.name(), "declare some: real theta"};
  }
  density::Capability can_average() const override {
    return {false, "a conjugate posterior is exact without draws", "--fit", "leave it out"};
  }
  density::Capability can_predict() const override { return {}; }
  ExactAnswer answer(const ExactQuestion& question) const override {
    refuse_discrete_options(question);
    const std::optional<KeptPosterior> before = earlier(question);
    const ConjugateProblem asked(question.model, before ? &*before : nullptr);
    conjugate::Answer answer = infer::conjugate::solve(asked.problem(), question.options.seed);
    if (answer.refusal) asked.refuse(*answer.refusal);
    const std::vector<OfValue> values = by_value(answer);
    const std::vector<std::string> remarks = normalise_evidence(answer, question);
    const ExactPredictive predictive(
        question.predicted == nullptr ? question.model : *question.predicted, asked.problem(),
        answer, asked.names());
    ExactAnswer all{
        arrays_of(answer, values, asked.names(), question, remarks),
        conjugate_text(answer, values, asked.names(), question, remarks) + predictive.text()};
    predictive.add_to(all.arrays);
    add_kept(all.arrays, kept_of(answer, asked, before, question.model));
    return all;
  }
};
}  // namespace

extern const ExactMethodRow conjugate_exact = filters::row_of<Conjugate>(
    {.name = "conjugate",
     .summary = "posteriors of continuous parameters in closed form, proved at further points",
     .reference = "gelman2013"});

}  // namespace credo::cli
