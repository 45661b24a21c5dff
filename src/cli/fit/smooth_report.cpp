#include "cli/fit/smooth_report.hpp"

#include <fmt/format.h>

#include "cli/fit/state_table.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {
using infer::CombinedTime;
using results::SmoothRun;

// On how few particles the states of a time rest.
std::string rests_on(const SmoothRun& run) {
  const auto least = std::min_element(
      run.times.begin(), run.times.end(),
      [](const auto& a, const auto& b) { return a.num_distinct < b.num_distinct; });
  std::string text =
      fmt::format("paths of a run go through at least {:.1f} of {} particles (time {})\n",
                  least->num_distinct, run.options.num_particles, least - run.times.begin() + 1);
  if (run.method == "genealogy" && least->num_distinct < 20.0)
    text += fmt::format(
        "warning: what is said of time {} rests on {:.1f} states a run, since the lines of all "
        "particles meet. More particles help, or paths that are simulated backwards (--method "
        "ffbs).\n",
        least - run.times.begin() + 1, least->num_distinct);
  return text;
}
}  // namespace

std::string smooth_text(const SmoothRun& run) {
  std::string text =
      likelihood_line(run.likelihood, gaussian_words(run.exact, run.method), ssize(run.repeats));
  if (!run.exact) text += rests_on(run);
  const results::StateRows rows{run.state, ssize(run.times), [&](Index t) -> results::StateRow {
                                  const CombinedTime& at = run.times[static_cast<std::size_t>(t)];
                                  return {.mean = at.mean, .sd = at.sd, .quantiles = at.quantiles};
                                }};
  if (run.repeats.size() < 2) return text + state_table(rows, {});
  return text + state_table(rows, {"mean's error", [&](Index t, std::size_t element) {
                                     return run.times[static_cast<std::size_t>(t)].error[element];
                                   }});
}

std::string smooth_json(const SmoothRun& run) {
  io::JsonWriter json;
  json.begin_object()
      .key("method")
      .string(run.method)
      .key("log_likelihood")
      .number(run.likelihood.log_likelihood)
      .key("error")
      .number(run.likelihood.error)
      .key("state")
      .begin_array();
  for (const std::string& name : run.state.element_names()) json.string(name);
  json.end_array().key("times").begin_array();
  for (const CombinedTime& t : run.times) {
    json.line_break().begin_object().key("mean").numbers(t.mean).key("sd").numbers(t.sd);
    json.key("quantiles").numbers(t.quantiles);
    if (!run.exact)
      json.key("mean_error").numbers(t.error).key("num_distinct").number(t.num_distinct);
    json.end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

}  // namespace credo::cli
