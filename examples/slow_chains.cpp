// How long chains remember, exactly: a walk on 21 places, riffle shuffles of 52 cards, two islands
// with a bridge (X12, X13 and X14 of the catalogue's chapter 12).
#include <fmt/core.h>

#include "examples/support/experiment.hpp"
#include "infer/finite/bottleneck.hpp"
#include "infer/finite/kernels.hpp"
#include "infer/finite/riffle.hpp"
#include "infer/finite/spectrum.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using namespace credo::infer::finite;
using examples::Experiment, examples::Table;

// ---- X12: steps of +-1 on 0 .. 20, a step outside means staying ----

void random_walk(Experiment& experiment) {
  const FiniteChain walk = reflected_walk(21);
  const std::vector<double> distribution = stationary_distribution(walk);
  const std::pair<Index, double> stated[] = {
      {0, 1.9048}, {100, 0.4135}, {200, 0.1348}, {400, 0.0143}};
  for (const auto& [time, distance] : stated) {
    const FiniteChain after = power(walk, time);
    for (const Index start : {0, 10, 17})
      experiment.within(fmt::format("walk: L1 distance, {} steps from {}", time, start),
                        2.0 * total_variation(after.row(start), distribution), distance, 5e-5);
  }
  Squarings powers(walk);
  const auto mixing = mixing_time(powers, distribution, {.epsilon = 0.05});  // 0.1 in L1
  experiment.within("walk: steps until the L1 distance is 0.1",
                    static_cast<double>(mixing.value_or(0)), 227.0, 0.0);
  experiment.within("walk: spectral gap", spectrum_of(walk, distribution).gap(), 0.01117, 5e-6);

  Table& distributions = experiment.table(
      "walk", {"place", "t10_10", "t10_17", "t50_10", "t50_17", "t200_10", "t200_17"});
  for (Index place = 0; place < 21; ++place) {
    std::vector<double> row{static_cast<double>(place)};
    for (const Index time : {10, 50, 200})
      for (const Index start : {10, 17})  // even and odd times take turns: their mean
        row.push_back(0.5 *
                      (power(walk, time)(start, place) + power(walk, time + 1)(start, place)));
    distributions.row(row);
  }
}

// ---- X13: shuffles ----

// The number of rising sequences tells all that is left of the order: the distribution of a deck depends on
// it alone [bayer1992], and the fewer there are, the likelier it is compared with a uniform deck.
Index rising_sequences(const std::vector<Index>& deck) {
  std::vector<Index> place(deck.size());
  for (Index i = 0; i < ssize(deck); ++i) place[static_cast<std::size_t>(deck[i])] = i;
  Index count = 1;
  for (std::size_t card = 1; card < place.size(); ++card) count += place[card] < place[card - 1];
  return count;
}

// P(r rising sequences) of a uniform deck, r = 1 .. n: Eulerian numbers over n!, card by card.
std::vector<double> uniform_rising_sequences(Index n) {
  std::vector<double> distribution{0.0, 1.0};
  for (Index m = 2; m <= n; ++m) {
    std::vector<double> next(static_cast<std::size_t>(m + 1), 0.0);
    for (Index r = 1; r <= m; ++r) {
      if (r < m) next[r] += distribution[r] * static_cast<double>(r) / static_cast<double>(m);
      if (r > 1)
        next[r] += distribution[r - 1] * static_cast<double>(m - r + 1) / static_cast<double>(m);
    }
    distribution = std::move(next);
  }
  return distribution;
}

struct Simulated {
  double distance = 0.0, error = 0.0;
};
// P(at most r sequences) after the shuffles less that of a uniform deck, at the r where the exact
// distributions cross: the total variation, without bias.
Simulated simulated_distance(Index num_shuffles, Index crossing) {
  constexpr Index kDecks = 20'000;
  const std::vector<double> uniform = uniform_rising_sequences(52);
  double few = 0.0;
  for (Index d = 0; d < kDecks; ++d) {
    Rng rng({.seed = 13, .purpose = purpose::kTransition, .chain = static_cast<std::uint32_t>(d)});
    RngChooser chooser(rng);
    std::vector<Index> deck(52);
    std::iota(deck.begin(), deck.end(), Index{0});
    for (Index k = 0; k < num_shuffles; ++k) riffle(deck, chooser);
    few += rising_sequences(deck) <= crossing;
  }
  const double share = few / kDecks;
  const double under_uniform =
      std::accumulate(uniform.begin(), uniform.begin() + crossing + 1, 0.0);
  return {share - under_uniform, std::sqrt(share * (1.0 - share) / kDecks)};
}

// The largest r that is likelier after the shuffles, (2^k + n - r choose n) / 2^(k n) against 1/n!.
Index last_likelier(Index num_shuffles) {
  Index last = 0;
  for (Index r = 1; r <= 52; ++r) {
    double log_ratio = 0.0;
    for (Index i = 0; i < 52; ++i)
      log_ratio += std::log(std::max(
          0.0, 1.0 + std::ldexp(static_cast<double>(52 - r - i), static_cast<int>(-num_shuffles))));
    if (log_ratio > 0.0) last = r;
  }
  return last;
}

void shuffles(Experiment& experiment) {
  const std::pair<Index, double> stated[] = {{5, 0.924}, {6, 0.614}, {7, 0.334},
                                             {8, 0.167}, {9, 0.085}, {10, 0.043}};
  for (const auto& [num_shuffles, distance] : stated) {
    const double exact = riffle_distance(52, num_shuffles);
    experiment.within(fmt::format("52 cards: distance after {} shuffles", num_shuffles), exact,
                      distance, 5e-4);
    const Simulated seen = simulated_distance(num_shuffles, last_likelier(num_shuffles));
    experiment.within(fmt::format("52 cards: the same of 20,000 decks, {}", num_shuffles),
                      seen.distance, exact, 4.0 * seen.error);
  }
  experiment.holds("52 cards: the distance falls below 1/2 with the 7th shuffle",
                   riffle_distance(52, 6) > 0.5 && riffle_distance(52, 7) < 0.5);
  Table& distances = experiment.table("shuffles", {"shuffles", "distance"});
  for (Index k = 0; k <= 14; ++k) distances.row({static_cast<double>(k), riffle_distance(52, k)});
}

// ---- X14: two islands of four places; from one place of each a bridge leads to the other ----

FiniteChain islands(double bridge) {
  RowMatrix matrix(8);
  for (Index i = 0; i < 8; ++i)
    for (Index j = 0; j < 8; ++j) matrix(i, j) = i / 4 == j / 4 ? 0.25 : 0.0;
  matrix(3, 4) = matrix(4, 3) = bridge;
  matrix(3, 3) = matrix(4, 4) = 0.25 - bridge;
  return FiniteChain(matrix);
}

void two_islands(Experiment& experiment) {
  const std::vector<double> distribution(8, 0.125);
  for (const double bridge : {0.1, 0.01, 0.001}) {
    const FiniteChain chain = islands(bridge);
    const auto label = [&](const char* what) { return fmt::format("bridge {}: {}", bridge, what); };
    const Bottleneck narrow = bottleneck_of(chain, distribution);
    experiment.within(label("conductance"), narrow.conductance, bridge / 4.0, 1e-15);
    experiment.holds(label("the narrowest set is an island"),
                     narrow.exact && narrow.side.size() == 4 &&
                         (narrow.side.back() == 3 || narrow.side.front() == 4));
    const double gap = spectrum_of(chain, distribution).gap();
    experiment.at_least(label("gap / (conductance^2 / 2)"),
                        gap / (0.5 * narrow.conductance * narrow.conductance), 1.0);
    experiment.at_most(label("gap / (2 conductance)"), gap / (2.0 * narrow.conductance), 1.0);
    Squarings powers(chain);
    const auto time = static_cast<double>(mixing_time(powers, distribution).value_or(0));
    // [levin2017, theorem 7.4]; as the bridge narrows the distance is 1/2 (1 - 2 conductance)^t.
    experiment.at_least(label("mixing time x 4 conductance"), 4.0 * time * narrow.conductance, 1.0);
    experiment.note(label("mixing time"), time);
    if (bridge < 0.005)
      experiment.within(label("mixing time x 2 conductance / log 2"),
                        2.0 * time * narrow.conductance / std::log(2.0), 1.0, 0.01);
  }
  Table& distances = experiment.table("islands", {"steps", "b01", "b001", "b0001"});
  for (double exponent = 0.0; exponent <= 4.0; exponent += 0.1) {
    const Index time = std::lround(std::pow(10.0, exponent));
    std::vector<double> row{static_cast<double>(time)};
    for (const double bridge : {0.1, 0.01, 0.001})
      row.push_back(worst_start(power(islands(bridge), time), distribution).distance);
    distances.row(row);
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Slow chains: a walk, shuffles, two islands", argc, argv);
  random_walk(experiment);
  shuffles(experiment);
  two_islands(experiment);
  return experiment.finish();
}
