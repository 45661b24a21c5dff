// Separated modes. Chains that agree within and differ between: chains in two groups whose means
// are further apart than four times any chain's standard deviation, each chain mixing where it is.
// Or chains that jump now and then: two clusters of draws, crossed far less often than independent
// draws would. Only where R-hat or the effective size is bad already, so that a posterior with two
// modes that is explored is none.
//
// Where the density can be asked, climbs from random points look for modes that no chain has found
// (verdict/scouts.hpp): all chains may agree on one of several.
#include "diagnose/convergence.hpp"
#include "verdict/findings.hpp"
#include "verdict/scouts.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
constexpr double kRHat = 1.05, kEss = 100.0;
constexpr double kApart = 4.0;         // standard deviations; two halves of a normal are 2.6 apart
constexpr double kRareCrossing = 0.2;  // of what independent draws have
constexpr double kSmallestShare = 0.02;
constexpr double kEssWithin = 30.0;  // of each chain, jumps taken away
constexpr std::size_t kMostAsked = 30;

struct Modes {
  Index column = -1;
  double low = kNaN, high = kNaN;  // centres
  std::vector<std::string> low_chains = {}, high_chains = {}, jumping = {};
};

// What is left of a chain when each draw is taken from its side's mean, in effective draws: chains
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
  double count = 0.0, sum = 0.0, squares = 0.0;
  void add(double x) { ++count, sum += x, squares += x * x; }
  double mean() const { return sum / count; }
  double variance() const { return std::max(0.0, squares / count - mean() * mean()); }
};

double crossings_of(std::span<const double> chain, double cut) {
  double crossings = 0.0;
  for (std::size_t s = 1; s < chain.size(); ++s)
    if ((chain[s] < cut) != (chain[s - 1] < cut)) ++crossings;
  return crossings;
}

std::optional<Modes> clusters(const Case& at_hand, Index k) {
  const diagnose::ChainsCopy chains = at_hand.draws(k);
  const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
  std::vector<double> sorted = chains.values;
  std::sort(sorted.begin(), sorted.end());
  const double cut = best_cut(sorted);
  Side low, high;
  for (const double x : sorted) (x < cut ? low : high).add(x - column.mean);
  const double n = static_cast<double>(sorted.size());
  if (std::min(low.count, high.count) < kSmallestShare * n) return std::nullopt;
  const double sd = std::sqrt((low.variance() + high.variance()) / 2.0);
  if (high.mean() - low.mean() < kApart * sd) return std::nullopt;
  Modes modes{.column = k, .low = low.mean() + column.mean, .high = high.mean() + column.mean};
  double crossings = 0.0;
  for (Index c = 0; c < at_hand.num_chains; ++c) {
    const auto chain = diagnose::Chains(chains).chain(c);
    const double here = crossings_of(chain, cut);
    crossings += here;
    const bool is_low = column.chain_mean[static_cast<std::size_t>(c)] < cut;
    (here > 0.0 ? modes.jumping
     : is_low   ? modes.low_chains
                : modes.high_chains)
        .push_back(std::to_string(c + 1));
    if (!(ess_within(chain, cut, modes.low, modes.high) > kEssWithin)) return std::nullopt;
  }
  const double expected = 2.0 * low.count / n * high.count / n * n;
  if (crossings > kRareCrossing * expected) return std::nullopt;
  return modes;
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

std::string where(const Modes& modes) {
  const auto chains = [](const std::vector<std::string>& which) {
    return (which.size() == 1 ? "chain " : "chains ") + listed(which, 8);
  };
  std::string text;
  if (!modes.low_chains.empty())
    text += chains(modes.low_chains) + " stayed near " + number(modes.low);
  if (!modes.high_chains.empty())
    text += (text.empty() ? "" : ", ") + chains(modes.high_chains) + " near " + number(modes.high);
  if (!modes.jumping.empty())
    text += (text.empty() ? "" : ", ") + chains(modes.jumping) + " rarely jumped between " +
            number(modes.low) + " and " + number(modes.high);
  return text;
}

constexpr const char* kRemedy =
    "Find out what the modes mean; more chains show more of them. --sampler tempering weighs them, "
    "and a constraint or a stronger prior excludes those that make no sense.";

Finding spike(const Case& at_hand, const OtherMode& other) {
  return {.id = "multimodal",
          .level = Level::bad,
          .parameters = {other.output},
          .text = "There is a narrow mode amid the draws that they hardly enter: near " +
                  other.output + " = " + number(other.value) + ". It holds at least " +
                  percent(1.0 / (1.0 + std::exp(-other.log_share))) + " of the mass, and " +
                  percent(other.draws_near) + " of the draws are in it.",
          .remedy = "No step size fits a spike and what is around it. Sum the two components out or "
                    "sample them apart, or give the spike a width that the data can tell from 0.",
          .place = at_hand.place_of(other.output)};
}

std::vector<Finding> by_climbing(const Case& at_hand) {
  const auto& other = at_hand.mode_search().found;
  if (!other) return {};
  if (other->is_inside) return {spike(at_hand, *other)};
  return {{.id = "multimodal",
           .level = Level::bad,
           .parameters = {other->output},
           .text = "There is a mode that no chain has found: near " + other->output + " = " +
                   number(other->value) + ", a valley away from all draws. It holds about " +
                   number(std::exp(std::min(other->log_share, 600.0))) +
                   " times the mass of what was drawn (by a normal approximation).",
           .remedy = kRemedy,
           .place = at_hand.place_of(other->output)}};
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
  if (!first) return by_climbing(at_hand);
  finding.place = at_hand.place_of(first->column);
  finding.text = "There are separate modes: of " + finding.parameters.front() + ", " +
                 where(*first) + ". The draws don't say how much of the posterior each mode holds.";
  finding.remedy = kRemedy;
  return {finding};
}
}  // namespace

const FindingSpec multimodal{.id = "multimodal",
                             .title = "separate modes that chains don't move between",
                             .explains = {"not_mixed", "few_draws", "low_energy_exchange",
                                          "divergences", "tree_depth", "funnel", "flat_direction"},
                             .check = check};

}  // namespace credo::verdict
