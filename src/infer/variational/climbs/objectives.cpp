#include "infer/variational/climbs/objectives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "io/number_text.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
constexpr std::array kObjectives = {
    ObjectiveRow{"elbo", "", "the evidence bound", "blei2017", [](double) { return Objective{}; }},
    ObjectiveRow{
        "iwae", "S", "the importance-weighted bound of S draws", "burda2016",
        [](double s) { return Objective{.power = 1.0, .num_draws = static_cast<Index>(s)}; }},
    ObjectiveRow{"renyi", "a", "the Rényi bound of order a; the smaller, the wider the fit",
                 "li2016", [](double a) { return Objective{.power = 1.0 - a}; }},
    ObjectiveRow{"chi2", "", "an upper bound, by the mean squared weight, made small", "dieng2017",
                 [](double) { return Objective{.power = 2.0}; }},
    ObjectiveRow{
        "eubo", "", "an upper bound, by draws weighted to the posterior, made small: KL(p ‖ q)",
        "bornschein2015", [](double) { return Objective{.power = 1.0, .is_forward = true}; }},
    ObjectiveRow{"gvi", "a", "the likelihood less the Rényi divergence of order a from the prior",
                 "knoblauch2022", [](double a) { return Objective{.order = a}; }}};

std::string form_of(const ObjectiveRow& row) {
  return std::string(row.name) + (row.argument.empty() ? "" : ":" + std::string(row.argument));
}

Error no_objective(std::string_view text) {
  std::vector<std::string> forms;
  for (const ObjectiveRow& row : kObjectives) forms.push_back(form_of(row));
  return Error(
      ErrorCode::usage, fmt::format("there is no objective '{}'", text), "objective",
      fmt::format("write {}: S is a whole number from 2 on, a a number other than 1, above 0 of "
                  "gvi",
                  fmt::join(forms, ", ")));
}

bool is_in_range(const ObjectiveRow& row, double argument) {
  if (row.name == "gvi" && !(argument > 0.0)) return false;
  if (row.argument == "S")
    return argument >= 2.0 && argument <= 1e6 && argument == std::floor(argument);
  return std::isfinite(argument) && argument != 1.0;
}
}  // namespace

std::span<const ObjectiveRow> objectives() { return kObjectives; }

Objective parse_objective(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  for (const ObjectiveRow& row : kObjectives) {
    if (row.name != text.substr(0, colon)) continue;
    if (row.argument.empty() && colon == text.size()) return row.make(0.0);
    if (row.argument.empty() || colon == text.size()) break;
    const auto argument = io::parse_number(std::string(text.substr(colon + 1)));
    if (argument && is_in_range(row, *argument)) return row.make(*argument);
  }
  throw no_objective(text);
}

double Objective::value(std::span<const double> log_ratios) const {
  const double count = static_cast<double>(log_ratios.size());
  if (power == 0.0) return std::accumulate(log_ratios.begin(), log_ratios.end(), 0.0) / count;
  if (is_forward) {
    std::vector<double> weights(log_ratios.size());
    shares(log_ratios, weights);
    return std::inner_product(weights.begin(), weights.end(), log_ratios.begin(), 0.0);
  }
  std::vector<double> terms(log_ratios.begin(), log_ratios.end());
  for (double& term : terms) term *= power;
  return (numerics::log_sum_exp(terms) - numerics::log(count)) / power;
}

void Objective::shares(std::span<const double> log_ratios, std::span<double> into) const {
  double top = -kInfinity, sum = 0.0;
  for (const double ratio : log_ratios) top = std::max(top, power * ratio);
  for (std::size_t s = 0; s < log_ratios.size(); ++s)
    sum += into[s] = numerics::exp(power * log_ratios[s] - top);
  for (double& share : into) share /= sum;
}

}  // namespace credo::infer
