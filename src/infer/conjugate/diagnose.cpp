// Each statement's own log density is tried with the forms that its parameters could have.
#include "infer/conjugate/diagnose.hpp"

#include <fmt/format.h>

namespace credo::infer::conjugate {
namespace {

constexpr std::string_view kSample =
    "use credo sample, whose draws need no conjugate prior, or credo laplace";

// The same problem with the log density of one statement.
Problem only(const Problem& problem, const Statement& statement) {
  return {.units = problem.units,
          .num_values = problem.num_values,
          .log_density = statement.log_density};
}

const Unit& unit_of(const Problem& problem, Index k) {
  return problem.units[static_cast<std::size_t>(k)];
}

// Third differences along a random line through the centre vanish.
bool is_quadratic(const Problem& problem, const Centre& centre, const std::vector<Index>& places) {
  Rng rng({.seed = 7});
  std::vector<double> along(centre.values.size()), f;
  for (const Index place : places) {
    const auto p = static_cast<std::size_t>(place);
    along[p] = (1.0 + std::abs(rng.normal())) * centre.scale[p];
  }
  double error = 0.0;
  for (int t = -3; t <= 3; ++t) {
    std::vector<double> values = centre.values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += t * along[i];
    f.push_back(problem.log_density(values));
    error = std::max(error, 8.0 * rounding_of(f.back()));
  }
  for (std::size_t i = 0; i + 3 < f.size(); ++i)
    if (!(std::abs(f[i + 3] - f[i] - 3.0 * (f[i + 2] - f[i + 1])) <= error)) return false;
  return true;
}

// The curvature along a random line.
double curvature(const Problem& problem, const Centre& centre, const std::vector<Index>& places) {
  std::vector<double> above = centre.values, below = centre.values;
  for (const Index place : places) {
    const auto p = static_cast<std::size_t>(place);
    above[p] += centre.scale[p];
    below[p] -= centre.scale[p];
  }
  const double here = problem.log_density(centre.values);
  const double second = problem.log_density(above) + problem.log_density(below) - 2.0 * here;
  return std::abs(second) <= 8.0 * rounding_of(here) ? 0.0 : second;
}

Sampled along_number(const Problem& problem, const Centre& centre, Index unit) {
  const Unit& which = unit_of(problem, unit);
  const auto place = static_cast<std::size_t>(which.places.front());
  std::vector<double> values = centre.values;
  return sample(which.domain, values[place], [&](double x) {
    values[place] = x;
    return problem.log_density(values);
  });
}

// The row that fits most statements: those of data count more, since a prior is easier to change.
const ScalarRow& best_row(const Problem& problem, const Centre& centre, Index unit) {
  const auto rows = scalar_rows(unit_of(problem, unit).domain);
  const ScalarRow* best = &rows.front();
  int most = -1;
  for (const ScalarRow& row : rows) {
    int score = 0;
    for (const Statement& statement : problem.statements)
      if (fit_scalar(row, along_number(only(problem, statement), centre, unit)).is_linear)
        score += statement.is_of_data ? 3 : 1;
    if (score > most) best = &row;
    most = std::max(most, score);
  }
  return *best;
}

// The first statement for which `fits` is false: one of data if there is one, since no prior would be conjugate to it.
template <class Fits>
Index breaking(const Problem& problem, Fits fits) {
  Index found = -1;
  for (Index s = 0; s < ssize(problem.statements); ++s) {
    const Statement& statement = problem.statements[static_cast<std::size_t>(s)];
    if (fits(only(problem, statement))) continue;
    if (statement.is_of_data) return s;
    if (found < 0) found = s;
  }
  return found;
}

bool is_of_data(const Problem& problem, Index statement) {
  return statement >= 0 && problem.statements[static_cast<std::size_t>(statement)].is_of_data;
}

Refusal refused(const Meeting& meeting, Index unit, Index statement, const std::string& instead) {
  const std::string& name = unit_of(meeting.problem, unit).name;
  if (is_of_data(meeting.problem, statement))
    return {unit, statement, fmt::format("no prior is conjugate to this statement in {}", name),
            std::string(kSample)};
  return {unit, statement,
          fmt::format("the posterior of {} is no member of a conjugate family", name), instead};
}

Refusal why_no_number(const Meeting& meeting) {
  const Index unit = meeting.units.front();
  const ScalarRow& row = best_row(meeting.problem, meeting.centre, unit);
  const Index statement = breaking(meeting.problem, [&](const Problem& one) {
    return fit_scalar(row, along_number(one, meeting.centre, unit)).is_linear;
  });
  return refused(meeting, unit, statement,
                 fmt::format("give {} {}", unit_of(meeting.problem, unit).name, row.prior));
}

Refusal why_no_normal(const Meeting& meeting) {
  const std::vector<Index> places = real_places(meeting);
  const Index statement = breaking(meeting.problem, [&](const Problem& one) {
    return is_quadratic(one, meeting.centre, places);
  });
  Index unit = meeting.units.front();
  if (statement >= 0)  // the one whose own line is no parabola
    for (const Index candidate : meeting.units)
      if (!is_quadratic(only(meeting.problem,
                             meeting.problem.statements[static_cast<std::size_t>(statement)]),
                        meeting.centre, unit_of(meeting.problem, candidate).places)) {
        unit = candidate;
        break;
      }
  return refused(meeting, unit, statement,
                 fmt::format("give {} a normal prior", unit_of(meeting.problem, unit).name));
}

Refusal why_no_simplex(const Meeting& meeting) {
  const Index unit = meeting.units.front();
  const Index statement = breaking(meeting.problem, [&](const Problem& one) {
    const Meeting alone{one, meeting.centre, meeting.units};
    const std::vector<Index>& places = unit_of(one, unit).places;
    Rng rng({.seed = 7});
    std::vector<double> values = meeting.centre.values;
    // Log densities of a Dirichlet form are linear in log x along x_k^t, up to the sum's logarithm: here with two elements exchanged.
    double gap = 0.0, size = 0.0;
    for (const int sign : {1, -1}) {
      shuffle(unit_of(one, unit), meeting.centre, rng, values);
      const double before = one.log_density(values);
      std::swap(values[static_cast<std::size_t>(places.front())],
                values[static_cast<std::size_t>(places.back())]);
      const double ratio = std::log(values[static_cast<std::size_t>(places.front())] /
                                    values[static_cast<std::size_t>(places.back())]);
      gap += sign * (one.log_density(values) - before) / ratio;
      size = std::max(size, rounding_of(before) * (1.0 + 1.0 / std::abs(ratio)));
    }
    return std::abs(gap) <= 8.0 * size;
  });
  return refused(meeting, unit, statement,
                 fmt::format("give {} a dirichlet prior", unit_of(meeting.problem, unit).name));
}

// The positive unit of a meeting of real numbers and a scale.
Index scale_of(const Meeting& meeting) {
  for (const Index unit : meeting.units)
    if (unit_of(meeting.problem, unit).domain == Domain::positive) return unit;
  return -1;
}

Refusal why_no_scale(const Meeting& meeting) {
  const Problem& problem = meeting.problem;
  const Index scale = scale_of(meeting);
  const std::vector<Index> places = real_places(meeting);
  const Refusal reals = why_no_normal(meeting);
  if (reals.statement >= 0) return reals;
  const ScalarRow& row = best_row(problem, meeting.centre, scale);
  const Index own = breaking(problem, [&](const Problem& one) {
    return fit_scalar(row, along_number(one, meeting.centre, scale)).is_linear;
  });
  if (own >= 0)
    return refused(meeting, scale, own,
                   fmt::format("give {} {}", unit_of(problem, scale).name, row.prior));
  Centre other = meeting.centre;
  other.values[static_cast<std::size_t>(unit_of(problem, scale).places.front())] *= 2.0;
  const Index fixed = breaking(problem, [&](const Problem& one) {
    const double before = curvature(one, meeting.centre, places);
    return before == 0.0 || std::abs(curvature(one, other, places) / before - 1.0) > 1e-6;
  });
  return {meeting.units.front(), fixed,
          fmt::format("the variance of {} doesn't scale with {}",
                      unit_of(problem, meeting.units.front()).name, unit_of(problem, scale).name),
          fmt::format("multiply its scale by the standard deviation that {} states, as in mu ~ "
                      "normal(0, 10 * sigma), or {}",
                      unit_of(problem, scale).name, kSample)};
}
// A statement isn't named: a matrix meets all of its real numbers in most statements.
Refusal why_no_matrix(const Meeting& meeting) {
  Index matrix = meeting.units.front();
  for (const Index unit : meeting.units)
    if (unit_of(meeting.problem, unit).domain == Domain::covariance) matrix = unit;
  const std::string& name = unit_of(meeting.problem, matrix).name;
  return {matrix, -1, fmt::format("the posterior of {} isn't inverse Wishart or Wishart", name),
          fmt::format("a covariance matrix takes {} ~ inv_wishart(nu, S) and means ~ "
                      "multi_normal(m, {} / kappa), a precision matrix wishart and "
                      "multi_normal_prec; or {}",
                      name, name, kSample)};
}
}  // namespace

bool do_meet(const Problem& problem, const LogDensityAt& log_density, const Centre& centre,
             std::pair<Index, Index> units) {
  Rng rng({.seed = 11});
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<double> one = centre.values, two = centre.values;
    shuffle(unit_of(problem, units.first), centre, rng, one);
    shuffle(unit_of(problem, units.second), centre, rng, two);
    std::vector<double> both = one;
    for (const Index place : unit_of(problem, units.second).places)
      both[static_cast<std::size_t>(place)] = two[static_cast<std::size_t>(place)];
    const std::array<double, 4> f{log_density(both), log_density(one), log_density(two),
                                  log_density(centre.values)};
    double error = 0.0;
    for (const double value : f) error = std::max(error, 4.0 * rounding_of(value));
    if (!(std::abs((f[0] - f[1]) - (f[2] - f[3])) <= error)) return true;
  }
  return false;
}

Refusal why_they_meet(const Meeting& meeting) {
  const Problem& problem = meeting.problem;
  for (std::size_t i = 0; i < meeting.units.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::pair pair{meeting.units[j], meeting.units[i]};
      if (unit_of(problem, pair.first).domain == Domain::real &&
          unit_of(problem, pair.second).domain == Domain::real)
        continue;
      for (Index s = 0; s < ssize(problem.statements); ++s)
        if (do_meet(problem, problem.statements[static_cast<std::size_t>(s)].log_density,
                    meeting.centre, pair))
          return {
              pair.second, s,
              fmt::format("{} and {} meet in this statement, and no conjugate family holds both",
                          unit_of(problem, pair.first).name, unit_of(problem, pair.second).name),
              fmt::format("declare one of them as data, or {}", kSample)};
    }
  return {meeting.units.front(), -1, "no conjugate family holds the parameters that meet",
          std::string(kSample)};
}

Refusal why_not_finite(const Problem& problem, Index unit, std::span<const double> values) {
  Refusal refusal{unit, -1, {}, {}};
  for (Index s = 0; s < ssize(problem.statements) && refusal.statement < 0; ++s)
    if (!std::isfinite(problem.statements[static_cast<std::size_t>(s)].log_density(values)))
      refusal.statement = s;
  const Unit& which = unit_of(problem, unit);
  refusal.reason =
      fmt::format("the density is 0 or undefined at {} = {:.6g}, which its declaration allows",
                  which.name, values[static_cast<std::size_t>(which.places.front())]);
  refusal.hint = fmt::format(
      "conjugate families have no bounds of a program's own: use a prior with the declared "
      "support, "
      "or {}",
      kSample);
  return refusal;
}

Refusal why_not_conjugate(const Meeting& meeting) {
  if (number_of(meeting, Domain::covariance) > 0) return why_no_matrix(meeting);
  if (meeting.units.size() == 1 && meeting.unit(0).domain == Domain::simplex)
    return why_no_simplex(meeting);
  if (number_of(meeting, Domain::real) == ssize(meeting.units)) return why_no_normal(meeting);
  return meeting.units.size() == 1 ? why_no_number(meeting) : why_no_scale(meeting);
}

Refusal why_improper(const Meeting& meeting) {
  return {meeting.units.front(), -1,
          fmt::format("the posterior of {} has no finite integral, or isn't log-concave",
                      unit_of(meeting.problem, meeting.units.front()).name),
          "give it a proper prior"};
}

}  // namespace credo::infer::conjugate
