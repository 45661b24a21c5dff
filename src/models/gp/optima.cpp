#include "models/gp/optima.hpp"

#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "density/function_density.hpp"
#include "infer/optimise/mode.hpp"
#include "models/gp/gp_solver_table.hpp"

namespace credo::models {
namespace {
constexpr double kRange =
    12.0;  // unconstrained values differ from their centres by so much at most
constexpr double kNearLimit = 11.9;
constexpr std::uint32_t kStarts = stream("gp.starts");

std::vector<double> natural(const Covariance& covariance, std::span<const Index> estimated,
                            std::span<const double> free) {
  std::vector<double> theta = centre_of(covariance);
  for (std::size_t k = 0; k < estimated.size(); ++k) {
    const auto p = static_cast<std::size_t>(estimated[k]);
    theta[p] = covariance.parameters()[p].from_free(free[k]);
  }
  return theta;
}
double free_centre(const CovarianceParameter& parameter) {
  return parameter.kind.transform == KernelTransform::positive ? std::log(parameter.centre()) : 0.0;
}

bool is_same(const GpOptimum& a, const GpOptimum& b, const Covariance& covariance,
             std::span<const Index> estimated) {
  if (std::abs(a.evidence - b.evidence) > 0.01) return false;
  // on a ridge that doesn't end, climbs stop at different places
  const auto is_open = [](const GpOptimum& one) {
    return !one.has_converged || !one.at_limit.empty();
  };
  if (is_open(a) && is_open(b)) return true;
  for (const Index k : estimated) {
    const auto p = static_cast<std::size_t>(k);
    const CovarianceParameter& parameter = covariance.parameters()[p];
    const bool is_loose = std::ranges::find(a.at_limit, k) != a.at_limit.end() ||
                          std::ranges::find(b.at_limit, k) != b.at_limit.end();
    if (!is_loose && std::abs(parameter.to_free(a.theta[p]) - parameter.to_free(b.theta[p])) > 0.05)
      return false;
  }
  return true;
}
}  // namespace

std::vector<Index> estimated_parameters(const Covariance& covariance) {
  std::vector<Index> all;
  for (Index p = 0; p < covariance.num_parameters(); ++p)
    if (!covariance.parameters()[static_cast<std::size_t>(p)].is_fixed) all.push_back(p);
  return all;
}

std::vector<double> centre_of(const Covariance& covariance) {
  std::vector<double> theta;
  for (const CovarianceParameter& parameter : covariance.parameters())
    theta.push_back(parameter.is_fixed                                      ? parameter.value
                    : parameter.kind.transform == KernelTransform::positive ? parameter.centre()
                                                                            : 0.5);
  return theta;
}

std::unique_ptr<density::LogDensity> evidence_density(const GpProblem& problem, GpSolver& solver,
                                                      bool with_prior) {
  const std::vector<Index> estimated = estimated_parameters(problem.covariance);
  const auto dimension = ssize(estimated);
  return density::make_density(
      dimension, [&problem, &solver, estimated, with_prior](std::span<const double> free,
                                                            std::span<double> gradient) {
        stop_if_asked();
        const Covariance& covariance = problem.covariance;
        for (std::size_t k = 0; k < estimated.size(); ++k) {
          const auto& parameter = covariance.parameters()[static_cast<std::size_t>(estimated[k])];
          if (!(std::abs(free[k] - free_centre(parameter)) <= kRange)) return -kInfinity;
        }
        const std::vector<double> theta = natural(covariance, estimated, free);
        const GpEvidence found = solver.evidence(theta, true);
        double value = found.value;
        if (found.slopes.empty()) return -kInfinity;
        for (std::size_t k = 0; k < estimated.size(); ++k) {
          const auto p = static_cast<std::size_t>(estimated[k]);
          const CovarianceParameter& parameter = covariance.parameters()[p];
          gradient[k] = found.slopes[p] * parameter.slope(theta[p]);
          if (!with_prior) continue;
          const auto [prior, slope] = parameter.log_prior(free[k]);
          value += prior, gradient[k] += slope;
        }
        return value;
      });
}

namespace {
std::vector<std::vector<double>> random_starts(const Covariance& covariance,
                                               const OptimaOptions& options) {
  std::vector<std::vector<double>> starts;
  for (Index s = 0; s < options.num_starts; ++s) {
    Rng rng({.seed = options.seed, .purpose = kStarts, .iteration = static_cast<std::uint32_t>(s)});
    std::vector<double> start;
    for (const Index p : estimated_parameters(covariance)) {
      const auto& parameter = covariance.parameters()[static_cast<std::size_t>(p)];
      const double off = rng.normal();
      start.push_back(free_centre(parameter) + (s == 0 ? 0.0 : parameter.kind.spread * off));
    }
    starts.push_back(std::move(start));
  }
  return starts;
}

// Climbs from all starts; equal ends are one optimum. Sorted, the best first.
std::vector<GpOptimum> climb_all(const GpProblem& problem, const density::LogDensity& density,
                                 std::span<const std::vector<double>> starts) {
  const Covariance& covariance = problem.covariance;
  const std::vector<Index> estimated = estimated_parameters(covariance);
  std::vector<GpOptimum> optima;
  for (const std::vector<double>& start : starts) {
    const auto mode = infer::find_mode_if_defined(
        density, {.max_iterations = 400, .tolerance = 1e-6, .start = start});
    if (!mode) continue;
    GpOptimum made{.theta = natural(covariance, estimated, mode->position),
                   .evidence = mode->log_density,
                   .num_starts = 1,
                   .has_converged = mode->converged};
    for (std::size_t k = 0; k < estimated.size(); ++k) {
      const auto& parameter = covariance.parameters()[static_cast<std::size_t>(estimated[k])];
      if (std::abs(mode->position[k] - free_centre(parameter)) > kNearLimit)
        made.at_limit.push_back(estimated[k]);
    }
    const auto same = std::ranges::find_if(optima, [&](const GpOptimum& known) {
      return is_same(known, made, covariance, estimated);
    });
    if (same == optima.end()) {
      optima.push_back(std::move(made));
      continue;
    }
    made.num_starts += same->num_starts;
    if (made.evidence > same->evidence)
      *same = std::move(made);
    else
      same->num_starts = made.num_starts;
  }
  std::ranges::sort(optima, std::ranges::greater{}, &GpOptimum::evidence);
  return optima;
}

std::vector<double> free_values(const Covariance& covariance, std::span<const double> theta) {
  std::vector<double> free;
  for (const Index p : estimated_parameters(covariance))
    free.push_back(covariance.parameters()[static_cast<std::size_t>(p)].to_free(
        theta[static_cast<std::size_t>(p)]));
  return free;
}

// Half of them adjacent, so that short scales are seen, half spread over all.
std::vector<Index> screening_rows(Index num_rows, const OptimaOptions& options) {
  const Index half = options.num_screened / 2;
  std::vector<Index> rows = random_rows(num_rows, half, options.seed);
  Rng rng({.seed = options.seed, .purpose = kStarts, .chain = 1});
  const Index first = rng.index_below(num_rows - half);
  for (Index k = 0; k < half; ++k) rows.push_back(first + k);
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}
}  // namespace

std::vector<GpOptimum> find_optima(const GpProblem& problem, GpSolver& solver,
                                   const OptimaOptions& options, bool* was_screened) {
  const Covariance& covariance = problem.covariance;
  const std::vector<Index> estimated = estimated_parameters(covariance);
  if (estimated.empty()) {
    GpOptimum only{.theta = centre_of(covariance), .num_starts = 1, .has_converged = true};
    only.evidence = solver.evidence(only.theta, false).value;
    return {only};
  }
  std::vector<std::vector<double>> starts = random_starts(covariance, options);
  if (problem.num_rows() > 2 * options.num_screened) {
    const GpProblem part = subset_of(problem, screening_rows(problem.num_rows(), options));
    const auto exact = make_exact_solver(part);
    const std::vector<GpOptimum> screened =
        climb_all(part, *evidence_density(part, *exact, options.with_prior), starts);
    if (!screened.empty()) {
      starts.clear();
      for (const GpOptimum& one : screened)
        if (ssize(starts) < options.num_refined)
          starts.push_back(free_values(covariance, one.theta));
      if (was_screened != nullptr) *was_screened = true;
    }
  }
  if (!options.known.empty()) starts.push_back(free_values(covariance, options.known));
  const auto density = evidence_density(problem, solver, options.with_prior);
  std::vector<GpOptimum> optima = climb_all(problem, *density, starts);
  if (optima.empty()) return optima;
  GpOptimum& best = optima.front();
  try {
    const std::vector<double> inverse =
        infer::inverse_hessian(*density, free_values(covariance, best.theta));
    const auto d = estimated.size();
    for (std::size_t k = 0; k < d; ++k) best.free_sds.push_back(std::sqrt(inverse[k * d + k]));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
  }
  return optima;
}

}  // namespace credo::models
