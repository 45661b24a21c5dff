// A parameter that is an argument of a density but may leave what the density allows: real sigma in
// normal(mu, sigma). The refusal of a point by such an argument proves it; a parameter that is
// declared with the bound is never refused there.
#include "dist/distribution.hpp"
#include "lang/density_call.hpp"
#include "verdict/findings.hpp"
#include "verdict/places.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace typed = lang::typed;
namespace {
struct Culprit {
  const typed::GlobalVariable* parameter = nullptr;
  lang::SourceRange statement = {};
};

// The argument that a message names: "scale parameter" is normal's second one.
const typed::Expression* argument_named(const typed::Call& call, std::string_view argument) {
  const auto function = lang::distribution_function(call.function.name);
  if (!function || function->distribution == nullptr) return nullptr;
  const dist::Distribution& d = *function->distribution;
  if (d.outcome.name == argument) return &call.arguments.front();
  for (std::size_t k = 0; k < d.args.size() && k + 1 < call.arguments.size(); ++k)
    if (d.args[k].name == argument) return &call.arguments[k + 1];
  return nullptr;
}

bool is_unconstrained_parameter(const typed::GlobalVariable& variable) {
  return variable.block == typed::BlockKind::parameters && variable.sized_type != nullptr &&
         variable.sized_type->constraint == typed::Constraint::none;
}

// Of the density of one statement.
std::optional<Culprit> culprit_of(const model::ProgramSource& program,
                                  const lang::Failure& failure) {
  std::optional<Culprit> found;
  for_each_density(program, [&](const DensityUse& use) {
    if (found || use.statement.id != failure.statement) return;
    const typed::Expression* argument = argument_named(use.call, failure.argument);
    const int slot = argument == nullptr ? -1 : variable_in(*argument);
    if (slot < 0) return;
    const typed::GlobalVariable& variable = program.program.globals[static_cast<std::size_t>(slot)];
    if (is_unconstrained_parameter(variable)) found = Culprit{&variable, use.statement.range};
  });
  return found;
}

std::string_view bound_for(std::string_view rule) {
  if (rule.find("positive") != std::string_view::npos ||
      rule.find("nonnegative") != std::string_view::npos)
    return "lower=0";
  if (rule.find("1") != std::string_view::npos) return "lower=0, upper=1";
  return "lower=..., upper=...";
}

std::vector<Finding> check(const Case& at_hand) {
  const Evidence& evidence = at_hand.evidence;
  if (evidence.run == nullptr || evidence.model == nullptr || evidence.program == nullptr)
    return {};
  std::vector<Finding> findings;
  for (const infer::Refusal& refusal : evidence.run->refusals) {
    const auto failure = evidence.model->failure_of({.source = refusal.source});
    if (!failure || failure->kind != lang::FailureKind::requirement) continue;
    const auto culprit = culprit_of(*evidence.program, *failure);
    if (!culprit) continue;
    const std::string& name = culprit->parameter->name;
    const bool known = std::any_of(findings.begin(), findings.end(),
                                   [&](const Finding& f) { return f.parameters.front() == name; });
    if (known) continue;
    findings.push_back(
        {.id = "missing_constraint",
         .level = Level::bad,
         .parameters = {name},
         .text = name + " is declared without the bounds that " + failure->function +
                 " needs: " + counted(refusal.count, "point") + " where its " + failure->argument +
                 " isn't " + failure->rule + " were refused (" +
                 evidence.program->source.where(culprit->statement) +
                 "). At that edge trajectories break off and chains stick.",
         .remedy = "Declare " + name + " with <" + std::string(bound_for(failure->rule)) + ">.",
         .place = culprit->parameter->declared});
  }
  return findings;
}
}  // namespace

const FindingSpec missing_constraint{
    .id = "missing_constraint",
    .title = "a parameter without the constraint that its density needs",
    .explains = {"initial_values", "divergences", "low_energy_exchange", "tree_depth", "not_mixed",
                 "few_draws", "stuck_chain", "multimodal", "funnel"},
    .check = check};

}  // namespace credo::verdict
