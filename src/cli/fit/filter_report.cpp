#include "cli/fit/filter_report.hpp"

#include <fmt/format.h>

#include "cli/fit/state_table.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {
using infer::FilteredTime;
using results::FilterRun;

// The least effective number of what is told, and when; how often it resampled.
std::string fared(const FilterRun& run) {
  const auto& times = run.times();
  const auto least = std::min_element(times.begin(), times.end(),
                                      [](const auto& a, const auto& b) { return a.ess < b.ess; });
  const auto resampled =
      std::count_if(times.begin(), times.end(), [](const auto& t) { return t.resampled; });
  std::string text = fmt::format(
      "effective particles: at least {:.1f} of {} (time {}); resampled before {} of {} times\n",
      least->ess, run.options.num_particles, least - times.begin() + 1, resampled, times.size());
  text +=
      fmt::format("particles of time 1 with descendants at the end: {}\n", times.back().num_roots);
  return text;
}

std::vector<std::string> warnings_of(const FilterRun& run) {
  std::vector<std::string> all;
  if (run.exact || !run.weighed) return all;
  if (!run.of_draws)
    if (std::string text = likelihood_warning(run.likelihood, ssize(run.repeats)); !text.empty())
      all.push_back(std::move(text));
  const auto& times = run.times();
  const auto least = std::ranges::min_element(times, {}, &FilteredTime::ess);
  if (least->ess < 0.01 * static_cast<double>(run.options.num_particles) && least->ess < 10.0)
    all.push_back(fmt::format(
        "at time {} nearly all weight is on one particle: results at this time rest on it. "
        "More particles help, or a proposal that sees the outcome (--method guided)",
        least - times.begin() + 1));
  return all;
}

std::string draws_line(const FilterRun& run) {
  const std::string spread = std::isfinite(run.likelihood.sd)
                                 ? fmt::format(", standard deviation {:.2g}", run.likelihood.sd)
                                 : "";
  return fmt::format(
      "mean of the log likelihoods at {} draws of the fit {:.4f}{}; the state is a mixture over "
      "them\n",
      run.repeats.size(), run.likelihood.log_likelihood, spread);
}
// How often each regime is the most probable one.
std::string regimes_text(const FilterRun& run) {
  if (run.regimes.empty()) return "";
  std::vector<Index> times(run.regimes.front().size(), 0);
  for (const std::vector<double>& at : run.regimes)
    ++times[static_cast<std::size_t>(std::max_element(at.begin(), at.end()) - at.begin())];
  std::string text = "most probable regime:";
  for (std::size_t k = 0; k < times.size(); ++k)
    text += fmt::format("{} {} at {} times", k == 0 ? "" : ",", k + 1, times[k]);
  return text + "\n";
}

std::string ensemble_line(const FilterRun& run) {
  const std::string error = run.repeats.size() < 2
                                ? "; its error isn't known of one run: --repeats 10"
                                : fmt::format(", standard error {:.2g}, from {} runs",
                                              run.likelihood.error, run.repeats.size());
  return fmt::format(
      "log likelihood {:.4f}, that of a normal approximation at each outcome, not of the "
      "program{}\n"
      "ensemble of {} members\n",
      run.likelihood.log_likelihood, error, run.options.num_particles);
}
std::string first_lines(const FilterRun& run) {
  if (run.of_draws) return draws_line(run);
  if (!run.weighed) return ensemble_line(run);
  return likelihood_line(run.likelihood, gaussian_words(run.exact, run.method), ssize(run.repeats));
}
}  // namespace

std::string filter_text(const FilterRun& run, const std::string& moves) {
  const auto& times = run.times();
  std::string text = first_lines(run);
  text += checked_line(run.num_checked);
  if (!run.exact && run.weighed) text += fared(run);
  for (const std::string& warning : warnings_of(run)) text += "warning: " + warning + ".\n";
  text += regimes_text(run);
  if (!moves.empty()) text += "particles move as " + moves + "\n";
  const LastColumn effective{"ess", [&](Index t, std::size_t element) {
                               return element > 0 ? kNaN : times[static_cast<std::size_t>(t)].ess;
                             }};
  text += state_table(run.state_rows(), run.exact || !run.weighed ? LastColumn{} : effective);
  if (run.has_forecast())
    text += "\nforecast of the outcome, given all outcomes\n" +
            state_table(run.forecast_rows(), {}, "outcome");
  return text;
}

std::string filter_json(const FilterRun& run) {
  io::JsonWriter json;
  json.begin_object()
      .key("method")
      .string(run.method)
      .key("log_likelihood")
      .number(run.likelihood.log_likelihood);
  if (run.of_draws)
    json.key("fit_draws").integer(ssize(run.repeats)).key("sd").number(run.likelihood.sd);
  else
    json.key("error")
        .number(run.exact ? 0.0 : run.likelihood.error)
        .key("mean_of_logs")
        .number(run.exact ? run.likelihood.log_likelihood : run.likelihood.mean_of_logs)
        .key("sd")
        .number(run.exact ? 0.0 : run.likelihood.sd);
  std::vector<double> all;
  for (const auto& repeat : run.repeats) all.push_back(repeat.log_likelihood);
  if (run.num_checked > 0) json.key("points_checked").integer(run.num_checked);
  json.key("warnings").begin_array();
  for (const std::string& warning : warnings_of(run)) json.string(warning);
  json.end_array();
  json.key("log_likelihoods").numbers(all).key("state").begin_array();
  for (const std::string& name : run.state.element_names()) json.string(name);
  json.end_array();
  if (!run.regimes.empty()) {
    json.key("regimes").begin_array();
    for (const std::vector<double>& at : run.regimes) json.line_break().numbers(at);
    json.end_array();
  }
  json.key("times").begin_array();
  for (const FilteredTime& t : run.times()) {
    json.line_break().begin_object().key("log_increment").number(t.log_increment);
    if (!run.exact && run.weighed)
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
  json.end_array();
  if (run.has_forecast()) {
    json.key("forecast").begin_array();
    for (Index t = run.first_forecast; t < ssize(run.times()); ++t) {
      const infer::WeightedDistribution& distribution =
          run.times()[static_cast<std::size_t>(t)].outcome;
      json.line_break().begin_object().key("time").integer(t + 1).key("mean").numbers(
          distribution.mean);
      json.key("sd")
          .numbers(distribution.sd)
          .key("quantiles")
          .numbers(distribution.quantiles)
          .end_object();
    }
    json.end_array();
  }
  return json.end_object().text() + "\n";
}

}  // namespace credo::cli
