#include "models/ard/ard_table.hpp"

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {

const SharedPrior* ard_of(const Regression& made) {
  for (const SharedPrior& prior : made.location().list.shared_priors)
    if (prior.call.word == "ard") return &prior;
  return nullptr;
}

std::string why_no_ard(const Regression& made, const RegressionRequest& request) {
  const Predictor& own = made.location();
  const OutcomeModifiers& modifiers = made.outcome.modifiers;
  const SharedPrior* const prior = ard_of(made);
  if (made.family->name != "normal" || own.link != "identity")
    return "the outcome must be normal, with link identity";
  if (made.predictors.size() > 1 || own.is_nonlinear || !own.expression.empty())
    return "sigma and other parameters can't have formulas";
  if (prior == nullptr || own.specials.size() != 1)
    return "the formula must have one ard(), and no smooth or other special terms";
  if (std::ranges::any_of(own.terms, [](const TermBlock& term) { return !term.has_shared_prior; }))
    return "all terms must stand in ard()";
  if (prior->call.parts.size() > 1)
    return "shape and rate are a prior of the precisions, which have none here";
  if (!made.groups.empty() || !own.offsets.empty() || !made.missing.empty())
    return "groups, offsets and mi() have no part";
  if (modifiers.is_by_row() || !modifiers.error.empty() || !modifiers.condition().empty())
    return "the outcome can't have modifiers or lags";
  if (!request.priors.empty() || request.preset != "default")
    return "the precisions are at their maximum without priors: leave out --prior and --priors";
  return {};
}

double scale_of(std::span<const double> centred) {
  double sum = 0.0;
  for (const double x : centred) sum += x * x;
  return std::sqrt(sum / static_cast<double>(centred.size()));
}

void add_column(const std::string& name, std::vector<double> values, ArdTable& table) {
  ArdColumn column{.name = name};
  if (table.has_intercept) column.mean = sample_mean(values);
  for (double& x : values) x -= column.mean;
  const double scale = scale_of(values);
  if (scale > 0.0) column.scale = scale;
  for (double& x : values) x /= column.scale;
  table.columns.push_back(std::move(column));
  table.data.columns.push_back(std::move(values));
}
bool is_kernel(const Predictor& own, std::size_t term) {
  const Term& variables = own.design.terms[term].variables;
  return variables.size() == 1 &&
         own.design.variables[static_cast<std::size_t>(variables[0])].may_be_collinear;
}
// The kernel is 1 at its centre alone.
Index row_of_centre(std::span<const double> column) {
  return std::ranges::max_element(column) - column.begin();
}
}  // namespace

double ArdTable::intercept(std::span<const double> standardised) const {
  double sum = outcome_mean;
  for (std::size_t d = 0; d < columns.size(); ++d)
    sum -= coefficient(d, standardised[d]) * columns[d].mean;
  return sum;
}

bool has_ard(const Regression& made) { return ard_of(made) != nullptr; }

ArdTable make_ard_table(const Regression& made, const RegressionRequest& request,
                        std::string_view method) {
  const std::string why = why_no_ard(made, request);
  if (!why.empty())
    throw Error(ErrorCode::usage, "--method " + std::string(method) + " fits y ~ ard(...): " + why,
                "--method", "--method sample and the approximations take any formula with ard()");
  const Predictor& own = made.location();
  ArdTable table;
  table.has_intercept = own.has_intercept;
  table.num_rows = made.num_rows;
  for (std::size_t t = 0; t < own.terms.size(); ++t)
    for (std::size_t k = 0; k < own.terms[t].columns.size(); ++k) {
      add_column(own.terms[t].coefficients[k].name, own.terms[t].columns[k], table);
      if (is_kernel(own, t)) table.columns.back().row = row_of_centre(own.terms[t].columns[k]);
    }
  table.data.outcome = made.outcome.values;
  if (table.has_intercept) table.outcome_mean = sample_mean(table.data.outcome);
  for (double& y : table.data.outcome) y -= table.outcome_mean;
  table.outcome_sd = scale_of(table.data.outcome);
  if (!(table.outcome_sd > 0.0))
    throw Error(ErrorCode::data, "the outcome is the same in all rows", made.outcome.text,
                "an outcome without variation can't be explained");
  for (double& y : table.data.outcome) y /= table.outcome_sd;
  if (const auto known = made.known.find("sigma"); known != made.known.end())
    table.data.sigma = io::parse_number(known->second.all).value_or(0.0) / table.outcome_sd;
  return table;
}

}  // namespace credo::models
