// Numbers of the model that a verdict looks up for the outputs of a file.
#include "verdict/probe.hpp"

#include <gtest/gtest.h>

#include "support/judged_runs.hpp"

namespace credo::verdict::probe_test {
namespace {

TEST(parameter_at, finds_the_number_by_its_name_whatever_the_order_of_a_file) {
  const auto model = credo::testing::model_of(
      "parameters { vector[2] a; real<lower=0> s; } model { a ~ normal(0, 1); s ~ exponential(1); "
      "} "
      "generated quantities { vector[3] g = rep_vector(s, 3); }",
      "{}");
  const Evidence evidence{.variables = {{.name = "g", .first = 0, .count = 3},
                                        {.name = "s", .first = 3, .count = 1},
                                        {.name = "a", .first = 4, .count = 2}},
                          .model = model.get()};
  const std::vector<double> point{0.3, -0.7, std::log(2.0)};
  EXPECT_DOUBLE_EQ(parameter_at(evidence, point, 3), 2.0);
  EXPECT_DOUBLE_EQ(parameter_at(evidence, point, 4), 0.3);
  EXPECT_DOUBLE_EQ(parameter_at(evidence, point, 5), -0.7);
  EXPECT_TRUE(std::isnan(parameter_at(evidence, point, 0)));  // not a parameter
  EXPECT_TRUE(std::isnan(parameter_at(evidence, point, 6)));  // beyond the outputs
}

}  // namespace
}  // namespace credo::verdict::probe_test
