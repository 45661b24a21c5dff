#include "base/error.hpp"
#include "models/gp/outcomes/gp_outcome.hpp"

namespace credo::models {
namespace {
std::string unless_log_concave(const OutcomeFamily& family) {
  if (family.is_categorical) return "it treats one process, and categorical outcomes have several";
  if (!family.is_log_concave)
    return "the likelihood of the family isn't log-concave, and the posterior may have several "
           "modes";
  return "";
}
std::string unless_one_process(const OutcomeFamily& family) {
  return family.is_categorical ? unless_log_concave(family) : "";
}
std::string unless_laplace(const OutcomeFamily& family) {
  return family.is_categorical ? "" : unless_log_concave(family);
}
std::unique_ptr<GpSolver> make_laplace(const GpProblem& problem, const GpOutcome& outcome) {
  return outcome.family->is_categorical ? make_classes_solver(problem, outcome)
                                        : make_laplace_solver(problem, outcome);
}
}  // namespace

std::span<const OutcomeMethodRow> outcome_method_rows() {
  static constexpr std::array<OutcomeMethodRow, 4> kRows{{
      {"laplace", "normal at the posterior's mode", unless_laplace, make_laplace},
      {"ep", "expectation propagation: moments of each row's factor", unless_log_concave,
       make_ep_solver},
      {"cvi", "variational: the normal distribution of the largest lower bound", unless_log_concave,
       make_cvi_solver, true},
      {"sample", "draws of the process and its hyperparameters by NUTS, up to 500 rows",
       unless_one_process, nullptr},
  }};
  return kRows;
}

const OutcomeMethodRow& find_outcome_method(std::string_view name) {
  const auto found = std::ranges::find(outcome_method_rows(), name, &OutcomeMethodRow::name);
  CREDO_ASSERT(found != outcome_method_rows().end(), "a method of the table");
  return *found;
}

const OutcomeMethodRow& default_outcome_method(const OutcomeFamily& family) {
  const bool is_binary = family.name == "bernoulli" || family.name == "binomial";
  return find_outcome_method(is_binary ? "ep" : family.is_log_concave ? "laplace" : "sample");
}

}  // namespace credo::models
