// Separated modes. Chains that agree within and differ between: draws in two clusters that are
// further apart than four times their standard deviation, most chains mixing where they are, and
// crossing far less often than independent draws would. Only where R-hat or the effective size is
// bad already, so that a posterior with two modes that is explored isn't reported.
//
// Three modes or more leave no two such clusters, but a gap that no draw is in, as wide as two
// standard deviations of a chain: the widest is another cut to try. Chains that crawl around a ring
// or along a bend make two clusters as well, but without a deep valley: draws are there on the way
// from one to the other. And a long tail of positive values has a cluster far out, which
// their logarithms haven't: modes are separate on either scale.
//
// Chains that hardly move are apart wherever they began: their log densities and climbs from them
// show it.
//
// If the density can be evaluated, climbs from random points look for modes that no chain has found
// (verdict/scouts.hpp): all chains may agree on one of several.
#include "diagnose/convergence.hpp"
#include "verdict/findings.hpp"
#include "verdict/mirror.hpp"
#include "verdict/scouts.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::multimodal_row {
namespace {
using diagnose::Chains;

constexpr double kRHat = 1.05, kEss = 100.0;
constexpr double kApart = 4.0;         // standard deviations; two halves of a normal are 2.6 apart
constexpr double kRareCrossing = 0.2;  // of what independent draws have
// Draws half-way between two clusters, of those around their centres: between normal distributions 4
// standard deviations apart 0.28, in the shadow of a ring on an axis 0.76.
constexpr double kDeep = 0.35, kShallow = 0.65;
constexpr double kNear = 0.1, kShore = 0.3;  // shares of the distance between the centres
constexpr double kJump = 3.0;                // draws
constexpr double kGap = 2.0;                 // standard deviations of a chain
constexpr double kSmallestShare = 0.02;
constexpr double kEssWithin = 30.0;  // effective draws of each chain without its jumps
constexpr std::size_t kMostAsked = 30;

struct Modes {
  Index column = -1;
  double low = kNaN, high = kNaN;  // centres
  std::vector<std::string> low_chains = {}, high_chains = {}, jumping = {};
};

// Effective draws of a chain from which each side's mean is subtracted: chains
// that crawl look like clusters, too, but don't mix within them.
double ess_within(std::span<const double> chain, double cut, double low, double high) {
  std::vector<double> rest(chain.begin(), chain.end());
  for (double& x : rest) x -= x < cut ? low : high;
  return diagnose::plain_ess({rest, ssize(rest), 1});
}

// The cut of sorted values with the least variance within its two sides [otsu1979].
double best_cut(std::span<const double> sorted) {
  double total = 0.0;
  for (const double x : sorted) total += x;
  const double n = static_cast<double>(sorted.size());
  double left = 0.0, best = -1.0, cut = kNaN;
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    left += sorted[k - 1];
    const double m = static_cast<double>(k);
    const double difference = left / m - (total - left) / (n - m);
    const double between = m * (n - m) * difference * difference;
    if (between > best) best = between, cut = (sorted[k - 1] + sorted[k]) / 2.0;
  }
  return cut;
}

struct Side {
  double count = 0.0, sum = 0.0, squares = 0.0, origin = 0.0;  // sums of differences from origin
  void add(double x) { ++count, sum += x, squares += x * x; }
  double mean() const { return origin + sum / count; }
  double variance() const { return std::max(0.0, squares / count - (sum / count) * (sum / count)); }
};

double crossings_of(std::span<const double> chain, double cut) {
  double crossings = 0.0;
  for (std::size_t s = 1; s < chain.size(); ++s)
    if ((chain[s] < cut) != (chain[s - 1] < cut)) ++crossings;
  return crossings;
}

struct Cut {
  double at = kNaN;
  Side low = {}, high = {};
};

Cut cut_at(std::span<const double> sorted, double at) {
  Cut cut{.at = at};
  const double origin = sorted[sorted.size() / 2];
  for (const double x : sorted) (x < at ? cut.low : cut.high).add(x - origin);
  cut.low.origin = cut.high.origin = origin;
  return cut;
}

bool is_large_enough(const Cut& cut) {
  return std::min(cut.low.count, cut.high.count) >=
         kSmallestShare * (cut.low.count + cut.high.count);
}

// Draws near the middle between the clusters, of those near their centres.
double valley_of(std::span<const double> sorted, const Cut& cut) {
  const double distance = cut.high.mean() - cut.low.mean();
  const auto near = [&](double x) {
    return static_cast<double>(
        std::upper_bound(sorted.begin(), sorted.end(), x + kNear * distance) -
        std::lower_bound(sorted.begin(), sorted.end(), x - kNear * distance));
  };
  const double least = std::min(near(cut.low.mean()), near(cut.high.mean()));
  return near((cut.low.mean() + cut.high.mean()) / 2.0) / std::max(least, 1.0);
}

// How many draws it takes on average to get from one cluster to the other; 0: none does.
double length_of_passage(const Chains& chains, const Cut& cut) {
  const double distance = cut.high.mean() - cut.low.mean();
  const double low = cut.low.mean() + kShore * distance, high = cut.high.mean() - kShore * distance;
  double passages = 0.0, between = 0.0;
  for (Index c = 0; c < chains.num_chains; ++c) {
    int side = 0;  // the chain's last side
    double here = 0.0;
    for (const double x : chains.chain(c)) {
      const int now = x < low ? -1 : x > high ? 1 : 0;
      if (now == 0) ++here;
      if (now == -side && side != 0) ++passages, between += here;
      if (now != 0) side = now, here = 0.0;
    }
  }
  return passages > 0.0 ? between / passages : 0.0;
}

// Two clusters with hardly a draw between them, or with fewer than in themselves and jumps from one
// to the other.
bool are_apart(const Chains& chains, std::span<const double> sorted, const Cut& cut) {
  const double sd = std::sqrt((cut.low.variance() + cut.high.variance()) / 2.0);
  if (cut.high.mean() - cut.low.mean() < kApart * sd) return false;
  const double valley = valley_of(sorted, cut);
  return valley < kDeep || (valley < kShallow && length_of_passage(chains, cut) < kJump);
}

// Between the two neighbours furthest apart, of those with enough draws on either side; NaN where
// they aren't as far apart as a chain is wide.
double widest_gap(const Chains& chains, std::span<const double> sorted) {
  const auto margin = static_cast<std::size_t>(kSmallestShare * static_cast<double>(sorted.size()));
  double widest = 0.0, at = kNaN;
  for (std::size_t k = margin + 1; k + margin < sorted.size(); ++k)
    if (sorted[k] - sorted[k - 1] > widest)
      widest = sorted[k] - sorted[k - 1], at = (sorted[k] + sorted[k - 1]) / 2.0;
  std::vector<double> sd;
  for (Index c = 0; c < chains.num_chains; ++c)
    sd.push_back(std::sqrt(diagnose::variance(chains.chain(c))));
  return widest > kGap * diagnose::quantile(sd, 0.5) ? at : kNaN;
}

// The chains on each side; nullopt if they cross often, or if most of them don't mix within a side.
std::optional<Modes> modes_of(const Chains& chains, const Cut& cut) {
  Modes modes{.low = cut.low.mean(), .high = cut.high.mean()};
  double crossings = 0.0;
  Index num_mixing = 0;
  for (Index c = 0; c < chains.num_chains; ++c) {
    const auto chain = chains.chain(c);
    const double here = crossings_of(chain, cut.at);
    crossings += here;
    (here > 0.0                       ? modes.jumping
     : diagnose::mean(chain) < cut.at ? modes.low_chains
                                      : modes.high_chains)
        .push_back(std::to_string(c + 1));
    num_mixing += ess_within(chain, cut.at, modes.low, modes.high) > kEssWithin ? 1 : 0;
  }
  const double n = cut.low.count + cut.high.count;
  const double expected = 2.0 * cut.low.count / n * cut.high.count / n * n;
  if (crossings > kRareCrossing * expected) return std::nullopt;
  return 2 * num_mixing > chains.num_chains ? std::optional(modes) : std::nullopt;
}

std::optional<Modes> separate_modes(const Chains& chains) {
  std::vector<double> sorted(chains.values.begin(), chains.values.end());
  std::sort(sorted.begin(), sorted.end());
  const Cut two = cut_at(sorted, best_cut(sorted));
  if (is_large_enough(two) && are_apart(chains, sorted, two))
    if (auto modes = modes_of(chains, two)) return modes;
  const double gap = widest_gap(chains, sorted);
  return std::isnan(gap) ? std::nullopt : modes_of(chains, cut_at(sorted, gap));
}

std::optional<Modes> clusters(const Case& at_hand, Index k) {
  diagnose::ChainsCopy chains = at_hand.draws(k);
  auto modes = separate_modes(chains);
  if (!modes) return std::nullopt;
  modes->column = k;
  if (!(at_hand.columns[static_cast<std::size_t>(k)].lowest > 0.0)) return modes;
  for (double& x : chains.values) x = std::log(x);
  return separate_modes(chains) ? modes : std::nullopt;
}

// Excursions into a tail like Cauchy's look like another cluster.
bool has_heavy_tail(const Case& at_hand, const Column& column) {
  constexpr double kOrder = 2.0;  // no variance
  const Probe* probe = at_hand.probe();
  if (probe == nullptr) return false;
  const std::vector<TailOrder>& orders = at_hand.tail_orders();
  for (std::size_t d = 0; d < orders.size(); ++d)
    if (probe->names()[d] == column.name) return orders[d].least() < kOrder;
  return false;
}

std::vector<Index> suspects(const Case& at_hand) {
  std::vector<Index> worst;
  for (const Index k : at_hand.sampled) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    if ((column.r_hat > kRHat || column.ess_bulk < kEss || column.ess_tail < kEss) &&
        !has_heavy_tail(at_hand, column))
      worst.push_back(k);
  }
  std::stable_sort(worst.begin(), worst.end(), [&](Index a, Index b) {
    return at_hand.columns[static_cast<std::size_t>(a)].r_hat >
           at_hand.columns[static_cast<std::size_t>(b)].r_hat;
  });
  worst.resize(std::min(worst.size(), kMostAsked));
  return worst;
}

std::string where(const Case& at_hand, const Modes& modes) {
  const auto chains = [&](const std::vector<std::string>& which) {
    return std::string(at_hand.chain_word()) + (which.size() == 1 ? " " : "s ") + listed(which, 8);
  };
  const std::string stayed = at_hand.is_of_particles() ? " ended near " : " stayed near ",
                    jumped = at_hand.is_of_particles() ? " is split between "
                                                       : " rarely jumped between ";
  std::string text;
  if (!modes.low_chains.empty()) text += chains(modes.low_chains) + stayed + number(modes.low);
  if (!modes.high_chains.empty())
    text += (text.empty() ? "" : ", ") + chains(modes.high_chains) + " near " + number(modes.high);
  if (!modes.jumping.empty())
    text += (text.empty() ? "" : ", ") + chains(modes.jumping) + jumped + number(modes.low) +
            " and " + number(modes.high);
  return text;
}

constexpr const char* kRemedyOfChains =
    "Find out what the modes mean; more chains show more of them. --sampler tempering weighs them, "
    "and a constraint or a stronger prior excludes those that make no sense.";

std::string remedy(const Case& at_hand) {
  if (!at_hand.is_of_particles()) return kRemedyOfChains;
  return "Find out what the modes mean. For weights of the modes that can be relied on, " +
         std::string(kBetterPopulations) +
         "; a constraint or a stronger prior excludes modes that make no sense.";
}

Finding spike(const Case& at_hand, const OtherMode& other) {
  return {.id = "multimodal",
          .level = Level::bad,
          .parameters = {other.output},
          .text = "There is a narrow mode amid the draws that they hardly enter: near " +
                  other.output + " = " + number(other.value) + ". It holds at least " +
                  percent(1.0 / (1.0 + std::exp(-other.log_share))) + " of the mass, and " +
                  percent(other.draws_near) + " of the draws are in it.",
          .remedy =
              "No step size fits both a spike and its surroundings. Sum the two components out or "
              "sample them apart, or give the spike a width that the data can distinguish from 0.",
          .place = at_hand.place_of(other.output)};
}

std::vector<Finding> by_symmetry(const Case& at_hand) {
  const auto mirror = mirror_of(at_hand);
  if (!mirror) return {};
  const Column& column = at_hand.columns[static_cast<std::size_t>(mirror->column)];
  return {{.id = "multimodal",
           .level = Level::bad,
           .parameters = mirror->variables,
           .text = "There is a mode that no " + std::string(at_hand.chain_word()) +
                   " has found: the density is the same with the "
                   "signs of " +
                   listed(mirror->variables) + " changed, and " + column.name + ", near " +
                   number(column.mean) +
                   ", has one sign in all draws. Half of the posterior is "
                   "on the other side.",
           .remedy = "Fix a sign: declare one of them <lower=0> (a loading, a slope), or report "
                     "what doesn't depend on it.",
           .place = at_hand.place_of(mirror->column)}};
}

std::vector<Finding> by_climbing(const Case& at_hand) {
  const auto& other = at_hand.mode_search().found;
  if (!other) return {};
  if (other->is_inside) return {spike(at_hand, *other)};
  return {{.id = "multimodal",
           .level = Level::bad,
           .parameters = {other->output},
           .text = "There is a mode that no " + std::string(at_hand.chain_word()) +
                   " has found: near " + other->output + " = " + number(other->value) +
                   ", a valley away from all draws. It holds about " +
                   number(std::exp(std::min(other->log_share, 600.0))) +
                   " times the mass of the draws' region (by a normal approximation).",
           .remedy = remedy(at_hand),
           .place = at_hand.place_of(other->output)}};
}

// Chains that hardly move are apart wherever they began; a spike and its surroundings meet, too, and
// lie a few nats apart.
bool are_late_chains(const Case& at_hand, Index column) {
  return at_hand.has_late_chains() &&
         climbs_meet(at_hand, column, at_hand.columns[static_cast<std::size_t>(column)].chain_mean);
}

std::vector<Finding> check(const Case& at_hand) {
  Finding finding{.id = "multimodal", .level = Level::bad};
  std::optional<Modes> first;
  for (const Index k : suspects(at_hand)) {
    const auto modes = clusters(at_hand, k);
    if (!modes) continue;
    if (!first) first = modes;
    finding.parameters.push_back(at_hand.columns[static_cast<std::size_t>(k)].name);
  }
  if (!first || are_late_chains(at_hand, first->column)) {
    auto mirrored = by_symmetry(at_hand);
    return mirrored.empty() ? by_climbing(at_hand) : mirrored;
  }
  finding.place = at_hand.place_of(first->column);
  finding.text = "There are separate modes: of " + finding.parameters.front() + ", " +
                 where(at_hand, *first) +
                 ". The draws don't say how much of the posterior each mode holds.";
  finding.remedy = remedy(at_hand);
  return {finding};
}
}  // namespace

const FindingSpec multimodal{.id = "multimodal",
                             .title = "separate modes that chains don't move between",
                             .explains = {"not_mixed", "few_draws", "low_energy_exchange",
                                          "divergences", "tree_depth", "funnel", "flat_direction"},
                             .check = check,
                             .of_chains = true};

}  // namespace credo::verdict::multimodal_row
