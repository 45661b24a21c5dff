#include "cli/fit/filter_report.hpp"

#include <fmt/format.h>

#include "io/json_writer.hpp"

namespace credo::cli {
namespace {
using infer::FilteredTime;
using results::FilterRun;
constexpr Index kMostRows = 24;

// The least effective number of the first run, and when; how often it resampled.
std::string fared(const FilterRun& run) {
  const auto& times = run.repeats.front().times;
  const auto least = std::min_element(times.begin(), times.end(),
                                      [](const auto& a, const auto& b) { return a.ess < b.ess; });
  const auto resampled =
      std::count_if(times.begin(), times.end(), [](const auto& t) { return t.resampled; });
  std::string text = fmt::format(
      "effective particles: at least {:.1f} of {} (time {}); resampled before {} of {} times\n",
      least->ess, run.options.num_particles, least - times.begin() + 1, resampled, times.size());
  text +=
      fmt::format("particles of time 1 with descendants at the end: {}\n", times.back().num_roots);
  if (least->ess < 0.01 * static_cast<double>(run.options.num_particles) && least->ess < 10.0)
    text += fmt::format(
        "warning: at time {} nearly all weight is on one particle: what is said of this time rests "
        "on it. "
        "More particles help, or a proposal that sees the outcome (--method guided).\n",
        least - times.begin() + 1);
  return text;
}

std::string likelihood_line(const FilterRun& run) {
  if (run.exact)
    return fmt::format("log likelihood {:.6f}, exact\n", run.likelihood.log_likelihood);
  if (run.repeats.size() < 2)
    return fmt::format("log likelihood {:.4f}; its error isn't known of one run: --repeats 10\n",
                       run.likelihood.log_likelihood);
  return fmt::format(
      "log likelihood {:.4f}, standard error {:.2g}, from {} runs (of one run: {:.2g})\n",
      run.likelihood.log_likelihood, run.likelihood.error, run.repeats.size(), run.likelihood.sd);
}

std::string table(const FilterRun& run) {
  const auto& times = run.repeats.front().times;
  const Index count = ssize(times), every = (count + kMostRows - 1) / kMostRows;
  const auto elements = static_cast<std::size_t>(run.state.size());
  std::string text =
      fmt::format("\n{:>6} {:>14} {:>11} {:>11} {:>11} {:>11} {:>11}{}\n", "time", "state", "mean",
                  "sd", "5%", "50%", "95%", run.exact ? "" : "         ess");
  for (Index t = 0; t < count; ++t) {
    if (t % every != 0 && t != count - 1) continue;
    const FilteredTime& at = times[static_cast<std::size_t>(t)];
    for (std::size_t e = 0; e < elements; ++e) {
      text += fmt::format("{:>6} {:>14} {:>11.4g} {:>11.4g}", e == 0 ? std::to_string(t + 1) : "",
                          run.state.element_name(static_cast<Index>(e)), at.mean[e], at.sd[e]);
      for (std::size_t level = 0; level < infer::kFilterLevels.size(); ++level)
        text += fmt::format(" {:>11.4g}", at.quantiles[level * elements + e]);
      text += run.exact || e > 0 ? "\n" : fmt::format(" {:>11.1f}\n", at.ess);
    }
  }
  if (every > 1)
    text += fmt::format("(every {}th time and the last; --json and a file, -o FILE.nc, have all)\n",
                        every);
  return text;
}
}  // namespace

std::string filter_text(const FilterRun& run, const std::string& moves) {
  std::string text = likelihood_line(run);
  if (!run.exact) text += fared(run);
  if (!moves.empty()) text += "particles move as " + moves + "\n";
  return text + table(run);
}

std::string filter_json(const FilterRun& run) {
  io::JsonWriter json;
  json.begin_object()
      .key("method")
      .string(run.method)
      .key("log_likelihood")
      .number(run.likelihood.log_likelihood);
  json.key("error").number(run.exact ? 0.0 : run.likelihood.error);
  std::vector<double> all;
  for (const auto& repeat : run.repeats) all.push_back(repeat.log_likelihood);
  json.key("log_likelihoods").numbers(all).key("state").begin_array();
  for (const std::string& name : run.state.element_names()) json.string(name);
  json.end_array().key("times").begin_array();
  for (const FilteredTime& t : run.repeats.front().times) {
    json.line_break().begin_object().key("log_increment").number(t.log_increment);
    if (!run.exact)
      json.key("ess")
          .number(t.ess)
          .key("max_weight")
          .number(t.max_weight)
          .key("resampled")
          .boolean(t.resampled)
          .key("num_roots")
          .integer(t.num_roots);
    json.key("mean")
        .numbers(t.mean)
        .key("sd")
        .numbers(t.sd)
        .key("quantiles")
        .numbers(t.quantiles)
        .end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

}  // namespace credo::cli
