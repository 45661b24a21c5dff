// Mixtures: collapsed kernels by their exact matrices over all labels or partitions, kernels with
// parameters by exact starts.
#include <gtest/gtest.h>

#include "infer/finite/structure.hpp"
#include "models/mixture/collapsed_mixture.hpp"
#include "models/mixture/gaussian_mixture.hpp"
#include "support/finite_checks.hpp"
#include "support/kernel_checks.hpp"

namespace credo::models::mixture_mixture_test {
namespace {
using namespace credo::infer;
using namespace credo::testing;
using Labels = std::vector<Index>;

const std::vector<double> kPoints{-1.0, 0.3, -0.6, -0.2, 1.4, 0.9, 1.1, 1.7};  // four, of two

NormalInverseWishart flat_prior() {
  return {.mean = {0.1, -0.2},
          .mean_weight = 0.5,
          .scale = RowMatrix(2, 2, {1.0, 0.3, 0.3, 0.8}),
          .dof = 3.5};
}

template <class LogJoint>
std::vector<double> distribution_of(const std::vector<Labels>& states, const LogJoint& log_joint) {
  std::vector<double> logs;
  for (const Labels& labels : states) logs.push_back(log_joint(labels));
  return finite::distribution_from_log_weights(logs);
}

// ---- predictive densities and priors ----

TEST(gaussian_cluster, predicts_one_point_after_the_other_as_it_weighs_them_together) {
  const NormalInverseWishart prior = flat_prior();
  GaussianCluster cluster(prior);
  double sum = 0.0;
  for (std::size_t i = 0; i < 8; i += 2) {
    const auto x = std::span(kPoints).subspan(i, 2);
    sum += cluster.log_predictive(x);
    cluster.add(x);
    EXPECT_NEAR(cluster.log_marginal(), sum, 1e-13);
  }
}

TEST(gaussian_cluster, forgets_what_is_removed) {
  const NormalInverseWishart prior = flat_prior();
  GaussianCluster with(prior), without(prior);
  const std::array x{40.0, -30.0};
  for (std::size_t i = 0; i < 8; i += 2) {
    with.add(std::span(kPoints).subspan(i, 2));
    without.add(std::span(kPoints).subspan(i, 2));
  }
  with.add(x);
  EXPECT_TRUE(with.remove(x));
  // The outlier's square of 2500 against a scale near 1 costs so many digits.
  EXPECT_NEAR(with.log_predictive(std::array{0.5, 0.5}),
              without.log_predictive(std::array{0.5, 0.5}), 1e-10);
}

TEST(gaussian_cluster, says_when_what_is_removed_took_its_digits) {
  const NormalInverseWishart prior = flat_prior();
  for (const double size : {1e6, 1e9, 1e12}) {
    GaussianCluster cluster(prior);
    const std::array near{0.3, -0.4}, far{size, -size};
    cluster.add(near);
    cluster.add(far);
    EXPECT_FALSE(cluster.remove(far)) << size;
  }
}

// One dimension, by Simpson's rule: the predictive density is one.
TEST(gaussian_cluster, has_a_predictive_density_that_integrates_to_one) {
  const NormalInverseWishart prior{
      .mean = {1.0}, .mean_weight = 2.0, .scale = RowMatrix(1, 1, {3.0}), .dof = 6.0};
  GaussianCluster cluster(prior);
  cluster.add(std::array{0.4});
  double sum = 0.0;
  constexpr int kSteps = 40000;
  for (int i = 0; i <= kSteps; ++i) {
    const std::array x{-200.0 + 400.0 * i / kSteps};
    const double weight = i == 0 || i == kSteps ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
    sum += weight * std::exp(cluster.log_predictive(x)) * 400.0 / kSteps / 3.0;
  }
  EXPECT_NEAR(sum, 1.0, 1e-9);  // t with 7 degrees of freedom leaves 1e-13 outside
}

TEST(partition_prior, of_dirichlet_multinomial_sums_to_one_and_has_the_stated_conditionals) {
  const auto prior = PartitionPrior::dirichlet_multinomial(1.3, 3);
  double sum = 0.0;
  for (const Labels& labels : states_of({{3, 3, 3, 3}})) sum += std::exp(prior.log_prob(labels));
  EXPECT_NEAR(sum, 1.0, 1e-14);
  const Labels before{0, 2, 2};
  for (Index k = 0; k < 3; ++k) {
    const Labels after{0, 2, 2, k};
    const Index count = std::count(before.begin(), before.end(), k);
    EXPECT_NEAR(std::exp(prior.log_prob(after) - prior.log_prob(before)),
                prior.weight(count) / (1.3 + 3.0), 1e-14);
  }
}

TEST(partition_prior, of_a_restaurant_is_the_distribution_of_its_guests) {
  const auto prior = PartitionPrior::chinese_restaurant(1.7);
  std::map<Labels, double> probabilities;
  finite::Explorer explorer;
  do {
    const Labels labels = draw_labels(prior, 5, explorer);
    probabilities[labels] += explorer.probability();
  } while (explorer.next());
  EXPECT_EQ(probabilities.size(), 52u);  // Bell's number of 5
  for (const auto& [labels, probability] : probabilities)
    EXPECT_NEAR(std::exp(prior.log_prob(labels)), probability, 1e-14);
  EXPECT_EQ(by_first_member(Labels{3, 1, 3, 0}), (Labels{0, 1, 0, 2}));
}

// ---- collapsed kernels, exactly ----

TEST(collapsed_mixture, leaves_the_posterior_of_all_labels) {
  for (const double alpha : {1.5, 2.0}) {
    CollapsedGaussianMixture mixture(kPoints, flat_prior(),
                                     PartitionPrior::dirichlet_multinomial(alpha, 2));
    CollapsedGaussianMixture target(kPoints, flat_prior(),
                                    PartitionPrior::dirichlet_multinomial(1.5, 2));
    const auto states = states_of({{2, 2, 2, 2}});
    const auto distribution =
        distribution_of(states, [&](const Labels& z) { return target.log_joint(z); });
    const auto sweep = finite::transition_matrix(
        [&](Labels& z, Chooser& chooser) { mixture.sweep(z, chooser); }, states);
    EXPECT_EQ(bool(converges(sweep, distribution)), alpha == 1.5);  // 2.0: a planted mutant
    const auto single = finite::transition_matrix(
        [&](Labels& z, Chooser& chooser) {
          mixture.update_point(z, chooser.uniform_index(4), chooser);
        },
        states);
    EXPECT_EQ(bool(in_detailed_balance(single, distribution)), alpha == 1.5);
  }
}

TEST(dirichlet_process_mixture, leaves_the_posterior_of_all_partitions) {
  for (const double alpha : {0.8, 1.0}) {
    CollapsedGaussianMixture mixture(kPoints, flat_prior(),
                                     PartitionPrior::chinese_restaurant(alpha));
    CollapsedGaussianMixture target(kPoints, flat_prior(), PartitionPrior::chinese_restaurant(0.8));
    const auto reached = finite::reachable_chain(
        [&](Labels& z, Chooser& chooser) { mixture.sweep(z, chooser); }, Labels{0, 0, 0, 0});
    ASSERT_EQ(reached.states.size(), 15u);  // Bell's number of 4
    const auto distribution =
        distribution_of(reached.states, [&](const Labels& z) { return target.log_joint(z); });
    EXPECT_EQ(bool(converges(reached.chain, distribution)), alpha == 0.8);
  }
}

// With one point the start is the prior; with all, its distribution is proper and favours neighbours.
TEST(collapsed_mixture, starts_from_each_point_given_those_before) {
  CollapsedGaussianMixture mixture(kPoints, flat_prior(),
                                   PartitionPrior::dirichlet_multinomial(1.5, 2));
  std::map<Labels, double> probabilities;
  finite::Explorer explorer;
  do {
    const Labels labels = mixture.sequential_start(explorer);
    probabilities[labels] += explorer.probability();
  } while (explorer.next());
  EXPECT_EQ(probabilities.size(), 16u);
  // By hand: p(z_1) p(z_2 | z_1, x_1, x_2), which is the distribution of the labels of the first two.
  CollapsedGaussianMixture two(std::vector(kPoints.begin(), kPoints.begin() + 4), flat_prior(),
                               PartitionPrior::dirichlet_multinomial(1.5, 2));
  const auto states = states_of({{2, 2}});
  const auto distribution =
      distribution_of(states, [&](const Labels& z) { return two.log_joint(z); });
  for (std::size_t s = 0; s < states.size(); ++s) {
    double sum = 0.0;
    for (const auto& [labels, probability] : probabilities)
      if (labels[0] == states[s][0] && labels[1] == states[s][1]) sum += probability;
    EXPECT_NEAR(sum, distribution[s], 1e-12);
  }
}

// A sweep is its updates one after the other, each of which makes its clusters anew: also where a
// point leaves that took 10^12 of the scale with it, which are all but four of the digits. What a
// cluster with that point says of others has four digits, too, but a probability of 10^-6.
TEST(collapsed_mixture, sweeps_a_point_far_out_as_it_updates_one) {
  const std::vector<double> points{-1.0, 0.3, -0.6, -0.2, 1e6, -7e5};
  CollapsedGaussianMixture mixture(points, flat_prior(),
                                   PartitionPrior::dirichlet_multinomial(1.5, 2));
  const auto states = states_of({{2, 2, 2}});
  std::vector<finite::FiniteChain> updates, orders;
  for (const Index i : {0, 1, 2})
    updates.push_back(finite::transition_matrix(
        [&](Labels& z, Chooser& chooser) { mixture.update_point(z, i, chooser); }, states));
  std::array<std::size_t, 3> order{0, 1, 2};
  do {
    orders.push_back(
        finite::cycle(std::array{updates[order[0]], updates[order[1]], updates[order[2]]}));
  } while (std::next_permutation(order.begin(), order.end()));
  const auto expected = finite::mixture(orders);
  const auto sweep = finite::transition_matrix(
      [&](Labels& z, Chooser& chooser) { mixture.sweep(z, chooser); }, states);
  for (Index from = 0; from < ssize(states); ++from)
    for (Index to = 0; to < ssize(states); ++to)
      EXPECT_NEAR(sweep(from, to), expected(from, to), 1e-8) << from << ' ' << to;
}

TEST(collapsed_mixture, refuses_what_it_can_not_use) {
  const auto partition = PartitionPrior::chinese_restaurant(1.0);
  finite::Explorer explorer;
  CollapsedGaussianMixture mixture(kPoints, flat_prior(), partition);
  for (Labels labels : {Labels{0, 0, 0}, Labels{0, 0, 0, 4}, Labels{0, -1, 0, 0}})
    EXPECT_THROW(mixture.sweep(labels, explorer), Error);
  EXPECT_THROW(PartitionPrior::chinese_restaurant(0.0), Error);
  EXPECT_THROW(PartitionPrior::dirichlet_multinomial(1.0, 0), Error);
  EXPECT_THROW(CollapsedGaussianMixture({1.0, 2.0, 3.0}, flat_prior(), partition), Error);
  NormalInverseWishart narrow = flat_prior();
  narrow.dof = 1.0;
  EXPECT_THROW(CollapsedGaussianMixture(kPoints, narrow, partition), Error);
}

// ---- kernels with parameters: exact starts ----

// Mean over replicates of f(end) - f(start), in standard errors: standard normal when the kernel
// leaves the joint distribution of parameters and data, |z| > 4 with probability 6e-5.
template <class Replicate>
double worst_z(Index num_replicates, std::uint64_t seed, const Replicate& replicate) {
  std::vector<double> sums, squares;
  for (Index r = 0; r < num_replicates; ++r) {
    Rng rng({.seed = test_seed(seed),
             .purpose = purpose::kTest + 30,
             .iteration = static_cast<std::uint32_t>(r)});
    const std::vector<double> differences = replicate(rng);
    sums.resize(differences.size(), 0.0), squares.resize(differences.size(), 0.0);
    for (std::size_t f = 0; f < differences.size(); ++f)
      sums[f] += differences[f], squares[f] += differences[f] * differences[f];
  }
  double worst = 0.0;
  for (std::size_t f = 0; f < sums.size(); ++f)
    worst = worse(worst, std::fabs(sums[f]) / std::sqrt(squares[f]));
  return worst;
}

GaussianMixturePrior mixture_prior() {
  return {.concentrations = {2.0, 1.0},
          .mean = {0.5, -0.5},
          .mean_covariance = RowMatrix(2, 2, {2.0, 0.5, 0.5, 1.5}),
          .scale = RowMatrix(2, 2, {6.0, 1.0, 1.0, 5.0}),
          .dof = 9.0};
}

std::vector<double> summary_of(const GaussianMixtureState& state, const GaussianMixtureGibbs& gibbs,
                               std::span<const double> points) {
  const GaussianMixture& m = state.mixture;
  const Index in_first = std::count(state.labels.begin(), state.labels.end(), Index{0});
  return {m.weights[0],
          m.weights[0] * m.weights[0],
          m.means[0][0],
          m.means[1][1] * m.means[1][1],
          m.means[0][0] * m.means[0][1],
          std::log(m.covariances[0](0, 0)),
          m.covariances[1](0, 1),
          log_determinant_of_factor(lower_factor(m.covariances[1])),
          static_cast<double>(in_first),
          m.means[0][0] * points[0],
          static_cast<double>(state.labels[0]) * points[0],
          gibbs.log_complete(state)};
}

double mixture_z(const GaussianMixturePrior& assumed, Index num_replicates, std::uint64_t seed) {
  return worst_z(num_replicates, seed, [&](Rng& rng) {
    GaussianMixtureState state = draw_prior(mixture_prior(), 6, rng);
    const std::vector<double> points = draw_points(state, rng);
    const GaussianMixtureGibbs gibbs(points, assumed);
    const auto before = summary_of(state, gibbs, points);
    for (int s = 0; s < 3; ++s) gibbs.step(state, rng);
    auto differences = summary_of(state, gibbs, points);
    for (std::size_t f = 0; f < differences.size(); ++f) differences[f] -= before[f];
    return differences;
  });
}

TEST(gaussian_mixture_gibbs, leaves_the_joint_distribution_of_parameters_labels_and_points) {
  EXPECT_LT(mixture_z(mixture_prior(), 8000, 1), 4.0);
}

TEST(gaussian_mixture_gibbs, is_rejected_with_a_wrong_prior_in_any_block) {
  for (const int block : {0, 1, 2}) {
    GaussianMixturePrior wrong = mixture_prior();
    if (block == 0) wrong.concentrations = {1.0, 1.0};
    if (block == 1) wrong.mean_covariance = RowMatrix(2, 2, {1.0, 0.5, 0.5, 1.5});
    if (block == 2) wrong.dof += 1.0;  // as if every covariance had seen a point more
    EXPECT_GT(mixture_z(wrong, 8000, 2), 6.0) << block;
  }
}

TEST(gaussian_mixture_gibbs, draws_labels_from_their_conditional) {
  Rng rng({.seed = test_seed(4), .purpose = purpose::kTest + 31});
  const GaussianMixtureState start = draw_prior(mixture_prior(), 4, rng);
  const GaussianMixtureGibbs gibbs(kPoints, mixture_prior());
  const auto states = states_of({{2, 2, 2, 2}});
  const auto distribution = distribution_of(states, [&](const Labels& z) {
    return gibbs.log_complete({.mixture = start.mixture, .labels = z});
  });
  const auto chain = finite::transition_matrix(
      [&](Labels& z, Chooser& chooser) {
        GaussianMixtureState state{.mixture = start.mixture, .labels = z};
        gibbs.update_labels(state, chooser);
        z = state.labels;
      },
      states);
  EXPECT_TRUE(converges(chain, distribution));
  EXPECT_TRUE(in_detailed_balance(chain, distribution));
}

// The mixture of two modes of X6: means -20 and 20, variances 100, weights 0.3 and 0.7. Stated:
// label 1 -> 2 with probability 0.05159, back 0.02211, second eigenvalue 0.92629.
TEST(gaussian_mixture_gibbs, refuses_states_and_data_that_do_not_fit) {
  const GaussianMixturePrior prior{.concentrations = {1.0, 1.0},
                                   .mean = {0.0},
                                   .mean_covariance = numerics::diagonal_matrix(1, 1.0),
                                   .scale = numerics::diagonal_matrix(1, 1.0),
                                   .dof = 2.0};
  EXPECT_THROW(GaussianMixtureGibbs({1.0, kNaN}, prior), Error);
  Rng rng({.seed = 1, .purpose = purpose::kTest});
  const GaussianMixtureGibbs gibbs({1.0, 2.0, 3.0}, prior);
  GaussianMixtureState state = draw_prior(prior, 2, rng);
  EXPECT_THROW(gibbs.step(state, rng), Error);
  state = draw_prior(prior, 3, rng);
  state.mixture.means.pop_back();
  EXPECT_THROW(gibbs.step(state, rng), Error);
  EXPECT_THROW(NormalPrecisionGibbs({1.0, kInfinity}), Error);
  EXPECT_THROW(NormalPrecisionGibbs({1.0, 2.0}, {.shape = kNaN}), Error);
}

TEST(known_mixture_gibbs, has_the_stated_chain_of_labels) {
  const GaussianMixture mixture{
      .weights = {0.3, 0.7},
      .means = {{-20.0}, {20.0}},
      .covariances = {numerics::diagonal_matrix(1, 100.0), numerics::diagonal_matrix(1, 100.0)}};
  std::array<double, 2> leave{};
  for (Index k = 0; k < 2; ++k) {
    for (double z = -9.0; z <= 9.0; z += 0.01) {  // smooth and 0 at both ends: sums are integrals
      const std::array x{mixture.means[k][0] + 10.0 * z};
      const auto logs = log_label_weights(mixture, x);
      const double other = 1.0 / (1.0 + std::exp(logs[k] - logs[1 - k]));
      leave[k] += 0.01 * std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::acos(-1.0)) * other;
    }
  }
  EXPECT_NEAR(leave[0], 0.05159, 5.1e-6);
  EXPECT_NEAR(leave[1], 0.02211, 5.1e-6);
  EXPECT_NEAR(1.0 - leave[0] - leave[1], 0.92629, 5.1e-6);

  Rng rng({.seed = test_seed(6), .purpose = purpose::kTest + 32});
  LabelledPoint at{.x = {-20.0}, .label = 0};
  double moves = 0.0, from_first = 0.0, sum = 0.0;
  constexpr int kSteps = 200000;
  for (int i = 0; i < kSteps; ++i) {
    const Index before = at.label;
    step_known(mixture, at, rng);
    if (before == 0) from_first += 1.0, moves += at.label == 1 ? 1.0 : 0.0;
    sum += at.x[0];
  }
  EXPECT_NEAR(moves / from_first, leave[0], 4.0 * std::sqrt(leave[0] / from_first));
  // Variance 436 and autocorrelation time 21.9 as stated.
  EXPECT_NEAR(sum / kSteps, 8.0, 4.0 * std::sqrt(436.0 * 21.9 / kSteps));
}

// Limiting prior: precision ~ Gamma((N - 1) / 2, sum of squares about the mean / 2), then the mean.
double precision_z(double extra_shape) {
  const std::vector<double> data{1.3, -0.4, 2.2, 0.7, 1.9};
  const double centre = 1.14, half_squares = 0.5 * 4.292;
  const NormalPrecisionGibbs gibbs(data, {.shape = extra_shape});
  return worst_z(20000, 3, [&](Rng& rng) {
    double square = 0.0;  // chi^2 of 4 degrees of freedom
    for (int i = 0; i < 4; ++i) {
      const double z = rng.normal();
      square += z * z;
    }
    NormalPrecisionState state{.precision = 0.5 * square / half_squares};
    state.mean = centre + rng.normal() / std::sqrt(5.0 * state.precision);
    const NormalPrecisionState before = state;
    for (int s = 0; s < 2; ++s) gibbs.step(state, rng);
    return std::vector{state.mean - before.mean, state.precision - before.precision,
                       std::log(state.precision / before.precision),
                       std::fabs(state.mean - centre) - std::fabs(before.mean - centre)};
  });
}

TEST(normal_precision_gibbs, leaves_the_closed_form_posterior_and_a_wrong_shape_does_not) {
  EXPECT_LT(precision_z(0.0), 4.0);
  EXPECT_GT(precision_z(0.5), 8.0);
  EXPECT_THROW(NormalPrecisionGibbs({1.0, 1.0}), Error);
  EXPECT_THROW(NormalPrecisionGibbs({}, {.shape = -1.0}), Error);
}

// ---- partitions ----

// The proportions' prior as one source prints it: a for each component instead of a / K.
TEST(gibbs_mutants, a_dirichlet_multinomial_with_a_in_every_component_is_rejected) {
  const auto prior = PartitionPrior::dirichlet_multinomial(1.5, 2),
             misprint = PartitionPrior::dirichlet_multinomial(3.0, 2);
  const auto states = states_of({{2, 2, 2}});
  std::vector<double> weights;
  for (const Labels& labels : states) weights.push_back(std::exp(prior.log_prob(labels)));
  const auto chain = [&](const PartitionPrior& by) {
    return finite::transition_matrix(
        [&](Labels& labels, Chooser& c) {
          const Index i = c.uniform_index(3);
          std::array<double, 2> of{};
          for (std::size_t k = 0; k < 2; ++k) {
            Index others = 0;
            for (Index j = 0; j < 3; ++j)
              others += j != i && labels[std::size_t(j)] == Index(k) ? 1 : 0;
            of[k] = by.weight(others);
          }
          labels[std::size_t(i)] = c.choose(of);
        },
        states);
  };
  EXPECT_TRUE(leaves_invariant(chain(prior), weights));
  EXPECT_FALSE(leaves_invariant(chain(misprint), weights));
}

// ---- a known mixture ----

// x from N(μ_k, 1), then k given x; the mutant takes the component without its weight.
double known_mixture_z(bool with_weights) {
  const GaussianMixture mixture{
      .weights = {0.3, 0.7},
      .means = {{-1.0}, {1.0}},
      .covariances = {numerics::diagonal_matrix(1, 1.0), numerics::diagonal_matrix(1, 1.0)}};
  GaussianMixture used = mixture;
  if (!with_weights) used.weights = {0.5, 0.5};
  double sum = 0.0, squares = 0.0;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    Rng rng({.seed = test_seed(3), .purpose = purpose::kTest + 50, .iteration = i});
    LabelledPoint at{.x = {0.0}, .label = rng.uniform() < 0.3 ? 0 : 1};
    for (int s = 0; s < 3; ++s) step_known(used, at, rng);
    const double off = at.x[0] - 0.4;
    sum += off, squares += off * off;
  }
  return std::fabs(sum) / std::sqrt(squares);
}
TEST(gibbs_mutants, a_known_mixture_without_its_weights_is_rejected) {
  EXPECT_LT(known_mixture_z(true), 4.0);
  EXPECT_GT(known_mixture_z(false), 6.0);
}

// ---- X8: collapsed against vanilla ----

// Four clusters of the plane, 300 points, 20 random labelings from which both start, judged by the
// same function after five sweeps: the complete-data log probability. The collapsed sampler draws
// parameters given its labels first.
TEST(collapsed_mixture, reaches_a_good_log_probability_in_fewer_sweeps_than_vanilla) {
  Rng rng({.seed = test_seed(12), .purpose = purpose::kTest + 33});
  GaussianMixtureState truth;
  for (Index i = 0; i < 300; ++i) truth.labels.push_back(i % 4);
  truth.mixture.weights.assign(4, 0.25);
  truth.mixture.means = {{-2.0, -2.0}, {2.0, -2.0}, {-2.0, 2.0}, {2.5, 2.0}};
  truth.mixture.covariances.assign(4, RowMatrix(2, 2, {0.6, 0.1, 0.1, 0.5}));
  const std::vector<double> points = draw_points(truth, rng);
  const GaussianMixturePrior prior{.concentrations = std::vector<double>(4, 1.0),
                                   .mean = {0.0, 0.0},
                                   .mean_covariance = numerics::diagonal_matrix(2, 9.0),
                                   .scale = numerics::diagonal_matrix(2, 1.0),
                                   .dof = 4.0};
  const NormalInverseWishart conjugate{
      .mean = prior.mean, .mean_weight = 0.1, .scale = prior.scale, .dof = prior.dof};
  const GaussianMixtureGibbs vanilla(points, prior);
  CollapsedGaussianMixture collapsed(points, conjugate,
                                     PartitionPrior::dirichlet_multinomial(4.0, 4));
  RngChooser chooser(rng);
  const auto draw_parameters = [&](GaussianMixtureState& state) {
    vanilla.update_weights(state, rng);
    for (int s = 0; s < 5; ++s) {
      vanilla.update_means(state, rng);
      vanilla.update_covariances(state, rng);
    }
  };
  std::vector<double> of_vanilla, of_collapsed;
  for (int start = 0; start < 20; ++start) {
    GaussianMixtureState state = draw_prior(prior, 300, rng);
    for (Index& label : state.labels) label = chooser.uniform_index(4);
    GaussianMixtureState other = state;
    draw_parameters(state);
    for (int s = 0; s < 5; ++s) {
      vanilla.step(state, rng);
      collapsed.sweep(other.labels, chooser);
    }
    draw_parameters(other);
    of_vanilla.push_back(vanilla.log_complete(state));
    of_collapsed.push_back(vanilla.log_complete(other));
  }
  std::sort(of_vanilla.begin(), of_vanilla.end());
  std::sort(of_collapsed.begin(), of_collapsed.end());
  EXPECT_GT(of_collapsed[10], of_vanilla[10]) << "medians";
}

TEST(gaussian_mixture_gibbs, traces_the_complete_data_log_probability) {
  const GaussianMixturePrior prior = mixture_prior();
  Rng rng({.seed = 14, .purpose = purpose::kTest + 34});
  const GaussianMixtureState state = draw_prior(prior, 4, rng);
  const GaussianMixtureGibbs gibbs(kPoints, prior);
  double sum = 0.0;
  for (Index i = 0; i < 4; ++i) {
    const Index k = state.labels[i];
    const RowMatrix& c = state.mixture.covariances[k];
    const double a = kPoints[2 * i] - state.mixture.means[k][0];
    const double b = kPoints[2 * i + 1] - state.mixture.means[k][1];
    const double det = c(0, 0) * c(1, 1) - c(0, 1) * c(0, 1);
    const double square = (c(1, 1) * a * a - 2.0 * c(0, 1) * a * b + c(0, 0) * b * b) / det;
    sum += std::log(state.mixture.weights[k] / (2.0 * std::acos(-1.0))) - 0.5 * std::log(det) -
           0.5 * square;
  }
  EXPECT_NEAR(gibbs.log_complete(state), sum, 1e-12 * std::fabs(sum));
}

}  // namespace
}  // namespace credo::models::mixture_mixture_test
