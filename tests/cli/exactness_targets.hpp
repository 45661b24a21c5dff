// Posteriors in closed form, written as programs with data: what the suite exactness_test.cpp is about.
//
// A linear model with a normal prior, x ~ N(m, S), y ~ N(A x, R), has a normal posterior:
//
//   G = A S A' + R,   mean = m + S A' G⁻¹ (y - A m),   covariance = S - S A' G⁻¹ A S,   evidence = N(y; A m, G)
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "base/rng.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "numerics/special.hpp"

namespace credo::testing {

struct KnownOutput {
  std::string name;
  double mean = 0.0, sd = 0.0;
};

struct ExactTarget {
  std::string name, program, data = "{}";
  double log_evidence = 0.0;
  // Kind of family that contains the posterior: "normal", "independent" (values), "blocks" (parameters), "conjugate", "factors" (conjugate
  // ones of single parameters), "sites" (discrete ones).
  std::vector<std::string> within = {};
  std::vector<double> mean = {}, covariance = {};  // of the unconstrained values, if it is normal
  std::vector<KnownOutput> outputs = {};
  bool reads_free_values = true;  // the parameters are the unconstrained values

  bool is_within(std::string_view family) const {
    return std::ranges::find(within, family) != within.end();
  }
};

// Dense matrices, row by row.
struct Table {
  std::size_t rows = 0, cols = 0;
  std::vector<double> values;
  Table(std::size_t r, std::size_t c, double value = 0.0)
      : rows(r), cols(c), values(r * c, value) {}
  static Table diagonal(std::vector<double> of) {
    Table t(of.size(), of.size());
    for (std::size_t i = 0; i < of.size(); ++i) t(i, i) = of[i];
    return t;
  }
  static Table unit(std::size_t n, double value = 1.0) {
    return diagonal(std::vector<double>(n, value));
  }
  double& operator()(std::size_t i, std::size_t j) { return values[i * cols + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * cols + j]; }
  Table transposed() const {
    Table t(cols, rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) t(j, i) = (*this)(i, j);
    return t;
  }
  std::vector<double> operator*(const std::vector<double>& x) const {
    std::vector<double> y(rows, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) y[i] += (*this)(i, j) * x[j];
    return y;
  }
  Table operator*(const Table& b) const {
    Table t(rows, b.cols);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < b.cols; ++j)
        for (std::size_t k = 0; k < cols; ++k) t(i, j) += (*this)(i, k) * b(k, j);
    return t;
  }
  Table plus(const Table& b, double factor = 1.0) const {
    Table t = *this;
    for (std::size_t k = 0; k < values.size(); ++k) t.values[k] += factor * b.values[k];
    return t;
  }
  numerics::RowMatrix factor() const {
    return numerics::lower_factor(
        numerics::RowMatrix(static_cast<Index>(rows), static_cast<Index>(rows), values));
  }
  Table inverse() const {
    Table t(rows, rows);
    t.values = numerics::inverse_from_factor(factor()).values;
    return t;
  }
  std::string json() const {
    std::string text;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto row = std::span(values).subspan(i * cols, cols);
      text += fmt::format("{}[{}]", i > 0 ? ", " : "", fmt::join(row, ", "));
    }
    return "[" + text + "]";
  }
};

inline std::string json_of(const std::vector<double>& x) {
  return fmt::format("[{}]", fmt::join(x, ", "));
}

struct LinearModel {
  std::vector<double> prior_mean;
  Table prior, design, noise;
  std::vector<double> y;
};

// Fills in posterior and evidence.
inline ExactTarget with_closed_form(ExactTarget target, const LinearModel& model) {
  const Table sa = model.prior * model.design.transposed(),
              g = (model.design * sa).plus(model.noise), inverse = g.inverse(), gain = sa * inverse;
  std::vector<double> off = model.design * model.prior_mean;
  for (std::size_t i = 0; i < off.size(); ++i) off[i] = model.y[i] - off[i];
  target.mean = gain * off;
  for (std::size_t d = 0; d < target.mean.size(); ++d) target.mean[d] += model.prior_mean[d];
  target.covariance = model.prior.plus(gain * sa.transposed(), -1.0).values;
  const std::vector<double> scaled = inverse * off;
  double square = 0.0;
  for (std::size_t i = 0; i < off.size(); ++i) square += off[i] * scaled[i];
  target.log_evidence = -0.5 * (square + numerics::log_determinant_of_factor(g.factor()) +
                                static_cast<double>(off.size()) * std::log(2.0 * std::numbers::pi));
  return target;
}

// Numbers that look like data, the same in every run.
inline std::vector<double> numbers(std::size_t count, std::uint32_t stream, double sd = 1.0) {
  Rng rng({.seed = 20'261'129, .purpose = purpose::kTest, .chain = stream, .iteration = 0});
  std::vector<double> x(count);
  for (double& v : x) v = std::round(sd * rng.normal() * 1000.0) / 1000.0;
  return x;
}
inline Table matrix_of(std::size_t rows, std::size_t cols, std::uint32_t stream) {
  Table t(rows, cols);
  t.values = numbers(rows * cols, stream);
  return t;
}
inline Table covariance_of(std::size_t n, std::uint32_t stream) {
  const Table root = matrix_of(n, n, stream);
  return (root * root.transposed()).plus(Table::unit(n, 0.3));
}

// ---- linear models, each with a text of its own

inline ExactTarget whole_vector(std::size_t n, std::size_t rows, std::uint32_t seed) {
  const LinearModel model{numbers(n, seed), covariance_of(n, seed + 1),
                          matrix_of(rows, n, seed + 2), covariance_of(rows, seed + 3),
                          numbers(rows, seed + 4, 2.0)};
  return with_closed_form(
      {.name = fmt::format("multi_normal of {} values", n),
       .program =
           "data { int D; int N; vector[D] m; matrix[D, D] S; matrix[N, D] A; matrix[N, N] R; "
           "vector[N] y; } parameters { vector[D] x; } "
           "model { x ~ multi_normal(m, S); y ~ multi_normal(A * x, R); }",
       .data = fmt::format(R"({{"D": {}, "N": {}, "m": {}, "S": {}, "A": {}, "R": {}, "y": {}}})",
                           n, rows, json_of(model.prior_mean), model.prior.json(),
                           model.design.json(), model.noise.json(), json_of(model.y)),
       .within = {"normal", "blocks", "conjugate"}},
      model);
}

// By its precision, and by a factor of its covariance.
inline ExactTarget other_form(bool by_precision, std::uint32_t seed) {
  constexpr std::size_t kValues = 4;
  const LinearModel model{numbers(kValues, seed), covariance_of(kValues, seed + 1),
                          matrix_of(6, kValues, seed + 2), Table::unit(6, 0.25),
                          numbers(6, seed + 4, 2.0)};
  const auto root = model.prior.factor();
  Table factor(kValues, kValues);
  factor.values = root.values;
  for (std::size_t i = 0; i < kValues; ++i)
    for (std::size_t j = i + 1; j < kValues; ++j) factor(i, j) = 0.0;
  const std::string matrix = by_precision ? model.prior.inverse().json() : factor.json();
  return with_closed_form(
      {.name = by_precision ? "multi_normal_prec" : "multi_normal_cholesky",
       .program = fmt::format(
           "data {{ vector[4] m; matrix[4, 4] M; matrix[6, 4] A; vector[6] y; }} parameters {{ "
           "vector[4] x; }} model {{ x ~ {}(m, M); y ~ normal(A * x, 0.5); }}",
           by_precision ? "multi_normal_prec" : "multi_normal_cholesky"),
       .data = fmt::format(R"({{"m": {}, "M": {}, "A": {}, "y": {}}})", json_of(model.prior_mean),
                           matrix, model.design.json(), json_of(model.y)),
       .within = {"normal", "blocks", "conjugate"}},
      model);
}

inline ExactTarget independent_values(std::size_t n, std::uint32_t seed) {
  const LinearModel model{std::vector<double>(n, 1.0), Table::unit(n, 4.0), Table::unit(n),
                          Table::unit(n, 0.49), numbers(n, seed, 3.0)};
  return with_closed_form({.name = fmt::format("{} independent values", n),
                           .program = "data { int N; vector[N] y; } parameters { vector[N] x; } "
                                      "model { x ~ normal(1, 2); y ~ normal(x, 0.7); }",
                           .data = fmt::format(R"({{"N": {}, "y": {}}})", n, json_of(model.y)),
                           .within = {"normal", "independent", "blocks", "conjugate", "factors"}},
                          model);
}

// Standard deviations that are five orders of magnitude apart.
inline ExactTarget different_scales(std::uint32_t seed) {
  const LinearModel model{{0.0, 0.0},
                          Table::diagonal({1e6, 1e-4}),
                          Table::unit(2),
                          Table::diagonal({1e6, 1e-4}),
                          {numbers(1, seed, 1e3)[0], 0.012}};
  return with_closed_form(
      {.name = "two scales",
       .program =
           "data { vector[2] y; } parameters { real a; real b; } model { a ~ normal(0, 1000); "
           "b ~ normal(0, 0.01); y[1] ~ normal(a, 1000); y[2] ~ normal(b, 0.01); }",
       .data = fmt::format(R"({{"y": {}}})", json_of(model.y)),
       .within = {"normal", "independent", "blocks", "conjugate", "factors"}},
      model);
}

// y = a + x b + e: `form` 0 by a vector expression, 1 by normal_id_glm, 2 by a loop of target statements.
inline ExactTarget regression(std::size_t columns, int form, std::uint32_t seed) {
  constexpr std::size_t kRows = 12;
  const Table x = matrix_of(kRows, columns, seed);
  Table design(kRows, columns + 1, 1.0);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < columns; ++j) design(i, j + 1) = x(i, j);
  std::vector<double> variances(columns + 1, 2.25);
  variances[0] = 9.0;
  const LinearModel model{std::vector<double>(columns + 1, 0.0), Table::diagonal(variances), design,
                          Table::unit(kRows, 0.36), numbers(kRows, seed + 1, 1.5)};
  constexpr std::array<const char*, 3> kForms{
      "y ~ normal(a + X * b, 0.6);", "y ~ normal_id_glm(X, a, b, 0.6);",
      "for (n in 1:N) target += normal_lpdf(y[n] | a + X[n] * b, 0.6);"};
  return with_closed_form(
      {.name = fmt::format("regression of {} columns, form {}", columns, form),
       .program =
           std::string("data { int N; int K; matrix[N, K] X; vector[N] y; } parameters { real a; "
                       "vector[K] b; } model { a ~ normal(0, 3); b ~ normal(0, 1.5); ") +
           kForms[static_cast<std::size_t>(form)] + " }",
       .data = fmt::format(R"({{"N": {}, "K": {}, "X": {}, "y": {}}})", kRows, columns, x.json(),
                           json_of(model.y)),
       .within = {"normal", "conjugate"}},
      model);
}

// θ_j ~ N(μ, 2²) of J groups with known scales: `form` 0 centred, 1 by standard values, 2 by offset and multiplier.
inline ExactTarget hierarchy(std::size_t groups, int form, std::uint32_t seed) {
  constexpr double kSpread = 2.0;
  const std::size_t n = groups + 1;
  Table prior = Table::unit(n, 1.0), design(groups, n, 0.0), noise = Table::unit(groups);
  prior(0, 0) = 25.0;
  std::vector<double> sigma;
  for (std::size_t j = 0; j < groups; ++j) {
    sigma.push_back(1.0 + 0.25 * static_cast<double>(j));
    noise(j, j) = sigma[j] * sigma[j];
    design(j, 0) = 1.0, design(j, j + 1) = kSpread;
  }
  const bool is_centred = form == 0;
  if (is_centred) {
    prior = Table(n, n, 25.0);
    for (std::size_t j = 1; j < n; ++j) prior(j, j) += kSpread * kSpread;
    design = Table(groups, n, 0.0);
    for (std::size_t j = 0; j < groups; ++j) design(j, j + 1) = 1.0;
  }
  const LinearModel model{std::vector<double>(n, 0.0), prior, design, noise,
                          numbers(groups, seed, 4.0)};
  constexpr std::array<const char*, 3> kForms{
      "vector[J] theta; } model { theta ~ normal(mu, 2); y ~ normal(theta, sigma); ",
      "vector[J] z; } model { z ~ std_normal(); y ~ normal(mu + 2 * z, sigma); ",
      "vector<offset=mu, multiplier=2>[J] theta; } model { theta ~ normal(mu, 2); "
      "y ~ normal(theta, sigma); "};
  return with_closed_form(
      {.name = fmt::format("hierarchy of {} groups, form {}", groups, form),
       .program =
           std::string("data { int J; vector[J] y; vector[J] sigma; } parameters { real mu; ") +
           kForms[static_cast<std::size_t>(form)] + "mu ~ normal(0, 5); }",
       .data = fmt::format(R"({{"J": {}, "y": {}, "sigma": {}}})", groups, json_of(model.y),
                           json_of(sigma)),
       .within = {"normal", "conjugate"},
       .reads_free_values = form != 2},
      model);
}

// A path with x_1 ~ N(0, 1), x_t ~ N(φ x_{t-1}, q²), seen with noise at every `every`-th time.
inline ExactTarget path(std::size_t times, double phi, double q, std::size_t every,
                        std::uint32_t seed) {
  Table root(times, times);
  for (std::size_t t = 0; t < times; ++t)
    for (std::size_t s = 0; s <= t; ++s)
      root(t, s) = std::pow(phi, static_cast<double>(t - s)) * (s == 0 ? 1.0 : q);
  const std::size_t rows = (times + every - 1) / every;
  Table design(rows, times);
  std::vector<int> at;
  for (std::size_t r = 0; r < rows; ++r)
    design(r, r * every) = 1.0, at.push_back(static_cast<int>(r * every) + 1);
  const LinearModel model{std::vector<double>(times, 0.0), root * root.transposed(), design,
                          Table::unit(rows, 0.49), numbers(rows, seed, 1.2)};
  return with_closed_form(
      {.name = fmt::format("path of {} times, phi {}, seen at every {}", times, phi, every),
       .program =
           "data { int T; int N; array[N] int at; vector[N] y; real phi; real q; } parameters { "
           "vector[T] x; } model { x[1] ~ normal(0, 1); "
           "for (t in 2:T) x[t] ~ normal(phi * x[t - 1], q); y ~ normal(x[at], 0.7); }",
       .data = fmt::format(R"({{"T": {}, "N": {}, "at": [{}], "y": {}, "phi": {}, "q": {}}})",
                           times, rows, fmt::join(at, ", "), json_of(model.y), phi, q),
       .within = {"normal", "blocks", "conjugate"}},
      model);
}

// A tree: x_1 ~ N(0, 2²), x_k ~ N(x of the parent, 1), the leaves seen with noise.
inline ExactTarget tree(std::uint32_t seed) {
  const std::vector<int> parent{0, 1, 1, 2, 2, 3, 3};  // numbers of nodes, from 1
  const std::size_t n = parent.size();
  Table root(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; k > 0 && j < n; ++j)
      root(k, j) = root(static_cast<std::size_t>(parent[k]) - 1, j);
    root(k, k) = k == 0 ? 2.0 : 1.0;
  }
  Table design(4, n);
  for (std::size_t r = 0; r < 4; ++r) design(r, 3 + r) = 1.0;
  const LinearModel model{std::vector<double>(n, 0.0), root * root.transposed(), design,
                          Table::unit(4, 0.25), numbers(4, seed, 2.0)};
  return with_closed_form(
      {.name = "tree of seven nodes",
       .program = "data { array[7] int parent; vector[4] y; } parameters { vector[7] x; } model { "
                  "x[1] ~ normal(0, 2); for (k in 2:7) x[k] ~ normal(x[parent[k]], 1); "
                  "y ~ normal(x[4:7], 0.5); }",
       .data =
           fmt::format(R"({{"parent": [{}], "y": {}}})", fmt::join(parent, ", "), json_of(model.y)),
       .within = {"normal", "blocks", "conjugate"}},
      model);
}

// Effects of rows and columns of a table.
inline ExactTarget crossed_effects(std::uint32_t seed) {
  constexpr std::size_t kRows = 3, kColumns = 4, kValues = kRows + kColumns;
  Table design(kRows * kColumns, kValues);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j)
      design(i * kColumns + j, i) = design(i * kColumns + j, kRows + j) = 1.0;
  const LinearModel model{std::vector<double>(kValues, 0.0), Table::unit(kValues, 2.25), design,
                          Table::unit(kRows * kColumns, 0.64),
                          numbers(kRows * kColumns, seed, 2.0)};
  return with_closed_form(
      {.name = "crossed effects",
       .program = "data { array[3] vector[4] y; } parameters { vector[3] a; vector[4] b; } model { "
                  "a ~ normal(0, 1.5); b ~ normal(0, 1.5); "
                  "for (i in 1:3) y[i] ~ normal(a[i] + b, 0.8); }",
       .data =
           [&] {
             Table y(kRows, kColumns);
             y.values = model.y;
             return fmt::format(R"({{"y": {}}})", y.json());
           }(),
       .within = {"normal", "conjugate"}},
      model);
}

// A Gaussian process with known scales at eight places.
inline ExactTarget process(std::uint32_t seed) {
  constexpr std::size_t kPlaces = 8;
  Table prior(kPlaces, kPlaces);
  std::vector<double> x;
  for (std::size_t i = 0; i < kPlaces; ++i) x.push_back(0.5 * static_cast<double>(i));
  for (std::size_t i = 0; i < kPlaces; ++i)
    for (std::size_t j = 0; j < kPlaces; ++j)
      prior(i, j) =
          1.44 * std::exp(-0.5 * std::pow((x[i] - x[j]) / 0.8, 2)) + (i == j ? 1e-4 : 0.0);
  const LinearModel model{std::vector<double>(kPlaces, 0.0), prior, Table::unit(kPlaces),
                          Table::unit(kPlaces, 0.09), numbers(kPlaces, seed, 1.2)};
  return with_closed_form(
      {.name = "Gaussian process",
       .program = "data { array[8] real x; vector[8] y; } transformed data { matrix[8, 8] K = "
                  "add_diag(gp_exp_quad_cov(x, 1.2, 0.8), 1e-4); } parameters { vector[8] f; } "
                  "model { f ~ multi_normal(rep_vector(0, 8), K); y ~ normal(f, 0.3); }",
       .data = fmt::format(R"({{"x": {}, "y": {}}})", json_of(x), json_of(model.y)),
       .within = {"normal", "blocks", "conjugate"}},
      model);
}

// Two pairs, each correlated, independent of each other.
inline ExactTarget two_pairs(std::uint32_t seed) {
  Table prior = Table::unit(4), noise = Table::unit(4, 0.5);
  prior(0, 1) = prior(1, 0) = 0.8;
  prior(2, 3) = prior(3, 2) = -0.6;
  const LinearModel model{std::vector<double>(4, 0.0), prior, Table::unit(4), noise,
                          numbers(4, seed, 1.5)};
  return with_closed_form(
      {.name = "two correlated pairs",
       .program =
           "data { vector[2] y; vector[2] z; matrix[2, 2] S; matrix[2, 2] T; } parameters { "
           "vector[2] a; vector[2] b; } model { a ~ multi_normal([0, 0]', S); "
           "b ~ multi_normal([0, 0]', T); y ~ normal(a, sqrt(0.5)); z ~ normal(b, sqrt(0.5)); }",
       .data = fmt::format(
           R"({{"y": {}, "z": {}, "S": [[1, 0.8], [0.8, 1]], "T": [[1, -0.6], [-0.6, 1]]}})",
           json_of({model.y[0], model.y[1]}), json_of({model.y[2], model.y[3]})),
       .within = {"normal", "blocks", "conjugate"}},
      model);
}

// A positive value whose logarithm is normal; outcomes are lognormal about it. The Jacobian is part of the answer.
inline ExactTarget positive_value(std::size_t rows, std::uint32_t seed) {
  std::vector<double> logs = numbers(rows, seed, 0.5), y;
  double jacobian = 0.0;
  for (const double u : logs) y.push_back(std::exp(u)), jacobian -= u;
  const LinearModel model{
      {0.5}, Table::unit(1, 0.16), Table(rows, 1, 1.0), Table::unit(rows, 0.09), logs};
  ExactTarget target = with_closed_form(
      {.name = fmt::format("positive value of {} rows", rows),
       .program = "data { int N; vector[N] y; } parameters { real<lower=0> s; } "
                  "model { s ~ lognormal(0.5, 0.4); y ~ lognormal(log(s), 0.3); }",
       .data = fmt::format(R"({{"N": {}, "y": [{:.17g}]}})", rows, fmt::join(y, ", ")),
       .within = {"normal", "independent", "blocks", "conjugate"}},
      model);
  target.log_evidence += jacobian;  // of y, not of log y
  const double mean = std::exp(target.mean[0] + 0.5 * target.covariance[0]);
  target.outputs = {{"s", mean, mean * std::sqrt(std::expm1(target.covariance[0]))}};
  return target;
}

// A mean that is at least 0, m ~ N(0, 1) cut at 0, y ~ N(m, 1): priors are normalised within the declared range, so that
//   evidence = N(y; 0, I + 1 1') P(m > 0 | y) / ½
inline ExactTarget bounded_mean(const std::vector<double>& y) {
  const LinearModel model{{0.0}, Table::unit(1), Table(y.size(), 1, 1.0), Table::unit(y.size()), y};
  ExactTarget target =
      with_closed_form({.name = fmt::format("bounded mean of {} rows", y.size()),
                        .program = "data { int N; vector[N] y; } parameters { real<lower=0> m; } "
                                   "model { m ~ normal(0, 1); y ~ normal(m, 1); }",
                        .data = fmt::format(R"({{"N": {}, "y": {}}})", y.size(), json_of(y))},
                       model);
  const double z = target.mean[0] / std::sqrt(target.covariance[0]);
  target.log_evidence += std::log(std::erfc(-z / std::numbers::sqrt2));
  target.mean.clear(), target.covariance.clear();
  return target;
}

// ---- conjugate posteriors that aren't normal

inline double log_choose(double n, double k) {
  return numerics::lgamma(n + 1.0) - numerics::lgamma(k + 1.0) - numerics::lgamma(n - k + 1.0);
}
inline KnownOutput beta_output(const std::string& name, double a, double b) {
  return {name, a / (a + b), std::sqrt(a * b / (a + b + 1.0)) / (a + b)};
}
inline KnownOutput gamma_output(const std::string& name, double shape, double rate) {
  return {name, shape / rate, std::sqrt(shape) / rate};
}

inline ExactTarget beta_binomial(double n, double k, double a, double b) {
  return {
      .name = fmt::format("beta and binomial, {} of {}", k, n),
      .program = fmt::format("data {{ int n; int k; }} parameters {{ real<lower=0, upper=1> p; }} "
                             "model {{ p ~ beta({}, {}); k ~ binomial(n, p); }}",
                             a, b),
      .data = fmt::format(R"({{"n": {}, "k": {}}})", n, k),
      .log_evidence = log_choose(n, k) + numerics::lbeta(a + k, b + n - k) - numerics::lbeta(a, b),
      .within = {"conjugate", "factors"},
      .outputs = {beta_output("p", a + k, b + n - k)}};
}
inline ExactTarget beta_bernoulli() {
  return {.name = "beta and Bernoulli",
          .program =
              "data { array[5] int y; } parameters { real<lower=0, upper=1> p; } "
              "model { p ~ beta(2, 3); y ~ bernoulli(p); }",
          .data = R"({"y": [1, 0, 1, 1, 1]})",
          .log_evidence = numerics::lbeta(6.0, 4.0) - numerics::lbeta(2.0, 3.0),
          .within = {"conjugate", "factors"},
          .outputs = {beta_output("p", 6.0, 4.0)}};
}
inline ExactTarget gamma_poisson(const std::vector<double>& y, double shape, double rate) {
  double sum = 0.0, logs = 0.0;
  for (const double v : y) sum += v, logs += numerics::lgamma(v + 1.0);
  const double n = static_cast<double>(y.size()), s = shape + sum, r = rate + n;
  return {
      .name = fmt::format("gamma and Poisson, {} rows", y.size()),
      .program = fmt::format("data {{ int N; array[N] int y; }} parameters {{ real<lower=0> r; }} "
                             "model {{ r ~ gamma({}, {}); y ~ poisson(r); }}",
                             shape, rate),
      .data = fmt::format(R"({{"N": {}, "y": {}}})", y.size(), json_of(y)),
      .log_evidence = shape * std::log(rate) - numerics::lgamma(shape) + numerics::lgamma(s) -
                      s * std::log(r) - logs,
      .within = {"conjugate", "factors"},
      .outputs = {gamma_output("r", s, r)}};
}
inline ExactTarget gamma_exponential(const std::vector<double>& y) {
  double sum = 0.0;
  for (const double v : y) sum += v;
  const double s = 3.0 + static_cast<double>(y.size()), r = 2.0 + sum;
  return {.name = "gamma and exponential",
          .program =
              "data { int N; vector[N] y; } parameters { real<lower=0> r; } "
              "model { r ~ gamma(3, 2); y ~ exponential(r); }",
          .data = fmt::format(R"({{"N": {}, "y": {}}})", y.size(), json_of(y)),
          .log_evidence =
              3.0 * std::log(2.0) - numerics::lgamma(3.0) + numerics::lgamma(s) - s * std::log(r),
          .within = {"conjugate", "factors"},
          .outputs = {gamma_output("r", s, r)}};
}
// The precision of normal outcomes with a known mean: gamma(a + n/2, b + Σ(y - m)²/2).
inline ExactTarget normal_precision() {
  constexpr double kShape = 2.0 + 2.0, kRate = 3.0 + 0.5 * (1.0 + 4.0 + 0.25 + 2.25);
  return {.name = "gamma precision of a known mean",
          .program =
              "data { vector[4] y; } parameters { real<lower=0> t; } "
              "model { t ~ gamma(2, 3); y ~ normal(1, 1 / sqrt(t)); }",
          .data = R"({"y": [2, -1, 1.5, 2.5]})",
          .log_evidence = 2.0 * std::log(3.0) - numerics::lgamma(2.0) + numerics::lgamma(kShape) -
                          kShape * std::log(kRate) - 2.0 * std::log(2.0 * std::numbers::pi),
          .within = {"conjugate", "factors"},
          .outputs = {gamma_output("t", kShape, kRate)}};
}
// [gelman2013, sec. 3.3]: κ = 1 + 3, mean 6 / 4, α = 2 + 3/2, β = 2 + ½ 2 + ½ (3 / 4) 4.
inline ExactTarget mean_and_precision() {
  constexpr double kAlpha = 3.5, kBeta = 4.5, kKappa = 4.0, kMean = 1.5;
  return {.name = "normal and gamma",
          .program =
              "data { vector[3] y; } parameters { real mu; real<lower=0> t; } model { "
              "t ~ gamma(2, 2); mu ~ normal(0, 1 / sqrt(t)); y ~ normal(mu, 1 / sqrt(t)); }",
          .data = R"({"y": [1, 2, 3]})",
          .log_evidence = numerics::lgamma(kAlpha) - numerics::lgamma(2.0) + 2.0 * std::log(2.0) -
                          kAlpha * std::log(kBeta) + 0.5 * std::log(1.0 / kKappa) -
                          1.5 * std::log(2.0 * std::numbers::pi),
          .within = {"conjugate"},
          .outputs = {{"mu", kMean, std::sqrt(kBeta / (kKappa * (kAlpha - 1.0)))},
                      gamma_output("t", kAlpha, kBeta)}};
}
inline ExactTarget dirichlet_multinomial() {
  const std::array<double, 3> prior{1.0, 2.0, 0.5}, counts{4.0, 1.0, 2.0};
  double all = 0.0, before = 0.0, evidence = numerics::lgamma(8.0);
  for (std::size_t k = 0; k < 3; ++k) {
    before += prior[k], all += prior[k] + counts[k];
    evidence += numerics::lgamma(prior[k] + counts[k]) - numerics::lgamma(prior[k]) -
                numerics::lgamma(counts[k] + 1.0);
  }
  ExactTarget target{.name = "Dirichlet and multinomial",
                     .program =
                         "data { array[3] int y; } parameters { simplex[3] p; } model { "
                         "p ~ dirichlet([1, 2, 0.5]'); y ~ multinomial(p); }",
                     .data = R"({"y": [4, 1, 2]})",
                     .log_evidence = evidence + numerics::lgamma(before) - numerics::lgamma(all),
                     .within = {"conjugate", "factors"}};
  for (std::size_t k = 0; k < 3; ++k)
    target.outputs.push_back(
        beta_output(fmt::format("p[{}]", k + 1), prior[k] + counts[k], all - prior[k] - counts[k]));
  return target;
}

// Three parameters that don't meet: the posterior is the product of theirs, and the evidence, too.
inline ExactTarget three_apart() {
  const LinearModel normal{
      {1.0}, Table::unit(1, 4.0), Table(2, 1, 1.0), Table::unit(2, 0.49), {1.5, 0.4}};
  const ExactTarget mean = with_closed_form({}, normal), rate = gamma_poisson({2, 4}, 2.0, 3.0),
                    shares = dirichlet_multinomial();
  ExactTarget target{
      .name = "a mean, a rate and shares",
      .program =
          "data { vector[2] y; array[2] int k; array[3] int c; } parameters { real mu; "
          "real<lower=0> r; simplex[3] p; } model { mu ~ normal(1, 2); r ~ gamma(2, 3); "
          "p ~ dirichlet([1, 2, 0.5]'); y ~ normal(mu, 0.7); k ~ poisson(r); c ~ multinomial(p); }",
      .data = R"({"y": [1.5, 0.4], "k": [2, 4], "c": [4, 1, 2]})",
      .log_evidence = mean.log_evidence + rate.log_evidence + shares.log_evidence,
      .within = {"conjugate", "factors"},
      .outputs = {{"mu", mean.mean[0], std::sqrt(mean.covariance[0])}, rate.outputs[0]}};
  target.outputs.insert(target.outputs.end(), shares.outputs.begin(), shares.outputs.end());
  return target;
}

// ---- mixtures and hidden states

inline double log_normal_density(double x, double mean, double variance) {
  return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + (x - mean) * (x - mean) / variance);
}

// Log of the sum over all configurations of two states: exp of what a function of its bits gives.
template <class LogTerm>
double log_sum_over_bits(std::size_t count, const LogTerm& log_term) {
  double sum = 0.0;
  for (std::size_t bits = 0; bits < std::size_t{1} << count; ++bits)
    sum += std::exp(log_term(bits));
  return std::log(sum);
}

// μ ~ N(0, 3²), each y of N(μ, 1) or of N(-μ, 1), with ½: a sum over 2^N assignments, each a linear model. By log_mix, or by labels that
// the program sums.
inline ExactTarget marginalised_mixture(const std::vector<double>& y, bool has_labels = false) {
  const auto log_term = [&](std::size_t signs) {
    LinearModel model{
        {0.0}, Table::unit(1, 9.0), Table(y.size(), 1, 1.0), Table::unit(y.size()), y};
    for (std::size_t i = 0; i < y.size(); ++i)
      if ((signs >> i & 1) != 0) model.design(i, 0) = -1.0;
    return with_closed_form({}, model).log_evidence - static_cast<double>(y.size()) * std::log(2.0);
  };
  const std::string start = "data { int N; vector[N] y; } parameters { real mu; ",
                    by_labels =
                        "array[N] int<lower=1, upper=2> z; } model { mu ~ normal(0, 3); "
                        "z ~ categorical([0.5, 0.5]'); "
                        "for (n in 1:N) y[n] ~ normal((2 * z[n] - 3) * mu, 1); }",
                    by_mix =
                        "} model { mu ~ normal(0, 3); for (n in 1:N) target += log_mix(0.5, "
                        "normal_lpdf(y[n] | mu, 1), normal_lpdf(y[n] | -mu, 1)); }";
  return {.name = fmt::format("mixture of {} rows{}", y.size(), has_labels ? ", with labels" : ""),
          .program = start + (has_labels ? by_labels : by_mix),
          .data = fmt::format(R"({{"N": {}, "y": {}}})", y.size(), json_of(y)),
          .log_evidence = log_sum_over_bits(y.size(), log_term)};
}

// A level μ ~ N(0, 3²) and a chain of two states: y_t ~ N(μ + 2 z_t, 1). The states are parameters that the program sums.
inline ExactTarget level_of_a_chain(const std::vector<double>& y) {
  const auto log_term = [&](std::size_t states) {
    LinearModel model{
        {0.0}, Table::unit(1, 9.0), Table(y.size(), 1, 1.0), Table::unit(y.size()), y};
    double log_prior = std::log(0.5);
    for (std::size_t t = 0; t < y.size(); ++t) {
      model.y[t] -= (states >> t & 1) != 0 ? 4.0 : 2.0;
      if (t > 0) log_prior += std::log((states >> t & 1) == (states >> (t - 1) & 1) ? 0.8 : 0.2);
    }
    return log_prior + with_closed_form({}, model).log_evidence;
  };
  return {.name = "level of a hidden Markov chain",
          .program =
              "data { int N; vector[N] y; } transformed data { array[2] vector[2] P = "
              "{[0.8, 0.2]', [0.2, 0.8]'}; } parameters { real mu; "
              "array[N] int<lower=1, upper=2> z; } model { mu ~ normal(0, 3); "
              "z[1] ~ categorical([0.5, 0.5]'); for (n in 2:N) z[n] ~ categorical(P[z[n - 1]]); "
              "for (n in 1:N) y[n] ~ normal(mu + 2 * z[n], 1); }",
          .data = fmt::format(R"({{"N": {}, "y": {}}})", y.size(), json_of(y)),
          .log_evidence = log_sum_over_bits(y.size(), log_term)};
}

// Labels of a mixture with known components, and a chain of hidden states: sums over all configurations.
inline ExactTarget hidden_states(bool is_chain, const std::vector<double>& y) {
  const std::array<double, 2> centres{-1.0, 1.5};
  const auto step = [&](std::size_t from, std::size_t to) {
    return !is_chain ? 0.5 : from == to ? 0.8 : 0.2;
  };
  double evidence = 0.0;
  std::vector<double> share(y.size(), 0.0);  // mass with state 2
  for (std::size_t states = 0; states < std::size_t{1} << y.size(); ++states) {
    double log = 0.0;
    std::size_t before = 0;
    for (std::size_t t = 0; t < y.size(); ++t) {
      const std::size_t z = states >> t & 1;
      log += std::log(t == 0 ? 0.5 : step(before, z)) + log_normal_density(y[t], centres[z], 1.0);
      before = z;
    }
    evidence += std::exp(log);
    for (std::size_t t = 0; t < y.size(); ++t)
      if ((states >> t & 1) != 0) share[t] += std::exp(log);
  }
  const std::string chain =
      "z[1] ~ categorical([0.5, 0.5]'); for (t in 2:T) z[t] ~ categorical(P[z[t - 1]]);";
  ExactTarget target{
      .name = is_chain ? "hidden Markov chain" : "labels of a mixture",
      .program =
          "data { int T; vector[T] y; } transformed data { vector[2] m = [-1, 1.5]'; "
          "array[2] vector[2] P = {[0.8, 0.2]', [0.2, 0.8]'}; } parameters { "
          "array[T] int<lower=1, upper=2> z; } model { " +
          std::string(is_chain ? chain : "for (t in 1:T) z[t] ~ categorical([0.5, 0.5]');") +
          " for (t in 1:T) y[t] ~ normal(m[z[t]], 1); }",
      .data = fmt::format(R"({{"T": {}, "y": {}}})", y.size(), json_of(y)),
      .log_evidence = std::log(evidence),
      .within = {"sites"}};
  for (std::size_t t = 0; t < y.size(); ++t)
    target.outputs.push_back({fmt::format("z[{}]", t + 1), share[t] / evidence, 0.0});
  return target;
}

inline std::vector<ExactTarget> exact_targets() {
  std::vector<ExactTarget> all{whole_vector(1, 1, 10),
                               whole_vector(3, 5, 20),
                               whole_vector(10, 4, 30),
                               other_form(true, 40),
                               other_form(false, 50),
                               independent_values(1, 60),
                               independent_values(5, 61),
                               independent_values(20, 62),
                               different_scales(63),
                               regression(1, 0, 70),
                               regression(3, 0, 72),
                               regression(3, 1, 74),
                               regression(6, 2, 76),
                               hierarchy(3, 0, 80),
                               hierarchy(8, 0, 81),
                               hierarchy(8, 1, 82),
                               hierarchy(8, 2, 83),
                               path(5, 0.8, 0.5, 1, 90),
                               path(20, 0.95, 0.3, 1, 91),
                               path(12, 1.0, 0.4, 3, 92),
                               tree(93),
                               crossed_effects(94),
                               process(95),
                               two_pairs(96),
                               positive_value(1, 97),
                               positive_value(6, 98),
                               bounded_mean({0.3, 1.2, -0.4}),
                               beta_binomial(10, 7, 2, 3),
                               beta_binomial(50, 3, 1, 1),
                               beta_bernoulli(),
                               gamma_poisson({2, 1, 4}, 2.0, 3.0),
                               gamma_poisson({7, 11, 9, 8, 12, 6}, 1.5, 0.5),
                               gamma_exponential({0.4, 1.3, 0.2}),
                               normal_precision(),
                               mean_and_precision(),
                               dirichlet_multinomial(),
                               three_apart(),
                               marginalised_mixture({0.4, -0.3}),
                               marginalised_mixture({1.5, -2.0, 0.5, 1.0}),
                               marginalised_mixture({1.5, -2.0, 0.5, 1.0}, true),
                               level_of_a_chain({1.5, -2.0, 0.5, 1.0, 4.0}),
                               hidden_states(false, {0.3, -2.0, 1.1}),
                               hidden_states(true, {0.3, -2.0, 1.1, 0.9}),
                               hidden_states(true, {-1.0, 0.2, 0.1, 2.0, 1.5, 0.0, -0.7, 0.4})};
  return all;
}

}  // namespace credo::testing
