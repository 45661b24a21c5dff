// One series under a state-space model that is linear and Gaussian, with the states integrated out [durbin2012, ch. 4, 5]:
//
//   y_t ~ normal(mu_t + z_t' x_t, r_t),   x_t ~ normal(A x_(t-1), diag(q)),   x_1 = m + E delta + normal(0, P)
//
// linear_gaussian_lpdf(y | mu, Z, A, q, r, m, P, E, kind): outcomes that are NaN are missing. Z is n x T, or n x 1 if it is the same at all times.
// A and q are n x (n K) and n x K: side by side those of K kinds of times, and kind[t] is the kind of the step to time t. r has T
// variances or one. E has a column for each unknown number delta of the start, whose variance is infinite: with u of them the density is
// lim p(y) (2 pi kappa)^(u/2).
#include "dist/formula.hpp"
#include "graph/ops/series.hpp"

namespace credo::dist::linear_gaussian_row {
namespace {
enum Arg : std::size_t { kMu, kZ, kA, kQ, kR, kM, kP, kE, kKind };

Terms log_density(const Expr& y, Args args) {
  if (y.empty()) return {0.0};
  return {graph::series_log_density(y - args[kMu], {.design = args[kZ],
                                                    .transition = args[kA],
                                                    .state_noise = args[kQ],
                                                    .noise = args[kR],
                                                    .mean = args[kM],
                                                    .covariance = args[kP],
                                                    .unknown = args[kE],
                                                    .kinds = args[kKind]})};
}

void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  if (y.empty()) return;
  const Index times = y.size(), states = args[kM].size();
  bool all_fit = true;
  const auto fits = [&](bool holds, std::string_view what) {
    checks.less_equal(holds ? 0.0 : 1.0, 0.0,
                      {function, what, "0: its size is that of states and outcomes"});
    all_fit = all_fit && holds;
  };
  const auto shape = [&](std::size_t k) { return args[k].shape(); };
  fits(args[kMu].size() == 1 || args[kMu].size() == times, "misfit of the mean");
  fits(states > 0, "misfit of the first mean");
  if (states == 0) return;
  fits(shape(kZ).rows == states && (shape(kZ).cols == 1 || shape(kZ).cols == times),
       "misfit of the design Z");
  fits(shape(kA).rows == states && shape(kA).cols > 0 && shape(kA).cols % states == 0,
       "misfit of the transition A");
  fits(shape(kQ).rows == states && shape(kQ).cols == shape(kA).cols / states,
       "misfit of the state variances q");
  fits(args[kR].size() == 1 || args[kR].size() == times, "misfit of the variances r");
  fits(shape(kP).rows == states && shape(kP).cols == states, "misfit of the first covariance P");
  fits(shape(kE).rows == states, "misfit of the unknown directions E");
  fits(args[kKind].size() == times, "misfit of the kinds");
  if (!all_fit) return;
  checks.greater_equal(args[kQ], 0.0, {function, "state variance q", "nonnegative"});
  checks.greater_equal(args[kR], 0.0, {function, "variance r", "nonnegative"});
  checks.less_equal(abs(args[kP] - transpose(args[kP])), 1e-8,
                    {function, "difference of the first covariance to its transpose", "0 to 1e-8"});
  checks.greater_equal(args[kKind], 1.0, {function, "kind of a step", "a number of A's matrices"});
  checks.less_equal(args[kKind], static_cast<double>(shape(kA).cols / states),
                    {function, "kind of a step", "a number of A's matrices"});
}
}  // namespace

extern const Distribution linear_gaussian{.name = "linear_gaussian",
                                          .kind = Kind::multivariate,
                                          .only_density = true,
                                          .args = {{"mean beside the states", Domain::finite},
                                                   {"design Z", Domain::finite},
                                                   {"transition A", Domain::finite},
                                                   {"state variances q", Domain::finite},
                                                   {"variances r", Domain::finite},
                                                   {"first mean", Domain::finite},
                                                   {"first covariance P", Domain::finite},
                                                   {"unknown directions E", Domain::finite},
                                                   {"kinds", Domain::finite}},
                                          .outcome = {"outcomes", Domain::custom},
                                          .reference = "durbin2012, ch. 4, 5",
                                          .log_density = log_density,
                                          .check = check};

}  // namespace credo::dist::linear_gaussian_row
