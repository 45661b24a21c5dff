// Random regressions with groups: the triangles of groups give the value and the gradient that the rows give.
#include "base/rng.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "support/share.hpp"

namespace credo::model::grouped_programs_test {
namespace {

constexpr int kRows = 240, kPrograms = 400;

// The data of all programs: 12 groups g, 5 levels h, in no order.
std::string data_text() {
  std::string text = R"({"N": 240, "K": 12, "L": 5)";
  const auto add = [&](const std::string& name, auto value) {
    text += ", \"" + name + "\": [";
    for (int i = 0; i < kRows; ++i) text += (i > 0 ? ", " : "") + value(i);
    text += "]";
  };
  const auto wave = [](double a, double b) {
    return [=](int i) { return std::to_string(std::sin(a * i + b) + 0.2 * std::cos(b * i)); };
  };
  add("g", [](int i) { return std::to_string((i * 7 + i / 5) % 12 + 1); });
  add("h", [](int i) { return std::to_string((i * 3 + i / 11) % 5 + 1); });
  add("x", wave(1.7, 0.4)), add("z", wave(0.9, 1.3)), add("y", wave(2.3, 0.8));
  add("s", [](int i) { return std::to_string(0.6 + 0.1 * (i % 13)); });
  add("X", [&](int i) {
    return "[" + wave(1.1, 0.2)(i) + ", " + wave(0.3, 0.7)(i) + ", " + wave(2.9, 1.9)(i) + "]";
  });
  return text + "}";
}

struct Term {
  const char *vector, *element;
};
// Terms with effects of groups come first.
constexpr std::array kTerms{
    Term{"u[g]", "u[g[n]]"},
    Term{"v[g] .* x", "v[g[n]] * x[n]"},
    Term{"sd * u[g]", "sd * u[g[n]]"},
    Term{"sd * (u[g] + z .* v[g])", "sd * (u[g[n]] + z[n] * v[g[n]])"},
    Term{"r[1, g]'", "r[1, g[n]]"},
    Term{"r[2, g]' .* x", "r[2, g[n]] * x[n]"},
    Term{"(u .* v)[g] .* z", "u[g[n]] * v[g[n]] * z[n]"},
    Term{"(x - b) .* v[g]", "(x[n] - b) * v[g[n]]"},
    Term{"w[h]", "w[h[n]]"},
    Term{"w[h] .* x", "w[h[n]] * x[n]"},
    Term{"exp(w)[h] * sd", "exp(w[h[n]]) * sd"},
    Term{"w[h] .* u[g]", "w[h[n]] * u[g[n]]"},
    Term{"a", "a"},
    Term{"b * x", "b * x[n]"},
    Term{"a * b * z", "a * b * z[n]"},
    Term{"X * beta", "X[n] * beta"},
    Term{"X * (sd * beta)", "X[n] * (sd * beta)"},
};
constexpr int kWithEffects = 12;
constexpr std::array kScales{
    Term{"sigma", "sigma"},
    Term{"exp(b / 3)", "exp(b / 3)"},
    Term{"sqrt(square(sigma) + square(sd))", "sqrt(square(sigma) + square(sd))"},
    Term{"sigma * s", "sigma * s[n]"},
    Term{"spread[g]", "spread[g[n]]"},
    Term{"spread[g] .* s", "spread[g[n]] * s[n]"},
};

class RandomRegression {
 public:
  explicit RandomRegression(int number)
      : rng_({.seed = 17,
              .purpose = purpose::kTest,
              .iteration = static_cast<std::uint32_t>(number)}),
        is_loop_(below(2) == 1) {
    std::string mean = text_of(kTerms[static_cast<std::size_t>(below(kWithEffects))]);
    for (int k = 1 + below(4); k > 0; --k)
      mean += (below(4) == 0 ? " - " : " + ") +
              text_of(kTerms[static_cast<std::size_t>(below(static_cast<int>(kTerms.size())))]);
    const std::string scale =
        text_of(kScales[static_cast<std::size_t>(below(static_cast<int>(kScales.size())))]);
    if (!is_loop_) {
      statement_ = below(2) == 0
                       ? "y ~ normal(" + mean + ", " + scale + ");"
                       : "vector[N] m = " + mean + "; target += normal_lpdf(y | m, " + scale + ");";
    } else {
      statement_ = below(2) == 0 ? "for (n in 1 : N) y[n] ~ normal(" + mean + ", " + scale + ");"
                                 : "for (n in 1 : N) target += s[n] * normal_lpdf(y[n] | " + mean +
                                       ", " + scale + ");";
    }
  }

  std::string text() const {
    return "data { int N, K, L; array[N] int g, h; vector[N] x, z, y, s; matrix[N, 3] X; }\n"
           "parameters { real a, b; real<lower=0> sd, sigma; vector[3] beta; vector[K] u, v; "
           "vector[L] w; matrix[2, K] r; vector<lower=0>[K] spread; }\n"
           "model { u ~ normal(0, sd); v ~ std_normal(); w ~ std_normal(); to_vector(r) ~ "
           "std_normal(); "
           "spread ~ exponential(1);\n  " +
           statement_ + "\n}\n";
  }

 private:
  int below(int n) { return static_cast<int>(rng_.index_below(n)); }
  std::string text_of(const Term& term) const { return is_loop_ ? term.element : term.vector; }

  Rng rng_;
  bool is_loop_;
  std::string statement_;
};

// The largest container that is computed once all passes have run.
Index& largest_node() {
  static Index size = 0;
  return size;
}

std::unique_ptr<Model> model_of(const std::string& text, const std::string& passes) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = compile_text("random.stan", text, diagnostics, source);
  if (program == nullptr) {
    ADD_FAILURE() << lang::render(source, diagnostics) << text;
    return nullptr;
  }
  static const std::string data = data_text();
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

// Other orders of sums of a few hundred terms: their rounding is about 1e-13 of the largest.
void expect_equal(const PointEvaluation& a, const PointEvaluation& b, const std::string& text) {
  ASSERT_EQ(a.status.ok(), b.status.ok()) << text;
  EXPECT_NEAR(a.log_density, b.log_density, 1e-10 * std::max(1.0, std::abs(b.log_density))) << text;
  double scale = 1.0;
  for (const double g : b.gradient) scale = std::max(scale, std::abs(g));
  for (std::size_t i = 0; i < b.gradient.size(); ++i)
    EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-10 * scale) << i << "\n" << text;
}

TEST(grouped_programs, agree_with_and_without_groups) {
  int num_grouped = 0, num_tried = 0;
  for (int k = 0; k < kPrograms && !::testing::Test::HasFailure(); ++k) {
    if (!testing::in_this_share(k)) continue;
    const std::string text = RandomRegression(k).text();
    const auto with = model_of(text, "all"), without = model_of(text, "all,-grouped"),
               plain = model_of(text, "none");
    if (!with || !without || !plain) return;
    std::vector<double> point(static_cast<std::size_t>(with->dimension()));
    for (std::size_t i = 0; i < point.size(); ++i)
      point[i] = 0.7 * std::sin(double(k) * 0.7 + double(i) * 1.3);
    const PointEvaluation grouped = with->evaluate_in_full(point);
    const Index size_with = largest_node();
    const PointEvaluation ungrouped = without->evaluate_in_full(point);
    const Index size_without = largest_node();
    expect_equal(grouped, ungrouped, text);
    expect_equal(grouped, plain->evaluate_in_full(point), text);
    ++num_tried;
    num_grouped += size_with < kRows && size_without >= kRows ? 1 : 0;
  }
  // the others are affine in few scalars, or equal in classes: their rows leave the density without groups
  EXPECT_GT(num_grouped, num_tried / 3);
}

}  // namespace
}  // namespace credo::model::grouped_programs_test
