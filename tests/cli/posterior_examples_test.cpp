// Posteriors, evidences and codes: the worked examples of the texts (docs/text-examples.md) by the commands, beside quadrature and closed forms.
#include <numbers>

#include "support/share.hpp"
#include "text_examples.hpp"

namespace credo::cli::posterior_examples_test {
namespace {
constexpr double kLog2 = std::numbers::ln2;

class PosteriorExamples : public TextExamples {
 protected:
  PosteriorExamples() : TextExamples("posterior_examples") {}

  // A file of data with members of another one replaced: {"a": 0.5} in the place of "a": 1.
  std::string with(const std::string& data, const std::string& name, const std::string& value) {
    std::string text = io::read_file(example("texts/" + data + ".json"));
    const std::size_t place = text.find("\"" + name + "\":");
    EXPECT_NE(place, std::string::npos) << name;
    const std::size_t begin = text.find_first_not_of(' ', place + name.size() + 3);
    const std::size_t end =
        text[begin] == '[' ? text.find(']', begin) + 1 : text.find_first_of(",}", begin);
    const std::string file = data + "_" + std::to_string(num_files_++) + ".json";
    write(file, text.replace(begin, end - begin, value));
    return at(file);
  }
  struct Estimate {
    double value, error;
  };
  Estimate evidence(const std::string& program, const std::string& data, const std::string& method,
                    std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"evidence", example("texts/" + program + ".stan"), "--data", data,
                               "--method", method, "--seed", usual_seed()});
    const Json found = json(std::move(more)).at("methods").items.at(0);
    return {found.at("log_evidence").number, found.at("error").number};
  }
  void expect_evidence(const Estimate& found, double wanted, double at_most = 0.1) {
    EXPECT_NEAR(found.value, wanted, kTextErrors * found.error);
    EXPECT_LT(found.error, at_most);
    EXPECT_GT(std::abs(found.value - wanted - 1.0), kTextErrors * found.error);  // seen, were it so
  }
  std::map<std::string, double> mode(const std::string& program, const std::string& data,
                                     double* log_density = nullptr) {
    const Json told = json({"optimize", example("texts/" + program + ".stan"), "--data", data,
                            "--seed", usual_seed()});
    if (log_density != nullptr)
      *log_density = told.at("starts")
                         .items.at(static_cast<std::size_t>(told.at("best").number) - 1)
                         .at("log_density")
                         .number;
    std::map<std::string, double> values;
    for (const Json& row : told.at("mode").items)
      values[row.at("name").text] = row.at("value").number;
    return values;
  }

 private:
  int num_files_ = 0;
};

// Six peaks, whose heights a grid tells: walks that cool find the highest, and single climbs end on others, too.
TEST_F(PosteriorExamples, have_six_peaks_the_highest_of_which_annealing_finds) {
  const auto heights = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "optimize", example("texts/peaks.stan"), "--starts", "8", "--seed", usual_seed()};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<double> found;
    const Json answer = json(std::move(words));
    for (const Json& start : answer.at("starts").items)
      found.push_back(std::exp(start.at("log_density").number));
    return found;
  };
  const std::vector<double> annealed = heights({"--method", "anneal"}), climbed = heights({});
  const auto highest = [](double height) { return std::fabs(height - 8.1062) < 1e-3; };
  EXPECT_TRUE(std::ranges::any_of(annealed, highest));
  EXPECT_GT(std::ranges::count_if(annealed, highest), std::ranges::count_if(climbed, highest));
  for (const double height : climbed) EXPECT_LT(height, 8.107);
}

// Two wells: Z = 0.2111628, E theta^2 = 0.8820471, both wells alike. NUTS from 1 crosses seldom; the populations of smc hold both, and the
// number of stages is that of the many-particle limit: powers 0.0711, 0.2362, 0.4476, 0.7257, 1 where nine tenths stay effective.
TEST_F(PosteriorExamples, have_two_wells_that_smc_covers_evenly) {
  const auto density = [](double x) {
    return std::exp(-0.5 * x * x - 5.0 * std::pow(x * x - 1.0, 2)) /
           std::sqrt(2.0 * std::numbers::pi);
  };
  const double z = integral(density, -4.0, 4.0);
  EXPECT_NEAR(std::log(z), -1.5551261, 1e-6);
  const std::string data = example("texts/two_wells.json");
  const std::string file = draw("two_wells", {"--data", data, "--sampler", "smc", "--draws", "2000",
                                              "--conditional-ess", "0.9", "--resample-below", "1"});
  EXPECT_NEAR(mean_of_setting(file, "log_evidence"), std::log(z),
              kTextErrors * mean_of_setting(file, "log_evidence_error") / 2.0);  // four populations
  expect_mean(file, "square(theta[1])", 0.8820471);
  expect_mean(file, "theta[1]^4", 0.8879447);
  expect_mean(file, "abs(theta[1]) < 0.5", 0.03266);
  expect_mean(file, "theta[1] > 0", 0.5);
  const auto fit = open(file);
  ASSERT_EQ(fit->tables().at(0).name, "stages");
  const auto width = static_cast<std::size_t>(fit->tables()[0].columns.size());
  // Of one population of 2,000 a power varies by these standard deviations, seen over 40; the mean of four by half of them.
  const std::array<double, 5> powers{0.0711, 0.2362, 0.4476, 0.7257, 1.0},
      spread{0.0067, 0.0102, 0.0139, 0.0198, 1e-12};
  std::array<double, 5> mean{};
  for (Index chain = 0; chain < 4; ++chain) {
    const std::vector<double> stages = fit->table_rows(0, chain);
    ASSERT_EQ(stages.size(), 5 * width);
    for (std::size_t k = 0; k < 5; ++k) mean[k] += stages[k * width] / 4.0;
  }
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(mean[k], powers[k], kTextErrors * spread[k] / 2.0) << k;
  // As many stages as in the limit of many particles, by how many stay effective: the text's 8 are those of 0.95, not of one half.
  for (const auto& [effective, number] : {std::pair{"0.5", 2u}, std::pair{"0.75", 3u},
                                          std::pair{"0.85", 4u}, std::pair{"0.95", 8u}}) {
    const auto one = open(draw(
        "two_wells", {"--data", data, "--sampler", "smc", "--draws", "2000", "--conditional-ess",
                      effective, "--resample-below", "1", "--chains", "1", "--num-moves", "1"}));
    EXPECT_EQ(one->table_rows(0, 0).size(), number * width) << effective;
  }
  // The sign of successive draws of four chains from 1.
  const auto signs = values_of(
      draw("two_wells", {"--data", data, "--init", example("texts/two_wells_at_one.json")}),
      "theta.1");
  int crossings = 0;
  for (std::size_t k = 1; k < signs.size(); ++k)
    crossings += signs[k] * signs[k - 1] < 0.0 && k % 1000 != 0 ? 1 : 0;
  std::printf("NUTS changes the well %d times in 4000 draws\n", crossings);
  EXPECT_LT(crossings, 400);  // an independent draw does so every other time
}

// Tolerance e: the posterior is normal with the variance 1 / (1/4 + 1 / (1/n + e^2)), and tends to that without tolerance.
TEST_F(PosteriorExamples, come_near_the_posterior_as_the_tolerance_falls) {
  double before = 1e9;
  for (const double e : {1.0, 0.3, 0.05}) {
    const std::string file =
        draw("tolerance", {"--data", with("tolerance", "tolerance", std::to_string(e)), "--sampler",
                           "smc", "--draws", "2000"});
    const double noise = 0.1 + e * e, variance = 1.0 / (0.25 + 1.0 / noise),
                 mean = variance * 1.3 / noise;
    expect_mean(file, "mu", mean);
    expect_mean(file, "square(mu - " + std::to_string(mean) + ")", variance);
    const double exact = 1.3 / 0.1 / (0.25 + 10.0);
    EXPECT_LT(std::abs(mean - exact), before);
    before = std::abs(mean - exact);
  }
  EXPECT_LT(before, 0.002);
}

// Gull's decay length: both forms of the evidence, that by lambda and that by u = 1 / lambda with its limits put right, and the methods.
TEST_F(PosteriorExamples, tell_a_decay_length_that_is_seen_through_a_window) {
  const Json data = example_data("texts/decay.json");
  const auto x = numbers(data.at("x"));
  const double a = 1.0, b = 20.0, n = static_cast<double>(x.size());
  double sum = 0.0;
  for (const double one : x) sum += one;
  const double shift = 50.0;  // keeps the numbers near 1
  const auto likelihood = [&](double lambda) {
    return std::exp(shift - sum / lambda -
                    n * std::log(lambda * (std::exp(-a / lambda) - std::exp(-b / lambda))));
  };
  const double z = integral(likelihood, a, b) / (b - a);
  const double by_u = integral(
                          [&](double u) {
                            return std::exp(shift + (n - 2.0) * std::log(u) - u * sum -
                                            n * std::log(std::exp(-a * u) - std::exp(-b * u)));
                          },
                          1.0 / b, 1.0 / a) /
                      (b - a);
  EXPECT_NEAR(by_u, z, 1e-8 * z);
  const std::string file = example("texts/decay.json");
  for (const char* method : {"nested", "smc", "bridge"})
    expect_evidence(evidence("decay", file, method), std::log(z) - shift, 0.15);
  const double mean = integral([&](double l) { return l * likelihood(l); }, a, b) / ((b - a) * z);
  expect_mean(draw("decay", {"--data", file}), "lambda", mean);
  // A gamma prior, on all lengths.
  const auto with_gamma = [&](double l) {
    return likelihood(l) * 0.3 * 0.3 * l * std::exp(-0.3 * l);
  };
  const double of_gamma = integral(with_gamma, 0.05, 200.0, 40000);
  expect_evidence(evidence("decay_gamma", file, "smc"), std::log(of_gamma) - shift);
}

// Bretthorst's spectrum: amplitudes and noise integrated out by a formula, and by drawing them with the rest.
TEST_F(PosteriorExamples, find_a_frequency_with_amplitudes_summed_or_drawn) {
  const std::string file = example("texts/oscillation.json");
  const auto best = mode("oscillation_summed", file);
  EXPECT_NEAR(best.at("f"), 1.3, 0.05);
  // A window of the frequency in which the posterior is one peak.
  const std::string drawn = draw("oscillation", {"--data", file, "--init", "0.1"}),
                    summed = draw("oscillation_summed", {"--data", file});
  for (const char* of : {"f", "alpha", "square(f - 1.3)", "square(alpha)"}) {
    const Json one = summary_of(drawn, of), other = summary_of(summed, of);
    EXPECT_NEAR(one.at("mean").number, other.at("mean").number,
                kTextErrors * std::hypot(one.at("mcse_mean").number, other.at("mcse_mean").number))
        << of;
  }
  const Json f = summary_of(summed, "f");
  EXPECT_NEAR(f.at("mean").number, 1.3, 4.0 * f.at("sd").number);
}

// Outcomes at equal steps, no decay, one channel: h^2 is the periodogram of the discrete Fourier transform, 2 |sum d e^{-2 pi i f t}|^2 / N.
TEST_F(PosteriorExamples, have_the_periodogram_where_steps_are_equal) {
  std::string times, outcomes, frequencies;
  std::vector<double> d;
  for (int t = 0; t < 16; ++t) {
    d.push_back(std::sin(0.9 * t * t) + 0.3 * t);
    times += (t > 0 ? "," : "") + std::to_string(t);
    outcomes += (t > 0 ? "," : "") + std::to_string(d.back());
  }
  for (int k = 1; k < 8; ++k) frequencies += (k > 1 ? "," : "") + std::to_string(k / 16.0);
  write("even.json",
        "{\"N_re\": 16, \"N_im\": 0, \"t_re\": [" + times + "], \"re\": [" + outcomes +
            "], \"t_im\": [], \"im\": [], \"f_low\": 0.05, \"f_high\": 0.45, \"F\": 7, "
            "\"frequencies\": [" +
            frequencies + "]}");
  const std::string file =
      draw("oscillation_summed", {"--data", at("even.json"), "--draws", "20", "--warmup", "20"});
  for (int k = 1; k < 8; ++k) {
    double re = 0.0, im = 0.0;
    for (int t = 0; t < 16; ++t) {
      re += d[static_cast<std::size_t>(t)] * std::cos(2.0 * std::numbers::pi * k * t / 16.0);
      im += d[static_cast<std::size_t>(t)] * std::sin(2.0 * std::numbers::pi * k * t / 16.0);
    }
    EXPECT_NEAR(values_of(file, "power." + std::to_string(k)).at(0),
                2.0 * (re * re + im * im) / 16.0,
                1e-4);  // outcomes are written with six digits
  }
}

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

// The death penalty: evidences of four groupings of 326 defendants without binomial coefficients, which would make each of them a density
// of other data. 35.4, 3.4, 59.0 and 2.2 %; with Jeffreys' prior 30.1, 3.0, 63.2 and 3.7 %.
TEST_F(PosteriorExamples, say_whom_the_victims_colour_sentences) {
  const std::vector<std::string> groupings{"alike", "by_defendant", "by_victim", "by_both"};
  const std::map<std::string, std::vector<double>> wanted{{"1", {0.354, 0.034, 0.590, 0.022}},
                                                          {"0.5", {0.301, 0.030, 0.632, 0.037}}};
  for (const auto& [a, shares] : wanted) {
    std::vector<std::string> words{"compare", "--evidence"};
    double error = 0.0;
    for (const std::string& grouping : groupings) {
      const Json data = example_data("texts/sentences_" + grouping + ".json");
      double exact = 0.0;
      const double half = std::stod(a);
      for (std::size_t g = 0; g < data.at("yes").items.size(); ++g)
        exact +=
            log_beta(data.at("yes").items[g].number + half, data.at("no").items[g].number + half) -
            log_beta(half, half);
      const Estimate found = evidence("sentences", with("sentences_" + grouping, "a", a), "smc",
                                      {"--draws", "500", "-o", at(grouping + a + ".json")});
      expect_evidence(found, exact, 0.2);
      error = std::max(error, found.error);
      words.push_back(at(grouping + a + ".json"));
    }
    // The four files have four ways to count the same sentences, so they are compared here.
    std::vector<double> p;
    double total = 0.0;
    for (std::size_t k = 2; k < words.size(); ++k) {
      p.push_back(
          std::exp(testing::parse_json(io::read_file(words[k])).at("log_evidence").number + 116));
      total += p.back();
    }
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(p[k] / total, shares[k], kTextErrors * error * shares[k] + 5e-4) << groupings[k];
  }
}

// Six outcomes of mean 1: the ratio of maximised likelihoods always prefers the free mean, e^3 = 20; the evidence pays for its prior,
// odds of 0.0973 width.
TEST_F(PosteriorExamples, prefer_a_free_mean_by_its_best_value_and_not_by_its_evidence) {
  double best = 0.0;
  EXPECT_NEAR(mode("free_mean", example("texts/means.json"), &best).at("m"), 1.0, 1e-6);
  double known = 0.0;
  for (const double y : numbers(example_data("texts/means.json").at("y")))
    known -= 0.5 * (y * y + std::log(2.0 * std::numbers::pi));
  // Constants aren't part of the density that is climbed.
  EXPECT_NEAR(best - 3.0 * std::log(2.0 * std::numbers::pi) - known, 3.0, 1e-6);
  for (const double width : {5.0, 10.0, 40.0}) {
    const Estimate found = evidence("free_mean", with("means", "width", std::to_string(width)),
                                    "nested", {"--live-points", "1000"});
    const double odds = 2.0 * std::exp(-3.0) * std::sqrt(6.0 / (2.0 * std::numbers::pi)) * width;
    EXPECT_NEAR(odds, 0.0973 * width, 1e-3 * width);
    EXPECT_NEAR(known - found.value, std::log(odds), kTextErrors * found.error + 2e-3) << width;
    EXPECT_LT(found.error, 0.1);
  }
}

// Gauss in a ball: log Z = -2.525732 (n = 2, R = 5), -5.113487 (5, 5), -14.772622 (10, 10).
LONG_TEST_F(PosteriorExamples, have_the_evidence_of_a_ball) {
  const auto truth = [](double n, double r) {  // int_0^1 exp(-r^2 m^(2/n) / 2) dm, m = s^n
    return std::log(integral(
        [&](double s) { return n * std::pow(s, n - 1.0) * std::exp(-0.5 * r * r * s * s); }, 0.0,
        1.0));
  };
  EXPECT_NEAR(truth(2, 5), -2.525732, 1e-5);
  EXPECT_NEAR(truth(10, 10), -14.772622, 1e-5);
  for (const auto& [n, r] : {std::pair{2, 5}, std::pair{5, 5}, std::pair{10, 10}}) {
    std::string centre = "0";
    for (int k = 1; k < n; ++k) centre += ", 0";
    write("ball.json", "{\"n\": " + std::to_string(n) + ", \"R\": " + std::to_string(r) +
                           ", \"centre\": [" + centre + "]}");
    expect_evidence(evidence("ball", at("ball.json"), "nested", {"--live-points", "1000"}),
                    truth(n, r), 0.2);
  }
}

// Maximum likelihood: of an exponential distribution the average, whose log likelihood is -N log(average) - N.
TEST_F(PosteriorExamples, have_the_average_as_the_likeliest_mean) {
  const auto x = numbers(example_data("texts/exponential_mean.json").at("x"));
  double average = 0.0;
  for (const double one : x) average += one / 8.0;
  double best = 0.0;
  EXPECT_NEAR(mode("exponential_mean", example("texts/exponential_mean.json"), &best).at("lambda"),
              average, 1e-5);
  EXPECT_NEAR(best, -8.0 * std::log(average) - 8.0, 1e-9);
}

// S(N) = log 2 + (N - 1) H(p), p = e^-J / (2 cosh J), without a field: the entropy of a chain is that of its pairs less that of
// the spins that two pairs share.
TEST_F(PosteriorExamples, have_words_of_spins_whose_entropy_grows_by_one_number) {
  const auto h = [](const std::vector<double>& p) {
    double sum = 0.0;
    for (const double one : p) sum -= one > 0.0 ? one * std::log(one) : 0.0;
    return sum;
  };
  const double p = std::exp(-0.7) / (2.0 * std::cosh(0.7)), rate = h({p, 1.0 - p});
  for (const int n : {2, 3, 8}) {
    const Json told = json({"exact", example("texts/spin_chain.stan"), "--data",
                            with("spin_chain", "N", std::to_string(n)), "--pairs"});
    double entropy = 0.0;
    for (const Json& pair : told.at("pairs").items) entropy += h(numbers(pair.at("probabilities")));
    for (int k = 1; k + 1 < n; ++k)
      entropy -=
          h(numbers(told.at("parameters").items[static_cast<std::size_t>(k)].at("probabilities")));
    EXPECT_NEAR(entropy, kLog2 + (n - 1) * rate, 1e-9) << n;
    EXPECT_NEAR(told.at("log_sum").number, kLog2 + (n - 1) * std::log(2.0 * std::cosh(0.7)), 1e-9);
  }
}

// A differential equation with an error on top: against a sum over a grid with the solution 20 + 60 e^(-k t).
TEST_F(PosteriorExamples, have_an_error_on_top_of_a_deterministic_model) {
  const Json data = example_data("texts/cooling.json");
  const auto t = numbers(data.at("t")), y = numbers(data.at("y"));
  double total = 0.0, of_k = 0.0, of_sigma = 0.0;
  for (double k = 0.2; k < 0.4; k += 0.0005)
    for (double sigma = 0.3; sigma < 8.0; sigma += 0.01) {
      double log_p = -5.0 * k - sigma;
      for (std::size_t i = 0; i < t.size(); ++i)
        log_p -=
            0.5 * std::pow((y[i] - 20.0 - 60.0 * std::exp(-k * t[i])) / sigma, 2) + std::log(sigma);
      const double p = std::exp(log_p);
      total += p, of_k += p * k, of_sigma += p * sigma;
    }
  const std::string file = draw("cooling", {"--data", example("texts/cooling.json")});
  expect_mean(file, "k", of_k / total);
  expect_mean(file, "sigma", of_sigma / total);
}

// z = x + s^2 (log n)'(x) to first order: the rest falls with s^4. The flow J = n (x - z) / (2 tau) is -D n' with D = s^2 / (2 tau).
TEST_F(PosteriorExamples, were_where_there_are_more_particles) {
  const auto n = [](double z) {
    const auto distribution = [&](double m, double s) {
      return std::exp(-0.5 * std::pow((z - m) / s, 2)) / s;
    };
    return 0.5 * (distribution(-1.0, 1.0) + distribution(2.0, 0.7)) /
           std::sqrt(2.0 * std::numbers::pi);
  };
  const double x = 0.8, slope = (n(x + 1e-5) - n(x - 1e-5)) / 2e-5;
  std::vector<double> rest;
  for (const double s : {0.2, 0.1, 0.05}) {
    const double z =
        mode("past_position", with("past_position", "sigma", std::to_string(s))).at("z");
    EXPECT_GT((z - x) * slope, 0.0);
    const double diffusion = -n(x) * (x - z) / 2.0 / slope;  // per tau
    EXPECT_NEAR(diffusion, s * s / 2.0, 0.3 * s * s) << s;
    rest.push_back(std::abs(z - x - s * s * slope / n(x)));
  }
  EXPECT_NEAR(rest[0] / rest[1], 16.0, 6.0);  // the order after that counts at 0.2
  EXPECT_NEAR(rest[1] / rest[2], 16.0, 3.0);
}

double divergence(std::vector<double> p, std::vector<double> q) {
  double of_p = 0.0, of_q = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) of_p += p[k], of_q += q[k];
  for (std::size_t k = 0; k < p.size(); ++k)
    sum += p[k] / of_p * std::log2(p[k] / of_p / (q[k] / of_q));
  return sum;
}

// English in a code for Spanish takes 0.37 bits a letter more than in its own, Spanish in a code for English 0.20 (the text, of tables that
// it doesn't give: 0.37 and 0.19): it isn't symmetric, and never negative on average, though for single letters it is.
TEST_F(PosteriorExamples, pay_for_letters_in_the_code_of_another_language) {
  const Json data = example_data("texts/english_in_spanish.json");
  const auto p = numbers(data.at("p")), q = numbers(data.at("q"));
  const std::string there = example("texts/english_in_spanish.json");
  const std::string text = io::read_file(there);
  const std::size_t begin = text.find('[', text.find("\"q\""));
  // q in the place of both: nothing more is paid.
  const std::string same =
      draw("letters",
           {"--data",
            with("english_in_spanish", "p", text.substr(begin, text.find(']', begin) + 1 - begin)),
            "--draws", "100"});
  EXPECT_NEAR(summary_of(same, "extra").at("mean").number, 0.0, 1e-12);
  const std::string file = draw("letters", {"--data", there, "--draws", "10000"});
  expect_mean(file, "extra", divergence(p, q));
  EXPECT_NEAR(divergence(p, q), 0.37, 0.01);
  EXPECT_NEAR(divergence(q, p), 0.20, 0.01);
  EXPECT_GT(summary_of(file, "extra < 0").at("mean").number, 0.3);
}

// Bins of a normal distribution with lengths log2(1 / P), rounded up: Kraft's sum is below one, the mean length within
// one bit of the entropy, and the unrounded lengths are a parabola, n^2 h^2 / (2 log 2) above the middle.
TEST_F(PosteriorExamples, code_bins_of_a_normal_distribution_by_a_parabola_of_lengths) {
  const double h = 0.5;
  double entropy = 0.0, length = 0.0, kraft = 0.0, middle = 0.0;
  for (int n = 0; n <= 16; ++n) {
    const double p = 0.5 * (std::erfc((h * n - 0.5 * h) / std::numbers::sqrt2) -
                            std::erfc((h * n + 0.5 * h) / std::numbers::sqrt2));
    const double bits = -std::log2(p), times = n == 0 ? 1.0 : 2.0;
    if (n == 0) middle = bits;
    if (n <= 4) {
      EXPECT_NEAR(bits - middle, n * n * h * h / (2.0 * kLog2), 0.03 * n * n + 1e-12) << n;
    }
    entropy += times * p * bits, length += times * p * std::ceil(bits);
    kraft += times * std::exp2(-std::ceil(bits));
  }
  EXPECT_LE(kraft, 1.0);
  EXPECT_LT(length, entropy + 1.0);
  const auto found =
      expect("code_lengths", {"surprise", "length"},
             {"--data", example("texts/code_lengths.json"), "--points", "independent"});
  EXPECT_NEAR(found[0].at("mean").number, entropy, kTextErrors * found[0].at("error").number);
  EXPECT_NEAR(found[1].at("mean").number, length, kTextErrors * found[1].at("error").number);
}

// y tells whether x is in the middle: covariance 0, and I(x, y) = H(y) - H(0.1) > 0, by sums; without the information it would be 0.
TEST_F(PosteriorExamples, have_no_covariance_and_yet_say_something_of_each_other) {
  const auto figures = [&](const std::string& error) {
    const Json told = json({"exact", example("texts/parabola.stan"), "--data",
                            with("parabola", "error", error), "--pairs"});
    const auto p = numbers(told.at("pairs").items.at(0).at("probabilities"));  // x by y
    double xy = 0.0, x = 0.0, y = 0.0, information = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        const double one = p[2 * i + j], of_x = p[2 * i] + p[2 * i + 1],
                     of_y = p[j] + p[2 + j] + p[4 + j];
        xy += one * static_cast<double>((i + 1) * j);
        x += one * static_cast<double>(i + 1), y += one * static_cast<double>(j);
        information += one * std::log(one / of_x / of_y);
      }
    return std::pair{xy - x * y, information};
  };
  const auto h = [](double p) { return -p * std::log(p) - (1.0 - p) * std::log(1.0 - p); };
  const auto [covariance, information] = figures("0.1");
  EXPECT_NEAR(covariance, 0.0, 1e-12);
  EXPECT_NEAR(information, h((0.9 + 0.2) / 3.0) - h(0.1), 1e-9);
  EXPECT_GT(information, 0.3);
  EXPECT_NEAR(figures("0.4").second, h((0.6 + 0.8) / 3.0) - h(0.4), 1e-9);
}

// Outcomes that a threshold separates: without a prior there is no maximum, and the command says so; an informative prior has one.
TEST_F(PosteriorExamples, need_a_prior_where_the_likelihood_rises_for_ever) {
  const Json flat = json({"optimize", example("texts/separated.stan"), "--data",
                          with("separated", "sd", "0"), "--seed", usual_seed()});
  EXPECT_FALSE(flat.at("sound").truth);
  const double wide = mode("separated", with("separated", "sd", "10")).at("slope"),
               narrow = mode("separated", example("texts/separated.json")).at("slope");
  EXPECT_LT(narrow, wide);
  // Where the slope of the log density is 0: sum |x| / (1 + e^(slope |x|)) = slope / 4.
  double gain = -narrow / 4.0;
  for (const double x : {2.0, 1.0, 0.5}) gain += 2.0 * x / (1.0 + std::exp(narrow * x));
  EXPECT_NEAR(gain, 0.0, 1e-5);
}

// Three priors of a share: of 10 outcomes the posteriors differ by more than their standard deviation, of 10,000 by a small part of it; power
// scaling says the same of each alone.
TEST_F(PosteriorExamples, depend_on_the_prior_while_data_are_few) {
  const auto spread = [&](const std::string& n, const std::string& y) {
    double least = 1.0, most = 0.0, sd = 0.0;
    for (const auto& [a, b] : {std::pair{"1", "1"}, std::pair{"20", "20"}, std::pair{"2", "10"}}) {
      write("share.json",
            "{\"n\": " + n + ", \"y\": " + y + ", \"a\": " + a + ", \"b\": " + b + "}");
      const std::string file = draw("share", {"--data", at("share.json")});
      const double exact =
          (std::stod(a) + std::stod(y)) / (std::stod(a) + std::stod(b) + std::stod(n));
      const Json row = summary_of(file, "share");
      EXPECT_NEAR(row.at("mean").number, exact, kTextErrors * row.at("mcse_mean").number);
      least = std::min(least, exact), most = std::max(most, exact);
      sd = row.at("sd").number;
    }
    return (most - least) / sd;
  };
  EXPECT_GT(spread("10", "7"), 1.0);
  EXPECT_LT(spread("10000", "7000"), 0.5);
  const auto distance = [&](const std::string& n, const std::string& y) {
    write("share.json", "{\"n\": " + n + ", \"y\": " + y + ", \"a\": 20, \"b\": 20}");
    const std::string file = draw("share", {"--data", at("share.json")});
    return json({"sensitivity", file})
        .at("quantities")
        .items.at(0)
        .at("prior")
        .at("distance")
        .number;
  };
  EXPECT_GT(distance("10", "7"), 0.05);  // the limit of the command
  EXPECT_LT(distance("10000", "7000"), 0.05);
}

// Outcomes of a distribution 2.5 times as wide as the model: the posterior is normal in closed form, the one with a
// power of the likelihood of 0.05 isn't it, and predicts new outcomes better. So a better score says nothing of how
// well a posterior was computed.
TEST_F(PosteriorExamples, are_not_judged_by_the_score_of_their_predictions) {
  const Json data = example_data("texts/too_narrow.json");
  const auto y = numbers(data.at("y"));
  double sum = 0.0;
  for (const double one : y) sum += one;
  const auto mean_score = [&](const std::string& power) {
    const std::string file = draw("too_narrow", {"--data", with("too_narrow", "power", power)});
    const double p = std::stod(power), precision = 0.01 + 4.0 * p;
    expect_mean(file, "m", p * sum / precision);
    const auto fit = open(file);
    const auto log_lik = fit->quantities(false, *find_quantity(*fit, "log_lik.1"), 200);
    double total = 0.0;
    for (Index k = 0; k < 200; ++k) {
      double likelihood = 0.0;
      for (const double one : log_lik.quantity(k)) likelihood += std::exp(one) / 4000.0;
      total += std::log(likelihood) / 200.0;
    }
    return total;
  };
  EXPECT_GT(mean_score("0.05"), mean_score("1") + 0.1);
}

}  // namespace
}  // namespace credo::cli::posterior_examples_test
