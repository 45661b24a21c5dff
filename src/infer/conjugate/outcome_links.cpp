#include "infer/conjugate/outcome_links.hpp"

#include "infer/conjugate/centre.hpp"

namespace credo::infer::conjugate {
namespace {
constexpr int kFurtherPoints = 3;
constexpr double kSame = 1e-10;  // relative to the sizes of the terms that are added

// A predicted value, and the size of the terms that were added for it.
struct Sum {
  double value = 0.0, size = 0.0;
  void add(double term) { value += term, size += std::abs(term); }
};
Sum single(double value) { return {value, std::abs(value)}; }
}  // namespace

OutcomeLinks::OutcomeLinks(const Problem& problem, const Answer& answer, const OutcomesAt& outcomes)
    : problem_(problem) {
  add_points(answer);
  for (const std::vector<double>& point : points_) found_.push_back(outcomes(point));
}

// A real number is moved by more than its size, since the slope of an affine function has least rounding then; a positive one is doubled.
void OutcomeLinks::add_points(const Answer& answer) {
  Rng rng({.seed = 5});
  std::vector<double> centre(static_cast<std::size_t>(problem_.num_values));
  const auto scattered = [&](double spread) {
    std::vector<double> values = centre;
    for (const auto& block : answer.blocks) block->scatter(rng, spread, values);
    return values;
  };
  centre = scattered(0.0);
  points_.push_back(centre);
  for (Index place = 0; place < problem_.num_values; ++place) {
    const auto unit = std::ranges::find_if(problem_.units, [&](const Unit& one) {
      return std::ranges::find(one.places, place) != one.places.end();
    });
    std::vector<double> values = centre;
    double& value = values[static_cast<std::size_t>(place)];
    if (unit->domain == Domain::real) value += 1.0 + std::abs(value);
    if (unit->domain == Domain::positive) value *= 2.0;
    if (unit->domain == Domain::unit)
      value = from_free(Domain::unit, to_free(Domain::unit, value) + 0.5);
    points_.push_back(std::move(values));
  }
  for (int k = 0; k < kFurtherPoints; ++k) points_.push_back(scattered(1.0));
}

template <class Predicted>
bool OutcomeLinks::agrees(Index k, std::size_t a, std::size_t e, Predicted predicted) const {
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const Sum sum = predicted(point);
    if (!(std::abs(at(point, k, a, e) - sum.value) <= kSame * sum.size)) return false;
  }
  return true;
}

std::optional<double> OutcomeLinks::constant(Index k, std::size_t a, std::size_t e) const {
  const double value = at(0, k, a, e);
  for (std::size_t point = 1; point < points_.size(); ++point)
    if (at(point, k, a, e) != value) return std::nullopt;
  return value;
}

bool OutcomeLinks::is_constant(Index k, std::size_t a) const {
  for (std::size_t e = 0; e < outcome(k).arguments[a].size(); ++e)
    if (!constant(k, a, e)) return false;
  return true;
}

std::optional<AffineLink> OutcomeLinks::affine(Index k, std::size_t a, std::size_t e) const {
  AffineLink link{.at_zero = at(0, k, a, e), .slopes = {}};
  for (const Unit& unit : problem_.units) {
    if (unit.domain != Domain::real) continue;
    const Index place = unit.places.front();
    const auto moved = static_cast<std::size_t>(place + 1);
    const double rise = at(moved, k, a, e) - at(0, k, a, e);
    if (rise == 0.0) continue;
    link.slopes.emplace_back(place, rise / (value(moved, place) - value(0, place)));
    link.at_zero -= link.slopes.back().second * value(0, place);
  }
  const bool holds = agrees(k, a, e, [&](std::size_t point) {
    Sum sum = single(link.at_zero);
    for (const auto& [place, slope] : link.slopes) sum.add(slope * value(point, place));
    return sum;
  });
  return holds ? std::optional(link) : std::nullopt;
}

std::optional<PowerLink> OutcomeLinks::power(Index k, std::size_t a, std::size_t e) const {
  for (const Unit& unit : problem_.units) {
    const Index place = unit.places.front();
    const auto moved = static_cast<std::size_t>(place + 1);
    if (unit.domain != Domain::positive || at(moved, k, a, e) == at(0, k, a, e)) continue;
    PowerLink link{.place = place,
                   .power = std::log(at(moved, k, a, e) / at(0, k, a, e)) / std::log(2.0)};
    constexpr double kStep = 0.5;  // families have whole and half powers
    link.power = kStep * std::round(link.power / kStep);
    link.factor = at(0, k, a, e) / std::pow(value(0, place), link.power);
    const bool holds = agrees(k, a, e, [&](std::size_t point) {
      return single(link.factor * std::pow(value(point, place), link.power));
    });
    if (holds) return link;
  }
  return std::nullopt;
}

bool OutcomeLinks::is_place(Index place, bool complement, Index k, std::size_t a,
                            std::size_t e) const {
  return agrees(k, a, e, [&](std::size_t point) {
    Sum sum = single(complement ? 1.0 : value(point, place));
    if (complement) sum.add(-value(point, place));
    return sum;
  });
}

std::optional<ProbabilityLink> OutcomeLinks::probability(Index k, std::size_t a,
                                                         std::size_t e) const {
  for (const Unit& unit : problem_.units) {
    if (unit.domain != Domain::unit && unit.domain != Domain::simplex) continue;
    for (const Index place : unit.places)
      for (const bool complement : {false, true})
        if (is_place(place, complement, k, a, e)) return ProbabilityLink{place, complement};
  }
  return std::nullopt;
}

std::optional<Index> OutcomeLinks::number(Index k, std::size_t a, std::size_t e) const {
  for (const Unit& unit : problem_.units)
    if (unit.domain == Domain::real && is_place(unit.places.front(), false, k, a, e))
      return unit.places.front();
  return std::nullopt;
}

std::optional<Index> OutcomeLinks::container(Index k, std::size_t a, Domain domain) const {
  const std::size_t size = outcome(k).arguments[a].size();
  for (Index u = 0; u < ssize(problem_.units); ++u) {
    const Unit& unit = problem_.units[static_cast<std::size_t>(u)];
    if (unit.domain != domain || unit.places.size() != size) continue;
    bool is_it = true;
    for (std::size_t e = 0; e < size && is_it; ++e)
      is_it = is_place(unit.places[e], false, k, a, e);
    if (is_it) return u;
  }
  return std::nullopt;
}

}  // namespace credo::infer::conjugate
