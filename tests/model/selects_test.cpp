// Branches on parameters as selects: the values, gradients and refusals of the guarded paths, on
// one path for all points.
#include <gtest/gtest.h>

#include <set>

#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model::selects_test {
namespace {

const char* const kData = R"({"N": 9, "K": 3,
  "y": [0.3, -0.8, 1.1, 0.2, 0.9, -1.3, 0.4, 0.1, -0.6], "k": [1, 3, 2, 2, 1, 3, 1, 2, 3]})";
const char* const kHead = R"(
functions {
  real clamp(real x) { real r = x; if (x > 1) r = 1; else if (x < -1) r = -1; return r; }
  int sign_of(real x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
  real root(real x) { if (x > 0) return sqrt(x); return 0; }
  real pin(real u, real q) { if (u < 0) { return u * (q - 1); } else { return u * q; } }
  real steps(real x) {
    for (j in 1:3) { if (x < 0.5 * j - 1) return log(0.6 * j - 1 - x); }
    return x^2;
  }
  real nested(real x, real u) {
    real r = u;
    if (x > 0) { if (u > 0) return log(x * u); r = 2 * u; } else if (u > 1) return u;
    return r - x;
  }
  real part_lp(real x) { if (x < 0) { target += -x^2; return 1; } target += -x; return log(x); }
  real checked(real x) { if (x < 0) reject("below: ", x); if (x < 0.5) return sqrt(x); return x; }
}
data { int N; int K; vector[N] y; array[N] int k; }
parameters { real a; real b; vector[3] v; }
)";

struct Case {
  const char* name;
  const char* body;
  bool one_path = true;  // for all points
};

const Case kCases[] = {
    {"scalar", "real m = 0; if (a > b) m = a; else m = 2 * b; target += -m * m;"},
    {"only_one_side", "real m = b; if (a > 0) m = a; target += -square(m);"},
    {"element", "vector[3] m = v; if (a > 0) m[2] = b; target += -dot_self(m);"},
    {"elements_on_both_sides",
     "vector[3] m = v; if (a > 0) { m[1] = b; m[2] = a; } else m[2] = m[3] + b;"
     " target += -dot_self(m);"},
    {"whole_container", "vector[3] m; if (a > 0) m = v; else m = -v; target += -m[1] * v[2];"},
    {"written_twice",
     "real m = a; if (b > 0) { m = m + 1; m = m + v[1]; } target += -square(m - 1);"},
    {"swap",
     "real lo = a; real hi = b; if (lo > hi) { real t = lo; lo = hi; hi = t; }"
     " target += -square(hi - 2 * lo);"},
    {"nested",
     "real m = 0; if (a > 0) { if (b > 0) m = a; else m = b; } else if (v[1] > b) m = v[2];"
     " target += -square(m);"},
    {"nested_over_one_variable",
     "real m = a; if (b > 0) { m = m + b; if (m > 1) m = 1; m = m - v[3]; }"
     " target += -square(m);"},
    {"loop",
     "vector[N] m; for (n in 1:N) { if (y[n] > a) m[n] = b; else m[n] = v[k[n]]; }"
     " y ~ normal(m, 1);"},
    {"loop_inside",
     "vector[3] m = v; if (a > b) for (i in 1:3) m[i] = m[i] + a; target += -dot_self(m);"},
    {"running_best",
     "int best = 1; for (i in 2:3) if (v[i] > v[best]) best = i; target += -square(v[best] - a);"},
    {"computed_place_in_data",
     "int i = 1; if (a > 0) i = 3; target += -square(b - y[i]) + y[i + 1] * a;"},
    {"computed_place_in_list",
     "array[3] real m = {a, b, 0}; int i = a > b ? 1 : 2; m[3] = v[1]; target += -square(m[i + "
     "1]);"},
    {"computed_row",
     "matrix[2, 3] m = [v', [a, b, 1]]; int i = 1 + (a > 0); target += -dot_self(m[i] - b);"},
    {"computed_column",
     "matrix[3, 2] m = [[a, b], [v[1], 1], [b, v[3]]]; int i = 1 + (a > 0);"
     " target += -dot_self(m[ : , 1]) - square(m[3, i]) - square(m[i + 1, 1 + (b > 0)]);"},
    {"vectors_of_an_array",
     "array[2] vector[3] m = {v, [a, b, 1]'}; int i = b > a ? 2 : 1; target += -dot_self(m[i]);"},
    {"arithmetic",
     "int i = 2 * (a > 0) - (b > 0); int j = 2 - (i > 0); target += -square(j * v[j] - i * a);"},
    {"as_real", "real r = (a > 0) + 2 * (v[1] >= b); target += -square(r - a) * (1 + (a != b));"},
    {"and_or",
     "if (a > 0 && b > 0 || v[1] > 1) target += 0; real m = 0;"
     " if (a > 0 && !(b > 0)) m = a; target += -square(m);"},
    {"ternary", "target += -square(a > 0 ? b : v[1]) - square(b > 0 && a > b ? 1 : a);"},
    {"user_function", "target += -square(clamp(2 * a)) - sign_of(b) * a;"},
    {"early_return", "target += -square(root(a)) - b^2;"},
    {"unfinished_domain",  // derivatives of the side that isn't taken aren't finite
     "real m = 0; if (a > 0) m = sqrt(a); target += -m - a^2;"},
    {"ternary_domain", "target += -(a > 0 ? a * log(a) : a^2);"},
    {"adds_to_target", "if (a > 0) target += -a^2; else target += -b^2;"},
    {"rejects", "if (a > 0.9) reject(\"too far\"); target += -a^2;"},
    {"check_inside",
     "real m = 0; if (a > 0) { m = normal_lpdf(b | 0, a); } target += m - a^2 - b^2;"},
    {"rows_return", "for (n in 1:N) target += -pin(y[n] - a - b * k[n], 0.8);"},
    {"rows_add_terms",
     "for (n in 1:N) { if (y[n] > a) target += normal_lpdf(y[n] | a, exp(b));"
     " else target += normal_lcdf(a | v[k[n]], 1); }"},
    {"rows_with_locals",
     "for (n in 1:N) { if (y[n] > a) { real d = y[n] - a; target += -b * log(d); }"
     " else if (y[n] > b) y[n] ~ normal(b, 1); }"},
    {"rows_checked", "for (n in 1:N) if (v[k[n]] > 0) y[n] ~ normal(a, v[k[n]]);"},
    {"rows_of_functions",
     "for (n in 1:N) target += -square(steps(a + 0.3 * k[n])) + nested(y[n] - a, v[k[n]]);"},
    {"terms_of_a_function", "for (n in 1:N) target += 0.1 * part_lp(y[n] - a);"},
    {"several_returns", "target += -square(nested(a, b)) - nested(v[1], v[2]);"},
    {"rejects_with_a_value",
     "if (a > 0) { if (b > 0.7) reject(\"b is \", b, \" here\"); target += -b; }"},
    {"rejects_in_a_function", "target += -square(a > 0 ? checked(b) : b);"},
    {"an_index_of_one_side",
     "int i = 3; if (a > 0) i = 4; if (i < 4) target += v[i]; else target += b;"},
    {"a_side_of_a_loop_and_a_vector",
     "for (n in 1:N) { vector[2] m; if (y[n] > a) m = [b, 1]'; else { m = v[1:2]; m[2] = log(y[n] "
     "+ 2 - b); }"
     " target += -dot_self(m); }"},
    {"as_size", "int n = 1 + (a > 0); vector[n] m = rep_vector(b, n); target += -dot_self(m);",
     false},
    {"as_bound", "int n = 1 + (a > 0); for (i in 1:n) target += -square(v[i]);", false},
    {"divided", "int n = 5 + (a > 0); target += -square(v[n %/% 2]) - n % 2;", false},
    {"while_loop", "real m = 2 + a^2; while (m > 1) m = m / 2; target += -square(m);", false},
    {"written_place", "vector[3] m = v; int i = 1 + (a > 0); m[i] = b; target += -dot_self(m);",
     false},
    {"tuple", "tuple(real, real) m = (a, b); if (a > 0) m.1 = b; target += -m.1^2;", false},
    {"counts", "int n = 0; for (i in 1:N) n += y[i] > a; target += -square(n - b);"},
    {"sorted", "target += -dot_product(sort_asc(v), [1, 2, 3]') + a * sort_desc({a, b, v[1]})[2];"},
    {"order",
     "array[3] int i = sort_indices_desc(v);"
     " target += -square(v[i[1]] - 2 * v[i[3]]) - rank(v, 2) * a;"},
    {"passed_on",
     "array[3] int s = {1, 2, 3}; if (a > 0) { s[1] = 3; s[3] = 1; }"
     " target += -square(v[s[1]] - 2 * v[s[3]]); for (i in 1:3) target += -v[s[i]]^2;"},
};

std::unique_ptr<Model> model_of(const std::string& text, const std::string& passes) {
  ModelOptions options;
  options.passes = passes;
  return model_from(text, kData, options);
}
std::string in_model(const Case& c) { return std::string(kHead) + "model {" + c.body + "}"; }

std::vector<double> point_of(Index size, int k) {
  std::vector<double> point;
  for (Index d = 0; d < size; ++d) point.push_back(1.3 * std::sin(0.9 * k + 2.1 * double(d)));
  return point;
}

// The gradient lives until the next call.
density::Request evaluated(density::Evaluator& evaluator, const std::vector<double>& point) {
  static std::vector<double> gradient;
  gradient.assign(point.size(), kNaN);
  density::Request request{.position = point, .gradient = gradient, .status = {}};
  density::Request* batch = &request;
  evaluator.evaluate(density::Want::gradient, {&batch, 1});
  return request;
}

class selects : public ::testing::TestWithParam<Case> {};

TEST_P(selects, give_the_values_and_gradients_of_the_guarded_paths) {
  const std::string text = in_model(GetParam());
  for (const char* passes : {"all", "selects"}) {
    const auto with = model_of(text, passes), without = model_of(text, "none");
    const auto evaluator = with->make_evaluator();
    for (int k = 0; k < 40; ++k) {
      const std::vector<double> point = point_of(with->dimension(), k);
      const density::Request a = evaluated(*evaluator, point);
      const PointEvaluation b = without->evaluate_in_full(point);
      ASSERT_EQ(a.status.ok(), b.status.ok());
      if (!a.status.ok()) {
        EXPECT_EQ(with->describe(a.status), without->describe(b.status));
        continue;
      }
      // Few additions: their order is all that differs.
      EXPECT_NEAR(a.log_density, b.log_density, 1e-13 * (1 + std::abs(b.log_density)));
      for (std::size_t d = 0; d < point.size(); ++d)
        EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-13 * (1 + std::abs(b.gradient[d])))
            << "point " << k << ", component " << d;
    }
  }
}

// The program traced at one point is right at the others, whatever their decisions.
TEST_P(selects, take_one_path) {
  std::set<std::string> keys;
  for (int k = 0; k < 40; ++k)
    keys.insert(model_of(in_model(GetParam()), "all")->trace(point_of(5, k))->key);
  EXPECT_EQ(keys.size() == 1, GetParam().one_path) << keys.size() << " paths";
}

TEST_P(selects, write_the_interpreted_draws) {
  std::string body = GetParam().body;
  if (body.find(" ~ ") != std::string::npos || body.find("_lp(") != std::string::npos) return;
  for (std::size_t at = 0; (at = body.find("target +=", at)) != std::string::npos;)
    body.replace(at, 9, "total +=");
  const auto model = model_of(
      std::string(kHead) + "generated quantities { real total = 0; {" + body + "} }", "all");
  Writer writer(model->draw_outputs());
  std::vector<double> row;
  for (int k = 0; k < 40; ++k) {
    Rng one({.seed = 1, .purpose = 1, .chain = 0, .iteration = 0}), other = one;
    const std::vector<double> point = point_of(model->dimension(), k);
    writer.write(point, one, row);
    const std::vector<double> interpreted = model->draw_outputs().write(point, other);
    for (std::size_t i = 0; i < row.size(); ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(row[i]), std::bit_cast<std::uint64_t>(interpreted[i]))
          << "draw " << k;
  }
}

// The derivative of the other side is infinite, also at the kink itself.
TEST(select_gradients, are_finite_where_the_other_side_is_infinite) {
  const auto model = model_of(
      std::string(kHead) +
          "model { if (a > 0) target += sqrt(a) / a; target += -a^2 - sqrt(b > 0 ? b : 0); }",
      "all");
  const auto evaluator = model->make_evaluator();
  for (const double a : {0.0, -0.0, -1.0, -1e-300}) {
    const density::Request request = evaluated(*evaluator, {a, 2.0, 0, 0, 0});
    ASSERT_TRUE(request.status.ok()) << model->describe(request.status);
    EXPECT_EQ(request.gradient[0], -2.0 * a);
    EXPECT_EQ(request.gradient[1], -0.5 / std::sqrt(2.0));
  }
}

INSTANTIATE_TEST_SUITE_P(branches, selects, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(select_indices, say_which_index_is_out_of_range) {
  const auto model = model_of(
      std::string(kHead) + "model { int i = 3; if (a > 0) i = 4; target += -square(v[i]); }",
      "all");
  const std::vector<double> inside{-1, 0.2, 0.5, 0.5, 0.5}, outside{1, 0.2, 0.5, 0.5, 0.5};
  auto evaluator = model->make_evaluator();
  for (const auto* point : {&inside, &outside}) {
    const density::Request request = evaluated(*evaluator, *point);
    EXPECT_EQ(request.status.ok(), point == &inside);
    if (point == &inside) continue;
    EXPECT_TRUE(request.status.fatal);
    EXPECT_NE(model->describe(request.status).find("index 4 of v is out of range, the size is 3"),
              std::string::npos)
        << model->describe(request.status);
  }
}

// Decisions between draws differ at every step of a Viterbi path; one program writes them all.
TEST(select_outputs, write_a_viterbi_path_without_the_interpreter) {
  const auto model = model_of(std::string(kHead) + R"(
generated quantities {
  array[N] int<lower=1, upper=3> path;
  real best;
  {
    array[N, 3] int back;
    array[N, 3] real logp;
    for (j in 1:3) logp[1, j] = normal_lpdf(y[1] | v[j], 1);
    for (t in 2:N) {
      for (j in 1:3) {
        logp[t, j] = negative_infinity();
        for (i in 1:3) {
          real l = logp[t - 1, i] - abs(i - j) * abs(a) + normal_lpdf(y[t] | v[j], 1);
          if (l > logp[t, j]) { back[t, j] = i; logp[t, j] = l; }
        }
      }
    }
    best = max(logp[N]);
    for (j in 1:3) if (logp[N, j] == best) path[N] = j;
    for (t in 1:N - 1) path[N - t] = back[N - t + 1, path[N - t + 1]];
  }
})",
                              "all");
  Writer writer(model->draw_outputs());
  std::vector<double> row;
  std::set<std::vector<double>> paths;
  for (int k = 0; k < 100; ++k) {
    Rng one({.seed = 1, .purpose = 1, .chain = 0, .iteration = 0}), other = one;
    const std::vector<double> point = point_of(model->dimension(), k);
    writer.write(point, one, row);
    EXPECT_EQ(row, model->draw_outputs().write(point, other));
    paths.emplace(row.begin() + 5, row.begin() + 14);
  }
  EXPECT_GT(paths.size(), 5u);
  EXPECT_EQ(writer.num_interpreted(), 0);
}

// Random decisions in rows, with sides that return, draw and check: one program writes all draws.
TEST(select_outputs, write_rows_of_random_branches_without_the_interpreter) {
  const auto model = model_from(R"(
functions {
  real part_rng(real p, real rate) {
    if (bernoulli_rng(p) == 1) return 0;
    return gamma_rng(2, rate);
  }
}
data { int N; vector[N] y; }
parameters { real a; real<lower=0> b; }
generated quantities {
  vector[N] drawn;
  array[N] int counts;
  vector[N] cases;
  int above = 0;
  for (n in 1:N) {
    drawn[n] = part_rng(inv_logit(a), b);
    if (bernoulli_rng(0.3)) counts[n] = 0; else counts[n] = poisson_rng(b + abs(y[n]));
    if (y[n] > a) cases[n] = normal_rng(y[n], b); else if (drawn[n] > 1) cases[n] = log(drawn[n]); else cases[n] = -1;
    if (counts[n] > 2) above += 1;
  }
})",
                                R"({"N": 40, "y": [)" +
                                    [] {
                                      std::string y = "0.5";
                                      for (int n = 1; n < 40; ++n)
                                        y += ", " + std::to_string(1.5 * std::sin(2.0 * n));
                                      return y;
                                    }() +
                                    "]}");
  Writer writer(model->draw_outputs());
  std::vector<double> row;
  std::set<std::vector<double>> different;
  for (std::uint32_t k = 0; k < 50; ++k) {
    Rng one({.seed = 3, .purpose = 1, .chain = 0, .iteration = k}), other = one;
    const std::vector<double> point{std::sin(1.0 + k), std::cos(0.5 * k)};
    writer.write(point, one, row);
    EXPECT_EQ(row, model->draw_outputs().write(point, other));
    different.insert(row);
  }
  EXPECT_EQ(different.size(), 50u);
  EXPECT_EQ(writer.num_interpreted(), 0);
}

}  // namespace
}  // namespace credo::model::selects_test
