// The sampler of densities that can be drawn from.
#include "infer/mcmc/walk/exact.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/core/table.hpp"
#include "support/targets.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::exact_test {
namespace {

// A standard normal in one dimension that is drawn from, every third draw refused; `shift`: a fault,
// draws that are told with another density than theirs.
class Drawable final : public density::LogDensity {
 public:
  explicit Drawable(double shift = 0.0) : shift_(shift) {}
  Index dimension() const override { return 1; }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return inner_->make_evaluator();
  }
  std::string describe(const density::Status& status) const override {
    return inner_->describe(status);
  }
  density::Capability can_draw() const override { return {}; }
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override {
    return std::make_unique<Draws>(shift_);
  }

 private:
  class Draws final : public density::ExactDraws {
   public:
    explicit Draws(double shift) : shift_(shift) {}
    std::optional<density::Start> next(Rng& rng) override {
      if (rng.uniform() < 1.0 / 3.0) return std::nullopt;
      const double x = rng.normal();
      return density::Start{{x + shift_}, -0.5 * x * x};
    }

   private:
    double shift_;
  };
  std::shared_ptr<const density::LogDensity> inner_ = testing::standard_normal(1).density;
  double shift_;
};

StoredDraws draws_of(const density::LogDensity& density, SampleOptions options) {
  options.sampler = "exact";
  StoredDraws store;
  run_chains(density, options, store);
  return store;
}

TEST(exact, draws_are_independent_and_count_their_tries) {
  const StoredDraws store = draws_of(
      Drawable{},
      {.num_chains = 1, .num_warmup = 0, .num_draws = 20000, .seed = testing::test_seed(5)});
  const auto x = store.draws.chain(0, 0);
  double mean = 0.0, square = 0.0, next = 0.0, tries = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean += x[i], square += x[i] * x[i], tries += store.info.chain(0, 1)[i];
    if (i > 0) next += x[i] * x[i - 1];
  }
  const double root = std::sqrt(20000.0);  // 4.5 standard errors of each
  EXPECT_LT(std::abs(mean) / root, 4.5);
  EXPECT_LT(std::abs(square / root - root), 4.5 * std::sqrt(2.0));
  EXPECT_LT(std::abs(next) / root, 4.5);
  EXPECT_NEAR(tries / 20000.0, 1.5, 4.5 * std::sqrt(0.75 / 20000.0));  // geometric: 2/3
}

TEST(exact, draws_are_the_same_for_any_number_of_threads_and_after_a_break) {
  const SampleOptions one{.num_chains = 4, .num_warmup = 0, .num_draws = 50, .num_threads = 1};
  SampleOptions four = one;
  four.num_threads = 4;
  const StoredDraws a = draws_of(Drawable{}, one), b = draws_of(Drawable{}, four);
  for (Index c = 0; c < 4; ++c)
    EXPECT_TRUE(std::ranges::equal(a.draws.chain(c, 0), b.draws.chain(c, 0)));

  class Break final : public DrawSink {
   public:
    void draw(const DrawRecord& record) override { values.push_back(record.position[0]); }
    bool wants_state(Index, Index iteration, bool) override { return iteration == 20; }
    void state(const StateRecord& record) override { bytes = record.bytes; }
    std::vector<double> values;
    std::string bytes;
  };
  SampleOptions single = one;
  single.sampler = "exact", single.num_chains = 1;
  Break whole, rest;
  run_chains(Drawable{}, single, whole);
  single.states = {whole.bytes};
  run_chains(Drawable{}, single, rest);
  EXPECT_TRUE(std::ranges::equal(rest.values, std::span(whole.values).subspan(20)));
}

TEST(exact, refuses_densities_that_it_cannot_draw_from_and_draws_of_another_distribution) {
  const auto normal = testing::standard_normal(2).density;
  EXPECT_THROW(draws_of(*normal, {}), Error);
  EXPECT_THROW(draws_of(Drawable{0.1}, {.num_warmup = 0, .num_draws = 10}), Error);
}

}  // namespace
}  // namespace credo::infer::exact_test
