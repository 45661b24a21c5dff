// Slice sampling: a density with three modes, and a binomial regression beside its posterior on a
// grid (X9 and X10 of the catalogue's chapter 12).
#include <fmt/core.h>

#include "density/function_density.hpp"
#include "diagnose/convergence.hpp"
#include "examples/support/experiment.hpp"
#include "examples/support/program.hpp"
#include "infer/mcmc/slice/slice.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using examples::Experiment, examples::Table;

// ---- X9 ----

struct Peak {
  double weight, mean, sd;
};
constexpr std::array<Peak, 3> kPeaks{{{0.3, -3.0, 0.6}, {0.5, 0.5, 1.0}, {0.2, 4.0, 0.4}}};

double density_at(double x) {
  double sum = 0.0;
  for (const Peak& p : kPeaks)
    sum += p.weight / p.sd * std::exp(-0.5 * (x - p.mean) * (x - p.mean) / (p.sd * p.sd));
  return sum / std::sqrt(2.0 * std::numbers::pi);
}
double cdf_at(double x) {
  double sum = 0.0;
  for (const Peak& p : kPeaks)
    sum += 0.5 * p.weight * std::erfc((p.mean - x) / (p.sd * std::numbers::sqrt2));
  return sum;
}

StoredDraws slice(const density::LogDensity& density, double width, Index num_draws) {
  StoredDraws store;
  run_chains(density,
             {.sampler = "slice",
              .num_chains = 4,
              .num_warmup = 200,
              .num_draws = num_draws,
              .seed = 9,
              .num_threads = 1,
              .adapt = {.engaged = false, .step_size = {}, .schedule = {}},  // the width stays
              .kernel = SliceOptions{.width = width}},
             store);
  return store;
}

// Bins of width 1/2: how far the largest difference of a bin is, in its standard errors.
double worst_bin(const density::Draws& draws, Table* table) {
  double worst = 0.0;
  for (double lo = -5.0; lo < 5.5; lo += 0.5) {
    const double expected = cdf_at(lo + 0.5) - cdf_at(lo);
    std::vector<double> inside;
    for (const double x : draws.quantity(0)) inside.push_back(x >= lo && x < lo + 0.5 ? 1.0 : 0.0);
    const diagnose::Chains chains{inside, draws.num_draws(), draws.num_chains()};
    const double seen = diagnose::mean(inside);
    worst = std::max(worst, std::fabs(seen - expected) / diagnose::mcse_mean(chains));
    if (table != nullptr) table->row({lo + 0.25, seen / 0.5});
  }
  return worst;
}

void three_modes(Experiment& experiment) {
  const auto density = density::make_value_density(
      1, [](std::span<const double> x) { return std::log(density_at(x[0])); });
  Table& bins = experiment.table("bins", {"x", "seen"});
  Table& curve = experiment.table("curve", {"x", "density"});
  for (double x = -6.0; x <= 6.0; x += 0.05) curve.row({x, density_at(x)});
  for (const double width : {0.3, 2.0, 20.0}) {
    const StoredDraws run = slice(*density, width, 20'000);
    // The largest of 21 bins: 4.5 standard errors are exceeded once in 7000 times.
    experiment.at_most(fmt::format("three modes, width {}: worst bin, errors", width),
                       worst_bin(run.draws, width == 2.0 ? &bins : nullptr), 4.5);
    experiment.note(fmt::format("three modes, width {}: evaluations a draw", width),
                    diagnose::mean(run.info.quantity(1)));
  }
}

// ---- X10: deaths among five animals at each of four log doses [racine1986] ----

constexpr const char* kBinomial = R"(
data {
  int N;
  array[N] int trials, deaths;
  vector[N] dose;
}
parameters { vector[2] beta; }
model {
  beta ~ normal(0, 10);
  deaths ~ binomial_logit(trials, beta[1] + beta[2] * dose);
})";
constexpr const char* kBioassay = R"({"N": 4, "trials": [5, 5, 5, 5], "deaths": [0, 1, 3, 5],
                                      "dose": [-0.863, -0.296, -0.053, 0.727]})";

struct Moments {
  std::array<double, 2> mean{}, sd{};
  double product = 0.0;
};

bool is_shown(const std::array<double, 2>& beta) {
  return beta[0] >= -2.0 && beta[0] <= 5.0 && beta[1] >= 0.0 && beta[1] <= 32.0;
}

// Cells of width 0.05 by 0.1 that hold all but 1e-9 of the posterior: for a smooth density sums
// over them are integrals.
Moments on_grid(const model::Model& model, Table& table) {
  const auto evaluator = model.make_evaluator();
  double total = 0.0;
  std::array<double, 2> sums{}, squares{};
  Moments result;
  std::array<double, 2> at{};
  for (Index i = 0; i <= 400; ++i) {
    for (Index j = 0; j <= 600; ++j) {
      at = {-7.0 + 0.05 * static_cast<double>(i), -8.0 + 0.1 * static_cast<double>(j)};
      density::Request request{.position = at, .gradient = {}, .status = {}};
      std::array<density::Request*, 1> batch{&request};
      evaluator->evaluate(density::Want::value, batch);
      const double weight = std::exp(request.log_density);
      total += weight;
      for (std::size_t d = 0; d < 2; ++d)
        sums[d] += weight * at[d], squares[d] += weight * at[d] * at[d];
      result.product += weight * at[0] * at[1];
      if (i % 4 == 0 && j % 8 == 0 && is_shown(at)) table.row({at[0], at[1], request.log_density});
    }
  }
  for (std::size_t d = 0; d < 2; ++d) {
    result.mean[d] = sums[d] / total;
    result.sd[d] = std::sqrt(squares[d] / total - result.mean[d] * result.mean[d]);
  }
  result.product /= total;
  return result;
}

void binomial(Experiment& experiment) {
  const auto model = examples::program(kBinomial, kBioassay);
  const Moments grid = on_grid(*model, experiment.table("grid", {"b1", "b2", "log_density"}));
  const StoredDraws run = slice(*model, 2.0, 10'000);
  std::vector<double> products;
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < run.draws.num_draws(); ++s)
      products.push_back(run.draws(s, c, 0) * run.draws(s, c, 1));
  for (Index d = 0; d < 2; ++d) {
    const auto chains = diagnose::quantity(run.draws, d);
    experiment.within(fmt::format("regression: mean of beta {}", d + 1),
                      diagnose::mean(chains.values), grid.mean[static_cast<std::size_t>(d)],
                      4.0 * diagnose::mcse_mean(chains));
    experiment.within(fmt::format("regression: sd of beta {}", d + 1),
                      std::sqrt(diagnose::variance(chains.values)),
                      grid.sd[static_cast<std::size_t>(d)], 4.0 * diagnose::mcse_sd(chains));
    experiment.at_most(fmt::format("regression: R-hat of beta {}", d + 1), diagnose::r_hat(chains),
                       1.01);
  }
  experiment.within("regression: mean of beta 1 beta 2", diagnose::mean(products), grid.product,
                    4.0 * diagnose::mcse_mean({products, run.draws.num_draws(), 4}));
  Table& cloud = experiment.table("cloud", {"b1", "b2"});
  for (Index s = 0; s < 200; ++s) cloud.row({run.draws(s, 0, 0), run.draws(s, 0, 1)});
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Slice sampling of three modes and of a binomial regression", argc, argv);
  three_modes(experiment);
  binomial(experiment);
  return experiment.finish();
}
