// Modes that are one another with the elements of vectors exchanged, as the components of a mixture
// are. Two ways to see it:
//
// Draws. Sorted within each draw, the elements of the vector agree between chains (R-hat below
// 1.05), unsorted they don't (above 1.1).
//
// The density, where it can be asked. It is the same, to rounding, with elements i and j of one or
// several vectors of a length exchanged. Then both have one and the same distribution, and draws in which
// their means differ by more than six standard errors have seen a part of the posterior only, even
// if all chains agree.
#include "diagnose/convergence.hpp"
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::label_switching_row {
namespace {
constexpr double kAgree = 1.05, kDiffer = 1.1, kErrors = 6.0;
constexpr double kChance = 1e-4;  // probability that noise alone makes a vector's elements differ
constexpr double kSame = 1e-9;    // relative, of two log densities: their rounding
constexpr Index kMostElements = 30, kMostTogether = 6;
constexpr Index kDraws =
    12;  // bounds of its own may keep an element from its exchange in some draws

// Number of elements by the first index: numbers of a vector, rows of a matrix.
Index num_elements(const Variable& variable) {
  return variable.dims.empty() || variable.count == 0 ? 0 : variable.dims.front();
}

bool has_elements(const Case& at_hand, const Variable& variable) {
  const Index count = num_elements(variable);
  return variable.sampled && count >= 2 && count <= kMostElements &&
         !at_hand.columns[static_cast<std::size_t>(variable.first)].constant;
}

bool is_vector(const Case& at_hand, const Variable& variable) {
  return has_elements(at_hand, variable) && variable.dims.size() == 1;
}

double worst_r_hat(const density::Draws& draws) {
  double worst = 0.0;
  for (Index k = 0; k < draws.num_quantities(); ++k) {
    const double r_hat =
        diagnose::r_hat({draws.quantity(k), draws.num_draws(), draws.num_chains()});
    worst = std::max(worst, std::isnan(r_hat) ? 0.0 : r_hat);
  }
  return worst;
}

// Figures that the run's summary has aren't computed again.
double worst_known_r_hat(const Case& at_hand, const Variable& variable,
                         const density::Draws& draws) {
  double worst = 0.0;
  for (Index k = 0; k < draws.num_quantities(); ++k) {
    const double known = at_hand.columns[static_cast<std::size_t>(variable.first + k)].r_hat;
    worst = std::max(worst, std::isnan(known) ? worst_r_hat(draws.part(k, 1)) : known);
  }
  return worst;
}

double least_p_value(const density::Draws& draws) {
  double least = 1.0;
  for (Index k = 0; k < draws.num_quantities(); ++k)
    least = std::fmin(least,
                      mixing_p_value({draws.quantity(k), draws.num_draws(), draws.num_chains()}));
  return least;
}

density::Draws sorted_within(density::Draws draws) {
  std::vector<double> row(static_cast<std::size_t>(draws.num_quantities()));
  for (Index c = 0; c < draws.num_chains(); ++c)
    for (Index s = 0; s < draws.num_draws(); ++s) {
      draws.get(s, c, row);
      std::sort(row.begin(), row.end());
      draws.set(s, c, row);
    }
  return draws;
}

// How far the elements' means lie apart, in standard deviations.
double separation(const Case& at_hand, const Variable& variable) {
  double low = kInfinity, high = -kInfinity, sd = 0.0;
  // If chains exchanged labels, each chain alone separates them.
  const Index num = num_elements(variable);  // the first column of a matrix
  for (Index k = variable.first; k < variable.first + num; ++k) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    low = std::min(low, column.chain_mean[0]), high = std::max(high, column.chain_mean[0]);
    sd = std::max(sd, column.chain_sd[0]);
  }
  return (high - low) / sd;
}

// The one that tells labels apart best is first.
std::vector<std::string> names_of(const Case& at_hand, std::vector<const Variable*> which) {
  std::stable_sort(which.begin(), which.end(), [&](const Variable* a, const Variable* b) {
    return separation(at_hand, *a) > separation(at_hand, *b);
  });
  std::vector<std::string> names;
  for (const Variable* v : which) names.push_back(v->name);
  return names;
}

std::vector<std::string> by_sorting(const Case& at_hand) {
  std::vector<const Variable*> which;
  for (const Variable& variable : at_hand.evidence.variables) {
    if (!is_vector(at_hand, variable)) continue;
    const density::Draws draws = at_hand.evidence.draws->read(variable.first, variable.count);
    if (worst_known_r_hat(at_hand, variable, draws) > kDiffer &&
        worst_r_hat(sorted_within(draws)) < kAgree && least_p_value(draws) < kChance)
      which.push_back(&variable);
  }
  return names_of(at_hand, which);
}

// ---- by the density

// Elements i and j of each variable, along its first index, which varies fastest.
std::vector<double> exchanged(const Probe& probe, std::vector<double> row,
                              std::span<const Variable* const> which, std::size_t i,
                              std::size_t j) {
  for (const Variable* variable : which) {
    const std::span<double> values = probe.values_in(row, variable->name);
    const auto count = static_cast<std::size_t>(num_elements(*variable));
    for (std::size_t rest = 0; rest < values.size(); rest += count)
      std::swap(values[rest + i], values[rest + j]);
  }
  return row;
}

bool is_symmetric(const Probe& probe, std::span<const Variable* const> which, std::size_t i,
                  std::size_t j) {
  for (Index k = 0; k < kDraws; ++k) {
    const std::vector<double>& here = probe.row(k * (probe.num_points() - 1) / (kDraws - 1));
    const double before = probe.log_density_of_row(here);
    const double after = probe.log_density_of_row(exchanged(probe, here, which, i, j));
    if (!std::isfinite(before) || !(std::fabs(before - after) <= kSame * (1.0 + std::fabs(before))))
      return false;
  }
  return true;
}

using Pair = std::pair<std::size_t, std::size_t>;

// Elements that look most different, of one variable: in all draws, or, where chains disagree, in those
// of one chain, which should have seen as much of each as of the other.
std::optional<Pair> most_different(const Case& at_hand, const Variable& variable,
                                   bool in_one_chain) {
  const auto count = static_cast<std::size_t>(num_elements(variable));
  const std::size_t length = static_cast<std::size_t>(variable.count) / count;
  std::optional<Pair> pair;
  double furthest = kErrors;
  for (std::size_t rest = 0; rest < length; ++rest) {
    const auto column = [&](std::size_t k) -> const Column& {
      return at_hand.columns[static_cast<std::size_t>(variable.first) + k + count * rest];
    };
    const auto mean = [&](std::size_t k) {
      return in_one_chain ? column(k).chain_mean[0] : column(k).mean;
    };
    std::size_t low = 0, high = 0;
    for (std::size_t k = 1; k < count; ++k) {
      if (mean(k) < mean(low)) low = k;
      if (mean(k) > mean(high)) high = k;
    }
    if (low == high || (in_one_chain && !(column(high).r_hat > kDiffer))) continue;
    const auto error = [&](std::size_t k) {
      const diagnose::ChainsCopy all = at_hand.draws(column(k).index);
      const diagnose::Chains draws = all;
      return diagnose::mcse_mean(in_one_chain ? diagnose::Chains{draws.chain(0), draws.num_draws, 1}
                                              : draws);
    };
    const double errors = (mean(high) - mean(low)) / std::hypot(error(low), error(high));
    if (errors > furthest) furthest = errors, pair = {low, high};
  }
  return pair;
}

std::vector<std::string> by_density(const Case& at_hand, const Probe& probe) {
  std::map<Index, std::vector<const Variable*>> by_length;
  for (const Variable& variable : at_hand.evidence.variables)
    if (has_elements(at_hand, variable)) by_length[num_elements(variable)].push_back(&variable);
  for (const auto& [length, vectors] : by_length) {
    const auto most = std::min(vectors.size(), static_cast<std::size_t>(kMostTogether));
    for (const Variable* variable : vectors) {
      auto pair = most_different(at_hand, *variable, false);
      if (!pair) pair = most_different(at_hand, *variable, true);
      if (!pair) continue;
      for (std::size_t set = (std::size_t{1} << most) - 1; set > 0; --set) {
        std::vector<const Variable*> which;
        for (std::size_t v = 0; v < most; ++v)
          if ((set >> v & 1u) != 0) which.push_back(vectors[v]);
        const bool concerned = std::find(which.begin(), which.end(), variable) != which.end();
        if (!concerned || !is_symmetric(probe, which, pair->first, pair->second)) continue;
        return names_of(at_hand, which);
      }
    }
  }
  return {};
}

// The variables that must be exchanged with these for the density to stay the same; these alone
// where it isn't known.
std::vector<std::string> with_partners(const Case& at_hand, const Probe& probe,
                                       const std::vector<std::string>& names) {
  std::vector<const Variable*> same;
  const auto is_named = [&](const Variable& v) {
    return std::find(names.begin(), names.end(), v.name) != names.end();
  };
  const auto& all = at_hand.evidence.variables;
  const auto first = std::find_if(all.begin(), all.end(), is_named);
  for (const Variable& v : all)
    if (has_elements(at_hand, v) && num_elements(v) == num_elements(*first)) same.push_back(&v);
  const auto most = std::min(same.size(), static_cast<std::size_t>(kMostTogether));
  for (std::size_t set = (std::size_t{1} << most) - 1; set > 0; --set) {
    std::vector<const Variable*> which;
    for (std::size_t v = 0; v < most; ++v)
      if ((set >> v & 1u) != 0) which.push_back(same[v]);
    const bool concerned =
        std::any_of(which.begin(), which.end(), [&](const Variable* v) { return is_named(*v); });
    if (concerned && is_symmetric(probe, which, 0, 1)) return names_of(at_hand, which);
  }
  return names;
}

// The type that orders a vector and keeps its lower bound of 0.
std::string ordered_type(const Case& at_hand, const std::string& name) {
  const auto* program = at_hand.evidence.program.get();
  const auto* parameter = program == nullptr ? nullptr : program->find_parameter(name);
  const bool positive = parameter != nullptr && parameter->lower.is_stated;
  return positive ? "positive_ordered[K]" : "ordered[K]";
}

std::vector<Finding> check(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  std::vector<std::string> names;
  if (probe != nullptr) names = by_density(at_hand, *probe);
  const bool certain = !names.empty();
  if (names.empty()) {
    names = by_sorting(at_hand);
    if (probe != nullptr && !names.empty()) names = with_partners(at_hand, *probe, names);
  }
  if (names.empty()) return {};
  Finding finding{.id = "label_switching", .level = Level::bad, .parameters = names};
  finding.place = at_hand.place_of(names.front());
  finding.text =
      certain
          ? "Labels can be exchanged: the density is the same with elements of " + listed(names) +
                " exchanged, so every mode has a twin with other labels, and the draws have seen "
                "only some of them."
          : "Labels are exchanged between chains: sorted within each draw, the elements of " +
                listed(names) + " agree; as they are, they don't.";
  finding.text += " Means of single elements depend on where each chain happened to start.";
  finding.remedy = "Order one of them (" + ordered_type(at_hand, names.front()) + " " +
                   names.front() +
                   "), give the elements different priors, or look only at what doesn't depend on "
                   "the labels.";
  return {finding};
}
}  // namespace

const FindingSpec label_switching{
    .id = "label_switching",
    .title = "labels that can be exchanged",
    .explains = {"multimodal", "not_mixed", "few_draws", "divergences", "low_energy_exchange",
                 "tree_depth", "stuck_chain", "funnel", "flat_direction"},
    .check = check};

}  // namespace credo::verdict::label_switching_row
