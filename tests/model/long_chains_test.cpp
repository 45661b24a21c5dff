// Sums of many terms have the value of the same sum in a loop, in every block.
#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model::long_chains_test {
namespace {

std::string chain(const std::string& term, Index terms) {
  std::string text = term;
  for (Index k = 1; k < terms; ++k) text += " + " + term;
  return text;
}

// Left to right, so that the bits are those of the loop.
TEST(long_chains, have_the_values_of_loops) {
  constexpr Index kTerms = 20'000;
  const std::string sum = chain("0.1 * a * y[k]", kTerms);
  const std::string loop = "for (n in 2 : 20000) t += 0.1 * a * y[k];";
  const auto program = [](const std::string& total) {
    return "data { vector[2] y; }\nparameters { real a; }\nmodel {\n  a ~ normal(0, 1);\n"
           "  for (k in 1 : 2) {\n    real t = " +
           total +
           "\n    target += t;\n  }\n}\ngenerated quantities {\n  vector[2] u;\n"
           "  for (k in 1 : 2) {\n    real t = " +
           total + "\n    u[k] = t;\n  }\n}\n";
  };
  const char* const kData = R"({"y": [0.3, -1.7]})";
  const auto chained = model_from(program(sum + ";"), kData);
  const auto looped = model_from(program("0.1 * a * y[k]; " + loop), kData);
  const std::vector<double> point{0.37};
  constexpr double kRounding = 1e-11;  // 20,000 additions, in another order after the passes
  expect_same_density(*chained, *looped, point, {kRounding, kRounding});
  const StreamKey key{.seed = 1, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0};
  Rng one(key), other(key), third(key);
  std::vector<double> row;
  Writer(chained->draw_outputs()).write(point, one, row);
  EXPECT_EQ(row, chained->draw_outputs().write(point, other));
  EXPECT_EQ(row, looped->draw_outputs().write(point, third));
}

}  // namespace
}  // namespace credo::model::long_chains_test
