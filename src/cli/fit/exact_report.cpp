#include "cli/fit/exact_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace credo::cli {
namespace {
using results::ExactRun;
constexpr std::size_t kMostParameters = 60, kMostColumns = 6;

std::string parameter_name(const ExactRun& run, std::size_t m) { return run.names.title(m); }

std::size_t name_width(const ExactRun& run) {
  std::size_t width = 9;
  for (std::size_t m = 0; m < std::min(kMostParameters, run.marginals.size()); ++m)
    width = std::max(width, parameter_name(run, m).size());
  return width;
}

std::string sums_text(const ExactRun& run, const std::string& sum_is) {
  std::string text = fmt::format("{}: {:.6f}, over all configurations{}\n", sum_is, run.log_sum,
                                 std::isnan(run.log_given) ? "" : " with the given values");
  if (!std::isnan(run.log_given))
    text += fmt::format("log probability of the given values: {:.6f} (probability {:.6g})\n",
                        run.log_given, std::exp(run.log_given));
  if (run.most_probable.empty()) return text;
  return text + fmt::format("the most probable configuration has probability {:.6g}\n",
                            std::exp(run.log_most_probable - run.log_sum));
}

// Lines of nodes with named states.
std::string states_text(const ExactRun& run) {
  const std::size_t width = name_width(run);
  std::size_t states_width = 13;
  const auto most_probable = [&](std::size_t m) -> std::string {
    if (run.most_probable.empty()) return {};
    return fmt::format("{}{}", run.names.state(m, run.most_probable[m] - run.names.lower[m]),
                       run.names.given[m] < 0 ? "" : " (given)");
  };
  const std::size_t shown = std::min(kMostParameters, run.marginals.size());
  for (std::size_t m = 0; m < shown; ++m)
    states_width = std::max(states_width, most_probable(m).size());
  const char* title = run.most_probable.empty() ? "" : "most probable";
  if (run.most_probable.empty()) states_width = 0;
  std::string text =
      fmt::format("\n{:<{}}  {:<{}}  probabilities\n", "", width, title, states_width);
  for (std::size_t m = 0; m < shown; ++m) {
    text += fmt::format("{:<{}}  {:<{}}", parameter_name(run, m), width, most_probable(m),
                        states_width);
    for (std::size_t k = 0; k < run.marginals[m].size(); ++k)
      text += fmt::format("  {} {:.6f}", run.names.state(m, static_cast<std::int32_t>(k)),
                          run.marginals[m][k]);
    text += "\n";
  }
  return text;
}

// The values that most parameters have are columns; wider ranges show the most probable values only.
std::string marginals_text(const ExactRun& run) {
  if (!run.names.states.empty()) return states_text(run);
  const std::int32_t lower = *std::min_element(run.names.lower.begin(), run.names.lower.end());
  const std::int32_t upper = *std::max_element(run.names.upper.begin(), run.names.upper.end());
  const bool columns = static_cast<std::size_t>(upper - lower) < kMostColumns;
  const std::size_t width = name_width(run);
  std::string text = fmt::format("\n{:<{}} {:>13}", "", width, "most probable");
  for (std::int32_t k = lower; columns && k <= upper; ++k)
    text += fmt::format(" {:>9}", fmt::format("P({})", k));
  text += columns ? "\n" : "  most probable values by themselves\n";
  for (std::size_t m = 0; m < std::min(kMostParameters, run.marginals.size()); ++m) {
    const std::vector<double>& p = run.marginals[m];
    text += fmt::format(
        "{:<{}} {:>13}", parameter_name(run, m), width,
        fmt::format("{}{}", run.most_probable[m], run.names.given[m] < 0 ? "" : " (given)"));
    if (columns) {
      for (std::int32_t k = lower; k <= upper; ++k)
        text += k < run.names.lower[m] || k > run.names.upper[m]
                    ? fmt::format(" {:>9}", "-")
                    : fmt::format(" {:>9.6f}", p[static_cast<std::size_t>(k - run.names.lower[m])]);
    } else {
      std::vector<std::size_t> order(p.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] > p[b]; });
      for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i)
        text += fmt::format("  {}: {:.4f}",
                            run.names.lower[m] + static_cast<std::int32_t>(order[i]), p[order[i]]);
    }
    text += "\n";
  }
  return text;
}

std::string names_text(const ExactRun& run, const results::JointDistribution& distribution) {
  std::vector<std::string> names;
  for (const std::int32_t m : distribution.parameters)
    names.push_back(parameter_name(run, static_cast<std::size_t>(m)));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Values at place k of the table.
std::string values_text(const ExactRun& run, const results::JointDistribution& distribution,
                        std::size_t k) {
  std::vector<std::string> values(distribution.parameters.size());
  for (std::size_t i = values.size(); i-- > 0;) {
    const auto m = static_cast<std::size_t>(distribution.parameters[i]);
    const auto count = static_cast<std::size_t>(run.names.upper[m] - run.names.lower[m] + 1);
    values[i] = run.names.states.empty()
                    ? fmt::format("{}", run.names.lower[m] + static_cast<std::int32_t>(k % count))
                    : run.names.state(m, static_cast<std::int32_t>(k % count));
    k /= count;
  }
  return fmt::format("{}", fmt::join(values, ","));
}

std::string pairs_text(const ExactRun& run) {
  std::string text = "\nparameters that meet in a term, with the probabilities of their values\n";
  for (std::size_t i = 0; i < std::min(kMostParameters, run.pairs.size()); ++i) {
    const results::JointDistribution& pair = run.pairs[i];
    text += names_text(run, pair) + ":";
    for (std::size_t k = 0; k < pair.probabilities.size(); ++k)
      text += fmt::format("  {}: {:.4f}", values_text(run, pair, k), pair.probabilities[k]);
    text += "\n";
  }
  return text;
}

// The most probable values of each, a line each.
std::string joints_text(const ExactRun& run) {
  constexpr std::size_t kMostLines = 20;
  std::string text;
  for (const results::JointDistribution& distribution : run.joints) {
    std::vector<std::size_t> order(distribution.probabilities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t k) { return distribution.probabilities[k]; });
    text += fmt::format("\njoint probabilities of {}{}\n", names_text(run, distribution),
                        order.size() > kMostLines
                            ? fmt::format(", the {} largest of {}", kMostLines, order.size())
                            : "");
    for (std::size_t i = 0; i < std::min(kMostLines, order.size()); ++i)
      text += fmt::format("{:>24} {:>9.6f}\n", values_text(run, distribution, order[i]),
                          distribution.probabilities[order[i]]);
  }
  return text;
}

// A line for each value: one of its figures may be much more precise than the other.
std::string fit_text(const ExactRun& run) {
  const std::size_t width = name_width(run);
  std::string text = fmt::format(
      "mean over {} draws of {} chains of the exact probabilities, and how often values were "
      "drawn\n\n"
      "{:<{}} {:>6} {:>12} {:>10} {:>12} {:>10} {:>12}\n",
      run.of_fit->num_draws * run.of_fit->num_chains, run.of_fit->num_chains, "", width, "value",
      "probability", "error", "drawn", "error", "worth draws");
  for (std::size_t m = 0; m < std::min(kMostParameters, run.marginals.size()); ++m)
    for (std::size_t k = 0; k < run.marginals[m].size(); ++k) {
      const double error = run.of_fit->errors[m][k], by_count = run.of_fit->frequency_errors[m][k];
      text += fmt::format("{:<{}} {:>6} {:>12.6f} {:>10.2g} {:>12.6f} {:>10.2g} {:>12}\n",
                          k == 0 ? parameter_name(run, m) : "", width,
                          run.names.lower[m] + static_cast<std::int32_t>(k), run.marginals[m][k],
                          error, run.of_fit->frequencies[m][k], by_count,
                          error > 0.0 && by_count > 0.0
                              ? fmt::format("{:.3g} each", std::pow(by_count / error, 2))
                              : "-");
    }
  return text;
}

std::string head_text(const ExactRun& run) {
  const char* what = run.names.states.empty()    ? "discrete parameters"
                     : run.most_probable.empty() ? "queried nodes"
                                                 : "nodes";
  if (run.method == "enumeration")
    return fmt::format("{} {}; enumeration of {} configurations\n", run.marginals.size(), what,
                       run.num_entries);
  return fmt::format("{} {}; elimination by least fill: width {}, {} entries in all tables\n",
                     run.marginals.size(), what, run.width, run.num_entries);
}
}  // namespace

std::string exact_text(const ExactRun& run, const std::string& sum_is) {
  std::string text = head_text(run);
  if (run.of_fit) {
    text += fit_text(run);
  } else {
    text += sums_text(run, sum_is) + marginals_text(run);
    if (!run.pairs.empty()) text += pairs_text(run);
    text += joints_text(run);
  }
  if (std::max(run.marginals.size(), run.pairs.size()) > kMostParameters)
    text +=
        fmt::format("(the first {}; --json and a file, -o FILE.nc, have all)\n", kMostParameters);
  return text;
}

}  // namespace credo::cli
