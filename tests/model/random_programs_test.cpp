// Random programs: all passes against none, the traced path against the interpreter, lanes against
// one point at a time.
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "support/random_program.hpp"
#include "support/share.hpp"

namespace credo::model::random_programs_test {
namespace {

// CREDO_RANDOM_PROGRAMS=100000 asks for more than the default.
int num_programs() {
  const char* const asked = std::getenv("CREDO_RANDOM_PROGRAMS");
  return asked != nullptr ? std::atoi(asked) : 10'000;
}

// Of tests that are slow for each program.
int fewer_programs(int most) { return std::min(most, num_programs() / 5); }

// Without one pass: each in turn.
std::string all_but_one(int program) {
  const auto table = graph::pass_table();
  return "all,-" + std::string(table[static_cast<std::size_t>(program) % table.size()]->name);
}

std::unique_ptr<Model> model_of(const std::string& text, const std::string& passes) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = compile_text("random.stan", text, diagnostics, source);
  if (program == nullptr) {
    ADD_FAILURE() << lang::render(source, diagnostics) << text;
    return nullptr;
  }
  const io::DataTable data = io::parse_json_data(
      R"({"N": 11, "x": [0.3, -0.8, 1.1, 0.2, 0.9, -1.3, 0.4, 0.1, -0.6, 1.7, 0.5],
          "k": [2, 4, 1, 1, 9, 11, 5, 10, 3, 8, 7], "c": 0.4})",
      "data");
  ModelOptions options;
  options.passes = passes;
  return std::make_unique<Model>(program, data, options);
}

std::vector<double> point_for(int program, Index dimension) {
  std::vector<double> point(static_cast<std::size_t>(dimension));
  for (std::size_t i = 0; i < point.size(); ++i)
    point[i] = std::sin(double(program) * 0.7 + double(i) * 1.3);
  return point;
}

// Passes may reorder arithmetic, so they agree to rounding: 1e-10 of the largest number is far
// above the rounding of a few hundred operations (about 1e-13) and far below any wrong term.
void expect_close(double a, double b, double scale, const std::string& text) {
  if (std::isnan(a) && std::isnan(b)) return;
  EXPECT_NEAR(a, b, 1e-10 * std::max(1.0, scale)) << text;
}

void expect_equal(const PointEvaluation& a, const PointEvaluation& b, const std::string& text) {
  ASSERT_EQ(a.status.ok(), b.status.ok()) << text;
  if (!a.status.ok()) return;
  expect_close(a.log_density, b.log_density, std::abs(b.log_density), text);
  double scale = 0.0;
  for (const double g : b.gradient) scale = std::max(scale, std::abs(g));
  for (std::size_t i = 0; i < b.gradient.size(); ++i)
    expect_close(a.gradient[i], b.gradient[i], scale, text);
}

TEST(random_programs, agree_with_all_passes_with_each_off_and_with_none) {
  for (int k = 0; k < num_programs() && !::testing::Test::HasFailure(); ++k) {
    if (!testing::in_this_share(k)) continue;
    const std::string text = testing::RandomProgram(static_cast<std::uint64_t>(k)).text();
    const auto with = model_of(text, "all"), without = model_of(text, "none");
    const auto partly = model_of(text, all_but_one(k));
    if (!with || !without || !partly) return;
    const auto point = point_for(k, with->dimension());
    const PointEvaluation reference = without->evaluate_in_full(point);
    expect_equal(with->evaluate_in_full(point), reference, text);
    expect_equal(partly->evaluate_in_full(point), reference, all_but_one(k) + "\n" + text);
  }
}

// Central differences with step h have an error of h^2 f'''/6 + eps |f| / h; with h = 1e-5 and
// these densities (third derivatives below about 1e3 of their size) 1e-5 of the scale covers both.
// Kinks (fmax, ?:) within h of the point are rare and are skipped by comparing one-sided
// differences.
TEST(random_programs, have_gradients_that_equal_differences) {
  constexpr double h = 1e-5;
  const int num_compared = fewer_programs(300);
  int compared = 0, num_tried = 0;
  for (int k = 0; k < num_compared && !::testing::Test::HasFailure(); ++k) {
    if (!testing::in_this_share(k)) continue;
    ++num_tried;
    const std::string text = testing::RandomProgram(static_cast<std::uint64_t>(k) + 50'000).text();
    const auto model = model_of(text, "all");
    if (!model) return;
    auto point = point_for(k, model->dimension());
    const PointEvaluation at = model->evaluate_in_full(point);
    if (!at.status.ok() || !std::isfinite(at.log_density)) continue;
    for (std::size_t i = 0; i < point.size(); ++i) {
      auto up = point, down = point;
      up[i] += h;
      down[i] -= h;
      const double f_up = model->evaluate_in_full(up).log_density,
                   f_down = model->evaluate_in_full(down).log_density;
      const double forward = (f_up - at.log_density) / h, backward = (at.log_density - f_down) / h;
      const double scale = std::max({1.0, std::abs(at.gradient[i]), std::abs(at.log_density)});
      if (std::abs(forward - backward) > 1e-2 * scale) continue;  // a kink
      EXPECT_NEAR(at.gradient[i], 0.5 * (f_up - f_down) / h, 1e-5 * scale) << text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 4 * num_tried);
}

TEST(random_programs, do_not_depend_on_the_number_of_lanes) {
  for (int k = 0; k < fewer_programs(500) && !::testing::Test::HasFailure(); ++k) {
    if (!testing::in_this_share(k)) continue;
    const std::string text = testing::RandomProgram(static_cast<std::uint64_t>(k) + 90'000).text();
    const auto model = model_of(text, "all");
    if (!model) return;
    std::vector<std::vector<double>> points, gradients(8);
    for (int l = 0; l < 8; ++l) points.push_back(point_for(k * 8 + l, model->dimension()));
    std::vector<density::Request> requests;
    for (std::size_t l = 0; l < 8; ++l) {
      gradients[l].resize(points[l].size());
      requests.push_back({points[l], gradients[l], -kInfinity, {}});
    }
    std::vector<density::Request*> batch;
    for (auto& request : requests) batch.push_back(&request);
    model->make_evaluator()->evaluate(density::Want::gradient, batch);
    for (std::size_t l = 0; l < 8; ++l) {
      const PointEvaluation alone = model->evaluate_in_full(points[l]);
      const bool is_finite = alone.status.ok() && std::isfinite(alone.log_density);
      ASSERT_EQ(is_finite, requests[l].status.ok()) << text;
      if (!is_finite) continue;
      EXPECT_EQ(alone.log_density, requests[l].log_density) << text;
      EXPECT_EQ(alone.gradient, gradients[l]) << text;
    }
  }
}

}  // namespace
}  // namespace credo::model::random_programs_test
