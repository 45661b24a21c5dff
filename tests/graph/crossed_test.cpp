// Squared residuals with unknowns of three indices: sums by pairs of levels cost no more for more rows, give the value and the
// gradient of the rows, and leave what groups or one triangle make as cheaply.
#include "graph/simplify_support.hpp"

namespace credo::graph::crossed_test {
namespace {

// Inputs of 40 numbers; each effect takes 36 levels of them in its own order, times a number.
Expr effect(const Expr& x, Index n, int kind) {
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i) {
    auto bits = static_cast<std::uint32_t>(i) * 2654435761u + static_cast<std::uint32_t>(kind) * 40503u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    index.push_back(static_cast<std::int32_t>((bits ^ bits >> 13) % 36));
  }
  return gather(vector_shape(n), head(x, 36) * sin(x.element(36 + kind)), std::move(index));
}
Expr normal(const Expr& y, const Expr& mu, const Expr& sigma) {
  return sum(-log(sigma) + -0.5 * square((y - mu) / sigma));
}
Formula three_effects(Index n) {
  return [n](const Expr& x) {
    const Expr mu = x.element(39) + effect(x, n, 0) + effect(x, n, 1) * data(n) + effect(x, n, 2);
    return normal(data(n, 3.0, 40.0), mu, exp(x.element(35)));
  };
}

std::vector<PathNote> notes_of(const Formula& formula) {
  std::vector<PathNote> notes;
  reduce_to_groups(Passes("simplify,dead-code").run(traced(formula, false)), &notes);
  return notes;
}

TEST(crossed, sums_of_pairs_take_the_place_of_the_rows) {
  const auto notes = notes_of(three_effects(6000));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].path, "grouped") << notes[0].reason;
  EXPECT_LE(notes[0].pairs, 3 * 36 * 36);  // not all of them meet in 6,000 rows
  EXPECT_GT(notes[0].pairs, 3 * 36 * 34);
  EXPECT_EQ(notes[0].own, 3 * 36);
  EXPECT_EQ(notes[0].shared, 2);  // the intercept, and the mean of the slopes
  const Traced plain = optimised(three_effects(6000), "cse,dead-code"),
               better = optimised(three_effects(6000), "all");
  EXPECT_LT(work(better), 0.02 * work(plain));
  for (int k = 0; k < 10; ++k)
    expect_same(run(better, point(k, 1.0)), run(plain, point(k, 1.0)), std::to_string(k));
}

TEST(crossed, cost_no_more_for_more_rows) {
  EXPECT_EQ(work(optimised(three_effects(6000), "all")),
            work(optimised(three_effects(24000), "all")));
}

// Each level of one index lies in one of the other: the finer ones are groups.
TEST(crossed, leave_nested_levels_to_groups) {
  const auto notes = notes_of([](const Expr& x) {
    std::vector<std::int32_t> coarse, fine;
    for (std::int32_t i = 0; i < 6000; ++i) fine.push_back(i % 36), coarse.push_back(i % 6);
    const Expr both = gather(vector_shape(6000), exp(head(x, 36)), fine) +
                      gather(vector_shape(6000), head(x, 6), coarse) * data(6000);
    return normal(data(6000, 3.0), both, exp(x.element(35)));
  });
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].path, "grouped") << notes[0].reason;
  EXPECT_EQ(notes[0].groups, 36);
  EXPECT_EQ(notes[0].pairs, 0);
}

}  // namespace
}  // namespace credo::graph::crossed_test
