// Work that would take much longer than a test ends soon after its flag is set.
#include "base/stop.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model::stop_test {
namespace {
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Ten times what was measured, on a machine that others use as well.
constexpr double kSoon = 1.0;

// Sets the flag a little later; the work must throw Stopped within kSoon.
void expect_stopped(const std::function<void()>& work) {
  StopFlag flag{false};
  Clock::time_point set;
  const std::jthread setter([&] {
    std::this_thread::sleep_for(200ms);
    set = Clock::now();
    flag = true;
  });
  const StopScope scope(&flag);
  EXPECT_THROW(work(), Stopped);
  EXPECT_TRUE(flag) << "it ended by itself";
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - set).count(), kSoon);
}

TEST(stop, ends_a_loop_of_transformed_data) {
  expect_stopped([] {
    model_from(
        "functions { real spin(real a) { real b = a; while (b >= 0) b += 1; return b; } }"
        "transformed data { real y = spin(0); } parameters { real x; } model { x ~ normal(y, 1); "
        "}");
  });
}

TEST(stop, ends_the_tracing_of_a_model) {
  const auto model = model_from(
      "parameters { real x; } model { int k = 0; real s = 0; while (k >= 0) { s += 1; k *= 1; } x "
      "~ normal(s, 1); }");
  expect_stopped([&] { model->trace(std::vector{0.5}); });
}

TEST(stop, ends_generated_quantities) {
  const auto model = model_from(
      "parameters { real x; } model { x ~ normal(0, 1); }"
      "generated quantities { real s = 0; for (i in 1 : 2000000000) s += normal_rng(0, 1); }");
  Writer writer(model->draw_outputs());
  Rng rng({.seed = 1, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0});
  std::vector<double> row;
  std::string note;
  expect_stopped([&] { writer.write(std::vector{0.5}, rng, row, &note); });
}

// Half a minute without a stop, and gigabytes: the names alone.
TEST(stop, ends_the_naming_of_many_outputs) {
  expect_stopped([] {
    model_from(
        "parameters { real x; } model { x ~ normal(0, 1); }"
        "generated quantities { vector[30000000] z = rep_vector(x, 30000000); }");
  });
}

// What the whole costs is measured in tools/check_runs; here a flag that is set ends an evaluation.
void expect_broken_off_and_then_whole(const std::string& text) {
  const auto model = model_from(text);
  const std::vector<double> point(static_cast<std::size_t>(model->dimension()), 0.3);
  std::vector<double> gradient(point.size()), again(point.size());
  density::Request request{.position = point, .gradient = gradient, .status = {}};
  const std::array batch{&request};
  const auto evaluator = model->make_evaluator();
  evaluator->evaluate(density::Want::gradient, batch);
  const double value = request.log_density;
  {
    StopFlag flag{true};
    const StopScope scope(&flag);
    EXPECT_THROW(evaluator->evaluate(density::Want::gradient, batch), Stopped);
  }
  request.gradient = again;
  evaluator->evaluate(density::Want::gradient, batch);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(request.log_density), std::bit_cast<std::uint64_t>(value));
  EXPECT_EQ(gradient, again);
}

TEST(stop, breaks_an_evaluation_off_which_can_be_made_again) {
  expect_broken_off_and_then_whole("parameters { real x; } model { x ~ normal(0, 1); }");
  expect_broken_off_and_then_whole(
      "transformed data { vector[100000] y = linspaced_vector(100000, 0, 1); }"
      "parameters { real a; real<lower=0> s; } model { y ~ student_t(4, a, s); }");
  expect_broken_off_and_then_whole(
      "parameters { vector[80] x; } model {"
      "  rep_vector(0, 80) ~ multi_normal(x, x * x' + diag_matrix(exp(x))); }");
}

}  // namespace
}  // namespace credo::model::stop_test
