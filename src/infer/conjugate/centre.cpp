// Centres by parabolas through three points of each coordinate in turn.
#include "infer/conjugate/blocks.hpp"

namespace credo::infer::conjugate {
namespace {
constexpr int kSweeps = 8;
constexpr double kLongestStep = 2.0;  // for logarithms and logits

double start_of(const Unit& unit) {
  switch (unit.domain) {
    case Domain::real:
      return 0.0;
    case Domain::positive:
      return 1.0;
    case Domain::unit:
      return 0.5;
    case Domain::simplex:
      return 1.0 / static_cast<double>(unit.places.size());
    case Domain::covariance:
      break;  // set_multiple
  }
  return kNaN;
}

// The step to the top of the parabola through the values at -h, 0 and h, or towards the larger value where it has none.
double step_to_top(double h, double below, double here, double above, bool is_bounded) {
  const double curvature = above + below - 2.0 * here, slope = 0.5 * (above - below);
  double step = curvature < -rounding_of(here) ? -h * slope / curvature : (slope > 0.0 ? h : -h);
  if (is_bounded) step = std::clamp(step, -kLongestStep, kLongestStep);
  return step;
}

// Writes a multiple of the identity.
void set_multiple(const Unit& matrix, double factor, std::span<double> values) {
  const auto side =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.places.size()))));
  for (std::size_t k = 0; k < matrix.places.size(); ++k)
    values[static_cast<std::size_t>(matrix.places[k])] = k % (side + 1) == 0 ? factor : 0.0;
}

// The best multiple of the identity.
void improve_matrix(const Problem& problem, const Unit& matrix, Centre& centre) {
  constexpr double kFactor = 4.0;
  for (const double by : {kFactor, 1.0 / kFactor}) {
    std::vector<double> values = centre.values;
    double factor = values[static_cast<std::size_t>(matrix.places.front())];
    for (int k = 0; k < 40; ++k) {
      factor *= by;
      set_multiple(matrix, factor, values);
      const double there = problem.log_density(values);
      if (!(there > centre.log_density)) break;
      centre.values = values;
      centre.log_density = there;
    }
  }
}

void improve(const Problem& problem, Index number, Centre& centre) {
  const Unit& unit = problem.units[static_cast<std::size_t>(number)];
  const auto place = static_cast<std::size_t>(unit.places.front());
  const double u = to_free(unit.domain, centre.values[place]), h = centre.scale[place];
  const auto at = [&](double to) {
    return problem.log_density(moved(problem, centre, number, to));
  };
  const double below = at(u - h), above = at(u + h), here = centre.log_density;
  if (!std::isfinite(below) || !std::isfinite(above)) {
    centre.scale[place] = 0.25 * h;
    return;
  }
  const bool is_bounded = unit.domain != Domain::real;
  const double curvature = above + below - 2.0 * here;
  const double to = u + step_to_top(h, below, here, above, is_bounded), there = at(to);
  if (std::isfinite(there) && there >= here) {
    centre.values[place] = from_free(unit.domain, to);
    centre.log_density = there;
  }
  if (curvature < -rounding_of(here))
    centre.scale[place] = std::clamp(h / std::sqrt(-curvature), 1e-9, is_bounded ? 1.0 : 1e9);
}
}  // namespace

double to_free(Domain domain, double x) {
  if (domain == Domain::positive) return std::log(x);
  return domain == Domain::unit ? std::log(x) - std::log1p(-x) : x;
}
double from_free(Domain domain, double u) {
  if (domain == Domain::positive) return std::exp(u);
  return domain == Domain::unit ? 1.0 / (1.0 + std::exp(-u)) : u;
}

Centre find_centre(const Problem& problem) {
  const auto size = static_cast<std::size_t>(problem.num_values);
  Centre centre{std::vector<double>(size), std::vector<double>(size, 1.0)};
  for (const Unit& unit : problem.units) {
    for (const Index place : unit.places)
      centre.values[static_cast<std::size_t>(place)] = start_of(unit);
    if (unit.domain == Domain::covariance) set_multiple(unit, 1.0, centre.values);
  }
  centre.log_density = problem.log_density(centre.values);
  for (int sweep = 0; sweep < kSweeps && std::isfinite(centre.log_density); ++sweep)
    for (Index k = 0; k < ssize(problem.units); ++k) {
      const Unit& unit = problem.units[static_cast<std::size_t>(k)];
      if (unit.domain == Domain::covariance)
        improve_matrix(problem, unit, centre);
      else if (unit.domain != Domain::simplex)
        improve(problem, k, centre);
    }
  return centre;
}

std::vector<double> moved(const Problem& problem, const Centre& centre, Index unit, double u) {
  const Unit& which = problem.units[static_cast<std::size_t>(unit)];
  std::vector<double> values = centre.values;
  values[static_cast<std::size_t>(which.places.front())] = from_free(which.domain, u);
  return values;
}

void shuffle(const Unit& unit, const Centre& centre, Rng& rng, std::span<double> values) {
  if (unit.domain == Domain::covariance) {
    const std::vector<double> there = near_matrix(at_places(centre.values, unit.places), 0.3, rng);
    for (std::size_t k = 0; k < there.size(); ++k)
      values[static_cast<std::size_t>(unit.places[k])] = there[k];
    return;
  }
  if (unit.domain != Domain::simplex) {
    const auto place = static_cast<std::size_t>(unit.places.front());
    const double u = to_free(unit.domain, centre.values[place]);
    const double by = (1.0 + std::abs(rng.normal())) * (rng.uniform() < 0.5 ? -1.0 : 1.0);
    values[place] = from_free(unit.domain, u + by * centre.scale[place]);
    return;
  }
  double sum = 0.0;
  for (const Index place : unit.places)
    sum += values[static_cast<std::size_t>(place)] = 0.1 + rng.exponential();
  for (const Index place : unit.places) values[static_cast<std::size_t>(place)] /= sum;
}

}  // namespace credo::infer::conjugate
