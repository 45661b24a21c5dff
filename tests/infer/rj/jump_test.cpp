// Jumps: their terms, that both directions are each other's reverse, and what is refused.
#include "infer/jumps/jump.hpp"

#include <gtest/gtest.h>

#include "density/function_density.hpp"
#include "infer/jumps/components.hpp"
#include "infer/rj/two_means.hpp"
#include "support/alloc_count.hpp"

namespace credo::infer::rj::rj_jump_test {
namespace {

constexpr ComponentLayout kLayout{.num_shared = 1, .size = 3, .num_positions = 2};

std::shared_ptr<const density::LogDensity> flat(Index dimension) {
  return density::make_value_density(dimension, [](std::span<const double>) { return 0.0; });
}

Family component_family(Index most) {
  std::vector<Model> models;
  for (Index k = 0; k <= most; ++k)
    models.push_back({.name = "k", .density = flat(kLayout.begin(k))});
  return Family(std::move(models));
}

// Positions (p, q) part by alpha u; weights a become a ± sinh(w).
std::shared_ptr<const SmoothMap> split_map(double alpha) {
  return std::make_shared<const SmoothMap>(MapFormulas{
      .size = 6,
      .forward =
          [=](Scalars x) {
            const Expr w = sinh(x[5]);
            return std::vector<Expr>{x[0] - alpha * x[3], x[1] - alpha * x[4], x[2] - w,
                                     x[0] + alpha * x[3], x[1] + alpha * x[4], x[2] + w};
          },
      .inverse =
          [=](Scalars y) {
            return std::vector<Expr>{(y[0] + y[3]) / 2.0,           (y[1] + y[4]) / 2.0,
                                     (y[2] + y[5]) / 2.0,           (y[3] - y[0]) / (2.0 * alpha),
                                     (y[4] - y[1]) / (2.0 * alpha), asinh((y[5] - y[2]) / 2.0)};
          }});
}

std::vector<Jump> component_moves(double alpha) {
  const std::vector<MoveProbabilities> by_number = {
      {.birth = 0.4},
      {.birth = 0.2, .death = 0.3, .split = 0.15},
      {.birth = 0.1, .death = 0.25, .split = 0.1, .merge = 0.2},
      {.death = 0.3, .merge = 0.35}};
  return component_jumps({.layout = kLayout,
                          .birth = normal_auxiliary(3, 0.0, 1.0),
                          .split = split_map(alpha),
                          .split_auxiliary = normal_auxiliary(3, 0.0, 0.7)},
                         by_number);
}

std::vector<double> random_position(const Family& family, Index model, Rng& rng) {
  std::vector<double> position(static_cast<std::size_t>(family.dimension()), 0.0);
  position[0] = static_cast<double>(model);
  for (Index d = 1; d <= family.dimension_of(model); ++d)
    position[static_cast<std::size_t>(d)] = rng.normal();
  return position;
}

template <class Make>
std::string message_of(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Fact 45: what goes there can come back, with the reciprocal ratio.
TEST(rj_jump, back_is_the_reverse_of_there_with_the_reciprocal_ratio) {
  const Family family = component_family(3);
  const Jumps jumps(family, component_moves(0.4));
  Proposer proposer(jumps);
  Index num_checked = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    Rng rng({.seed = 5, .purpose = purpose::kTest, .iteration = i});
    for (Index model = 0; model <= 3; ++model) {
      const std::vector<double> from = random_position(family, model, rng);
      std::vector<double> to(from.size()), again(from.size());
      for (const Move& move : jumps.moves_of(model)) {
        const JumpTerms there = proposer.propose(move, from, to, rng);
        if (!std::isfinite(there.sum())) continue;  // two that aren't nearest don't merge
        const std::vector<double> back_u(proposer.back_auxiliary().begin(),
                                         proposer.back_auxiliary().end());
        const Label label = proposer.label();
        const JumpTerms back =
            proposer.propose_with({move.jump, !move.there}, to, again, label, back_u);
        EXPECT_NEAR(there.sum(), -back.sum(), 1e-12 * (1.0 + std::fabs(there.sum())));
        for (std::size_t d = 0; d < from.size(); ++d) EXPECT_NEAR(again[d], from[d], 1e-12);
        ++num_checked;
      }
    }
  }
  EXPECT_GT(num_checked, 1000);
}

TEST(rj_jump, terms_of_a_split_are_those_of_the_closed_form) {
  const double alpha = 0.4;
  const Family family = component_family(3);
  const Jumps jumps(family, component_moves(alpha));
  Proposer proposer(jumps);
  const std::vector<double> from = {2.0, 0.9, 0.1, 0.2, 1.5, 3.0, 3.0, -0.5, 0.0, 0.0, 0.0};
  std::vector<double> to(from.size());
  const std::vector<double> u = {0.3, -0.2, 0.6};
  const Index split_from_two = 4;  // birth, birth, split, birth, split
  ASSERT_EQ(jumps.jump(split_from_two).name, "split");
  const JumpTerms terms = proposer.propose_with({split_from_two, true}, from, to, {0, 2}, u);
  EXPECT_NEAR(terms.jacobian, 2.0 * std::log(2.0 * alpha) + std::log(2.0 * std::cosh(0.6)), 1e-13);
  EXPECT_NEAR(terms.move, std::log(0.35 / 0.1), 1e-13);
  EXPECT_NEAR(terms.label, std::log((1.0 / 3.0) / (1.0 / 6.0)), 1e-13);
  double log_q = 0.0;
  for (const double x : u) log_q -= 0.5 * x * x / 0.49 + std::log(0.7) + 0.91893853320467274;
  EXPECT_NEAR(terms.auxiliary, -log_q, 1e-13);
  const double w = std::sinh(0.6);
  const std::vector<double> expected = {3.0, 0.9,  0.1 - 0.12, 0.2 + 0.08, 1.5 - w, 3.0,
                                        3.0, -0.5, 0.1 + 0.12, 0.2 - 0.08, 1.5 + w};
  for (std::size_t d = 0; d < to.size(); ++d) EXPECT_NEAR(to[d], expected[d], 1e-14) << d;
}

TEST(rj_jump, merges_only_nearest_neighbours) {
  const Family family = component_family(3);
  const Jumps jumps(family, component_moves(0.4));
  Proposer proposer(jumps);
  // the halves of the first come to lie beyond the second, which is nearer to either
  const std::vector<double> from = {2.0, 0.0, 0.0, 0.0, 1.0, 0.05, 0.0, 1.0, 0.0, 0.0, 0.0};
  std::vector<double> to(from.size());
  const std::vector<double> u = {1.5, 0.0, 0.1};
  EXPECT_EQ(proposer.propose_with({4, true}, from, to, {0, 2}, u).sum(), -kInfinity);
}

TEST(rj_jump, proposed_again_and_again_allocates_nothing) {
  const Family family = component_family(3);
  const Jumps jumps(family, component_moves(0.4));
  Proposer proposer(jumps);
  Rng rng({.seed = 6, .purpose = purpose::kTest});
  const std::vector<double> from = random_position(family, 2, rng);
  std::vector<double> to(from.size());
  const testing::AllocationCount count;
  for (int i = 0; i < 20; ++i)
    for (const Move& move : jumps.moves_of(2)) proposer.propose(move, from, to, rng);
  EXPECT_EQ(count.value(), 0);
}

TEST(rj_jump, with_a_wrong_inverse_is_refused_and_named) {
  const Family family = testing::TwoMeans{}.family({});
  std::vector<Jump> jumps = testing::two_means_jumps();
  jumps[0].map = std::make_shared<const SmoothMap>(
      MapFormulas{.size = 1,
                  .forward = [](Scalars x) { return std::vector<Expr>{sinh(x[0])}; },
                  .inverse = [](Scalars y) { return std::vector<Expr>{sinh(y[0])}; }});
  const Jumps wrong(family, jumps);
  const std::string message = message_of([&] { wrong.check(4, 1); });
  EXPECT_NE(message.find("doesn't lead 'birth' back"), std::string::npos) << message;
}

TEST(rj_jump, that_proposes_where_it_cannot_come_back_from_is_marked_and_not_taken) {
  const Family family = testing::TwoMeans{}.family({});
  std::vector<Jump> jumps = testing::two_means_jumps();
  jumps[0].map = std::make_shared<const SmoothMap>(
      MapFormulas{.size = 1,
                  .forward = [](Scalars x) { return std::vector<Expr>{square(x[0])}; },
                  .inverse = [](Scalars y) { return std::vector<Expr>{sqrt(y[0])}; }});
  const Jumps wrong(family, jumps);
  Proposer proposer(wrong);
  const std::vector<double> from = {0.0, 0.0};
  std::vector<double> to(2);
  const double positive[] = {0.7}, negative[] = {-0.7};
  EXPECT_FALSE(proposer.propose_with({0, true}, from, to, {}, positive).irreversible);
  EXPECT_TRUE(proposer.propose_with({0, true}, from, to, {}, negative).irreversible);
}

TEST(rj_jump, whose_dimensions_do_not_match_is_refused) {
  const Family family = testing::TwoMeans{}.family({});
  std::vector<Jump> jumps = testing::two_means_jumps();
  jumps[0].there.auxiliary = normal_auxiliary(2, 0.0, 1.0);
  const std::string message = message_of([&] { Jumps(family, jumps); });
  EXPECT_NE(message.find("of 1 numbers, coordinates and auxiliaries are 2 before and 1 after"),
            std::string::npos)
      << message;
}

TEST(rj_jump, that_cannot_come_back_or_is_too_frequent_is_refused) {
  const Family family = testing::TwoMeans{}.family({});
  const auto with = [&](double there, double back) {
    return message_of([&] { Jumps(family, testing::two_means_jumps(there, back)); });
  };
  EXPECT_NE(with(0.5, 0.0).find("a jump needs its way back"), std::string::npos);
  EXPECT_NE(with(1.5, 0.5).find("must be in [0, 1]"), std::string::npos);
  std::vector<Jump> twice = testing::two_means_jumps(0.7, 0.7);
  twice.push_back(twice[0]);
  const std::string message = message_of([&] { Jumps(family, twice); });
  EXPECT_NE(message.find("sum to 1.4"), std::string::npos) << message;
}

TEST(rj_jump, with_a_singular_map_is_refused) {
  const Family family = testing::TwoMeans{}.family({});
  std::vector<Jump> jumps = testing::two_means_jumps();
  const auto nowhere = [](Scalars x) { return std::vector<Expr>{floor(x[0]) * 0.0 + x[0] - x[0]}; };
  jumps[0].map = std::make_shared<const SmoothMap>(
      MapFormulas{.size = 1, .forward = nowhere, .inverse = nowhere});
  EXPECT_NE(message_of([&] { Jumps(family, jumps).check(4, 1); }), "");
}

}  // namespace
}  // namespace credo::infer::rj::rj_jump_test
