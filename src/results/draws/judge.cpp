#include "results/draws/judge.hpp"

#include "diagnose/weights.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/approximation.hpp"
#include "io/number_text.hpp"
#include "results/draws/cross_check.hpp"
#include "results/draws/weights.hpp"
#include "results/files/facts.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::results {
namespace {

// Attribute of an answer that isn't a run, and its value for paths of states.
constexpr const char* kQuestion = "question";
constexpr const char* kSmoothQuestion = "smooth";

// Weighted draws are judged as others are, by draws that count the same.
class FitDraws final : public verdict::DrawSource {
 public:
  explicit FitDraws(const Fit& fit)
      : fit_(fit), outputs_(fit.layout().element_names()), places_(equally_weighted(fit)) {}
  bool are_resampled() const { return !places_.empty(); }
  // Figures of the draws with their weights, without R-hat.
  KnownFigures weighted_figures() const {
    return [this](Index output) {
      const density::Draws draws = fit_.quantities(false, first_output(fit_) + output, 1);
      const diagnose::Summary s = diagnose::weighted_summary(draws.quantity(0), log_weights());
      return diagnose::Convergence{kNaN, s.ess_bulk, s.ess_tail};
    };
  }
  Index num_draws() const override { return fit_.num_draws(false); }
  Index num_chains() const override { return fit_.num_chains(); }
  const std::vector<std::string>& outputs() const override { return outputs_; }
  density::Draws read(Index first, Index count) const override {
    return taken(fit_.quantities(false, first_output(fit_) + first, count));
  }
  density::Draws read_unweighted(Index first, Index count) const override {
    return fit_.quantities(false, first_output(fit_) + first, count);
  }
  std::vector<double> log_weights() const override { return log_weights_of(fit_); }
  std::vector<double> statistic(std::string_view name) const override {
    const auto place = find_quantity(fit_, name);
    if (!place || *place >= first_output(fit_)) return {};
    const density::Draws draws = taken(fit_.quantities(false, *place, 1));
    const auto values = draws.quantity(0);
    return {values.begin(), values.end()};
  }

 private:
  density::Draws taken(density::Draws draws) const {
    if (places_.empty()) return draws;
    density::Draws all(draws.num_draws(), draws.num_chains(), draws.num_quantities());
    for (Index q = 0; q < draws.num_quantities(); ++q) {
      const auto values = draws.quantity(q);
      for (std::size_t k = 0; k < places_.size(); ++k) {
        const auto draw = static_cast<Index>(k) % draws.num_draws(),
                   chain = static_cast<Index>(k) / draws.num_draws();
        all(draw, chain, q) = values[static_cast<std::size_t>(places_[k])];
      }
    }
    return all;
  }

  const Fit& fit_;
  std::vector<std::string> outputs_;
  std::vector<Index> places_;  // places of draws that count the same
};

double setting(const Fit& fit, const std::string& name, double otherwise) {
  const auto& settings = fit.origin().settings;
  const auto found = settings.find(name);
  if (found == settings.end()) return otherwise;
  return io::parse_number(found->second).value_or(otherwise);
}

std::string text_setting(const Fit& fit, const std::string& name) {
  const auto found = fit.origin().settings.find(name);
  return found == fit.origin().settings.end() ? std::string() : found->second;
}

bool is_sampled(const density::Variable& v) {
  const bool may_be_parameter =
      v.block == density::Block::unknown || v.block == density::Block::parameters;
  return may_be_parameter && v.kind != density::Kind::whole;
}

// CSV files don't mark parameters; a model does.
std::vector<verdict::Variable> variables_of_fit(const Fit& fit, const density::Names* names) {
  const density::Layout& layout = fit.layout();
  std::vector<verdict::Variable> variables;
  for (Index k = 0; k < ssize(layout.variables()); ++k) {
    const density::Variable& v = layout.variables()[static_cast<std::size_t>(k)];
    const bool asks_model = v.block == density::Block::unknown && names != nullptr;
    const auto known = asks_model ? names->outputs().find_variable(v.name) : std::nullopt;
    const density::Variable& said =
        known ? names->outputs().variables()[static_cast<std::size_t>(*known)] : v;
    variables.push_back({.name = v.name,
                         .first = layout.first(k),
                         .count = v.size(),
                         .dims = v.dims,
                         .sampled = is_sampled(said)});
  }
  return variables;
}

std::vector<Index> init_tries_of(const Fit& fit) {
  std::vector<Index> tries;
  for (const infer::ChainResult& chain : fit.result().chains) tries.push_back(chain.num_init_tries);
  return tries;
}

// False for ready-made models and callables.
bool is_of_program(const Fit& fit, const JudgedModel& of) {
  const bool is_known = of.model != nullptr && of.model->program_facts() == nullptr;
  return !is_known && !fit.origin().settings.contains(kCommandSetting);
}
}  // namespace

verdict::Verdict judge_fit(const Fit& fit, const JudgedModel& of) {
  const FitDraws draws(fit);
  // For simulations and filters the program's density is the prior alone, which isn't the density of the draws.
  const std::string& sampler = fit.result().sampler;
  const bool is_approximation = infer::is_approximation(sampler);
  const bool has_density =
      !infer::draws_by_simulation(sampler) && !verdict::draws_by_filter(sampler);
  return verdict::judge({.draws = &draws,
                         .variables = variables_of_fit(fit, of.model),
                         .program = of.program,
                         .model = has_density ? of.model : nullptr,
                         .remake = has_density ? of.remake : nullptr,
                         .run = &fit.result(),
                         .init_tries = init_tries_of(fit),
                         .max_tree_depth = io::count_said(setting(fit, "max_tree_depth", 10.0)),
                         .target_accept = setting(fit, "target_accept", 0.8),
                         .thin = io::count_said(setting(fit, "thin", 1.0)),
                         .has_independent_runs = text_setting(fit, kQuestion) == kSmoothQuestion,
                         .covariance = text_setting(fit, "covariance"),
                         .figures = is_approximation        ? draws.weighted_figures()
                                    : draws.are_resampled() ? KnownFigures()
                                                            : of.figures,
                         .is_of_program = is_of_program(fit, of),
                         .cross_check = cross_check_of(fit)},
                        of.rows);
}

}  // namespace credo::results
