// credo sensitivity: how much a posterior depends on its prior and on its data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/run/repeat.hpp"
#include "cli/run/summarise.hpp"
#include "diagnose/psis.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/checks/sensitivity.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kShownSensitivities = 30;

std::string sentence(const FitSensitivity& all) {
  Index both = 0, prior = 0;
  for (const QuantitySensitivity& q : all.quantities) {
    both += q.to() == Sensitive::both ? 1 : 0;
    prior += q.to() == Sensitive::prior ? 1 : 0;
  }
  if (both + prior == 0)
    return fmt::format("None of {} quantities depends on the prior.", all.quantities.size());
  return fmt::format(
      "{} of {} quantities depend on the prior: of {} prior and data may be in conflict, of {} the "
      "prior "
      "is strong or the data say little.",
      both + prior, all.quantities.size(), both, prior);
}

// The weights can't be relied on.
std::string warning(const FitSensitivity& all) {
  const double limit = diagnose::pareto_k_limit(all.num_draws);
  if (all.prior_k <= limit && all.likelihood_k <= limit) return {};
  return fmt::format(
      "Don't rely on it: Pareto k of the weights is {:.2f} (prior) and {:.2f} (likelihood), above "
      "{:.2f}. "
      "Draw more.\n",
      all.prior_k, all.likelihood_k, limit);
}

std::string effects_note(const FitSensitivity& all) {
  if (all.by_log_lik)
    return "The likelihood is the sum of the program's own log_lik, and the prior is the rest of "
           "the "
           "target.\n";
  if (all.effects.empty()) return {};
  return fmt::format(
      "Only priors of top-level parameters are scaled: how {} {} is part of the model "
      "(--all-priors scales it, too).\n",
      fmt::join(all.effects, ", "), all.effects.size() == 1 ? "varies" : "vary");
}

std::string text_of(const FitSensitivity& all) {
  std::vector<const QuantitySensitivity*> order;
  for (const QuantitySensitivity& q : all.quantities) order.push_back(&q);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* a, auto* b) { return a->prior.distance > b->prior.distance; });
  std::string text = fmt::format("{:<24} {:>8} {:>11}\n", "", "prior", "likelihood");
  for (std::size_t k = 0; k < std::min(order.size(), kShownSensitivities); ++k)
    text += fmt::format("{:<24} {:>8.3f} {:>11.3f}  {}\n", order[k]->name, order[k]->prior.distance,
                        order[k]->likelihood.distance, words_of(order[k]->to()));
  if (order.size() > kShownSensitivities)
    text += fmt::format("and {} more, with --json\n", order.size() - kShownSensitivities);
  return text + fmt::format("\n{}\n", sentence(all)) + effects_note(all) + warning(all);
}

void add_part(results::ArrayList::Builder& group, const FitSensitivity& all,
              const std::string& name, diagnose::Sensitivity QuantitySensitivity::*part) {
  for (const auto& [figure, value] : {std::pair{"distance", &diagnose::Sensitivity::distance},
                                      std::pair{"mean", &diagnose::Sensitivity::mean},
                                      std::pair{"sd", &diagnose::Sensitivity::sd}})
    group.columns(all.quantities)(
        name + "_" + figure, [&](const QuantitySensitivity& q) { return q.*part.*value; }, "",
        name + "." + figure);
}

results::ArrayList answer_of(const FitSensitivity& all) {
  using Q = QuantitySensitivity;
  results::ArrayList answer("sensitivity");
  answer.set("sentence", sentence(all));
  answer.set("threshold", kSensitive);
  answer.set("prior_pareto_k", all.prior_k);
  answer.set("likelihood_pareto_k", all.likelihood_k);
  answer.set("likelihood_by", all.by_log_lik ? "log_lik" : "statements");
  add_list(answer, "effects", "effect", all.effects);
  std::vector<std::string> names;
  for (const Q& q : all.quantities) names.push_back(q.name);
  auto group = answer.add_group("quantities", {{"quantity", ssize(all.quantities)}});
  group.add_labels("quantity", std::move(names), "name");
  add_part(group, all, "prior", &Q::prior);
  add_part(group, all, "likelihood", &Q::likelihood);
  group.add_column({.name = "words"}, all.quantities, [](const Q& q) { return words_of(q.to()); });
  return answer;
}

class SensitivityCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a result, a run file, or CSV files, one a chain",
                          any_file());
    model_.describe(arguments);
    arguments.flag(
        "--all-priors", options_.all_priors,
        "distributions of effects count as priors, too: theta ~ normal(mu, tau), and z ~ "
        "std_normal() with tau * z");
    arguments.flag("--all", options_.all_outputs,
                   "transformed parameters and generated quantities, too");
    arguments.option("-o,--output", file_, kAnswerFile, output_file("*"));
    describe_like(arguments, *this);
  }

  int run(Output& output) override {
    const auto fit = open_draws(files_, output);
    const auto model =
        model_.needed(*fit, output, json, "name the program and its data: --model, --data");
    const FitSensitivity found = sensitivity_of_fit(*fit, *model, options_);
    print_answer(with_spec(answer_of(found), with_inputs(asked, {})), text_of(found), file_, json,
                 output);
    return 0;
  }

 private:
  std::vector<std::string> files_;
  std::string file_;
  FittedModel model_;
  SensitivityOptions options_;
};
}  // namespace

extern const CommandRow sensitivity_command{
    "sensitivity", "how much a posterior depends on its prior and on its data: power-scaling",
    "  credo sensitivity fit.nc\n"
    "  credo sensitivity fit.nc --json\n"
    "  credo sensitivity fit_1.csv fit_2.csv --model model.stan --data data.json\n",
    make_command<SensitivityCommand>,
    "Standard output: for each parameter how far it moves with the prior and with the likelihood. "
    "With --output: these as arrays or JSON."};

}  // namespace credo::cli
