// credo exact: on the examples of textbooks, whose answers are known, and on programs summed here.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::exact_test {
namespace {

const std::string kExamples = CREDO_SOURCE_DIR "/examples/exact/";

class Exact : public testing::CommandRun {
 protected:
  Exact() : CommandRun("exact") {}

  static double probability(const testing::Json& found, const std::string& name, int value) {
    for (const testing::Json& parameter : found.at("parameters").items)
      if (parameter.at("name").text == name)
        return parameter.at("probabilities")
            .items.at(static_cast<std::size_t>(value - int(parameter.at("lower").number)))
            .number;
    ADD_FAILURE() << "no parameter " << name;
    return -1.0;
  }
};

// Russell & Norvig (2020), ch. 13, print 0.284; all digits by enumerating the eight states.
TEST_F(Exact, burglar_alarm_given_two_calls) {
  const testing::Json found = json(
      {"exact", kExamples + "burglary.stan", "--given", "john_calls=1", "--given", "mary_calls=1"});
  EXPECT_NEAR(probability(found, "burglary", 1), 0.28417183536439294, 1e-14);
  EXPECT_NEAR(probability(found, "earthquake", 1), 0.17606683840507925, 1e-14);
  EXPECT_NEAR(probability(found, "alarm", 1), 0.7606920388631079, 1e-14);
  EXPECT_EQ(probability(found, "john_calls", 1), 1.0);
  EXPECT_NEAR(found.at("log_given").number, std::log(0.0020841002389999997), 1e-13);
  EXPECT_NEAR(found.at("log_sum").number, std::log(0.0020841002389999997), 1e-13);
}

// The same chapter: P(rain) after two days with an umbrella; the path of five days is by enumeration of the 32.
TEST_F(Exact, umbrella_smoothing_filtering_and_the_most_probable_path) {
  write("two.json", R"({"T": 2, "umbrella": [1, 1]})");
  const testing::Json two = json({"exact", kExamples + "umbrella.stan", "--data", at("two.json")});
  EXPECT_NEAR(probability(two, "rain.1", 1), 0.883, 5e-4);
  EXPECT_NEAR(probability(two, "rain.2", 1), 0.883, 5e-4);
  write("one.json", R"({"T": 1, "umbrella": [1]})");
  const testing::Json one = json({"exact", kExamples + "umbrella.stan", "--data", at("one.json")});
  EXPECT_NEAR(probability(one, "rain.1", 1), 9.0 / 11.0, 1e-14);
  const testing::Json five =
      json({"exact", kExamples + "umbrella.stan", "--data", kExamples + "umbrella.json"});
  const std::array<double, 5> smoothed{0.8673388895754848, 0.8204190536236754, 0.30748357600661763,
                                       0.8204190536236754, 0.8673388895754848};
  const std::array<double, 5> path{1, 1, 0, 1, 1};
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_NEAR(probability(five, "rain." + std::to_string(t + 1), 1), smoothed[t], 1e-14);
    EXPECT_EQ(five.at("parameters").items[t].at("most_probable").number, path[t]);
  }
  EXPECT_NEAR(five.at("log_sum").number, std::log(0.0343037005), 1e-12);
  EXPECT_NEAR(five.at("most_probable").at("probability").number, 0.3373864577671439, 1e-13);
  EXPECT_EQ(five.at("width").number, 1.0);
}

// P(ill | both) by both at once, and with the posterior after the first as the prior of the second; the evidences multiply.
TEST_F(Exact, the_posterior_of_one_test_is_the_prior_of_the_next) {
  const std::string program = kExamples + "medical_test.stan";
  const testing::Json both = json({"exact", program, "--data", kExamples + "medical_test.json"});
  EXPECT_NEAR(probability(both, "ill", 1), 0.7659574468085106, 1e-14);
  write("first.json", R"({"N": 1, "positive": [1], "prevalence": 0.01})");
  const testing::Json first = json({"exact", program, "--data", at("first.json")});
  EXPECT_NEAR(probability(first, "ill", 1), 2.0 / 13.0, 1e-14);
  char text[200];
  std::snprintf(text, sizeof text, R"({"N": 1, "positive": [1], "prevalence": %.17g})",
                probability(first, "ill", 1));
  write("second.json", text);
  const testing::Json second = json({"exact", program, "--data", at("second.json")});
  EXPECT_NEAR(probability(second, "ill", 1), probability(both, "ill", 1), 1e-14);
  EXPECT_NEAR(first.at("log_sum").number + second.at("log_sum").number, both.at("log_sum").number,
              1e-13);
}

TEST_F(Exact, pairs_and_draws_agree_with_the_marginals_and_go_to_a_file) {
  const testing::Json found =
      json({"exact", kExamples + "umbrella.stan", "--data", kExamples + "umbrella.json", "--pairs",
            "--number", "4000", "--seed", "3", "-o", at("exact.nc")});
  ASSERT_EQ(found.at("pairs").items.size(), 4u);
  for (std::size_t t = 0; t < 4; ++t) {
    const testing::Json& distribution = found.at("pairs").items[t].at("probabilities");
    EXPECT_NEAR(distribution.items[2].number + distribution.items[3].number,
                probability(found, "rain." + std::to_string(t + 1), 1), 1e-14);
    EXPECT_NEAR(distribution.items[1].number + distribution.items[3].number,
                probability(found, "rain." + std::to_string(t + 2), 1), 1e-14);
  }
  double both = 0.0;
  for (const testing::Json& draw : found.at("draws").items)
    both += draw.items[2].number * draw.items[3].number;
  const double p = found.at("pairs").items[2].at("probabilities").items[3].number;
  EXPECT_NEAR(both / 4000.0, p, 4.0 * std::sqrt(p * (1.0 - p) / 4000.0));
  const testing::Json summary = json({"summary", at("exact.nc")});  // the draws are a fit's
  EXPECT_NEAR(summary.items.at(0).at("mean").number, probability(found, "rain.1", 1),
              4.0 * std::sqrt(0.25 / 4000.0));
}

// Two days apart, of a chain: the sum over the day between, of the joint probabilities of three.
TEST_F(Exact, joint_probabilities_are_of_parameters_that_need_not_meet) {
  const std::vector<std::string> words{"exact", kExamples + "umbrella.stan", "--data",
                                       kExamples + "umbrella.json"};
  auto joint = words;
  joint.insert(joint.end(), {"--joint", "rain[4], rain[1]", "--joint", "rain[1],rain[2],rain[4]"});
  const testing::Json found = json(joint), plain = json(words);
  EXPECT_EQ(found.at("log_sum").number, plain.at("log_sum").number);
  const testing::Json &pair = found.at("joints").items.at(0),
                      &three = found.at("joints").items.at(1);
  EXPECT_EQ(pair.at("names").items.at(0).text, "rain.1");
  EXPECT_EQ(pair.at("names").items.at(1).text, "rain.4");
  const auto p = [](const testing::Json& distribution, std::size_t k) {
    return distribution.at("probabilities").items.at(k).number;
  };
  for (const std::size_t first : {0u, 1u})
    for (const std::size_t last : {0u, 1u})
      EXPECT_NEAR(p(pair, 2 * first + last),
                  p(three, 4 * first + last) + p(three, 4 * first + 2 + last), 1e-14);
  EXPECT_NEAR(p(pair, 1) + p(pair, 3), probability(plain, "rain.4", 1), 1e-14);
  // Rain stays with 0.7 and 0.3: days apart are nearer to independent than neighbours, and aren't.
  EXPECT_GT(
      std::abs(p(pair, 3) - probability(plain, "rain.1", 1) * probability(plain, "rain.4", 1)),
      1e-3);
  // Given the first day, the last one's probability is their joint one over the first one's.
  auto given = words;
  given.insert(given.end(), {"--given", "rain[1]=1"});
  EXPECT_NEAR(probability(json(given), "rain.4", 1), p(pair, 3) / (p(pair, 2) + p(pair, 3)), 1e-12);
  ASSERT_EQ(run(joint), 0) << said();
  EXPECT_NE(printed().find("joint probabilities of rain.1, rain.4"), std::string::npos)
      << printed();
  const auto refused = [&](const std::vector<std::string>& more, const char* why) {
    auto all = words;
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(run(all), 2);
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  };
  refused({"--joint", "rain[9]"}, "no discrete parameter 'rain[9]'");
  refused({"--joint", "rain[1],rain[1]"}, "named twice");
  refused({"--joint", "rain[1],rain[2]", "--given", "rain[1]=1"}, "rain.1 is given");
  refused({"--joint", "rain[1],rain[2],rain[3]", "--most-entries", "7"}, "more than 7 entries");
}

// Both methods print the same numbers; the head of the answer names the method, and each has a limit of its own.
TEST_F(Exact, enumeration_gives_what_elimination_gives) {
  const std::vector<std::string> words{"exact",   kExamples + "burglary.stan",
                                       "--given", "john_calls=1",
                                       "--joint", "burglary, alarm"};
  const auto by = [&](const char* method) {
    auto all = words;
    all.insert(all.end(), {"--method", method});
    return json(all);
  };
  const testing::Json elimination = by("elimination"), enumeration = by("enumeration");
  EXPECT_EQ(enumeration.at("method").text, "enumeration");
  EXPECT_NEAR(enumeration.at("log_given").number, elimination.at("log_given").number, 1e-13);
  EXPECT_EQ(enumeration.at("num_entries").number, 16.0);
  for (const char* name : {"burglary", "earthquake", "alarm", "john_calls", "mary_calls"})
    EXPECT_NEAR(probability(enumeration, name, 1), probability(elimination, name, 1), 1e-14);
  auto few = words;
  few.insert(few.end(), {"--method", "enumeration", "--most-states", "15"});
  EXPECT_NE(run(few), 0);
  EXPECT_NE(on_one_line(said()).find("more than 15 configurations"), std::string::npos) << said();
  few.insert(few.end(), {"--most-entries", "100"});
  EXPECT_EQ(run(few), 2);  // an option of the other method
}

// Weights 1 / 2 of normals around m and 3: P(z | y) of each is a quotient of integrals over m, which are made here.
TEST_F(Exact, probabilities_over_a_fit_have_less_error_than_counting) {
  write("model.stan",
        "data { vector[4] y; } parameters { real m; array[4] int<lower=0, upper=1> z; }"
        "model { m ~ normal(0, 1); z ~ bernoulli(0.5); for (n in 1:4) y[n] ~ normal(z[n] == 1 ? m "
        ": 3, 1); }");
  write("data.json", R"({"y": [-0.5, 1.2, 1.6, 2.5]})");
  const std::array<double, 4> y{-0.5, 1.2, 1.6, 2.5};
  std::array<double, 4> exact{};
  double total = 0.0;
  for (int i = 0; i <= 4000; ++i) {
    const double m = -8.0 + 16.0 * i / 4000.0;
    double weight = std::exp(-0.5 * m * m);
    std::array<double, 4> first{};
    for (std::size_t n = 0; n < 4; ++n) {
      const double a = std::exp(-0.5 * (y[n] - m) * (y[n] - m)),
                   b = std::exp(-0.5 * (y[n] - 3) * (y[n] - 3));
      weight *= a + b;
      first[n] = a / (a + b);
    }
    total += weight;
    for (std::size_t n = 0; n < 4; ++n) exact[n] += weight * first[n];
  }
  ASSERT_EQ(run({"sample", at("model.stan"), "--data", at("data.json"), "--seed", "1", "--quiet",
                 "-o", at("fit.nc")}),
            0)
      << said();
  const testing::Json found =
      json({"exact", at("model.stan"), "--data", at("data.json"), "--fit", at("fit.nc")});
  for (std::size_t n = 0; n < 4; ++n) {
    const testing::Json& z = found.at("parameters").items[n];
    const double error = z.at("errors").items[1].number,
                 by_count = z.at("frequency_errors").items[1].number;
    EXPECT_NEAR(z.at("probabilities").items[1].number, exact[n] / total, 4.0 * error) << n;
    EXPECT_NEAR(z.at("frequencies").items[1].number, exact[n] / total, 4.0 * by_count) << n;
    EXPECT_LT(error, 0.75 * by_count) << n;
  }
  // Held to a wrong answer: the claim above would find it.
  EXPECT_GT(std::abs(found.at("parameters").items[1].at("probabilities").items[1].number -
                     exact[2] / total),
            4.0 * found.at("parameters").items[1].at("errors").items[1].number);

  // Without --data the data that the fit keeps are read.
  const testing::Json own = json({"exact", at("model.stan"), "--fit", at("fit.nc")});
  EXPECT_EQ(own.at("parameters").items[1].at("probabilities").items[1].number,
            found.at("parameters").items[1].at("probabilities").items[1].number);

  write("other.json", R"({"y": [-0.5, 1.2, 1.6, 2.4]})");
  EXPECT_EQ(run({"exact", at("model.stan"), "--data", at("other.json"), "--fit", at("fit.nc")}), 4);
  EXPECT_NE(on_one_line(said()).find("the fit has other data: y has other values"),
            std::string::npos)
      << said();
}

TEST_F(Exact, continuous_parameters_have_values_from_a_file) {
  write("model.stan",
        "parameters { real<lower=0> rate; int<lower=0, upper=2> n; } model { rate ~ "
        "exponential(1); n ~ poisson(rate); }");
  write("at.json", R"({"rate": 1.5})");
  const testing::Json found = json({"exact", at("model.stan"), "--at", at("at.json")});
  const double z = 1.0 + 1.5 + 1.125;
  EXPECT_NEAR(probability(found, "n", 2), 1.125 / z, 1e-14);
  EXPECT_NEAR(found.at("log_sum").number, std::log(z) - 1.5 - 1.5,
              1e-13);  // without the Jacobian of rate
  EXPECT_EQ(run({"exact", at("model.stan")}), 2);
  EXPECT_NE(on_one_line(said()).find("--at values.json"), std::string::npos) << said();
  write("none.json", "{}");
  EXPECT_NE(run({"exact", at("model.stan"), "--at", at("none.json")}), 0);
  EXPECT_NE(said().find("rate"), std::string::npos) << said();
}

TEST_F(Exact, a_grid_is_summed_within_the_limit_and_refused_beyond_it) {
  write("grid.stan",
        "data { int R; } parameters { array[R, R] int<lower=0, upper=1> z; } model {"
        "for (i in 1:R) for (j in 1:R) { if (i < R) target += 0.5 * (z[i, j] == z[i + 1, j]);"
        "if (j < R) target += 0.5 * (z[i, j] == z[i, j + 1]); } }");
  write("small.json", R"({"R": 8})");
  const testing::Json found = json({"exact", at("grid.stan"), "--data", at("small.json")});
  EXPECT_NEAR(probability(found, "z.3.4", 1), 0.5, 1e-12);  // symmetric
  EXPECT_GE(found.at("width").number, 8.0);
  EXPECT_NE(run({"exact", at("grid.stan"), "--data", at("small.json"), "--most-entries", "500"}),
            0);
  const std::string said_small = on_one_line(said());
  EXPECT_NE(said_small.find("the limit is 500"), std::string::npos) << said();
  EXPECT_NE(said_small.find("--most-entries"), std::string::npos) << said();
  write("large.json", R"({"R": 40})");
  EXPECT_NE(run({"exact", at("grid.stan"), "--data", at("large.json")}), 0);
  EXPECT_NE(on_one_line(said()).find("--discrete gibbs"), std::string::npos) << said();
}

TEST_F(Exact, wrong_words_are_told_with_the_way_out) {
  const std::string program = kExamples + "burglary.stan";
  EXPECT_EQ(run({"exact", program, "--given", "alram=1"}), 2);
  EXPECT_NE(said().find("did you mean alarm?"), std::string::npos) << said();
  EXPECT_EQ(run({"exact", program, "--given", "alarm=2"}), 2);
  EXPECT_NE(said().find("0..1"), std::string::npos) << said();
  EXPECT_EQ(run({"exact", program, "--given", "alarm"}), 2);
  EXPECT_EQ(run({"exact", program, "--given", "alarm=1.5"}), 2);
  EXPECT_EQ(run({"exact", program, "--given", "alarm=1", "--given", "alarm=0"}), 2);
  EXPECT_EQ(run({"exact", program, "--fit", "x.nc", "--pairs"}), 2);
  write("never.stan",
        "parameters { int<lower=0, upper=1> z; } model { target += z == 0 ? negative_infinity() : "
        "negative_infinity(); }");
  EXPECT_NE(run({"exact", at("never.stan")}), 0);
  EXPECT_NE(on_one_line(said()).find("no configuration"), std::string::npos) << said();
}

TEST_F(Exact, tells_a_table) {
  ASSERT_EQ(
      run({"exact", kExamples + "umbrella.stan", "--data", kExamples + "umbrella.json", "--pairs"}),
      0)
      << said();
  for (const char* words :
       {"log evidence: -3.37250", "width 1", "rain.3", "0.307484", "rain.1, rain.2:"})
    EXPECT_NE(printed().find(words), std::string::npos) << words << "\n" << printed();
}

}  // namespace
}  // namespace credo::cli::exact_test
