// Runs of models of every kind, and callables that aren't what they should be.
#include <atomic>
#include <filesystem>

#include "api/support.hpp"
#include "base/types.hpp"
#include "credo/error.hpp"

namespace credo::sample_test {
namespace {
namespace fs = std::filesystem;

SampleOptions with_seed(std::uint64_t seed, Index threads = 0) {
  return {.chains = 4, .warmup = 500, .draws = 1000, .seed = seed, .threads = threads};
}

// Means that differ by more than 5 of their standard errors: 6e-7 a comparison by chance.
void expect_same_posterior(const Fit& a, const Fit& b, std::string_view name) {
  const SummaryRow x = a.summary(name), y = b.summary(name);
  EXPECT_LT(std::abs(x.mean - y.mean), 5.0 * std::hypot(x.mcse_mean, y.mcse_mean)) << name;
  EXPECT_LT(std::abs(x.sd - y.sd), 5.0 * std::hypot(x.mcse_sd, y.mcse_sd)) << name;
}

TEST(sampling, the_four_kinds_have_one_posterior) {
  const Fit stan = sample(stan_text(kSchoolsProgram, kSchoolsData), with_seed(1));
  const Fit by_trace = sample(traced_schools(), with_seed(2));
  const Fit by_hand = sample(hand_written_schools(), with_seed(3));
  SampleOptions slices = with_seed(4);
  slices.sampler = "slice";
  const Fit plain = sample(plain_schools(), slices);
  for (const char* name : {"mu", "tau", "eta.1", "eta.8"}) {
    expect_same_posterior(stan, by_trace, name);
    expect_same_posterior(stan, by_hand, name);
    expect_same_posterior(stan, plain, name);
  }
  expect_same_posterior(stan, by_trace, "theta[3]");
  EXPECT_LT(by_hand.summary("mu").r_hat, 1.02);
}

TEST(sampling, a_traced_callable_draws_what_its_program_draws) {
  const Model model = traced_schools();
  const Fit a = sample(model, with_seed(7));
  const Fit b = sample(stan_text(model.program(), R"({"data_1": [28, 8, -3, 7, -1, 1, 18, 12],
    "data_2": [15, 10, 16, 11, 9, 11, 10, 18]})"),
                       with_seed(7));
  const Draws x = a.draws("theta"), y = b.draws("theta");
  for (Index k = 0; k < x.size(); ++k)
    EXPECT_TRUE(std::ranges::equal(x.element(k), y.element(k))) << k;
}

bool same_draws(const Fit& a, const Fit& b) {
  for (const std::string& name : a.names()) {
    const Draws x = a.draws(name), y = b.draws(name);
    if (!std::ranges::equal(x.element(0), y.element(0))) return false;
  }
  return true;
}

TEST(sampling, draws_do_not_depend_on_threads_or_lanes) {
  SampleOptions options{.chains = 8, .warmup = 100, .draws = 50, .seed = 11};
  const auto run = [&](const Model& model, Index threads) {
    options.threads = threads;
    return sample(model, options);
  };
  for (const Model& model : {traced_schools(), hand_written_schools()})
    EXPECT_TRUE(same_draws(run(model, 1), run(model, 3)));
  EXPECT_TRUE(same_draws(run(traced_schools({.max_lanes = 1}), 1),
                         run(traced_schools({.max_lanes = 8}), 2)));
  options.sampler = "slice";
  EXPECT_TRUE(same_draws(run(plain_schools(), 1), run(plain_schools(), 4)));
  const Fit before = run(plain_schools(), 1);
  options.seed = 12;
  EXPECT_FALSE(same_draws(before, run(plain_schools(), 1)));
}

TEST(sampling, options_have_the_names_of_the_command_line) {
  SampleOptions options{.chains = 1, .warmup = 50, .draws = 20, .seed = 1};
  options.options = {{"max-depth", 1}, {"metric", "dense_e"}};
  const Fit fit = sample(traced_schools(), options);
  const Draws depth = fit.draws("tree_depth");
  for (const double d : depth.element(0)) EXPECT_LE(d, 1.0);
  options.options = {{"init-buffer", 5}, {"term-buffer", 5}, {"base-window", 10}};  // of warm-up
  EXPECT_FALSE(same_draws(fit, sample(traced_schools(), options)));
  options.options = {{"no-such-option", 1}};
  EXPECT_NE(message_of([&] { sample(traced_schools(), options); }).find("no_such_option"),
            std::string::npos);
  options.options = {};
  options.sampler = "nutz";
  EXPECT_NE(message_of([&] { sample(traced_schools(), options); }).find("nutz"), std::string::npos);
  EXPECT_NE(message_of([&] { sample(traced_schools(), {.chains = 0}); }).find("num_chains"),
            std::string::npos);
}

TEST(sampling, a_sampler_that_needs_a_gradient_says_which_do_not) {
  const std::string said = message_of([] { sample(plain_schools()); });
  EXPECT_NE(said.find("nuts needs a gradient"), std::string::npos) << said;
  EXPECT_NE(said.find("slice"), std::string::npos) << said;
  Index without = 0;
  for (const SamplerInfo& sampler : samplers()) without += sampler.needs_gradient ? 0 : 1;
  EXPECT_GT(without, 3);
}

TEST(sampling, a_fit_says_what_it_has) {
  SampleOptions options{.chains = 2, .warmup = 100, .draws = 60, .save_warmup = true, .seed = 5};
  options.thin = 2;
  const Fit fit = sample(traced_schools(), options);
  EXPECT_EQ(fit.num_draws(), 30);
  EXPECT_EQ(fit.num_chains(), 2);
  EXPECT_EQ(fit.variables(), (std::vector<std::string>{"mu", "tau", "eta", "theta"}));
  const Draws theta = fit.draws("theta");
  EXPECT_EQ(theta.dims(), std::vector<Index>{8});
  EXPECT_EQ(theta(3, 1, 2), fit.draws("theta[3]")(3, 1));
  EXPECT_NEAR(theta(3, 1, 2),  // a product and a sum, rounded once or twice
              fit.draws("mu")(3, 1) + fit.draws("tau")(3, 1) * fit.draws("eta.3")(3, 1), 1e-13);
  EXPECT_EQ(fit.draws("mu", true).num_draws(), 50);
  EXPECT_EQ(fit.summary().size(), 18u);
  EXPECT_NE(fit.summary_text().find("theta.8"), std::string::npos);
  EXPECT_THROW(static_cast<void>(theta(30, 0, 0)), Error);
  EXPECT_NE(message_of([&] { static_cast<void>(fit.draws("thet")); }).find("did you mean theta"),
            std::string::npos);
  EXPECT_NE(message_of([&] { static_cast<void>(fit.summary("theta")); }).find("8 elements"),
            std::string::npos);
}

TEST(sampling, the_verdict_is_that_of_the_command) {
  const Fit good = sample(traced_schools(), with_seed(21));
  EXPECT_NE(good.verdict().word, "bad") << good.verdict().text;
  Parameters parameters;
  const auto x = parameters.real("x");
  const Model apart = with_gradient(parameters, [&](auto theta, auto gradient) {
    const double at = x.in(theta)[0], a = log_normal_density(at, -40, 1),
                 b = log_normal_density(at, 40, 1);
    const double most = std::max(a, b), share = 1.0 / (1.0 + std::exp(b - a));
    gradient[0] = share * (-40 - at) + (1.0 - share) * (40 - at);
    return most + std::log(std::exp(a - most) + std::exp(b - most));
  });
  SampleOptions options = with_seed(22);
  options.init = {{-40}, {40}, {-40}, {40}};
  const Fit bad = sample(apart, options);
  EXPECT_EQ(bad.verdict().word, "bad") << bad.verdict().text;
  EXPECT_FALSE(bad.verdict().findings.empty());
}

// All chains are in the lower hill of two: draws alone can't tell, the callable can.
TEST(sampling, the_verdict_asks_a_callable_where_its_draws_are_silent) {
  Parameters parameters;
  const auto x = parameters.real("x");
  const Model hills = with_gradient(parameters, [x](auto theta, auto gradient) {
    const double at = x.in(theta)[0], a = std::log(0.3) + log_normal_density(at, -6, 1),
                 b = std::log(0.7) + log_normal_density(at, 6, 1);
    const double most = std::max(a, b), share = 1.0 / (1.0 + std::exp(b - a));
    gradient[0] = share * (-6 - at) + (1.0 - share) * (6 - at);
    return most + std::log(std::exp(a - most) + std::exp(b - most));
  });
  SampleOptions options = with_seed(23);
  options.init = {{-6}, {-6.5}, {-5.5}, {-6}};
  const Verdict verdict = sample(hills, options).verdict();
  ASSERT_EQ(verdict.word, "bad") << verdict.text;
  EXPECT_EQ(verdict.findings.front().id, "multimodal") << verdict.text;
}

TEST(sampling, a_stopped_run_has_what_was_drawn) {
  std::atomic<bool> stop = false;
  SampleOptions options{.chains = 2, .warmup = 100, .draws = 1'000'000, .seed = 1, .threads = 1};
  options.stop = &stop;
  options.on_progress = [&](const Progress& p) {
    if (p.iteration > 2000) stop = true;
  };
  const Fit fit = sample(hand_written_schools(), options);
  EXPECT_TRUE(fit.interrupted());
  EXPECT_GT(fit.num_draws(), 0);
  EXPECT_LT(fit.num_draws(), 1'000'000);
}

// ---- callables that aren't what they should be

TEST(checks, a_right_gradient_passes_and_a_wrong_one_is_named_with_both_values) {
  EXPECT_TRUE(check_gradient(hand_written_schools()).ok());
  EXPECT_TRUE(check_gradient(traced_schools()).ok());
  const GradientCheck wrong = check_gradient(hand_written_schools(0.01));
  ASSERT_EQ(wrong.mismatches.size(), 3u);  // at each of the points
  EXPECT_EQ(wrong.mismatches[0].name, "tau");
  EXPECT_EQ(wrong.mismatches[0].component, 1);
  // d tau / d log tau is tau: the planted mistake, as the free value has it
  const GradientMismatch& m = wrong.mismatches[0];
  EXPECT_NEAR(m.given - m.numerical, 0.01 * std::exp(m.point[1]), 1e-6);
  const std::string said = message_of([] { sample(hand_written_schools(0.01)); });
  EXPECT_NE(said.find("the gradient by tau (component 1) is"), std::string::npos) << said;
  EXPECT_NE(said.find("by differences"), std::string::npos) << said;
  SampleOptions trusting{.chains = 1, .warmup = 10, .draws = 10};
  trusting.check_gradient = false;
  EXPECT_EQ(sample(hand_written_schools(0.01), trusting).num_draws(), 10);
}

TEST(checks, one_wrong_component_of_a_thousand_is_found) {
  Parameters parameters;
  const auto x = parameters.vector("x", 1000);
  const auto model = [&](double mistake) {
    return with_gradient(parameters, [=](auto theta, auto gradient) {
      double sum = 0.0;
      for (std::size_t k = 0; k < theta.size(); ++k) {
        sum -= 0.5 * theta[k] * theta[k];
        gradient[k] = -theta[k];
      }
      gradient[617] += mistake;
      return sum + 0.0 * static_cast<double>(x.size);
    });
  };
  EXPECT_TRUE(check_gradient(model(0.0)).ok());
  const GradientCheck wrong = check_gradient(model(0.01));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.mismatches[0].name, "x.618");
}

TEST(checks, a_callable_that_changes_with_its_calls_is_refused) {
  Parameters parameters;
  parameters.real("x");
  auto calls = std::make_shared<std::atomic<int>>(0);
  const Model model = without_gradient(parameters, [calls](std::span<const double> theta) {
    return -0.5 * theta[0] * theta[0] + 1e-9 * static_cast<double>(++*calls);
  });
  const std::string said = message_of([&] { sample(model, {.sampler = "slice"}); });
  EXPECT_NE(said.find("the log density at a point was"), std::string::npos) << said;
  EXPECT_NE(said.find("the same numbers at every call"), std::string::npos) << said;
}

TEST(checks, what_a_callable_throws_ends_the_run_and_is_carried) {
  Parameters parameters;
  parameters.real("x");
  auto calls = std::make_shared<std::atomic<int>>(0);
  const Model model = without_gradient(parameters, [calls](std::span<const double> theta) {
    if (++*calls == 500) throw std::domain_error("out of fuel");
    return -0.5 * theta[0] * theta[0];
  });
  for (const Index threads : {1, 3}) {
    *calls = 0;
    try {
      sample(model, {.sampler = "slice", .threads = threads});
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::evaluation);
      EXPECT_NE(std::string(error.what()).find("out of fuel"), std::string::npos);
      EXPECT_THROW(std::rethrow_if_nested(error), std::domain_error);
    }
  }
}

TEST(checks, rejections_and_nan_refuse_points_and_are_counted) {
  Parameters parameters;
  parameters.real("x");
  const Model model = without_gradient(parameters, [](std::span<const double> theta) {
    if (theta[0] < -1.5) throw Rejection("x is below -1.5");
    return theta[0] > 1.0 ? kNaN : 0.0;
  });
  const Fit fit = sample(model, {.sampler = "slice", .warmup = 200, .draws = 2000, .seed = 3});
  // Uniform on (-1.5, 1): mean -0.25, sd 2.5 / sqrt(12)
  const SummaryRow x = fit.summary("x");
  EXPECT_LT(std::abs(x.mean + 0.25), 5.0 * x.mcse_mean);
  EXPECT_LT(std::abs(x.sd - 2.5 / std::sqrt(12.0)), 5.0 * x.mcse_sd);
  ASSERT_EQ(fit.refusals().size(), 2u);
  for (const std::string& refusal : fit.refusals())
    EXPECT_TRUE(refusal.ends_with("x is below -1.5") || refusal.ends_with("not a number"))
        << refusal;
}

TEST(checks, a_density_without_a_finite_point_says_so) {
  Parameters parameters;
  parameters.real("x");
  const Model model =
      without_gradient(parameters, [](std::span<const double>) { return -kInfinity; });
  EXPECT_NE(message_of([&] { sample(model, {.sampler = "slice"}); }).find("initial points"),
            std::string::npos);
}

// Each thread has a copy of the callable: working memory that it holds is its own.
TEST(checks, working_memory_held_by_value_is_one_thread_s) {
  Parameters parameters;
  const auto x = parameters.vector("x", 50);
  const auto run = [&](Index threads) {
    std::vector<double> squares(50);
    const Model model =
        without_gradient(parameters, [squares](std::span<const double> theta) mutable {
          for (std::size_t k = 0; k < theta.size(); ++k) squares[k] = theta[k] * theta[k];
          double sum = 0.0;
          for (const double square : squares) sum -= 0.5 * square;
          return sum;
        });
    return sample(model,
                  {.sampler = "slice", .chains = 4, .warmup = 20, .draws = 50, .threads = threads});
  };
  EXPECT_EQ(x.size, 50);
  EXPECT_TRUE(same_draws(run(1), run(4)));
}

// ---- files

class Saved : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fs::path("credo_api_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(Saved, files_are_written_whole) {
  const Fit fit = sample(traced_schools(), {.chains = 2, .warmup = 100, .draws = 50, .seed = 5});
  fit.save(folder_ / "fit.nc");
  fit.save(folder_ / "fit");
  EXPECT_TRUE(fs::exists(folder_ / "fit.nc"));
  EXPECT_TRUE(fs::exists(folder_ / "fit_2.csv"));
  EXPECT_THROW(fit.save(folder_ / "no_such_folder" / "fit.nc"), Error);
}

}  // namespace
}  // namespace credo::sample_test
