// Discrete parameters against the same programs with the sums written by hand: log densities and
// gradients, and the distribution of their draws against enumeration.
#include <gtest/gtest.h>

#include <regex>

#include "model/writer.hpp"
#include "support/share.hpp"
#include "support/text_model.hpp"

namespace credo::model::discrete_test {
namespace {

const char* const kData = R"({"N": 7, "K": 3, "J": 4,
  "y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.4], "c": [0, 3, 1, 7, 2, 0, 5],
  "rating": [[1, 2, 1, 1], [3, 3, 3, 1], [2, 2, 1, 2], [1, 1, 1, 1], [2, 3, 3, 3], [1, 2, 3, 1],
             [2, 2, 2, 2]],
  "seen": [[0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0],
           [1, 0, 0, 0]]})";
const char* const kHead = R"(
data {
  int N; int K; int J; vector[N] y; array[N] int c;
  array[N, J] int rating; array[N, J] int seen;
}
)";

struct Case {
  const char* name;
  const char* discrete;  // parameters and model
  const char* by_hand;
};

const Case kCases[] = {
    {"mixture",
     R"(parameters { simplex[K] pi; ordered[K] mu; real<lower=0> s; array[N] int<lower=1, upper=K> z; }
        model { mu ~ normal(0, 2); s ~ lognormal(0, 1);
          z ~ categorical(pi); y ~ normal(mu[z], s); })",
     R"(parameters { simplex[K] pi; ordered[K] mu; real<lower=0> s; }
        model { mu ~ normal(0, 2); s ~ lognormal(0, 1);
          for (n in 1:N) { vector[K] l = log(pi);
            for (k in 1:K) l[k] += normal_lpdf(y[n] | mu[k], s);
            target += log_sum_exp(l); } })"},
    {"mixture_by_loop",
     R"(parameters { simplex[K] pi; ordered[K] mu; real<lower=0> s; array[N] int<lower=1, upper=K> z; }
        model { for (n in 1:N) { z[n] ~ categorical(pi); y[n] ~ normal(mu[z[n]], s); } })",
     R"(parameters { simplex[K] pi; ordered[K] mu; real<lower=0> s; }
        model { for (n in 1:N) { vector[K] l = log(pi);
            for (k in 1:K) l[k] += normal_lpdf(y[n] | mu[k], s);
            target += log_sum_exp(l); } })"},
    {"hidden_markov_chain",
     R"(parameters { array[K] simplex[K] T; vector[K] mu; array[N] int<lower=1, upper=K> z; }
        model { mu ~ normal(0, 2);
          for (t in 2:N) z[t] ~ categorical(T[z[t - 1]]);
          for (t in 1:N) y[t] ~ normal(mu[z[t]], 1); })",
     R"(parameters { array[K] simplex[K] T; vector[K] mu; }
        model { mu ~ normal(0, 2);
          vector[K] a; vector[K] b;
          for (k in 1:K) a[k] = normal_lpdf(y[1] | mu[k], 1);
          for (t in 2:N) {
            for (k in 1:K) { vector[K] l;
              for (j in 1:K) l[j] = a[j] + log(T[j, k]);
              b[k] = log_sum_exp(l) + normal_lpdf(y[t] | mu[k], 1); }
            a = b; }
          target += log_sum_exp(a); })"},
    {"raters",  // Dawid & Skene 1979
     R"(parameters { simplex[K] pi; array[J, K] simplex[K] theta; array[N] int<lower=1, upper=K> z; }
        model { pi ~ dirichlet(rep_vector(2, K));
          for (n in 1:N) { z[n] ~ categorical(pi);
            for (j in 1:J) rating[n, j] ~ categorical(theta[j, z[n]]); } })",
     R"(parameters { simplex[K] pi; array[J, K] simplex[K] theta; }
        model { pi ~ dirichlet(rep_vector(2, K));
          for (n in 1:N) { vector[K] l = log(pi);
            for (k in 1:K) for (j in 1:J) l[k] += log(theta[j, k, rating[n, j]]);
            target += log_sum_exp(l); } })"},
    {"occupancy",  // sites that may be empty; seen only where occupied
     R"(parameters { real<lower=0, upper=1> psi; real<lower=0, upper=1> p;
          array[N] int<lower=0, upper=1> z; }
        model { z ~ bernoulli(psi);
          for (n in 1:N) for (j in 1:J) seen[n, j] ~ bernoulli(z[n] * p); })",
     R"(parameters { real<lower=0, upper=1> psi; real<lower=0, upper=1> p; }
        model { for (n in 1:N) {
            if (sum(seen[n]) > 0) target += log(psi) + bernoulli_lpmf(seen[n] | p);
            else target += log_sum_exp(log(psi) + bernoulli_lpmf(seen[n] | p), log1m(psi)); } })"},
    {"occupancy_with_a_covariate",  // scalars of its own for each site, one or two, and shared ones
     R"(data { int N; }
        transformed data { int M = 60; array[M] int count; vector[M] x;
          for (m in 1:M) { count[m] = m % 7 > 3 ? 0 : m % 7; x[m] = sin(m); } }
        parameters { real a; real b; real p; array[M] int<lower=0, upper=1> z; }
        model { a ~ normal(0, 1); b ~ normal(0, 1);
          for (m in 1:M) { z[m] ~ bernoulli_logit(a + b * x[m]);
            count[m] ~ binomial(3, z[m] * inv_logit(p));
            if (z[m] == 1) target += normal_lpdf(x[m] | p, 2); } })",
     R"(data { int N; }
        transformed data { int M = 60; array[M] int count; vector[M] x;
          for (m in 1:M) { count[m] = m % 7 > 3 ? 0 : m % 7; x[m] = sin(m); } }
        parameters { real a; real b; real p; }
        model { a ~ normal(0, 1); b ~ normal(0, 1);
          for (m in 1:M) {
            real there = bernoulli_logit_lpmf(1 | a + b * x[m]) + normal_lpdf(x[m] | p, 2) +
              binomial_lpmf(count[m] | 3, inv_logit(p));
            target += count[m] > 0 ? there
                : log_sum_exp(there, bernoulli_logit_lpmf(0 | a + b * x[m])); } })"},
    {"capture_and_recapture",  // alive or not, from step to step; Cormack, Jolly & Seber
     R"(parameters { real<lower=0, upper=1> phi; real<lower=0, upper=1> p;
          array[N, J] int<lower=0, upper=1> alive; }
        model { for (n in 1:N) { alive[n, 1] ~ bernoulli(0.9);
            for (j in 2:J) alive[n, j] ~ bernoulli(alive[n, j - 1] * phi);
            for (j in 1:J) if (alive[n, j] == 1) seen[n, j] ~ bernoulli(p);
              else if (seen[n, j] == 1) target += negative_infinity(); } })",
     R"(parameters { real<lower=0, upper=1> phi; real<lower=0, upper=1> p; }
        model { for (n in 1:N) {
            real dead; real here;
            dead = log(0.1) + (seen[n, 1] == 1 ? negative_infinity() : 0);
            here = log(0.9) + bernoulli_lpmf(seen[n, 1] | p);
            for (j in 2:J) {
              dead = log_sum_exp(dead, here + log1m(phi)) + (seen[n, j] == 1 ? negative_infinity() : 0);
              here = here + log(phi) + bernoulli_lpmf(seen[n, j] | p); }
            target += log_sum_exp(dead, here); } })"},
    {"change_point",
     R"(parameters { real<lower=0> early; real<lower=0> late; int<lower=1, upper=N> s; }
        model { early ~ exponential(1); late ~ exponential(1);
          for (n in 1:N) c[n] ~ poisson(n < s ? early : late); })",
     R"(parameters { real<lower=0> early; real<lower=0> late; }
        model { early ~ exponential(1); late ~ exponential(1);
          vector[N] l = rep_vector(0, N);
          for (s in 1:N) for (n in 1:N) l[s] += poisson_lpmf(c[n] | n < s ? early : late);
          target += log_sum_exp(l); })"},
    {"abundance",  // n of a mixed binomial; states below the count have no probability
     R"(parameters { real<lower=0> rate; real<lower=0, upper=1> p; array[N] int<lower=0, upper=30> n; }
        model { rate ~ exponential(0.2); n ~ poisson(rate); c ~ binomial(n, p); })",
     R"(parameters { real<lower=0> rate; real<lower=0, upper=1> p; }
        model { rate ~ exponential(0.2);
          for (i in 1:N) { vector[31 - c[i]] l;
            for (m in c[i]:30) l[m - c[i] + 1] = poisson_lpmf(m | rate) + binomial_lpmf(c[i] | m, p);
            target += log_sum_exp(l); } })"},
    {"switched_off",  // spike and slab, whole numbers in arithmetic
     R"(parameters { vector[2] b; array[2] int<lower=0, upper=1> on; real<lower=0> s; }
        model { b ~ normal(0, 1); on ~ bernoulli(0.3); s ~ lognormal(0, 1);
          y[1:3] ~ normal(on[1] * b[1] + on[2] * b[2], s); })",
     R"(parameters { vector[2] b; real<lower=0> s; }
        model { b ~ normal(0, 1); s ~ lognormal(0, 1);
          vector[4] l;
          for (i in 0:1) for (j in 0:1) l[1 + i + 2 * j] = bernoulli_lpmf(i | 0.3) +
            bernoulli_lpmf(j | 0.3) + normal_lpdf(y[1:3] | i * b[1] + j * b[2], s);
          target += log_sum_exp(l); })"},
    {"tree",  // a node with three children
     R"(parameters { real a; vector[K] mu; int<lower=1, upper=K> root;
          array[3] int<lower=1, upper=K> child; }
        model { mu ~ normal(0, 1);
          for (i in 1:3) { target += child[i] == root ? a : -a; y[i] ~ normal(mu[child[i]], 1); }
          a ~ normal(0, 1); })",
     R"(parameters { real a; vector[K] mu; }
        model { mu ~ normal(0, 1); a ~ normal(0, 1);
          vector[K] l = rep_vector(0, K);
          for (r in 1:K) for (i in 1:3) { vector[K] m;
            for (k in 1:K) m[k] = (k == r ? a : -a) + normal_lpdf(y[i] | mu[k], 1);
            l[r] += log_sum_exp(m); }
          target += log_sum_exp(l); })"},
    {"long_sum",  // as deep as it is long
     R"(parameters { vector[2] mu; int<lower=1, upper=2> z; }
        model { real lp = bernoulli_lpmf(z - 1 | 0.3);
          for (i in 1:60000) lp += 1e-4 * square(mu[z] - i * 1e-5);
          target += -lp; mu ~ normal(0, 1); })",
     R"(parameters { vector[2] mu; }
        model { vector[2] l;
          for (k in 1:2) { l[k] = -bernoulli_lpmf(k - 1 | 0.3);
            for (i in 1:60000) l[k] -= 1e-4 * square(mu[k] - i * 1e-5); }
          target += log_sum_exp(l); mu ~ normal(0, 1); })"},
    {"one_parameter",  // and it is discrete: the input's element is the whole
     R"(parameters { int<lower=0, upper=3> z; } model { z ~ poisson(1); y ~ normal(z, 1); })",
     R"(model { vector[4] l;
          for (k in 0:3) l[k + 1] = poisson_lpmf(k | 1) + normal_lpdf(y | k, 1);
          target += log_sum_exp(l); })"},
    {"vector_of_one",  // its element is an operand of longer vectors
     R"(parameters { vector[1] m; array[1] int<lower=0, upper=2> z; }
        model { m ~ normal(0, 1); z ~ binomial(2, 0.4); y ~ normal(m[1] + z[1], 1); })",
     R"(parameters { vector[1] m; }
        model { vector[3] l; m ~ normal(0, 1);
          for (k in 0:2) l[k + 1] = binomial_lpmf(k | 2, 0.4) + normal_lpdf(y | m[1] + k, 1);
          target += log_sum_exp(l); })"},
    {"functions_of_whole_numbers",
     R"(parameters { real m; array[3] int<lower=0, upper=2> z; }
        model { m ~ normal(0, 1); target += -z[1]; target += z[1] == z[2];
          target += -square(sum(z) - 2) - abs(z[2] - 1) + z[2]^2;
          target += lgamma(z[3] + 1) - exp(z[3]) + m * sqrt(z[3] + 1) + fmax(z[1], z[3]); })",
     R"(parameters { real m; }
        model { vector[27] l; m ~ normal(0, 1);
          for (i in 0:2) for (j in 0:2) for (k in 0:2) {
            int z = i + j + k;
            l[1 + i + 3 * j + 9 * k] = -i + (i == j) - square(z - 2.0) - abs(j - 1.0) + square(1.0 * j) +
              lgamma(k + 1.0) - exp(1.0 * k) + m * sqrt(k + 1.0) + fmax(1.0 * i, 1.0 * k); }
          target += log_sum_exp(l); })"},
    {"user_function",
     R"(functions { real part(int z, real v, real m) { if (z == 1) return normal_lpdf(v | m, 1);
                      else return student_t_lpdf(v | 3, 0, 2); } }
        data { int N; vector[N] y; }
        parameters { real m; real<lower=0, upper=1> w; array[N] int<lower=0, upper=1> z; }
        model { for (n in 1:N) { target += part(z[n], y[n], m) + bernoulli_lpmf(z[n] | w); } })",
     R"(parameters { real m; real<lower=0, upper=1> w; }
        model { for (n in 1:N) target += log_mix(w, normal_lpdf(y[n] | m, 1),
                                                 student_t_lpdf(y[n] | 3, 0, 2)); })"},
};

std::unique_ptr<Model> model_of(std::string text) {
  if (text.find("data {") == std::string::npos) text = kHead + text;
  return model_from(text, kData);
}

std::vector<double> point_of(Index size, int k) {
  std::vector<double> point;
  for (Index d = 0; d < size; ++d) point.push_back(1.1 * std::sin(0.9 * k + 2.1 * double(d)));
  return point;
}

std::size_t place_of(const DiscreteRanges& ranges, std::span<const double> z) {
  std::size_t place = 0;
  for (std::size_t m = 0; m < z.size(); ++m) {
    place = place * static_cast<std::size_t>(ranges.num_values(m)) +
            static_cast<std::size_t>(z[m] - ranges.lower[m]);
  }
  return place;
}

// The program with numbers for its discrete parameters: their declarations become transformed data.
std::string with_values(const Case& c, const DiscreteRanges& ranges, std::span<const double> z) {
  const std::regex declaration(R"((array\[\w+\] )?int<lower=\w+, upper=\w+> (\w+);)");
  std::string text = c.discrete, given = "transformed data {\n";
  if (text.find("data {") == std::string::npos) text = kHead + text;
  const std::size_t at = text.find("parameters {");
  std::string rest = text.substr(at);
  for (std::smatch m; std::regex_search(rest, m, declaration);
       rest = m.prefix().str() + m.suffix().str()) {
    std::string values;
    for (std::size_t k = 0; k < z.size(); ++k) {
      if (ranges.layout.variable_of(static_cast<Index>(k)).name == m[2].str())
        values += (values.empty() ? "" : ", ") + std::to_string(static_cast<int>(z[k]));
    }
    const bool is_array = m[1].matched;
    given +=
        m[1].str() + "int " + m[2].str() + " = " + (is_array ? "{" + values + "}" : values) + ";\n";
  }
  return text.substr(0, at) + given + "}\n" + rest;
}

// The distribution of the discrete parameters at a point: the program with their values as data.
std::vector<double> distribution_of(const Case& c, const DiscreteRanges& ranges,
                                    std::span<const double> point) {
  std::vector<double> distribution, z(ranges.lower.begin(), ranges.lower.end());
  for (;;) {
    distribution.push_back(
        model_of(with_values(c, ranges, z))->evaluate_in_full(point).log_density);
    std::size_t m = z.size();
    for (; m > 0; --m) {
      if (++z[m - 1] <= ranges.upper[m - 1]) break;
      z[m - 1] = ranges.lower[m - 1];
    }
    if (m == 0) break;
  }
  const double largest = *std::max_element(distribution.begin(), distribution.end());
  double sum = 0;
  for (double& l : distribution) sum += l = std::isnan(l) ? 0.0 : std::exp(l - largest);
  for (double& l : distribution) l /= sum;
  return distribution;
}

class discrete : public ::testing::TestWithParam<Case> {};

TEST_P(discrete, parameters_are_summed_out_as_by_hand) {
  const auto summed = model_of(GetParam().discrete), by_hand = model_of(GetParam().by_hand);
  ASSERT_EQ(summed->dimension(), by_hand->dimension());
  // Each point is traced anew; of the long sum, which is there for its depth, that takes half a second.
  const int num_points = GetParam().name == std::string_view("long_sum") ? 2 : 20;
  for (int k = 0; k < num_points; ++k) {
    const std::vector<double> point = point_of(summed->dimension(), k);
    const PointEvaluation a = summed->evaluate_in_full(point), b = by_hand->evaluate_in_full(point);
    ASSERT_TRUE(b.status.ok());
    ASSERT_TRUE(a.status.ok()) << summed->describe(a.status);
    // Both are sums of some hundred rounded terms.
    EXPECT_NEAR(a.log_density, b.log_density, 1e-12 * (1 + std::abs(b.log_density)));
    EXPECT_NEAR(a.log_density_no_jacobian, b.log_density_no_jacobian,
                1e-12 * (1 + std::abs(b.log_density_no_jacobian)));
    for (std::size_t d = 0; d < point.size(); ++d)
      EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-11 * (1 + std::abs(b.gradient[d])))
          << "point " << k << ", component " << d;
  }
}

// Frequencies of single values and of neighbouring pairs against the joint density of the program
// at given values, by enumeration.
LONG_TEST_P(discrete, parameters_are_drawn_from_their_conditional_distribution) {
  const auto model = model_of(GetParam().discrete);
  const DiscreteRanges& ranges = model->discrete();
  double states = 1;
  for (std::size_t m = 0; m < ranges.lower.size(); ++m) states *= ranges.num_values(m);
  if (states > 3000) GTEST_SKIP() << "too many states to enumerate";
  const std::vector<double> point = point_of(model->dimension(), 3);
  const std::vector<double> joint = distribution_of(GetParam(), ranges, point);
  const auto drawer = model->make_drawer(point);
  std::vector<double> counts(joint.size(), 0.0), z(ranges.lower.size());
  Rng rng({.seed = 5, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    drawer->draw(point, rng, z);
    counts[place_of(ranges, z)] += 1;
  }
  double chi = 0, cells = 0, rest = 0, rest_expected = 0;
  for (std::size_t s = 0; s < joint.size(); ++s) {
    const double expected = kDraws * joint[s];
    EXPECT_TRUE(expected > 0 || counts[s] == 0);
    if (expected < 5) {
      rest += counts[s], rest_expected += expected;
      continue;
    }
    chi += (counts[s] - expected) * (counts[s] - expected) / expected;
    ++cells;
  }
  if (rest_expected >= 5)
    chi += (rest - rest_expected) * (rest - rest_expected) / rest_expected, ++cells;
  // A chi-square of f degrees of freedom stays below f + 5 sqrt(2 f) + 8 but once in 10^5.
  EXPECT_LT(chi, cells + 5 * std::sqrt(2 * cells) + 8) << cells << " cells";
}

INSTANTIATE_TEST_SUITE_P(programs, discrete, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace credo::model::discrete_test
