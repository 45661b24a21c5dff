// Branches on parameters in each row of the data: one program serves all points, whatever the rows decide, and it
// isn't longer for more rows.
#include "support/text_model.hpp"

namespace credo::model::branch_rows_test {
namespace {

struct RowProgram {
  const char* name;
  const char* functions;
  const char* body;
};

const RowProgram kRowPrograms[] = {
    {"quantile_regression",
     "real pin(real u, real q) { if (u < 0) { return u * (q - 1); } else { return u * q; } }"
     " real al_lpdf(real y, real mu, real s, real q) {"
     "   return log(q * (1 - q)) - log(s) - pin((y - mu) / s, q); }",
     "for (i in 1:N) target += al_lpdf(y[i] | a + b * x[i], s, 0.8);"},
    {"change_point", "",
     "for (i in 1:N) { if (x[i] < 3 * b) y[i] ~ normal(a, s); else y[i] ~ normal(a + b, 2 * s); }"},
    {"hinge", "",
     "for (i in 1:N) { real mu = a; if (x[i] > b) mu += s * (x[i] - b); y[i] ~ normal(mu, 1); }"},
    {"censored", "",
     "for (i in 1:N) { if (y[i] < a + b) target += normal_lpdf(y[i] | a, s);"
     " else target += normal_lccdf(a + b | a, s); }"},
    {"cases", "",
     "for (i in 1:N) { real e = y[i] - a; if (e > b) target += gamma_lpdf(e - b | 2, s);"
     " else if (e > -1) target += std_normal_lpdf(e); else target += student_t_lpdf(e | 3, 0, s); "
     "}"},
    {"piecewise_hazard",
     "real cumulated(real t, real cut, real low, real high) {"
     "   if (t < cut) return low * t; return low * cut + high * (t - cut); }"
     " real log_hazard(real t, real cut, real low, real high) {"
     "   return t < cut ? log(low) : log(high); }",
     "for (i in 1:N) { real t = abs(y[i]) + 0.1; real cut = exp(a);"
     " target += log_hazard(t, cut, s, exp(b)) - cumulated(t, cut, s, exp(b)); }"},
};

struct Traces {
  std::unique_ptr<Model> model;
  std::shared_ptr<int> count = std::make_shared<int>(0);
};

Traces model_of_rows(const RowProgram& program, int rows, const std::string& passes = "all") {
  std::string x, y;
  for (int i = 0; i < rows; ++i) {
    x += (i > 0 ? ", " : "") + std::to_string(2.0 * std::sin(1.7 * i));
    y += (i > 0 ? ", " : "") + std::to_string(3.0 * std::sin(2.3 * i + 1.0));
  }
  const std::string data =
      R"({"N": )" + std::to_string(rows) + R"(, "x": [)" + x + R"(], "y": [)" + y + "]}";
  Traces result;
  ModelOptions options;
  options.passes = passes;
  options.observe = [count = result.count](std::string_view pass, const graph::Traced&) {
    if (pass == "trace") ++*count;
  };
  result.model = model_from("functions {" + std::string(program.functions) +
                                "} data { int N; vector[N] x; vector[N] y; } parameters { real a; "
                                "real b; real<lower=0> s; }"
                                " model { a ~ normal(0, 2); b ~ normal(0, 2); s ~ normal(0, 2); " +
                                program.body + "}",
                            data, options);
  return result;
}

std::vector<double> point_of_rows(int k) {
  return {1.5 * std::sin(1.1 * k), 1.5 * std::cos(0.7 * k), 0.8 * std::sin(0.4 * k + 1.0)};
}

class branch_rows : public ::testing::TestWithParam<RowProgram> {};

// The rows' decisions differ at nearly every point. One trace for values, one for gradients.
TEST_P(branch_rows, are_traced_once_for_all_points) {
  const Traces traces = model_of_rows(GetParam(), 60);
  const auto evaluator = traces.model->make_evaluator();
  for (int k = 0; k < 100; ++k) {
    const std::vector<double> point = point_of_rows(k);
    std::vector<double> gradient(point.size());
    density::Request request{.position = point, .gradient = gradient, .status = {}};
    density::Request* batch = &request;
    evaluator->evaluate(density::Want::gradient, {&batch, 1});
    EXPECT_TRUE(request.status.ok()) << traces.model->describe(request.status);
  }
  EXPECT_EQ(*traces.count, 1);
}

TEST_P(branch_rows, have_the_density_of_the_branches_that_are_taken) {
  const Traces with = model_of_rows(GetParam(), 25),
               without = model_of_rows(GetParam(), 25, "none");
  for (int k = 0; k < 20; ++k)
    expect_same_density(*with.model, *without.model, point_of_rows(k), {1e-12, 1e-11});
}

// Ten times the rows: the same number of instructions, on longer vectors.
TEST_P(branch_rows, run_in_programs_that_do_not_grow_with_the_rows) {
  const auto instructions = [&](int rows) {
    const Traces traces = model_of_rows(GetParam(), rows);
    return traces.model->trace(point_of_rows(0))->program->num_instructions();
  };
  const Index few = instructions(50), many = instructions(500);
  EXPECT_LT(many, few + few / 4) << few << " instructions for 50 rows, " << many << " for 500";
}

INSTANTIATE_TEST_SUITE_P(programs, branch_rows, ::testing::ValuesIn(kRowPrograms),
                         [](const auto& c) { return std::string(c.param.name); });

// Branches that can't be a choice of values are traced again for each path. The run reports this once, with the line.
TEST(paths, that_are_traced_again_and_again_are_reported_once) {
  std::vector<std::string> said;
  ModelOptions options;
  options.warn = [&said](const std::string& text) { said.push_back(text); };
  const auto model = model_from(
      "parameters { vector[3] x; }\nmodel {\n  x ~ normal(0, 3);\n  for (i in 1:3) {\n    real m = "
      "abs(x[i]);\n    while (m > 0.1) m = 0.9 * m;\n    target += -m;\n  }\n}",
      "{}", options);
  const auto evaluator = model->make_evaluator();
  for (int k = 0; k < 150; ++k) {
    const std::vector<double> point{4 * std::sin(1.0 * k), 4 * std::cos(1.7 * k), 0.03 * k};
    std::vector<double> gradient(3);
    density::Request request{.position = point, .gradient = gradient, .status = {}};
    density::Request* batch = &request;
    evaluator->evaluate(density::Want::gradient, {&batch, 1});
    EXPECT_TRUE(request.status.ok());
  }
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("test.stan:6:"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("can't be a choice of values"), std::string::npos) << said[0];
}

// The choice mustn't depend on whether columns know a side's value: an abandoned attempt leaves no guard.
TEST(decisions_of_all_rows, make_one_graph_whatever_the_point_decides) {
  std::vector<Index> sizes;
  ModelOptions options;
  options.observe = [&sizes](std::string_view step, const graph::Traced& traced) {
    if (step == "trace") sizes.push_back(traced.graph->num_nodes());
  };
  const auto model = model_from(
      "functions {\n  real piece(real x) { for (j in 1:2) if (x < j) return log(j + 1 - x); return "
      "x; "
      "}\n}\nparameters { real a; vector[12] v; }\nmodel {\n  for (i in 1:12) {\n    real t = 0;\n"
      "    if (a > 0) t = piece(v[i]); else t = tanh(v[i]);\n    target += t - v[i]^2;\n  }\n"
      "  a ~ normal(0, 1);\n}",
      "{}", options);
  for (const double a : {0.5, -0.5}) {
    const std::vector<double> point{a,   0.3,  -0.2, 0.7, 0.1,  -0.9, 0.4,
                                    0.8, -0.4, 0.2,  0.6, -0.1, 0.5};
    EXPECT_TRUE(model->evaluate_in_full(point).status.ok());
  }
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes[0], sizes[1]);
}

}  // namespace
}  // namespace credo::model::branch_rows_test
