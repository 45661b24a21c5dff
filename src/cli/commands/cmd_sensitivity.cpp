// credo sensitivity: how much a posterior depends on its prior and on its data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/run/sample_run.hpp"
#include "cli/run/summarise.hpp"
#include "diagnose/psis.hpp"
#include "io/json_writer.hpp"
#include "model/model.hpp"
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

void write_part(io::JsonWriter& json, const char* name, const diagnose::Sensitivity& s) {
  json.key(name).begin_object().key("distance").number(s.distance);
  json.key("mean").number(s.mean).key("sd").number(s.sd).end_object();
}

std::string json_of(const FitSensitivity& all) {
  io::JsonWriter json;
  json.begin_object().key("sentence").string(sentence(all)).key("threshold").number(kSensitive);
  json.key("prior_pareto_k")
      .number(all.prior_k)
      .key("likelihood_pareto_k")
      .number(all.likelihood_k);
  json.key("likelihood_by").string(all.by_log_lik ? "log_lik" : "statements");
  json.key("effects").begin_array();
  for (const std::string& name : all.effects) json.string(name);
  json.end_array().key("quantities").begin_array();
  for (const QuantitySensitivity& q : all.quantities) {
    json.line_break().begin_object().key("name").string(q.name);
    write_part(json, "prior", q.prior);
    write_part(json, "likelihood", q.likelihood);
    json.key("words").string(words_of(q.to())).end_object();
  }
  return json.end_array().end_object().text() + "\n";
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
        "std_normal() of tau * z");
    arguments.flag("--all", options_.all_outputs,
                   "transformed parameters and generated quantities, too");
  }

  int run(Output& output) override {
    const auto fit = open_draws(files_, output);
    const auto model =
        model_.needed(*fit, output, json, "name the program and its data: --model, --data");
    const FitSensitivity found = sensitivity_of_fit(*fit, *model, options_);
    output.print(json ? json_of(found) : text_of(found));
    return 0;
  }

 private:
  std::vector<std::string> files_;
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
    "No files."};

}  // namespace credo::cli
