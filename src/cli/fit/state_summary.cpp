#include "cli/fit/state_summary.hpp"

#include <fmt/format.h>

#include "cli/fit/state_table.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {
using results::StateFile;

std::string likelihood_text(const StateFile& file) {
  if (file.num_fit_draws > 0)
    return fmt::format(
        "mean of the log likelihoods at {} draws of the fit {:.4f}; the state is a mixture over "
        "them\n",
        file.num_fit_draws, file.log_likelihood);
  if (file.num_particles == 0)
    return fmt::format("log likelihood {:.6f}, {}\n", file.log_likelihood,
                       gaussian_words(true, file.method));
  std::string text = fmt::format("log likelihood {:.4f}", file.log_likelihood);
  if (std::isfinite(file.log_likelihood_error))
    text += fmt::format(", standard error {:.2g}, from {} runs", file.log_likelihood_error,
                        file.num_runs);
  return text + "\n";
}

std::string particles_text(const StateFile& file) {
  if (file.effective.empty()) return "";
  const auto least = std::min_element(file.effective.begin(), file.effective.end());
  return fmt::format("{}: at least {:.1f} of {} (time {})\n",
                     file.is_smoothed ? "particles that paths go through" : "effective particles",
                     *least, file.num_particles, least - file.effective.begin() + 1);
}
}  // namespace

std::string state_summary_text(const StateFile& file) {
  std::vector<double> space;
  const results::StateRows rows{file.state.layout, file.num_times(),
                                [&](Index t) { return file.row(t, space); }};
  std::string text =
      fmt::format("{} states of {} by {}, {} times\n", file.is_smoothed ? "smoothed" : "filtered",
                  file.program, file.method, file.num_times()) +
      likelihood_text(file) + particles_text(file);
  LastColumn error;
  if (!file.mean_error.empty())
    error = {
        "mean's error", [&](Index t, std::size_t element) {
          return file.mean_error[static_cast<std::size_t>(t * file.state.layout.size()) + element];
        }};
  text += state_table(rows, error);
  if (!file.forecast) return text;
  const results::DistributionSeries& forecast = *file.forecast;
  return text + "\nforecast of the outcome, given all outcomes\n" +
         state_table({forecast.layout, forecast.num_times,
                      [&](Index t) { return forecast.row(t, space); }, forecast.first_time},
                     {}, "outcome");
}

std::string state_summary_json(const StateFile& file) {
  io::JsonWriter json;
  json.begin_object().key("states").string(file.is_smoothed ? "smoothed" : "filtered");
  json.key("program").string(file.program).key("method").string(file.method);
  json.key("log_likelihood").number(file.log_likelihood);
  json.key("error").number(file.num_particles == 0 ? 0.0 : file.log_likelihood_error);
  json.key("state").begin_array();
  for (const std::string& name : file.state.layout.element_names()) json.string(name);
  json.end_array().key("times").begin_array();
  std::vector<double> space;
  for (Index t = 0; t < file.num_times(); ++t) {
    const results::StateRow row = file.row(t, space);
    json.line_break().begin_object().key("mean").numbers(row.mean).key("sd").numbers(row.sd);
    json.key("quantiles").numbers(row.quantiles);
    if (!row.error.empty()) json.key("mean_error").numbers(row.error);
    json.end_object();
  }
  json.end_array();
  if (file.forecast) {
    json.key("forecast").begin_array();
    for (Index t = 0; t < file.forecast->num_times; ++t) {
      const results::StateRow row = file.forecast->row(t, space);
      json.line_break().begin_object().key("time").integer(file.forecast->first_time + t + 1);
      json.key("mean").numbers(row.mean).key("sd").numbers(row.sd);
      json.key("quantiles").numbers(row.quantiles).end_object();
    }
    json.end_array();
  }
  return json.end_object().text() + "\n";
}

}  // namespace credo::cli
