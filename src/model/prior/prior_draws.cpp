// Exact draws from the prior (docs/design/prior.md).
//
// Draws have the density q = prod f_i / m_i: statement i's density over the mass that declared
// bounds leave of it. The model's density is p = prod f_i, if no terms
// exist but those that are drawn from. Both are checked: log p less the sum of the statements is one number at every
// draw, and masses that differ between draws are made up for by accepting a draw with their product,
// which is at most 1.
#include <fmt/format.h>

#include "base/error.hpp"
#include "density/require.hpp"
#include "model/generative.hpp"
#include "model/prior/prior_run.hpp"
#include "model/statements/statements.hpp"

namespace credo::model {

// Result of trial draws from a program's priors.
struct PriorSurvey {
  density::Capability capability;
  double log_constant = 0.0;        // log density beside the drawn statements
  std::vector<double> log_masses;   // by slot; NaN: it differs between draws
  std::vector<double> log_volumes;  // by slot
  Index cube_dimension = 0;         // 0: there is no map from the cube
};

namespace {
constexpr Index kTrials = 6, kMaxTries = 500;

// Sums of the same terms in another order.
bool agree(double a, double b) {
  constexpr double kRounding = 1e-8;
  return a == b || std::abs(a - b) <= kRounding * (1.0 + std::abs(a));
}

struct Trial {
  std::vector<double> position;
  double log_constant;
  std::vector<double> log_masses, log_volumes;
  bool used_whole;
  Index num_uniforms;
};

class Draws final : public density::ExactDraws {
 public:
  Draws(const ProgramParts& parts, std::shared_ptr<const PriorPlan> plan,
        std::shared_ptr<const PriorSurvey> survey)
      : parts_(parts), plan_(std::move(plan)), survey_(std::move(survey)) {}

  std::optional<density::Start> next(Rng& rng) override {
    Uniforms uniforms(rng);
    PriorRun run(parts_, *plan_, PriorUse::exact, uniforms);
    std::optional<density::Start> start = finish(run);
    if (!start) return std::nullopt;
    const double log_share = log_varying_mass(run);
    if (log_share < 0.0 && std::log(rng.uniform()) >= log_share) return std::nullopt;
    return start;
  }

  Index cube_dimension() const override { return survey_->cube_dimension; }
  std::optional<density::Start> at(std::span<const double> cube) override {
    Uniforms uniforms(cube);
    PriorRun run(parts_, *plan_, PriorUse::exact, uniforms);
    return finish(run);
  }

 private:
  std::optional<density::Start> finish(PriorRun& run) const {
    try {
      std::optional<density::Start> start = run.draw();
      if (start) require_constants(run), start->log_density += survey_->log_constant;
      return start;
    } catch (const NoExactDraws& refused) {
      throw Error(ErrorCode::evaluation, refused.why.reason, refused.why.where, refused.why.hint);
    }
  }
  void require_constants(const PriorRun& run) const {
    for (std::size_t slot = 0; slot < survey_->log_masses.size(); ++slot) {
      const double mass = survey_->log_masses[slot];
      const bool holds = (std::isnan(mass) || agree(mass, run.log_masses()[slot])) &&
                         agree(survey_->log_volumes[slot], run.log_volumes()[slot]);
      if (!holds)
        throw Error(ErrorCode::evaluation,
                    fmt::format("the mass of the prior of {} was one number in {} trial draws, and "
                                "is another one now: these draws would be wrong",
                                parts_.data.source().program.globals[slot].name, kTrials),
                    parts_.data.name(), "sample the prior instead, with --sampler nuts");
    }
  }
  double log_varying_mass(const PriorRun& run) const {
    double sum = 0.0;
    for (std::size_t slot = 0; slot < survey_->log_masses.size(); ++slot)
      if (std::isnan(survey_->log_masses[slot])) sum += run.log_masses()[slot];
    return sum;
  }

  const ProgramParts& parts_;
  std::shared_ptr<const PriorPlan> plan_;
  std::shared_ptr<const PriorSurvey> survey_;
};

// Empty if the point is refused.
std::optional<double> log_constant_at(const Densities& densities, const density::Start& start) {
  density::Request request{.position = start.position, .gradient = {}, .status = {}};
  densities.make_evaluator()->evaluate(density::Want::value, std::array{&request});
  if (!request.status.ok()) return std::nullopt;
  return request.log_density - start.log_density;
}

density::Capability no(std::string reason, std::string hint, std::string where = {}) {
  return {.can = false,
          .reason = std::move(reason),
          .where = std::move(where),
          .hint = std::move(hint)};
}
}  // namespace

// Terms by parameters that aren't drawn from, found in the text: a draw may never meet them. For the
// prior alone, densities of data are left out: those that read values of the data, or have an outcome that
// was known at tracing.
density::Capability Generative::find_other_terms(std::span<const double> point) const {
  const bool is_prior = densities_.query().terms == density::Terms::prior;
  const std::vector<StatementReads> reads = statement_reads(parts_.data.source().program);
  std::set<std::int32_t> likelihood;
  if (is_prior) {
    const auto all = Densities(parts_, densities_, {}).trace_anew(point, Order::gradient);
    for (const TermSummary& term : all->terms)
      if (term.kind == lang::TermKind::likelihood) likelihood.insert(term.statement);
  }
  for (const std::int32_t statement :
       other_increments(parts_.data.source().program, *prior_plan())) {
    const bool is_left_out =
        is_prior && !prior_plan()->sum_statements.contains(statement) &&
        (reads[static_cast<std::size_t>(statement)].value || likelihood.contains(statement));
    if (!is_left_out) return refuse_term(statement);
  }
  return {};
}

density::Capability Generative::refuse_term(std::int32_t statement) const {
  return no("this term is part of the density, and no parameter can be drawn from it",
            densities_.query().terms == density::Terms::all
                ? "--terms prior leaves the likelihood out; a prior is a density of a "
                  "parameter: theta ~ normal(0, 1)"
                : "write the prior as densities of parameters: theta ~ normal(0, 1)",
            parts_.data.source().where(statement));
}

// A statement that adds to the density here and isn't drawn from.
density::Capability Generative::name_other_terms(std::span<const double> point) const {
  const std::shared_ptr<const PriorPlan> plan = prior_plan();
  for (const std::int32_t statement : other_increments(parts_.data.source().program, *plan))
    if (plan->sum_statements.contains(statement)) return refuse_term(statement);
  const auto is_drawn = [&](std::int32_t statement) {
    return std::any_of(plan->stages.begin(), plan->stages.end(), [&](const PriorStage& stage) {
      return stage.block == lang::typed::BlockKind::model &&
             stage.statements[static_cast<std::size_t>(statement)] != 0;
    });
  };
  for (const TermSummary& term : densities_.trace(point)->terms)
    if (term.statement > 0 && term.kind != lang::TermKind::transform_jacobian &&
        !is_drawn(term.statement))
      return refuse_term(term.statement);
  return no("the density isn't the product of the densities that are drawn from",
            "write the prior as one density of each parameter");
}

namespace {
// One number of all trials, or NaN.
double common_value(std::span<const Trial> trials, auto&& value_of) {
  const double first = value_of(trials[0]);
  const bool same = std::all_of(trials.begin(), trials.end(),
                                [&](const Trial& trial) { return agree(first, value_of(trial)); });
  return same ? first : kNaN;
}

void judge_ranges(PriorSurvey& survey, std::span<const Trial> trials,
                  const lang::typed::Program& program) {
  for (std::size_t slot = 0; slot < program.globals.size(); ++slot) {
    const std::string& name = program.globals[slot].name;
    const auto mass = [&](const Trial& trial) { return trial.log_masses[slot]; };
    const auto volume = [&](const Trial& trial) { return trial.log_volumes[slot]; };
    survey.log_masses.push_back(common_value(trials, mass));
    survey.log_volumes.push_back(common_value(trials, volume));
    const bool is_known = std::none_of(trials.begin(), trials.end(),
                                       [&](const Trial& t) { return std::isnan(mass(t)); });
    if (!is_known)
      survey.capability =
          no("the mass that the bounds of " + name + " leave of its prior isn't known",
             "use a distribution that has tails");
    if (!std::isfinite(survey.log_volumes.back()))
      survey.capability = no(
          "the prior of " + name + " has a mass that depends on other parameters",
          "state a prior that is a density within its range, or give the parameter a fixed range "
          "and scale it in transformed parameters");
  }
}

// A map from the cube exists where all is drawn by numbers in (0, 1), always as many, and accepted.
Index common_cube(std::span<const Trial> trials, const PriorSurvey& survey) {
  const bool is_fixed = std::all_of(trials.begin(), trials.end(), [&](const Trial& trial) {
    return !trial.used_whole && trial.num_uniforms == trials[0].num_uniforms;
  });
  const bool accepts = std::none_of(survey.log_masses.begin(), survey.log_masses.end(),
                                    [](double mass) { return std::isnan(mass); });
  return is_fixed && accepts ? trials[0].num_uniforms : 0;
}
}  // namespace

PriorSurvey Generative::survey_priors() const {
  PriorSurvey survey;
  if (densities_.sites().are_sampled()) {
    survey.capability = no("discrete parameters are part of the position", "sum them out");
    return survey;
  }
  const std::shared_ptr<const PriorPlan> plan = prior_plan();
  for (const int slot : plan->deciding) {
    survey.capability =
        no(parts_.data.source().program.globals[static_cast<std::size_t>(slot)].name +
               " decides which of its own priors runs",
           "state its prior without a condition on it");
    return survey;
  }
  std::vector<Trial> trials;
  for (Index k = 0; k < kMaxTries && ssize(trials) < kTrials; ++k) {
    Rng rng({.seed = densities_.options().seed,
             .purpose = purpose::kPriorTrial,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(k)});
    Uniforms uniforms(rng);
    PriorRun run(parts_, *plan, PriorUse::exact, uniforms);
    std::optional<density::Start> start = run.draw();
    if (!start) continue;
    const std::optional<double> constant = log_constant_at(densities_, *start);
    if (constant)
      trials.push_back({std::move(start->position), *constant, run.log_masses(), run.log_volumes(),
                        run.used_whole(), uniforms.num_taken()});
  }
  if (ssize(trials) < kTrials) {
    survey.capability =
        no(fmt::format("of {} draws from the prior only {} lie within the bounds of parameters and "
                       "have a finite log density",
                       kMaxTries, ssize(trials)),
           "state priors that lie within the bounds");
    return survey;
  }
  survey.log_constant = common_value(trials, [](const Trial& t) { return t.log_constant; });
  judge_ranges(survey, trials, parts_.data.source().program);
  if (std::isnan(survey.log_constant)) survey.capability = name_other_terms(trials[0].position);
  if (survey.capability.can) survey.capability = find_other_terms(trials[0].position);
  survey.cube_dimension = common_cube(trials, survey);
  return survey;
}

std::shared_ptr<const PriorSurvey> Generative::prior_survey() const {
  {
    const std::lock_guard lock(mutex_);
    if (prior_survey_ != nullptr) return prior_survey_;
  }
  PriorSurvey survey;
  try {
    survey = survey_priors();
  } catch (const NoExactDraws& refused) {
    survey.capability = refused.why;
  }
  const std::lock_guard lock(mutex_);
  prior_survey_ = std::make_shared<const PriorSurvey>(std::move(survey));
  return prior_survey_;
}

density::Capability Generative::can_draw() const {
  if (densities_.options().after != nullptr)
    return {.can = false,
            .reason = "the prior is an earlier posterior (--after)",
            .hint = "use a sampler that evaluates it"};
  return prior_survey()->capability;
}

std::unique_ptr<density::ExactDraws> Generative::make_exact_draws() const {
  const std::shared_ptr<const PriorSurvey> survey = prior_survey();
  density::require(survey->capability, parts_.data.name());
  return std::make_unique<Draws>(parts_, prior_plan(), survey);
}

}  // namespace credo::model
