// The strong Wolfe conditions hold wherever the search says so, and a search without one of them is
// found out.
#include "infer/optimise/line_search.hpp"

#include <gtest/gtest.h>

#include "infer/core/vectors.hpp"
#include "support/kernel_checks.hpp"
#include "support/targets.hpp"

namespace credo::infer::optimise_line_search_test {
namespace {
using namespace credo::testing;

// Curves of one coordinate that rise at 0, bounded above, and their slopes.
struct Curve {
  const char* name;
  double (*value)(double);
  double (*slope)(double);
};
const std::vector<Curve>& curves() {
  static const std::vector<Curve> all = {
      {"parabola", [](double x) { return x - 0.5 * x * x; }, [](double x) { return 1.0 - x; }},
      {"far", [](double x) { return x - 5e-7 * x * x; }, [](double x) { return 1.0 - 1e-6 * x; }},
      {"near", [](double x) { return x - 5e5 * x * x; }, [](double x) { return 1.0 - 1e6 * x; }},
      {"waves", [](double x) { return std::sin(5.0 * x) - 0.1 * x * x; },
       [](double x) { return 5.0 * std::cos(5.0 * x) - 0.2 * x; }},
      {"slow", [](double x) { return std::log1p(x) - 0.01 * x; },
       [](double x) { return 1.0 / (1.0 + x) - 0.01; }},
      {"edge", [](double x) { return x > 1.0 ? -kInfinity : x + 0.1 * std::log1p(-x); },
       [](double x) { return 1.0 - 0.1 / (1.0 - x); }},
      // [more1994, sec. 5]: acceptable steps are few for c2 = 0.1
      {"narrow", [](double x) { return x / (x * x + 2.0); },
       [](double x) { return (2.0 - x * x) / ((x * x + 2.0) * (x * x + 2.0)); }}};
  return all;
}

// How many of the searches end where the conditions with these constants don't hold.
int count_faults(WolfeOptions searched, WolfeOptions wanted) {
  int faults = 0;
  for (const Curve& curve : curves())
    for (const double first : {1e-4, 0.03, 1.0, 7.0, 1e3}) {
      const auto density = density_of(1, [&curve](Point x, Slope gradient) {
        gradient[0] = std::isfinite(curve.value(x[0])) ? curve.slope(x[0]) : 0.0;
        return curve.value(x[0]);
      });
      PointState from = make_point(1, true);
      from.log_density = curve.value(0.0);
      from.gradient[0] = curve.slope(0.0);
      LineSearch search(1, searched);
      const std::vector<double> direction = {1.0};
      run_alone(search.run(from, direction, first), *density->make_evaluator());
      const double a = search.step(), slope = curve.slope(0.0);
      const bool climbs = curve.value(a) >= curve.value(0.0) + wanted.climb * a * slope - 1e-15;
      const bool levels = std::fabs(curve.slope(a)) <= wanted.slope * slope * (1.0 + 1e-12);
      if (!climbs || !levels || !(a > 0.0)) ++faults;
    }
  return faults;
}

TEST(line_search, ends_where_the_strong_wolfe_conditions_hold) {
  EXPECT_EQ(count_faults({}, {}), 0);
  EXPECT_EQ(count_faults({.slope = 0.1}, {.slope = 0.1}), 0);
}

TEST(line_search, without_the_condition_on_slopes_is_rejected) {  // a planted mutant
  EXPECT_GT(count_faults({.slope = 1e9}, {}), 5);
}

TEST(line_search, without_the_condition_on_climbing_is_rejected) {  // a planted mutant
  EXPECT_GT(count_faults({.climb = -1e9}, {}), 0);
}

TEST(line_search, tells_a_line_that_rises_for_ever) {
  const auto density = density_of(1, [](Point x, Slope gradient) {
    gradient[0] = 1.0;
    return x[0];
  });
  PointState from = make_point(1, true);
  from.log_density = 0.0;
  from.gradient[0] = 1.0;
  LineSearch search(1);
  const std::vector<double> direction = {1.0};
  run_alone(search.run(from, direction, 1.0), *density->make_evaluator());
  EXPECT_TRUE(search.rises_on());
  EXPECT_FALSE(search.is_wolfe());
  EXPECT_GT(search.found().position[0], 1e12);
}

}  // namespace
}  // namespace credo::infer::optimise_line_search_test
