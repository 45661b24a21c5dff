// Simplification: every rule of the table applies where it should and changes neither value nor
// gradient; so do the passes that rewrite more than one row.
#include "graph/simplify_support.hpp"

#include "numerics/linear_algebra/triangular_factor.hpp"
#include "graph/passes/simplify_rules.hpp"

namespace credo::graph::simplify_test {
namespace {

struct Example {
  std::string_view rule;
  Formula formula;
  double small = 1e-100, large = 1e100;  // sizes of inputs for which nothing overflows
  bool positive = false;
};

Expr gathered(const Expr& x, Index n, int levels_of) {
  return gather(vector_shape(n), head(x, levels_of), repeating(n, levels_of));
}

const std::vector<Example>& examples() {
  const Expr c = data(kInputs), d = data(kInputs, 0.4, 2.0);
  static const std::vector<Example> all{
      {"add-zero", [](const Expr& x) { return x.element(0) + 0.0; }},
      {"add-negative", [](const Expr& x) { return x.element(0) * (x.element(1) + -x.element(2)); }},
      {"add-constants", [](const Expr& x) { return (x.element(0) + 1.5) + 2.0; }},
      {"sub-zero", [](const Expr& x) { return (x.element(0) - 0.0) * (0.0 - x.element(1)); }},
      {"sub-negative", [](const Expr& x) { return x.element(0) - -x.element(1); }},
      {"sub-constants", [](const Expr& x) { return 1.0 - (x.element(0) + 2.0); }},
      {"mul-one", [](const Expr& x) { return 1.0 * x.element(0) + -1.0 * x.element(1); }},
      {"mul-negative", [](const Expr& x) { return -x.element(0) * x.element(1); }},
      {"mul-constants", [c](const Expr& x) { return sum(2.0 * (c * x)); }},
      {"mul-same", [](const Expr& x) { return x.element(0) * x.element(0); }},
      {"mul-scalars-first",
       [](const Expr& x) { return sum(exp(sin(x.element(0) * x) * x.element(1) * 1e-3)); }, 1e-10,
       1.0},
      {"mul-by-choice", [](const Expr& x) { return sum(abs(x * select(less(x, 0.1), 1.0, 0.0))); }},
      {"div-constant", [](const Expr& x) { return sum(abs(x / 3.0)); }},
      {"div-negative", [](const Expr& x) { return -x.element(0) / x.element(1); }},
      {"div-constants", [](const Expr& x) { return 3.0 / (2.0 * x.element(0)); }},
      {"div-by-scalar", [](const Expr& x) { return sum(abs(x / x.element(3))); }},
      {"neg-inside", [](const Expr& x) { return sum(abs(-(2.0 * x))); }},
      {"square-negative", [](const Expr& x) { return square(-x.element(1)); }},
      {"abs-negative", [](const Expr& x) { return abs(-x.element(1)); }},
      {"cosh-negative", [](const Expr& x) { return cosh(-x.element(1)); }, 1e-10, 10.0},
      {"cos-negative", [](const Expr& x) { return cos(-x.element(1)); }, 1e-10, 10.0},
      {"square-abs", [](const Expr& x) { return square(abs(x.element(1))); }},
      {"sqrt-square", [](const Expr& x) { return sqrt(square(x.element(1))); }},
      {"pow-known",
       [](const Expr& x) {
         return pow(x.element(0), 2.0) + pow(x.element(1), 3.0) + pow(x.element(2), -1.0) +
                pow(x.element(3), -2.0) + pow(x.element(4), 0.5) + pow(x.element(5), -0.5) +
                pow(x.element(6), 1.0);
       },
       1e-60, 1e60, true},
      {"select-known", [](const Expr& x) { return select(1.0, x.element(0), x.element(1)); }},
      {"log-of-inverse",
       [](const Expr& x) {
         return log(exp(x.element(0))) + log(inv_logit(x.element(1))) + log(sqrt(x.element(2))) +
                log(1.0 / x.element(3));
       },
       0.1, 30.0, true},
      {"log-near-one", [](const Expr& x) { return log(1.0 + x.element(0)); }, 1e-2, 1e100, true},
      {"log-of-sum", [](const Expr& x) { return log(sum(exp(x))); }, 1e-10, 300.0},
      {"log-of-known-factor",
       [d](const Expr& x) { return sum(log(exp(d) * x.element(0))); }, 1e-2, 1e100, true},
      {"log1p-of", [](const Expr& x) { return log1p(exp(x.element(0))); }, 1e-10, 300.0},
      {"one-minus-inv-logit", [](const Expr& x) { return 1.0 - inv_logit(x.element(0)); }, 1e-10,
       5},
      {"two-log-sum-exp",
       [](const Expr& x) {
         return log_sum_exp(pack(vector_shape(2), std::array{x.element(3), x.element(1)}));
       },
       1e-10, 1e10},
      {"multiply-log-known", [d](const Expr& x) { return sum(multiply_log(d, exp(x))); }, 1e-10,
       300.0},
      {"bernoulli-by-odds",
       [](const Expr& x) {
         std::vector<double> y;
         for (Index i = 0; i < kInputs; ++i) y.push_back(i % 3 == 0 ? 1.0 : 0.0);
         const Expr outcome = constant(vector_shape(kInputs), y), p = inv_logit(x);
         return sum(multiply_log(outcome, p) + multiply_log(1.0 - outcome, 1.0 - p));
       },
       1e-10, 5.0},
      {"sum-nothing",  // and the summand that leaves isn't there
       [](const Expr& x) { return x.element(0) + sum(exp(head(x, 0)) - x.element(1)); }},
      {"dot-nothing",
       [](const Expr& x) { return x.element(0) + dot(sin(head(x, 0)), exp(head(x, 0))); }},
      {"sum-linear", [](const Expr& x) { return sum(exp(x) - sin(x)); }, 1e-10, 5.0},
      {"sum-factor", [](const Expr& x) { return sum(x.element(0) * exp(x)); }, 1e-10, 5.0},
      {"sum-of-squares", [](const Expr& x) { return sum(square(x.element(0) * x)); }},
      {"sum-broadcast",
       [](const Expr& x) { return sum(broadcast(vector_shape(5), x.element(0))); }},
      {"sum-gather", [](const Expr& x) { return sum(gathered(x, 90, 6)); }},
      {"sum-concat",
       [](const Expr& x) {
         return sum(concat(vector_shape(2 * kInputs), std::array{abs(x), x}));
       }},
      {"sum-pack",
       [](const Expr& x) {
         return sum(pack(vector_shape(3), std::array{abs(x.element(0)), Expr(2.0), x.element(1)}));
       }},
      {"max-gather", [](const Expr& x) { return max_element(gathered(x, 90, 6)); }},
      {"min-gather", [](const Expr& x) { return min_element(gathered(x, 90, 6)); }},
      {"dot-scalar", [](const Expr& x) { return dot(x.element(0), abs(x)); }},
      {"dot-factor", [](const Expr& x) { return dot(x.element(0) * x, abs(x)); }},
      {"dot-same", [](const Expr& x) { return dot(x, x); }},
      {"sum-product", [](const Expr& x) { return sum(matmul(design(90, 5), head(x, 5))); }},
      {"dot-product",
       [](const Expr& x) { return dot(data(90), matmul(design(90, 5), head(x, 5))); }},
      {"dot-linear", [](const Expr& x) { return dot(data(kInputs), x.element(0) - exp(x)); }, 1e-10,
       5.0},
      {"sum-log1p-exp",
       [](const Expr& x) {
         return sum(log1p_exp(signs(90) * (x.element(7) + matmul(design(90, 5), head(x, 5)))));
       },
       1e-10, 5.0},
      {"equal-infinity",
       [](const Expr& x) {
         const Expr eta = x.element(7) + matmul(design(90, 5), head(x, 5));
         return sum(levels(90, 3) * select(levels(90, 3) * equal(eta, -kInfinity), 0.0, exp(eta)));
       },
       1e-10, 5.0},
      {"dot-gather", [](const Expr& x) { return dot(data(90), gathered(x, 90, 6)); }},
      {"matmul-factor",
       [](const Expr& x) {
         const Expr a = data(3 * kInputs).reshaped(matrix_shape(3, kInputs));
         return sum(square(matmul(a, x.element(0) * abs(x))));
       },
       1e-30, 1e30},
      {"gather-all",
       [](const Expr& x) {
         return sum(abs(gather(vector_shape(kInputs), abs(x), [] {
           std::vector<std::int32_t> i(kInputs);
           std::iota(i.begin(), i.end(), 0);
           return i;
         }())));
       }},
      {"gather-gather",
       [](const Expr& x) {
         return sum(abs(gather(vector_shape(9), gathered(x, 30, 6), repeating(9, 30))));
       }},
      {"gather-broadcast",
       [](const Expr& x) {
         return prod(gather(vector_shape(2), broadcast(vector_shape(5), x.element(0)), {1, 3}));
       }},
      {"gather-pack",
       [](const Expr& x) {
         const Expr p =
             pack(vector_shape(3), std::array{abs(x.element(0)), x.element(1), Expr(2.0)});
         return prod(gather(vector_shape(2), p, {1, 0}));
       }},
      {"gather-concat",
       [](const Expr& x) {
         const Expr both = concat(vector_shape(2 * kInputs), std::array{abs(x), -x});
         return prod(gather(vector_shape(2), both, {kInputs + 1, kInputs + 5}));
       }},
      {"pack-of-one-scalar",
       [](const Expr& x) {
         const Expr s = abs(x.element(0));
         return prod(pack(vector_shape(2), std::array{s, s}));
       }},
      {"pack-of-one-node",
       [](const Expr& x) {
         const Expr y = abs(x);
         std::vector<Expr> elements;
         for (Index i = 0; i < y.size(); ++i) elements.push_back(y.element(i));
         return sum(exp(-pack(y.shape(), elements)));
       }},
      {"concat-of-one-node",
       [](const Expr& x) {
         const Expr a = gather(vector_shape(2), x, {1, 3}), b = gather(vector_shape(2), x, {5, 3});
         return prod(concat(vector_shape(4), std::array{a, b}));
       },
       1e-60, 1e60},
      {"map-of-broadcast",
       [](const Expr& x) { return sum(abs(x + broadcast(x.shape(), x.element(0)))); }},
      {"scatter-broadcast",
       [](const Expr& x) {
         return sum(abs(scatter_add(vector_shape(3), broadcast(vector_shape(9), x.element(0)),
                                    repeating(9, 3))));
       }},
      {"scatter-factor",
       [](const Expr& x) {
         return sum(abs(scatter_add(vector_shape(3), x.element(0) * x, repeating(kInputs, 3))));
       }},
      {"scatter-scatter",
       [](const Expr& x) {
         const Expr inner = scatter_add(vector_shape(6), x, repeating(kInputs, 6));
         return sum(abs(scatter_add(vector_shape(3), inner, repeating(6, 3))));
       }},
      {"scatter-reorders",
       [](const Expr& x) {
         return sum(x * abs(scatter_add(x.shape(), x, [] {
                      std::vector<std::int32_t> i(kInputs);
                      for (Index k = 0; k < kInputs; ++k)
                        i[static_cast<std::size_t>(k)] =
                            static_cast<std::int32_t>((k * 7) % kInputs);
                      return i;
                    }())));
       }},
      {"add-scatters", [](const Expr& x) {
         const Shape shape = vector_shape(20);
         const Expr both = scatter_add(shape, head(x, 10), repeating(10, 20)) +
                           scatter_add(shape, head(abs(x), 12), repeating(12, 20));
         return sum(abs(both));
       }}};
  return all;
}

TEST(simplify, has_an_example_of_every_rule) {
  for (const SimplifyRule* rule : all_simplify_rules()) {
    const bool there = std::any_of(examples().begin(), examples().end(),
                                   [&](const Example& e) { return e.rule == rule->name; });
    EXPECT_TRUE(there) << rule->name;
  }
}

TEST(simplify, applies_each_rule_to_its_example) {
  for (const Example& example : examples()) {
    bool applied = false;
    simplify_observed(traced(example.formula, false),
                      [&](const SimplifyRule& rule) { applied |= rule.name == example.rule; });
    EXPECT_TRUE(applied) << example.rule;
  }
}

TEST(simplify, changes_no_value_and_no_gradient) {
  for (const Example& example : examples()) {
    const Traced plain = traced(example.formula), better = optimised(example.formula, "simplify");
    EXPECT_EQ(verify(*better.graph), "") << example.rule;
    for (const double magnitude : {example.small, 0.3, 1.0, example.large}) {
      for (int k = 0; k < 5; ++k) {
        if (magnitude > example.large || magnitude < example.small) continue;
        auto at = point(k, magnitude);
        for (double& x : at) x = example.positive ? std::abs(x) : x;
        expect_same(run(better, at), run(plain, at), std::string(example.rule));
      }
    }
  }
}

TEST(simplify, keeps_a_nan) {
  for (const Example& example : examples()) {
    if (example.rule == "mul-by-choice") continue;  // what isn't chosen is 0, NaN or not
    const Traced plain = traced(example.formula, false),
                 better = simplify(traced(example.formula, false));
    for (Index i = 0; i < 8; ++i) {
      auto at = point(3, 0.5);
      at[static_cast<std::size_t>(i)] = kNaN;
      EXPECT_EQ(std::isnan(run(plain, at)[0]), std::isnan(run(better, at)[0])) << example.rule;
    }
  }
}

// ---- sufficient statistics

TEST(statistics, of_columns_are_the_norm_of_every_combination) {
  std::vector<std::vector<double>> columns(5);
  for (int i = 0; i < 1000; ++i) {
    for (std::size_t j = 0; j < 5; ++j)
      columns[j].push_back(std::sin(i * (0.3 + static_cast<double>(j))) + (j == 0 ? 1000.0 : 0.0));
  }
  numerics::TriangularFactor triangle(5);
  for (const std::ptrdiff_t begin : {0, 3, 400}) {  // in blocks of any length
    const std::ptrdiff_t end = begin == 0 ? 3 : begin == 3 ? 400 : 1000;
    std::vector<double> block;
    for (const auto& column : columns)
      block.insert(block.end(), column.begin() + begin, column.begin() + end);
    triangle.add(block, static_cast<std::size_t>(end - begin));
  }
  const std::vector<double>& r = triangle.factor();
  for (int k = 0; k < 10; ++k) {
    std::array<double, 5> p{};
    for (std::size_t j = 0; j < 5; ++j) p[j] = std::cos(k + 2.0 * static_cast<double>(j));
    double direct = 0.0, factored = 0.0;
    for (std::size_t i = 0; i < 1000; ++i) {
      double row = 0.0;
      for (std::size_t j = 0; j < 5; ++j) row += columns[j][i] * p[j];
      direct += row * row;
    }
    for (std::size_t i = 0; i < 5; ++i) {
      double row = 0.0;
      for (std::size_t j = i; j < 5; ++j) row += r[i + j * 5] * p[j];
      factored += row * row;
    }
    EXPECT_NEAR(factored, direct, 1e-13 * direct);  // backward stable: a few k times 1e-16
  }
}

Expr normal(const Expr& y, const Expr& mu, const Expr& sigma) {
  return sum(-log(sigma) + -0.5 * square((y - mu) / sigma));
}

struct Regression {
  std::string_view name;
  Formula formula;
};
const std::vector<Regression>& regressions() {
  constexpr Index n = 300;
  static const Expr y = data(n, 3.0, 40.0), x1 = data(n, 1.0), x2 = data(n, 2.0, 1.0) * data(n);
  static const Expr design = data(5 * n).reshaped(matrix_shape(n, 5));
  static const std::vector<Regression> all{
      {"lines",
       [](const Expr& x) {
         return normal(y, x.element(0) + x.element(1) * x1 + x.element(2) * x2, exp(x.element(3)));
       }},
      {"design",
       [](const Expr& x) {
         return normal(y, matmul(design, head(x, 5)) + x.element(7), exp(x.element(8)));
       }},
      {"one level", [](const Expr& x) { return normal(y, x.element(0), exp(x.element(3))); }},
      {"indices", [](const Expr& x) { return normal(y, gathered(x, n, 4), exp(x.element(8))); }},
      {"places of a line",
       [](const Expr& x) {
         const Expr line = x.element(0) - x.element(1) * data(40, 1.0);
         return normal(y, gathered(line, n, 40) + x.element(2) * x1, exp(x.element(8)));
       }},
      {"slopes of a line",
       [](const Expr& x) {
         return normal(y, x1 * (gathered(x, n, 3) - x2 * x.element(4)) - x.element(5), 2.0);
       }},
      {"measured twice",
       [](const Expr& x) {
         const Expr mu = x.element(0) - x.element(1) * x1;
         return normal(y, mu, exp(x.element(3))) + normal(x2, mu, 2.0);
       }},
      {"weights", [](const Expr& x) { return normal(y, x.element(0) * x1, exp(x1)); }},
      {"groups", [](const Expr& x) {
         return normal(y, gathered(exp(x), n, 30) * levels(n, 2) + x.element(35),
                       exp(x.element(3)));
       }}};
  return all;
}

TEST(statistics, take_the_place_of_the_elements) {
  for (const Regression& r : regressions()) {
    const Traced plain = optimised(r.formula, "cse,dead-code"),
                 better = optimised(r.formula, "all");
    EXPECT_LT(work(better), 0.35 * work(plain)) << r.name << "\n" << dump(better);
    for (int k = 0; k < 10; ++k) {
      const auto at = point(k, 1.0);
      expect_same(run(better, at), run(plain, at), std::string(r.name));
    }
  }
}

TEST(statistics, leave_what_takes_too_long_to_read) {
  // 2 rows columns^2 operations with the data as a column: 1.6e8 for 8 scalars, 2.7e9 for 36
  constexpr Index n = 1'000'000;
  for (const int num_levels : {7, 35}) {
    const Formula f = [&](const Expr& x) {
      return normal(data(n, 3.0), gathered(x, n, num_levels) + x.element(36) * data(n, 2.0), 1.0);
    };
    const Traced better = optimised(f, "all,-grouped");
    EXPECT_EQ(work(better) > static_cast<double>(n), num_levels == 35);
  }
}

TEST(statistics, of_a_residual_near_zero_keep_their_digits) {
  // data on a line up to 1e-7, at the line: normal equations would be off by 1e-16 40^2 n = 1e-10,
  // more than the sum itself, 1e-14 n
  constexpr Index n = 300;
  const Expr x1 = data(n), y = 40.0 + 2.0 * x1 + data(n, 1e-7, 0.0);
  const Formula f = [&](const Expr& x) { return normal(y, x.element(0) + x.element(1) * x1, 1.0); };
  auto at = point(0, 1.0);
  at[0] = 40.0, at[1] = 2.0;
  const Traced plain = optimised(f, "none"), better = optimised(f, "all");
  const double exact = run(plain, at)[0];
  EXPECT_NEAR(run(better, at)[0], exact, 1e-6 * std::abs(exact));  // 1e-16 40 / 1e-7 and a margin
}

TEST(statistics, leave_a_residual_that_is_needed) {
  constexpr Index n = 300;
  const Formula f = [](const Expr& x) {
    const Expr r = data(n) - x.element(0) * data(n, 2.0);
    return sum(square(r)) + sum(exp(-square(r)));
  };
  const Traced plain = traced(f), better = optimised(f, "all");
  expect_same(run(better, point(1, 1.0)), run(plain, point(1, 1.0)), "needed");
}

TEST(statistics, refuse_the_points_that_the_elements_refuse) {
  constexpr Index n = 300;
  for (const double bad : {kInfinity, -kInfinity, kNaN}) {
    for (const bool reduced : {false, true}) {
      Traced t{.graph = std::make_unique<Graph>(), .input = kNoNode, .outputs = {}};
      t.input = t.graph->add_input(vector_shape(kInputs));
      const Expr x(*t.graph, {t.input, -1});
      const Expr mu = x.element(0) + x.element(1) * data(n);
      EXPECT_FALSE(check_finite(mu, 3));
      t.outputs = {normal(data(n), mu, 2.0)};
      if (reduced) t = Passes("all").run(std::move(t));
      EXPECT_EQ(reduced, work(t) < n);
      const Program program(*t.graph, t.input, t.outputs);
      Workspace workspace(program, 1);
      auto at = point(0, 1.0);
      workspace.set_input(0, at);
      workspace.run();
      EXPECT_EQ(workspace.status(0).check, 0);
      at[1] = bad;
      workspace.set_input(0, at);
      workspace.run();
      EXPECT_EQ(workspace.status(0).check, 3);
    }
  }
}

// ---- sums of known columns

// Known column j of the tests.
Expr column(Index j) { return data(90, 1.0 + 0.1 * static_cast<double>(j), 0.2 * static_cast<double>(j)); }

TEST(designs, columns_times_scalars_become_one_product) {
  const std::vector<Regression> all{
      {"sum",
       [](const Expr& x) {
         Expr total = x.element(9) + x.element(0) * column(0);
         for (std::int32_t j = 1; j < 6; ++j) total = total + x.element(j) * column(j);
         return sum(log1p_exp(total));
       }},
      {"differences within a sum",
       [](const Expr& x) {
         const Expr left = x.element(0) * column(0) - exp(x.element(1)) * column(1),
                    right = column(2) * x.element(2) - (x.element(3) * column(3) - sin(x.element(4) * column(4)));
         return sum(exp(0.1 * (left - right)));
       }},
      {"two sums of equal columns", [](const Expr& x) {
         Expr a = x.element(0) * column(0), b = x.element(20) * column(0);
         for (std::int32_t j = 1; j < 5; ++j)
           a = a + x.element(j) * column(j), b = b - x.element(20 + j) * column(j);
         return sum(exp(0.1 * a) + cos(b));
       }}};
  for (const Regression& r : all) {
    const Traced plain = optimised(r.formula, "all,-designs"), better = optimised(r.formula, "all");
    EXPECT_EQ(count_rows(plain, "matmul"), 0) << r.name << "\n" << dump(plain);
    EXPECT_GE(count_rows(better, "matmul"), 2) << r.name << "\n" << dump(better);
    EXPECT_LT(work(better), 0.7 * work(plain)) << r.name << "\n" << dump(better);
    for (int k = 0; k < 6; ++k) {
      const auto at = point(k, 0.7);
      expect_same(run(better, at), run(plain, at), std::string(r.name));
    }
  }
}

TEST(designs, few_columns_and_columns_that_others_read_stay) {
  const std::vector<Regression> all{
      {"three columns",
       [](const Expr& x) {
         return sum(exp(x.element(0) * column(0) + x.element(1) * column(1) + x.element(2) * column(2)));
       }},
      {"products that are read twice", [](const Expr& x) {
         Expr total = x.element(9) * 1.0, others = 0.0;
         for (std::int32_t j = 0; j < 5; ++j) {
           const Expr product = x.element(j) * column(j);
           total = total + product, others = others + sum(sin(product));
         }
         return sum(log1p_exp(total)) + others;
       }}};
  for (const Regression& r : all) {
    const Traced better = optimised(r.formula, "all");
    EXPECT_EQ(count_rows(better, "matmul"), 0) << r.name << "\n" << dump(better);
    const auto at = point(1, 0.7);
    expect_same(run(better, at), run(optimised(r.formula, "none"), at), std::string(r.name));
  }
}

// ---- distinct values

TEST(distinct, values_of_data_are_computed_once) {
  constexpr Index n = 400;
  const std::vector<Regression> all{
      {"sum", [](const Expr& x) { return sum(lgamma(levels(n, 7) + exp(x.element(0)))); }},
      {"weights", [](const Expr& x) { return dot(data(n), tanh(levels(n, 7) * x.element(0))); }},
      {"pairs",
       [](const Expr& x) {
         return dot(sin(levels(n, 5) * x.element(1)), exp(levels(n, 3) * x.element(0)));
       }},
      {"rows",
       [](const Expr& x) {
         std::vector<double> cells;
         for (const int levels_of : {2, 3, 2}) {
           const Expr column = levels(n, levels_of);
           cells.insert(cells.end(), column.values().begin(), column.values().end());
         }
         return sum(log1p_exp(matmul(constant(matrix_shape(n, 3), cells), head(x, 3))));
       }},
      {"groups", [](const Expr& x) { return sum(log1p_exp(gathered(exp(x), n, 20))); }},
      {"all elements", [](const Expr& x) {
         return log_sum_exp(lgamma(exp(x.element(0)) + levels(n, 7)) + data(n));
       }}};
  for (const Regression& r : all) {
    const Traced plain = optimised(r.formula, "cse,dead-code"),
                 better = optimised(r.formula, "all");
    EXPECT_LT(work(better), 0.7 * work(plain)) << r.name << "\n" << dump(better);
    for (int k = 0; k < 6; ++k) {
      const auto at = point(k, 0.7);
      expect_same(run(better, at), run(plain, at), std::string(r.name));
    }
  }
}

TEST(distinct, checks_look_at_one_of_each) {
  constexpr Index n = 400;
  Traced t{.graph = std::make_unique<Graph>(), .input = kNoNode, .outputs = {}};
  t.input = t.graph->add_input(vector_shape(kInputs));
  const Expr x(*t.graph, {t.input, -1});
  EXPECT_FALSE(check_less(exp(levels(n, 5) * x.element(0)), 10.0, 2));
  t.outputs = {x.element(0)};
  t = Passes("all").run(std::move(t));
  EXPECT_LT(work(t), 20);
  const Program program(*t.graph, t.input, t.outputs);
  Workspace workspace(program, 1);
  for (const double a : {0.1, 0.6}) {  // exp(4.5 a) passes 10 at 0.51
    auto at = point(0, 1.0);
    at[0] = a;
    workspace.set_input(0, at);
    workspace.run();
    EXPECT_EQ(workspace.status(0).check, a < 0.5 ? 0 : 2);
  }
}

// ---- parts

TEST(split, makes_the_halves_of_a_mixture_apart) {
  constexpr Index n = 400;
  const Formula f = [](const Expr& x) {
    std::vector<std::int32_t> component, first, second;
    for (std::int32_t i = 0; i < n; ++i) {
      component.push_back(i % 2);
      (i % 2 == 0 ? first : second).push_back(i);
    }
    const Shape all = vector_shape(n), half = vector_shape(n / 2);
    const Expr mu = gather(all, head(x, 2), component);
    const Expr density = -0.5 * square((data(n) - mu) / gather(all, exp(x), component));
    return sum(log_sum_exp(gather(half, density, first), gather(half, density, second)));
  };
  const Traced plain = optimised(f, "cse,dead-code"), better = optimised(f, "all");
  EXPECT_EQ(count_rows(better, "gather"), 0) << dump(better);
  EXPECT_EQ(count_rows(better, "scatter_add"), 0) << dump(better);
  for (int k = 0; k < 5; ++k)
    expect_same(run(better, point(k, 1.0)), run(plain, point(k, 1.0)), "mixture");
}

TEST(split, leaves_what_is_used_whole) {
  constexpr Index n = 400;
  const Formula f = [](const Expr& x) {
    const Expr y = exp(gathered(x, n, 30) * data(n));
    std::vector<std::int32_t> first(n / 2);
    std::iota(first.begin(), first.end(), 0);
    return log_sum_exp(y) + log_sum_exp(gather(vector_shape(n / 2), y, first));
  };
  const Traced plain = traced(f), better = optimised(f, "split");
  EXPECT_LE(count_rows(better, "exp"), count_rows(optimised(f, "cse"), "exp"));
  for (int k = 0; k < 5; ++k)
    expect_same(run(better, point(k, 1.0)), run(plain, point(k, 1.0)), "whole");
}

// ---- sums of scalars

TEST(balance, leaves_one_addition_to_a_recurrence) {
  const Formula f = [](const Expr& x) {
    Expr state = x.element(0);
    for (Index t = 1; t < 10; ++t)
      state = tanh(((state + log1p_exp(x.element(t))) + sin(x.element(t + 1))) - x.element(t + 2));
    return state;
  };
  const auto depth = [](const Traced& t) {
    std::vector<int> depths(static_cast<std::size_t>(t.graph->num_nodes()), 0);
    for (NodeId id = 0; id < t.graph->num_nodes(); ++id) {
      for (const Ref& ref : t.graph->operands(t.graph->node(id)))
        depths[static_cast<std::size_t>(id)] = std::max(
            depths[static_cast<std::size_t>(id)], depths[static_cast<std::size_t>(ref.node)] + 1);
    }
    return *std::max_element(depths.begin(), depths.end());
  };
  const Traced plain = traced(f, false), better = Passes("balance").run(traced(f, false));
  EXPECT_GE(depth(plain), 9 * 4);
  EXPECT_LE(depth(better), 9 * 2 + 6);
  expect_same(run(better, point(1, 0.7)), run(plain, point(1, 0.7)), "recurrence");
}

TEST(balance, keeps_signs) {
  const Formula f = [](const Expr& x) {
    return x.element(0) - ((x.element(1) - sin(x.element(2))) + exp(-(x.element(3)))) -
           (tanh(sin(x.element(4))) - x.element(5));
  };
  for (int k = 0; k < 5; ++k)
    expect_same(run(optimised(f, "balance"), point(k, 1.0)), run(traced(f), point(k, 1.0)),
                "signs");
}

TEST(balance, joins_a_long_sum) {
  const Formula f = [](const Expr& x) {
    Expr total = 0.0;
    for (Index i = 0; i < kInputs; ++i) total = total + sin(x.element(i)) - exp(x.element(i));
    return total;
  };
  const Traced better = Passes("balance").run(traced(f, false));
  EXPECT_LT(count_rows(better, "add"), 2);
  expect_same(run(better, point(2, 1.0)), run(traced(f, false), point(2, 1.0)), "long");
}

}  // namespace
}  // namespace credo::graph::simplify_test
