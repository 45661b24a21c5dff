// Simulation-based calibration: right programs pass, wrong ones don't, and what was done isn't done again.
#include "results/checks/sbc.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "io/file.hpp"
#include "results/draws/simulate.hpp"
#include "support/kept_work.hpp"
#include "support/text_model.hpp"

namespace credo::results::sbc_test {
namespace {
using model::model_from;

constexpr const char* kData = R"({"N": 4, "y": [0.1, 0.4, -0.3, 1.0]})";

std::string program(const std::string& prior) {
  return "data { int N; vector[N] y; } parameters { real m; } model { " + prior +
         " y ~ normal(m, 2); }";
}
const std::string kRight = program("m ~ normal(0, 1);");

SbcOptions options_of(Index replicates) {
  return {.num_replicates = replicates,
          .num_threads = 2,
          .seed = 3,
          .run = {.num_chains = 1, .num_warmup = 200, .num_draws = 300}};
}

std::string accused(const Sbc& sbc) {
  std::string names;
  for (const SbcQuantity& q : sbc.quantities)
    if (q.places.p_value < sbc.p_limit()) names += q.name + " ";
  return names;
}

TEST(sbc, passes_a_program_with_its_own_prior) {
  const auto model = model_from(kRight, kData);
  const Sbc sbc = calibrate(*model, options_of(200));
  EXPECT_EQ(accused(sbc), "");
  EXPECT_EQ(sbc.num_failed(), 0);
  ASSERT_EQ(sbc.quantities.size(), 2u);
  EXPECT_EQ(sbc.quantities[1].name, "log_likelihood");
}

TEST(sbc, accuses_a_program_with_another_prior_than_the_generator) {
  const auto model = model_from(kRight, kData),
             generator = model_from(program("m ~ normal(0, 3);"), kData);
  SbcOptions options = options_of(300);
  options.generator = generator.get();
  const Sbc sbc = calibrate(*model, options);
  EXPECT_NE(accused(sbc).find("m "), std::string::npos);
  EXPECT_GT(sbc.quantities[0].places.spread, 1.2);  // the fits are too narrow
}

// Two warm-up transitions from far away: the chains aren't where they should be.
TEST(sbc, accuses_a_sampler_that_does_not_arrive) {
  const auto model = model_from(kRight, kData);
  SbcOptions options = options_of(200);
  options.run.sampler = "rwm";
  options.run.num_warmup = 2;
  options.run.num_draws = 20;
  options.run.init = {{8.0}};
  EXPECT_NE(accused(calibrate(*model, options)), "");
}

bool same(const Sbc& a, const Sbc& b) {
  return std::ranges::equal(a.replicates, b.replicates, [](const auto& x, const auto& y) {
    return x.places == y.places && x.num_draws == y.num_draws && x.num_divergent == y.num_divergent;
  });
}

TEST(sbc, gives_the_same_numbers_on_any_number_of_threads) {
  const auto model = model_from(kRight, kData);
  SbcOptions options = options_of(20);
  const Sbc two = calibrate(*model, options);
  options.num_threads = 1;
  EXPECT_TRUE(same(calibrate(*model, options), two));
}

TEST(sbc, weighs_draws_that_have_weights) {
  const auto model = model_from(kRight, kData);
  SbcOptions options = options_of(200);
  options.run.sampler = "importance";
  options.run.num_warmup = 0;
  EXPECT_EQ(accused(calibrate(*model, options)), "");
}

TEST(sbc, refuses_priors_that_read_the_data) {
  for (const char* prior :
       {"m ~ normal(mean(y), 1);", "m ~ normal(0, 1); target += -0.1 * square(m - y[1]);"}) {
    const auto model = model_from(program(prior), kData);
    EXPECT_THROW(calibrate(*model, options_of(5)), Error) << prior;
  }
}

// ---- at the posterior

// Draws of the posterior of m ~ normal(0, 1), y ~ normal(m, 2), moved by so many of its standard deviations.
std::vector<std::vector<double>> posterior_draws(Index count, double shift) {
  const double precision = 1.0 + 4.0 / 4.0, mean = (0.1 + 0.4 - 0.3 + 1.0) / 4.0 / precision;
  Rng rng({.seed = 12, .purpose = purpose::kTest});
  std::vector<std::vector<double>> draws;
  for (Index k = 0; k < count; ++k)
    draws.push_back({mean + (shift + rng.normal()) / std::sqrt(precision)});
  return draws;
}

TEST(posterior_sbc, passes_draws_of_the_posterior) {
  const auto model = model_from(kRight, kData);
  SbcOptions options = options_of(200);
  options.posterior = posterior_draws(200, 0.0);
  const Sbc sbc = calibrate(*model, options);
  EXPECT_EQ(accused(sbc), "");
  EXPECT_EQ(sbc.num_failed(), 0);
  ASSERT_EQ(sbc.quantities.size(), 2u);
}

// A mutant whose parameters come from another distribution than the posterior: it lies a standard deviation away.
TEST(posterior_sbc, accuses_draws_of_another_distribution) {
  const auto model = model_from(kRight, kData);
  SbcOptions options = options_of(200);
  options.posterior = posterior_draws(200, 1.0);
  const Sbc sbc = calibrate(*model, options);
  EXPECT_NE(accused(sbc).find("m "), std::string::npos);
  EXPECT_EQ(sbc.quantities[0].places.fault(), "too low");
}

TEST(posterior_sbc, refuses_a_model_whose_likelihood_is_not_known) {
  const auto model = model_from(
      "data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 1); target += "
      "-0.5 * "
      "dot_self(y - m); }",
      kData);
  SbcOptions options = options_of(2);
  options.posterior = posterior_draws(2, 0.0);
  EXPECT_THROW(calibrate(*model, options), Error);
}

class SbcFile : public testing::WorkFolder {
 protected:
  const std::string path_ = file() + ".run";
  const std::unique_ptr<model::Model> model_ = model_from(kRight, kData);

  // Ends after so many replicates.
  void begin(Index count) {
    Work work(of(1, count));
    SbcOptions options = options_of(count);
    options.on_done = work.on_done<SbcReplicate>();
    calibrate(*model_, options);
  }
  Sbc go_on(Index count) {
    Work work(of(1, count));
    num_known_ = work.num_done();
    SbcOptions options = options_of(count);
    options.done = work.done<SbcReplicate>();
    return calibrate(*model_, options);
  }
  Index num_known_ = 0;
};

TEST_F(SbcFile, is_gone_on_with_to_the_same_numbers) {
  begin(7);
  const Sbc sbc = go_on(20);
  EXPECT_EQ(num_known_, 7);
  EXPECT_TRUE(same(sbc, calibrate(*model_, options_of(20))));
}

// Wherever a byte is another, the file is refused or has the same replicates.
TEST_F(SbcFile, is_refused_where_it_is_damaged_or_the_run_is_another) {
  begin(7);
  EXPECT_THROW(Work(of(2, 7)), Error);
  const std::string sound = io::read_file(path_);
  const Sbc whole = go_on(7);
  constexpr std::size_t kPlaces = 97;
  Index num_refused = 0;
  for (std::size_t k = 0; k <= kPlaces; ++k) {
    std::string other = sound;
    if (k < kPlaces)
      other[k * sound.size() / kPlaces] ^= 4;
    else
      other.resize(sound.size() - 5);
    std::ofstream(path_, std::ios::binary) << other;
    try {
      EXPECT_TRUE(same(go_on(7), whole));
    } catch (const Error&) {
      ++num_refused;
    }
  }
  EXPECT_GE(num_refused, 5);
}

TEST(simulator, draws_parameters_and_data_of_a_number_again) {
  const auto model = model_from(kRight, kData);
  Simulator first(*model), second(*model);
  first.draw(1, 0);
  const auto a = first.draw(1, 5), b = second.draw(1, 5);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(first.replicates().data_text(), second.replicates().data_text());
  EXPECT_NE(first.draw(1, 6).position, a.position);
}

}  // namespace
}  // namespace credo::results::sbc_test
