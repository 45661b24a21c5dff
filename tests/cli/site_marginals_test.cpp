// Gibbs updates of discrete parameters beside NUTS against NUTS on the same programs marginalised
// by hand. Mistakes in the sums by hand are told from them.
#include "cli/results.hpp"
#include "diagnose/convergence.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "results/files/run_store.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::site_marginals_test {
namespace {

const char* const kData = R"({"N": 12, "J": 4,
  "y": [-1.9, -1.1, -2.3, -1.4, -0.7, -1.6, -2.0, 1.9, 2.4, 1.1, 0.6, -1.2],
  "c": [1, 0, 2, 1, 0, 1, 4, 3, 6, 2, 5, 4],
  "vote": [[1, 1, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1], [1, 1, 0, 1],
           [0, 0, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]],
  "seen": [[0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0],
           [1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 0, 0]]})";
const char* const kHead = R"(
data { int N; int J; vector[N] y; array[N] int c; array[N, J] int vote; array[N, J] int seen; }
)";

// "chance" is a probability of a discrete parameter given the others by hand, and whether it has
// that value in the draw otherwise: their means agree.
struct Case {
  const char* name;
  const char* discrete;
  const char* by_hand;
  const char *right, *wrong;  // of the program by hand, and what a mistake would make of it
};

const Case kCases[] = {
    {"mixture",
     R"(parameters { real<lower=0, upper=1> w; ordered[2] mu; array[N] int<lower=1, upper=2> z; }
        model { mu ~ normal(0, 2);
          for (n in 1:N) target += z[n] == 1 ? log(w) : log1m(w);
          y ~ normal(mu[z], 1); }
        generated quantities { real chance = z[11] == 1; })",
     R"(parameters { real<lower=0, upper=1> w; ordered[2] mu; }
        model { mu ~ normal(0, 2);
          for (n in 1:N)
            target += log_sum_exp(log(w) + normal_lpdf(y[n] | mu[1], 1),
                                  log1m(w) + normal_lpdf(y[n] | mu[2], 1)); }
        generated quantities {
          real chance = inv_logit(logit(w) + normal_lpdf(y[11] | mu[1], 1)
                                           - normal_lpdf(y[11] | mu[2], 1)); })",
     "log(w)", "log1m(w)"},
    {"hidden_markov_chain",
     R"(parameters { real<lower=0, upper=1> stay; ordered[2] mu;
          array[N] int<lower=1, upper=2> z; }
        model { stay ~ beta(3, 2); mu ~ normal(0, 2);
          for (t in 2:N) target += z[t] == z[t - 1] ? log(stay) : log1m(stay);
          y ~ normal(mu[z], 1); }
        generated quantities { real chance = z[N] == 1; })",
     R"(functions { vector forward(vector y, real stay, vector mu) {
          vector[2] a = [normal_lpdf(y[1] | mu[1], 1), normal_lpdf(y[1] | mu[2], 1)]';
          for (t in 2:rows(y))
            a = [log_sum_exp(a[1] + log(stay), a[2] + log1m(stay)) + normal_lpdf(y[t] | mu[1], 1),
                 log_sum_exp(a[1] + log1m(stay), a[2] + log(stay)) + normal_lpdf(y[t] | mu[2], 1)]';
          return a; } }
        parameters { real<lower=0, upper=1> stay; ordered[2] mu; }
        model { stay ~ beta(3, 2); mu ~ normal(0, 2);
          target += log_sum_exp(forward(y, stay, mu)); }
        generated quantities { real chance = softmax(forward(y, stay, mu))[1]; })",
     "a[2] + log1m(stay)", "a[2] + log(stay)"},
    {"raters",  // of two classes; theta: how often each rater is right
     R"(parameters { real<lower=0, upper=1> w; vector<lower=0, upper=1>[J] theta;
          array[N] int<lower=0, upper=1> z; }
        model { w ~ beta(2, 2); theta ~ beta(6, 2); z ~ bernoulli(w);
          for (n in 1:N) for (j in 1:J) vote[n, j] ~ bernoulli(z[n] == 1 ? theta[j] : 1 - theta[j]); }
        generated quantities { real chance = z[10]; })",
     R"(functions { vector weights(array[] int vote, real w, vector theta) {
          vector[2] l = [log1m(w), log(w)]';
          for (j in 1:size(vote)) l += [bernoulli_lpmf(vote[j] | 1 - theta[j]),
                                        bernoulli_lpmf(vote[j] | theta[j])]';
          return l; } }
        parameters { real<lower=0, upper=1> w; vector<lower=0, upper=1>[J] theta; }
        model { w ~ beta(2, 2); theta ~ beta(6, 2);
          for (n in 1:N) target += log_sum_exp(weights(vote[n], w, theta)); }
        generated quantities { real chance = softmax(weights(vote[10], w, theta))[2]; })",
     "j in 1:", "j in 2:"},
    {"occupancy",  // sites that may be empty; seen only where occupied
     R"(parameters { real<lower=0, upper=1> psi; real<lower=0, upper=1> p;
          array[N] int<lower=0, upper=1> z; }
        model { z ~ bernoulli(psi);
          for (n in 1:N) seen[n] ~ bernoulli(z[n] * p); }
        generated quantities { real chance = z[1]; })",
     R"(parameters { real<lower=0, upper=1> psi; real<lower=0, upper=1> p; }
        model {
          for (n in 1:N) {
            if (sum(seen[n]) > 0) target += log(psi) + bernoulli_lpmf(seen[n] | p);
            else target += log_sum_exp(log(psi) + J * log1m(p), log1m(psi)); } }
        generated quantities {
          real chance = inv_logit(logit(psi) + J * log1m(p)); })",
     "log(psi) + J * log1m(p)", "log(psi) + log1m(p)"},
    {"capture_and_recapture",  // alive or not, from one occasion to the next
     R"(parameters { real<lower=0, upper=1> phi; real<lower=0, upper=1> p;
          array[N, J] int<lower=0, upper=1> alive; }
        model {
          for (n in 1:N) { alive[n, 1] ~ bernoulli(0.8);
            for (j in 2:J) alive[n, j] ~ bernoulli(alive[n, j - 1] * phi);
            seen[n] ~ bernoulli(p * to_vector(alive[n])); } }
        generated quantities { real chance = alive[7, 4]; })",
     R"(functions { vector forward(array[] int seen, real phi, real p) {
          real dead = seen[1] == 1 ? negative_infinity() : log(0.2);
          real here = log(0.8) + bernoulli_lpmf(seen[1] | p);
          for (j in 2:size(seen)) {
            dead = seen[j] == 1 ? negative_infinity() : log_sum_exp(dead, here + log1m(phi));
            here += log(phi) + bernoulli_lpmf(seen[j] | p); }
          return [dead, here]'; } }
        parameters { real<lower=0, upper=1> phi; real<lower=0, upper=1> p; }
        model { for (n in 1:N) target += log_sum_exp(forward(seen[n], phi, p)); }
        generated quantities { real chance = softmax(forward(seen[7], phi, p))[2]; })",
     "log_sum_exp(dead, here + log1m(phi))", "log_sum_exp(dead, here)"},
    {"change_point",
     R"(parameters { real<lower=0> early; real<lower=0> late; int<lower=1, upper=N> s; }
        model { early ~ exponential(1); late ~ exponential(1);
          for (n in 1:N) c[n] ~ poisson(n < s ? early : late); }
        generated quantities { real chance = s == 7; })",
     R"(functions { vector weights(array[] int c, real early, real late) {
          vector[size(c)] l = rep_vector(0, size(c));
          for (s in 1:size(c)) for (n in 1:size(c)) l[s] += poisson_lpmf(c[n] | n < s ? early : late);
          return l; } }
        parameters { real<lower=0> early; real<lower=0> late; }
        model { early ~ exponential(1); late ~ exponential(1);
          target += log_sum_exp(weights(c, early, late)); }
        generated quantities { real chance = softmax(weights(c, early, late))[7]; })",
     "n < s", "n <= s"},
    {"spike_and_slab",
     R"(parameters { vector[2] b; array[2] int<lower=0, upper=1> on; real<lower=0> s; }
        model { b ~ normal(0, 1); on ~ bernoulli(0.3); s ~ lognormal(0, 1);
          y ~ normal(1 + on[1] * b[1] + on[2] * b[2], s); }
        generated quantities { real chance = on[1] == 1; })",
     R"(functions { vector weights(vector y, vector b, real s) {
          vector[4] l;
          for (i in 0:1) for (j in 0:1) l[1 + 2 * i + j] = bernoulli_lpmf({i, j} | 0.3) +
            normal_lpdf(y | 1 + i * b[1] + j * b[2], s);
          return l; } }
        parameters { vector[2] b; real<lower=0> s; }
        model { b ~ normal(0, 1); s ~ lognormal(0, 1); target += log_sum_exp(weights(y, b, s)); }
        generated quantities { real chance = sum(softmax(weights(y, b, s))[3:4]); })",
     "i * b[1] + j * b[2]", "i * b[1] + b[2]"},
    {"abundance",  // of animals of which some are counted
     R"(parameters { real<lower=0> rate; real<lower=0, upper=1> p;
          array[N] int<lower=0, upper=30> n; }
        model { rate ~ gamma(4, 1); p ~ beta(4, 4); n ~ poisson(rate); c ~ binomial(n, p); }
        generated quantities { real chance = n[2] == 0; })",
     R"(functions { vector weights(int c, real rate, real p) {
          vector[31 - c] l;
          for (m in c:30) l[m - c + 1] = poisson_lpmf(m | rate) + binomial_lpmf(c | m, p);
          return l; } }
        parameters { real<lower=0> rate; real<lower=0, upper=1> p; }
        model { rate ~ gamma(4, 1); p ~ beta(4, 4);
          for (i in 1:N) target += log_sum_exp(weights(c[i], rate, p)); }
        generated quantities { real chance = softmax(weights(c[2], rate, p))[1]; })",
     "binomial_lpmf(c | m, p)", "c * log(p) + (m - c) * log1m(p)"},
};

std::unique_ptr<model::Model> model_of(std::string text, model::ModelOptions options = {}) {
  text.insert(text.find("parameters {"), kHead);
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program = model::compile_text("test.stan", text, diagnostics, source);
  if (program == nullptr) throw Error(ErrorCode::program, lang::render(source, diagnostics));
  return std::make_unique<model::Model>(program, io::parse_json_data(kData, "data"), options);
}

struct Estimate {
  double mean, error;
};
using Estimates = std::map<std::string, Estimate>;

Estimate estimate_of(const diagnose::Chains& chains) {
  return {diagnose::mean(chains.values), diagnose::mcse_mean(chains)};
}

// Means of the outputs; of their squares too, where both kinds of programs have the same.
Estimates run(const model::Model& model, Index num_draws) {
  infer::SampleOptions options;
  options.num_draws = num_draws;
  options.num_warmup = 500;
  options.num_threads = 2;
  options.seed = testing::test_seed(11);
  RunStore store(model, options);
  infer::run_chains(model, options, store);
  const density::Draws draws = store.output_draws();
  Estimates estimates;
  const std::vector<std::string> columns = model.outputs().element_names();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const diagnose::Chains chains = diagnose::quantity(draws, static_cast<Index>(k));
    estimates[columns[k]] = estimate_of(chains);
    if (columns[k] == "chance") continue;
    std::vector<double> squares(chains.values.begin(), chains.values.end());
    for (double& x : squares) x *= x;
    estimates[columns[k] + " squared"] =
        estimate_of({squares, chains.num_draws, chains.num_chains});
  }
  return estimates;
}

struct Difference {
  double errors = 0.0;  // Monte Carlo standard errors of the difference; the largest
  std::string of;
};
Difference largest_difference(const Estimates& by_hand, const Estimates& others) {
  Difference largest;
  for (const auto& [name, a] : by_hand) {
    const Estimate& b = others.at(name);
    const double errors = std::abs(a.mean - b.mean) / std::hypot(a.error, b.error);
    if (!(errors <= largest.errors)) largest = {errors, name};
  }
  return largest;
}

Estimates by_gibbs(const Case& c, model::SiteBlocks blocks) {
  model::ModelOptions options;
  options.discrete = model::DiscreteUse::gibbs;
  options.blocks = blocks;
  const auto model = model_of(c.discrete, options);
  EXPECT_GT(model->discrete_block().size(), 0);
  return run(*model, 5000);
}

class marginalised : public ::testing::TestWithParam<Case> {};

// Some ten figures a program, twice; each fails once in 16,000 at 4 standard errors.
TEST_P(marginalised, by_hand_has_the_posterior_of_the_discrete_program) {
  const Case& c = GetParam();
  const Estimates by_hand = run(*model_of(c.by_hand), 2500);
  const auto expect_near = [&](const Estimates& others, const char* how) {
    const Difference d = largest_difference(by_hand, others);
    EXPECT_LT(d.errors, 4.0) << d.of << ", " << how;
  };
  expect_near(by_gibbs(c, model::SiteBlocks::trees), "trees");
  expect_near(by_gibbs(c, model::SiteBlocks::single), "single sites");
}

TEST_P(marginalised, with_a_mistake_is_told_from_the_discrete_program) {
  const Case& c = GetParam();
  std::string text = c.by_hand;
  const std::size_t at = text.find(c.right);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string_view(c.right).size(), c.wrong);
  const Difference d =
      largest_difference(run(*model_of(text), 2500), by_gibbs(c, model::SiteBlocks::trees));
  EXPECT_GT(d.errors, 8.0) << d.of;
}

INSTANTIATE_TEST_SUITE_P(programs, marginalised, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace credo::cli::site_marginals_test
