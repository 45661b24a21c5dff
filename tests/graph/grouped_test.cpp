// Squared residuals with unknowns of groups: the triangles give the value and gradient of the rows, with their
// digits, for every form in which a program may write effects.
#include "graph/simplify_support.hpp"

namespace credo::graph::grouped_test {
namespace {

constexpr Index kRows = 400, kGroups = 12;

Expr gathered(const Expr& x, Index n, std::vector<std::int32_t> index) {
  return gather(vector_shape(n), x, std::move(index));
}
// Inputs 0 to 11: u; 12 to 23: v; 24 to 27: w of the crossed index; from 28: numbers.
Expr u(const Expr& x) { return gathered(head(x, kGroups), kRows, repeating(kRows, kGroups)); }
Expr v(const Expr& x) {
  std::vector<std::int32_t> index = repeating(kRows, kGroups);
  for (std::int32_t& i : index) i += kGroups;
  return gathered(x, kRows, std::move(index));
}
Expr w(const Expr& x) {
  std::vector<std::int32_t> index;
  for (std::int32_t i = 0; i < kRows; ++i) index.push_back(24 + (i / 5) % 4);
  return gathered(x, kRows, std::move(index));
}
const Expr& slopes() {
  static const Expr all = data(kRows, 1.5, -0.2);
  return all;
}
const Expr& outcomes() {
  static const Expr all = data(kRows, 3.0, 40.0) * data(kRows, 0.2, 1.0);
  return all;
}
Expr normal(const Expr& y, const Expr& mu, const Expr& sigma) {
  return sum(-log(sigma) + -0.5 * square((y - mu) / sigma));
}

struct Case {
  std::string_view name;
  Formula formula;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"varying slopes",
       [](const Expr& x) {
         const Expr mu = x.element(28) + x.element(29) * slopes() + u(x) + v(x) * slopes();
         return normal(outcomes(), mu, exp(x.element(30)));
       }},
      {"effects that are not centred",
       [](const Expr& x) {
         const Expr mu = x.element(28) + exp(x.element(31)) * (u(x) + slopes() * v(x));
         return normal(outcomes(), mu, sqrt(square(x.element(30)) + 1.0));
       }},
      {"a design beside effects",
       [](const Expr& x) {
         const Expr slope = gather(vector_shape(2), x, {30, 34});
         return normal(outcomes(), matmul(design(kRows, 2), slope) - u(x) * slopes() - v(x), 2.0);
       }},
      {"a crossed index",
       [](const Expr& x) {
         const Expr mu =
             exp(x.element(31)) * (u(x) + w(x) * slopes()) + x.element(35) * data(kRows);
         return normal(outcomes(), mu, exp(x.element(30)));
       }},
      {"scales of groups",
       [](const Expr& x) {
         return normal(outcomes(), x.element(28) + x.element(29) * slopes(), exp(u(x)));
       }},
      {"known scales",
       [](const Expr& x) {
         return normal(outcomes(), u(x) + v(x) * slopes(), exp(data(kRows)) * x.element(36));
       }},
      {"known weights",
       [](const Expr& x) {
         const Expr r = outcomes() - (u(x) + v(x) * slopes());
         return dot(exp(data(kRows)), square(r));
       }},
      {"quotients of groups",
       [](const Expr& x) { return normal(outcomes(), slopes() / exp(u(x)) + w(x) * u(x), 3.0); }},
      {"functions of groups", [](const Expr& x) {
         return normal(outcomes(), exp(u(x) * 0.3) * (slopes() - x.element(33)), 3.0);
       }}};
  return all;
}

std::vector<PathNote> notes_of(const Formula& formula) {
  std::vector<PathNote> notes;
  reduce_to_groups(Passes("simplify,dead-code").run(traced(formula, false)), &notes);
  return notes;
}

TEST(grouped, take_the_place_of_the_rows) {
  for (const Case& c : cases()) {
    const auto notes = notes_of(c.formula);
    ASSERT_EQ(notes.size(), 1u) << c.name;
    EXPECT_EQ(notes[0].path, "grouped") << c.name << ": " << notes[0].reason;
    const Traced plain = optimised(c.formula, "cse,dead-code"),
                 better = optimised(c.formula, "all");
    EXPECT_LT(work(better), 0.35 * work(plain)) << c.name << "\n" << dump(better);
    for (int k = 0; k < 10; ++k) {
      const auto at = point(k, 1.0);
      expect_same(run(better, at), run(plain, at), std::string(c.name));
    }
  }
}

// Rows on their lines up to 1e-7, at the lines: products of the data would lose 1e-16 40^2 a row, more than the
// sum itself. The reference adds squares in long double.
TEST(grouped, keep_the_digits_of_small_residuals) {
  std::vector<double> y;
  const auto at = point(0, 1.0);
  const std::vector<std::int32_t> group = repeating(kRows, kGroups);
  long double exact = 0.0L;
  for (Index i = 0; i < kRows; ++i) {
    const auto g = static_cast<std::size_t>(group[static_cast<std::size_t>(i)]);
    const double slope = at[kGroups + g] + at[29], x = slopes().value(i);
    y.push_back(40.0 + at[g] + slope * x + 1e-7 * std::sin(static_cast<double>(i)));
    const long double mean =
        40.0L + at[g] + (static_cast<long double>(at[kGroups + g]) + at[29]) * x;
    exact += (y.back() - mean) * (y.back() - mean);
  }
  const Expr known = constant(vector_shape(kRows), y);
  const Formula f = [&](const Expr& x) {
    return sum(square(known - (40.0 + u(x) + (v(x) + x.element(29)) * slopes())));
  };
  const Traced better = optimised(f, "all");
  EXPECT_LT(work(better), kRows);
  // each residual has an error of some 1e-16 40, against 1e-7
  EXPECT_NEAR(run(better, at)[0], static_cast<double>(exact), 1e-6 * static_cast<double>(exact));
}

TEST(grouped, leave_rows_that_are_needed_or_that_differ) {
  const std::vector<Case> all{
      {"needed twice",
       [](const Expr& x) {
         const Expr r = outcomes() - u(x) - v(x) * slopes();
         return sum(square(r)) + sum(exp(-square(r)));
       }},
      {"a product that differs in each row",
       [](const Expr& x) {
         const Expr r = outcomes() - sin(x.element(28) * slopes()) - u(x) * slopes();
         return sum(square(r));
       }},
      {"negative weights", [](const Expr& x) {
         return dot(data(kRows), square(outcomes() - u(x) - v(x) * slopes()));
       }}};
  for (const Case& c : all) {
    const Traced plain = optimised(c.formula, "none"), better = optimised(c.formula, "all");
    EXPECT_GT(work(better), kRows) << c.name;
    expect_same(run(better, point(1, 1.0)), run(plain, point(1, 1.0)), std::string(c.name));
  }
}

TEST(grouped, refuse_the_points_that_the_rows_refuse) {
  for (const double bad : {kInfinity, -kInfinity, kNaN}) {
    for (const int place : {3, 17, 28}) {  // an effect, a slope, a number of all rows
      for (const bool reduced : {false, true}) {
        Traced t{.graph = std::make_unique<Graph>(), .input = kNoNode, .outputs = {}};
        t.input = t.graph->add_input(vector_shape(kInputs));
        const Expr x(*t.graph, {t.input, -1});
        const Expr mu = x.element(28) * data(kRows) + u(x) + v(x) * slopes();
        EXPECT_FALSE(check_finite(mu, 3));
        t.outputs = {normal(outcomes(), mu, 2.0)};
        if (reduced) t = Passes("all").run(std::move(t));
        EXPECT_EQ(reduced, work(t) < kRows);
        const Program program(*t.graph, t.input, t.outputs);
        Workspace workspace(program, 1);
        auto at = point(0, 1.0);
        workspace.set_input(0, at);
        workspace.run();
        EXPECT_EQ(workspace.status(0).check, 0);
        at[static_cast<std::size_t>(place)] = bad;
        workspace.set_input(0, at);
        workspace.run();
        EXPECT_EQ(workspace.status(0).check, 3);
      }
    }
  }
}

TEST(grouped, cost_no_more_for_more_rows_of_a_group) {
  const auto size_of = [](Index n) {
    const Formula f = [n](const Expr& x) {
      const auto index = repeating(n, kGroups);
      const Expr own = gathered(head(x, kGroups), n, index);
      return normal(data(n, 2.0), own * data(n) + x.element(20) + own, exp(x.element(30)));
    };
    return work(optimised(f, "all"));
  };
  EXPECT_EQ(size_of(400), size_of(4000));
}

TEST(grouped, notes_say_what_is_taken_and_what_is_in_the_way) {
  const auto taken = notes_of(cases()[0].formula);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].path, "grouped");
  EXPECT_EQ(taken[0].rows, kRows);
  EXPECT_EQ(taken[0].groups, kGroups);
  EXPECT_EQ(taken[0].own, 2);  // a + u[g] and b + v[g]
  EXPECT_EQ(taken[0].shared, 0);
  const auto refused = notes_of(
      [](const Expr& x) { return sum(square(outcomes() - sin(x.element(28) * slopes()) - u(x))); });
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_TRUE(refused[0].path.empty());
  EXPECT_EQ(refused[0].reason, "has another value in each row");
}

}  // namespace
}  // namespace credo::graph::grouped_test
