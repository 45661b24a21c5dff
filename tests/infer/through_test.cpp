// Runs in the base space of a map: draws of the target, whatever the map.
#include "infer/maps/through.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "diagnose/convergence.hpp"
#include "infer/core/table.hpp"
#include "infer/known_posteriors.hpp"
#include "infer/maps/flow.hpp"
#include "infer/maps/transported_density.hpp"
#include "infer/variational/neutra.hpp"
#include "support/share.hpp"

namespace credo::infer::through_test {
namespace {
using namespace credo::testing;

// Any map of two values: nothing that was fitted.
MapValues some_map(double noise = 0.1) {
  const char* layers = "iaf:2";
  MapValues map{.map_layers = layers, .map_hidden = 4};
  map.map_centre = {0.4, 0.3}, map.map_root = {1.8, 0.0, 0.3, 1.8};
  map.map_parameters = make_flow({layers, 4, map.map_centre, map.map_root})->start();
  Rng rng({.seed = 5, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  for (double& v : map.map_parameters) v += noise * rng.normal();
  return map;
}

std::shared_ptr<const density::LogDensity> target() {
  return density::make_density(2, [](Values x, std::span<double> gradient) {
    const double off = (x[1] - 0.3 * x[0] * x[0]) / 0.49;
    if (!gradient.empty()) gradient[0] = -x[0] + off * 0.6 * x[0], gradient[1] = -off;
    return normal_log_density(x[0], 0.0, 1.0) + normal_log_density(x[1], 0.3 * x[0] * x[0], 0.7);
  });
}

SampleOptions options_of(const char* base, Index num_draws = 4000) {
  NeutraOptions own;
  own.base = base, own.map = some_map(), own.through = "fit.nc";
  return {.sampler = std::string(kNeutraName),
          .num_chains = 2,
          .num_warmup = has_warmup_there(base) ? 500 : 0,
          .num_draws = num_draws,
          .seed = test_seed(31),
          .num_threads = 1,
          .kernel = own};
}

// Moments that are known, by standard errors: E x0 = 0, E x0² = 1, E x1 = 0.3, Var x1 = 0.49 + 0.09 · 2. Weighted, if `weighs`.
double worst_score(const StoredDraws& store, bool weighs) {
  const auto x0 = store.draws.quantity(0), x1 = store.draws.quantity(1);
  std::vector<double> weights(x0.size(), 1.0);
  if (weighs) {
    const auto log_weights = store.info.quantity(1);
    const double top = *std::ranges::max_element(log_weights);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::exp(log_weights[i] - top);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double worst = 0.0;
  const auto check = [&](double exact, const auto& value) {
    double mean = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) mean += weights[i] / sum * value(i);
    for (std::size_t i = 0; i < weights.size(); ++i)
      squares += std::pow(weights[i] / sum * (value(i) - mean), 2);
    const double inflation = weighs ? 1.0 : 3.0;  // chains: an effective draw in nine
    worst = std::max(worst, std::abs(mean - exact) / (inflation * std::sqrt(squares)));
  };
  check(0.0, [&](std::size_t i) { return x0[i]; });
  check(1.0, [&](std::size_t i) { return x0[i] * x0[i]; });
  check(0.3, [&](std::size_t i) { return x1[i]; });
  check(0.67, [&](std::size_t i) { return (x1[i] - 0.3) * (x1[i] - 0.3); });
  return worst;
}

TEST(transported_density, has_the_gradient_of_its_differences) {
  const auto density = target();
  const MapValues values = some_map();
  const GraphTransport map(make_flow({values.map_layers, 4, values.map_centre, values.map_root}),
                           values.map_parameters);
  const TransportedDensity transported(*density, map);
  const std::vector<double> z{0.3, -0.8};
  std::vector<double> gradient(2);
  density::Request request{.position = z, .gradient = gradient, .status = {}};
  density::Request* batch[] = {&request};
  transported.make_evaluator()->evaluate(density::Want::gradient, batch);
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<double> up = z, down = z;
    up[d] += 1e-5, down[d] -= 1e-5;
    EXPECT_NEAR(gradient[d], (value_of(transported, up) - value_of(transported, down)) / 2e-5,
                1e-7);
  }
}

// Every algorithm there is draws from the target by its own weights. Planted: the column of the log density is that of the base space.
TEST(runs_through_maps, have_draws_of_the_target) {
  for (const char* base : {"nuts", "slice", "independence", "importance"}) {
    const auto density = target();
    StoredDraws store;
    run_chains(*density, options_of(base), store);
    const bool weighs = std::string_view(base) == "importance";
    EXPECT_LT(worst_score(store, weighs), 4.5) << base;
    for (Index s = 0; s < 20; ++s) {
      const std::vector<double> x{store.draws(s, 0, 0), store.draws(s, 0, 1)};
      EXPECT_NEAR(store.info(s, 0, 0), value_of(*density, x), 1e-10) << base;
    }
  }
}

// A normal distribution is a map without layers.
TEST(runs_through_maps, without_layers_have_draws_of_the_target) {
  const auto density = target();
  NeutraOptions own;
  own.through = "fit.nc";
  own.map = {.map_centre = {0.3, -0.2}, .map_root = {1.2, 0.0, 0.4, 0.9}};
  SampleOptions options = options_of("nuts");
  options.kernel = own;
  StoredDraws store;
  run_chains(*density, options, store);
  EXPECT_LT(worst_score(store, false), 4.5);
}

// A map whose volume is forgotten draws from another distribution.
TEST(runs_through_maps, without_the_volume_are_rejected) {
  const auto density = target();
  const MapValues values = some_map(0.4);
  auto map = std::make_shared<GraphTransport>(
      make_flow({values.map_layers, 4, values.map_centre, values.map_root}), values.map_parameters);
  const auto no_volume = density::make_density(2, [&](Values z, std::span<double> gradient) {
    std::vector<double> x(2), slope(2), with(2), of_volume(2);
    double log_jacobian = 0.0;
    map->place(z, x, std::span(&log_jacobian, 1));
    density::Request request{.position = x, .gradient = slope, .status = {}};
    density::Request* batch[] = {&request};
    density->make_evaluator()->evaluate(density::Want::gradient, batch);
    map->pull_back(z, slope, with);
    map->pull_back(z, std::vector<double>(2, 0.0), of_volume);
    for (std::size_t d = 0; d < 2 && !gradient.empty(); ++d) gradient[d] = with[d] - of_volume[d];
    return request.log_density;
  });
  SampleOptions options = options_of("nuts");
  options.sampler = "nuts", options.kernel = {};
  StoredDraws store;
  run_chains(*no_volume, options, store);
  for (Index c = 0; c < 2; ++c)
    for (Index s = 0; s < 4000; ++s) {
      std::vector<double> x(2);
      double unused = 0.0;
      map->place(std::vector<double>{store.draws(s, c, 0), store.draws(s, c, 1)}, x,
                 std::span(&unused, 1));
      store.draws.set(s, c, x);
    }
  EXPECT_GT(worst_score(store, false), 4.5);
}

// The mean weight of a proposal is the evidence, 0 here.
TEST(runs_through_maps, estimate_the_evidence_by_importance) {
  StoredDraws store;
  const RunResult run = run_chains(*target(), options_of("importance", 20'000), store);
  const std::optional<LogEvidence> found = log_evidence(run);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 0.0, 4.5 * found->error);
  EXPECT_LT(found->error, 0.05);
}

TEST(runs_through_maps, refuse_maps_and_starts_that_do_not_fit) {
  const KnownPosterior other = conjugate_posterior();
  StoredDraws store;
  EXPECT_NE(other.density->dimension(), 2);
  EXPECT_THROW(run_chains(*other.density, options_of("nuts"), store), Error);
  SampleOptions options = options_of("nuts");
  options.init = {{kNaN, 0.0}};
  EXPECT_THROW(run_chains(*target(), options, store), Error);
  NeutraOptions own;
  own.through = "fit.nc";
  options = options_of("nuts"), options.kernel = own;
  EXPECT_THROW(run_chains(*target(), options, store), Error);
  own.map = some_map(), own.map.map_parameters.pop_back();
  options.kernel = own;
  EXPECT_THROW(run_chains(*target(), options, store), Error);
  own.map = some_map(), own.base = "exact";
  options.kernel = own;
  EXPECT_THROW(run_chains(*target(), options, store), Error);
}

// A start is that of the target.
TEST(runs_through_maps, begin_at_given_points) {
  SampleOptions options = options_of("nuts", 1);
  options.num_warmup = 0, options.num_chains = 1;
  options.init = {{0.7, -0.2}};
  StoredDraws store;
  const RunResult run = run_chains(*target(), options, store);
  EXPECT_NEAR(run.chains[0].initial_point[0], 0.7, 1e-9);
  EXPECT_NEAR(run.chains[0].initial_point[1], -0.2, 1e-9);
}

}  // namespace
}  // namespace credo::infer::through_test
