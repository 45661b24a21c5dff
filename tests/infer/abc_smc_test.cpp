// Approximate Bayesian computation against the distribution that it draws from, which is known for every tolerance.
#include <gtest/gtest.h>

#include "density/model.hpp"
#include "infer/core/table.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/tape.hpp"

namespace credo::infer::abc_smc_test {
namespace {
using namespace credo::testing;

constexpr double kPriorSd = 2.0, kNoise = 0.5, kSeen = 1.5;

// x ~ N(0, 2²); y_sim ~ N(x, 0.5²) is compared with y = 1.5.
class SimulatedNormal final : public density::Model,
                              public density::OutputWriters,
                              public density::DataValues {
 public:
  // no_prior: moves and draws know no density of the prior. wide: simulations are of another model. whole: in whole numbers.
  enum class Fault { none, no_prior, wide, whole };
  explicit SimulatedNormal(Fault fault = Fault::none) : fault_(fault) {}

  Index dimension() const override { return 1; }
  bool has_gradient() const override { return false; }
  std::string describe(const density::Status&) const override { return "refused"; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(*this);
  }
  std::unique_ptr<density::LogDensity> prior() const override {
    return std::make_unique<SimulatedNormal>(fault_);
  }
  density::Capability can_draw() const override { return {}; }
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override {
    return std::make_unique<Drawing>(*this);
  }
  const std::string& name() const override { return name_; }
  const density::Layout& outputs() const override { return outputs_; }
  const density::Layout& continuous() const override { return continuous_; }
  density::Offered<density::OutputWriters> writers() const override { return *this; }
  density::Offered<density::DataValues> data_values() const override { return *this; }
  std::vector<density::DataVariable> variables() const override { return {}; }
  std::vector<density::ObservedVariable> observed() const override { return {}; }
  std::vector<density::ObservedVariable> all() const override {
    return {{{.name = "y"}, {kSeen}}, {{.name = "two", .dims = {2}}, {0.0, 0.0}}};
  }
  std::vector<double> write(std::span<const double> point, Rng& rng, std::string*,
                            const density::Written& what) const override {
    double y = point[0] + (fault_ == Fault::wide ? 2.0 : 1.0) * kNoise * rng.normal();
    if (fault_ == Fault::whole) y = std::round(y) + kSeen;
    return density::chosen({point[0], y, std::abs(y - kSeen), -1.0}, what);
  }

 private:
  double log_prior(double x) const {
    return fault_ == Fault::no_prior ? 0.0 : normal_log_density(x, 0.0, kPriorSd);
  }
  struct Evaluating final : density::Evaluator {
    explicit Evaluating(const SimulatedNormal& model_) : model(model_) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch)
        request->log_density = model.log_prior(request->position[0]);
    }
    const SimulatedNormal& model;
  };
  struct Drawing final : density::ExactDraws {
    explicit Drawing(const SimulatedNormal& model_) : model(model_) {}
    std::optional<density::Start> next(Rng& rng) override {
      const double x = kPriorSd * rng.normal();
      return density::Start{.position = {x}, .log_density = model.log_prior(x)};
    }
    const SimulatedNormal& model;
  };

  Fault fault_;
  std::string name_ = "simulated normal";
  density::Layout continuous_{{{.name = "x", .block = density::Block::parameters}}};
  density::Layout outputs_{{{.name = "x", .block = density::Block::parameters},
                            {.name = "y_sim", .block = density::Block::generated_quantities},
                            {.name = "far", .block = density::Block::generated_quantities},
                            {.name = "below", .block = density::Block::generated_quantities}}};
};
using Fault = SimulatedNormal::Fault;

SampleOptions options_of(Index num_populations, Index num_particles, std::uint64_t seed,
                         std::vector<std::pair<const char*, const char*>> settings) {
  SampleOptions options{.sampler = "abc_smc",
                        .num_chains = num_populations,
                        .num_warmup = 0,
                        .num_draws = num_particles,
                        .seed = seed};
  options.kernel = find_sampler("abc_smc").options();
  for (const auto& [name, value] : settings) set_option(options, name, value);
  return options;
}

// Of p(x | |y_sim - y| <= eps): p(x) [Phi((y + eps - x) / noise) - Phi((y - eps - x) / noise)], by the rule of trapezoids.
struct Exact {
  double probability = 0.0, mean = 0.0, square = 0.0;
};
Exact exact_at(double epsilon) {
  Exact exact;
  const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  constexpr double kStep = 0.001;
  for (double x = -20.0; x < 20.0; x += kStep) {
    const double p = kStep * std::exp(normal_log_density(x, 0.0, kPriorSd)) *
                     (phi((kSeen + epsilon - x) / kNoise) - phi((kSeen - epsilon - x) / kNoise));
    exact.probability += p, exact.mean += p * x, exact.square += p * x * x;
  }
  exact.mean /= exact.probability, exact.square /= exact.probability;
  return exact;
}

double tuned(const ChainResult& chain, std::string_view name) {
  const auto found = std::ranges::find(chain.tuned, name, &TunedSetting::name);
  return found == chain.tuned.end() ? kNaN : found->values.at(0);
}

// Standard scores between populations: of the means of x and x², and of the probability of the tolerance.
std::array<double, 3> scores_of(const SimulatedNormal& model, double epsilon, const char* text,
                                std::uint64_t seed) {
  constexpr Index kPopulations = 60, kParticles = 300;
  StoredDraws store;
  const RunResult run = run_chains(
      model, options_of(kPopulations, kParticles, seed, {{"distance", "far"}, {"tolerance", text}}),
      store);
  const Exact exact = exact_at(epsilon);
  std::array<double, 3> sum{}, squares{};
  for (Index c = 0; c < kPopulations; ++c) {
    const ChainResult& chain = run.chains[static_cast<std::size_t>(c)];
    EXPECT_EQ(tuned(chain, "epsilon"), epsilon);
    std::array<double, 3> own = {-exact.mean, -exact.square,
                                 std::exp(tuned(chain, "log_probability")) - exact.probability};
    for (Index i = 0; i < kParticles; ++i) {
      const double x = store.draws(i, c, 0), n = static_cast<double>(kParticles);
      own[0] += x / n, own[1] += x * x / n;
      EXPECT_LE(store.info(i, c, 2), epsilon);
    }
    for (std::size_t k = 0; k < 3; ++k) sum[k] += own[k], squares[k] += own[k] * own[k];
  }
  const double n = static_cast<double>(kPopulations);
  for (std::size_t k = 0; k < 3; ++k)
    sum[k] = std::abs(sum[k] / n) / std::sqrt((squares[k] - sum[k] * sum[k] / n) / (n - 1.0) / n);
  return sum;
}

// |z| < 4 fails for a right algorithm once in 16 000 figures. With 300 particles the bias of adapted tolerances and moves is
// below the standard error of 60 populations.
TEST(abc_smc, draws_from_the_distribution_of_each_tolerance) {
  for (const auto& [epsilon, text] :
       {std::pair(2.0, "2"), std::pair(1.0, "1"), std::pair(0.1, "0.1")}) {
    const auto z = scores_of(SimulatedNormal(), epsilon, text, test_seed(11));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(z[k], 4.0) << epsilon << " " << k;
  }
}

TEST(abc_smc, without_the_prior_ratio_is_rejected) {
  EXPECT_GT(scores_of(SimulatedNormal(Fault::no_prior), 1.0, "1", test_seed(12))[0], 4.0);
}

// The mean of x is 1.2 in the place of 1.41; that of x² hardly changes, 2.24 in the place of 2.23.
TEST(abc_smc, with_simulations_of_another_model_is_rejected) {
  EXPECT_GT(scores_of(SimulatedNormal(Fault::wide), 0.1, "0.1", test_seed(13))[0], 4.0);
}

// The exact posterior is N(1.5 · 4 / 4.25, 4 · 0.25 / 4.25); epsilon adds less than epsilon² / 3 to the variance of the noise.
TEST(abc_smc, comes_to_the_posterior_as_the_tolerance_falls) {
  const double mean = kSeen * 4.0 / 4.25, variance = 1.0 / 4.25;
  double before = kInfinity;
  for (const double epsilon : {1.0, 0.5, 0.1}) {
    const Exact exact = exact_at(epsilon);
    const double far =
        std::abs(exact.mean - mean) + std::abs(exact.square - exact.mean * exact.mean - variance);
    EXPECT_LT(far, 0.5 * before);
    before = far;
  }
  EXPECT_LT(before, 0.005);
}

TEST(abc_smc, compares_outputs_with_data_in_units_of_their_spread) {
  const SimulatedNormal model;
  StoredDraws store;
  const RunResult run = run_chains(
      model,
      options_of(2, 2000, test_seed(14),
                 {{"simulated", "y_sim"}, {"observed", "y"}, {"max_simulations", "8000"}}),
      store);
  // The median absolute deviation of N(0, 4.25) is 0.6745 sd.
  const double unit = 0.6745 * std::sqrt(kPriorSd * kPriorSd + kNoise * kNoise);
  for (Index c = 0; c < 2; ++c) {
    const double epsilon = tuned(run.chains[static_cast<std::size_t>(c)], "epsilon");
    const Exact exact = exact_at(epsilon * unit);
    double mean = 0.0;
    for (const double x : store.draws.chain(c, 0)) mean += x / 2000.0;
    EXPECT_NEAR(mean, exact.mean, 0.15);
    EXPECT_EQ(std::exp(tuned(run.chains[static_cast<std::size_t>(c)], "log_probability")) > 0.0,
              true);
  }
}

TEST(abc_smc, says_where_it_ends_and_that_it_approximates) {
  const auto ends = [](Fault fault, std::vector<std::pair<const char*, const char*>> settings) {
    settings.emplace_back("distance", "far");
    StoredDraws store;
    const RunResult run =
        run_chains(SimulatedNormal(fault), options_of(1, 100, test_seed(15), settings), store);
    EXPECT_EQ(store.num_complete(), 100);
    EXPECT_EQ(run.warnings.size(), 2u);
    EXPECT_NE(run.warnings[0].find("approximation"), std::string::npos);
    return run.warnings[1];
  };
  EXPECT_EQ(ends(Fault::none, {{"tolerance", "0.5"}}), "1 of 1 populations ended by the tolerance");
  EXPECT_NE(ends(Fault::none, {{"max_simulations", "700"}}).find("--max-simulations"),
            std::string::npos);
  EXPECT_NE(ends(Fault::none, {{"least_acceptance", "0.5"}}).find("--least-acceptance"),
            std::string::npos);
  EXPECT_NE(ends(Fault::whole, {{"tolerance", "0"}}).find("tolerance"), std::string::npos);
}

TEST(abc_smc, resumes_after_each_stage_to_the_same_bits_with_any_number_of_threads) {
  const SimulatedNormal model;
  SampleOptions options =
      options_of(2, 60, test_seed(16), {{"distance", "far"}, {"max_simulations", "2000"}});
  Tape whole(-1, 2);
  options.num_threads = 1;
  run_chains(model, options, whole);
  for (Index after = 1; after <= 6; ++after) {
    options.states.clear();
    Tape first(after, 2), rest(-1, 2);
    options.num_threads = 3;
    run_chains(model, options, first);
    EXPECT_EQ(first.told, whole.told);
    options.states = first.states;
    run_chains(model, options, rest);
    EXPECT_EQ(first.told_later(), rest.told) << after;
  }
}

TEST(abc_smc, refuses_what_it_cannot_compare) {
  const auto refused = [](std::vector<std::pair<const char*, const char*>> settings,
                          const char* words) {
    StoredDraws store;
    try {
      run_chains(SimulatedNormal(), options_of(1, 50, 1, std::move(settings)), store);
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused({}, "named by an output, or by pairs");
  refused({{"distance", "far"}, {"simulated", "y_sim"}, {"observed", "y"}}, "or by pairs");
  refused({{"distance", "nothing"}}, "no output 'nothing'");
  refused({{"distance", "below"}}, "the distance is -1");
  refused({{"simulated", "y_sim"}, {"observed", "two"}}, "y_sim has 1 numbers, and two has 2");
  refused({{"simulated", "y_sim,far"}, {"observed", "y"}}, "2 variables are simulated, and 1");
  StoredDraws store;
  EXPECT_THROW(run_chains(*conjugate_posterior().density,
                          options_of(1, 50, 1, {{"distance", "far"}}), store),
               Error);
}

}  // namespace
}  // namespace credo::infer::abc_smc_test
