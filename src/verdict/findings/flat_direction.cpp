// Parameters that are identified in combination only: a ridge along which the likelihood is constant.
//
// The ratio of the largest to the smallest eigenvalue of the parameters' correlation matrix (with logarithms of those
// that keep their sign) is the squared ratio of length to width of the posterior. Above 40 a trajectory along it
// takes a hundred steps or more. This alone is no finding, since regressions without centring have it, too. It is a
// finding if the likelihood is the same along the ridge over two standard deviations to either side, but changes by
// more than 50 nats when one of the parameters moves as far alone. If the data identify the place on the ridge, two
// standard deviations change the likelihood by about 2 nats. Trouble (R-hat, few effective draws) makes the finding
// bad. Without the program the ratio must be 100, together with trouble or with trees of seven doublings.
//
// A mean and effects around zero lie on such a ridge in every hierarchy. The distribution of the effects then divides
// the sum between them, so that this is no finding without trouble.
//
// A cone or a hyperbola is hard to sample long before it is 40 times as long as wide, because its narrow end needs
// short steps. So if one draw in eight is effective, or one transition in 100 diverges, a ratio of 4 and 10 nats
// suffice. Truncated trajectories are expensive for another reason, and so are draws that move along the ridge more
// easily than elsewhere, as beside a funnel. Without trouble or divergences such a ridge is a note: its draws are
// right, but expensive.
//
// A short or curved ridge is a note if the expected information of the likelihood is singular along it at each draw
// (verdict/tied.hpp): its draws may be right, but show the priors only. Rotatable factors (verdict/rotation.hpp) lie
// on a circle, and are detected because the density doesn't change.
#include "diagnose/convergence.hpp"
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/ridge.hpp"
#include "verdict/rotation.hpp"
#include "verdict/tied.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::flat_direction_row {
namespace {
constexpr double kRatio = 40.0, kRatioAlone = 100.0;
constexpr double kCutOff = 0.02;
constexpr double kRatioInTrouble = 4.0, kBreaksOff = 0.01;  // shares of the transitions
constexpr double kOtherInTrouble = 10.0;                    // nats
constexpr double kDear = 0.125;                             // effective draws a draw
constexpr double kAsDear = 2.0;                             // times the fewest effective draws
constexpr double kRHat = 1.05, kEss = 200.0, kSteps = 127.0;
constexpr double kSameLikelihood = 1.0, kOtherLikelihood = 50.0;  // nats
constexpr double kDeviations = 2.0;
constexpr Index kDraws = 6;

// True if figures of the draws are unreliable.
bool is_troubled(const Case& at_hand) {
  return std::any_of(at_hand.sampled.begin(), at_hand.sampled.end(), [&](Index k) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    return column.r_hat > kRHat || column.ess_bulk < kEss;
  });
}

bool has_long_trajectories(const Case& at_hand) {
  const std::vector<double>& steps = at_hand.statistic("num_leapfrog");
  return !steps.empty() && diagnose::quantile(steps, 0.5) >= kSteps;
}

bool breaks_off(const Case& at_hand) {
  return exceeds(num_marked(at_hand.statistic("divergent")), at_hand.num_total(), kBreaksOff);
}

// Less than that: a run whose draws are correlated, or broke off, and not because its trajectories
// were cut off.
bool is_dear(const Case& at_hand) {
  if (at_hand.share_cut_off() > kCutOff) return false;
  return breaks_off(at_hand) ||
         std::any_of(at_hand.sampled.begin(), at_hand.sampled.end(), [&](Index k) {
           const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
           return column.ess_bulk < kDear * static_cast<double>(at_hand.num_total());
         });
}

// ---- what the data say along it

// A move of a point along the ridge: by a sum in each coordinate, or by a factor.
struct Move {
  std::vector<double> by;
  std::vector<char> is_factor;
  std::vector<double> from(std::vector<double> point, double sign) const {
    for (std::size_t d = 0; d < point.size(); ++d)
      point[d] = is_factor[d] ? point[d] * std::exp(sign * by[d]) : point[d] + sign * by[d];
    return point;
  }
};

std::vector<double> centred(std::vector<double> values) {
  const double mean = diagnose::mean(values);
  for (double& value : values) value -= mean;
  return values;
}

std::vector<double> values_of(const Probe& probe, std::size_t d, bool logarithm) {
  std::vector<double> values;
  for (Index m = 0; m < probe.num_points(); ++m) {
    const double u = probe.point(m)[d];
    values.push_back(logarithm ? std::log(std::fabs(u) + 1e-300) : u);
  }
  return centred(std::move(values));
}

double product(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0) / static_cast<double>(x.size() - 1);
}

// Position of each draw along the ridge, in standard deviations.
std::vector<double> score_on(const Probe& probe, const Case& at_hand, const Ridge& ridge,
                             bool logarithms) {
  std::vector<double> score(static_cast<std::size_t>(probe.num_points()), 0.0);
  for (std::size_t i = 0; i < ridge.columns.size(); ++i) {
    const std::string& name = at_hand.columns[static_cast<std::size_t>(ridge.columns[i])].name;
    const auto found = std::find(probe.names().begin(), probe.names().end(), name);
    const Index d = found - probe.names().begin();
    const std::vector<double> values = values_of(probe, static_cast<std::size_t>(d),
                                                 logarithms && probe.reach(d) == Reach::linear);
    const double sd = std::sqrt(diagnose::variance(values));
    for (std::size_t m = 0; m < score.size(); ++m) score[m] += ridge.along[i] * values[m] / sd;
  }
  const double sd = std::sqrt(diagnose::variance(score));
  for (double& value : score) value /= sd;
  return score;
}

// Two standard deviations along the ridge, in unconstrained coordinates: how each goes with the draws'
// scores on it. The covariance times a direction lies on the ridge even where the direction is a
// little beside it, and where other coordinates than those that name the ridge go along with it.
Move move_along(const Probe& probe, const Case& at_hand, const Ridge& ridge, bool logarithms) {
  const std::vector<double> score = score_on(probe, at_hand, ridge, logarithms);
  Move move;
  for (Index k = 0; k < probe.dimension(); ++k) {
    const auto d = static_cast<std::size_t>(k);
    const std::vector<double> plain = values_of(probe, d, false),
                              factor = values_of(probe, d, true);
    const double by_sum = product(plain, score), by_factor = product(factor, score);
    const bool is_factor = logarithms && probe.reach(k) == Reach::linear &&
                           std::fabs(by_factor) * std::sqrt(diagnose::variance(plain)) >
                               std::fabs(by_sum) * std::sqrt(diagnose::variance(factor));
    move.by.push_back(kDeviations * (is_factor ? by_factor : by_sum));
    move.is_factor.push_back(is_factor);
  }
  return move;
}

// Change of the likelihood towards both sides: the even part and the odd part.
struct Change {
  double even = kInfinity, odd = kInfinity;  // sizes
  double largest() const { return even + odd; }
};

Change likelihood_change(const Probe& probe, Index m, const Move& move) {
  const double here = probe.log_likelihood(probe.point(m));
  const double above = probe.log_likelihood(move.from(probe.point(m), 1.0)) - here;
  const double below = probe.log_likelihood(move.from(probe.point(m), -1.0)) - here;
  if (!std::isfinite(above) || !std::isfinite(below)) return {};
  return {std::fabs(above + below) / 2.0, std::fabs(above - below) / 2.0};
}

// The coordinates of the ridge's parameters, those first that go furthest in their own spreads.
std::vector<std::size_t> by_distance(const Probe& probe, const Case& at_hand, const Ridge& ridge,
                                     const Move& move) {
  std::vector<std::pair<double, std::size_t>> all;
  for (const Index column : ridge.columns) {
    const std::string& name = at_hand.columns[static_cast<std::size_t>(column)].name;
    const auto found = std::find(probe.names().begin(), probe.names().end(), name);
    const auto d = static_cast<std::size_t>(found - probe.names().begin());
    const double sd = std::sqrt(diagnose::variance(values_of(probe, d, move.is_factor[d])));
    all.emplace_back(-std::fabs(move.by[d]) / sd, d);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> order;
  for (const auto& entry : all) order.push_back(entry.second);
  return order;
}

// The first of the ridge's parameters on which the likelihood depends at all: the location
// of a prior goes along with what the data speak of, and has no part in it.
Move alone(const Probe& probe, const Case& at_hand, const Ridge& ridge, const Move& move) {
  constexpr std::size_t kMostTried = 10;
  Move single{.by = {}, .is_factor = move.is_factor};
  std::vector<std::size_t> order = by_distance(probe, at_hand, ridge, move);
  order.resize(std::min(order.size(), kMostTried));
  for (const std::size_t d : order) {
    single.by.assign(move.by.size(), 0.0);
    single.by[d] = move.by[d];
    if (likelihood_change(probe, 0, single).largest() > 0.0) break;
  }
  return single;
}

// True if the ridge is the cause of expensive draws: they move along it no better than along the worst
// parameter.
bool is_dear_along(const Case& at_hand, const Ridge& ridge, bool logarithms) {
  if (!is_dear(at_hand)) return false;
  std::vector<double> score(static_cast<std::size_t>(at_hand.num_total()), 0.0);
  for (std::size_t i = 0; i < ridge.columns.size(); ++i) {
    std::vector<double> values = at_hand.draws(ridge.columns[i]).values;
    if (logarithms)
      for (double& x : values) x = std::log(std::fabs(x) + 1e-300);
    values = centred(std::move(values));
    const double sd = std::sqrt(diagnose::variance(values));
    for (std::size_t s = 0; s < score.size(); ++s) score[s] += ridge.along[i] * values[s] / sd;
  }
  double fewest = kInfinity;
  for (const Index k : at_hand.sampled)
    fewest = std::fmin(fewest, at_hand.columns[static_cast<std::size_t>(k)].ess_bulk);
  return !(diagnose::ess_bulk({score, at_hand.num_draws, at_hand.num_chains}) > kAsDear * fewest);
}

bool data_say_nothing(const Case& at_hand, const Probe& probe, const Ridge& ridge, bool logarithms,
                      bool is_dear) {
  const Move move = move_along(probe, at_hand, ridge, logarithms);
  const Move one = alone(probe, at_hand, ridge, move);
  std::vector<double> even, odd, single;
  for (Index k = 0; k < kDraws; ++k) {
    const Index m = k * (probe.num_points() - 1) / (kDraws - 1);
    const Change together = likelihood_change(probe, m, move);
    even.push_back(together.even), odd.push_back(together.odd);
    single.push_back(likelihood_change(probe, m, one).largest());
  }
  // A direction that so few draws give is off by a part of each coordinate's width, and the slope
  // at a draw, one nat a width or so in each, is met along these.
  const double off =
      2.0 * static_cast<double>(probe.dimension()) / static_cast<double>(probe.num_points());
  const double other = is_dear ? kOtherInTrouble : kOtherLikelihood;
  return diagnose::quantile(even, 0.5) < kSameLikelihood + off &&
         diagnose::quantile(odd, 0.5) < kSameLikelihood + std::sqrt(2.0 * off) &&
         diagnose::quantile(single, 0.5) > other;
}

bool is_flat(const Case& at_hand, const Ridge& ridge, bool logarithms) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr)
    return ridge.ratio > kRatioAlone && (is_troubled(at_hand) || has_long_trajectories(at_hand));
  const bool dear = is_dear_along(at_hand, ridge, logarithms);
  return ridge.ratio > (dear ? kRatioInTrouble : kRatio) && probe->has_likelihood() &&
         data_say_nothing(at_hand, *probe, ridge, logarithms, dear);
}

constexpr const char* kTie =
    "Fix or remove one of them, tie them (a sum of zero, a product of one), or give "
    "them priors that mean something; report the combination.";

// True for a mean and the effects of a hierarchy.
bool is_of_a_hierarchy(const Case& at_hand, const Ridge& ridge) {
  const auto* program = at_hand.evidence.program.get();
  return program != nullptr &&
         std::any_of(ridge.columns.begin(), ridge.columns.end(), [&](Index k) {
           return has_distribution_of_parameters(*program, at_hand.variable_of(k).name);
         });
}

Level level_of_ridge(const Case& at_hand, const Ridge& ridge) {
  if (is_troubled(at_hand)) return Level::bad;
  return ridge.ratio > kRatio || breaks_off(at_hand) ? Level::warning : Level::note;
}

std::vector<Finding> along_a_ridge(const Case& at_hand) {
  for (const bool logarithms : {false, true}) {
    const auto ridge = ridge_of(at_hand, logarithms);
    if (!ridge || !is_flat(at_hand, *ridge, logarithms)) continue;
    if (is_of_a_hierarchy(at_hand, *ridge) && !is_troubled(at_hand)) continue;
    Finding finding{.id = "flat_direction", .level = level_of_ridge(at_hand, *ridge)};
    for (const Index k : ridge->columns)
      finding.parameters.push_back(at_hand.columns[static_cast<std::size_t>(k)].name);
    finding.place = at_hand.place_of(ridge->columns.front());
    finding.text = listed(finding.parameters) +
                   " are known only in combination: the draws lie on a "
                   "ridge " +
                   number(ridge->ratio) + " times as long as wide" +
                   (logarithms ? " (in their logarithms)" : "") +
                   ", along which the likelihood stays the same. Only the priors say where on it.";
    finding.remedy = kTie;
    return {finding};
  }
  return {};
}

// Draws that crossed all of it are right, and what doesn't depend on the turn can be used.
Level level_of_turn(const Case& at_hand) {
  constexpr double kMixed = 1.01, kEnough = 400.0;  // R-hat, effective draws [vehtari2021]
  const bool has_mixed = std::all_of(at_hand.sampled.begin(), at_hand.sampled.end(), [&](Index k) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    return !(column.r_hat > kMixed || column.ess_bulk < kEnough);
  });
  return has_mixed ? Level::note : is_troubled(at_hand) ? Level::bad : Level::warning;
}

std::vector<Finding> around_a_turn(const Case& at_hand) {
  const auto rotation = rotation_of(at_hand);
  if (!rotation) return {};
  return {{.id = "flat_direction",
           .level = level_of_turn(at_hand),
           .parameters = rotation->variables,
           .text = "The density is the same with the factors of " + listed(rotation->variables) +
                   " turned about the origin by any angle: no single element of them is known, "
                   "only what stays the same in a turn.",
           .remedy = "Fix the turn: zeros above the diagonal of the loadings and a positive "
                     "diagonal, or an order of the factors that the data determine; or report "
                     "only what doesn't depend on it, such as loadings times scores.",
           .place = at_hand.place_of(rotation->variables.front())}};
}

std::vector<Finding> tied(const Case& at_hand) {
  const auto tied = tied_of(at_hand);
  if (!tied) return {};
  return {{.id = "flat_direction",
           .level = is_troubled(at_hand) ? Level::warning : Level::note,
           .parameters = tied->variables,
           .text = listed(tied->variables) +
                   " are known only in combination: at every draw they can be moved together "
                   "without any change of what the data are expected to be. Only the priors say "
                   "how much each of them is.",
           .remedy = kTie,
           .place = at_hand.place_of(tied->variables.front())}};
}

std::vector<Finding> check(const Case& at_hand) {
  for (const auto& kind : {along_a_ridge, around_a_turn, tied}) {
    auto findings = kind(at_hand);
    if (!findings.empty()) return findings;
  }
  return {};
}
}  // namespace

const FindingSpec flat_direction{.id = "flat_direction",
                                 .title = "parameters that are known only in combination",
                                 .explains = {"not_mixed", "few_draws", "tree_depth", "divergences",
                                              "low_energy_exchange", "funnel"},
                                 .check = check};

}  // namespace credo::verdict::flat_direction_row
