// Coordinate ascent on programs: one model in three ways, refusals that name the statement, and bounds and factors against closed forms.
#include "infer/messages/coordinate_ascent.hpp"
#include "infer/messages/label_starts.hpp"

#include <gtest/gtest.h>

#include "api/message_cases.hpp"
#include "numerics/special.hpp"
#include "support/share.hpp"
#include "support/text_model.hpp"

namespace credo::messages_test {
namespace {
using infer::CoordinateFit;
using infer::CoordinateOptions;
using model::model_from;
using Numbers = std::vector<double>;

struct Fitted {
  std::unique_ptr<model::Model> model;
  std::unique_ptr<density::MomentForm> form;
  CoordinateFit fit;

  // Natural parameters of the factor of this name.
  Numbers natural(const std::string& name) const {
    for (const density::MomentBlock& block : form->blocks())
      if (block.name == name)
        return {fit.state.natural.begin() + block.first,
                fit.state.natural.begin() + block.first + block.num_statistics};
    ADD_FAILURE() << "no factor of " << name;
    return {};
  }
};

// Statistics at the declared values of an unconstrained point, whose coordinates differ.
Numbers start_of(const model::Model& model, const density::MomentForm& form) {
  Numbers point(static_cast<std::size_t>(model.dimension()));
  for (std::size_t d = 0; d < point.size(); ++d) point[d] = 0.4 * std::sin(1.0 + 2.0 * double(d));
  const auto block = model.discrete_block();
  for (Index k = 0; k < block.size(); ++k) {
    const auto d = point.size() - static_cast<std::size_t>(block.size() - k);
    point[d] = block.lower[static_cast<std::size_t>(k)];
  }
  return density::statistics_at(form.blocks(), form.values_at(point));
}

Fitted fitted(const std::string& program, const std::string& data, CoordinateOptions options = {},
              infer::AscentFault fault = {}, const std::string& passes = "all") {
  model::ModelOptions model_options;
  model_options.passes = passes;
  Fitted result{model_from(program, data, model_options), nullptr, {}};
  result.form = result.model->moment_forms()->moment_form({options.join, options.separate});
  const std::vector<Numbers> starts{start_of(*result.model, *result.form)};
  result.fit = ascend(*result.form, options, starts, fault);
  return result;
}

Fitted fitted_case(const char* text, CoordinateOptions options = {}) {
  return fitted(std::string(testing::kMessageData) + text, testing::kMessageValues,
                std::move(options));
}

// ---- one model in three ways

// Updates from one start are equal up to rounding, 1e-9 of the largest natural parameter, after three sweeps; at the end so are bounds.
TEST(messages, of_one_model_in_three_ways_are_the_same) {
  for (const testing::MessageCase& one : testing::message_cases()) {
    SCOPED_TRACE(one.name);
    ASSERT_EQ(one.ways.size(), 3u);
    std::vector<Fitted> early, late;
    for (const char* way : one.ways) {
      early.push_back(fitted_case(way, {.max_sweeps = 3}));
      late.push_back(fitted_case(way));
    }
    double largest = 1.0;
    for (const double eta : early[0].fit.state.natural) largest = std::max(largest, std::fabs(eta));
    for (std::size_t w = 1; w < 3; ++w) {
      SCOPED_TRACE(w);
      ASSERT_EQ(early[w].fit.state.natural.size(), early[0].fit.state.natural.size());
      for (std::size_t k = 0; k < early[0].fit.state.statistics.size(); ++k)
        EXPECT_NEAR(early[w].fit.state.statistics[k], early[0].fit.state.statistics[k],
                    1e-9 * (1.0 + std::fabs(early[0].fit.state.statistics[k])));
      EXPECT_NEAR(late[w].fit.bound, late[0].fit.bound,
                  1e-8 * (1.0 + std::fabs(late[0].fit.bound)));
    }
  }
}

TEST(messages, never_let_the_bound_fall) {
  EXPECT_GE(testing::message_cases().size(), 30u);
  for (const testing::MessageCase& one : testing::message_cases())
    for (const char* way : one.ways) {
      const Fitted found = fitted_case(way);
      EXPECT_TRUE(found.fit.converged) << one.name;
      for (std::size_t k = 1; k < found.fit.course.size(); ++k)
        EXPECT_GE(found.fit.course[k].change, -1e-9 * (1.0 + std::fabs(found.fit.course[k].bound)))
            << one.name << ", sweep " << k;
    }
}

// A loop is read by columns, one operation for all rounds, or round by round: with one result up to the order of sums.
TEST(messages, of_loops_by_columns_are_those_of_their_rounds) {
  for (const testing::MessageCase& one : testing::message_cases())
    for (const char* way : one.ways) {
      SCOPED_TRACE(one.name);
      const std::string program = std::string(testing::kMessageData) + way;
      CoordinateOptions options;
      options.max_sweeps = 3;
      const Fitted columns = fitted(program, testing::kMessageValues, options);
      const Fitted rounds = fitted(program, testing::kMessageValues, options, {}, "-columns");
      ASSERT_EQ(columns.fit.state.natural.size(), rounds.fit.state.natural.size());
      for (std::size_t k = 0; k < columns.fit.state.natural.size(); ++k)
        EXPECT_NEAR(columns.fit.state.natural[k], rounds.fit.state.natural[k],
                    1e-10 * (1.0 + std::fabs(rounds.fit.state.natural[k])));
    }
}

// A bound without the entropy of a factor falls, and the ascent sees it.
TEST(messages, without_an_entropy_are_rejected) {
  int num_seen = 0;
  for (const testing::MessageCase& one : testing::message_cases()) {
    const std::string program = std::string(testing::kMessageData) + one.ways[0];
    try {
      fitted(program, testing::kMessageValues, {}, {.drops_entropy = true});
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::internal);
      ++num_seen;
    }
  }
  EXPECT_GE(num_seen, 7);
}

TEST(messages, refuse_programs_that_miss_conjugacy_by_one_statement) {
  EXPECT_GE(testing::refused_messages().size(), 15u);
  for (const testing::RefusedMessages& one : testing::refused_messages()) {
    SCOPED_TRACE(one.name);
    const auto model =
        model_from(std::string(testing::kMessageData) + one.text, testing::kMessageValues);
    try {
      model->moment_forms()->moment_form({});
      ADD_FAILURE() << "it wasn't refused";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::program);
      EXPECT_NE(e.message().find(one.statement), std::string::npos) << e.message();
      EXPECT_NE(e.hint().find(one.hint), std::string::npos) << e.hint();
    }
  }
}

// ---- closed forms

const char* const kGauss = R"(
data { int N; vector[N] y; }
parameters { real mu; real<lower=0> tau; }
model { tau ~ gamma(1.5, 0.7); mu ~ normal(0.3, inv_sqrt(2.0 * tau)); y ~ normal(mu, inv_sqrt(tau)); })";
const char* const kGaussData = R"({"N": 6, "y": [0.4, 1.9, -0.3, 2.2, 1.1, 0.8]})";
const Numbers kGaussValues{0.4, 1.9, -0.3, 2.2, 1.1, 0.8};

// The fixed point of murphy2023, section 10.2.3, and its bound, equation 10.60 with its constant.
TEST(messages, of_a_mean_and_a_precision_are_the_published_updates) {
  const Fitted found = fitted(kGauss, kGaussData, {.tolerance = 1e-15});
  const double n = 6.0, kappa0 = 2.0, m0 = 0.3, a0 = 1.5, b0 = 0.7;
  const double total = std::accumulate(kGaussValues.begin(), kGaussValues.end(), 0.0);
  const double m = (kappa0 * m0 + total) / (kappa0 + n), a = a0 + 0.5 * (n + 1.0);
  double b = 1.0, kappa = 1.0;
  for (int sweep = 0; sweep < 200; ++sweep) {
    kappa = (kappa0 + n) * a / b;
    const double square = 1.0 / kappa + m * m;
    b = b0 + 0.5 * kappa0 * (square + m0 * m0 - 2.0 * m * m0);
    for (const double y : kGaussValues) b += 0.5 * (y * y + square - 2.0 * y * m);
  }
  const Numbers mu = found.natural("mu"), tau = found.natural("tau");
  EXPECT_NEAR(mu[0] / (-2.0 * mu[1]), m, 1e-12);
  EXPECT_NEAR(-2.0 * mu[1], kappa, 1e-6);
  EXPECT_NEAR(tau[0] + 1.0, a, 1e-12);
  EXPECT_NEAR(-tau[1], b, 1e-6);
  const double constant = 0.5 - 0.5 * n * std::log(2.0 * std::numbers::pi) +
                          0.5 * std::log(kappa0) + a0 * std::log(b0) - numerics::lgamma(a0);
  EXPECT_NEAR(found.fit.bound,
              constant - 0.5 * std::log(kappa) + numerics::lgamma(a) - a * std::log(b), 1e-8);
}

double log_evidence_of_gauss() {
  const double n = 6.0, kappa0 = 2.0, m0 = 0.3, a0 = 1.5, b0 = 0.7;
  double mean = 0.0, squares = 0.0;
  for (const double y : kGaussValues) mean += y / n;
  for (const double y : kGaussValues) squares += (y - mean) * (y - mean);
  const double kappa = kappa0 + n, a = a0 + 0.5 * n,
               b = b0 + 0.5 * squares + 0.5 * kappa0 * n * (mean - m0) * (mean - m0) / kappa;
  return numerics::lgamma(a) - numerics::lgamma(a0) + a0 * std::log(b0) - a * std::log(b) +
         0.5 * std::log(kappa0 / kappa) - 0.5 * n * std::log(2.0 * std::numbers::pi);
}

// One joint factor is the posterior, so that the bound is the evidence; two factors are less.
TEST(messages, of_a_joint_factor_are_exact) {
  const Fitted joint = fitted(kGauss, kGaussData, {.join = {"mu+tau"}});
  EXPECT_NEAR(joint.fit.bound, log_evidence_of_gauss(), 1e-10);
  const Fitted apart = fitted(kGauss, kGaussData);
  EXPECT_LT(apart.fit.bound, joint.fit.bound - 1e-3);
}

const char* const kWishart = R"(
data { int M; array[M] vector[2] w; }
parameters { vector[2] m; cov_matrix[2] L; }
model { L ~ wishart(4, [[0.5, 0.1], [0.1, 0.8]]); m ~ multi_normal_prec([0.2, -0.1]', 0.5 * L); w ~ multi_normal_prec(m, L); })";
const char* const kWishartData =
    R"({"M": 4, "w": [[0.3, -0.1], [1.2, 0.4], [-0.7, 0.9], [0.5, -1.1]]})";

double log_multigamma(double x) {
  return 0.5 * std::log(std::numbers::pi) + numerics::lgamma(x) + numerics::lgamma(x - 0.5);
}

// A mixture with one component [murphy2023, 10.2.6]: the posterior is normal-Wishart.
TEST(messages, of_a_mean_and_a_precision_matrix_are_exact) {
  const Fitted joint = fitted(kWishart, kWishartData, {.join = {"m+L"}});
  const double n = 4.0, kappa0 = 0.5, nu0 = 4.0, kappa = kappa0 + n, nu = nu0 + n;
  const double w[4][2] = {{0.3, -0.1}, {1.2, 0.4}, {-0.7, 0.9}, {0.5, -1.1}}, m0[2] = {0.2, -0.1};
  const double det0 = 0.5 * 0.8 - 0.1 * 0.1;
  double inverse[2][2] = {{0.8 / det0, -0.1 / det0}, {-0.1 / det0, 0.5 / det0}}, mean[2] = {0, 0};
  for (const auto& x : w)
    for (int i = 0; i < 2; ++i) mean[i] += x[i] / n;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      for (const auto& x : w) inverse[i][j] += (x[i] - mean[i]) * (x[j] - mean[j]);
      inverse[i][j] += kappa0 * n / kappa * (mean[i] - m0[i]) * (mean[j] - m0[j]);
    }
  const double det = inverse[0][0] * inverse[1][1] - inverse[0][1] * inverse[1][0];
  const double evidence = -n * std::log(std::numbers::pi) + log_multigamma(0.5 * nu) -
                          log_multigamma(0.5 * nu0) - 0.5 * nu0 * std::log(det0) -
                          0.5 * nu * std::log(det) + std::log(kappa0 / kappa);
  EXPECT_NEAR(joint.fit.bound, evidence, 1e-10);
}

// Joint factors that are found: every term of mu has tau, so the posterior is one factor; a prior of mu without tau keeps them apart.
TEST(messages, of_joint_factors_that_are_found_are_exact) {
  EXPECT_NEAR(fitted(kGauss, kGaussData, {.join = {"auto"}}).fit.bound, log_evidence_of_gauss(),
              1e-10);
  EXPECT_NEAR(fitted(kWishart, kWishartData, {.join = {"auto"}}).fit.bound,
              fitted(kWishart, kWishartData, {.join = {"m+L"}}).fit.bound, 1e-12);
  const char* const apart = testing::message_cases()[1].ways[0];
  const Fitted found = fitted_case(apart, {.join = {"auto"}});
  ASSERT_EQ(found.form->blocks().size(), 2u);
  EXPECT_NEAR(found.fit.bound, fitted_case(apart).fit.bound, 1e-12);
}

// --damping is the share of the new natural parameters, as in sites; by default all of them in turn, and half of them at once.
TEST(messages, mix_new_factors_with_old_ones_by_their_damping) {
  const auto mu_after = [](Index sweeps, double damping, const char* order) {
    CoordinateOptions options;
    options.max_sweeps = sweeps, options.damping = damping, options.order = order;
    return fitted(kGauss, kGaussData, options).natural("mu");
  };
  for (const char* order : {"sites", "all"}) {
    const Numbers before = mu_after(1, 1.0, order), whole = mu_after(2, 1.0, order),
                  mixed = mu_after(2, 0.2, order), by_default = mu_after(2, 0.0, order);
    const double share = std::string(order) == "sites" ? 1.0 : 0.5;
    EXPECT_GT(std::fabs(whole[1] - before[1]), 1e-3);
    for (std::size_t k = 0; k < before.size(); ++k) {
      EXPECT_NEAR(mixed[k], 0.8 * before[k] + 0.2 * whole[k], 1e-12);
      EXPECT_NEAR(by_default[k], (1.0 - share) * before[k] + share * whole[k], 1e-12);
    }
  }
}

// ---- shares alone

const char* const kShares = R"(
data { int K, N; real alpha; }
parameters { simplex[K] theta; }
model { theta ~ dirichlet(rep_vector(alpha, K)); target += N * log_sum_exp(log(theta)); })";

// Counts without a likelihood [murphy2023, 10.2.6.4]: N_k becomes N exp(digamma(N_k)) / Σ exp(digamma). From 10, 8, 6 and 4 with a prior
// count near 0: the numbers of the text's recurrence after 1 and 21 steps, and one component with all 28 after 60. The prior's 1e-5 moves
// the third digit nowhere.
TEST(messages, of_shares_alone_let_one_component_take_all) {
  const auto model = model_from(kShares, R"({"K": 4, "N": 28, "alpha": 1e-5})");
  const auto form = model->moment_forms()->moment_form({});
  Numbers start;
  for (const double count : {10.0, 8.0, 6.0, 4.0})
    start.push_back(numerics::digamma(count) - numerics::digamma(28.0));
  const auto counts_after = [&](Index sweeps) {
    Numbers counts =
        infer::ascend(*form, {.max_sweeps = sweeps, .tolerance = 0.0}, std::vector<Numbers>{start})
            .state.natural;
    for (double& c : counts) c += 1.0;
    return counts;
  };
  const auto expect_near = [](const Numbers& found, const Numbers& wanted, double digits) {
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], wanted[k], digits) << k;
  };
  expect_near(counts_after(1), {10.224, 8.074, 5.925, 3.778}, 6e-4);
  expect_near(counts_after(21), {17.017, 9.284, 1.699, 0.000}, 6e-4);
  expect_near(counts_after(60), {28.0, 0.0, 0.0, 0.0}, 6e-4);
}

// ---- points

// All parameters as points: EM for the mode. At the mode no derivative of the log density of the declared parameters is left.
TEST(messages, of_points_alone_climb_to_the_mode) {
  const std::string program =
      std::string(testing::kMessageData) + testing::message_cases()[17].ways[1];
  const Fitted found =
      fitted(program, testing::kMessageValues, {.point = {"p", "mu", "tau"}, .tolerance = 1e-14});
  Numbers values;
  for (const density::MomentBlock& block : found.form->blocks()) {
    Numbers own(block.values.size());
    const Numbers natural(found.fit.state.natural.begin() + block.first,
                          found.fit.state.natural.begin() + block.first + block.num_statistics);
    ASSERT_TRUE(infer::family_of(block).mode(natural, block, own));
    values.resize(std::max(values.size(), static_cast<std::size_t>(block.values.back() + 1)));
    for (std::size_t k = 0; k < own.size(); ++k)
      values[static_cast<std::size_t>(block.values[k])] = own[k];
  }
  const auto at = [&](const Numbers& x) {
    Numbers position(static_cast<std::size_t>(found.model->dimension()));
    found.form->place(x, position);
    return found.model->evaluate_in_full(position).log_density_no_jacobian;
  };
  EXPECT_NEAR(at(values), found.fit.bound, 1e-9);
  for (std::size_t k = 2; k < values.size(); ++k) {  // p sums to 1
    constexpr double kStep = 1e-4;
    Numbers up = values, down = values;
    up[k] += kStep, down[k] -= kStep;
    EXPECT_NEAR((at(up) - at(down)) / (2.0 * kStep), 0.0, 1e-4) << k;
  }
}

TEST(messages, of_one_point_are_variational_em) {
  const std::string program =
      std::string(testing::kMessageData) + testing::message_cases()[1].ways[0];
  const Fitted found = fitted(program, testing::kMessageValues, {.point = {"tau"}});
  const Numbers mu = found.natural("mu"), tau = found.natural("tau");
  const double point = tau[0] / -tau[1];  // the mode of its exponential family
  EXPECT_NEAR(-2.0 * mu[1], 0.25 + 12.0 * point, 1e-4);
  for (std::size_t k = 1; k < found.fit.course.size(); ++k)
    EXPECT_GE(found.fit.course[k].change, -1e-10);
  EXPECT_THROW(fitted(program, testing::kMessageValues, {.point = {"rho"}}), Error);
}

}  // namespace
}  // namespace credo::messages_test
