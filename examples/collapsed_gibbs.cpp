// Gibbs sampling of a mixture of four normals, with its parameters and with them summed out (X8 of
// the catalogue's chapter 12): the log probability of the data, iteration for iteration, from the
// same random labels.
#include <fmt/core.h>

#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "models/mixture/collapsed_mixture.hpp"
#include "models/mixture/gaussian_mixture.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using namespace credo::models;
using examples::Experiment, examples::Table;

constexpr Index kPoints = 300, kComponents = 4, kStarts = 100, kIterations = 100;

// Four round normals of standard deviation 1 on the corners of a square that overlap a little.
std::vector<double> make_points(Rng& rng) {
  std::vector<double> points;
  for (Index i = 0; i < kPoints; ++i) {
    const Index k = rng.index_below(kComponents);
    points.push_back((k % 2 == 0 ? -2.0 : 2.0) + rng.normal());
    points.push_back((k / 2 == 0 ? -2.0 : 2.0) + rng.normal());
  }
  return points;
}

std::vector<Index> random_labels(Rng& rng) {
  std::vector<Index> labels;
  for (Index i = 0; i < kPoints; ++i) labels.push_back(rng.index_below(kComponents));
  return labels;
}

// The prior of the collapsed form, and the independent one that has the same covariance of means if
// a component has its expected covariance, scale / (dof - D - 1) = I.
const NormalInverseWishart kCollapsedPrior{
    .mean = {0.0, 0.0}, .mean_weight = 0.1, .scale = numerics::diagonal_matrix(2, 1.0), .dof = 4.0};
const GaussianMixturePrior kPrior{.concentrations = {1.0, 1.0, 1.0, 1.0},
                                  .mean = {0.0, 0.0},
                                  .mean_covariance = numerics::diagonal_matrix(2, 10.0),
                                  .scale = numerics::diagonal_matrix(2, 1.0),
                                  .dof = 4.0};

// Mean and covariance given the points of a component: the conjugate posterior.
struct Normal {
  std::vector<double> mean;
  RowMatrix covariance;
};
Normal draw_component(const std::vector<std::span<const double>>& points, Rng& rng) {
  const NormalInverseWishart& prior = kCollapsedPrior;
  const auto count = static_cast<double>(points.size());
  const double weight = prior.mean_weight + count;
  std::array<double, 2> sum{};
  RowMatrix scale = prior.scale;  // the prior's mean is 0
  for (const auto& x : points) {
    for (Index a = 0; a < 2; ++a) {
      sum[a] += x[a];
      for (Index b = 0; b < 2; ++b) scale(a, b) += x[a] * x[b];
    }
  }
  for (Index a = 0; a < 2; ++a)
    for (Index b = 0; b < 2; ++b) scale(a, b) -= sum[a] * sum[b] / weight;
  Normal drawn{.mean = {}, .covariance = draw_inverse_wishart(scale, prior.dof + count, rng)};
  RowMatrix of_mean = drawn.covariance;
  for (double& value : of_mean.values) value /= weight;
  drawn.mean = draw_gaussian(std::array{sum[0] / weight, sum[1] / weight}, of_mean, rng);
  return drawn;
}

// Parameters given labels and points, so that both samplers are judged by the same trace.
GaussianMixture draw_parameters(std::span<const double> points, std::span<const Index> labels,
                                Rng& rng) {
  std::vector<std::vector<std::span<const double>>> members(kComponents);
  std::vector<double> concentrations(kComponents, 1.0);
  for (Index i = 0; i < kPoints; ++i) {
    members[labels[i]].push_back(points.subspan(2 * i, 2));
    concentrations[labels[i]] += 1.0;
  }
  GaussianMixture mixture{
      .weights = draw_dirichlet(concentrations, rng), .means = {}, .covariances = {}};
  for (const auto& component : members) {
    Normal normal = draw_component(component, rng);
    mixture.means.push_back(std::move(normal.mean));
    mixture.covariances.push_back(std::move(normal.covariance));
  }
  return mixture;
}

using Trace = std::vector<double>;  // sum of log(weight) + log N(x) of the labels, by iteration

Trace run_full(const GaussianMixtureGibbs& gibbs, const std::vector<double>& points, Index start) {
  Rng rng({.seed = 8, .purpose = purpose::kTransition, .chain = static_cast<std::uint32_t>(start)});
  GaussianMixtureState state{.mixture = {}, .labels = random_labels(rng)};
  state.mixture = draw_parameters(points, state.labels, rng);
  Trace trace{gibbs.log_complete(state)};
  for (Index i = 0; i < kIterations; ++i) {
    gibbs.step(state, rng);
    trace.push_back(gibbs.log_complete(state));
  }
  return trace;
}

Trace run_collapsed(const GaussianMixtureGibbs& gibbs, const std::vector<double>& points,
                    Index start) {
  Rng rng({.seed = 8, .purpose = purpose::kTransition, .chain = static_cast<std::uint32_t>(start)});
  CollapsedGaussianMixture collapsed(points, kCollapsedPrior,
                                     PartitionPrior::dirichlet_multinomial(4.0, kComponents));
  std::vector<Index> labels = random_labels(rng);
  RngChooser chooser(rng);
  Trace trace;
  for (Index i = 0; i <= kIterations; ++i) {
    if (i > 0) collapsed.sweep(labels, chooser);
    trace.push_back(
        gibbs.log_complete({.mixture = draw_parameters(points, labels, rng), .labels = labels}));
  }
  return trace;
}

std::vector<double> at_iteration(const std::vector<Trace>& traces, Index iteration) {
  std::vector<double> values;
  for (const Trace& trace : traces) values.push_back(trace[static_cast<std::size_t>(iteration)]);
  return values;
}

// Iterations until a level is reached; one more than there are if it never is.
std::vector<double> times_to(const std::vector<Trace>& traces, double level) {
  std::vector<double> times;
  for (const Trace& trace : traces) {
    const auto first =
        std::find_if(trace.begin(), trace.end(), [&](double x) { return x >= level; });
    times.push_back(static_cast<double>(first - trace.begin()));
  }
  return times;
}

// Share of pairs in which the first is larger, as a normal score: under equal distributions the statistic of
// Mann and Whitney has variance (m + n + 1) / (12 m n).
double rank_score(std::span<const double> a, std::span<const double> b) {
  double larger = 0.0;
  for (const double x : a)
    for (const double y : b) larger += x > y ? 1.0 : x == y ? 0.5 : 0.0;
  const auto m = static_cast<double>(a.size()), n = static_cast<double>(b.size());
  return (larger / (m * n) - 0.5) / std::sqrt((m + n + 1.0) / (12.0 * m * n));
}

void draw(Experiment& experiment, const std::vector<Trace>& full,
          const std::vector<Trace>& collapsed) {
  Table& table = experiment.table("quantiles", {"iteration", "f05", "f25", "f50", "f75", "f95",
                                                "c05", "c25", "c50", "c75", "c95"});
  for (Index i = 1; i <= kIterations; ++i) {
    std::vector<double> row{static_cast<double>(i)};
    for (const auto* traces : {&full, &collapsed})
      for (const double p : {0.05, 0.25, 0.5, 0.75, 0.95})
        row.push_back(diagnose::quantile(at_iteration(*traces, i), p));
    table.row(row);
  }
  // The first twenty starts, one after the other.
  Table& runs = experiment.table("runs", {"iteration", "full", "collapsed"});
  for (std::size_t start = 0; start < 20; ++start) {
    for (std::size_t i = 1; i <= kIterations; i += 1 + i / 8)
      runs.row({static_cast<double>(i), full[start][i], collapsed[start][i]});
    runs.row({kNaN, kNaN, kNaN});
  }
}

void judge_heights(Experiment& experiment, const std::vector<Trace>& full,
                   const std::vector<Trace>& collapsed) {
  for (const Index i : {3, 10, 30, 100}) {
    const auto of_full = at_iteration(full, i), of_collapsed = at_iteration(collapsed, i);
    experiment.note(fmt::format("iteration {}: median, with parameters", i),
                    examples::median(of_full));
    experiment.at_least(fmt::format("iteration {}: median, collapsed", i),
                        examples::median(of_collapsed), examples::median(of_full));
    if (i <= 30)  // later both have found the components
      experiment.at_least("  rank score of the difference", rank_score(of_collapsed, of_full), 4.0);
  }
}

// Levels that a quarter, a half and three quarters of the runs with parameters have passed at the
// end.
void judge_times(Experiment& experiment, const std::vector<Trace>& full,
                 const std::vector<Trace>& collapsed) {
  for (const double share : {0.75, 0.5, 0.25}) {
    const double level = diagnose::quantile(at_iteration(full, kIterations), 1.0 - share);
    const auto of_full = times_to(full, level), of_collapsed = times_to(collapsed, level);
    experiment.note(fmt::format("to {:.1f}: median iterations, with parameters", level),
                    examples::median(of_full));
    experiment.at_most(fmt::format("to {:.1f}: median iterations, collapsed", level),
                       examples::median(of_collapsed), examples::median(of_full));
    experiment.at_least("  rank score of the difference", rank_score(of_full, of_collapsed), 4.0);
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Collapsed Gibbs sampling of a mixture of four normals", argc, argv);
  Rng rng({.seed = 8, .purpose = purpose::kInitialState});
  const std::vector<double> points = make_points(rng);
  const GaussianMixtureGibbs gibbs(points, kPrior);
  std::vector<Trace> full, collapsed;
  for (Index start = 0; start < kStarts; ++start) {
    full.push_back(run_full(gibbs, points, start));
    collapsed.push_back(run_collapsed(gibbs, points, start));
  }
  judge_heights(experiment, full, collapsed);
  judge_times(experiment, full, collapsed);
  draw(experiment, full, collapsed);
  return experiment.finish();
}
