#include "models/gp/gp_predictions.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kGpDraws = stream("gp.draws");
constexpr Index kMostPoints = 2000;

// mean + V sqrt(values) z of the covariance's eigenvalues, which are 0 up to rounding where points are functions of each other.
class ProcessDraws {
 public:
  ProcessDraws(std::vector<double> mean, numerics::DenseMatrix covariance)
      : mean_(std::move(mean)), eigen_(std::move(covariance)) {}
  std::vector<double> draw(Rng& rng) const {
    std::vector<double> f = mean_;
    for (std::size_t v = 0; v < eigen_.size(); ++v) {
      const double size = std::sqrt(std::max(0.0, eigen_.values[v])) * rng.normal();
      for (std::size_t i = 0; i < f.size(); ++i) f[i] += size * eigen_.vector(v)[i];
    }
    return f;
  }

 private:
  std::vector<double> mean_;
  numerics::SymmetricEigen eigen_;
};

ProcessDraws prior_draws(const Covariance& covariance, std::span<const double> theta,
                         const CovariancePoints& points) {
  const Index n = points.count;
  numerics::DenseMatrix k(n);
  Covariance::Work work;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      covariance.values(covariance.root(), theta, points, i, points, j, 1, &k(i, j), work);
  return {std::vector<double>(static_cast<std::size_t>(n), 0.0), std::move(k)};
}

// Number of draws that each point has: cumulative weights times their number, rounded.
Index draws_of(const HyperPoints& hyper, std::size_t point, Index num_draws) {
  double before = 0.0;
  for (std::size_t k = 0; k < point; ++k) before += hyper.weights[k];
  const auto at = [&](double w) {
    return static_cast<Index>(std::llround(w * static_cast<double>(num_draws)));
  };
  return at(before + hyper.weights[point]) - at(before);
}

void add_draws(const GpTable& table, const GpPosterior* posterior, std::span<const double> theta,
               Index count, const GpMoments& moments, std::uint64_t seed, GpAtPoints& at) {
  if (count == 0) return;
  if (at.points.count() > kMostPoints)
    throw Error(ErrorCode::usage, fmt::format("draws at {} points", at.points.count()), "--draws",
                fmt::format("at most {} points", kMostPoints));
  const Covariance& covariance = table.problem.covariance;
  const CovariancePoints points = covariance.points(at.points.columns);
  const ProcessDraws draws =
      at.from_prior
          ? prior_draws(covariance, theta, points)
          : ProcessDraws(moments.mean, posterior->covariance(points, &at.points.mean_columns));
  for (Index s = 0; s < count; ++s) {
    Rng rng({.seed = seed,
             .purpose = kGpDraws,
             .iteration = static_cast<std::uint32_t>(at.draws.size())});
    at.draws.push_back(draws.draw(rng));
  }
}

void predict_at(const GpTable& table, const GpPosterior& posterior, std::span<const double> theta,
                double share, const GpSlope& slope, Index num_draws, std::uint64_t seed,
                GpAtPoints& at) {
  const Covariance& covariance = table.problem.covariance;
  const CovariancePoints points = covariance.points(at.points.columns);
  const GpMoments all = posterior.moments(covariance.root(), points, &at.points.mean_columns);
  add_to_mixture(at.all, all, share);
  const auto outcomes = posterior.outcomes(points, &at.points.mean_columns);
  at.outcomes.resize(outcomes.size(), std::vector<double>(all.mean.size(), 0.0));
  for (std::size_t c = 0; c < outcomes.size(); ++c)
    for (std::size_t i = 0; i < outcomes[c].size(); ++i)
      at.outcomes[c][i] += share * (outcomes[c][i] - at.outcomes[c][i]);
  const auto terms = covariance.terms();
  if (terms.size() > 1) {
    at.terms.resize(terms.size());
    for (std::size_t t = 0; t < terms.size(); ++t)
      add_to_mixture(at.terms[t], posterior.moments(*terms[t], points, nullptr), share);
  }
  if (slope.column >= 0) {
    numerics::DenseMatrix h(at.points.count(), at.points.mean_columns.cols);
    for (Index i = 0; i < h.rows && slope.is_in_mean; ++i) h(i, h.cols - 1) = 1.0;
    add_to_mixture(at.slope, posterior.derivative(points, slope.column, &h), share);
  }
  add_draws(table, &posterior, theta, num_draws, all, seed, at);
}

void add_columns(const Expression& e, std::set<std::string>& columns) {
  if (e.kind == Expression::Kind::name) columns.insert(e.word);
  for (const Expression& part : e.parts) add_columns(part, columns);
}
// Throws Error(usage) if another input is a function of a column of this one: it changes with it.
void require_own_columns(const GpTable& table, Index input) {
  std::set<std::string> own;
  add_columns(table.inputs[static_cast<std::size_t>(input)].expression, own);
  for (Index c = 0; c < ssize(table.inputs); ++c) {
    if (c == input) continue;
    const GpInput& other = table.inputs[static_cast<std::size_t>(c)];
    std::set<std::string> columns;
    add_columns(other.expression, columns);
    for (const std::string& column : columns)
      if (own.contains(column))
        throw Error(ErrorCode::usage,
                    fmt::format("the input {} also has the column {}, and its part of the "
                                "derivative isn't computed",
                                other.name(), column),
                    "--derivative",
                    fmt::format("use one function of {} as the input of all kernels", column));
  }
}
}  // namespace

GpSlope slope_by(const GpTable& table, const std::string& input) {
  if (input.empty()) return {};
  std::vector<std::string> names;
  GpSlope made;
  for (std::size_t c = 0; c < table.inputs.size(); ++c) {
    if (table.inputs[c].is_factor) continue;
    if (table.inputs[c].name() == input) made.column = static_cast<Index>(c);
    names.push_back(table.inputs[c].name());
  }
  if (made.column < 0)
    throw Error(ErrorCode::usage, fmt::format("{} is no input that is a number", input),
                "--derivative", fmt::format("inputs are {}", fmt::join(names, ", ")));
  require_own_columns(table, made.column);
  if (table.problem.covariance.smoothness() < 1)
    throw Error(ErrorCode::usage, "functions of these kernels have no derivative", "--derivative",
                "smoother kernels have: se, matern32, matern52, rq");
  for (const KernelNode* atom : table.problem.covariance.atoms())
    if (atom->row->columns == KernelColumns::degrees)
      throw Error(ErrorCode::usage, "a derivative on the sphere isn't there", "--derivative",
                  "leave it out");
  for (const Expression& term : table.mean_terms) {
    if (term.text() != input || table.mean_terms.size() > 1)
      throw Error(
          ErrorCode::usage,
          fmt::format("the mean has the term {}, whose derivative isn't there", term.text()),
          "--derivative", "the mean may have an intercept and the input itself");
    made.is_in_mean = true;
  }
  return made;
}

GpAverages predict(const GpTable& table, GpSolver& solver, const HyperPoints& hyper,
                   const GpSlope& slope, bool wants_weights, std::uint64_t seed,
                   std::span<GpAtPoints> at) {
  GpAverages made;
  GpMoments coefficients;
  double total = 0.0;
  for (std::size_t k = 0; k < hyper.thetas.size(); ++k) {
    stop_if_asked();
    const std::vector<double>& theta = hyper.thetas[k];
    const auto posterior = solver.posterior(theta);
    total += hyper.weights[k];
    const double share = hyper.weights[k] / total;
    made.noise_variance += hyper.weights[k] * table.problem.noise_variance(theta);
    GpMoments own{posterior->coefficients(), posterior->coefficient_sds()};
    for (double& sd : own.variance) sd *= sd;
    add_to_mixture(coefficients, own, share);
    for (GpAtPoints& one : at) {
      const Index num = draws_of(hyper, k, one.num_draws);
      predict_at(table, *posterior, theta, share, slope, one.from_prior ? 0 : num, seed, one);
      if (one.from_prior) add_draws(table, nullptr, theta, num, {}, seed, one);
    }
    if (wants_weights)
      made.weights.assign(posterior->weights().begin(), posterior->weights().end());
  }
  if (table.has_intercept && !coefficients.mean.empty()) coefficients.mean[0] += table.centre;
  made.coefficients = coefficients.mean;
  for (const double v : coefficients.variance) made.coefficient_sds.push_back(std::sqrt(v));
  for (GpAtPoints& one : at) {
    for (double& mean : one.all.mean) mean += table.centre;
    if (one.from_prior) continue;
    for (std::vector<double>& draw : one.draws)
      for (double& f : draw) f += table.centre;
  }
  return made;
}

}  // namespace credo::models
