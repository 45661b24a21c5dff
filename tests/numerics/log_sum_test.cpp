#include "numerics/log_sum.hpp"

#include <gtest/gtest.h>

#include "numerics/elementary.hpp"
#include "support/ulp.hpp"

namespace credo::numerics::log_sum_test {
namespace {

// A plain sum in long double; 65 and more terms are several blocks. The bound: a rounding of at most half a unit for each term, and
// the error of exp, over the size of the logarithm.
TEST(log_sum_exp, is_the_logarithm_of_the_sum_whatever_the_size_of_its_terms) {
  test::SplitMix random{4};
  for (const std::size_t n : {1, 2, 63, 64, 65, 1000}) {
    for (const double shift : {0.0, 5000.0, -5000.0}) {
      std::vector<double> x(n);
      long double sum = 0.0L;
      for (double& v : x) {
        v = 6.0 * random.uniform() - 3.0;
        sum += std::exp(static_cast<long double>(v));
        v += shift;
      }
      const auto exact = static_cast<double>(std::log(sum)) + shift;
      EXPECT_NEAR(log_sum_exp(x), exact, 1e-15 * (std::fabs(exact) + static_cast<double>(n)));
    }
  }
}

TEST(log_sum_exp, has_the_limits_of_the_sum) {
  using List = std::vector<double>;
  EXPECT_EQ(log_sum_exp(List{}), -kInfinity);
  EXPECT_EQ(log_sum_exp(List{-kInfinity, -kInfinity}), -kInfinity);
  EXPECT_EQ(log_sum_exp(List{-kInfinity, 2.5}), 2.5);
  EXPECT_EQ(log_sum_exp(List{1.0, kInfinity}), kInfinity);
  EXPECT_TRUE(std::isnan(log_sum_exp(List{1.0, kNaN})));
}

TEST(weights_of_largest, are_softmax_weights_up_to_a_factor) {
  std::vector<double> logs{-2000.0, -2001.0, -kInfinity, -2003.5};
  EXPECT_EQ(weights_of_largest(logs), -2000.0);
  EXPECT_EQ(logs, (std::vector<double>{1.0, exp(-1.0), 0.0, exp(-3.5)}));
}

}  // namespace
}  // namespace credo::numerics::log_sum_test
