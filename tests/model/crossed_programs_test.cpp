// Random regressions with effects of several indices whose combinations are too many to be groups: sums by pairs of
// levels give the value and the gradient that the rows give, and keep the digits of small residuals.
#include <fmt/format.h>

#include "base/rng.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "support/share.hpp"

namespace credo::model::crossed_programs_test {
namespace {

constexpr int kRows = 3000, kPrograms = 100;

int level_of(int row, int kind, int count) {  // in no order
  auto x = static_cast<std::uint32_t>(row) * 2654435761u + static_cast<std::uint32_t>(kind) * 40503u;
  x = (x ^ x >> 15) * 2246822519u;
  return static_cast<int>((x ^ x >> 13) % static_cast<std::uint32_t>(count));
}

// Levels of g, h and i, some pairs of which never meet; each level of m lies in one of h. `moved`: the
// row whose level of g is another one.
std::string data_text(int moved = -1, const std::string& outcomes = {}) {
  std::string text = R"({"N": 3000, "G": 30, "H": 26, "I": 28, "M": 78)";
  const auto add = [&](const std::string& name, auto value) {
    text += ", \"" + name + "\": [";
    for (int i = 0; i < kRows; ++i) text += (i > 0 ? ", " : "") + value(i);
    text += "]";
  };
  const auto wave = [](double a, double b) {
    return [=](int i) { return std::to_string(std::sin(a * i + b) + 0.2 * std::cos(b * i)); };
  };
  const auto h_of = [](int i) { return level_of(i, 1, 26); };
  add("g", [&](int i) {
    return std::to_string((level_of(i, 0, 30) + (i == moved ? 1 : 0)) % 30 + 1);
  });
  add("h", [&](int i) { return std::to_string(h_of(i) + 1); });
  add("i", [](int i) { return std::to_string(level_of(i, 2, 28) + 1); });
  add("m", [&](int i) { return std::to_string(h_of(i) * 3 + (i / 13) % 3 + 1); });
  add("x", wave(1.7, 0.4)), add("z", wave(0.9, 1.3));
  if (outcomes.empty()) add("y", wave(2.3, 0.8));
  text += outcomes;
  add("s", [](int i) { return std::to_string(0.6 + 0.1 * (i % 13)); });
  add("X", [&](int i) {
    return "[" + wave(1.1, 0.2)(i) + ", " + wave(0.3, 0.7)(i) + ", " + wave(2.9, 1.9)(i) + "]";
  });
  return text + "}";
}

struct Term {
  const char *vector, *element;
};
// Effects of g, of h or m, and of i; then terms of all rows.
constexpr std::array kOfG{Term{"u[g]", "u[g[n]]"}, Term{"sd * u[g]", "sd * u[g[n]]"},
                          Term{"sd * (u[g] + x .* v[g])", "sd * (u[g[n]] + x[n] * v[g[n]])"},
                          Term{"(u .* v)[g]", "u[g[n]] * v[g[n]]"}};
constexpr std::array kOfH{Term{"w[h]", "w[h[n]]"}, Term{"sd * w[h] .* x", "sd * w[h[n]] * x[n]"},
                          Term{"w[h] - k[m]", "w[h[n]] - k[m[n]]"}};
constexpr std::array kOfI{Term{"t[i]", "t[i[n]]"}, Term{"exp(b) * t[i]", "exp(b) * t[i[n]]"},
                          Term{"(x - b) .* t[i]", "(x[n] - b) * t[i[n]]"}};
constexpr std::array kOfAll{Term{"a", "a"}, Term{"b * x", "b * x[n]"},
                            Term{"a * b * z", "a * b * z[n]"}, Term{"X * beta", "X[n] * beta"},
                            Term{"z", "z[n]"}};
constexpr std::array kScales{Term{"sigma", "sigma"}, Term{"exp(b / 3)", "exp(b / 3)"},
                             Term{"sigma * s", "sigma * s[n]"}};

class RandomRegression {
 public:
  explicit RandomRegression(int number)
      : rng_({.seed = 19,
              .purpose = purpose::kTest,
              .iteration = static_cast<std::uint32_t>(number)}),
        is_loop_(below(2) == 1) {
    std::string mean = one_of(kOfG) + sign() + one_of(kOfH) + sign() + one_of(kOfI);
    for (int k = below(3); k > 0; --k) mean += sign() + one_of(kOfAll);
    const std::string scale = one_of(kScales);
    if (!is_loop_) {
      statement_ = "y ~ normal(" + mean + ", " + scale + ");";
    } else if (below(2) == 0) {
      statement_ = "for (n in 1 : N) y[n] ~ normal(" + mean + ", " + scale + ");";
    } else {
      statement_ = "for (n in 1 : N) target += s[n] * normal_lpdf(y[n] | " + mean + ", " + scale + ");";
    }
  }
  std::string text() const { return text_of(statement_); }

  static std::string text_of(const std::string& statement) {
    return "data { int N, G, H, I, M; array[N] int g, h, i, m; vector[N] x, z, y, s; matrix[N, 3] X; }\n"
           "parameters { real a, b; real<lower=0> sd, sigma; vector[3] beta; vector[G] u, v; vector[H] w; "
           "vector[I] t; vector[M] k; }\n"
           "model { u ~ normal(0, sd); v ~ std_normal(); w ~ std_normal(); t ~ std_normal(); k ~ std_normal();\n  " +
           statement + "\n}\n";
  }

 private:
  int below(int n) { return static_cast<int>(rng_.index_below(n)); }
  std::string sign() { return below(4) == 0 ? " - " : " + "; }
  template <std::size_t n>
  std::string one_of(const std::array<Term, n>& terms) {
    const Term& term = terms[static_cast<std::size_t>(below(static_cast<int>(n)))];
    return std::string("(") + (is_loop_ ? term.element : term.vector) + ")";
  }

  Rng rng_;
  bool is_loop_;
  std::string statement_;
};

// The largest container that is computed once all passes have run.
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
      if (node.op->kind != graph::OpKind::source)
        largest_node() = std::max(largest_node(), node.shape.size());
    }
  };
  return std::make_unique<Model>(program, io::parse_json_data(data, "data"), options);
}

std::vector<double> point_of(const Model& model, int k) {
  std::vector<double> point(static_cast<std::size_t>(model.dimension()));
  for (std::size_t i = 0; i < point.size(); ++i)
    point[i] = 0.7 * std::sin(double(k) * 0.7 + double(i) * 1.3);
  return point;
}

// Differences in units of 1e-10 of the value and of the largest derivative: other orders of sums of thousands of terms
// differ by some 1e-13 of them.
double difference(const PointEvaluation& a, const PointEvaluation& b) {
  double largest = std::abs(a.log_density - b.log_density) / std::max(1.0, std::abs(b.log_density));
  double scale = 1.0;
  for (const double g : b.gradient) scale = std::max(scale, std::abs(g));
  for (std::size_t i = 0; i < b.gradient.size(); ++i)
    largest = std::max(largest, std::abs(a.gradient[i] - b.gradient[i]) / scale);
  return a.status.ok() == b.status.ok() ? largest / 1e-10 : kInfinity;
}

TEST(crossed_programs, agree_with_and_without_pairs_of_levels) {
  int num_taken = 0, num_tried = 0;
  for (int k = 0; k < kPrograms && !::testing::Test::HasFailure(); ++k) {
    if (!testing::in_this_share(k)) continue;
    const std::string text = RandomRegression(k).text(), data = data_text();
    // without `statistics`, too, which takes some of the programs where `grouped` is off
    const auto with = model_of(text, "all", data),
               without = model_of(text, "all,-grouped,-statistics", data);
    if (!with || !without) return;
    const std::vector<double> point = point_of(*with, k);
    const PointEvaluation crossed = with->evaluate_in_full(point);
    const Index size_with = largest_node();
    const PointEvaluation rows = without->evaluate_in_full(point);
    EXPECT_LT(difference(crossed, rows), 1.0) << text;
    ++num_tried;
    num_taken += size_with < kRows && largest_node() >= kRows ? 1 : 0;
    if (k % 4 != 0) continue;  // the mutant: one row of 3,000 has another level
    const auto mutant = model_of(text, "all", data_text(17));
    EXPECT_GT(difference(mutant->evaluate_in_full(point), rows), 1.0) << text;
  }
  // Programs with few rows for each pair of levels stay; a share of ten programs may have many of these.
  EXPECT_GT(num_taken, num_tried == kPrograms ? num_tried * 2 / 3 : 0);
}

// Residuals of 1e-7 around effects of size 1 and an intercept of 40, at points where intercept and effects have moved
// against each other by 30: products of the data, or of unknowns that cancel, would lose 1e-16 40^2 a row, a sixth of the sum. The
// reference adds squares of residuals in long double.
TEST(crossed_programs, keep_the_digits_of_small_residuals) {
  const auto effect = [](int kind, int level) { return std::sin(1.0 + 3.1 * kind + 0.9 * level); };
  const auto level = [](int kind, int i) {
    return level_of(i, kind, kind == 0 ? 30 : kind == 1 ? 26 : 28);
  };
  std::vector<double> y;
  std::string outcomes = ", \"y\": [";
  for (int i = 0; i < kRows; ++i) {
    double value = 40.0 + 1e-7 * std::sin(1.3 * i);
    for (int kind = 0; kind < 3; ++kind) value += effect(kind, level(kind, i));
    y.push_back(value);
    outcomes += (i > 0 ? ", " : "") + fmt::format("{:.17g}", value);
  }
  const std::string text = "data { int N, G, H, I; array[N] int g, h, i; vector[N] y; }\n"
                           "parameters { real a; vector[G] u; vector[H] w; vector[I] t; }\n"
                           "model { target += -0.5 * dot_self(y - (a + u[g] + w[h] + t[i])); }\n";
  const auto with = model_of(text, "all", data_text(-1, outcomes + "]"));
  ASSERT_NE(with, nullptr);
  for (const double shift : {0.0, 30.0}) {
    std::vector<double> point{40.0 + shift};
    for (int l = 0; l < 30; ++l) point.push_back(effect(0, l) - shift);
    for (int l = 0; l < 26; ++l) point.push_back(effect(1, l) + 2.0 * shift);
    for (int l = 0; l < 28; ++l) point.push_back(effect(2, l) - 2.0 * shift);
    const PointEvaluation found = with->evaluate_in_full(point);
    EXPECT_LT(largest_node(), kRows);
    long double exact = 0.0L;
    for (int i = 0; i < kRows; ++i) {
      long double mean = point[0];
      const std::array first{1, 31, 57};
      for (int kind = 0; kind < 3; ++kind)
        mean += point[static_cast<std::size_t>(first[static_cast<std::size_t>(kind)] + level(kind, i))];
      const long double r = y[static_cast<std::size_t>(i)] - mean;
      exact -= 0.5L * r * r;
    }
    // a residual of 1e-7 is known to 1e-16 100, a ten millionth of it
    EXPECT_NEAR(found.log_density, static_cast<double>(exact), 1e-6 * static_cast<double>(-exact))
        << shift;
  }
}

// A point at which the mean of a row isn't finite is refused as the rows refuse it.
TEST(crossed_programs, refuse_the_points_that_the_rows_refuse) {
  const std::string data = data_text();
  const std::string text =
      RandomRegression::text_of("y ~ normal(a + u[g] + w[h] .* x + t[i], sigma);");
  const auto with = model_of(text, "all", data), without = model_of(text, "all,-grouped", data);
  ASSERT_NE(with, nullptr);
  for (const std::size_t place : {0u, 9u, 67u, 93u}) {
    for (const double bad : {kInfinity, kNaN}) {
      std::vector<double> point = point_of(*with, 1);
      EXPECT_TRUE(with->evaluate_in_full(point).status.ok());
      point[place] = bad;
      EXPECT_EQ(with->evaluate_in_full(point).status.ok(),
                without->evaluate_in_full(point).status.ok())
          << place << " " << bad;
    }
  }
}

}  // namespace
}  // namespace credo::model::crossed_programs_test
