// Steps of first-order optimisers and Fisher scoring against closed forms; and a wrong information.
#include <gtest/gtest.h>

#include "density/matrix_field.hpp"
#include "infer/core/table.hpp"
#include "infer/optimise/climb.hpp"
#include "support/kernel_checks.hpp"
#include "support/targets.hpp"

namespace credo::infer::gradient_steps_test {
namespace {
using namespace credo::testing;

// Counts y with rate exp(x) and a standard normal prior of x: the gradient is y - exp(x) - x, the expected information exp(x) + 1.
constexpr double kCount = 7.0;
double mode() {
  double x = 1.0;
  for (int k = 0; k < 50; ++k) x += (kCount - std::exp(x) - x) / (std::exp(x) + 1.0);
  return x;
}
std::shared_ptr<const LogDensity> counts(double factor = 1.0) {
  const auto plain = density_of(1, [](Point x, Slope gradient) {
    gradient[0] = kCount - std::exp(x[0]) - x[0];
    return kCount * x[0] - std::exp(x[0]) - 0.5 * x[0] * x[0];
  });
  const auto with_curvature = density::with_hessian(
      plain, {.value = [](Point x, Slope matrix) { matrix[0] = -std::exp(x[0]) - 1.0; },
              .slope = nullptr});
  return density::with_information(
      with_curvature,
      {.value = [=](Point x, Slope matrix) { matrix[0] = factor * (std::exp(x[0]) + 1.0); },
       .slope = nullptr});
}

struct End {
  double position, end, iterations;
};
End ended(const LogDensity& density, const std::string& method,
          const std::vector<std::pair<std::string, std::string>>& fields = {}) {
  SampleOptions options{.sampler = method, .num_chains = 1, .seed = 3, .num_threads = 1};
  options.kernel = find_sampler(method).options();
  for (const auto& [name, value] : fields) set_field(options.kernel, name, value);
  options.init = {{-1.0}};
  StoredDraws store;
  run_chains(density, options, store);
  const auto column = [&](std::string_view name) {
    for (std::size_t k = 0; k < store.columns.size(); ++k)
      if (store.columns[k].name == name) return store.info(0, 0, static_cast<Index>(k));
    return kNaN;
  };
  return {store.draws(0, 0, 0), column("end"), column("num_iterations")};
}

TEST(gradient_steps, end_at_the_mode_without_a_climb) {
  const std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>> runs{
      {"adam", {{"num_steps", "4000"}}},
      {"sgd", {{"rate", "0.02"}}},
      {"sgd", {{"step", "gradient"}, {"rate", "0.05"}, {"schedule", "constant"}}},
      {"sgd", {{"step", "nesterov"}, {"rate", "0.02"}}},
      {"natural", {}},
      {"natural", {{"rate", "1"}, {"schedule", "constant"}}}};
  for (auto [method, fields] : runs) {
    fields.emplace_back("polish", "false");
    const End end = ended(*counts(), method, fields);
    EXPECT_NEAR(end.position, mode(), 1e-6) << method << " " << fields.front().second;
  }
}

// Natural steps of size 1 are Fisher scoring, which is Newton's method here: its iterations are few.
TEST(gradient_steps, fisher_scoring_takes_the_steps_of_newton_where_information_is_the_curvature) {
  const End fisher = ended(*counts(), "fisher"), newton = ended(*counts(), "newton");
  EXPECT_NEAR(fisher.position, mode(), 1e-6);
  EXPECT_EQ(fisher.position, newton.position);
  EXPECT_EQ(fisher.iterations, newton.iterations);
}

TEST(gradient_steps, a_wrong_information_is_detected) {
  const double wrong = 25.0;
  EXPECT_GT(ended(*counts(wrong), "fisher").iterations, ended(*counts(), "fisher").iterations);
  const End natural = ended(*counts(wrong), "natural", {{"polish", "false"}, {"num_steps", "50"}});
  EXPECT_GT(std::abs(natural.position - mode()), 1e-3);
  EXPECT_EQ(natural.end, static_cast<double>(ClimbEnd::steps));
}

TEST(gradient_steps, a_step_out_of_the_support_is_taken_back_and_halves_the_size) {
  const auto edge = density_of(1, [](Point x, Slope gradient) {  // gamma(2, 1), cut at 4
    gradient[0] = 1.0 / x[0] - 1.0;
    return x[0] > 0.0 && x[0] < 4.0 ? std::log(x[0]) - x[0] : -kInfinity;
  });
  SampleOptions options{.sampler = "sgd", .num_chains = 1, .seed = 3, .num_threads = 1};
  options.kernel = find_sampler("sgd").options();
  set_field(options.kernel, "rate", "50");
  set_field(options.kernel, "polish", "false");
  options.init = {{0.5}};
  StoredDraws store;
  run_chains(*edge, options, store);
  EXPECT_NEAR(store.draws(0, 0, 0), 1.0, 1e-4);
}

TEST(gradient_steps, methods_that_need_an_information_are_refused_without_one) {
  const auto plain = density_of(1, [](Point x, Slope gradient) {
    gradient[0] = -x[0];
    return -0.5 * x[0] * x[0];
  });
  StoredDraws store;
  for (const char* method : {"fisher", "natural"})
    EXPECT_THROW(run_chains(*plain, {.sampler = method}, store), Error) << method;
  SampleOptions batches{.sampler = "adam"};
  batches.kernel = find_sampler("adam").options();
  set_field(batches.kernel, "batch", "5");
  EXPECT_THROW(run_chains(*plain, batches, store), Error);
}

}  // namespace
}  // namespace credo::infer::gradient_steps_test
