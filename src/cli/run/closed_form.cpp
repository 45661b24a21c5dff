#include "cli/run/closed_form.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/fit/conjugate_problem.hpp"

namespace credo::cli {
namespace {
constexpr Index kMostValues = 30;     // the solution takes about their square of evaluations
constexpr Index kMostRows = 100'000;  // an evaluation goes through all
}  // namespace

std::optional<std::string> words_on_closed_form(const model::Model& model, std::uint64_t seed) {
  const bool is_cheap = model.dimension() <= kMostValues && model.num_rows() <= kMostRows;
  const density::Query& query = model.query();
  const bool is_posterior = query.terms == density::Terms::all && query.power == 1.0;
  if (!is_cheap || !is_posterior || model.num_continuous() == 0 || model.discrete().size() > 0)
    return std::nullopt;
  try {
    // Conjugate forms are densities of the declared values, without Jacobian terms.
    density::Query declared = query;
    declared.jacobian = false;
    const std::vector<double> origin(static_cast<std::size_t>(model.dimension()), 0.0);
    if (!model.can(declared, origin).can) return std::nullopt;
    const std::unique_ptr<model::Model> plain = model.with(declared);
    const ConjugateProblem asked(*plain);
    const infer::conjugate::Answer answer = infer::conjugate::solve(asked.problem(), seed);
    if (answer.refusal) return std::nullopt;
    const density::PriorMass mass = density::prior_mass(model);
    const std::string evidence =
        mass.improper.empty()
            ? fmt::format(", and its log evidence is {:.6g}", answer.log_evidence - mass.log_mass)
            : std::string();
    return fmt::format(
        "the posterior is conjugate{}: credo exact prints it in closed form, without draws",
        evidence);
  } catch (const Error&) {  // no conjugate posterior, with a reason that credo exact gives
    return std::nullopt;
  }
}

}  // namespace credo::cli
