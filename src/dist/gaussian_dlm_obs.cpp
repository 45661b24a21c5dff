// Dynamic linear model with Gaussian noise: columns of the r x T matrix y are observations of
// states x_t in n dimensions [west1997, ch. 4],
//
//   y_t ~ normal(F' x_t, V),  x_t ~ normal(G x_(t-1), W),  x_0 ~ normal(m, C).
//
// The states are integrated out by the Kalman filter: with a = G m, R = G C G' + W, Q = F' R F + V
// = L L', u = L^-1 (y_t - F' a), B = L^-1 F' R, each step adds -log|L| - u'u/2 - r log(2 pi)/2, and
// leaves m = a + B'u, C = R - B'B. One row of the graph does all steps, with its gradient as another
// (graph/ops/kalman.cpp); many outcomes are taken some at a time where V is a vector. If second derivatives
// are needed, the steps are written out.
#include "dist/batch.hpp"
#include "dist/formula.hpp"
#include "graph/ops/kalman.hpp"

namespace credo::dist::gaussian_dlm_obs_row {
namespace {

Expr column(const Expr& x, Index j) { return part(x, j * x.shape().rows, x.shape().rows); }
Expr noise_matrix(const Expr& v, Index size) {  // V may be its diagonal
  if (v.shape().cols == size && v.shape().rows == size) return v;
  std::vector<std::int32_t> places;
  for (Index i = 0; i < size; ++i) places.push_back(static_cast<std::int32_t>(i + i * size));
  return scatter_add(graph::matrix_shape(size, size), v, std::move(places));
}

// Step by step, of rows that can be differentiated again.
Expr written_out(const Expr& y, Args args) {
  const Index size = y.shape().rows, steps = y.shape().cols;
  const Expr &f = args[0], &g = args[1], &w = args[3];
  const Expr v = noise_matrix(args[2], size);
  Expr m = args[4].reshaped(graph::vector_shape(args[4].size())), c = args[5], total = 0.0;
  for (Index t = 0; t < steps; ++t) {
    const Expr ahead = matmul(g, m), spread = matmul(matmul(g, c), g, false, true) + w;
    const Expr seen = matmul(f, spread, true, false);  // F' R
    const Expr factor = cholesky(matmul(seen, f) + v);
    const Expr u = solve_lower(factor, column(y, t) - matmul(f, ahead, true, false));
    const Expr b = solve_lower(factor, seen);
    total = total - (sum(log(diagonal(factor))) + 0.5 * dot(u, u));
    m = ahead + matmul(b, u, true, false);
    c = spread - matmul(b, b, true, false);
  }
  return total;
}

Terms log_density(const Expr& y, Args args) {
  const double constant = static_cast<double>(y.size()) * -kHalfLog2Pi;
  if (y.empty()) return {constant, 0.0};
  if (graph::DifferentiatedAgain::is_asked()) return {constant, written_out(y, args)};
  return {constant, graph::kalman_log_density(y, {.design = args[0],
                                                  .transition = args[1],
                                                  .observation_noise = args[2],
                                                  .state_noise = args[3],
                                                  .mean = args[4],
                                                  .covariance = args[5]})};
}

void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  if (y.empty()) return;
  const Index size = y.shape().rows, states = args[1].shape().rows;
  const auto fits = [&](const Expr& x, Index rows, Index cols, std::string_view what) {
    const double off = x.shape().rows == rows && x.shape().cols == cols ? 0.0 : 1.0;
    checks.less_equal(off, 0.0, {function, what, "0: its size is that of states and observations"});
    return off == 0.0;
  };
  const bool is_diagonal = args[2].shape().cols == 1 && size != 1;
  const bool all_fit = fits(args[0], states, size, "misfit of the design matrix F") &&
                       fits(args[1], states, states, "misfit of the transition matrix G") &&
                       (is_diagonal || size == 1 ||
                        fits(args[2], size, size, "misfit of the observation covariance V")) &&
                       fits(args[3], states, states, "misfit of the state covariance W") &&
                       fits(args[5], states, states, "misfit of the initial covariance");
  if (!all_fit) return;
  if (is_diagonal || size == 1)
    checks.greater_equal(args[2], 0.0, {function, "observation variance V", "nonnegative"});
  for (const std::size_t k : {std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
    if (k == 2 && (is_diagonal || size == 1)) continue;
    checks.less_equal(abs(args[k] - transpose(args[k])), 1e-8,
                      {function, "difference of a covariance to its transpose", "0 to 1e-8"});
  }
}
}  // namespace

extern const Distribution gaussian_dlm_obs{.name = "gaussian_dlm_obs",
                                           .kind = Kind::multivariate,
                                           .only_density = true,
                                           .args = {{"design matrix F", Domain::finite},
                                                    {"transition matrix G", Domain::finite},
                                                    {"observation covariance V", Domain::finite},
                                                    {"state covariance W", Domain::finite},
                                                    {"initial mean", Domain::finite},
                                                    {"initial covariance", Domain::finite}},
                                           .outcome = {"observations", Domain::finite},
                                           .reference = "west1997, ch. 4",
                                           .log_density = log_density,
                                           .check = check};

}  // namespace credo::dist::gaussian_dlm_obs_row
