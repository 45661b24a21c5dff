// Regression weights that differ between groups, with a correlation matrix under the LKJ prior:
// centred, beta ~ N(mu, diag(sigma) L L' diag(sigma)), and not, beta = mu + diag(sigma) L z with
// z ~ N(0, I) (reparam.noncentered.mvn of the catalogue's chapter 12).
#include <fmt/core.h>

#include "base/rng.hpp"
#include "diagnose/convergence.hpp"
#include "examples/support/experiment.hpp"
#include "examples/support/program.hpp"
#include "infer/core/sample.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using examples::Experiment, examples::Table;

// ---- with known scales and correlations ----

constexpr const char* kGiven = R"(
transformed data {
  vector[3] mu = [1, -2, 0.5]';
  vector[3] sigma = [0.5, 2, 1]';
  matrix[3, 3] R = [[1, 0.6, -0.3], [0.6, 1, 0.2], [-0.3, 0.2, 1]];
  matrix[3, 3] L = cholesky_decompose(R);
}
parameters {
  vector[3] z;
  vector<offset=mu, multiplier=sigma>[3] alone;  // each weight by itself
}
transformed parameters { vector[3] beta = mu + sigma .* (L * z); }
model {
  z ~ std_normal();
  alone ~ normal(mu, sigma);
})";

void judge_covariance(Experiment& experiment) {
  const double sigma[] = {0.5, 2.0, 1.0}, mu[] = {1.0, -2.0, 0.5};
  const double correlation[3][3] = {{1.0, 0.6, -0.3}, {0.6, 1.0, 0.2}, {-0.3, 0.2, 1.0}};
  const auto model = examples::program(kGiven);
  StoredDraws store;
  run_chains(*model, {.num_draws = 5000, .seed = 4, .num_threads = 1}, store);
  const examples::Written draws(*model, store.draws);
  for (const char* name : {"beta", "alone"}) {
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b <= a; ++b) {
        const auto x = draws[fmt::format("{}.{}", name, a + 1)],
                   y = draws[fmt::format("{}.{}", name, b + 1)];
        std::vector<double> product;
        for (std::size_t s = 0; s < x.values.size(); ++s)
          product.push_back((x.values[s] - mu[a]) * (y.values[s] - mu[b]));
        const bool independent = std::string_view(name) == "alone" && a != b;
        const double expected = independent ? 0.0 : sigma[a] * sigma[b] * correlation[a][b];
        experiment.within(fmt::format("covariance of {} {} and {}", name, a + 1, b + 1),
                          diagnose::mean(product), expected,
                          4.0 * diagnose::mcse_mean({product, x.num_draws, x.num_chains}));
      }
    }
  }
}

// ---- with a prior on both ----

constexpr const char* kPrior = R"(
data { int K; real<lower=0> eta; }
parameters { cholesky_factor_corr[K] L; }
transformed parameters { matrix[K, K] R = multiply_lower_tri_self_transpose(L); }
model { L ~ lkj_corr_cholesky(eta); })";

// Under LKJ(eta) each correlation is 2 Beta(a, a) - 1 with a = eta - 1 + K / 2: variance
// 1 / (2 a + 1) [lewandowski2009].
void judge_prior(Experiment& experiment) {
  for (const double eta : {1.0, 2.0, 8.0}) {
    const auto model = examples::program(kPrior, fmt::format(R"({{"K": 3, "eta": {}}})", eta));
    StoredDraws store;
    run_chains(*model, {.num_draws = 4000, .seed = 5, .num_threads = 1}, store);
    const examples::Written draws(*model, store.draws);
    double off_one = 0.0;
    for (const char* name : {"R.1.1", "R.2.2", "R.3.3"})
      for (const double value : draws[name].values)
        off_one = std::max(off_one, std::fabs(value - 1.0));
    experiment.at_most(fmt::format("eta {}: diagonal of R, distance from 1", eta), off_one, 1e-14);
    for (const char* name : {"R.2.1", "R.3.1", "R.3.2"}) {
      std::vector<double> squares;
      for (const double value : draws[name].values) squares.push_back(value * value);
      experiment.within(fmt::format("eta {}: mean of {} squared", eta, name),
                        diagnose::mean(squares), 1.0 / (2.0 * eta + 2.0),
                        4.0 * diagnose::mcse_mean({squares, 4000, 4}));
    }
  }
}

// Small scales of sigma tie the weights of a centred form together: a funnel for each.
void draw(Experiment& experiment, const char* name, const examples::Written& draws) {
  Table& table = experiment.table(name, {"beta", "sigma"});
  for (std::size_t s = 0; s < 2000; s += 12)
    table.row(
        {draws["beta.1.1"].chain(0)[s] - draws["mu.1"].chain(0)[s], draws["sigma.1"].chain(0)[s]});
}

// ---- a regression in groups, by both forms ----

const std::string kData = R"(
data { int N, J; array[N] int group; vector[N] x, y; }
)";
const std::string kShared = R"(
  cholesky_factor_corr[2] L;
  vector<lower=0>[2] sigma;
  vector[2] mu;
  real<lower=0> noise;
)";
const std::string kModel = R"(
  L ~ lkj_corr_cholesky(2);
  sigma ~ normal(0, 1);
  mu ~ normal(0, 2);
  noise ~ normal(0, 1);
  for (n in 1 : N) y[n] ~ normal(beta[1, group[n]] + beta[2, group[n]] * x[n], noise);
}
generated quantities { real rho = L[2, 1]; }
)";
const std::string kCentred = kData + "parameters {" + kShared +
                             "  matrix[2, J] beta;\n}\nmodel {\n" +
                             "  for (j in 1 : J) beta[, j] ~ multi_normal_cholesky(mu, " +
                             "diag_pre_multiply(sigma, L));" + kModel;
const std::string kNonCentred =
    kData + "parameters {" + kShared + "  matrix[2, J] z;\n}\n" +
    "transformed parameters { matrix[2, J] beta = rep_matrix(mu, J) + " +
    "diag_pre_multiply(sigma, L) * z; }\nmodel {\n  to_vector(z) ~ std_normal();" + kModel;

// Ten groups of four, which say little of each group's weights.
std::string regression_data() {
  Rng rng({.seed = 6, .purpose = purpose::kInitialState});
  std::string group, x, y;
  for (int j = 0; j < 10; ++j) {
    const double common = rng.normal(), own = rng.normal();
    const double intercept = 1.0 + 0.3 * common, slope = -0.5 + 0.3 * (0.5 * common + 0.866 * own);
    for (int i = 0; i < 4; ++i) {
      const char* comma = j + i == 0 ? "" : ", ";
      const double at = rng.normal();
      group += fmt::format("{}{}", comma, j + 1);
      x += fmt::format("{}{:.6f}", comma, at);
      y += fmt::format("{}{:.6f}", comma, intercept + slope * at + rng.normal());
    }
  }
  return fmt::format(R"({{"N": 40, "J": 10, "group": [{}], "x": [{}], "y": [{}]}})", group, x, y);
}

struct Fit {
  examples::Written draws;
  double num_divergent = 0.0;
};
Fit fit(const std::string& text) {
  const auto model = examples::program(text, regression_data());
  StoredDraws store;
  const RunResult run = run_chains(*model,
                                   {.num_draws = 2000,
                                    .seed = 7,
                                    .num_threads = 1,
                                    .adapt = {.engaged = true,
                                              .step_size = {.target_accept = 0.95,
                                                            .shrinkage = 0.05,
                                                            .relaxation = 0.75,
                                                            .stabilisation = 10.0},
                                              .schedule = {}}},
                                   store);
  Fit result{.draws = examples::Written(*model, store.draws)};
  for (const ChainResult& chain : run.chains)
    result.num_divergent += static_cast<double>(chain.num_divergent);
  return result;
}

void judge_regression(Experiment& experiment) {
  const Fit centred = fit(kCentred), non_centred = fit(kNonCentred);
  experiment.note("centred: divergent transitions of 8000", centred.num_divergent);
  experiment.at_most("non-centred: divergent transitions / centred",
                     non_centred.num_divergent / centred.num_divergent, 0.1);
  for (const char* name : {"sigma.1", "sigma.2"})
    experiment.at_least(
        fmt::format("{}: ESS, non-centred / centred", name),
        diagnose::ess_bulk(non_centred.draws[name]) / diagnose::ess_bulk(centred.draws[name]), 1.5);
  for (const char* name : {"mu.1", "mu.2", "sigma.1", "sigma.2", "rho", "noise", "beta.1.1"}) {
    const auto a = centred.draws[name], b = non_centred.draws[name];
    experiment.within(fmt::format("{}: centred and not, means", name), diagnose::mean(a.values),
                      diagnose::mean(b.values),
                      4.0 * std::hypot(diagnose::mcse_mean(a), diagnose::mcse_mean(b)));
    experiment.at_most(fmt::format("{}: R-hat, non-centred", name), diagnose::r_hat(b), 1.01);
  }
  draw(experiment, "centred", centred.draws);
  draw(experiment, "noncentred", non_centred.draws);
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Correlated weights of groups, centred and not", argc, argv);
  judge_covariance(experiment);
  judge_prior(experiment);
  judge_regression(experiment);
  return experiment.finish();
}
