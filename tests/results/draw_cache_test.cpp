#include "results/files/draw_cache.hpp"

#include <gtest/gtest.h>

namespace credo::results::draw_cache_test {
namespace {

// Draws whose values state their places; they can become more.
class Numbered final : public Fit {
 public:
  const std::vector<StatColumn>& columns() const override { return columns_; }
  const density::Layout& layout() const override { return layout_; }
  Index num_chains() const override { return 3; }
  Index num_draws(bool warmup) const override { return warmup ? 2 : draws; }
  const FitOrigin& origin() const override { return origin_; }
  const infer::RunResult& result() const override { return result_; }
  io::InputFiles::Contents files() const override { return {}; }
  density::Draws read(const DrawSlab& slab) const override {
    ++reads;
    density::Draws values(slab.num_draws, slab.num_chains, slab.count);
    for (Index k = 0; k < slab.count; ++k)
      for (Index c = 0; c < slab.num_chains; ++c)
        for (Index s = 0; s < slab.num_draws; ++s)
          values(s, c, k) =
              static_cast<double>((slab.first_draw + s) + 100 * (slab.first_chain + c) +
                                  1000 * (slab.first + k) + (slab.warmup ? 1'000'000 : 0));
    return values;
  }
  Index draws = 50;
  mutable Index reads = 0;

 private:
  std::vector<StatColumn> columns_ = {{"a", ""}, {"b", ""}};
  density::Layout layout_ = [] {
    density::Layout layout;
    layout.add({.name = "x", .dims = {6}});
    return layout;
  }();
  FitOrigin origin_;
  infer::RunResult result_;
};

void expect_same(const density::Draws& a, const density::Draws& b) {
  ASSERT_EQ(a.num_draws(), b.num_draws());
  ASSERT_EQ(a.num_chains(), b.num_chains());
  ASSERT_EQ(a.num_quantities(), b.num_quantities());
  for (Index k = 0; k < a.num_quantities(); ++k)
    for (Index c = 0; c < a.num_chains(); ++c)
      EXPECT_TRUE(std::ranges::equal(a.chain(c, k), b.chain(c, k)));
}

TEST(DrawCache, gives_what_the_source_gives_and_asks_it_rarely) {
  Numbered fit;
  const DrawCache cache;
  const auto source = [&](const DrawSlab& slab) { return fit.read(slab); };
  const auto check = [&](const DrawSlab& slab) {
    const density::Draws cached = cache.read(fit, slab, source);
    const Index reads = fit.reads;
    expect_same(cached, fit.read(slab));
    fit.reads = reads;
  };
  const DrawSlab one{.first = 3, .count = 1, .num_chains = 3, .num_draws = 50};
  check(one);
  EXPECT_EQ(fit.reads, 1);  // a single quantity: only that one
  check(one);
  EXPECT_EQ(fit.reads, 2);  // a quarter of 8 quantities: all of them
  for (Index k = 0; k < 8; ++k) check({.first = k, .count = 1, .num_chains = 3, .num_draws = 50});
  check({.first = 2,
         .count = 5,
         .first_chain = 1,
         .num_chains = 2,
         .first_draw = 10,
         .num_draws = 7});
  EXPECT_EQ(fit.reads, 2);
  check({.warmup = true, .first = 0, .count = 8, .num_chains = 3, .num_draws = 2});
  EXPECT_EQ(fit.reads, 3);
  fit.draws = 60;  // the run went on
  check({.first = 0, .count = 8, .num_chains = 3, .num_draws = 60});
  EXPECT_EQ(fit.reads, 4);
}

}  // namespace
}  // namespace credo::results::draw_cache_test
