#include "cli/chain/chain_report.hpp"

#include <fmt/format.h>

namespace credo::cli {
namespace {
using namespace infer::finite;

constexpr Index kMaxRows = 25;  // rows of tables

std::string row(std::string_view name, std::string_view value) {
  return fmt::format("{:<22}{}\n", name, value);
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

std::string state_list(const FiniteChain& chain, std::span<const Index> states) {
  constexpr Index kMaxNames = 12;
  std::string text;
  for (Index k = 0; k < std::min(ssize(states), kMaxNames); ++k)
    text += (k > 0 ? ", " : "") + chain.name(states[k]);
  if (ssize(states) > kMaxNames) text += fmt::format(" and {} more", ssize(states) - kMaxNames);
  return text;
}

// Names of the states of the closed class, by their place in it.
std::vector<Index> places_in_chain(const Speed& speed, std::span<const Index> part) {
  std::vector<Index> states;
  for (const Index k : part) states.push_back(speed.states[k]);
  return states;
}

std::string eigenvalue(const std::complex<double>& value) {
  if (value.imag() == 0.0) return number(value.real());
  return fmt::format("{:.6g}{:+.6g}i", value.real(), value.imag());
}

std::string yes_no(bool holds, const std::string& otherwise) {
  return holds ? "yes" : "no: " + otherwise;
}

std::string structure_text(const ChainReport& report) {
  const Structure& structure = report.analysis.structure;
  std::string text = row("states", std::to_string(report.chain.num_states()));
  text += row("irreducible", yes_no(structure.irreducible(),
                                    fmt::format("{} classes of states, {} of them closed",
                                                structure.classes.size(), structure.num_closed())));
  Index period = 0;
  for (const CommunicatingClass& one : structure.classes)
    if (one.closed) period = std::max(period, one.period);
  text += row("aperiodic", yes_no(period <= 1, fmt::format("period {}", period)));
  if (structure.irreducible()) return text;
  Index shown = 0;
  for (const CommunicatingClass& one : structure.classes) {
    if (++shown > kMaxRows) break;
    text += row(one.closed ? "  closed class" : "  transient class",
                state_list(report.chain, one.states));
  }
  return text;
}

std::string spectrum_text(const Spectrum& spectrum) {
  constexpr std::size_t kShown = 6;
  std::string list;
  for (std::size_t k = 0; k < std::min(kShown, spectrum.values.size()); ++k)
    list += (k > 0 ? ", " : "") + eigenvalue(spectrum.values[k]);
  if (spectrum.values.size() > kShown) list += ", ...";
  return row("eigenvalues", list) + row("spectral gap", number(spectrum.gap())) +
         row("absolute gap", number(spectrum.absolute_gap())) +
         row("relaxation time", number(spectrum.relaxation_time()));
}

std::string bottleneck_text(const ChainReport& report, const Speed& speed) {
  const Bottleneck& cut = speed.bottleneck;
  if (speed.states.size() < 2) return {};
  std::string value = number(cut.conductance);
  if (!cut.exact) value = fmt::format("between {:.6g} and {:.6g}", cut.lower, cut.conductance);
  return row("conductance", value) +
         row("  narrowest set",
             fmt::format("{} (probability {:.6g})",
                         state_list(report.chain, places_in_chain(speed, cut.side)),
                         cut.side_probability));
}

std::string speed_text(const ChainReport& report) {
  const Analysis& analysis = report.analysis;
  if (!analysis.speed) return {};
  const Speed& speed = *analysis.speed;
  std::string text = row("reversible", yes_no(analysis.reversible,
                                              fmt::format("the flows {0} -> {1} and {1} -> {0} "
                                                          "differ by {2:.3g} of the larger",
                                                          report.chain.name(analysis.balance.from),
                                                          report.chain.name(analysis.balance.to),
                                                          analysis.balance.relative)));
  text += spectrum_text(speed.spectrum);
  const std::string name = fmt::format("mixing time to {:g}", report.options.epsilon);
  text += row(name, analysis.mixing_time ? std::to_string(*analysis.mixing_time) : "infinite");
  text += row("  bounds by the gap",
              fmt::format("{:.6g} to {:.6g}", speed.bounds.lower, speed.bounds.upper));
  text += bottleneck_text(report, speed) + row("Kemeny's constant", number(speed.kemeny));
  if (!std::isnan(speed.worst_tau)) text += row("worst autocorr. time", number(speed.worst_tau));
  if (analysis.tau) {
    text += row("function", fmt::format("mean {:.6g}, autocorrelation time {:.6g}",
                                        analysis.function_mean, *analysis.tau));
  }
  return text;
}

std::string distances_text(const ChainReport& report) {
  if (report.analysis.distances.size() < 2) return {};
  std::string text =
      "\ndistance to the stationary distribution (total variation, from the worst start)\n";
  text += fmt::format("{:>14}{:>14}  {}\n", "steps", "distance", "start");
  for (const DistanceAt& at : report.analysis.distances) {
    text += fmt::format("{:>14}{:>14.6g}  {}\n", at.time, at.worst.distance,
                        report.chain.name(at.worst.start));
  }
  return text;
}

// The most probable states, by their place in the chain.
std::vector<Index> shown_states(const ChainReport& report) {
  std::vector<Index> states(static_cast<std::size_t>(report.chain.num_states()));
  std::iota(states.begin(), states.end(), Index{0});
  if (ssize(states) <= kMaxRows) return states;
  const std::vector<double>& distribution = report.analysis.distributions[0];
  std::stable_sort(states.begin(), states.end(),
                   [&](Index a, Index b) { return distribution[a] > distribution[b]; });
  states.resize(kMaxRows);
  std::sort(states.begin(), states.end());
  return states;
}

struct Column {
  std::string head;
  std::vector<double> values;
};

std::string distributions_text(const ChainReport& report) {
  std::vector<Column> columns;
  const auto& distributions = report.analysis.distributions;
  for (std::size_t k = 0; k < std::min<std::size_t>(distributions.size(), 5); ++k)
    columns.push_back(
        {distributions.size() == 1 ? "stationary" : fmt::format("stationary {}", k + 1),
         distributions[k]});
  if (!report.options.target.empty())
    columns.push_back({"target", distribution_from_weights(report.options.target)});
  if (!report.distribution_after.empty())
    columns.push_back({fmt::format("after {}", report.num_steps), report.distribution_after});
  if (report.limit && report.limit->distribution)
    columns.push_back({"limit", *report.limit->distribution});
  std::string text = fmt::format("\n{:<20}", "state");
  for (const Column& column : columns) text += fmt::format("{:>16}", column.head);
  text += "\n";
  for (const Index x : shown_states(report)) {
    text += fmt::format("{:<20}", report.chain.name(x));
    for (const Column& column : columns) text += fmt::format("{:>16.6g}", column.values[x]);
    text += "\n";
  }
  if (report.chain.num_states() > kMaxRows)
    text += fmt::format("the {} most probable states; --json has all\n", kMaxRows);
  return text;
}

std::string start_text(const ChainReport& report) {
  std::string text;
  if (report.limit) text += limit_text(report.chain, report.analysis.structure, *report.limit);
  if (report.coupling) text += coupling_text(report.chain, *report.coupling);
  return text;
}

std::string matrix_text(const ChainReport& report) {
  if (!report.show_matrix) return {};
  std::string text = "\ntransition matrix\n";
  for (Index x = 0; x < report.chain.num_states(); ++x) {
    for (Index y = 0; y < report.chain.num_states(); ++y)
      text += fmt::format("{}{:.6g}", y > 0 ? ", " : "", report.chain(x, y));
    text += "\n";
  }
  return text;
}

// ---- in plain words ----

std::string convergence_words(const ChainReport& report) {
  const Analysis& analysis = report.analysis;
  if (analysis.distributions.size() > 1) {
    return fmt::format(
        "The chain falls into {} closed classes that don't reach each other: where it starts "
        "decides "
        "where it ends, and no stationary distribution is the only one. Join them by a move "
        "between them.\n",
        analysis.distributions.size());
  }
  if (!analysis.converges) {
    return "The chain has one stationary distribution, but returns come at multiples of its period "
           "only: "
           "the "
           "distribution after n steps has no limit. Averages converge all the same. A small "
           "probability of "
           "staying (\"lazy\": 0.1) gives it a limit.\n";
  }
  std::string text = "From every start the chain converges to its one stationary distribution";
  if (analysis.mixing_time) {
    text += fmt::format("; after {} step{} it is within {:g} of it", *analysis.mixing_time,
                        *analysis.mixing_time == 1 ? "" : "s", report.options.epsilon);
    if (*analysis.mixing_time > 1)
      text += fmt::format(" (slowest from {})", report.chain.name(analysis.slowest_start));
  }
  return text + ".\n";
}

std::string target_words(const ChainReport& report) {
  if (!report.analysis.verdict) return {};
  const Verdict& verdict = *report.analysis.verdict;
  if (verdict.leaves_target && report.analysis.distributions.size() == 1)
    return "It leaves the target invariant: its averages are those of the target.\n";
  if (verdict.leaves_target) return "It leaves the target invariant.\n";
  return fmt::format(
      "It does NOT leave the target invariant: one step changes the probability of state {} by "
      "{:.3g} "
      "of itself. A Metropolis-Hastings kernel accepts with target(y) q(y, x) / (target(x) q(x, "
      "y)).\n",
      report.chain.name(verdict.invariance.state), verdict.invariance.relative);
}

// ---- JSON ----

std::vector<std::string> state_names(const FiniteChain& chain, std::span<const Index> states) {
  std::vector<std::string> names;
  for (const Index x : states) names.push_back(chain.name(x));
  return names;
}

void add_classes(results::ArrayList& answer, const ChainReport& report) {
  const Structure& structure = report.analysis.structure;
  answer.set("irreducible", structure.irreducible());
  auto add = answer.add_rows("classes", structure.classes).columns(structure.classes);
  add("closed", &CommunicatingClass::closed), add("period", &CommunicatingClass::period);
  answer.add_lists("classes", "states",
                   results::elements_within(structure.classes, [&](const CommunicatingClass& one) {
                     return state_names(report.chain, one.states);
                   }));
}

void add_speed(results::ArrayList& answer, const ChainReport& report) {
  const Analysis& analysis = report.analysis;
  const Speed& speed = *analysis.speed;
  const Bottleneck& cut = speed.bottleneck;
  answer.set("mixing_time", analysis.mixing_time.value_or(0), {},
             analysis.mixing_time ? results::Missing::shown : results::Missing::null);
  answer.set_all("reversible", analysis.reversible, "balance_error", analysis.balance.relative,
                 "gap", speed.spectrum.gap(), "absolute_gap", speed.spectrum.absolute_gap(),
                 "relaxation_time", speed.spectrum.relaxation_time(), "epsilon",
                 report.options.epsilon, "conductance.value", cut.conductance, "conductance.exact",
                 cut.exact, "conductance.lower", cut.lower, "kemeny_constant", speed.kemeny,
                 "worst_autocorrelation_time", speed.worst_tau);
  if (analysis.tau)
    answer.set_all("function.mean", analysis.function_mean, "function.autocorrelation_time",
                   *analysis.tau);
  std::vector<std::vector<double>> values;
  for (const auto& value : speed.spectrum.values) values.push_back({value.real(), value.imag()});
  add_list(answer, "eigenvalues", {"eigenvalue", "part"}, values);
  add_list(answer, "mixing_bounds", "bound", {speed.bounds.lower, speed.bounds.upper});
  add_list(answer, "conductance.set", "place",
           state_names(report.chain, places_in_chain(speed, cut.side)));
}

void add_target(results::ArrayList& answer, const ChainReport& report) {
  const Verdict& verdict = *report.analysis.verdict;
  answer.set_all("target.invariant", verdict.leaves_target, "target.invariance_error",
                 verdict.invariance.relative, "target.worst_state",
                 report.chain.name(verdict.invariance.state), "target.detailed_balance",
                 verdict.reversible, "target.balance_error", verdict.balance.relative);
}

void add_distances(results::ArrayList& answer, const ChainReport& report) {
  const std::vector<DistanceAt>& all = report.analysis.distances;
  auto add = answer.add_rows("distances", all).columns(all);
  add("steps", &DistanceAt::time);
  add("distance", [](const DistanceAt& at) { return at.worst.distance; });
  add("start", [&](const DistanceAt& at) { return report.chain.name(at.worst.start); });
}
}  // namespace

bool is_good(const Analysis& analysis) {
  return analysis.converges && (!analysis.verdict || analysis.verdict->leaves_target);
}

std::string chain_text(const ChainReport& report) {
  return structure_text(report) + speed_text(report) + distances_text(report) + start_text(report) +
         distributions_text(report) + matrix_text(report) + "\n" + convergence_words(report) +
         target_words(report);
}

std::string chain_json(const ChainReport& report) {
  results::ArrayList answer;
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  for (Index x = 0; x < report.chain.num_states(); ++x) {
    const std::span<const double> row = report.chain.row(x);
    names.push_back(report.chain.name(x)), rows.emplace_back(row.begin(), row.end());
  }
  add_list(answer, "states", "state", names);
  add_classes(answer, report);
  add_list(answer, "stationary_laws", {"class", "state"}, report.analysis.distributions);
  answer.set("converges", report.analysis.converges);
  if (report.analysis.speed) add_speed(answer, report);
  add_distances(answer, report);
  if (!report.distribution_after.empty())
    add_list(answer, "law_after", "state", report.distribution_after);
  if (report.limit) add_limit(answer, report.chain, *report.limit);
  if (report.coupling) add_coupling(answer, report.chain, *report.coupling);
  if (report.analysis.verdict) add_target(answer, report);
  if (report.show_matrix) add_list(answer, "matrix", {"from", "to"}, rows);
  answer.set("good", is_good(report.analysis));
  return answer_json(answer);
}

}  // namespace credo::cli
