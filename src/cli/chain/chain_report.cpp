#include "cli/chain/chain_report.hpp"

#include <fmt/format.h>

#include "io/json_writer.hpp"

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

void write_distribution(io::JsonWriter& json, std::string_view key,
                        std::span<const double> distribution) {
  json.key(key).numbers(distribution);
}

void write_names(io::JsonWriter& json, const FiniteChain& chain, std::span<const Index> states) {
  json.begin_array();
  for (const Index x : states) json.string(chain.name(x));
  json.end_array();
}

void write_structure(io::JsonWriter& json, const ChainReport& report) {
  const Structure& structure = report.analysis.structure;
  json.key("irreducible").boolean(structure.irreducible());
  json.key("classes").begin_array();
  for (const CommunicatingClass& one : structure.classes) {
    json.begin_object().key("closed").boolean(one.closed).key("period").integer(one.period);
    json.key("states");
    write_names(json, report.chain, one.states);
    json.end_object();
  }
  json.end_array();
}

void write_spectrum(io::JsonWriter& json, const Spectrum& spectrum) {
  json.key("eigenvalues").begin_array();
  for (const auto& value : spectrum.values) json.numbers(std::array{value.real(), value.imag()});
  json.end_array();
  json.key("gap").number(spectrum.gap()).key("absolute_gap").number(spectrum.absolute_gap());
  json.key("relaxation_time").number(spectrum.relaxation_time());
}

void write_speed(io::JsonWriter& json, const ChainReport& report) {
  const Analysis& analysis = report.analysis;
  const Speed& speed = *analysis.speed;
  json.key("reversible").boolean(analysis.reversible);
  json.key("balance_error").number(analysis.balance.relative);
  write_spectrum(json, speed.spectrum);
  json.key("epsilon").number(report.options.epsilon).key("mixing_time");
  analysis.mixing_time ? json.integer(*analysis.mixing_time) : json.null();
  json.key("mixing_bounds").numbers(std::array{speed.bounds.lower, speed.bounds.upper});
  json.key("conductance").begin_object().key("value").number(speed.bottleneck.conductance);
  json.key("exact").boolean(speed.bottleneck.exact).key("lower").number(speed.bottleneck.lower);
  json.key("set");
  write_names(json, report.chain, places_in_chain(speed, speed.bottleneck.side));
  json.end_object().key("kemeny_constant").number(speed.kemeny);
  json.key("worst_autocorrelation_time").number(speed.worst_tau);
  if (analysis.tau) {
    json.key("function").begin_object().key("mean").number(analysis.function_mean);
    json.key("autocorrelation_time").number(*analysis.tau).end_object();
  }
}

void write_distances(io::JsonWriter& json, const ChainReport& report) {
  json.key("distances").begin_array();
  for (const DistanceAt& at : report.analysis.distances) {
    json.begin_object().key("steps").integer(at.time).key("distance").number(at.worst.distance);
    json.key("start").string(report.chain.name(at.worst.start)).end_object();
  }
  json.end_array();
}

void write_verdict(io::JsonWriter& json, const ChainReport& report) {
  const Verdict& verdict = *report.analysis.verdict;
  json.key("target").begin_object().key("invariant").boolean(verdict.leaves_target);
  json.key("invariance_error").number(verdict.invariance.relative);
  json.key("worst_state").string(report.chain.name(verdict.invariance.state));
  json.key("detailed_balance").boolean(verdict.reversible);
  json.key("balance_error").number(verdict.balance.relative).end_object();
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
  io::JsonWriter json;
  json.begin_object().key("states").begin_array();
  for (Index x = 0; x < report.chain.num_states(); ++x) json.string(report.chain.name(x));
  json.end_array();
  write_structure(json, report);
  json.key("stationary_laws").begin_array();
  for (const auto& distribution : report.analysis.distributions) json.numbers(distribution);
  json.end_array().key("converges").boolean(report.analysis.converges);
  if (report.analysis.speed) write_speed(json, report);
  write_distances(json, report);
  if (!report.distribution_after.empty())
    write_distribution(json, "law_after", report.distribution_after);
  if (report.limit) write_limit(json, report.chain, *report.limit);
  if (report.coupling) write_coupling(json, report.chain, *report.coupling);
  if (report.analysis.verdict) write_verdict(json, report);
  if (report.show_matrix) {
    json.key("matrix").begin_array();
    for (Index x = 0; x < report.chain.num_states(); ++x) json.numbers(report.chain.row(x));
    json.end_array();
  }
  json.key("good").boolean(is_good(report.analysis)).end_object();
  return json.text() + "\n";
}

}  // namespace credo::cli
