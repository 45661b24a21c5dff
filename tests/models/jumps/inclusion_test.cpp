// Variable selection against exact enumeration: sets of columns alone, and with coefficients.
#include "models/jumps/inclusion.hpp"

#include <gtest/gtest.h>

#include "density/function_density.hpp"
#include "infer/jumps/reversible_jump.hpp"
#include "support/test_seed.hpp"

namespace credo::models::jumps_inclusion_test {
namespace {
using namespace credo::infer;
using namespace credo::infer::rj;

constexpr Index kCandidates = 5, kRows = 24;

// y depends on the first two of five columns, which are correlated.
InclusionProblem small_problem() {
  InclusionProblem problem{.fixed = {}, .candidates = {}, .y = {}, .log_prior_of_number = {}};
  Rng rng({.seed = 31, .purpose = purpose::kTest});
  for (Index i = 0; i < kRows; ++i) {
    const double common = rng.normal();
    std::vector<double> row;
    for (Index c = 0; c < kCandidates; ++c) row.push_back(0.6 * common + rng.normal());
    problem.fixed.push_back(1.0);
    problem.candidates.insert(problem.candidates.end(), row.begin(), row.end());
    problem.y.push_back(0.5 + 0.6 * row[0] - 0.4 * row[1] + rng.normal());
  }
  for (Index k = 0; k <= kCandidates; ++k)
    problem.log_prior_of_number.push_back(-0.3 * static_cast<double>(k));
  return problem;
}

Inclusion set_of(Index bits) {
  Inclusion inclusion(kCandidates);
  for (Index c = 0; c < kCandidates; ++c)
    inclusion[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>((bits >> c) & 1);
  return inclusion;
}
Index bits_of(const Inclusion& inclusion) {
  Index bits = 0;
  for (Index c = 0; c < kCandidates; ++c)
    bits += inclusion[static_cast<std::size_t>(c)] ? 1 << c : 0;
  return bits;
}

std::vector<double> enumerated(InclusionSampler& sampler) {
  std::vector<double> weights;
  double sum = 0.0;
  for (Index bits = 0; bits < (1 << kCandidates); ++bits)
    sum += weights.emplace_back(std::exp(sampler.log_joint(set_of(bits))));
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The worst z of the 32 sets that have at least 1 % each.
double worst_z(const density::Draws& draws, const std::vector<double>& exact) {
  const Visits visits = visits_of(draws, ssize(exact));
  double worst = 0.0;
  for (std::size_t s = 0; s < exact.size(); ++s)
    if (exact[s] > 0.01) {
      EXPECT_GT(visits.mcse[s], 0.0) << "set " << s << " was never visited";
      worst = std::max(worst, std::fabs(visits.probability[s] - exact[s]) / visits.mcse[s]);
    }
  return worst;
}

density::Draws sampled_sets(InclusionSampler sampler) {
  constexpr Index kDraws = 40'000;
  density::Draws draws(kDraws, 1, 1);
  auto state = sampler.start(set_of(0));
  for (Index i = 0; i < kDraws; ++i) {
    Rng rng({.seed = testing::test_seed(8),
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(i)});
    sampler.step(state, rng);
    draws(i, 0, 0) = static_cast<double>(bits_of(state.inclusion));
  }
  return draws;
}

TEST(inclusion, sampled_agrees_with_enumeration) {
  InclusionSampler sampler(small_problem());
  EXPECT_LT(worst_z(sampled_sets(sampler), enumerated(sampler)), 4.0);
}

TEST(inclusion, of_sets_that_are_not_counted_by_their_size_is_rejected) {
  InclusionSampler sampler(small_problem());
  InclusionProblem wrong = small_problem();  // without 1 / binomial(C, k)
  const double choices[] = {1.0, 5.0, 10.0, 10.0, 5.0, 1.0};
  for (std::size_t k = 0; k < 6; ++k) wrong.log_prior_of_number[k] += std::log(choices[k]);
  EXPECT_GT(worst_z(sampled_sets(InclusionSampler(wrong)), enumerated(sampler)), 4.0);
}

// ---- the same models with coefficients and noise, 32 of them, by reversible jumps ----

std::shared_ptr<const density::LogDensity> with_coefficients(const InclusionProblem& p,
                                                             Index bits) {
  std::vector<Index> columns;
  for (Index c = 0; c < kCandidates; ++c)
    if ((bits >> c) & 1) columns.push_back(c);
  return density::make_density(2 + ssize(columns), [p, columns](std::span<const double> x,
                                                                std::span<double> gradient) {
    const double t = x[0], precision = std::exp(-2.0 * t);
    const double prior = precision / (p.candidate_scale * p.candidate_scale);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double sum = -2.0 * p.noise.shape * t - p.noise.rate * precision;
    gradient[0] = -2.0 * p.noise.shape + 2.0 * p.noise.rate * precision;
    for (std::size_t j = 1; j < x.size(); ++j) {
      sum -= std::log(p.candidate_scale) + t + 0.5 * prior * x[j] * x[j] + 0.91893853320467274;
      gradient[0] += prior * x[j] * x[j] - 1.0;
      gradient[j] -= prior * x[j];
    }
    for (Index i = 0; i < kRows; ++i) {
      const auto row = std::span(p.candidates).subspan(static_cast<std::size_t>(i * kCandidates));
      double r = p.y[static_cast<std::size_t>(i)] - x[1];
      for (std::size_t j = 0; j < columns.size(); ++j)
        r -= x[2 + j] * row[static_cast<std::size_t>(columns[j])];
      sum -= t + 0.5 * precision * r * r;
      gradient[0] += precision * r * r - 1.0;
      gradient[1] += precision * r;
      for (std::size_t j = 0; j < columns.size(); ++j)
        gradient[2 + j] += precision * r * row[static_cast<std::size_t>(columns[j])];
    }
    return sum;
  });
}

// One more coordinate at a fixed place.
class OnePlace final : public Places {
 public:
  explicit OnePlace(Index place) : place_(place) {}
  void of_label(const Label&, std::vector<Index>&, std::vector<Index>& to) const override {
    to.push_back(place_);
  }

 private:
  Index place_;
};

TEST(inclusion, with_coefficients_agrees_with_enumeration_and_the_collapsed_sampler) {
  const InclusionProblem problem = small_problem();
  InclusionSampler sampler(problem);
  const std::vector<double> exact = enumerated(sampler);
  std::vector<Model> models;
  std::vector<Jump> moves;
  const auto map = std::make_shared<const SmoothMap>(identity_map(1));
  for (Index bits = 0; bits < (1 << kCandidates); ++bits) {
    const int number = std::popcount(static_cast<unsigned>(bits));
    const double choices = std::tgamma(6.0) / std::tgamma(number + 1.0) / std::tgamma(6.0 - number);
    models.push_back({.name = "set",
                      .density = with_coefficients(problem, bits),
                      .log_prior = -0.3 * number - std::log(choices),
                      .update = kernel("nuts")});
    for (Index c = 0; c < kCandidates; ++c) {
      if ((bits >> c) & 1) continue;
      const int before = std::popcount(static_cast<unsigned>(bits & ((1 << c) - 1)));
      moves.push_back({.name = "add",
                       .back_name = "remove",
                       .from = bits,
                       .to = bits | (1 << c),
                       .map = map,
                       .there = {.probability = 0.1, .auxiliary = normal_auxiliary(1, 0.0, 0.4)},
                       .back = {.probability = 0.12},
                       .places = std::make_shared<OnePlace>(2 + before)});
    }
  }
  const Family family(std::move(models));
  const Jumps jumps(family, std::move(moves));
  StoredDraws store;
  run(jumps,
      {.num_chains = 4, .num_warmup = 1000, .num_draws = 20'000, .seed = testing::test_seed(6)},
      store);
  EXPECT_LT(worst_z(store.draws, exact), 4.0);
}

TEST(inclusion, of_candidate_centres_finds_both_bumps) {
  RbfProblem problem{.x = {}, .y = {}, .width = 0.4, .expected_centres = 1.0};
  Rng rng({.seed = 20, .purpose = purpose::kTest});
  std::vector<double> centres;
  for (int c = -4; c <= 4; ++c) centres.push_back(0.5 * c);
  for (int i = 0; i < 60; ++i) {
    const double at[] = {rng.uniform(-2.0, 2.0)}, left[] = {-1.0}, right[] = {1.0};
    problem.x.push_back(at[0]);
    problem.y.push_back(1.5 * problem.basis(at, left) + 1.2 * problem.basis(at, right) +
                        0.3 * rng.normal());
  }
  InclusionSampler sampler(rbf_inclusion(problem, centres));
  auto state = sampler.start(Inclusion(centres.size()));
  std::vector<double> number(centres.size() + 1), in(centres.size());
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    Rng step({.seed = testing::test_seed(9), .purpose = purpose::kTest, .iteration = i});
    sampler.step(state, step);
    number[static_cast<std::size_t>(state.num_included)] += 1.0;
    for (std::size_t c = 0; c < in.size(); ++c) in[c] += state.inclusion[c];
  }
  EXPECT_EQ(std::max_element(number.begin(), number.end()) - number.begin(), 2);
  EXPECT_GT(in[2], 0.9 * 20'000);  // at -1
  EXPECT_GT(in[6], 0.9 * 20'000);  // at 1
}

TEST(inclusion, refuses_columns_that_do_not_fit) {
  InclusionProblem problem = small_problem();
  problem.candidates.pop_back();
  EXPECT_THROW(InclusionSampler{problem}, Error);
  problem = small_problem();
  problem.log_prior_of_number.pop_back();
  EXPECT_THROW(InclusionSampler{problem}, Error);
}

TEST(inclusion, refuses_numbers_out_of_range) {
  InclusionProblem problem = small_problem();
  problem.y[3] = kNaN;
  EXPECT_THROW(InclusionSampler{problem}, Error);
  problem = small_problem();
  problem.candidate_scale = 0.0;
  EXPECT_THROW(InclusionSampler{problem}, Error);
  problem = small_problem();
  problem.noise.rate = -1.0;
  EXPECT_THROW(InclusionSampler{problem}, Error);
}

TEST(inclusion, of_no_candidates_stays_where_it_is) {
  InclusionSampler sampler(
      {.fixed = {1.0, 1.0}, .candidates = {}, .y = {0.3, 0.4}, .log_prior_of_number = {0.0}});
  auto state = sampler.start({});
  Rng rng({.seed = 1, .purpose = purpose::kTest});
  EXPECT_FALSE(sampler.step(state, rng));
  EXPECT_TRUE(std::isfinite(state.log_joint));
}

}  // namespace
}  // namespace credo::models::jumps_inclusion_test
