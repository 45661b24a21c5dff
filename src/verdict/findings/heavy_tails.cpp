// Tails so heavy that means don't exist. Three kinds of evidence:
//
// The density, if it is known: the order of a coordinate's tail is exact. Below 1 / 0.7 the mean of draws doesn't
// converge in any feasible number of draws [vehtari2024]. The conditional tail bounds the marginal one from below,
// and so does the tail of a scale with all locations growing together. Tails that the likelihood reduces to less than
// e^-50 don't count (kUnseenWeight). The tail of a proper prior that the program states is intended by its author, so
// that it is only a doubt. A scale with such a prior that no statement on data reads, as the local ones of a
// horseshoe, is a note: the scaled parameter has a mean, and only the scale's own mean is useless. Without any data
// the scale itself is of interest.
//
// A scale: a positive parameter whose draws have a tail index k above 0.7.
//
// Any output, by the tail index of its draws. For 190 draws in a tail with k = 1 the standard error is 0.15, with k =
// 1/3 it is 0.10, so that 0.7 is two and four standard errors away.
//
// The first two come before a funnel, because a scale without a prior makes others' tails heavy. The last one comes
// after it, because a funnel's wide end looks like a heavy tail.
#include "diagnose/tail_index.hpp"
#include "verdict/findings.hpp"
#include "verdict/located.hpp"
#include "verdict/mass_gaps.hpp"
#include "verdict/tied.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::heavy_tails_row {
namespace {
constexpr double kOrder = 1.0 / 0.7, kIndex = 0.7;
// Thousands of draws with such a tail have a range above 20 standard deviations, normal
// ones 8: not worth asking below this.
constexpr double kRange = 10.0;
constexpr Index kFewestDraws = 400;
constexpr double kOuterIndex = 0.5;  // 63 draws with k = 1: two standard errors below it
constexpr std::size_t kShortestOuter = 20;
constexpr double kMissingSpread = 4.5;  // standard errors
constexpr double kBreaksOff = 0.02;     // of the transitions

struct Heavy {
  std::vector<std::string> names = {};
  double order = kInfinity;  // the least: moments of this order don't exist
};

double visible_order(const TailOrder& order, Reach reach) {
  const bool below = reach == Reach::linear && order.lower_weight > kUnseenWeight;
  const bool above = order.upper_weight > kUnseenWeight;
  return std::min(below ? order.lower : kInfinity, above ? order.upper : kInfinity);
}

Heavy by_density(const Case& at_hand, const Probe& probe) {
  Heavy heavy;
  const std::vector<TailOrder>& orders = at_hand.tail_orders();
  for (std::size_t d = 0; d < orders.size(); ++d) {
    const double order = visible_order(orders[d], probe.reach(static_cast<Index>(d)));
    if (!(order < kOrder)) continue;
    heavy.names.push_back(probe.names()[d]);
    heavy.order = std::min(heavy.order, order);
  }
  if (!heavy.names.empty()) return heavy;
  const Dilation dilation = at_hand.heaviest_dilation();
  if (!(dilation.order < kOrder)) return heavy;
  heavy.order = dilation.order;
  heavy.names.push_back(probe.names()[static_cast<std::size_t>(dilation.scale)]);
  for (const Index d : dilation.along)
    heavy.names.push_back(probe.names()[static_cast<std::size_t>(d)]);
  return heavy;
}

// Declared with a lower and an upper bound, or a type whose values are: no tails.
bool is_bounded(const Case& at_hand, const Column& column) {
  using density::ConstraintKind;
  const auto* program = at_hand.evidence.program.get();
  const auto* output =
      program == nullptr ? nullptr : program->find_output(at_hand.variable_of(column.index).name);
  if (output == nullptr) return false;
  if (output->has_bounds()) return output->lower.is_stated && output->upper.is_stated;
  return output->constraint == ConstraintKind::simplex ||
         output->constraint == ConstraintKind::unit_vector ||
         output->constraint == ConstraintKind::cholesky_factor_corr;
}

// The index of the outer third of its heavier tail, as long as independent draws have it. A power
// distribution has the same one all the way out; a wide heap around a narrow one looks like a heavy tail
// where the two meet, and ends further out.
double outer_index(const diagnose::Chains& draws) {
  const diagnose::TailIndex whole = diagnose::tail_index(draws);
  const bool is_upper = whole.largest() == whole.upper;
  std::vector<double> sorted = diagnose::sorted_values(draws);
  if (!is_upper) {
    std::reverse(sorted.begin(), sorted.end());
    for (double& x : sorted) x = -x;
  }
  const double n = static_cast<double>(sorted.size());
  const auto size = static_cast<std::size_t>(
      std::min(static_cast<double>(diagnose::tail_size(draws)) / 3.0, std::sqrt(n)));
  if (size < kShortestOuter) return kInfinity;
  const double threshold = sorted[sorted.size() - size - 1];
  std::vector<double> excesses(sorted.end() - static_cast<std::ptrdiff_t>(size), sorted.end());
  for (double& x : excesses) x -= threshold;
  return excesses.front() > 0.0 ? diagnose::pareto_shape(excesses) : kInfinity;
}

// Draws of a run whose trajectories break off are not those of the posterior, in its tails least of
// all.
bool breaks_off(const Case& at_hand) {
  return static_cast<double>(num_marked(at_hand.statistic("divergent"))) >
         kBreaksOff * static_cast<double>(at_hand.num_total());
}

// False for columns whose tails needn't be examined.
bool may_be_heavy(const Case& at_hand, const Column& column) {
  return !column.constant && at_hand.num_total() >= kFewestDraws &&
         column.highest - column.lowest >= kRange * column.sd && !is_bounded(at_hand, column) &&
         !breaks_off(at_hand);
}

// True if many draws share one value: a tail index measured from within them means nothing.
bool has_spike(const diagnose::Chains& draws) {
  constexpr double kShare = 0.05;
  const std::vector<double> values = diagnose::sorted_values(draws);
  Index longest = 0, run = 0;
  for (std::size_t s = 0; s < values.size(); ++s) {
    run = s > 0 && values[s] == values[s - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return static_cast<double>(longest) > kShare * static_cast<double>(values.size());
}

// Adds those of the columns that have heavy tails by their draws.
void add_by_draws(const Case& at_hand, std::span<const Index> columns, Heavy& heavy,
                  bool may_have_spikes = false) {
  std::vector<double> indices(columns.size(), 0.0);
  at_hand.each_column(columns, [&](std::size_t at, const diagnose::Chains& draws) {
    if (may_have_spikes && has_spike(draws)) return;
    const double k = diagnose::tail_index(draws).largest();
    if (k > kIndex && outer_index(draws) > kOuterIndex) indices[at] = k;
  });
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (indices[at] == 0.0) continue;
    heavy.names.push_back(at_hand.columns[static_cast<std::size_t>(columns[at])].name);
    heavy.order = std::min(heavy.order, 1.0 / indices[at]);
  }
}

bool is_of_data(const density::ProgramFacts& program, const density::StatedArgument& argument) {
  return std::any_of(argument.mentions.begin(), argument.mentions.end(), [&](Index v) {
    return program.variables[static_cast<std::size_t>(v)].block == density::Block::unknown;
  });
}

// Level of the finding that this parameter has no mean.
Level level_of(const Case& at_hand, std::string_view name) {
  const auto* program = at_hand.evidence.program.get();
  const std::string_view base = name.substr(0, name.find('.'));
  const auto* parameter = program == nullptr ? nullptr : program->find_parameter(base);
  if (parameter == nullptr) return Level::bad;
  const Index here = parameter - program->variables.data();
  const auto states_prior = [&](const density::StatedDensity& use) {
    return use.arguments.front().variable == here &&
           !has_distribution_of_parameters(*program, base);
  };
  const auto reads_it_for_data = [&](const density::StatedDensity& use) {
    return is_of_data(*program, use.arguments.front()) &&
           std::any_of(use.arguments.begin(), use.arguments.end(),
                       [&](const auto& argument) { return argument.reads(here); });
  };
  const auto& uses = program->densities;
  if (std::none_of(uses.begin(), uses.end(), states_prior)) return Level::bad;
  const bool is_scale = parameter->has_bounds() && parameter->lower.at == 0.0;
  const bool has_data = std::any_of(uses.begin(), uses.end(), [&](const auto& use) {
    return is_of_data(*program, use.arguments.front());
  });
  return is_scale && has_data && std::none_of(uses.begin(), uses.end(), reads_it_for_data)
             ? Level::note
             : Level::warning;
}

Level level_of(const Case& at_hand, const Heavy& heavy) {
  Level worst = Level::note;
  for (const std::string& name : heavy.names) worst = std::max(worst, level_of(at_hand, name));
  return heavy.order < 1.25 ? worst : std::min(worst, Level::warning);
}

std::vector<Finding> finding_of(const Case& at_hand, const Heavy& heavy) {
  if (heavy.names.empty()) return {};
  const bool no_mean = heavy.order < 1.25;
  return {{.id = "heavy_tails",
           .level = level_of(at_hand, heavy),
           .parameters = heavy.names,
           .text = "The tails of " + listed(heavy.names) + " fall only like a power (about x^-" +
                   number(heavy.order + 1.0) + "): " +
                   (no_mean ? "they have hardly a mean, and averages of draws never settle."
                            : "they have no variance, and averages of draws settle very slowly."),
           .remedy =
               "Report quantiles, not means; if it is a parameter, a prior with lighter tails "
               "(normal, exponential, student_t with 3 or more degrees of freedom) may be the form "
               "that "
               "is meant.",
           .place = at_hand.place_of(heavy.names.front())}};
}

std::vector<Finding> check_scales(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  Heavy heavy;
  if (probe != nullptr) heavy = by_density(at_hand, *probe);
  if (!heavy.names.empty()) return finding_of(at_hand, heavy);
  std::vector<Index> scales;
  for (const Index k : at_hand.sampled) {
    const Column& column = at_hand.columns[static_cast<std::size_t>(k)];
    if (column.lowest > 0.0 && at_hand.variable_of(k).count == 1 && may_be_heavy(at_hand, column))
      scales.push_back(k);
  }
  add_by_draws(at_hand, scales, heavy);
  return finding_of(at_hand, heavy);
}

// The distribution is known by integration, and has mass far out that decides on its standard deviation and
// that no draw has met: no number of draws shows a part that isn't in them.
std::vector<Finding> by_integration(const Case& at_hand) {
  for (const MassCheck& check : at_hand.mass_checks()) {
    if (check.gap) return {};  // a region that the draws miss is another finding
    if (!(check.missing_spread > kMissingSpread)) continue;
    const Column& column = at_hand.columns[static_cast<std::size_t>(check.column)];
    if (level_of(at_hand, column.name) == Level::note) continue;
    return {
        {.id = "heavy_tails",
         .level = Level::warning,
         .parameters = {column.name},
         .text = "The standard deviation of " + column.name +
                 " rests on a few draws far out: by integrating the density it is " +
                 number(check.sd_by_density) + ", by the draws " + number(column.sd) + ", " +
                 number(check.missing_spread) +
                 " of its reported errors less. Mean and standard deviation settle very slowly.",
         .remedy = "Report quantiles, or the mean and standard deviation of the logarithm, not "
                   "those of " +
                   column.name + "; a prior with lighter tails has such figures.",
         .place = at_hand.place_of(check.column)}};
  }
  return {};
}

std::vector<Finding> check_outputs(const Case& at_hand) {
  Heavy heavy;
  std::vector<Index> own, computed;
  for (const Column& column : at_hand.columns)
    if (column.sampled && may_be_heavy(at_hand, column) &&
        level_of(at_hand, column.name) != Level::note)
      own.push_back(column.index);
  add_by_draws(at_hand, own, heavy);
  std::vector<Finding> findings = finding_of(at_hand, heavy);
  if (!findings.empty()) {
    findings[0].level = Level::warning;
    return findings;
  }
  findings = by_integration(at_hand);
  if (!findings.empty()) return findings;
  // Outputs that are computed from parameters may have any tails; still, their mean is of no use.
  for (const Column& column : at_hand.columns)
    if (!column.sampled && may_be_heavy(at_hand, column)) computed.push_back(column.index);
  add_by_draws(at_hand, computed, heavy, true);
  findings = finding_of(at_hand, heavy);
  if (!findings.empty()) findings[0].level = Level::note;
  return findings;
}

constexpr const char* kTitle = "tails without a mean";
}  // namespace

const FindingSpec heavy_scales{.id = "heavy_tails",
                               .title = kTitle,
                               .explains = {"heavy_tails", "funnel", "low_energy_exchange",
                                            "tree_depth", "few_draws", "not_mixed", "divergences"},
                               .check = check_scales};
const FindingSpec heavy_tails{
    .id = "heavy_tails",
    .title = kTitle,
    .explains = {"low_energy_exchange", "tree_depth", "few_draws", "not_mixed"},
    .check = check_outputs};

}  // namespace credo::verdict::heavy_tails_row
