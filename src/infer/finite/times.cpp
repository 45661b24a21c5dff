#include "infer/finite/times.hpp"

#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::infer::finite {

// The inverse of a transposed matrix is the transposed inverse, so row-major goes in and comes out.
RowMatrix fundamental_matrix(const FiniteChain& chain, std::span<const double> distribution) {
  const Index n = chain.num_states();
  RowMatrix a = numerics::diagonal_matrix(n, 1.0), inverse = numerics::diagonal_matrix(n, 1.0);
  for (Index x = 0; x < n; ++x) {
    for (Index y = 0; y < n; ++y) a(x, y) += distribution[y] - chain(x, y);
  }
  std::vector<double> pivots(n);
  numerics::lu_factor(n, a.values.data(), pivots.data());
  numerics::lu_solve({.n = n, .cols = n}, a.values.data(), pivots.data(), inverse.values.data());
  return inverse;
}

RowMatrix mean_first_passage_times(const RowMatrix& fundamental,
                                   std::span<const double> distribution) {
  RowMatrix times(fundamental.rows);
  for (Index x = 0; x < times.rows; ++x) {
    for (Index y = 0; y < times.rows; ++y)
      times(x, y) = (fundamental(y, y) - fundamental(x, y)) / distribution[y];
  }
  return times;
}

double kemeny_constant(const RowMatrix& fundamental) {
  double trace = 0.0;
  for (Index x = 0; x < fundamental.rows; ++x) trace += fundamental(x, x);
  return trace - 1.0;
}

namespace {
// States outside the targets: where they go, with what probability they leave for the targets, and
// how long one visit lasts, as states are left out one by one.
struct Outside {
  std::vector<Index> states;
  RowMatrix moves;
  std::vector<double> hits, duration;
};

Outside outside_of(const FiniteChain& chain, std::span<const Index> targets) {
  std::vector<bool> is_target(static_cast<std::size_t>(chain.num_states()));
  for (const Index y : targets) is_target[y] = true;
  Outside outside;
  for (Index x = 0; x < chain.num_states(); ++x)
    if (!is_target[x]) outside.states.push_back(x);
  const Index m = ssize(outside.states);
  outside.moves = RowMatrix(m);
  outside.hits.resize(m);
  outside.duration.assign(m, 1.0);
  for (Index i = 0; i < m; ++i) {
    for (const Index y : targets) outside.hits[i] += chain(outside.states[i], y);
    for (Index j = 0; j < m; ++j) outside.moves(i, j) = chain(outside.states[i], outside.states[j]);
  }
  return outside;
}

// Leaves state k out of the first k + 1; the probability of getting away from it.
double leave_out(Outside& outside, Index k) {
  RowMatrix& p = outside.moves;
  double away = outside.hits[k];
  for (Index j = 0; j < k; ++j) away += p(k, j);
  for (Index i = 0; i < k; ++i) {
    if (p(i, k) == 0.0) continue;
    const double visits = p(i, k) / away;  // infinite if k is never left
    outside.duration[i] += visits * outside.duration[k];
    if (away == 0.0) continue;
    outside.hits[i] += visits * outside.hits[k];
    for (Index j = 0; j < k; ++j) p(i, j) += visits * p(k, j);
  }
  return away;
}
}  // namespace

std::vector<double> hitting_times(const FiniteChain& chain, std::span<const Index> targets) {
  Outside outside = outside_of(chain, targets);
  const Index m = ssize(outside.states);
  std::vector<double> away(m), times(m), result(chain.num_states());
  for (Index k = m - 1; k >= 0; --k) away[k] = leave_out(outside, k);
  for (Index k = 0; k < m; ++k) {
    double sum = outside.duration[k];
    for (Index j = 0; j < k; ++j)
      if (outside.moves(k, j) > 0.0) sum += outside.moves(k, j) * times[j];
    times[k] = away[k] == 0.0 ? kInfinity : sum / away[k];
    result[outside.states[k]] = times[k];
  }
  return result;
}

namespace {
std::vector<double> centred(std::span<const double> distribution, std::span<const double> f) {
  const double mean = std::inner_product(distribution.begin(), distribution.end(), f.begin(), 0.0);
  std::vector<double> result(f.begin(), f.end());
  for (double& x : result) x -= mean;
  return result;
}

double inner(std::span<const double> distribution, std::span<const double> f,
             std::span<const double> g) {
  double sum = 0.0;
  for (std::size_t x = 0; x < distribution.size(); ++x) sum += distribution[x] * f[x] * g[x];
  return sum;
}
}  // namespace

double autocovariance(const FiniteChain& chain, std::span<const double> distribution,
                      std::span<const double> f, Index lag) {
  const std::vector<double> g = centred(distribution, f);
  return inner(distribution, g, multiply(power(chain, lag).matrix(), g));
}

double integrated_autocorrelation_time(const RowMatrix& fundamental,
                                       std::span<const double> distribution,
                                       std::span<const double> f) {
  const std::vector<double> g = centred(distribution, f);
  const double variance = inner(distribution, g, g);
  if (variance == 0.0) return 0.0;
  return 2.0 * inner(distribution, g, multiply(fundamental, g)) / variance - 1.0;
}

}  // namespace credo::infer::finite
