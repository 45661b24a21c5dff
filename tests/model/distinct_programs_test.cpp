// Random regressions of counts and ordinal outcomes with repeated rows, vectorised and in loops: distinct rows with counts give the
// value and the gradient that all rows give.
#include <fmt/format.h>

#include "base/rng.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "support/share.hpp"

namespace credo::model::distinct_programs_test {
namespace {

constexpr int kRows = 600, kPrograms = 120;

// 4 rows of the design, 3 groups g, outcomes of few values: y counts, t trials, k of them, o one of four, b yes or no. `moved`:
// the row whose outcomes are others. `differ`: the design differs in each row.
std::string data_text(int moved, bool differ) {
  std::string text = fmt::format(R"({{"N": {})", kRows);
  const auto add = [&](const std::string& name, auto value) {
    text += ", \"" + name + "\": [";
    for (int i = 0; i < kRows; ++i) text += (i > 0 ? ", " : "") + value(i);
    text += "]";
  };
  const auto level = [&](int factor, int count) {
    return [=](int i) { return (i * factor + i / 7) % count + (i == moved ? 1 : 0); };
  };
  const auto whole = [&](int factor, int count, int first) {
    return [=](int i) { return std::to_string(level(factor, count)(i) + first); };
  };
  add("y", whole(5, 4, 0)), add("k", whole(3, 5, 0)), add("o", whole(11, 3, 1));
  add("t", [](int i) { return std::to_string(5 + i % 2); });
  add("b", [&](int i) { return std::to_string((i * 3 + i / 5 + (i == moved ? 1 : 0)) % 2); });
  add("g", [](int i) { return std::to_string((i * 7 + i / 3) % 3 + 1); });
  add("X", [&](int i) {
    const double own = differ ? 0.01 * std::sin(1.0 + i) : 0.0;
    return fmt::format("[{}, {}]", 0.5 + i % 2 + own, 0.3 * ((i / 2) % 2));
  });
  return text + "}";
}

constexpr std::array kFamilies{
    "y{n} ~ poisson_log(ETA)",
    "y{n} ~ poisson(exp(ETA))",
    "k{n} ~ binomial_logit(t{n}, ETA)",
    "k{n} ~ binomial(t{n}, inv_logit(ETA))",
    "o{n} ~ ordered_logistic(ETA, c)",
    "o{n} ~ ordered_probit(ETA, c)",
    "y{n} ~ neg_binomial_2_log(ETA, phi)",
    "y{n} ~ neg_binomial_2(exp(ETA), phi)",
    "k{n} ~ beta_binomial(t{n}, exp(ETA), phi)",
    "b{n} ~ bernoulli_logit(ETA)",
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t k = text.find(from); k != std::string::npos; k = text.find(from, k + to.size()))
    text.replace(k, from.size(), to);
  return text;
}

// Each family in turn, with a random predictor.
std::string program(int number) {
  Rng rng({.seed = 23,
           .purpose = purpose::kTest,
           .iteration = static_cast<std::uint32_t>(number)});
  const auto below = [&](int n) { return static_cast<int>(rng.index_below(n)); };
  const bool is_loop = below(2) == 1;
  const std::string row = is_loop ? "[n]" : "";
  std::string predictor = "a + X" + row + " * beta";
  if (below(2) == 0) predictor += is_loop ? " + u[g[n]]" : " + u[g]";
  if (below(3) == 0) predictor += is_loop ? " + s * X[n, 1]" : " + s * X[, 1]";
  std::string statement = replaced(kFamilies[static_cast<std::size_t>(number) % kFamilies.size()], "{n}", row);
  statement = (is_loop ? "for (n in 1 : N) " : "") + replaced(statement, "ETA", predictor);
  return "data { int N; matrix[N, 2] X; array[N] int y, t, k, o, b, g; }\n"
         "parameters { real a, s; vector[2] beta; vector[3] u; ordered[3] c; real<lower=0> phi; }\n"
         "model { beta ~ std_normal(); u ~ normal(0, exp(s)); c ~ std_normal(); phi ~ exponential(1);\n  " +
         statement + ";\n}\n";
}

bool is_costly(const graph::Node& node) {
  constexpr std::array kCheap{"add", "sub", "mul", "neg", "less", "less_equal", "equal", "select"};
  return node.op->kind == graph::OpKind::elementwise &&
         std::ranges::none_of(kCheap, [&](const char* name) { return node.op->name == name; });
}

// The largest container of a function beyond additions and products, once all passes have run.
Index& largest_node() {
  static Index size = 0;
  return size;
}

std::unique_ptr<Model> model_of(const std::string& text, const std::string& passes,
                                const std::string& data) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = compile_text("random.stan", text, diagnostics, source);
  if (program == nullptr) {
    ADD_FAILURE() << lang::render(source, diagnostics) << text;
    return nullptr;
  }
  ModelOptions options;
  options.passes = passes;
  options.observe = [](std::string_view, const graph::Traced& traced) {
    largest_node() = 0;
    for (graph::NodeId id = 0; id < traced.graph->num_nodes(); ++id) {
      const graph::Node& node = traced.graph->node(id);
      if (is_costly(node)) largest_node() = std::max(largest_node(), node.shape.size());
    }
  };
  return std::make_unique<Model>(program, io::parse_json_data(data, "data"), options);
}

std::vector<double> point_of(const Model& model, int k) {
  std::vector<double> point(static_cast<std::size_t>(model.dimension()));
  for (std::size_t i = 0; i < point.size(); ++i)
    point[i] = 0.5 * std::sin(double(k) * 0.7 + double(i) * 1.3);
  return point;
}

// In units of 1e-11 of the value and of the largest derivative: other orders of sums of some hundred terms differ by some
// 1e-14 of them.
double difference(const PointEvaluation& a, const PointEvaluation& b) {
  double largest = std::abs(a.log_density - b.log_density) / std::max(1.0, std::abs(b.log_density));
  double scale = 1.0;
  for (const double g : b.gradient) scale = std::max(scale, std::abs(g));
  for (std::size_t i = 0; i < b.gradient.size(); ++i)
    largest = std::max(largest, std::abs(a.gradient[i] - b.gradient[i]) / scale);
  return a.status.ok() == b.status.ok() ? largest / 1e-11 : kInfinity;
}

TEST(distinct_programs, agree_with_and_without_distinct_rows) {
  for (int k = 0; k < kPrograms && !::testing::Test::HasFailure(); ++k) {
    if (!testing::in_this_share(k)) continue;
    const std::string text = program(k), data = data_text(-1, false);
    const auto rows = model_of(text, "none", data);
    if (!rows) return;
    const std::vector<double> point = point_of(*rows, k);
    const PointEvaluation expected = rows->evaluate_in_full(point);
    EXPECT_TRUE(expected.status.ok()) << text;
    for (const std::string passes : {"all", "all,-distinct"}) {
      const auto model = model_of(text, passes, data);
      EXPECT_LT(difference(model->evaluate_in_full(point), expected), 1.0) << passes << "\n" << text;
      // 12 rows of design and group, times 10 outcomes with trials
      if (passes == "all") {
        EXPECT_LE(largest_node(), 12 * 10) << text;
      }
    }
    // the mutant: one row of 600 has other outcomes
    const auto mutant = model_of(text, "all", data_text(17, false));
    EXPECT_GT(difference(mutant->evaluate_in_full(point), expected), 1.0) << text;
  }
}

TEST(distinct_programs, rows_that_differ_stay) {
  for (int k = 0; k < 20; ++k) {
    const std::string text = program(k), data = data_text(-1, true);
    const auto with = model_of(text, "all", data), rows = model_of(text, "none", data);
    if (!with || !rows) return;
    const std::vector<double> point = point_of(*with, k);
    const PointEvaluation found = with->evaluate_in_full(point);
    EXPECT_GE(largest_node(), kRows / 4) << text;  // ordinal outcomes are computed apart by their value
    EXPECT_LT(difference(found, rows->evaluate_in_full(point)), 1.0) << text;
  }
}

}  // namespace
}  // namespace credo::model::distinct_programs_test
