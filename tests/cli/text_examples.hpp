// The programs of examples/texts and examples/filters as their pages run them, and what their figures are held to.
#pragma once
#include "cli/results.hpp"
#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/test_seed.hpp"

namespace credo::cli {

// Tolerances are so many standard errors, where nothing else is said: 7e-6 each for a right program.
constexpr double kTextErrors = 4.5;

// Simpson's rule on an even number of intervals: of smooth functions, right to far more digits than are asked for.
inline double integral(const std::function<double(double)>& f, double from, double to,
                       int intervals = 2000) {
  const double h = (to - from) / intervals;
  double sum = f(from) + f(to);
  for (int k = 1; k < intervals; ++k) sum += (k % 2 == 1 ? 4.0 : 2.0) * f(from + k * h);
  return sum * h / 3.0;
}

inline double normal_density(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return std::exp(-0.5 * z * z) / (sd * std::sqrt(2.0 * std::numbers::pi));
}

class TextExamples : public testing::CommandRun {
 protected:
  using Json = testing::Json;
  explicit TextExamples(const std::string& name) : CommandRun(name) {}

  // A file of the examples by its place there, as "texts/ball.stan".
  static std::string example(const std::string& name) {
    return std::string(CREDO_SOURCE_DIR) + "/examples/" + name;
  }
  static Json example_data(const std::string& name) {
    return testing::parse_json(io::read_file(example(name)));
  }
  static std::vector<double> numbers(const Json& list) {
    std::vector<double> all;
    list.flatten(all);
    return all;
  }

  static std::string usual_seed() { return std::to_string(testing::test_seed(1)); }

  // credo expect: an answer for each expression.
  std::vector<Json> expect(const std::string& program, const std::vector<std::string>& of,
                           const std::vector<std::string>& more) {
    std::vector<std::string> words{"expect", example("texts/" + program + ".stan"), "--seed",
                                   usual_seed()};
    for (const std::string& expression : of) words.insert(words.end(), {"--of", expression});
    words.insert(words.end(), more.begin(), more.end());
    return json(std::move(words)).at("expectations").items;
  }
  // credo sample: the path of the result. A verdict isn't what is asked.
  std::string draw(const std::string& program, const std::vector<std::string>& more) {
    const std::string file = at("fit" + std::to_string(num_fits_++) + ".nc");
    std::vector<std::string> words{"sample", example("texts/" + program + ".stan"), "--quiet", "-o",
                                   file};
    words.insert(words.end(), more.begin(), more.end());
    if (std::ranges::find(words, "--seed") == words.end())
      words.insert(words.end(), {"--seed", usual_seed()});
    EXPECT_EQ(run(words), 0) << said();
    return file;
  }
  static std::unique_ptr<Fit> open(const std::string& file) {
    return open_fit(std::span(&file, 1));
  }
  // All draws of a quantity, chain after chain.
  static std::vector<double> values_of(const std::string& file, const std::string& name) {
    const auto fit = open(file);
    const auto draws = fit->quantities(false, *find_quantity(*fit, name), 1);
    const auto all = draws.quantity(0);
    return {all.begin(), all.end()};
  }
  // What every chain tells of itself, as log_evidence.
  static double mean_of_setting(const std::string& file, const std::string& name) {
    const auto fit = open(file);
    double sum = 0.0, count = 0.0;
    for (const auto& chain : fit->result().chains)
      for (const infer::TunedSetting& setting : chain.tuned)
        if (setting.name == name) sum += setting.values.at(0), count += 1.0;
    return sum / count;
  }
  // credo summary --of: name -> mean, mcse_mean, sd, ...
  Json summary_of(const std::string& file, const std::string& expression) {
    return json({"summary", file, "--of", expression}).at("of").items.at(0);
  }
  void expect_mean(const std::string& file, const std::string& expression, double wanted) {
    const Json row = summary_of(file, expression);
    EXPECT_NEAR(row.at("mean").number, wanted, kTextErrors * row.at("mcse_mean").number)
        << expression;
    // A quarter of a standard deviation would be seen.
    EXPECT_LT(kTextErrors * row.at("mcse_mean").number, 0.25 * row.at("sd").number) << expression;
  }
  // credo filter, credo smooth: --json.
  Json filter(const std::string& program, const std::string& data, std::vector<std::string> more) {
    more.insert(
        more.begin(),
        {"filter", example("filters/" + program + ".stan"), "--data",
         data.find('/') == std::string::npos ? example("filters/" + data + ".json") : data});
    return json(std::move(more));
  }
  // Element e of the mean of the state at each time.
  static std::vector<double> means_of(const Json& filtered, std::size_t e) {
    std::vector<double> means;
    for (const Json& t : filtered.at("times").items)
      means.push_back(t.at("mean").items.at(e).number);
    return means;
  }
  // The mean of exp(log likelihood - exact) over the repeats in its own standard errors from 1, and their variance.
  struct Bias {
    double z, variance;
  };
  static Bias bias(const Json& filtered, double exact) {
    const std::vector<double> all = numbers(filtered.at("log_likelihoods"));
    double mean = 0.0, squares = 0.0;
    const double n = static_cast<double>(all.size());
    for (const double one : all) {
      const double ratio = std::exp(one - exact);
      mean += ratio / n, squares += ratio * ratio / n;
    }
    const double variance = squares - mean * mean;
    return {(mean - 1.0) / std::sqrt(variance / (n - 1.0)), variance};
  }

 private:
  int num_fits_ = 0;
};

}  // namespace credo::cli
