// Mean, variance and entropy against integrals and sums over the density; of several elements
// against their draws, and against the univariate rows that they are at size 1 or 2.
#include <set>

#include "dist/at.hpp"
#include "dist/audit.hpp"
#include "dist/entropy.hpp"

namespace credo::dist::moments_test {
namespace {

struct Figures {
  double mass = 0.0, mean = 0.0, variance = 0.0, entropy = 0.0;
};

// Sums of w f(x) of 1, x - centre, its square, -log f.
void add(Figures& total, const Numbers& x, const Numbers& w, const Numbers& logs, double centre) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(logs[i] > -kInfinity)) continue;
    const double mass = w[i] * std::exp(logs[i]), away = x[i] - centre;
    total.mass += mass;
    total.mean += mass * away;
    total.variance += mass * away * away;
    total.entropy -= mass * logs[i];
  }
}

// The angle within pi of its location.
Figures around_a_circle(const At& at) {
  const double mu = at.params[0], pi = 3.141592653589793, scale = 1.0 / std::sqrt(at.params[1]);
  Numbers ends{-pi, 0.0, pi};
  for (const double step : {scale, 3.0 * scale, 8.0 * scale}) {
    if (step < pi) ends.insert(ends.end(), {-step, step});
  }
  std::sort(ends.begin(), ends.end());
  Figures total;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const Points p = points_to(mu + ends[i], mu + ends[i + 1], 1.0);
    add(total, p.x, p.weights, at.log_density(p.x), mu);
  }
  total.mean += mu;
  return total;
}

// Between quantiles, where a density has one scale, by the double exponential rule on each piece.
Figures integrated(const At& at) {
  const double centre = at.median();
  if (at.d.name == "von_mises") return around_a_circle(at);
  Numbers ends{at.lower()};
  for (const double log_p : {-40.0, -15.0, -5.0, -2.0, -1.0})
    ends.push_back(at.quantile(Tail::log_cdf, log_p));
  ends.push_back(centre);
  for (const double log_q : {-1.0, -2.0, -5.0, -15.0, -40.0})
    ends.push_back(at.quantile(Tail::log_ccdf, log_q));
  ends.push_back(at.upper());
  if (at.d.name == "skew_double_exponential") ends.push_back(at.params[0]);  // a kink
  std::sort(ends.begin(), ends.end());
  const double spread = at.quantile(Tail::cdf, 0.75) - at.quantile(Tail::cdf, 0.25);
  Figures total;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    if (!(ends[i] < ends[i + 1])) continue;
    const bool upwards = std::isfinite(ends[i]);
    const Points p =
        upwards ? points_to(ends[i], ends[i + 1], spread) : points_to(ends[i + 1], ends[i], spread);
    add(total, p.x, p.weights, at.log_density(p.x), centre);
  }
  total.mean += centre;
  total.variance -= (total.mean - centre) * (total.mean - centre);
  return total;
}

Figures summed(const At& at) {
  constexpr double kMost = 200000.0;
  const double centre = at.median();
  const double first = std::max(at.lower(), centre - kMost),
               last = std::min(at.upper(), centre + kMost);
  Numbers k(static_cast<std::size_t>(last - first) + 1);
  std::iota(k.begin(), k.end(), first);
  Figures total;
  add(total, k, Numbers(k.size(), 1.0), at.log_density(k), centre);
  total.mean += centre;
  total.variance -= (total.mean - centre) * (total.mean - centre);
  return total;
}

// Worst of the three in units of what is allowed; nothing where the points hold less than all of
// the probability: arguments with few digits beside the location, masses at numbers that underflow.
std::optional<double> judge_moments(const At& at) {
  const Figures f = at.d.discrete ? summed(at) : integrated(at);
  if (!(std::abs(1.0 - f.mass) < 1e-9)) return std::nullopt;
  const double spread = std::sqrt(std::abs(f.variance));
  double worst = 0.0;
  const auto judge = [&](double found, double wanted, double scale) {
    if (std::isfinite(found)) worst = std::max(worst, ratio(found - wanted, 1e-8 * scale));
  };
  const bool fast = at.d.name != "yule_simon" && at.d.name != "beta_neg_binomial";
  const double average = mean(at.d, at.params), square = variance(at.d, at.params);
  judge(average, f.mean, (fast ? 1.0 : 100.0) * (spread + 1e-3 * std::abs(average)));
  if (fast) judge(square, f.variance, square + 1e-9);
  judge(entropy(at.d, at.params), f.entropy, 1.0 + std::abs(f.entropy));
  return worst;
}

TEST(Moments, are_those_of_the_density) {
  std::set<std::string_view> judged;
  for (const Example& e : examples()) {
    const auto worst = judge_moments(At(e));
    EXPECT_LT(worst.value_or(0.0), 1.0) << described(e);
    if (worst) judged.insert(e.name);
  }
  for (const Example& e : examples()) EXPECT_TRUE(judged.contains(e.name)) << e.name;
}

// Planted: an entropy and a variance without a factor of the scale.
TEST(Moments, without_the_logarithm_of_a_factor_are_rejected) {
  for (const Example& e : examples()) {
    const At at(e);
    Mutant::right = &at.d;
    Distribution mutant = at.d;
    mutant.entropy = [](Params args) { return entropy(*Mutant::right, args) + std::log(1.001); };
    EXPECT_GT(judge_moments(At(mutant, e)).value_or(kInfinity), 1.0) << described(e);
    const double square = variance(at.d, e.params);
    if (!std::isfinite(square) || square < 1e-6 || at.d.name == "yule_simon" ||
        at.d.name == "beta_neg_binomial")
      continue;
    mutant = at.d;
    mutant.variance = [](Params args) { return 1.001 * Mutant::right->variance(args); };
    EXPECT_GT(judge_moments(At(mutant, e)).value_or(kInfinity), 1.0) << described(e);
  }
}

// Extreme parameters, where the parts of an entropy cancel, against its expansions.
TEST(Entropies, of_large_parameters_keep_their_digits) {
  const double half_log_2_pi_e = 1.41893853320467274178;
  const auto entropy_of = [](std::string_view name, const Numbers& params) {
    return entropy(*find(name), params);
  };
  // gamma: log(2 pi e a)/2 - 1/(3 a) - ...; beta(a, a): that of a normal of its variance to 1/a
  EXPECT_NEAR(entropy_of("gamma", {1e8, 1.0}), half_log_2_pi_e + 0.5 * std::log(1e8) - 1.0 / 3e8,
              1e-14 * 20.0);
  EXPECT_NEAR(entropy_of("beta", {1e10, 1e10}), half_log_2_pi_e - 0.5 * std::log(8e10), 1e-9);
  EXPECT_NEAR(entropy_of("beta", {1e10, 2.0}), entropy_of("gamma", {2.0, 1e10}), 1e-8);
  EXPECT_NEAR(entropy_of("student_t", {1e12, 0.0, 1.0}), half_log_2_pi_e, 1e-11);
  EXPECT_NEAR(entropy_of("von_mises", {0.0, 1e8}), half_log_2_pi_e - 0.5 * std::log(1e8), 1e-8);
  EXPECT_NEAR(entropy_of("von_mises", {0.0, 999.9999}), entropy_of("von_mises", {0.0, 1000.0001}),
              2e-7);
  // log(2 pi e l)/2 - 1/(12 l); the masses keep 16 digits of l log l
  EXPECT_NEAR(entropy_of("poisson", {1e6}), half_log_2_pi_e + 0.5 * std::log(1e6) - 1.0 / 12e6,
              1e-8);
  EXPECT_NEAR(entropy_of("poisson", {1e9}), half_log_2_pi_e + 0.5 * std::log(1e9), 1e-4);
  EXPECT_NEAR(entropy_of("binomial", {1e9, 0.25}), half_log_2_pi_e + 0.5 * std::log(1e9 * 0.1875),
              1e-4);
  // gamma mixtures of Poisson counts far above 1 are gamma distributions
  EXPECT_NEAR(entropy_of("neg_binomial_2", {1e7, 2.0}), entropy_of("gamma", {2.0, 2e-7}), 1e-5);
  EXPECT_NEAR(entropy_of("skew_normal", {0.0, 1.0, 1e6}), half_log_2_pi_e - std::log(2.0), 1e-5);
  EXPECT_NEAR(entropy_of("exp_mod_normal", {0.0, 1e-6, 1.0}), 1.0, 1e-5);
  EXPECT_NEAR(entropy_of("exp_mod_normal", {0.0, 1.0, 1e6}), half_log_2_pi_e, 1e-6);
}

// Of P(k) ~ k^-(1 + a) with a = 1/2 a million masses leave 1e-3 of the probability out: the rest by
// its own asymptote a Gamma(1 + a) k^-(1 + a) (1 - ...), whose next term is of order 1/k.
TEST(Entropies, of_a_power_law_hold_its_far_tail) {
  const double a = 0.5;
  const At at(Example{"yule_simon", {a}});
  Numbers k(1000000);
  std::iota(k.begin(), k.end(), 1.0);
  const Numbers logs = at.log_density(k);
  double total = 0.0;
  for (const double l : logs) total -= l * std::exp(l);
  const double x = 1e6 + 0.5, c = a * std::tgamma(1.0 + a), s = 1.0 + a;
  total += c * std::pow(x, -a) / a * (s * std::log(x) - std::log(c) + s / a);
  EXPECT_NEAR(entropy(at.d, at.params), total, 1e-6);
}

// ---- several elements

std::vector<Numbers> draws_of(const Distribution& d, Args args, int count) {
  Rng rng({.seed = 20260103, .purpose = purpose::kTest + 12});
  testing::ThrowingChecks checks;
  std::vector<Numbers> draws;
  for (int i = 0; i < count; ++i) draws.push_back(draw_all(d, rng, args, d.name, checks));
  return draws;
}

// How many standard errors the average of `values` is off; at least rounding.
double errors_off(const Numbers& values, double expected) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0.0;
  for (const double v : values) square += (v - mean) * (v - mean);
  const double error = std::sqrt(square / (n - 1.0) / n) + 1e-13 * (1.0 + std::abs(expected));
  return ratio(mean - expected, error);
}

constexpr int kDraws = 4000;

double worst_of_means_and_covariances(const Moments& m, const std::vector<Numbers>& draws) {
  const std::size_t n = draws[0].size();
  double worst = m.mean.size() == n && m.covariance.size() == n * n ? 0.0 : kInfinity;
  for (std::size_t i = 0; i < n && worst < kInfinity; ++i) {
    Numbers values;
    for (const Numbers& y : draws) values.push_back(y[i]);
    worst = std::max(worst, errors_off(values, m.mean[i]));
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < draws.size(); ++k)
        values[k] = (draws[k][i] - m.mean[i]) * (draws[k][j] - m.mean[j]);
      worst = std::max(worst, errors_off(values, m.covariance[i + j * n]));
      worst = std::max(worst, ratio(m.covariance[i + j * n] - m.covariance[j + i * n], 1e-12));
    }
  }
  return worst;
}

double errors_of_entropy(const Setting& s, double entropy, const std::vector<Numbers>& draws) {
  const Distribution& d = *find(s.name);
  testing::ThrowingChecks checks;
  Numbers values;
  for (const Numbers& y : draws) {
    const bool square = d.drawn == Drawn::square_matrix;
    const Index rows = square ? static_cast<Index>(std::lround(std::sqrt(double(y.size()))))
                       : s.name.starts_with("multi_gp") ? s.args[1].size()
                                                        : 0;
    const Expr outcome = d.drawn == Drawn::number ? Expr(y[0])
                         : rows > 0               ? example::matrix(rows, y)
                                                  : example::column(y);
    values.push_back(-log_density(d, outcome, s.args, {.function = d.name}, checks).value.value());
  }
  return errors_off(values, entropy);
}

// About 900 figures: beyond 5.2 standard errors one is with probability 2e-4.
constexpr double kErrors = 5.2;

TEST(Moments, of_several_elements_are_those_of_their_draws) {
  for (const Setting& s : settings()) {
    const Distribution& d = *find(s.name);
    const Moments m = moments(d, s.draw_args);
    const auto draws = draws_of(d, s.draw_args, kDraws);
    EXPECT_LT(worst_of_means_and_covariances(m, draws), kErrors) << s.name;
    EXPECT_LT(errors_of_entropy(s, m.entropy, draws), kErrors) << s.name;
  }
}

TEST(Moments, of_several_elements_with_other_arguments_are_rejected) {
  for (const Setting& s : settings()) {
    const Distribution& d = *find(s.name);
    const Moments right = moments(d, s.draw_args), other = moments(d, s.other_draw_args);
    const auto draws = draws_of(d, s.draw_args, kDraws);
    EXPECT_GT(worst_of_means_and_covariances(other, draws), kErrors) << s.name;
    EXPECT_GT(errors_of_entropy(s, right.entropy + 0.3, draws), kErrors) << s.name;
  }
}

TEST(Moments, of_small_sizes_are_those_of_the_univariate_rows) {
  using example::column, example::matrix;
  const auto entropy_of = [](std::string_view name, std::vector<Expr> args) {
    return moments(*find(name), args).entropy;
  };
  const auto of = [](std::string_view name, const Numbers& params) {
    return entropy(*find(name), params);
  };
  const Expr one = matrix(1, {4.0}), root = matrix(1, {2.0});
  constexpr double kNear = 1e-12;
  EXPECT_NEAR(entropy_of("multi_normal", {column({0.0}), one}), of("normal", {0.0, 2.0}), kNear);
  EXPECT_NEAR(entropy_of("multi_normal_prec", {column({0.0}), one}), of("normal", {0.0, 0.5}),
              kNear);
  EXPECT_NEAR(entropy_of("multi_student_t", {5.0, column({0.0}), one}),
              of("student_t", {5.0, 0.0, 2.0}), kNear);
  EXPECT_NEAR(entropy_of("wishart", {5.0, one}), of("gamma", {2.5, 0.125}), kNear);
  EXPECT_NEAR(entropy_of("inv_wishart", {5.0, one}), of("inv_gamma", {2.5, 2.0}), kNear);
  EXPECT_NEAR(entropy_of("dirichlet", {column({0.7, 2.5})}), of("beta", {0.7, 2.5}), kNear);
  EXPECT_NEAR(entropy_of("lkj_corr", {2.0, 1.7}), of("beta", {1.7, 1.7}) + std::log(2.0), kNear);
  EXPECT_NEAR(entropy_of("multinomial", {column({0.3, 0.7}), 12.0}), of("binomial", {12.0, 0.3}),
              kNear);
  EXPECT_NEAR(entropy_of("dirichlet_multinomial", {column({0.7, 2.5}), 12.0}),
              of("beta_binomial", {12.0, 0.7, 2.5}), kNear);
  EXPECT_NEAR(entropy_of("categorical", {column({0.3, 0.7})}), of("bernoulli", {0.3}), kNear);
  // of the factor L of W = L^2: log dW/dL = log 2 L = log 2 + log(W)/2
  const double mean_log = std::log(2.0) + 0.5 * (0.70315664064524318723 + std::log(8.0));
  EXPECT_NEAR(entropy_of("wishart_cholesky", {5.0, root}), of("gamma", {2.5, 0.125}) - mean_log,
              kNear);
}

TEST(Categories, have_tails_and_quantiles) {
  const Distribution& d = *find("categorical");
  const std::vector<Expr> args{example::column({0.2, 0.5, 0.3})};
  EXPECT_NEAR(category_tail(d, Tail::cdf, 2.0, args), 0.7, 1e-15);
  EXPECT_NEAR(category_tail(d, Tail::log_ccdf, 2.0, args), std::log(0.3), 1e-15);
  EXPECT_EQ(category_tail(d, Tail::cdf, 0.0, args), 0.0);
  EXPECT_EQ(category_tail(d, Tail::cdf, 3.0, args), 1.0);
  for (const auto& [p, k] : {std::pair(0.1, 1.0), {0.2, 1.0}, {0.21, 2.0}, {0.75, 3.0}, {1.0, 3.0}})
    EXPECT_EQ(category_quantile(d, Tail::cdf, p, args), k) << p;
  EXPECT_EQ(category_quantile(d, Tail::log_ccdf, std::log(0.31), args), 2.0);
}

// ---- the table itself

TEST(Audit, every_property_of_every_row_is_there_or_has_a_reason) {
  for (const Distribution* d : table()) {
    for (const Property p : kProperties) {
      const Standing s = standing(*d, p);
      EXPECT_NE(s.kind, Standing::Kind::missing) << d->name << ": " << name_of(p);
      if (s.kind == Standing::Kind::undefined) {
        EXPECT_NE(s.how, "") << d->name;
      }
    }
  }
}

TEST(Audit, finds_what_is_missing) {
  Distribution row = *find("gamma");
  row.mean = nullptr;
  EXPECT_EQ(standing(row, Property::mean).kind, Standing::Kind::missing);
  row.log_ccdf = nullptr;
  row.quantile = nullptr;
  EXPECT_EQ(standing(row, Property::quantile).kind, Standing::Kind::missing);
  EXPECT_EQ(standing(row, Property::truncation).kind, Standing::Kind::missing);
}

TEST(Audit, every_row_has_arguments_in_the_suites) {
  const auto all = settings();
  for (const Distribution* d : table()) {
    const bool univariate = d->kind == Kind::univariate;
    const auto of_row = [&](const auto& e) { return e.name == d->name; };
    EXPECT_TRUE(univariate ? std::any_of(examples().begin(), examples().end(), of_row)
                           : std::any_of(all.begin(), all.end(), of_row))
        << d->name << ": add arguments for it to tests/dist/examples.hpp";
  }
}

}  // namespace
}  // namespace credo::dist::moments_test
