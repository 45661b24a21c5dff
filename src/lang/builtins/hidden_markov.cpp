// Hidden Markov models with K states: log_omegas(k, n) is the log density of observation n in state
// k, row i of Gamma the distribution of the state after state i, rho that of the first state.
//
// The forward pass keeps a normalised distribution and its log normalising factor, not logs of
// elements: impossible transitions are zeros, and have derivatives.
#include <fmt/format.h>

#include "base/rng.hpp"
#include "lang/builtins/matrix.hpp"

namespace credo::lang {
namespace {

constexpr double kTolerance = 1e-8;  // tolerance of sums of probabilities
constexpr double kLeast = -1e300;    // a column of -infinity gives -infinity, not NaN

void check_sizes(const BuiltinCall& c) {
  const Index states = rows_of(c[0]);
  if (rows_of(c[1]) == states && cols_of(c[1]) == states && size_of(c[2]) == states) return;
  c.machine.fail(
      fmt::format("{}: there are {} states in log_omegas, Gamma is {} x {} and rho has {} elements",
                  c.name, states, rows_of(c[1]), cols_of(c[1]), size_of(c[2])));
}

void check_probabilities(const BuiltinCall& c, const Expr& p, const Expr& total,
                         std::string_view what) {
  c.machine.checks().greater_equal(p, 0.0, {c.name, what, "nonnegative"});
  c.machine.checks().less_equal(graph::abs(total - 1.0), kTolerance,
                                {c.name, what, "a probability vector (sum 1 within 1e-8)"});
}

void check_arguments(const BuiltinCall& c) {
  check_sizes(c);
  const Index states = rows_of(c[0]);
  if (states == 0) return;
  const Expr ones = graph::fill(graph::vector_shape(states), 1.0);
  check_probabilities(c, c.expr(1), graph::matmul(c.expr(1), ones), "a row of Gamma");
  check_probabilities(c, c.expr(2), graph::sum(c.expr(2)), "rho");
}

Expr column(const Expr& x, Index rows, Index j) {
  return graph::slice(graph::vector_shape(rows), x, j * rows);
}

// omega(n) = exp(log_omega(n) - shift), alpha = (Gamma' alpha) .* omega(n), divided by its sum.
Value hmm_marginal(const BuiltinCall& c) {
  check_arguments(c);
  const Index states = rows_of(c[0]), steps = cols_of(c[0]);
  if (steps == 0 || states == 0) return Scalar(0.0);
  const Expr log_omegas = c.expr(0), gamma = c.expr(1);
  Expr alpha = c.expr(2), total = 0.0;
  for (Index n = 0; n < steps; ++n) {
    const Expr here = column(log_omegas, states, n);
    const Expr shift = graph::fmax(graph::max_element(here), kLeast);
    const Expr before = n == 0 ? alpha : graph::matmul(gamma, alpha, true, false);
    const Expr joint = before.reshaped(graph::vector_shape(states)) * graph::exp(here - shift);
    const Expr mass = graph::sum(joint);
    total = total + (graph::log(mass) + shift);
    alpha = joint / mass;
  }
  return Scalar(total);
}

// ---- with numbers

struct Chain {
  Index states, steps;
  std::vector<double> omega, gamma, rho;  // omega: relative to the largest of its column

  double transition(Index from, Index to) const {
    return gamma[static_cast<std::size_t>(from + to * states)];
  }
  double* at(std::vector<double>& x, Index n) const { return x.data() + n * states; }
  const double* at(const std::vector<double>& x, Index n) const { return x.data() + n * states; }
};

Chain chain_of(const BuiltinCall& c) {
  check_arguments(c);
  const auto values = [&](std::size_t k) {
    const Expr x = c.expr(k);
    std::vector<double> list;
    for (Index i = 0; i < x.size(); ++i) list.push_back(x.value(i));
    return list;
  };
  Chain chain{rows_of(c[0]), cols_of(c[0]), values(0), values(1), values(2)};
  for (Index n = 0; n < chain.steps; ++n) {
    double* column = chain.at(chain.omega, n);
    const double largest = *std::max_element(column, column + chain.states);
    for (Index k = 0; k < chain.states; ++k) column[k] = std::exp(column[k] - largest);
  }
  return chain;
}

void normalise(double* p, Index n) {
  const double total = std::accumulate(p, p + n, 0.0);
  for (Index k = 0; k < n; ++k) p[k] /= total;
}

// Distributions of the state given the observations up to it.
std::vector<double> filtered(const Chain& m) {
  std::vector<double> alpha(static_cast<std::size_t>(m.states * m.steps));
  for (Index n = 0; n < m.steps; ++n) {
    double* now = m.at(alpha, n);
    for (Index k = 0; k < m.states; ++k) {
      double before = n == 0 ? m.rho[static_cast<std::size_t>(k)] : 0.0;
      for (Index i = 0; n > 0 && i < m.states; ++i)
        before += m.at(alpha, n - 1)[i] * m.transition(i, k);
      now[k] = before * m.at(m.omega, n)[k];
    }
    normalise(now, m.states);
  }
  return alpha;
}

Value hmm_hidden_state_prob(const BuiltinCall& c) {
  const Chain m = chain_of(c);
  std::vector<double> p = filtered(m), beta(static_cast<std::size_t>(m.states), 1.0), next = beta;
  for (Index n = m.steps - 2; n >= 0; --n) {
    for (Index i = 0; i < m.states; ++i) {
      double ahead = 0.0;
      for (Index k = 0; k < m.states; ++k)
        ahead += m.transition(i, k) * m.at(m.omega, n + 1)[k] * beta[static_cast<std::size_t>(k)];
      next[static_cast<std::size_t>(i)] = ahead;
    }
    beta.swap(next);
    normalise(beta.data(), m.states);
    for (Index k = 0; k < m.states; ++k) m.at(p, n)[k] *= beta[static_cast<std::size_t>(k)];
    normalise(m.at(p, n), m.states);
  }
  return matrix(graph::constant(graph::matrix_shape(m.states, m.steps), p), m.states, m.steps);
}

Index drawn(Rng& rng, std::span<const double> weights) {
  double u = rng.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  Index last = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] <= 0.0) continue;
    last = static_cast<Index>(k);
    u -= weights[k];
    if (u < 0.0) break;
  }
  return last;
}

// From the last state back: p(state | next state, observations up to it).
Value hmm_latent_rng(const BuiltinCall& c) {
  const Chain m = chain_of(c);
  Rng rng = stream_of(c);
  std::vector<double> alpha = filtered(m);
  std::vector<std::int32_t> states(static_cast<std::size_t>(m.steps));
  for (Index n = m.steps - 1; n >= 0; --n) {
    double* p = m.at(alpha, n);
    const bool is_last = n + 1 == m.steps;
    for (Index i = 0; !is_last && i < m.states; ++i)
      p[i] *= m.transition(i, states[static_cast<std::size_t>(n + 1)] - 1);
    states[static_cast<std::size_t>(n)] =
        narrow(drawn(rng, {p, static_cast<std::size_t>(m.states)}) + 1);
  }
  return make_ints({m.steps}, std::move(states));
}

constexpr Builtin kHiddenMarkovRows[] = {
    {.name = "hmm_hidden_state_prob", .run = hmm_hidden_state_prob, .needs_numbers = true},
    {.name = "hmm_latent_rng", .run = hmm_latent_rng, .needs_numbers = true},
    {"hmm_marginal", hmm_marginal},
};
}  // namespace

std::span<const Builtin> builtins_hidden_markov() { return kHiddenMarkovRows; }

}  // namespace credo::lang
