// The check that is shipped: kernels that are right pass, planted faults don't.
#include "credo/check.hpp"

#include <algorithm>

#include "api/own_kernels.hpp"
#include "api/support.hpp"
#include "infer/compose/compose.hpp"
#include "infer/core/table.hpp"
#include "infer/invariance/suite.hpp"

namespace credo::check_test {
namespace {

TEST(kernel_check, passes_kernels_that_are_right) {
  const Scheme right[] = {
      walk(0.8),
      langevin(0.2),
      metropolis({draw_multiples, log_ratio_of_multiples}),
      kernel("slice"),
      mixture({{0.5, kernel("nuts", {{"stepsize", 0.5}})}, {0.5, walk(1.5)}}),
      shuffled_cycle({walk(0.4), metropolis({draw_multiples, log_ratio_of_multiples})}),
      palindrome({langevin(0.1), walk(1.0)})};
  for (const Scheme& scheme : right) {
    const KernelCheck check = check_kernel(scheme);
    EXPECT_TRUE(check.ok()) << check.text();
  }
}

TEST(kernel_check, has_the_targets_and_statistics_of_the_suite) {
  namespace suite = infer::invariance;
  const KernelCheck check = check_kernel(kernel("rwm", {{"scale", 1.2}, {"metric", "unit_e"}}));
  const auto make = suite::maker_of_parts([](const infer::PartSetup& setup) {
    infer::KernelOptions options = infer::find_sampler("rwm").options();
    infer::set_field(options, "scale", "1.2");
    infer::set_field(options, "metric", "unit_e");
    return infer::kernel("rwm", options)(setup);
  });
  ASSERT_EQ(check.targets.size(), 7u);
  for (std::size_t k = 0; k < 7; ++k) {
    const suite::Target target = suite::all_targets()[k];
    const suite::Statistic worst = suite::worst_statistic(target, make);
    EXPECT_EQ(check.targets[k].target, target.name);
    EXPECT_EQ(check.targets[k].worst, worst.value);
    EXPECT_EQ(check.targets[k].statistic, worst.what);
  }
}

TEST(kernel_check, rejects_a_proposal_without_its_ratio) {
  const KernelCheck check = check_kernel(metropolis({draw_multiples, symmetric}));
  EXPECT_FALSE(check.ok());
  EXPECT_NE(check.text().find("WRONG"), std::string::npos);
}

TEST(kernel_check, rejects_a_langevin_step_without_its_correction) {
  EXPECT_FALSE(check_kernel(langevin(0.2, false)).ok());
}

// Goes wherever the density isn't refused.
Step accepting_step(Point& at, Random& random, std::vector<double>& to) {
  to.resize(at.position().size());
  for (std::size_t d = 0; d < to.size(); ++d) to[d] = at.position()[d] + 0.5 * random.normal();
  const Answer there = co_await evaluate(to);
  if (std::isfinite(there.log_density)) at.move_to(there);
  co_return {};
}

TEST(kernel_check, rejects_a_kernel_that_always_accepts) {
  const Scheme always = own_step([to = std::vector<double>()](Point& at, Random& random) mutable {
    return accepting_step(at, random, to);
  });
  const KernelCheck check = check_kernel(always);
  EXPECT_FALSE(check.ok());
  const auto bounded = std::ranges::find(check.targets, "half_normal", &TargetCheck::target);
  EXPECT_GT(bounded->worst, 20.0) << bounded->statistic;
}

TEST(kernel_check, rejects_a_kernel_that_never_moves) {
  const KernelCheck check =
      check_kernel(own_step([](Point&, Random&) -> Step { co_return {}; }), {.num_starts = 1000});
  for (const TargetCheck& target : check.targets) {
    EXPECT_LE(target.worst, 4.0);
    EXPECT_FALSE(target.ok());
  }
  EXPECT_NE(check.text().find("moved    0 %  WRONG"), std::string::npos) << check.text();
}

TEST(kernel_check, says_what_it_cannot_check) {
  const std::string named = message_of([] { check_kernel(on({"mu"}, walk(1.0))); });
  EXPECT_NE(named.find("names 'mu'"), std::string::npos) << named;
  EXPECT_NE(named.find("its parts by themselves"), std::string::npos) << named;
  EXPECT_NE(message_of([] { check_kernel(walk(1.0), {.num_starts = 1}); }).find("1 starts"),
            std::string::npos);
}

}  // namespace
}  // namespace credo::check_test
