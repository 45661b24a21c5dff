#include "infer/compose/compose.hpp"

#include "infer/compose/scheme.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/mcmc/slice/slice.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "infer/parts.hpp"

namespace credo::infer::compose_test {
namespace {
using namespace credo::testing;

TEST(composition, leaves_the_targets_invariant) {
  expect_invariant(maker_of_parts(mixture({{0.7, walk()}, {0.3, nuts()}})));
  expect_invariant(maker_of_parts(cycle({walk(), nuts(), slice()})), {.num_steps = 2});
  expect_invariant(maker_of_parts(shuffled_cycle({nuts(), walk()})), {.num_steps = 2});
  expect_invariant(maker_of_parts(palindrome({walk(), slice()})), {.num_steps = 2});
}

TEST(composition, of_nuts_on_one_block_and_slices_on_the_others_leaves_the_targets_invariant) {
  expect_invariant(maker_of_parts(first_and_rest(nuts(), slice())));
  expect_invariant(maker_of_parts(first_and_rest(walk(), nuts())));
  expect_invariant(maker_of_parts(first_and_rest(nuts(), mixture({{1.0, walk()}, {1.0, nuts()}}))));
}

// NUTS with the gradient of where the point was before another part moved it: the energies are
// wrong.
TEST(invariance_suite, rejects_a_composition_with_a_stale_gradient) {
  const TransitionMaker stale = [](Index dimension) {
    auto walks = std::make_shared<Rwm>(RwmOptions{.scale = 2.0}, dimension);
    auto turns = std::make_shared<Nuts>(NutsOptions{.step_size = 0.9}, dimension);
    return [=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      run_alone(walks->step(state, rng), evaluator);
      run_alone(turns->step(state, rng), evaluator);
    };
  };
  // With 10,000 starts it is about 4 standard errors off.
  EXPECT_TRUE(is_rejected(stale, {.num_starts = 60'000}));
}

TEST(composition, is_the_kernel_itself_when_it_has_one_part) {
  StoredDraws alone, composed;
  const SampleOptions options{.num_chains = 2, .num_warmup = 300, .num_draws = 50, .seed = 4};
  run_chains(*eight_schools(), options, alone);
  run_kernel(*eight_schools(), options, kernel("nuts"), composed);
  for (Index d = 0; d < 10; ++d)
    for (Index s = 0; s < 50; ++s) ASSERT_EQ(alone.draws(s, 1, d), composed.draws(s, 1, d));
}

// The verdict asks for a column of that name; the chain's count is shown with the run.
TEST(composition, tells_the_divergences_of_its_parts) {
  StoredDraws store;
  const RunResult run = run_kernel(*funnel(3.0).density, {.num_chains = 2, .seed = 3},
                                   cycle({kernel("nuts"), kernel("nuts")}), store);
  const auto divergent = std::find_if(store.columns.begin(), store.columns.end(),
                                      [](const FieldSpec& c) { return c.name == "divergent"; });
  ASSERT_NE(divergent, store.columns.end());
  EXPECT_EQ(divergent->stan_name, "divergent__");
  double flagged = 0.0;
  for (const double flag : store.info.quantity(divergent - store.columns.begin())) flagged += flag;
  EXPECT_GT(flagged, 0.0);
  EXPECT_EQ(flagged,
            static_cast<double>(run.chains[0].num_divergent + run.chains[1].num_divergent));
}

// Weights decide how often: of 3,000 transitions a third, four standard deviations are 103.
TEST(mixture, takes_its_parts_as_often_as_their_weights_say) {
  StoredDraws store;
  run_kernel(*standard_normal(2).density, {.num_chains = 1, .num_warmup = 0, .num_draws = 3000},
             mixture({{2.0, walk()}, {1.0, slice()}}), store);
  Index slices = 0;
  for (const double n : store.info.quantity(2)) slices += n > 1.0 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(slices), 1000.0, 103.0);
}

TEST(composition, adapts_its_parts) {
  StoredDraws store;
  const auto target = scaled_normal();
  const RunResult run = run_kernel(
      *target.density, {.num_warmup = 2000, .num_draws = 2000, .seed = test_seed(4)},
      cycle({on_coordinates({0, 1, 2}, kernel("nuts")), on_coordinates({3, 4}, kernel("slice"))}),
      store);
  for (Index d = 0; d < 5; ++d) {
    const diagnose::Chains x(store.draws.quantity(d), 2000, 4);
    EXPECT_LT(std::fabs(diagnose::mean(store.draws.quantity(d)) / diagnose::mcse_mean(x)), 4.0);
    EXPECT_GT(diagnose::ess_mean(x), 1000.0);
  }
  EXPECT_EQ(run.chains[0].tuned[0].name, "step_size");
  EXPECT_EQ(run.chains[0].tuned[1].name, "widths");
  EXPECT_GT(run.chains[0].tuned[1].values[1], 20.0);  // of a standard deviation of 100
}

TEST(composition, gives_the_same_draws_for_any_number_of_threads) {
  std::vector<double> one;
  for (const Index num_threads : {1, 3}) {
    StoredDraws store;
    run_kernel(
        *eight_schools(), {.num_warmup = 200, .num_draws = 50, .num_threads = num_threads},
        mixture({{1.0, kernel("nuts")}, {1.0, first_and_rest(kernel("slice"), kernel("rwm"))}}),
        store);
    const auto all = store.draws.quantity(3);
    if (one.empty()) one.assign(all.begin(), all.end());
    EXPECT_TRUE(std::equal(all.begin(), all.end(), one.begin()));
  }
}

// Each kind of a scheme is the function of that name.
TEST(scheme, has_the_draws_of_the_kernel_that_it_states) {
  using Kind = Scheme::Kind;
  const Scheme walks{.sampler = "rwm", .weight = 2.0, .coordinates = {1, 0}};
  const Scheme slices{.sampler = "slice", .options = SliceOptions{.width = 3.0}};
  const KernelMaker walk = on_coordinates({1, 0}, kernel("rwm")),
                    slice = kernel("slice", SliceOptions{.width = 3.0});
  const std::vector<std::pair<Kind, KernelMaker>> kinds = {
      {Kind::mixture, mixture({{2.0, walk}, {1.0, slice}})},
      {Kind::cycle, cycle({walk, slice})},
      {Kind::shuffled_cycle, shuffled_cycle({walk, slice})},
      {Kind::palindrome, palindrome({walk, slice})}};
  for (const auto& [kind, made] : kinds) {
    StoredDraws stated, written;
    SampleOptions options{.num_chains = 1, .num_warmup = 100, .num_draws = 50, .seed = 3};
    run_kernel(*standard_normal(2).density, options, made, written);
    options.sampler = kCompositionName;
    options.kernel = SchemeOptions{.scheme = Scheme{.kind = kind, .parts = {walks, slices}}};
    run_chains(*standard_normal(2).density, options, stated);
    for (Index s = 0; s < 50; ++s) ASSERT_EQ(stated.draws(s, 0, 1), written.draws(s, 0, 1));
  }
}

class WithoutGradient final : public density::LogDensity {
 public:
  Index dimension() const override { return of_->dimension(); }
  bool has_gradient() const override { return false; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return of_->make_evaluator();
  }
  std::string describe(const density::Status& status) const override {
    return of_->describe(status);
  }

 private:
  Target target_ = standard_normal(2);
  const density::LogDensity* of_ = target_.density.get();
};

TEST(scheme, refuses_a_part_that_asks_for_a_gradient_that_is_not_there) {
  const WithoutGradient normal;
  SampleOptions options{.sampler = kCompositionName};
  StoredDraws store;
  EXPECT_THROW(run_chains(normal, options, store), Error);  // it has no scheme
  options.kernel = SchemeOptions{.scheme = Scheme{.sampler = "nuts"}};
  EXPECT_THROW(run_chains(normal, options, store), Error);
  options.kernel = SchemeOptions{.scheme = Scheme{.sampler = "slice"}};
  run_chains(normal, options, store);
}

TEST(composition, refuses_what_makes_no_sense) {
  EXPECT_THROW(cycle({}), Error);
  EXPECT_THROW(mixture({{0.0, walk()}}), Error);
  EXPECT_THROW(kernel("gibs"), Error);
  StoredDraws store;
  for (const std::vector<Index>& wrong : {std::vector<Index>{2}, {0, 0}, {-1}})
    EXPECT_THROW(run_kernel(*standard_normal(2).density, {}, on_coordinates(wrong, walk()), store),
                 Error);
}

}  // namespace
}  // namespace credo::infer::compose_test
