// A chain that hardly moves while the others do: by the share of transitions that change the log
// density, or a spread that is a fiftieth of the other chains' in half of the parameters or more.
// Healthy chains differ in spread by their sampling error, a few per cent.
//
// Or a chain that is nowhere near the mass: its log density lies further below that of another chain
// than any volume can make up for. Within one distribution it varies by the root of D / 2; a place that is
// wider by a factor of 100 in every coordinate makes up for 5 nats each. If most trajectories
// were cut off, that is the cause.
#include "diagnose/trace.hpp"
#include "verdict/findings.hpp"
#include "verdict/scouts.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::stuck_chain_row {
namespace {
constexpr double kStill = 0.1, kMoving = 0.5, kNarrow = 0.02;
constexpr double kBelow = 100.0, kBelowEach = 5.0;  // nats; for each value that was sampled
constexpr double kCutOff = 0.5;                     // of the transitions

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<double> without(std::span<const double> values, std::size_t c) {
  std::vector<double> rest(values.begin(), values.end());
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(c));
  return rest;
}

bool hardly_moves(const Case& at_hand, std::size_t c) {
  const std::vector<double>& density = at_hand.statistic("log_density");
  if (density.empty()) return false;
  const diagnose::Chains all{density, at_hand.num_draws, at_hand.num_chains};
  std::vector<double> shares;
  for (Index k = 0; k < at_hand.num_chains; ++k)
    shares.push_back(diagnose::move_fraction({all.chain(k), at_hand.num_draws, 1}));
  return shares[c] < kStill && median(without(shares, c)) > kMoving;
}

bool is_narrow(const Case& at_hand, std::size_t c) {
  std::vector<double> ratios;
  for (const Index k : at_hand.sampled) {
    const std::vector<double>& sd = at_hand.columns[static_cast<std::size_t>(k)].chain_sd;
    ratios.push_back(sd[c] / median(without(sd, c)));
  }
  return !ratios.empty() && median(ratios) < kNarrow;
}

// No draw differs from the one before, of anything that was sampled.
bool stands_still(const Case& at_hand, std::size_t c) {
  return !at_hand.sampled.empty() &&
         std::all_of(at_hand.sampled.begin(), at_hand.sampled.end(), [&](Index k) {
           return at_hand.columns[static_cast<std::size_t>(k)].chain_sd[c] == 0.0;
         });
}

// In which the two chains lie furthest apart, by the spread of the second.
Index widest_apart(const Case& at_hand, std::size_t c, std::size_t other) {
  Index widest = at_hand.sampled.front();
  double most = -kInfinity;
  for (const Index k : at_hand.sampled) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    const double apart =
        std::fabs(column.chain_mean[c] - column.chain_mean[other]) / column.chain_sd[other];
    if (apart > most) most = apart, widest = k;
  }
  return widest;
}

// And climbs from there end where the other chain is: the place holds no mode of its own.
bool is_far_below(const Case& at_hand, std::size_t c) {
  const std::vector<double>& medians = at_hand.median_log_densities();
  if (medians.empty() || at_hand.sampled.empty() || at_hand.share_cut_off() > kCutOff) return false;
  const auto highest =
      static_cast<std::size_t>(std::max_element(medians.begin(), medians.end()) - medians.begin());
  const double allowed = kBelow + kBelowEach * static_cast<double>(at_hand.sampled.size());
  if (!(medians[c] < medians[highest] - allowed)) return false;
  const Index k = widest_apart(at_hand, c, highest);
  const std::vector<double>& means = at_hand.columns[static_cast<std::size_t>(k)].chain_mean;
  return climbs_meet(at_hand, k, std::array{means[c], means[highest]});
}

bool is_stuck(const Case& at_hand, std::size_t c) {
  if (stands_still(at_hand, c)) return true;
  return at_hand.num_chains >= 3 && (hardly_moves(at_hand, c) || is_narrow(at_hand, c));
}

std::vector<std::string> chains_that(const Case& at_hand,
                                     bool (*has)(const Case& at_hand, std::size_t c)) {
  std::vector<std::string> chains;
  for (std::size_t c = 0; c < static_cast<std::size_t>(at_hand.num_chains); ++c)
    if (has(at_hand, c)) chains.push_back(std::to_string(c + 1));
  return chains;
}

std::string subject(const Case& at_hand, std::span<const std::string> chains) {
  const std::string one = at_hand.is_of_particles() ? "Population" : "Chain";
  return one + (chains.size() == 1 ? " " : "s ") + listed(chains);
}

constexpr const char* kNearerChains =
    "Give initial values nearer to the bulk (--init), a longer warm-up, and compare with another "
    "seed; leaving the chain out is no remedy if the place has mass.";

std::string still(const Case& at_hand, std::span<const std::string> stuck) {
  return subject(at_hand, stuck) + (stuck.size() == 1 ? " hardly moves" : " hardly move") +
         (ssize(stuck) == at_hand.num_chains
              ? ": the steps don't suit the posterior at all."
              : " while the others do: it began, or got caught, where steps that suit the rest of "
                "the posterior fail.");
}
// Text for populations, whose particles aren't a sequence.
std::string few_places(const Case& at_hand, std::span<const std::string> stuck) {
  return "The particles of " + std::string(stuck.size() == 1 ? "population " : "populations ") +
         listed(stuck) + " are in one place, or in few" +
         (ssize(stuck) == at_hand.num_chains ? "." : ", and those of the others aren't.");
}

std::string remedy(const Case& at_hand) {
  if (!at_hand.is_of_particles()) return kNearerChains;
  return "The moves don't suit the posterior: " + std::string(kBetterPopulations) +
         ", and compare with another seed; leaving the population out is no remedy if the place "
         "has "
         "mass.";
}

std::vector<Finding> check(const Case& at_hand) {
  const std::vector<std::string> stuck = chains_that(at_hand, is_stuck);
  if (!stuck.empty())
    return {{.id = "stuck_chain",
             .level = Level::bad,
             .text = at_hand.is_of_particles() ? few_places(at_hand, stuck) : still(at_hand, stuck),
             .remedy = remedy(at_hand)}};
  const std::vector<std::string> below = chains_that(at_hand, is_far_below);
  if (below.empty()) return {};
  return {{.id = "stuck_chain",
           .level = Level::bad,
           .text = subject(at_hand, below) +
                   (below.size() == 1 ? " hasn't arrived: its" : " haven't arrived: their") +
                   " log density is so far below that of another one that its place has no mass"
                   ", and a climb from there ends where the other one is.",
           .remedy = remedy(at_hand)}};
}
}  // namespace

const FindingSpec stuck_chain{.id = "stuck_chain",
                              .title = "a chain that is stuck",
                              .explains = {"multimodal", "funnel", "not_mixed", "few_draws",
                                           "divergences", "low_energy_exchange", "tree_depth"},
                              .check = check,
                              .of_chains = true};

}  // namespace credo::verdict::stuck_chain_row
