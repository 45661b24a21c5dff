// Plans of marginal effects on functions of the rows that are known.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "io/data/data_files.hpp"
#include "models/effects/effect_plan.hpp"
#include "models/effects/explained_share.hpp"
#include "models/regression/family.hpp"

namespace credo::models::effects_test {
namespace {
constexpr const char* kText =
    "y,x,f,g,flag\n"
    "1,1,a,u,0\n2,2,b,u,1\n3,4,\"c, d\",v,1\n4,8,a,v,0\n5,8,a,v,1\n6,3,b,w,1\n";

TextTable table() {
  RegressionRequest request{.formula = "y ~ x + f + flag + (1 | g)"};
  request.data.files = {"t.csv"};
  request.is_usable = [](const std::string&) { return true; };
  FormulaFaults faults;
  static const std::string kOwn = kText;
  const auto text_of = [](const std::string&) -> const std::string& { return kOwn; };
  const Regression made = make_regression(request, text_of, faults);
  EXPECT_TRUE(faults.empty()) << faults.text(request.formula);
  return table_of(made, text_of);
}

// Values of a function of x and the level of f at the rows that a plan writes.
std::vector<double> values_of(const ChangedRows& rows,
                              const std::function<double(double, const std::string&)>& f) {
  const std::string csv = rows.csv();
  const io::DataTable read = io::parse_data(csv, "rows.csv");
  const io::DataValue& x = *read.find("x");
  const io::DataValue& level = *read.find("f");
  std::vector<double> values;
  for (Index k = 0; k < rows.num_written(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    values.push_back(f(x.kind == io::DataKind::reals ? x.reals[at] : x.integers[at],
                       level.column->levels[static_cast<std::size_t>(level.integers[at] - 1)]));
  }
  return values;
}

const Effect& named(const EffectPlan& plan, const std::string& name) {
  for (const Effect& effect : plan.effects())
    if (effect.name == name) return effect;
  throw Error(ErrorCode::data, "no effect " + name);
}

std::string refusal(const EffectRequest& request) {
  const TextTable rows = table();
  try {
    const EffectPlan plan(rows, request);
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return {};
}

TEST(effect_plan, of_a_smooth_function_has_the_mean_of_its_derivatives) {
  const TextTable rows = table();
  const EffectPlan plan(rows, {.columns = {"x"}});
  const Effect& effect = named(plan, "x");
  const auto sine = values_of(plan.rows(), [](double x, const auto&) { return std::sin(x); });
  double expected = 0.0;
  for (const double x : {1.0, 2.0, 4.0, 8.0, 8.0, 3.0}) expected += std::cos(x) / 6.0;
  // Steps are 0.047: h^4 / 5 for the ends, and smaller inside.
  EXPECT_NEAR(effect.sum.of(sine), expected, 2e-6);
  EXPECT_NEAR(effect.rough->of(sine), expected, 1e-3);
  EXPECT_GT(std::abs(effect.rough->of(sine) - expected), 1e-5);
  const auto line = values_of(plan.rows(), [](double x, const auto&) { return 250.0 + 3.0 * x; });
  EXPECT_NEAR(effect.sum.of(line), 3.0, 3e-12);
  // No value beyond those of the column: functions may be unknown there.
  for (const double x : values_of(plan.rows(), [](double v, const auto&) { return v; })) {
    EXPECT_GE(x, 1.0);
    EXPECT_LE(x, 8.0);
  }
}

TEST(effect_plan, of_a_jump_is_judged_as_rough) {
  const TextTable rows = table();
  const EffectPlan plan(rows, {.columns = {"x"}});
  const Effect& effect = named(plan, "x");
  const auto jump =
      values_of(plan.rows(), [](double x, const auto&) { return x > 4.01 ? 1.0 : 0.0; });
  EXPECT_GT(std::abs(effect.rough->of(jump) - effect.sum.of(jump)),
            0.1 * std::abs(effect.sum.of(jump)));
}

TEST(effect_plan, of_a_factor_has_contrasts_of_all_rows) {
  const TextTable rows = table();
  const EffectPlan plan(
      rows, {.columns = {"f"}, .contrasts = {"f c, d - b", "x 2 - 7"}, .all_pairs = true});
  const auto f = [](double x, const std::string& level) {
    return level == "a" ? x : level == "b" ? x * x : 10.0;
  };
  const auto values = values_of(plan.rows(), f);
  const double mean = 26.0 / 6.0, squares = (1.0 + 4.0 + 16.0 + 64.0 + 64.0 + 9.0) / 6.0;
  EXPECT_NEAR(named(plan, "f b - a").sum.of(values), squares - mean, 1e-12);
  EXPECT_NEAR(named(plan, "f c, d - a").sum.of(values), 10.0 - mean, 1e-12);
  EXPECT_NEAR(named(plan, "f c, d - b").sum.of(values), 10.0 - squares, 1e-12);
  // Rows have their own levels: three a, two b, one other.
  EXPECT_NEAR(named(plan, "x 2 - 7").sum.of(values), (3.0 * -5.0 + 2.0 * (4.0 - 49.0)) / 6.0,
              1e-12);
}

TEST(effect_plan, at_a_cell_of_all_rows_writes_equal_rows_once) {
  const TextTable rows = table();
  const EffectPlan plan(
      rows,
      {.columns = {"x"}, .at = {"g = u, f = \"c, d\", flag = 1"}, .curves = true, .num_grid = 3});
  ASSERT_EQ(plan.effects().size(), 3u);
  EXPECT_EQ(plan.rows().num_written(), 3);
  EXPECT_EQ(plan.effects()[1].value, 4.5);
  const auto values = values_of(plan.rows(), [](double x, const auto&) { return x; });
  EXPECT_NEAR(plan.effects()[2].sum.of(values), 8.0, 1e-14);
}

TEST(effect_plan, of_zeros_and_ones_is_a_contrast_and_a_step_is_a_change) {
  const TextTable rows = table();
  EXPECT_EQ(named(EffectPlan(rows, {.columns = {"flag"}}), "flag 1 - 0").kind, "contrast");
  const EffectPlan plan(rows, {.columns = {"x"}, .step = 2.0});
  const auto values = values_of(plan.rows(), [](double x, const auto&) { return x * x; });
  EXPECT_NEAR(named(plan, "x + 2").sum.of(values), 4.0 * 26.0 / 6.0 + 4.0, 1e-12);
}

TEST(effect_plan, refuses_wrong_columns_levels_and_numbers_with_a_way_out) {
  EXPECT_NE(refusal({.columns = {"xx"}}).find("did you mean x?"), std::string::npos);
  EXPECT_NE(refusal({.at = {"f = z"}}).find("the levels are a, b, c, d"), std::string::npos);
  EXPECT_NE(refusal({.at = {"x = much"}}).find("x has numbers, and 'much' isn't one"),
            std::string::npos);
  EXPECT_NE(refusal({.at = {"x"}}).find("isn't COLUMN = VALUE"), std::string::npos);
  EXPECT_NE(refusal({.at = {"x = 1", "x = 2"}}).find("x has two values"), std::string::npos);
  EXPECT_NE(refusal({.contrasts = {"f a b"}}).find("isn't COLUMN VALUE - VALUE"),
            std::string::npos);
  EXPECT_NE(refusal({.contrasts = {"q a - b"}}).find("the columns are"), std::string::npos);
  EXPECT_EQ(refusal({.at = {"g = new"}}), "");
}

// The predictions of a column in another formula are equal bits, and so the effect is 0 and not rounding noise.
TEST(effect_plan, of_a_column_without_effect_is_exactly_zero) {
  const TextTable rows = table();
  const EffectPlan plan(rows, {.columns = {"x", "f"}, .contrasts = {"x 2 - 7"}});
  const auto values = values_of(plan.rows(), [](double, const auto&) { return 1e5 / 3.0; });
  for (const Effect& effect : plan.effects()) EXPECT_EQ(effect.sum.of(values), 0.0) << effect.name;
}

// By hand: means 1, 2, 6 have the variance 7, noise 3; without groups 1, 1, 4: variance 3, the rest 0, 1, 2: variance 1.
TEST(explained_share, of_means_and_noise_is_a_share) {
  const auto share = explained_share(std::vector<double>{1, 2, 6}, std::vector<double>{1, 1, 4}, 3);
  EXPECT_NEAR(share.all, 0.7, 1e-15);
  EXPECT_NEAR(share.within, 3.0 / 7.0, 1e-15);
  EXPECT_TRUE(std::isnan(explained_share(std::vector<double>{1, 2, 6}, {}, 3).within));
}
}  // namespace
}  // namespace credo::models::effects_test
