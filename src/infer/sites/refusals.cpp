// Reasons why a posterior isn't a normal distribution times sites.
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stream.hpp"
#include "infer/sites/rows_at.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kWhyNoSites = stream("sites.refusals");
constexpr double kClearlyOff = 1e-6;

std::vector<double> near_centre(std::span<const double> centre, Rng& rng) {
  std::vector<double> x(centre.begin(), centre.end());
  for (double& value : x) value += rng.normal();
  return x;
}

// "sigma, tau and 3 more": names of these coordinates.
std::string names_of_values(const density::LogDensity& density,
                            std::span<const std::size_t> places) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> names;
  if (const density::Model* model = density.as_model()) names = model->free_names();
  std::string text;
  for (std::size_t k = 0; k < std::min(places.size(), kNamed); ++k) {
    const std::size_t d = places[k];
    text += (k == 0 ? "" : ", ") + (d < names.size() ? names[d] : fmt::format("value {}", d + 1));
  }
  if (places.size() > kNamed) text += fmt::format(" and {} more", places.size() - kNamed);
  return text;
}

GradientAt gradient_of(const density::LogDensity& density) {
  std::shared_ptr<density::Evaluator> evaluator = density.make_evaluator();
  return [evaluator](std::span<const double> x, std::span<double> gradient) {
    density::Request request{.position = x, .gradient = gradient, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::gradient, batch);
    return request.status.ok();
  };
}

bool is_of_data(const density::ProgramFacts& facts, const density::StatedDensity& stated) {
  const density::StatedArgument& outcome = stated.arguments.front();
  if (outcome.variable < 0) return false;
  return facts.variables[static_cast<std::size_t>(outcome.variable)].block ==
         density::Block::unknown;
}

// The place of the first statement for which this is true; empty without one.
std::string place_of_statement(
    const density::LogDensity& density,
    const std::function<bool(const density::ProgramFacts&, const density::StatedDensity&)>& is_it) {
  const density::Model* model = density.as_model();
  const auto facts = model == nullptr ? nullptr : model->program_facts();
  if (facts == nullptr) return {};
  for (const density::StatedDensity& stated : facts->densities)
    if (is_it(*facts, stated)) return stated.place.where;
  return {};
}

std::string place_of_prior(const density::LogDensity& density, std::span<const double> centre) {
  const density::Model* model = density.as_model();
  return place_of_statement(density, [&](const auto& facts, const auto& stated) {
    if (is_of_data(facts, stated)) return false;
    const density::Query query{.terms = density::Terms::statement, .statement = stated.statement};
    if (!model->can(query, centre).can) return false;
    const auto part = model->asking(query);
    return !bent_axes(gradient_of(*part), centre).empty();
  });
}

constexpr const char* kOtherMethods =
    "--method normal and --method laplace take any program, and credo sample";
}  // namespace

std::vector<std::size_t> bent_axes(const GradientAt& gradient, std::span<const double> centre) {
  constexpr int kTries = 4;  // a kink is seen from one side at some points
  Rng rng({.seed = 1, .purpose = kWhyNoSites});
  const std::size_t n = centre.size();
  std::vector<double> at(n), below(n), above(n);
  const auto is_line = [&](std::size_t d, double step) {
    std::vector<double> x = near_centre(centre, rng);
    if (!gradient(x, at)) return false;
    x[d] -= step;
    if (!gradient(x, below)) return false;
    x[d] += 2.0 * step;
    if (!gradient(x, above)) return false;
    for (std::size_t e = 0; e < n; ++e) {
      const double size = 1e-3 + std::abs(at[e]) + std::abs(below[e]) + std::abs(above[e]);
      if (!(std::abs(above[e] + below[e] - 2.0 * at[e]) <= kClearlyOff * size)) return false;
    }
    return true;
  };
  std::vector<std::size_t> found;
  for (std::size_t d = 0; d < n; ++d) {
    bool all_lines = true;
    for (int k = 0; all_lines && k < kTries; ++k) all_lines = is_line(d, k % 2 == 0 ? 1.0 : 3.0);
    if (!all_lines) found.push_back(d);
  }
  return found;
}

Error rest_not_normal(const density::LogDensity& density, SiteRest& rest,
                      std::span<const double> centre) {
  if (!rest.can_ask_rows.can)
    return Error(ErrorCode::usage,
                 "sites are rows of the likelihood, and " + rest.can_ask_rows.reason,
                 rest.can_ask_rows.where.empty() ? "sites" : rest.can_ask_rows.where,
                 rest.can_ask_rows.hint + "; " + kOtherMethods);
  const std::vector<std::size_t> places =
      bent_axes([&](std::span<const double> x,
                    std::span<double> g) { return std::isfinite(rest.evaluate_whole(x, g)); },
                centre);
  const std::string place = place_of_prior(density, centre);
  return Error(
      ErrorCode::usage,
      fmt::format("the prior of the unconstrained values isn't normal along {}, nor a product of "
                  "functions of single ones",
                  names_of_values(density, places)),
      place.empty() ? "sites" : place,
      fmt::format("methods by sites need a normal prior, or one of independent values: give "
                  "parameters that have bounds, "
                  "or scale others, as data; or take another method: {}",
                  kOtherMethods));
}

Error row_not_site(const density::LogDensity& density, SiteRest& rest, Index row,
                   std::span<const double> centre) {
  Rng rng({.seed = 1, .purpose = kWhyNoSites});
  std::vector<double> first(centre.size()), other(centre.size());
  const auto unit_gradient = [&](std::vector<double>& gradient) {
    rest.rows->gradient(row, near_centre(centre, rng), gradient);
    double square = 0.0;
    for (const double g : gradient) square += g * g;
    for (double& g : gradient) g /= std::sqrt(square);
  };
  unit_gradient(first), unit_gradient(other);
  double product = 0.0;
  for (std::size_t d = 0; d < first.size(); ++d) product += first[d] * other[d];
  std::vector<std::size_t> places;
  for (std::size_t d = 0; d < first.size(); ++d)
    if (std::abs(first[d] - (product < 0.0 ? -1.0 : 1.0) * other[d]) > kClearlyOff)
      places.push_back(d);
  const std::string place = place_of_statement(density, is_of_data);
  return Error(
      ErrorCode::usage,
      places.empty()
          ? fmt::format("row {} of the likelihood steps from one value to another", row + 1)
          : fmt::format("row {} of the likelihood depends on more than one linear combination of "
                        "the unconstrained values ({})",
                        row + 1, names_of_values(density, places)),
      place.empty() ? "sites" : place,
      fmt::format("methods by sites need rows of one linear predictor: give scales and other "
                  "parameters of the outcome as data; or take another method: {}",
                  kOtherMethods));
}

}  // namespace credo::infer
