// Von Mises with concentration 0: the uniform distribution on the circle, which is the limit.
#include "dist/at.hpp"

namespace credo::dist::von_mises_test {
namespace {
constexpr double kPi = 3.141592653589793, kTiny = 1e-15;

TEST(von_mises, of_concentration_zero_is_uniform_on_the_circle) {
  const At at({"von_mises", {0.5, 0.0}});
  for (const double y : {-3.0, 0.0, 1.0, 3.1}) {
    EXPECT_NEAR(at.log_density(y), -std::log(2.0 * kPi), kTiny);
    EXPECT_NEAR(at.cdf(y), (y + kPi) / (2.0 * kPi), 4 * kTiny) << y;
  }
  EXPECT_NEAR(at.quantile(Tail::cdf, 0.25), -kPi / 2.0, 1e-12);  // as inversion sampling uses it
  EXPECT_NEAR(at.d.entropy(at.params), std::log(2.0 * kPi), kTiny);
  EXPECT_NEAR(at.d.variance(at.params), kPi * kPi / 3.0, 1e-13);
}

TEST(von_mises, of_concentration_zero_draws_uniform_angles) {
  const At at({"von_mises", {0.5, 0.0}});
  Rng rng({.seed = 5, .purpose = purpose::kTest});
  constexpr int kDraws = 10'000;
  Numbers uniform;
  for (int i = 0; i < kDraws; ++i)
    uniform.push_back((draw(at.d, rng, at.params) - 0.5 + kPi) / (2.0 * kPi));
  std::sort(uniform.begin(), uniform.end());
  double distance = 0.0;  // Kolmogorov's distance; times root n it exceeds 2.0 for one seed in 1500
  for (int i = 0; i < kDraws; ++i)
    distance =
        std::max(distance, std::abs(uniform[static_cast<std::size_t>(i)] - (i + 0.5) / kDraws));
  EXPECT_LT(distance * std::sqrt(kDraws), 2.0);
}

TEST(von_mises, refuses_a_negative_concentration) {
  EXPECT_ANY_THROW(At({"von_mises", {0.5, -0.1}}).log_density(1.0));
}

}  // namespace
}  // namespace credo::dist::von_mises_test
