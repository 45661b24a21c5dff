// Moves stay within the range of other draws, so that the density isn't evaluated where the program may refuse the
// state. Given that x lies in this range, x is a draw of the density truncated to it. Step scales are from
// differences of two draws given the same previous state. Neither range nor scale depends on x, so the steps are
// reversible, and signs of differences are fair coins [besag1989].
#include "infer/smc/matching_draws.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
using density::ParticleBlock;
using density::StateMover;
using density::StateSpace;
constexpr Index kMatchPlaces = StateSpace::kBlock;
constexpr Index kMatchMoves = 12, kLastTime = 30;

// A second round with more draws decides, so that a correct model fails once in 10^7 times.
struct MatchRound {
  Index num_blocks;
  double level;
};
constexpr std::array kMatchRounds{MatchRound{2, 1e-3}, MatchRound{8, 1e-4}};

// States of one block: element by element, the values of all places.
using BlockStates = std::vector<double>;

struct MatchBox {
  std::vector<double> low, high, scale;  // by element
  bool holds(const BlockStates& states, Index place) const {
    for (std::size_t e = 0; e < low.size(); ++e) {
      const double x =
          states[e * static_cast<std::size_t>(kMatchPlaces) + static_cast<std::size_t>(place)];
      if (!(x >= low[e] && x <= high[e])) return false;
    }
    return true;
  }
};

// Number of rises and falls of the log density (entry 0) and of each element.
struct MatchSigns {
  std::vector<Index> up, down;
  explicit MatchSigns(Index elements) : up(static_cast<std::size_t>(elements + 1), 0), down(up) {}
  void add(std::size_t which, double change) {
    if (change > 0.0) ++up[which];
    if (change < 0.0) ++down[which];
  }
};

class MatchTest {
 public:
  explicit MatchTest(const StateSpace& model)
      : model_(model),
        elements_(model.state().size()),
        is_whole_(model.state().variables().front().kind != density::Kind::real),
        mover_(model.make_mover(density::Kernel::bootstrap)) {}

  void require(Index time) {
    for (std::size_t k = 0; k < kMatchRounds.size(); ++k) {
      const MatchSigns signs = signs_at(time, kMatchRounds[k].num_blocks, k);
      const auto worst = most_uneven(signs);
      if (!(worst.second > limit(kMatchRounds[k].level))) return;
      if (k + 1 == kMatchRounds.size()) refuse(time, signs, worst.first);
    }
  }

 private:
  std::size_t place(Index element, Index p) const {
    return static_cast<std::size_t>(element * kMatchPlaces + p);
  }
  std::uint64_t seed_of(Index time, std::size_t round, std::uint32_t part) const {
    return Rng({.seed = 1,
                .purpose = purpose::kFilter,
                .chain = 100 + static_cast<std::uint32_t>(round) * 10 + part,
                .iteration = static_cast<std::uint32_t>(time)})
        .bits();
  }
  double limit(double level) const {
    return -numerics::inv_phi(0.5 * level / static_cast<double>(elements_ + 1));
  }

  BlockStates drawn(Index time, Index block, std::uint64_t seed, const BlockStates& before);
  std::vector<double> log_densities(Index time, const BlockStates& states,
                                    const BlockStates& before);
  MatchBox box_of(std::span<const BlockStates> one, std::span<const BlockStates> other) const;
  void propose(const BlockStates& at, const MatchBox& box, Rng& rng, BlockStates& to) const;
  void move_block(Index time, BlockStates& states, const BlockStates& before, const MatchBox& box,
                  Rng& rng, std::vector<double>& densities);
  MatchSigns signs_at(Index time, Index num_blocks, std::size_t round);
  std::pair<std::size_t, double> most_uneven(const MatchSigns& signs) const;
  [[noreturn]] void refuse(Index time, const MatchSigns& signs, std::size_t which) const;

  const StateSpace& model_;
  Index elements_;
  bool is_whole_;
  std::unique_ptr<StateMover> mover_;
};

BlockStates MatchTest::drawn(Index time, Index block, std::uint64_t seed,
                             const BlockStates& before) {
  BlockStates next(static_cast<std::size_t>(elements_ * kMatchPlaces));
  std::array<double, static_cast<std::size_t>(kMatchPlaces)> weights;
  mover_->move({.time = time,
                .first = block * kMatchPlaces,
                .count = kMatchPlaces,
                .seed = seed,
                .previous = time > 0 ? before.data() : nullptr,
                .next = next.data(),
                .log_weights = weights.data()});
  return next;
}

std::vector<double> MatchTest::log_densities(Index time, const BlockStates& states,
                                             const BlockStates& before) {
  BlockStates given = states;
  std::vector<double> all(static_cast<std::size_t>(kMatchPlaces));
  mover_->transitions({.time = time,
                       .count = kMatchPlaces,
                       .previous = time > 0 ? before.data() : nullptr,
                       .next = given.data(),
                       .log_weights = all.data()});
  return all;
}

MatchBox MatchTest::box_of(std::span<const BlockStates> one,
                           std::span<const BlockStates> other) const {
  MatchBox box;
  for (Index e = 0; e < elements_; ++e) {
    double low = kInfinity, high = -kInfinity;
    std::vector<double> differences;
    for (std::size_t b = 0; b < one.size(); ++b)
      for (Index p = 0; p < kMatchPlaces; ++p) {
        const double x = one[b][place(e, p)], y = other[b][place(e, p)];
        low = std::min({low, x, y}), high = std::max({high, x, y});
        differences.push_back(std::abs(x - y));
      }
    std::ranges::sort(differences);
    box.low.push_back(low), box.high.push_back(high);
    box.scale.push_back(1.5 * differences[2 * differences.size() / 3]);
  }
  return box;
}

// Moves one element or all of them, by a random scale; the kernel is the same at each step.
void MatchTest::propose(const BlockStates& at, const MatchBox& box, Rng& rng,
                        BlockStates& to) const {
  to = at;
  for (Index p = 0; p < kMatchPlaces; ++p) {
    const Index only = rng.index_below(2) == 0 ? -1 : rng.index_below(elements_);
    const double shrink = std::exp2(-static_cast<double>(rng.index_below(4)));
    for (Index e = 0; e < elements_; ++e) {
      const double scale = shrink * box.scale[static_cast<std::size_t>(e)];
      if (scale == 0.0 || (only >= 0 && e != only)) continue;
      double step = scale * rng.normal();
      if (is_whole_) step = std::copysign(std::ceil(std::abs(step)), step);
      to[place(e, p)] += step;
    }
  }
}

void MatchTest::move_block(Index time, BlockStates& states, const BlockStates& before,
                           const MatchBox& box, Rng& rng, std::vector<double>& densities) {
  BlockStates to;
  propose(states, box, rng, to);
  std::vector<char> is_inside(static_cast<std::size_t>(kMatchPlaces));
  for (Index p = 0; p < kMatchPlaces; ++p) {
    const auto k = static_cast<std::size_t>(p);
    is_inside[k] = box.holds(to, p) ? 1 : 0;
    for (Index e = 0; is_inside[k] == 0 && e < elements_; ++e)
      to[place(e, p)] = states[place(e, p)];
  }
  const std::vector<double> proposed = log_densities(time, to, before);
  for (Index p = 0; p < kMatchPlaces; ++p) {
    const auto k = static_cast<std::size_t>(p);
    const bool is_taken = rng.uniform() < numerics::exp(proposed[k] - densities[k]);
    if (!is_taken || is_inside[k] == 0) continue;
    for (Index e = 0; e < elements_; ++e) states[place(e, p)] = to[place(e, p)];
    densities[k] = proposed[k];
  }
}

// States of earlier times are drawn by the model, separately for each block.
MatchSigns MatchTest::signs_at(Index time, Index num_blocks, std::size_t round) {
  std::vector<BlockStates> before, one, other;
  for (Index b = 0; b < num_blocks; ++b) {
    BlockStates& states = before.emplace_back();
    for (Index t = 0; t < time; ++t) states = drawn(t, b, seed_of(t, round, 0), states);
    one.push_back(drawn(time, b, seed_of(time, round, 1), states));
    other.push_back(drawn(time, b, seed_of(time, round, 2), states));
  }
  const MatchBox box = box_of(one, other);
  MatchSigns signs(elements_);
  for (Index b = 0; b < num_blocks; ++b) {
    const BlockStates& last = before[static_cast<std::size_t>(b)];
    const BlockStates begun = drawn(time, b, seed_of(time, round, 3), last);
    const std::vector<double> first = log_densities(time, begun, last);
    Rng rng({.seed = seed_of(time, round, 4),
             .purpose = purpose::kFilter,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(b)});
    BlockStates states = begun;
    std::vector<double> densities = first;
    for (Index k = 0; k < kMatchMoves; ++k) move_block(time, states, last, box, rng, densities);
    for (Index p = 0; p < kMatchPlaces; ++p) {
      if (!box.holds(begun, p)) continue;
      signs.add(0, densities[static_cast<std::size_t>(p)] - first[static_cast<std::size_t>(p)]);
      for (Index e = 0; e < elements_; ++e)
        signs.add(static_cast<std::size_t>(e + 1), states[place(e, p)] - begun[place(e, p)]);
    }
  }
  return signs;
}

// The quantity with the most uneven signs, and by how many standard deviations its number of rises differs from half.
std::pair<std::size_t, double> MatchTest::most_uneven(const MatchSigns& signs) const {
  std::pair<std::size_t, double> worst{0, 0.0};
  for (std::size_t k = 0; k < signs.up.size(); ++k) {
    const auto n = static_cast<double>(signs.up[k] + signs.down[k]);
    if (n == 0.0) continue;
    const double z =
        (std::abs(static_cast<double>(signs.up[k] - signs.down[k])) - 1.0) / std::sqrt(n);
    if (z > worst.second) worst = {k, z};
  }
  return worst;
}

void MatchTest::refuse(Index time, const MatchSigns& signs, std::size_t which) const {
  const bool begins = time == 0;
  const Index up = signs.up[which], all = up + signs.down[which];
  const std::string what =
      which == 0 ? "their log density" : model_.state().element_name(static_cast<Index>(which) - 1);
  throw Error(
      ErrorCode::program,
      fmt::format(
          "{0}_rng doesn't draw from {0}_lpdf: at time {1}, Metropolis moves that keep the "
          "density invariant raise {2} in {3:.1f} % of {4} draws; for draws from the density it "
          "would be half of them",
          begins ? "initial" : "transition", time + 1, what,
          100.0 * static_cast<double>(up) / static_cast<double>(all), all),
      "functions block", "write the same distribution in both functions");
}
}  // namespace

void require_matching_draws(const StateSpace& model) {
  if (!model.can_weigh_transitions().can && !model.can_weigh_states().can) return;
  const Index last = std::min(model.num_times() - 1, kLastTime);
  std::vector<Index> times;
  if (model.can_weigh_states().can) times.push_back(0);
  for (const Index t : {Index{1}, last})
    if (t > 0 && t <= last && (times.empty() || times.back() < t)) times.push_back(t);
  try {
    MatchTest test(model);
    for (const Index t : times) test.require(t);
  } catch (const Error& error) {
    // A function refuses a state; the run itself reports this if it happens there
    if (error.code() != ErrorCode::evaluation) throw;
  }
}

}  // namespace credo::infer
