// Particle Markov chains on Stan programs: one posterior whatever draws it, from programs that have their states as parameters and
// from programs that haven't.
#include "base/error.hpp"
#include "diagnose/convergence.hpp"
#include "infer/core/sample.hpp"
#include "infer/core/table.hpp"
#include "infer/pmcmc/particle_gibbs.hpp"
#include "infer/pmcmc/pmmh.hpp"
#include "io/netcdf_reader.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"
#include "support/test_seed.hpp"
#include "support/text_model.hpp"

namespace credo::cli::pmcmc_test {
namespace {

// Counts of a level that is an autoregression: neither linear nor Gaussian.
const std::string kCounts = R"(
functions {
  real initial_rng(real mu, real s) { return normal_rng(mu, 2 * s); }
  real initial_lpdf(real x, real mu, real s) { return normal_lpdf(x | mu, 2 * s); }
  real transition_rng(real before, real mu, real s) { return normal_rng(mu + 0.8 * (before - mu), s); }
  real transition_lpdf(real x, real before, real mu, real s) { return normal_lpdf(x | mu + 0.8 * (before - mu), s); }
  real observation_lpmf(int y, real x) { return poisson_log_lpmf(y | x); }
}
data { int T; array[T] int y; }
parameters { real mu; real<lower=0> s; STATES }
model { mu ~ normal(0, 1); s ~ lognormal(-1, 0.5); TERMS }
)";
const std::string kTerms = R"(
  target += initial_lpdf(x[1] | mu, s);
  for (t in 2:T) target += transition_lpdf(x[t] | x[t - 1], mu, s);
  for (t in 1:T) target += observation_lpmf(y[t] | x[t]);
)";
const std::string kData = R"({"T": 8, "y": [1, 3, 2, 6, 4, 0, 1, 2]})";

std::string program(const std::string& states, const std::string& terms) {
  std::string text = kCounts;
  text.replace(text.find("STATES"), 6, states);
  text.replace(text.find("TERMS"), 5, terms);
  return text;
}

struct Figures {
  double mean, error;
};

// Of some coordinates: mu, log s, states.
std::vector<Figures> figures(const model::Model& model, const std::string& sampler,
                             const infer::KernelOptions& kernel, std::vector<Index> coordinates) {
  infer::StoredDraws store;
  infer::run_chains(model,
                    {.sampler = sampler,
                     .num_chains = 2,
                     .num_warmup = 400,
                     .num_draws = 1500,
                     .seed = testing::test_seed(11),
                     .num_threads = 1,
                     .kernel = kernel},
                    store);
  std::vector<Figures> all;
  for (const Index k : coordinates) {
    const diagnose::Chains chains = diagnose::quantity(store.draws, k);
    double mean = 0.0;
    for (const double x : chains.values) mean += x / static_cast<double>(chains.values.size());
    all.push_back({mean, diagnose::mcse_mean(chains)});
  }
  return all;
}

double worst_z(const std::vector<Figures>& a, const std::vector<Figures>& b) {
  double worst = 0.0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    worst = std::max(worst, std::fabs(a[k].mean - b[k].mean) / std::hypot(a[k].error, b[k].error));
  return worst;
}

// |z| < 4: a right pair fails once in 16 000 figures. A likelihood that counts twice is told from the right one.
TEST(particle_chains, draw_the_posterior_that_nuts_draws) {
  const auto whole = model::model_from(program("vector[T] x;", kTerms), kData);
  const auto prior = model::model_from(program("", ""), kData);
  const std::vector<Index> some{0, 1, 2, 5, 9}, parameters{0, 1};
  const infer::PmmhOptions walk{.moves = {.particles = 60}};
  const std::vector<Figures> nuts = figures(*whole, "nuts", {}, some);
  EXPECT_LT(worst_z(nuts, figures(*whole, "pmmh", walk, some)), 4.0);
  EXPECT_LT(worst_z(nuts, figures(*whole, "pgibbs", infer::PgibbsOptions{.particles = 10}, some)),
            4.0);
  EXPECT_LT(worst_z(nuts, figures(*prior, "pmmh", walk, parameters)), 4.0);
  const auto twice = model::model_from(program("", "target += 2 * mu;"),
                                       kData);  // a term that the prior doesn't have
  EXPECT_GT(worst_z(nuts, figures(*twice, "pmmh", walk, parameters)), 4.0);
}

// What the model block rejects has no posterior, and its share of the prior no evidence: the ratio of evidences with and without the
// rejection is the posterior probability of the rest, by the draws of the latter; 0.1 is two of their errors or more: 0.03 of the draws, and 0.04 of each evidence.
TEST(particle_chains, of_smc2_count_nothing_that_the_program_rejects) {
  const auto run_of = [](const std::string& more, std::vector<double>& mu) {
    const auto model = model::model_from(program("", more), kData);
    infer::SampleOptions options{
        .sampler = "smc2", .num_chains = 10, .num_warmup = 0, .num_draws = 100, .seed = 11};
    options.kernel = infer::find_sampler("smc2").options();
    infer::set_option(options, "particles", "40");
    infer::StoredDraws store;
    const infer::RunResult told = infer::run_chains(*model, options, store);
    const double found = infer::log_evidence(told)->value;
    for (const infer::ChainResult& chain : told.chains) {
      const auto refused =
          std::ranges::find(chain.tuned, "num_refused", &infer::TunedSetting::name);
      EXPECT_EQ(refused->values.at(0) > 0.0, !more.empty());
    }
    for (Index c = 0; c < 10; ++c)
      for (const double x : store.draws.chain(c, 0)) mu.push_back(x);
    return found;
  };
  std::vector<double> all, some;
  const double whole = run_of("", all), rest = run_of("if (mu > 0.3) reject(mu);", some);
  double below = 0.0;
  for (const double mu : all) below += mu <= 0.3 ? 1.0 / static_cast<double>(all.size()) : 0.0;
  for (const double mu : some) EXPECT_LE(mu, 0.3);
  EXPECT_NEAR(std::exp(rest - whole), below, 0.1);
  EXPECT_LT(below, 0.9);
}

// Discrete parameters have no place in these chains.
TEST(particle_chains, take_no_discrete_parameters) {
  const auto model =
      model::model_from(program("int<lower=0, upper=1> k;", "k ~ bernoulli(0.5);"), kData);
  try {
    (void)density::state_space_of(*model, "pmmh");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("no discrete parameters"), std::string::npos) << error.what();
  }
}

// smc2 on the program without states: the posterior of nuts with its states as parameters, whose errors are those of the draws; of
// smc2 those of ten populations. Its evidence is that of smc on the program with states, whose terms are priors of the states.
LONG_TEST(particle_chains, have_one_posterior_and_evidence_by_smc2) {
  const auto whole = model::model_from(program("vector[T] x;", kTerms), kData);
  const auto prior = model::model_from(program("", ""), kData);
  infer::SampleOptions options{
      .sampler = "smc2", .num_chains = 10, .num_warmup = 0, .num_draws = 100, .seed = 11};
  options.kernel = infer::find_sampler("smc2").options();
  infer::set_option(options, "particles", "40");
  infer::StoredDraws store;
  const infer::LogEvidence found = *infer::log_evidence(infer::run_chains(*prior, options, store));
  const std::vector<Figures> nuts = figures(*whole, "nuts", {}, {0, 1});
  for (Index d = 0; d < 2; ++d) {
    double mean = 0.0, square = 0.0;
    for (Index c = 0; c < 10; ++c) {
      double own = 0.0;
      for (const double x : store.draws.chain(c, d)) own += x / 100.0;
      mean += own / 10.0, square += own * own / 10.0;
    }
    const double error = std::sqrt((square - mean * mean) / 9.0);
    const Figures& other = nuts[static_cast<std::size_t>(d)];
    EXPECT_LT(std::fabs(mean - other.mean), 4.5 * std::hypot(error, other.error)) << d;
  }
  options.sampler = "smc", options.num_draws = 1000;
  options.kernel = infer::find_sampler("smc").options();
  infer::set_option(options, "from", "normal");
  infer::StoredDraws of_states;
  const infer::LogEvidence other =
      *infer::log_evidence(infer::run_chains(*whole, options, of_states));
  EXPECT_NEAR(found.value, other.value, 4.5 * std::hypot(found.error, other.error));
  EXPECT_LT(std::hypot(found.error, other.error), 0.2);
}

// A state of two numbers as an array of vectors and as the rows of a matrix: the coordinates of each are found, else the states'
// terms wouldn't be those of the functions.
TEST(particle_chains, find_the_states_of_arrays_and_matrices) {
  const std::string kTwo = R"(
functions {
  KIND initial_rng() { return [normal_rng(0, 1), normal_rng(1, 2)]MARK; }
  real initial_lpdf(KIND x) { return normal_lpdf(x[1] | 0, 1) + normal_lpdf(x[2] | 1, 2); }
  KIND transition_rng(KIND before, real s) { return [normal_rng(before[2], s), normal_rng(0.5 * before[1], 1)]MARK; }
  real transition_lpdf(KIND x, KIND before, real s) { return normal_lpdf(x[1] | before[2], s) + normal_lpdf(x[2] | 0.5 * before[1], 1); }
  real observation_lpdf(real y, KIND x) { return normal_lpdf(y | x[1], 0.5); }
}
data { int T; vector[T] y; }
parameters { real<lower=0> s; STATES x; real z; }
model {
  s ~ normal(0, 1); z ~ normal(0, 1);
  target += initial_lpdf(x[1] | );
  for (t in 2:T) target += transition_lpdf(x[t] | x[t - 1], s);
  for (t in 1:T) target += observation_lpdf(y[t] | x[t]);
}
)";
  const auto made = [&](const std::string& kind, const std::string& mark,
                        const std::string& states) {
    std::string text = kTwo;
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"KIND", kind}, {"MARK", mark}, {"STATES", states}})
      for (std::size_t at; (at = text.find(from)) != text.npos;) text.replace(at, from.size(), to);
    return model::model_from(text, R"({"T": 4, "y": [0.3, 1.1, -0.2, 0.8]})");
  };
  const infer::PgibbsOptions gibbs{.particles = 10, .mover = "slice"};
  const auto array = figures(*made("vector", "'", "array[T] vector[2]"), "pgibbs", gibbs,
                             {0, 1, 2, 7, 8, 9});  // x[1,1], x[1,2], x[4,1], x[4,2]
  const auto matrix =
      figures(*made("row_vector", "", "matrix[T, 2]"), "pgibbs", gibbs, {0, 1, 5, 4, 8, 9});
  EXPECT_LT(worst_z(array, matrix), 4.0);
}

std::string said_of(const std::string& text, const std::string& sampler) {
  const auto model = model::model_from(text, kData);
  infer::StoredDraws store;
  try {
    infer::run_chains(
        *model, {.sampler = sampler, .num_chains = 1, .num_warmup = 5, .num_draws = 5}, store);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(particle_chains, say_what_a_program_lacks) {
  const auto expect = [](const std::string& said, const std::string& part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  std::string terms = kTerms;
  for (std::size_t at; (at = terms.find("x[")) != terms.npos;) terms.replace(at, 2, "w[");
  expect(said_of(program("vector[T] w;", terms), "pmmh"), "a likelihood of its own");
  expect(said_of(program("", ""), "pgibbs"), "the states are no parameters of the program");
  expect(said_of(program("vector<lower=0>[T] x;", kTerms), "pmmh"), "can't be constrained");
  expect(said_of(program("real x;", ""), "pmmh"), "must have a state for each time");
  expect(said_of(program("vector[5] x;", "x ~ normal(0, 1);"), "pmmh"),
         "x has 5 numbers, and the states of 8 times have 8");
  expect(said_of(program("vector[T] x;", kTerms + "x[3] ~ normal(0, 1);"), "pgibbs"),
         "it must be the prior of the parameters alone");
  expect(said_of(program("vector[T] x;", kTerms), "pimh"), "parameters beside them (2 numbers)");
}

class ParticleChains : public testing::CommandRun {
 protected:
  ParticleChains() : CommandRun("particle_chains") {
    write("counts.stan", program("vector[T] x;", kTerms));
    write("data.json", kData);
  }
};

TEST_F(ParticleChains, are_samplers_of_the_command) {
  for (const std::string sampler : {"pmmh", "pgibbs"}) {
    const std::string fit = at(sampler + ".nc");
    EXPECT_LT(
        run({"sample", at("counts.stan"), "--data", at("data.json"), "--sampler", sampler,
             "--particles", "20", "--chains", "2", "--warmup", "50", "--draws", "50", "-o", fit}),
        9)
        << said();
    const io::NetcdfReader file(fit);
    const auto posterior = file.find_group("posterior");
    ASSERT_TRUE(posterior);
    EXPECT_EQ(file.read(*file.find_variable(*posterior, "x")).size(), 2u * 50u * 8u);
  }
}

}  // namespace
}  // namespace credo::cli::pmcmc_test
