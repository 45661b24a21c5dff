// Every filter and every smoother of the tables, with every proposal, on a linear Gaussian program: log likelihood and means are
// compared with those of the joint normal distribution of states and outcomes.
//
//   x_1 ~ N(0, 1),  x_t = 0.8 x_{t-1} + N(0, 0.5),  y_t = x_t + N(0, 0.7);  the third of five outcomes is missing
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "filters/filter.hpp"
#include "filters/proposal.hpp"
#include "filters/smoother.hpp"
#include "support/text_model.hpp"

namespace credo::filters::table_test {
namespace {
constexpr Index kTimes = 5, kMissing = 2;
const std::vector<double> kOutcomes = {0.9, 1.4, kNaN, 0.2, -0.9};

const std::string kDraws = R"(
  real initial_rng() { return normal_rng(0, 1); }
  real transition_rng(real before) { return normal_rng(0.8 * before, 0.5); }
  real observation_lpdf(real y, real x) { return normal_lpdf(y | x, 0.7); }
)";
const std::string kDensities = R"(
  real initial_lpdf(real x) { return normal_lpdf(x | 0, 1); }
  real transition_lpdf(real x, real before) { return normal_lpdf(x | 0.8 * before, 0.5); }
)";
const std::string kHelpers = R"(
  real proposal_rng(real before, real y) { return normal_rng(0.5 * (0.8 * before + y), 0.6); }
  real proposal_lpdf(real x, real before, real y) { return normal_lpdf(x | 0.5 * (0.8 * before + y), 0.6); }
  real lookahead_lpdf(real y, real before) { return normal_lpdf(y | 0.8 * before, 1); }
)";
// Two regimes that are alike, so that the likelihood is that of the program without them.
const std::string kRegimes = R"(
  vector initial_regimes() { return [0.3, 0.7]'; }
  vector next_regimes(int regime) { return [0.5, 0.5]'; }
)";

struct Program {
  explicit Program(const std::string& functions)
      : model(model::model_from("functions {" + functions + "}\ndata { int T; vector[T] y; }\n",
                                R"({"T": 5, "y": [0.9, 1.4, "NaN", 0.2, -0.9]})")),
        states(*model, {}) {}
  std::unique_ptr<model::Model> model;
  model::StateModel states;
};

// Cov(x_s, x_t), and of the outcomes that are there.
struct Exact {
  Exact() {
    Eigen::MatrixXd states(kTimes, kTimes);
    for (Index t = 0; t < kTimes; ++t) {
      states(t, t) = t == 0 ? 1.0 : 0.64 * states(t - 1, t - 1) + 0.25;
      for (Index s = t - 1; s >= 0; --s) states(s, t) = states(t, s) = 0.8 * states(t - 1, s);
    }
    const std::array<Index, 4> there = {0, 1, 3, 4};
    Eigen::MatrixXd outcomes(4, 4), both(kTimes, 4);
    Eigen::VectorXd y(4);
    for (Index i = 0; i < 4; ++i) {
      y(i) = kOutcomes[static_cast<std::size_t>(there[static_cast<std::size_t>(i)])];
      both.col(i) = states.col(there[static_cast<std::size_t>(i)]);
    }
    for (Index i = 0; i < 4; ++i) outcomes.row(i) = both.row(there[static_cast<std::size_t>(i)]);
    outcomes.diagonal().array() += 0.49;
    const Eigen::LLT<Eigen::MatrixXd> factor(outcomes);
    const Eigen::VectorXd weighed = factor.solve(y);
    log_likelihood = -0.5 * y.dot(weighed) - 2.0 * std::log(2.0 * 3.14159265358979323846);
    for (Index i = 0; i < 4; ++i) log_likelihood -= std::log(factor.matrixL()(i, i));
    smoothed = both * weighed;
  }
  double log_likelihood;
  Eigen::VectorXd smoothed;
};

// Mean and standard error of numbers; of one, no error.
std::pair<double, double> mean_of(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double mean = 0.0, squares = 0.0;
  for (const double x : values) mean += x / n;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return {mean, n > 1.0 ? std::sqrt(squares / (n - 1.0) / n) : 0.0};
}

void expect_exact_likelihood(Filter& filter, Program& program, const std::string& what) {
  infer::FilterOptions options{.num_particles = 100, .seed = 5};
  options.quantiles = false;
  filter.set(options);
  const Index runs = filter.is_exact() ? 1 : 200;
  filter.learn(program.states, options);
  if (runs > 1) filter.settle(program.states, options, true);
  std::vector<double> ratios, differences;
  const Exact exact;
  for (Index r = 0; r < runs; ++r) {
    const infer::FilterAnswer found = filter.run(program.states, options, r);
    ASSERT_EQ(ssize(found.filtered.times), kTimes) << what;
    differences.push_back(found.filtered.log_likelihood - exact.log_likelihood);
    ratios.push_back(std::exp(differences.back()));
  }
  // Likelihoods by weights have no bias. Those of ensembles have one of order 1 / particles.
  const auto [mean, error] = mean_of(filter.has_weights() ? ratios : differences);
  const double right = filter.has_weights() ? 1.0 : 0.0, bias = filter.has_weights() ? 1e-9 : 0.05;
  EXPECT_NEAR(mean, right, 4.5 * error + bias) << what;
}

infer::KernelOptions with_proposal(const FilterMethod& row, std::string_view proposal) {
  infer::KernelOptions own = row.options();
  infer::set_field(own, "proposal", proposal);
  return own;
}

bool has_proposal(const FilterMethod& row) {
  const auto fields = infer::fields_of(row.options());
  return std::ranges::find(fields, "proposal", &infer::FieldValue::name) != fields.end();
}

TEST(filters, have_the_likelihood_of_a_linear_gaussian_program) {
  Program plain(kDraws + kDensities + kHelpers), regimes(kDraws + kDensities + kRegimes);
  for (const FilterMethod* row : filter_methods()) {
    const auto filter = row->make(row->options());
    Program& program = filter->can_follow(plain.states).can ? plain : regimes;
    ASSERT_TRUE(filter->can_follow(program.states).can) << row->name;
    expect_exact_likelihood(*filter, program, std::string(row->name));
    if (!has_proposal(*row)) continue;
    for (const std::string_view proposal : kProposals.names())
      expect_exact_likelihood(*row->make(with_proposal(*row, proposal)), plain,
                              std::string(proposal));
  }
}

TEST(smoothers, have_the_means_of_a_linear_gaussian_program) {
  Program program(kDraws + kDensities + kHelpers);
  const Exact exact;
  for (const SmootherMethod* row : smoother_methods()) {
    const auto smoother = row->make(row->options());
    ASSERT_TRUE(smoother->can_follow(program.states).can) << row->name;
    infer::FilterOptions options{.num_particles = 200, .seed = 5};
    smoother->set(options);
    std::vector<std::vector<double>> means(kTimes);
    for (Index r = 0; r < (smoother->is_exact() ? 1 : 30); ++r) {
      const SmoothedStates found = smoother->run(program.states, options, 50, r);
      EXPECT_EQ(ssize(found.paths) % kTimes, 0);
      for (std::size_t t = 0; t < kTimes; ++t) means[t].push_back(found.times[t].mean[0]);
    }
    for (std::size_t t = 0; t < kTimes; ++t) {
      const auto [mean, error] = mean_of(means[t]);
      EXPECT_NEAR(mean, exact.smoothed(static_cast<Index>(t)), 5.0 * error + 1e-9)
          << row->name << " at " << t;
    }
  }
}

// Which methods follow a program is asked of the model: densities, a look ahead, a proposal or regimes may be missing.
TEST(filters, are_refused_in_the_words_of_the_model) {
  const Program bare(kDraws), regimes(kDraws + kDensities + kRegimes);
  const auto refused = [](const auto& rows, const Program& program) {
    std::vector<std::string_view> names;
    for (const auto* row : rows) {
      const density::Capability can = row->make(row->options())->can_follow(program.states);
      EXPECT_EQ(can.can, can.reason.empty()) << row->name;
      if (!can.can) names.push_back(row->name);
    }
    return names;
  };
  const std::vector<std::string_view> densities = {
      "auxiliary", "ekf", "guided", "information", "kalman", "rao-blackwellised", "sqmc", "ukf"};
  EXPECT_EQ(refused(filter_methods(), bare), densities);
  const std::vector<std::string_view> backwards = {"cvi",    "ekf",   "ep",         "ffbs",
                                                   "kalman", "paris", "two-filter", "ukf"};
  EXPECT_EQ(refused(smoother_methods(), bare), backwards);
  const std::vector<std::string_view> one_regime = {"auxiliary",   "ekf",    "ensemble", "guided",
                                                    "information", "kalman", "sqmc",     "ukf"};
  EXPECT_EQ(refused(filter_methods(), regimes), one_regime);
}

}  // namespace
}  // namespace credo::filters::table_test
