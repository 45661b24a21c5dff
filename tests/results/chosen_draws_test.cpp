// Draws that stand for all: spread over each chain, and chosen by weight within it.
#include "results/draws/chosen_draws.hpp"

#include <gtest/gtest.h>

#include "infer/core/columns.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::results::chosen_draws_test {
namespace {

// Three chains of five draws with weights; in chain c all the weight is on draw c.
class WeightedFit final : public Fit {
 public:
  const std::vector<StatColumn>& columns() const override { return columns_; }
  const density::Layout& layout() const override { return layout_; }
  Index num_chains() const override { return 3; }
  Index num_draws(bool warmup) const override { return warmup ? 0 : 5; }
  const FitOrigin& origin() const override { return origin_; }
  const infer::RunResult& result() const override { return result_; }
  io::InputFiles::Contents files() const override { return {}; }
  density::Draws read(const DrawSlab& wanted) const override {
    const DrawSlab slab = within(*this, wanted);
    density::Draws values(slab.num_draws, slab.num_chains, slab.count);
    for (Index c = 0; c < slab.num_chains; ++c)
      for (Index s = 0; s < slab.num_draws; ++s)
        values(s, c, 0) = slab.first_draw + s == slab.first_chain + c ? 0.0 : -1000.0;
    return values;
  }

 private:
  std::vector<StatColumn> columns_ = {{std::string(infer::kLogWeightColumn.stan_name), ""}};
  density::Layout layout_;
  FitOrigin origin_;
  infer::RunResult result_;
};

TEST(ChosenDraws, of_a_weighted_chain_are_its_own) {
  const WeightedFit fit;
  const ChosenDraws chosen(fit, 9);
  ASSERT_EQ(chosen.count(), 3);
  for (Index c = 0; c < fit.num_chains(); ++c)
    for (Index k = 0; k < chosen.count(); ++k) EXPECT_EQ(chosen.draw(c, k), c);
}

}  // namespace
}  // namespace credo::results::chosen_draws_test
