// credo exact on examples of the texts: figures that the texts state, or that follow from their formulas.
#include <fmt/format.h>

#include "cli/text_examples.hpp"
#include "numerics/special.hpp"

namespace credo::cli::exact_examples_test {
namespace {

class ExactExamples : public TextExamples {
 protected:
  ExactExamples() : TextExamples("exact_examples") {}
  Json exact(const std::string& program, const std::string& data,
             const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"exact", example(program + ".stan"), "--data",
                                   example(data + ".json")};
    words.insert(words.end(), more.begin(), more.end());
    return json(std::move(words));
  }
};

// Seven stars in two square degrees, a gamma prior of shape 3 and scale 2: the evidence is 0.0603980.
TEST_F(ExactExamples, count_stars_in_two_surveys_in_either_order) {
  const Json may = exact("exact/survey", "exact/survey_may", {"-o", at("may.nc")});
  EXPECT_NEAR(std::exp(may.at("log_evidence").number), 0.0603980, 5e-8);
  const Json both =
      exact("exact/survey", "exact/survey_june",
            {"--after", at("may.nc"), "--predict", example("exact/survey_july.json")});
  exact("exact/survey", "exact/survey_june", {"-o", at("june.nc")});
  const Json reversed = exact("exact/survey", "exact/survey_may", {"--after", at("june.nc")});
  for (const Json& order : {both, reversed}) {
    const Json& arguments = order.at("parameters").items.at(0).at("arguments");
    EXPECT_NEAR(arguments.at("alpha").number, 3.0 + 30.0, 1e-8);
    EXPECT_NEAR(arguments.at("beta").number, 0.5 + 8.5, 1e-8);
  }
  const Json& july = both.at("predictive").items.at(0);
  EXPECT_EQ(july.at("family").text, "neg_binomial");
  EXPECT_NEAR(july.at("mean").number, 10.0 * 33.0 / 9.0, 1e-7);
}

// kappa_n = 6.5, mu_n = (0.25 + 8) / 6.5, a_n = 5, b_n = 1 + (0.5 (mu_n - 0.5)^2 + sum of (x - mu_n)^2) / 2 [murphy2023, section 3.2.3.3].
TEST_F(ExactExamples, normal_outcomes_have_a_normal_gamma_posterior) {
  const Json found = exact("texts/normal_gamma", "texts/normal_gamma");
  const double mu = 8.25 / 6.5;
  double rate = 1.0 + 0.25 * (mu - 0.5) * (mu - 0.5);
  for (const double x : {1.2, 0.4, 2.1, 1.6, 0.9, 1.8}) rate += 0.5 * (x - mu) * (x - mu);
  const Json& mean = found.at("parameters").items.at(0);
  EXPECT_EQ(mean.at("block_family").text, "normal_gamma");
  EXPECT_NEAR(mean.at("arguments").at("nu").number, 10.0, 1e-7);
  EXPECT_NEAR(mean.at("arguments").at("mu").number, mu, 1e-8);
  EXPECT_NEAR(mean.at("arguments").at("sigma").number, std::sqrt(rate / (5.0 * 6.5)), 1e-8);
  const Json& precision = found.at("parameters").items.at(1);
  EXPECT_NEAR(precision.at("arguments").at("alpha").number, 5.0, 1e-7);
  EXPECT_NEAR(precision.at("arguments").at("beta").number, rate, 1e-7);
  EXPECT_NEAR(found.at("log_evidence").number,
              numerics::lgamma(5.0) - numerics::lgamma(2.0) - 5.0 * std::log(rate) +
                  0.5 * std::log(0.5 / 6.5) - 3.0 * std::log(2.0 * std::numbers::pi),
              1e-7);
}

// Evidence choose(N, heads) B(heads + 2, tails + 3) / B(2, 3), mode (heads + 1) / (N + 3), predictive beta-binomial.
TEST_F(ExactExamples, a_coin_has_a_beta_posterior_whose_mode_is_that_of_optimize) {
  const Json data = example_data("exact/coin.json");
  const double tosses = data.at("tosses").number, heads = data.at("heads").number;
  const Json found = exact("exact/coin", "exact/coin");
  EXPECT_NEAR(found.at("log_evidence").number,
              numerics::lchoose(tosses, heads) +
                  numerics::lbeta(heads + 2.0, tosses - heads + 3.0) - numerics::lbeta(2.0, 3.0),
              1e-8);
  const Json& next = found.at("predictive").items.at(0);
  EXPECT_EQ(next.at("family").text, "beta_binomial");
  EXPECT_NEAR(next.at("mean").number, tosses * (heads + 2.0) / (tosses + 5.0), 1e-7);
  const Json best = json({"optimize", example("exact/coin.stan"), "--data",
                          example("exact/coin.json"), "--seed", usual_seed()});
  EXPECT_NEAR(best.at("mode").items.at(0).at("value").value(), (heads + 1.0) / (tosses + 3.0),
              1e-6);
}

// The next category k has the probability (n_k + alpha) / (N + K alpha).
TEST_F(ExactExamples, categories_have_the_probabilities_of_the_rule_of_their_prior) {
  const Json stored = exact("texts/categories", "texts/categories");
  EXPECT_NEAR(stored.at("predictive").items.at(0).at("arguments").at("theta[4]").number, 0.5 / 9.0,
              1e-9);
  const std::array<double, 4> counts{4.0, 1.0, 2.0, 0.0};
  for (const double alpha : {1.0, 0.5, 0.25}) {
    write("d.json",
          fmt::format(R"({{"K": 4, "N": 7, "x": [1, 3, 1, 1, 2, 3, 1], "alpha": {}}})", alpha));
    const Json found = json({"exact", example("texts/categories.stan"), "--data", at("d.json")});
    const Json& next = found.at("predictive").items.at(0).at("arguments");
    for (int k = 0; k < 4; ++k)
      EXPECT_NEAR(next.at(fmt::format("theta[{}]", k + 1)).number,
                  (counts[static_cast<std::size_t>(k)] + alpha) / (7.0 + 4.0 * alpha), 1e-9);
  }
}

}  // namespace
}  // namespace credo::cli::exact_examples_test
