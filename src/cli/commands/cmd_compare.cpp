// credo compare: which of several models predicts the same data better.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/summarise.hpp"
#include "io/number_text.hpp"
#include "model/model.hpp"
#include "results/estimates/model_odds.hpp"
#include "results/files/answer_values.hpp"
#include "results/loo/compare.hpp"
#include "results/loo/loo_improve.hpp"

namespace credo::cli {
namespace {
using results::Compared;

std::string doubts(std::span<const Compared> all) {
  std::string text;
  const auto own = std::ranges::count_if(all, [](const Compared& one) { return one.has_own_rows; });
  if (own == ssize(all))
    text +=
        "A row is an element of each program's own log_lik; --rows statements takes those of "
        "the density statements.\n";
  else if (own > 0)
    for (const Compared& one : all)
      text += fmt::format("A row of {} is {}.\n", one.name,
                          one.has_own_rows ? "an element of its own log_lik"
                                           : "an outcome of its density statements");
  for (const Compared& one : all)
    if (one.folds != all[0].folds)
      text += fmt::format(
          "The folds of {} are others than those of {}: their differences are noisier than they "
          "need be (the same --folds and --seed make the same).\n",
          one.name, all[0].name);
  for (const Compared& one : all) {
    const std::size_t bad = one.unreliable.size();
    if (bad > 0)
      text += fmt::format(
          "Of {} {} rows have a Pareto k above {:.2f}: its figures aren't reliable "
          "(--moment-match, or credo loo {}).\n",
          one.name, bad, one.k_limit, one.name);
  }
  return text;
}

const char* sum_name(std::span<const Compared> all) {
  return all[0].folds.empty() ? "elpd_loo" : "elpd_kfold";
}

std::string text_of(std::span<const Compared> all) {
  std::size_t width = 5;
  for (const Compared& one : all) width = std::max(width, one.name.size());
  std::string text =
      fmt::format("{:<{}} {:>10} {:>8} {:>11} {:>8} {:>9} {:>12}\n", "", width, sum_name(all),
                  "error", "difference", "error", "stacking", "pseudo-BMA+");
  for (const Compared& one : all)
    text +=
        fmt::format("{:<{}} {:>10.2f} {:>8} {:>11.2f} {:>8} {:>9.3f} {:>12.3f}\n", one.name, width,
                    one.total.value, results::error_text(one.total), one.difference.value,
                    results::error_text(one.difference), one.stacking, one.pseudo_bma);
  return text + "\n" + results::sentence_of(all) + "\n" + doubts(all);
}

using Words = std::map<std::string, verdict::Verdict::Word>;  // by file, for results

results::ArrayList answer_of(std::span<const Compared> all, const Words& words) {
  results::ArrayList answer("compare");
  answer.set("sentence", results::sentence_of(all));
  using C = Compared;
  auto models = answer.add_group("models", {{"model", ssize(all)}});
  auto add = models.columns(all);
  add("file", &C::name);
  models.columns(all, results::Missing::left_out)("verdict", [&](const C& one) {
    const auto word = words.find(one.name);
    return std::string(word == words.end() ? "" : verdict::to_string(word->second));
  });
  add("rows_by", [](const C& one) { return one.has_own_rows ? "log_lik" : "statements"; });
  add(
      sum_name(all), [](const C& one) { return one.total.value; },
      "log predictive density of rows left out");
  add("error", [](const C& one) { return one.total.error; });
  add(
      "difference", [](const C& one) { return one.difference.value; }, "to the best model");
  add("difference_error", [](const C& one) { return one.difference.error; });
  add("stacking", &C::stacking, "weight by stacking");
  add("pseudo_bma", &C::pseudo_bma, "weight by pseudo-BMA+");
  add(
      "num_unreliable", [](const C& one) { return ssize(one.unreliable); },
      "rows with a Pareto k above the limit");
  return answer;
}

std::string odds_text(std::span<const results::ModelOdds> all) {
  const bool of_bounds = all[0].is_of_bound;
  std::size_t width = 5;
  for (const results::ModelOdds& one : all) width = std::max(width, one.name.size());
  std::string text = fmt::format("{:<{}} {:>12} {:>9} {}{:>9} {:>12} {:>9}\n", "", width,
                                 of_bounds ? "log bound" : "log evidence", "error",
                                 of_bounds ? "    modes " : "", "prior", "probability", "error");
  for (const results::ModelOdds& one : all)
    text += fmt::format("{:<{}} {:>12.3f} {:>9.3f} {}{:>9.3f} {:>12.4f} {:>9.4f}\n", one.name,
                        width, one.log_evidence, one.error,
                        of_bounds ? fmt::format("{:>9} ", one.num_equivalent_modes) : "", one.prior,
                        one.probability, one.probability_error);
  return text + "\n" + results::sentence_of(all) + "\n";
}

results::ArrayList answer_of(std::span<const results::ModelOdds> all) {
  using M = results::ModelOdds;
  results::ArrayList answer("compare");
  answer.set("sentence", results::sentence_of(all));
  auto models = answer.add_group("models", {{"model", ssize(all)}});
  auto add = models.columns(all);
  add("file", &M::name);
  add(all[0].is_of_bound ? "log_bound" : "log_evidence", &M::log_evidence);
  add("error", &M::error);
  if (all[0].is_of_bound) add("equivalent_modes", &M::num_equivalent_modes);
  add("prior", &M::prior, "prior probability");
  add("probability", &M::probability, "posterior probability");
  add("probability_error", &M::probability_error);
  return answer;
}

// Numbers that an option gives for each file: "1,2,1".
struct NumberOfEach {
  const char* option;
  std::string rule;  // "above 0"
  double least;      // at least
  const char* hint;
};
std::vector<double> parse_numbers(const std::string& text, std::size_t count,
                                  const NumberOfEach& of) {
  std::vector<double> numbers;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::optional<double> value = io::parse_number(rest.substr(0, comma));
    numbers.push_back(value.value_or(kNaN));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  const bool are_right =
      std::ranges::all_of(numbers, [&](double x) { return x >= of.least && std::isfinite(x); });
  if (numbers.size() != count || !are_right)
    throw Error(ErrorCode::usage,
                fmt::format("'{}' isn't one number {} for each of {} files", text, of.rule, count),
                of.option, of.hint);
  return numbers;
}
const NumberOfEach kPriors{.option = "--prior",
                           .rule = "above 0",
                           .least = std::numeric_limits<double>::min(),
                           .hint = "--prior 1,1 says that two models are equally probable"};
const NumberOfEach kModes{.option = "--equivalent-modes",
                          .rule = "of at least 1",
                          .least = 1.0,
                          .hint =
                              "--equivalent-modes 1,2,6 is that of mixtures of 1, 2 and 3 "
                              "components"};

class Compare final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_,
                          "results of several models of the same data; or files of credo loo, as "
                          "those of --folds",
                          any_file());
    arguments.flag("--moment-match", matches_,
                   "move the draws to where a row is left out, where Pareto k is too large");
    rows_.describe(arguments);
    arguments.flag("--evidence", by_evidence_,
                   "by the evidence: files of credo evidence, or results whose sampler reports it");
    arguments.option("--prior", prior_,
                     "prior probabilities of the models, relative to each other, as 1,2; "
                     "equal ones without it",
                     needing("--evidence"));
    arguments.flag("--from-bounds", from_bounds_,
                   "by the lower bounds of --method elbo, which stand for the "
                   "evidences",
                   needing("--evidence"));
    arguments.option("--equivalent-modes", modes_,
                     "number of equivalent modes of each model, of which a bound "
                     "counts one: K! of a mixture of K components, as 1,2,6; 1 without it",
                     needing("--from-bounds"));
    arguments.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    if (files_.size() < 2)
      throw Error(ErrorCode::usage, "one model can't be compared", "files", "name two results");
    if (by_evidence_) return run_evidence(output);
    std::vector<Compared> all;
    for (const std::string& file : files_) all.push_back(compared(file, output));
    all = results::compare(std::move(all));
    return report_answer(answer_of(all, words_), text_of(all), output);
  }

 private:
  int report_answer(const results::ArrayList& answer, const std::string& text,
                    Output& output) const {
    print_answer(with_spec(answer, with_inputs(asked, {})), text, file_, json, output);
    return 0;
  }

  // A file of credo loo, or a result whose rows are left out now.
  Compared compared(const std::string& file, Output& output) {
    if (results::is_answer_file(file)) {
      if (matches_)
        throw Error(ErrorCode::usage, "a file of figures has no draws to be moved", file,
                    "give --moment-match to credo loo, or compare the results");
      results::Compared found = results::read_compared(file);
      if (found.data.empty())
        output.note(file +
                    " doesn't contain its data: it isn't checked that all models have the same\n");
      return found;
    }
    const auto fit = open_result(std::span(&file, 1), output);
    const auto model = FittedModel().needed(*fit, output, json,
                                            "compare takes results that have their program and "
                                            "data; credo loo takes --model and --data");
    words_[file] = note_disbelief(*fit, *model, output);
    const auto by_rows = rows_.apply(*model);
    results::Loo loo = loo_of(*fit, *by_rows);
    if (matches_) match_unreliable_rows(loo, *fit, *by_rows);
    results::Compared one = results::compared_by(file, loo);
    one.data = results::digests_of(*model);
    return one;
  }

  // Digests of a result's data; empty if it hasn't its program and data.
  std::vector<results::DataDigest> data_of(const std::string& file, Output& output) const {
    const auto fit = open_fit(std::span(&file, 1));
    const auto model = FittedModel().of(*fit, output, json, "its evidence is that of unknown data");
    if (model == nullptr) return {};
    return results::digests_of(*model);
  }

  int run_evidence(Output& output) const {
    std::vector<results::ModelOdds> all;
    std::vector<double> modes(files_.size(), 1.0);
    if (!modes_.empty()) modes = parse_numbers(modes_, files_.size(), kModes);
    for (const std::string& file : files_) {
      all.push_back(from_bounds_ ? results::read_bound(file, modes[all.size()])
                                 : results::read_evidence(file));
      if (!results::is_answer_file(file)) all.back().data = data_of(file, output);
      if (all.back().data.empty())
        output.note(file +
                    " doesn't contain its data: it isn't checked that all models have the same\n");
    }
    results::require_same_data(all);
    if (!prior_.empty()) {
      const std::vector<double> priors = parse_numbers(prior_, all.size(), kPriors);
      for (std::size_t k = 0; k < all.size(); ++k) all[k].prior = priors[k];
    }
    all = results::odds_of(std::move(all));
    return report_answer(answer_of(all), odds_text(all), output);
  }

  std::vector<std::string> files_;
  std::string prior_, modes_, file_;
  Words words_;
  RowsArgument rows_;
  bool matches_ = false, by_evidence_ = false, from_bounds_ = false;
};
}  // namespace

extern const CommandRow compare_command{
    "compare", "which of several models predicts the same data better, or is more probable",
    "  credo compare a.nc b.nc\n"
    "  credo compare a.nc b.nc c.nc --json\n"
    "  credo compare a.nc b.nc --moment-match\n"
    "  credo loo a.nc --folds 10 -o a.json && credo loo b.nc --folds 10 -o b.json\n"
    "  credo compare a.json b.json\n"
    "  credo compare --evidence a.json b.json\n"
    "  credo compare --evidence one.json two.json --from-bounds --equivalent-modes 1,2\n",
    make_command<Compare>,
    "Standard output: differences of predictions for rows left "
    "out, weights of the models, and what the "
    "difference supports. With --output: these as arrays or JSON."};

}  // namespace credo::cli
