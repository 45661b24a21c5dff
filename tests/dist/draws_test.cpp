// Draws against the distributions that they are drawn from, by Kolmogorov and Smirnov's distance to uniform
// numbers. A univariate draw is turned into a uniform one by its cdf, where that jumps with a
// uniform part of the jump; a multivariate one into as many as it has free elements, each by the
// distribution that it has given those before it [rosenblatt1952].
//
// Each distance exceeds 2.9 with probability 1e-7: of about 400 distances one does so in 1 of
// 25,000 runs with a new seed.
#include "dist/at.hpp"
#include "dist/batch.hpp"

namespace credo::dist::draws_test {
namespace {

constexpr int kDraws = 10000, kMultivariateDraws = 4000;

struct Streams {
  explicit Streams(std::uint64_t seed)
      : rng({.seed = seed, .purpose = purpose::kTest + 7}),
        jumps({.seed = seed, .purpose = purpose::kTest + 8}) {}
  Rng rng, jumps;
};

double uniform_of(const At& at, double y, Rng& jumps) {
  const double cdf = at.cdf(y);
  return at.d.discrete ? cdf - jumps.uniform() * std::exp(at.log_density(y)) : cdf;
}

Numbers draws_of(const At& at) {
  Streams s(20260101);
  Numbers draws;
  for (int i = 0; i < kDraws; ++i) draws.push_back(draw(at.d, s.rng, at.params));
  return draws;
}

// The distance of the draws' uniform numbers.
double distance(const At& at, Numbers draws) {
  Streams s(20260102);
  if (at.d.discrete) {
    std::map<double, std::pair<double, double>> known;  // cdf and mass
    for (double& y : draws) {
      const auto [place, is_new] = known.try_emplace(y);
      if (is_new) place->second = {at.cdf(y), std::exp(at.log_density(y))};
      y = place->second.first - s.jumps.uniform() * place->second.second;
    }
    return uniform_distance(draws);
  }
  if (at.d.name == "von_mises")
    for (double& y : draws) y = std::remainder(y, 2.0 * 3.141592653589793);
  testing::ThrowingChecks checks;
  const Expr cdf = tail_each(at.d, Tail::cdf, example::column(draws), at.args, at.d.name, checks);
  return uniform_distance({cdf.values().begin(), cdf.values().end()});
}

TEST(Draws, follow_the_cdf) {
  for (const Example& e : examples()) {
    const At at(e);
    EXPECT_LT(distance(at, draws_of(at)), kRejectAbove) << described(e);
  }
}

bool is_nearly_one_number(const At& at) {
  const double median = at.median();
  return at.d.discrete && std::exp(at.log_density(median)) > 0.9;
}

// Planted: a quarter too far from the median above it, a fifth too near below; of a discrete row
// the largest of three draws.
TEST(Draws, of_another_scale_are_rejected) {
  for (const Example& e : examples()) {
    const At at(e);
    if (is_nearly_one_number(at)) continue;
    if (std::isfinite(at.upper()) && !at.d.discrete) continue;  // would leave the support
    const Numbers right = draws_of(at);
    Numbers draws = right;
    const double median = at.median();
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const std::size_t next = (i + 1) % right.size(), third = (i + 2) % right.size();
      const double away = right[i] - median;
      draws[i] = at.d.discrete ? std::max({right[i], right[next], right[third]})
                               : median + away * (away < 0.0 ? 0.8 : 1.25);
    }
    EXPECT_GT(distance(at, draws), kRejectAbove) << described(e);
  }
}

// ---- several elements at once

struct Given {
  std::string_view name;
  Numbers params;
  double value;
};
using Conditionals = std::vector<Given>;  // the elements' distributions given those before

Conditionals of_white(const Expr& white) {
  Conditionals all;
  for (const double z : white.values()) all.push_back({"std_normal", {}, z});
  return all;
}
Expr centred(const Numbers& y, const Expr& mu) { return example::column(y) - mu; }
Expr square_of(const Numbers& y) {
  return example::matrix(static_cast<Index>(std::lround(std::sqrt(double(y.size())))), y);
}

Conditionals of_student(double nu, const Expr& white) {
  Conditionals all;
  double squares = 0.0, freedom = nu;
  for (const double z : white.values()) {
    all.push_back({"student_t", {freedom, 0.0, std::sqrt((nu + squares) / freedom)}, z});
    squares += z * z;
    freedom += 1.0;
  }
  return all;
}

Conditionals of_dirichlet(const Numbers& y, std::span<const double> alpha) {
  Conditionals all;
  double rest = 1.0, left = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  for (std::size_t k = 0; k + 1 < alpha.size(); ++k) {
    left -= alpha[k];
    all.push_back({"beta", {alpha[k], left}, y[k] / rest});
    rest -= y[k];
  }
  return all;
}

Conditionals of_counts(const Numbers& y, std::span<const double> weights, bool beta) {
  Conditionals all;
  double size = std::accumulate(y.begin(), y.end(), 0.0),
         left = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    if (beta) all.push_back({"beta_binomial", {size, weights[k], left - weights[k]}, y[k]});
    if (!beta) all.push_back({"binomial", {size, weights[k] / left}, y[k]});
    size -= y[k];
    left -= weights[k];
  }
  return all;
}

// W = L B B' L': the lower B by Bartlett.
Conditionals of_bartlett(double nu, const Expr& b) {
  Conditionals all;
  const Index n = b.shape().rows;
  for (Index j = 0; j < n; ++j) {
    const double on = b.value(j + j * n);
    all.push_back({"chi_square", {nu - static_cast<double>(j)}, on * on});
    for (Index i = j + 1; i < n; ++i) all.push_back({"std_normal", {}, b.value(i + j * n)});
  }
  return all;
}

// X = L M M' L': row i of M is b' M_{<i} / U_ii.
Conditionals of_inverse_bartlett(double nu, const Expr& m) {
  Conditionals all;
  const Index n = m.shape().rows;
  for (Index i = 0; i < n; ++i) {
    const double on = m.value(i + i * n);
    all.push_back({"chi_square", {nu - static_cast<double>(n - 1 - i)}, 1.0 / (on * on)});
    Numbers b(static_cast<std::size_t>(i));
    for (Index j = i - 1; j >= 0; --j) {  // b' M_{<i} = row / M_ii, from its last element on
      double rest = m.value(i + j * n) / on;
      for (Index k = j + 1; k < i; ++k) rest -= b[static_cast<std::size_t>(k)] * m.value(k + j * n);
      b[static_cast<std::size_t>(j)] = rest / m.value(j + j * n);
    }
    for (const double z : b) all.push_back({"std_normal", {}, z});
  }
  return all;
}

// Row k of the factor: its diagonal's square is beta, the rest a uniform direction, each element of
// which is Student's given those before.
Conditionals of_lkj(double eta, const Expr& l) {
  Conditionals all;
  const Index n = l.shape().rows;
  for (Index i = 1; i < n; ++i) {
    const double on = l.value(i + i * n), rest = eta + 0.5 * static_cast<double>(n - 1 - i);
    all.push_back({"beta", {0.5 * static_cast<double>(i), rest}, 1.0 - on * on});
    double left = 1.0 - on * on;
    for (Index j = 0; j < i; ++j) {
      const double x = l.value(i + j * n), others = static_cast<double>(i - 1 - j);
      if (others == 0.0) {
        all.push_back({"bernoulli", {0.5}, x > 0.0 ? 1.0 : 0.0});
      } else {
        all.push_back({"student_t", {others, 0.0, 1.0}, x * std::sqrt(others / (left - x * x))});
      }
      left -= x * x;
    }
  }
  return all;
}

Conditionals of_process(const Numbers& y, const Expr& factor, const Expr& weights) {
  Conditionals all;
  const auto outputs = static_cast<std::size_t>(weights.size());
  for (std::size_t i = 0; i < outputs; ++i) {
    Numbers row;
    for (std::size_t j = i; j < y.size(); j += outputs)
      row.push_back(y[j] * std::sqrt(weights.value(static_cast<Index>(i))));
    for (const Given& g : of_white(solve_lower(factor, example::column(row)))) all.push_back(g);
  }
  return all;
}

// By name: what the elements of a draw are.
Conditionals conditionals_of(std::string_view name, Args a, const Numbers& y) {
  if (name == "multi_normal") return of_white(solve_lower(cholesky(a[1]), centred(y, a[0])));
  if (name == "multi_normal_cholesky") return of_white(solve_lower(a[1], centred(y, a[0])));
  if (name == "multi_normal_prec") return of_white(matmul(cholesky(a[1]), centred(y, a[0]), true));
  if (name == "multi_student_t")
    return of_student(a[0].value(), solve_lower(cholesky(a[2]), centred(y, a[1])));
  if (name == "multi_student_t_cholesky")
    return of_student(a[0].value(), solve_lower(a[2], centred(y, a[1])));
  if (name == "multi_gp") return of_process(y, cholesky(a[0]), a[1]);
  if (name == "multi_gp_cholesky") return of_process(y, a[0], a[1]);
  if (name == "dirichlet") return of_dirichlet(y, a[0].values());
  if (name == "multinomial") return of_counts(y, a[0].values(), false);
  if (name == "multinomial_logit") return of_counts(y, exp(a[0]).values(), false);
  if (name == "dirichlet_multinomial") return of_counts(y, a[0].values(), true);
  if (name == "wishart")
    return of_bartlett(a[0].value(), solve_lower(cholesky(a[1]), cholesky(square_of(y))));
  if (name == "wishart_cholesky") return of_bartlett(a[0].value(), solve_lower(a[1], square_of(y)));
  if (name == "inv_wishart")
    return of_inverse_bartlett(a[0].value(), solve_lower(cholesky(a[1]), cholesky(square_of(y))));
  if (name == "inv_wishart_cholesky")
    return of_inverse_bartlett(a[0].value(), solve_lower(a[1], square_of(y)));
  if (name == "lkj_corr") return of_lkj(a[1].value(), cholesky(square_of(y)));
  if (name == "lkj_corr_cholesky") return of_lkj(a[1].value(), square_of(y));
  return {};
}

double uniform_of_category(const Distribution& d, Args args, double y, Rng& jumps) {
  const Numbers masses = category_masses(d, args);
  const auto k = static_cast<std::size_t>(y) - 1;
  const double below = std::accumulate(masses.begin(), masses.begin() + static_cast<long>(k), 0.0);
  return below + jumps.uniform() * masses[k];
}

double uniform_of_part(const Part& part, double y, Rng& jumps) {
  if (part.distribution->kind == Kind::multivariate)
    return uniform_of_category(*part.distribution, part.args, y, jumps);
  Example e{part.distribution->name, {}};
  for (const Expr& arg : part.args) e.params.push_back(arg.value());
  return uniform_of(At(e), y, jumps);
}

Numbers uniforms_of_draw(const Distribution& d, Args args, const Numbers& y, Rng& jumps) {
  Numbers u;
  if (d.num_categories != nullptr) return {uniform_of_category(d, args, y[0], jumps)};
  if (d.parts != nullptr) {
    const std::vector<Part> parts = d.parts(args);
    for (std::size_t i = 0; i < y.size(); ++i) u.push_back(uniform_of_part(parts[i], y[i], jumps));
    return u;
  }
  for (const Given& g : conditionals_of(d.name, args, y))
    u.push_back(uniform_of(At(Example{g.name, g.params}), g.value, jumps));
  return u;
}

// The largest distance of an element, and of two neighbours' sum modulo 1: uniform if they are
// independent.
double largest_distance(const Distribution& d, Args distribution, Args drawn) {
  Streams s(20260102);
  testing::ThrowingChecks checks;
  std::vector<Numbers> elements;
  for (int i = 0; i < kMultivariateDraws; ++i) {
    const Numbers y = draw_all(d, s.rng, drawn, d.name, checks);
    const Numbers u = uniforms_of_draw(d, distribution, y, s.jumps);
    elements.resize(2 * u.size());
    for (std::size_t k = 0; k < u.size(); ++k) {
      elements[2 * k].push_back(u[k]);
      if (k > 0) elements[2 * k + 1].push_back(std::fmod(u[k] + u[k - 1], 1.0));
    }
  }
  EXPECT_FALSE(elements.empty()) << d.name << ": no distribution of its elements is stated here";
  double largest = elements.empty() ? kInfinity : 0.0;
  for (const Numbers& u : elements)
    if (!u.empty()) largest = std::max(largest, uniform_distance(u));
  return largest;
}

TEST(Draws, of_several_elements_follow_their_conditional_distributions) {
  for (const Setting& s : settings()) {
    const Distribution& d = *find(s.name);
    EXPECT_LT(largest_distance(d, s.draw_args, s.draw_args), kRejectAbove) << s.name;
  }
}

TEST(Draws, of_several_elements_with_other_arguments_are_rejected) {
  for (const Setting& s : settings()) {
    const Distribution& d = *find(s.name);
    EXPECT_GT(largest_distance(d, s.draw_args, s.other_draw_args), kRejectAbove) << s.name;
  }
}

}  // namespace
}  // namespace credo::dist::draws_test
