// Guards in one side of a decision on parameters, or after an early return: values of a point that
// doesn't get there have no meaning.
#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model::side_guards_test {
namespace {

struct SideProgram {
  const char* name;
  const char* body;  // adds to `total`
  int paths;         // of all points below
};

const char* const kSideFunctions = R"(
functions {
  real halved(real x) { real m = x; while (m > 1) m = m / 2; return m; }
  int halvings(real x) {
    int n = 0;
    real m = x;
    while (m > 1) { m = m / 2; n += 1; }
    return n;
  }
  real grown(real x) { real m = x; while (m < 8) m = m * m; return m; }  // only ends beyond 1
  real part(real x, vector v, int i) { real r = 0; if (x > 0) r = v[i] * x; return r; }
  vector decay(real t, vector u, real r) { return -r * u; }
  real left(real r) { return ode_rk45(decay, [1.0]', 0.0, {1.0}, r)[1][1]; }

  real halved_or(real x, real y) { if (x < 0) return x; return halved(y) * x; }
  real grown_or(real x) { if (x <= 1.1) return -x^2; return grown(x); }
  real found(real x, vector v) {
    if (x > v[4]) return x;
    int i = 1;
    while (v[i] < x) i += 1;
    return i + x;
  }
  real found_inside(real x, real y, vector v) {
    if (y > 0) { if (x > v[4]) return x * y; return found(x, v) + y; }
    return -x;
  }
  real beside(real x, vector v) { if (x > -2) return x^2; return v[7]; }
  real told(real x, real y) {
    if (x > -2) return x * y;
    reject("x is ", x, ", y is ", y);
  }
  real left_or(real x, real y) { if (x < 0) return y; return left(x); }
}
data { vector[4] y; }
parameters { real a; real b; }
)";
const char* const kSideData = R"({"y": [-0.5, 0.2, 0.6, 0.9]})";

const SideProgram kSidePrograms[] = {
    {"a_loop", "if (a > 0) total += a * halved(b); else total -= b^2;", 4},
    {"a_loop_that_ends_there_only", "if (a > 1.1) total += grown(a); else total -= a^2 + b;", 3},
    {"a_break",
     "if (a > 0) { for (j in 1:4) { if (b < j) break; total += a * j; } } total -= a^2 + b^2;", 4},
    {"a_loop_in_a_side_of_a_side",
     "if (a > 0) { if (b > 1.1) total += grown(b); else total += b; } total -= a^2;", 4},
    {"a_loop_of_a_conditional", "total += a > 0 ? a * halved(b) : b^2;", 4},
    {"a_loop_behind_and", "if (a > 0 && halvings(b) > 0) total += a; else total -= b;", 4},
    {"what_follows_stays_a_choice",  // though the loop would reach v[5] where it doesn't run
     "if (b > 2) { int i = 1; real m = b; while (m < 3) { m += 0.5; i += 1; total += part(a, y, i);"
     " } } total += part(a, y, 1) - b^2;",
     2},
    {"a_solver", "if (a > 0) total += left(a); else total -= b^2;", 2},
    {"a_loop_after_a_return", "total += halved_or(a, b) - b^2;", 4},
    {"a_loop_after_a_return_that_ends_there_only", "total += grown_or(a) - b^2;", 3},
    {"a_search_after_a_return", "total += found(a, y) - b^2;", 4},
    {"a_search_after_returns_in_a_side", "total += found_inside(a, b, y);", 5},
    {"an_element_after_a_return", "total += beside(a, y) - b^2;", 1},
    {"a_text_after_a_return", "total += told(a, b) - b^2;", 1},
    {"a_solver_after_a_return", "total += left_or(a, b) - b^2;", 2},
};

struct SideModel {
  std::unique_ptr<Model> model;
  std::shared_ptr<int> num_traces = std::make_shared<int>(0);
};

SideModel side_model(const std::string& blocks, const std::string& passes = "all") {
  SideModel result;
  ModelOptions options;
  options.passes = passes;
  options.limits.max_steps = 50'000;  // a loop that doesn't end is found out soon
  options.observe = [count = result.num_traces](std::string_view pass, const graph::Traced&) {
    if (pass == "trace") ++*count;
  };
  result.model = model_from(kSideFunctions + blocks, kSideData, options);
  return result;
}
SideModel side_model(const SideProgram& program, const std::string& passes = "all") {
  return side_model("transformed parameters { real total = 0; {" + std::string(program.body) +
                        "} } model { target += total; }",
                    passes);
}

const std::vector<std::vector<double>>& side_points() {
  static const auto all = [] {
    std::vector<std::vector<double>> points;
    for (const double a : {-1.5, -0.4, 0.3, 1.2, 2.5})
      for (const double b : {-1.7, 0.8, 1.6, 3.1}) points.push_back({a, b});
    return points;
  }();
  return all;
}

double interpreted_total(const Model& model, const std::vector<double>& point) {
  Rng rng({.seed = 1, .purpose = 1, .chain = 0, .iteration = 0});
  return model.draw_outputs().write(point, rng)[2];
}

class side_guards : public ::testing::TestWithParam<SideProgram> {};

// The program is traced first at each of the points in turn; no path is traced twice.
TEST_P(side_guards, give_one_density_wherever_the_program_was_traced) {
  const SideModel guarded = side_model(GetParam(), "none");
  const bool is_solver = std::string_view(GetParam().name).find("solver") != std::string_view::npos;
  for (const std::vector<double>& first : side_points()) {
    const SideModel traced = side_model(GetParam());
    const auto evaluator = traced.model->make_evaluator();
    std::vector<std::vector<double>> points{first};
    points.insert(points.end(), side_points().begin(), side_points().end());
    for (const std::vector<double>& point : points) {
      std::vector<double> gradient(point.size(), kNaN);
      density::Request request{.position = point, .gradient = gradient, .status = {}};
      density::Request* batch = &request;
      evaluator->evaluate(density::Want::gradient, {&batch, 1});
      ASSERT_TRUE(request.status.ok()) << traced.model->describe(request.status);
      const PointEvaluation exact = guarded.model->evaluate_in_full(point);
      // Few operations in another order. The interpreter's solver takes other steps, of the default tolerance.
      const double tolerance = is_solver ? 1e-6 : 1e-13;
      const double total = interpreted_total(*traced.model, point);
      EXPECT_NEAR(request.log_density, total, tolerance * (1 + std::abs(total)));
      for (std::size_t d = 0; d < point.size(); ++d)
        EXPECT_NEAR(gradient[d], exact.gradient[d], 1e-13 * (1 + std::abs(exact.gradient[d])))
            << "traced at " << first[0] << ", " << first[1] << "; at " << point[0] << ", "
            << point[1];
    }
    EXPECT_EQ(*traced.num_traces, GetParam().paths)
        << "traced first at " << first[0] << ", " << first[1];
  }
}

// A path is known by the outcomes of its guards: two points of one path have one graph.
TEST_P(side_guards, make_one_graph_for_each_path) {
  std::map<std::string, Index> sizes;
  for (const std::vector<double>& point : side_points()) {
    const auto traced = side_model(GetParam()).model->trace(point);
    const auto [place, is_new] = sizes.try_emplace(traced->key, traced->num_traced_nodes);
    EXPECT_EQ(place->second, traced->num_traced_nodes) << "path " << traced->key;
  }
  EXPECT_EQ(ssize(sizes), GetParam().paths);
}

// Outputs have no gates: what a side computes where it isn't taken is anything.
TEST_P(side_guards, write_the_interpreted_draws_wherever_they_begin) {
  const std::string blocks =
      "generated quantities { real total = 0; {" + std::string(GetParam().body) + "} }";
  for (const std::vector<double>& first : side_points()) {
    const SideModel traced = side_model(blocks);
    Writer writer(traced.model->draw_outputs());
    std::vector<double> row;
    std::vector<std::vector<double>> points{first};
    points.insert(points.end(), side_points().begin(), side_points().end());
    for (const std::vector<double>& point : points) {
      Rng rng({.seed = 1, .purpose = 1, .chain = 0, .iteration = 0});
      writer.write(point, rng, row);
      EXPECT_EQ(row[2], interpreted_total(*traced.model, point));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(programs, side_guards, ::testing::ValuesIn(kSidePrograms),
                         [](const auto& c) { return std::string(c.param.name); });

// Draws that return early are written by one program, whatever follows the return.
TEST(side_guards_of_outputs, know_nothing_of_what_follows_a_return) {
  for (const char* body : {"total += halved_or(a, b);", "total += grown_or(a) * b;",
                           "total += found(a + 4, y) * b;", "total += told(a, b);"}) {
    const SideModel traced =
        side_model("generated quantities { real total = 0; {" + std::string(body) + "} }");
    Writer writer(traced.model->draw_outputs());
    std::vector<double> row;
    for (const double b : {-1.7, 0.8, 1.6, 3.1}) {
      Rng one({.seed = 1, .purpose = 1, .chain = 0, .iteration = 0});
      const std::vector<double> point{-0.4, b};
      writer.write(point, one, row);
      EXPECT_EQ(row[2], interpreted_total(*traced.model, point)) << body;
    }
    EXPECT_EQ(writer.num_interpreted(), 0) << body;
  }
}

// No row runs the loop, which wouldn't end.
TEST(side_guards_of_outputs, end_a_loop_that_no_row_runs) {
  const SideModel traced = side_model(
      "generated quantities { vector[12] total = rep_vector(0, 12); for (n in 1:12) {"
      " if (n > 20 * a) { real m = b; while (m < 8) m = m * m; total[n] = m; } } }");
  Writer writer(traced.model->draw_outputs());
  std::vector<double> row;
  for (const double b : {0.5, 0.8}) {
    Rng one({.seed = 1, .purpose = 1, .chain = 0, .iteration = 0});
    writer.write(std::vector<double>{1.0, b}, one, row);
    EXPECT_EQ(row[2], 0.0);
  }
  EXPECT_EQ(writer.num_interpreted(), 0);
}

}  // namespace
}  // namespace credo::model::side_guards_test
