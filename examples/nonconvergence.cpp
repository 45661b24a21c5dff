// Two kinds of chains that haven't converged (X16 of the catalogue's chapter 12): stationary ones
// at different levels, which R-hat sees, and ones that drift together, which only the R-hat of
// split chains sees. A third kind, chains of different spread, only the folded one sees.
//
// R-hat^2 = (N - 1) / N + B / (N W): for long chains 1 + variance of the levels / variance within.
#include <fmt/core.h>

#include "base/rng.hpp"
#include "diagnose/convergence.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"

namespace {
using namespace credo;
using examples::Estimate, examples::Experiment, examples::Table;

constexpr Index kChains = 4, kDraws = 1000, kRepetitions = 400;
constexpr double kMemory = 0.5;  // autoregressions with unit variance
constexpr double kBound = 1.01;  // above it chains are refused

// What is added to draw s (of 1, from 0 to 1) of a chain, and what it is multiplied by.
struct Fault {
  const char* name;
  std::array<double, kChains> levels{0.0, 0.0, 0.0, 0.0};
  double drift = 0.0;
  std::array<double, kChains> spreads{1.0, 1.0, 1.0, 1.0};
};
constexpr Fault kHealthy{.name = "healthy"},
    kLevels{.name = "levels", .levels = {-0.4, -0.1, 0.1, 0.4}},
    kDrift{.name = "drift", .drift = 2.0},
    kSpread{.name = "spread", .spreads = {0.5, 1.0, 1.0, 1.5}};

diagnose::ChainsCopy chains_with(const Fault& fault, Rng& rng) {
  diagnose::ChainsCopy chains{.values = {}, .num_draws = kDraws, .num_chains = kChains};
  for (std::size_t c = 0; c < kChains; ++c) {
    double state = rng.normal();
    for (Index s = 0; s < kDraws; ++s) {
      state = kMemory * state + std::sqrt(1.0 - kMemory * kMemory) * rng.normal();
      const double time = static_cast<double>(s) / static_cast<double>(kDraws) - 0.5;
      chains.values.push_back(fault.levels[c] + fault.drift * time + fault.spreads[c] * state);
    }
  }
  return chains;
}

// Squares, whose means have expectations; split: half chains; rank: split, of ranks and folded.
struct Verdicts {
  std::vector<double> plain, split, rank;
};

Verdicts judge(const Fault& fault) {
  const auto square = [](double x) { return x * x; };
  Verdicts verdicts;
  for (std::uint32_t r = 0; r < kRepetitions; ++r) {
    Rng rng({.seed = 16, .purpose = purpose::kInitialState, .chain = r});
    const diagnose::ChainsCopy chains = chains_with(fault, rng);
    verdicts.plain.push_back(square(diagnose::plain_r_hat(chains)));
    verdicts.split.push_back(square(diagnose::plain_r_hat(diagnose::split(chains))));
    verdicts.rank.push_back(square(diagnose::r_hat(chains)));
  }
  return verdicts;
}

// Share of the repetitions that are refused.
double refused(const std::vector<double>& squares) {
  double count = 0.0;
  for (const double value : squares) count += value > kBound * kBound ? 1.0 : 0.0;
  return count / static_cast<double>(squares.size());
}

// N draws of an autoregression have a mean with variance 3 / N (memory 1/2), which B / N has more.
// The ratio's bias is that of 1 / W, about the relative variance of W: below 2e-3.
void expect(Experiment& experiment, const std::string& what, const std::vector<double>& squares,
            double of_levels, double within, Index num_draws) {
  const auto n = static_cast<double>(num_draws);
  const double expected = (n - 1.0) / n + (of_levels + 3.0 / n) / within;
  const Estimate seen = examples::mean_of(squares);
  experiment.within(what + ": squared R-hat", seen.mean, expected, 4.0 * seen.error + 2e-3);
}

void tell(Experiment& experiment, const Fault& fault, const Verdicts& verdicts) {
  const std::string name = fault.name;
  experiment.note(name + ": median R-hat", std::sqrt(examples::median(verdicts.plain)));
  experiment.note(name + ": median split R-hat", std::sqrt(examples::median(verdicts.split)));
  experiment.note(name + ": median ranked R-hat", std::sqrt(examples::median(verdicts.rank)));
}

void judge_levels(Experiment& experiment, const Verdicts& verdicts) {
  const double of_levels = diagnose::variance(kLevels.levels);
  expect(experiment, "levels", verdicts.plain, of_levels, 1.0, kDraws);
  // Both halves of a chain have its level: 8 of them, of the same sum of squares.
  expect(experiment, "levels, split", verdicts.split, of_levels * 6.0 / 7.0, 1.0, kDraws / 2);
  for (const auto* squares : {&verdicts.plain, &verdicts.split, &verdicts.rank})
    experiment.at_least("levels: share refused", refused(*squares), 1.0);
}

// A drift d from end to end adds d^2 / 12 to the variance within a chain and nothing between
// chains; in a half d^2 / 48, with levels -d / 4 and d / 4.
void judge_drift(Experiment& experiment, const Verdicts& verdicts) {
  const double square = kDrift.drift * kDrift.drift;
  expect(experiment, "drift", verdicts.plain, 0.0, 1.0 + square / 12.0, kDraws);
  expect(experiment, "drift, split", verdicts.split, square / 16.0 * 8.0 / 7.0, 1.0 + square / 48.0,
         kDraws / 2);
  experiment.at_most("drift: share refused by R-hat", refused(verdicts.plain), 0.0);
  experiment.at_least("drift: share refused by split R-hat", refused(verdicts.split), 1.0);
  experiment.at_least("drift: share refused by ranked R-hat", refused(verdicts.rank), 1.0);
}

void judge_spread(Experiment& experiment, const Verdicts& verdicts) {
  experiment.at_most("spread: share refused by R-hat", refused(verdicts.plain), 0.05);
  experiment.at_most("spread: share refused by split R-hat", refused(verdicts.split), 0.05);
  experiment.at_least("spread: share refused by ranked R-hat, folded", refused(verdicts.rank), 1.0);
}

void draw(Experiment& experiment) {
  for (const Fault* fault : {&kLevels, &kDrift}) {
    Rng rng({.seed = 16, .purpose = purpose::kInitialState});
    const diagnose::ChainsCopy chains = chains_with(*fault, rng);
    Table& table = experiment.table(fault->name, {"draw", "c1", "c2", "c3", "c4"});
    for (Index s = 0; s < kDraws; s += 8) {  // means of eight draws
      std::vector<double> row{static_cast<double>(s)};
      for (Index c = 0; c < kChains; ++c)
        row.push_back(diagnose::mean(
            diagnose::Chains(chains).chain(c).subspan(static_cast<std::size_t>(s), 8)));
      table.row(row);
    }
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Two kinds of chains that haven't converged", argc, argv);
  const Verdicts healthy = judge(kHealthy), levels = judge(kLevels), drift = judge(kDrift),
                 spread = judge(kSpread);
  tell(experiment, kHealthy, healthy);
  tell(experiment, kLevels, levels);
  tell(experiment, kDrift, drift);
  tell(experiment, kSpread, spread);
  expect(experiment, "healthy", healthy.plain, 0.0, 1.0, kDraws);
  experiment.at_most("healthy: share refused", refused(healthy.rank), 0.05);
  judge_levels(experiment, levels);
  judge_drift(experiment, drift);
  judge_spread(experiment, spread);
  draw(experiment);
  return experiment.finish();
}
