// Ready-made models against all states of small ones, and against Stan programs of the same posterior.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "api/support.hpp"
#include "credo/error.hpp"
#include "credo/ready.hpp"
#include "models/jumps/rbf_network.hpp"
#include "results/files/fit.hpp"
#include "support/test_seed.hpp"

namespace credo::ready_test {
namespace {
namespace fs = std::filesystem;
using testing::test_seed;

SampleOptions run_of(std::uint64_t seed, Index draws = 5000) {
  return {.chains = 4, .warmup = 200, .draws = draws, .seed = test_seed(seed)};
}

// ---- finite states: shares of the draws against exp(log density) of each state

// Labels numbered as their first members come.
std::vector<double> by_first_member(const std::vector<double>& labels) {
  std::map<double, double> number;
  std::vector<double> canonical;
  for (const double label : labels)
    canonical.push_back(number.try_emplace(label, double(number.size())).first->second);
  return canonical;
}

// Calls visit(state) for all `dimension` numbers below `base`.
template <class Visit>
void each_state(Index dimension, Index base, const Visit& visit) {
  std::vector<double> state(static_cast<std::size_t>(dimension), 0.0);
  for (;;) {
    visit(state);
    std::size_t d = 0;
    while (d < state.size() && ++state[d] == static_cast<double>(base)) state[d++] = 0.0;
    if (d == state.size()) return;
  }
}

// The largest difference of a share from its probability in standard errors, from the means of the four chains'
// quarters: 16 nearly independent ones, whose t has 15 degrees of freedom.
using Canonical = std::function<std::vector<double>(const std::vector<double>&)>;
double worst_share(const Fit& fit, const Model& distribution, Index base, const char* variable,
                   const Canonical& canonical = nullptr) {
  const Draws draws = fit.draws(variable);
  std::map<std::vector<double>, std::vector<double>> shares;  // by state: of each batch
  constexpr Index kQuarters = 4;
  const Index each = fit.num_draws() / kQuarters, num_batches = kQuarters * fit.num_chains();
  for (Index c = 0; c < fit.num_chains(); ++c) {
    for (Index s = 0; s < kQuarters * each; ++s) {
      std::vector<double> state;
      for (Index k = 0; k < draws.size(); ++k) state.push_back(draws(s, c, k));
      auto& batch = shares[canonical ? canonical(state) : state];
      batch.resize(static_cast<std::size_t>(num_batches), 0.0);
      batch[static_cast<std::size_t>(c * kQuarters + s / each)] += 1.0 / double(each);
    }
  }
  std::map<std::vector<double>, double> probability;
  double total = 0.0, worst = 0.0;
  each_state(draws.size(), base, [&](const std::vector<double>& state) {
    if (canonical && canonical(state) != state) return;
    const double log_density = distribution.log_density(state);
    if (log_density > -1e300) total += probability[state] = std::exp(log_density);
  });
  for (auto& [state, p] : probability) {
    p /= total;
    auto& batches = shares[state];
    batches.resize(static_cast<std::size_t>(num_batches), 0.0);
    double mean = 0.0, square = 0.0;
    for (const double share : batches) mean += share, square += share * share;
    mean /= double(num_batches);
    const double variance = (square / double(num_batches) - mean * mean) / double(num_batches - 1);
    // Of a rare state the batches may say too little: no less than independent draws would have.
    const double least = p * (1.0 - p) / double(each * num_batches);
    worst = std::max(worst, std::abs(mean - p) / std::sqrt(std::max(variance, least)));
  }
  return worst;
}
// Of a t of 15 degrees of freedom 3e-5 are beyond; of the some 100 shares below none by these seeds.
constexpr double kLimit = 5.5;

TEST(ready_models, collapsed_mixtures_visit_labels_as_their_distribution_says) {
  const std::vector<double> points = {-1.0, -0.4, 0.8, 1.5};
  const ready::ClusterPrior prior{.mean = {0.0}, .mean_weight = 0.2, .scale = {0.5}, .dof = 3.0};
  const auto model_of = [&](double concentration) {
    return ready::collapsed_mixture(points, prior,
                                    {.concentration = concentration, .num_components = 2});
  };
  const Fit fit = sample(model_of(1.0), run_of(1));
  EXPECT_LT(worst_share(fit, model_of(1.0), 2, "labels"), kLimit);
  EXPECT_GT(worst_share(fit, model_of(3.0), 2, "labels"), kLimit);
  EXPECT_GE(fit.summary("num_clusters").mean, 1.0);
}

// Partitions of five points, 52 of them, whatever their labels are.
TEST(ready_models, a_dirichlet_process_visits_partitions_as_its_distribution_says) {
  const std::vector<double> points = {-1.2, -0.9, 0.1, 1.3, 1.5};
  const ready::ClusterPrior prior{.mean = {0.0}, .mean_weight = 0.2, .scale = {0.5}, .dof = 3.0};
  const auto model_of = [&](double concentration) {
    return ready::collapsed_mixture(points, prior, {.concentration = concentration});
  };
  const Fit fit = sample(model_of(1.0), run_of(12));
  EXPECT_LT(worst_share(fit, model_of(1.0), 5, "labels", by_first_member), kLimit);
  EXPECT_GT(worst_share(fit, model_of(2.5), 5, "labels", by_first_member), kLimit);
  const Draws labels = fit.draws("labels");
  std::set<double> different;
  for (Index k = 0; k < labels.size(); ++k) different.insert(labels(3, 1, k));
  EXPECT_EQ(fit.draws("num_clusters")(3, 1), double(different.size()));
}

TEST(ready_models, topics_visit_assignments_as_their_distribution_says) {
  const std::vector<ready::Word> tokens = {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {0, 0}};
  const auto model_of = [&](double concentration) {
    return ready::topics(tokens, {.num_topics = 2,
                                  .num_words = 3,
                                  .document_concentration = concentration,
                                  .word_concentration = 0.5});
  };
  const Fit fit = sample(model_of(0.4), run_of(2));
  EXPECT_LT(worst_share(fit, model_of(0.4), 2, "topics"), kLimit);
  EXPECT_GT(worst_share(fit, model_of(2.0), 2, "topics"), kLimit);
  // Of a draw: (n_dk + a) / (n_d + K a), with the tokens that have the topic.
  const Draws topics = fit.draws("topics"), shares = fit.draws("topics_of_documents");
  EXPECT_EQ(shares.dims(), (std::vector<Index>{2, 2}));
  const double in_first = topics(0, 0, 0) + topics(0, 0, 1) + topics(0, 0, 4);
  EXPECT_NEAR(shares(0, 0, 2), (in_first + 0.4) / 3.8, 1e-14);  // document 0, topic 1
  const Draws words = fit.draws("words_of_topics");
  for (Index k = 0; k < 2; ++k)
    EXPECT_NEAR(words(7, 1, k) + words(7, 1, k + 2) + words(7, 1, k + 4), 1.0, 1e-14);
}

TEST(ready_models, lattices_visit_spins_as_their_distribution_says_with_every_kernel) {
  for (const char* kernel : {"clusters", "one-cluster", "checkerboard", "sweep"}) {
    const auto model_of = [&](double coupling) {
      return ready::lattice({.rows = 2,
                             .cols = 3,
                             .coupling = coupling,
                             .log_evidence = {0, 0.3, 0, -0.5, 0, 0, 0, 0.2, 0, 0, 0, 0.4},
                             .kernel = kernel});
    };
    const Fit fit = sample(model_of(0.8), run_of(3, 8000));
    EXPECT_LT(worst_share(fit, model_of(0.8), 2, "spins"), kLimit) << kernel;
    EXPECT_GT(worst_share(fit, model_of(0.4), 2, "spins"), kLimit) << kernel;
    // The mean of -1 and +1, and the share of 7 edges whose ends are equal.
    const Draws spins = fit.draws("spins");
    double sum = 0.0, agree = 0.0;
    for (Index r = 0; r < 2; ++r) {
      for (Index c = 0; c < 3; ++c) {
        sum += 2.0 * spins(5, 2, r + 2 * c) - 1.0;
        if (r == 0) agree += spins(5, 2, 2 * c) == spins(5, 2, 1 + 2 * c);
        if (c < 2) agree += spins(5, 2, r + 2 * c) == spins(5, 2, r + 2 * c + 2);
      }
    }
    EXPECT_NEAR(fit.draws("magnetisation")(5, 2), sum / 6.0, 1e-15);
    EXPECT_NEAR(fit.draws("agreement")(5, 2), agree / 7.0, 1e-15);
  }
}

TEST(ready_models, selections_visit_sets_as_their_distribution_says) {
  const std::vector<double> x = {0.2, -1.0, 0.5, 1.1, 0.3, -0.7, -0.4, 0.9,  1.4, 0.6, -1.2, 0.1,
                                 1.0, 0.8,  0.2, 0.0, 1.5, 0.7,  -0.9, -0.3, 0.4, 0.5, 0.6,  -1.1};
  const auto model_of = [&](double scale) {
    return ready::selection({.fixed = std::vector<double>(8, 1.0),
                             .candidates = x,
                             .y = {0.4, 1.6, 0.2, 1.9, -0.6, 0.9, -0.7, 0.8},
                             .candidate_scale = scale});
  };
  const Fit fit = sample(model_of(3.0), run_of(4));
  EXPECT_LT(worst_share(fit, model_of(3.0), 2, "inclusion"), kLimit);
  EXPECT_GT(worst_share(fit, model_of(0.3), 2, "inclusion"), kLimit);
}

// ---- continuous parameters: Stan programs of the same posterior, by NUTS with labels summed out

// Means of functions of the draws that don't depend on how components are numbered: within five standard errors,
// each from the variance and effective number of a summary.
void expect_equal_means(const Fit& a, const Fit& b, const char* name) {
  const SummaryRow x = a.summary(name), y = b.summary(name);
  EXPECT_LT(std::abs(x.mean - y.mean), 5.0 * std::hypot(x.mcse_mean, y.mcse_mean)) << name;
}

// The mean over draws of f(draw, chain), and its error from batches.
template <class Function>
std::pair<double, double> mean_of(const Fit& fit, const Function& f) {
  constexpr Index kBatches = 8;
  const Index each = fit.num_draws() / kBatches;
  double mean = 0.0, square = 0.0, count = 0.0;
  for (Index c = 0; c < fit.num_chains(); ++c) {
    for (Index b = 0; b < kBatches; ++b) {
      double batch = 0.0;
      for (Index s = b * each; s < (b + 1) * each; ++s) batch += f(s, c) / double(each);
      mean += batch, square += batch * batch, count += 1.0;
    }
  }
  mean /= count;
  return {mean, std::sqrt((square / count - mean * mean) / (count - 1.0))};
}
template <class F, class G>
double distance(const Fit& a, const F& f, const Fit& b, const G& g) {
  const auto [x, x_error] = mean_of(a, f);
  const auto [y, y_error] = mean_of(b, g);
  return std::abs(x - y) / std::hypot(x_error, y_error);
}
constexpr double kFar = 5.0;  // of a t of some 60 degrees of freedom 5e-6 are beyond

TEST(ready_models, gaussian_mixtures_have_the_posterior_of_the_program) {
  const std::vector<double> points = {-2.1, -1.7, -2.6, -0.9, 1.2, 2.2, 1.9, 2.7, -1.1, 1.4};
  const auto model_of = [&](double scale) {
    return ready::gaussian_mixture(points, {.concentrations = {2.0, 2.0},
                                            .mean = {0.0},
                                            .mean_covariance = {4.0},
                                            .scale = {scale},
                                            .dof = 5.0});
  };
  const Fit stan = sample(stan_text(R"(
    data { int N; vector[N] y; }
    parameters { simplex[2] w; vector[2] mu; vector<lower=0>[2] v; }
    model { w ~ dirichlet([2, 2]'); mu ~ normal(0, 2); v ~ inv_gamma(2.5, 1);
      for (n in 1:N) target += log_mix(w[1], normal_lpdf(y[n] | mu[1], sqrt(v[1])),
                                       normal_lpdf(y[n] | mu[2], sqrt(v[2]))); })",
                                    R"({"N": 10, "y": [-2.1, -1.7, -2.6, -0.9, 1.2, 2.2, 1.9, 2.7,
                                        -1.1, 1.4]})"),
                          run_of(5, 4000));
  const auto distance_of = [&](double scale, const char* ours, const char* theirs) {
    const Fit fit = sample(model_of(scale), run_of(6, 4000));
    const Draws x = fit.draws(ours), y = stan.draws(theirs);
    const auto product = [](const Draws& draws) {
      return [&draws](Index s, Index c) { return draws(s, c, 0) * draws(s, c, 1); };
    };
    return distance(fit, product(x), stan, product(y));
  };
  EXPECT_LT(distance_of(2.0, "weights", "w"), kFar);
  EXPECT_LT(distance_of(2.0, "means", "mu"), kFar);
  EXPECT_LT(distance_of(2.0, "covariances", "v"), kFar);
  EXPECT_GT(distance_of(6.0, "covariances", "v"), kFar);
}

TEST(ready_models, hidden_markov_models_have_the_posterior_of_the_program) {
  const std::vector<Index> symbols = {0, 0, 1, 0, 0, 2, 2, 1, 2, 2, 2, 0};
  const auto model_of = [&](double transition) {
    return ready::hidden_markov(symbols, {.num_states = 2,
                                          .num_symbols = 3,
                                          .initial = 1.5,
                                          .transition = transition,
                                          .emission = 0.8});
  };
  const Fit stan = sample(stan_text(R"(
    data { int T; array[T] int y; }
    parameters { simplex[2] first; array[2] simplex[2] P; array[2] simplex[3] E; }
    model { first ~ dirichlet([1.5, 1.5]');
      for (k in 1:2) { P[k] ~ dirichlet([2, 2]'); E[k] ~ dirichlet([0.8, 0.8, 0.8]'); }
      vector[2] a = log(first) + log([E[1, y[1]], E[2, y[1]]]');
      for (t in 2:T) { vector[2] b = a;
        for (k in 1:2) a[k] = log_sum_exp(b[1] + log(P[1, k]), b[2] + log(P[2, k])) + log(E[k, y[t]]);
      }
      target += log_sum_exp(a); }
    generated quantities { real stay = P[1, 1] + P[2, 2]; real same = dot_product(E[1], E[2]); })",
                                    R"({"T": 12, "y": [1, 1, 2, 1, 1, 3, 3, 2, 3, 3, 3, 1]})"),
                          run_of(7, 4000));
  const Draws stay = stan.draws("stay"), same = stan.draws("same");
  const auto distances = [&](double transition) {
    const Fit fit = sample(model_of(transition), run_of(8, 8000));
    const Draws p = fit.draws("transition"), e = fit.draws("emission");
    return std::pair(distance(
                         fit, [&](Index s, Index c) { return p(s, c, 0) + p(s, c, 3); }, stan,
                         [&](Index s, Index c) { return stay(s, c); }),
                     distance(
                         fit,
                         [&](Index s, Index c) {
                           return e(s, c, 0) * e(s, c, 1) + e(s, c, 2) * e(s, c, 3) +
                                  e(s, c, 4) * e(s, c, 5);
                         },
                         stan, [&](Index s, Index c) { return same(s, c); }));
  };
  EXPECT_LT(distances(2.0).first, kFar);
  EXPECT_LT(distances(2.0).second, kFar);
  EXPECT_GT(distances(8.0).first, kFar);
}

// The mean is t with n - 1 degrees of freedom, the precision gamma((n - 1) / 2, squares / 2).
TEST(ready_models, a_normal_has_its_closed_form) {
  const std::vector<double> y = {1.2, 0.7, 2.9, 1.8, 2.2, 0.4, 1.1, 2.0};
  double mean = 0.0, squares = 0.0;
  for (const double x : y) mean += x / 8.0;
  for (const double x : y) squares += (x - mean) * (x - mean);
  const Fit fit = sample(ready::normal_precision(y), run_of(9));
  const SummaryRow m = fit.summary("mean"), p = fit.summary("precision");
  EXPECT_LT(std::abs(m.mean - mean), 5.0 * m.mcse_mean);
  EXPECT_LT(std::abs(m.sd - std::sqrt(squares / 7.0 / 8.0 * 7.0 / 5.0)), 5.0 * m.mcse_sd);
  EXPECT_LT(std::abs(p.mean - 7.0 / squares), 5.0 * p.mcse_mean);
  EXPECT_GT(std::abs(p.mean - 8.0 / squares), 5.0 * p.mcse_mean);  // not of n
}

// ---- numbers of components, and paths

// Against the evidences of no centre and of one, by quadrature over where it is.
TEST(ready_models, radial_basis_networks_visit_numbers_of_centres_as_their_family_does) {
  const std::vector<double> x = {-2.0, -1.4, -0.9, -0.3, 0.2, 0.8, 1.3, 2.1},
                            y = {0.3, 0.1, 0.7, 1.1, 1.4, 0.6, 0.5, 0.2};
  const auto problem_of = [&](double expected) {
    return ready::RadialBasis{.x = x,
                              .y = y,
                              .width = 0.7,
                              .max_centres = 1,
                              .expected_centres = expected,
                              .at = {-1.0, 0.0}};
  };
  const models::SharedRbf own =
      models::make_rbf({.x = x, .y = y, .width = 0.7, .max_centres = 1, .expected_centres = 1.0});
  const auto log_density = [&](Index k, std::vector<double> at) {
    const auto density = models::collapsed_rbf(own, k);
    density::Request request{.position = at, .gradient = {}, .status = {}};
    density::Request* batch[] = {&request};
    density->make_evaluator()->evaluate(density::Want::value, batch);
    return request.log_density;
  };
  const std::vector<double> prior = own->log_prior_of_number();
  const double none = std::exp(prior[0] + log_density(0, {}));
  double one = 0.0;  // centres are N(0, 1): the rest beyond 8 is nothing
  for (int k = -800; k < 800; ++k)
    one += 0.01 * std::exp(prior[1] + log_density(1, {0.01 * k + 0.005}));
  const auto error_of = [&](double expected) {
    const Fit fit = sample(ready::radial_basis(problem_of(expected)), run_of(13, 8000));
    EXPECT_TRUE(std::isfinite(fit.summary("prediction[2]").mean));
    const SummaryRow number = fit.summary("num_centres");
    return std::abs(number.mean - one / (none + one)) / number.mcse_mean;
  };
  EXPECT_LT(error_of(1.0), 5.0);
  EXPECT_GT(error_of(3.0), 5.0);
}

TEST(ready_models, a_tank_has_the_posterior_of_its_path) {
  const ready::Tank tank{.time_step = 0.25,
                         .rain = {1, 1, 0, 0, 2, 2, 1, 0},
                         .observed_at = {0, 3, 6, 8},
                         .observed = {1.1, 0.9, 1.6, 1.2},
                         .initial = {0.0, 0.5},
                         .rate = {0.0, 0.3},
                         .noise = {-1.0, 0.3},
                         .noise_sd = {-1.5, 0.3}};
  const Fit fit = sample(ready::tank(tank), run_of(14, 2000));
  const auto program = [](const char* centre) {
    return fmt::format(R"(
    data {{ int N; vector[N] rain; array[4] int at; vector[4] y; }}
    parameters {{ real<lower=0> rate; real<lower=0> noise; real<lower=0> noise_sd; vector[N + 1] u; }}
    transformed parameters {{ vector[N + 1] x = exp(u); }}
    model {{ rate ~ lognormal({}, 0.3); noise ~ lognormal(-1, 0.3); noise_sd ~ lognormal(-1.5, 0.3);
      u[1] ~ normal(0, 0.5);
      for (i in 1:N) u[i + 1] ~ normal(u[i] + 0.25 * (rain[i] / x[i] - rate - 0.5 * rate * noise),
                                       sqrt(rate * noise * 0.25));
      y ~ normal(x[at], noise_sd); }})",
                       centre);
  };
  const auto stan = [&](const char* centre) {
    return sample(stan_text(program(centre), R"({"N": 8, "rain": [1, 1, 0, 0, 2, 2, 1, 0],
      "at": [1, 4, 7, 9], "y": [1.1, 0.9, 1.6, 1.2]})"),
                  run_of(15, 2000));
  };
  const Fit right = stan("0"), wrong = stan("0.4");
  for (const char* name : {"rate", "noise", "noise_sd", "x[1]", "x[3]", "x[9]"})
    expect_equal_means(fit, right, name);
  const SummaryRow a = fit.summary("rate"), b = wrong.summary("rate");
  EXPECT_GT(std::abs(a.mean - b.mean), 5.0 * std::hypot(a.mcse_mean, b.mcse_mean));
}

// ---- as models

TEST(ready_models, draw_the_same_for_any_number_of_threads_and_are_saved_and_judged) {
  const Model model = ready::hidden_markov({0, 1, 1, 0, 1, 1, 1}, {});
  SampleOptions one = run_of(10, 500), three = one;
  one.threads = 1, three.threads = 3;
  const Fit a = sample(model, one), b = sample(model, three);
  for (const std::string& name : a.names()) {
    const Draws x = a.draws(name), y = b.draws(name);
    EXPECT_TRUE(std::ranges::equal(x.element(0), y.element(0))) << name;
  }
  EXPECT_EQ(a.verdict().word, b.verdict().word);
  EXPECT_FALSE(a.verdict().sentence.empty());
  const fs::path folder = fs::path(::testing::TempDir()) / "credo_ready";
  fs::create_directories(folder);
  a.save((folder / "fit.nc").string());
  const std::vector<std::string> saved{(folder / "fit.nc").string()};
  EXPECT_EQ(results::open_fit(saved)->origin().sampler, "blocked_gibbs");
  fs::remove_all(folder);
}

template <class Call>
ErrorCode refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(ready_models, refuse_what_does_not_fit) {
  const std::vector<double> points = {1.0, 2.0, 3.0};
  EXPECT_EQ(refusal([&] {
              ready::gaussian_mixture(points, {.scale = {1.0, 0.0}});
            }),
            ErrorCode::data);
  EXPECT_EQ(refusal([&] { ready::collapsed_mixture(points, {.mean_weight = -1.0}); }),
            ErrorCode::data);
  EXPECT_EQ(refusal([&] { ready::collapsed_mixture({1.0, kNaN}, {}); }), ErrorCode::data);
  EXPECT_EQ(refusal([&] { ready::topics({{0, 5}}, {.num_words = 2}); }), ErrorCode::data);
  EXPECT_EQ(refusal([&] { ready::lattice({.coupling = -1.0}); }), ErrorCode::data);
  EXPECT_EQ(refusal([&] { ready::lattice({.kernel = "cluster"}); }), ErrorCode::usage);
  EXPECT_EQ(refusal([&] { ready::hidden_markov({0, 2}, {}); }), ErrorCode::data);
  EXPECT_EQ(refusal([&] { ready::selection({.y = {}}); }), ErrorCode::data);
  SampleOptions with_sampler = run_of(11);
  with_sampler.sampler = "slice";
  EXPECT_EQ(refusal([&] { sample(ready::normal_precision(points), with_sampler); }),
            ErrorCode::usage);
}

}  // namespace
}  // namespace credo::ready_test
