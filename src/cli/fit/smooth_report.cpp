#include "cli/fit/smooth_report.hpp"

#include <fmt/format.h>

#include "cli/fit/state_table.hpp"
#include "io/json_writer.hpp"

namespace credo::cli {
namespace {
using infer::CombinedTime;
using results::SmoothRun;

const CombinedTime& fewest(const SmoothRun& run) {
  return *std::ranges::min_element(run.times, {}, &CombinedTime::num_distinct);
}
Index number_of(const SmoothRun& run, const CombinedTime& time) {
  return &time - run.times.data() + 1;
}

// On how few particles the states of a time rest.
std::string rests_on(const SmoothRun& run) {
  const CombinedTime& least = fewest(run);
  return fmt::format("paths of a run go through at least {:.1f} of {} particles (time {})\n",
                     least.num_distinct, run.options.num_particles, number_of(run, least));
}

std::vector<std::string> warnings_about(const SmoothRun& run) {
  std::vector<std::string> all;
  if (run.exact) return all;
  if (std::string text = likelihood_warning(run.likelihood, ssize(run.repeats)); !text.empty())
    all.push_back(std::move(text));
  const CombinedTime& least = fewest(run);
  if (run.method == "genealogy" && least.num_distinct < 20.0)
    all.push_back(fmt::format(
        "results at time {} rest on {:.1f} distinct states per run, since particles share "
        "their ancestors. More particles help, or paths that are simulated backwards (--method "
        "ffbs)",
        number_of(run, least), least.num_distinct));
  return all;
}

// Rows of a square matrix that lies by columns.
std::vector<std::vector<double>> rows_of(std::span<const double> values, Index size) {
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j)
      rows[static_cast<std::size_t>(i)].push_back(values[static_cast<std::size_t>(i + j * size)]);
  return rows;
}

// Those of one state, or of the elements of a short one; a file and --json have all.
std::string sums_text(const SmoothRun& run) {
  constexpr Index kMostElements = 3;
  const Index d = run.state.size();
  if (!run.sums) return "";
  if (d > kMostElements) return "\nsums over times: in --json and a file, -o FILE.nc\n";
  std::string text = "\nsums over times, as expected given all outcomes\n";
  const auto add = [&](const std::string& what, double sum, double error) {
    text += fmt::format("{:>30} {:>14.6g}", what, sum);
    text += std::isfinite(error) ? fmt::format("  standard error {:.2g}\n", error) : "\n";
  };
  const infer::StateSums &mean = run.sums->mean, &error = run.sums->error;
  const auto name = [&](Index e) { return run.state.element_name(e); };
  for (Index i = 0; i < d; ++i)
    add(name(i), mean.states[static_cast<std::size_t>(i)],
        error.states[static_cast<std::size_t>(i)]);
  for (Index i = 0; i < d; ++i)
    for (Index j = i; j < d; ++j) {
      const auto at = static_cast<std::size_t>(i + j * d);
      add(name(i) + " * " + name(j), mean.squares[at], error.squares[at]);
    }
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j) {
      const auto at = static_cast<std::size_t>(i + j * d);
      add(name(i) + " * next " + name(j), mean.neighbours[at], error.neighbours[at]);
    }
  return text;
}

void write_sums_json(io::JsonWriter& json, const SmoothRun& run) {
  if (!run.sums) return;
  json.key("sums").begin_object();
  const auto matrix = [&](const char* key, std::span<const double> values) {
    json.key(key).begin_array();
    for (const std::vector<double>& row : rows_of(values, run.state.size())) json.numbers(row);
    json.end_array();
  };
  json.key("states").numbers(run.sums->mean.states);
  matrix("squares", run.sums->mean.squares);
  matrix("neighbours", run.sums->mean.neighbours);
  json.key("states_error").numbers(run.sums->error.states);
  matrix("squares_error", run.sums->error.squares);
  matrix("neighbours_error", run.sums->error.neighbours);
  json.end_object();
}
}  // namespace

std::string smooth_text(const SmoothRun& run) {
  std::string text =
      likelihood_line(run.likelihood, gaussian_words(run.exact, run.method), ssize(run.repeats));
  text += checked_line(run.num_checked);
  if (!run.exact) text += rests_on(run);
  for (const std::string& warning : warnings_about(run)) text += "warning: " + warning + ".\n";
  const results::StateRows rows{run.state, ssize(run.times), [&](Index t) -> results::StateRow {
                                  const CombinedTime& at = run.times[static_cast<std::size_t>(t)];
                                  return {.mean = at.mean, .sd = at.sd, .quantiles = at.quantiles};
                                }};
  if (run.repeats.size() < 2) return text + state_table(rows, {}) + sums_text(run);
  return text +
         state_table(rows, {"mean's error",
                            [&](Index t, std::size_t element) {
                              return run.times[static_cast<std::size_t>(t)].error[element];
                            }}) +
         sums_text(run);
}

std::string smooth_json(const SmoothRun& run) {
  io::JsonWriter json;
  json.begin_object()
      .key("method")
      .string(run.method)
      .key("log_likelihood")
      .number(run.likelihood.log_likelihood)
      .key("error")
      .number(run.likelihood.error);
  if (run.num_checked > 0) json.key("points_checked").integer(run.num_checked);
  json.key("state").begin_array();
  for (const std::string& name : run.state.element_names()) json.string(name);
  json.end_array().key("times").begin_array();
  for (const CombinedTime& t : run.times) {
    json.line_break().begin_object().key("mean").numbers(t.mean).key("sd").numbers(t.sd);
    json.key("quantiles").numbers(t.quantiles);
    if (!run.exact)
      json.key("mean_error").numbers(t.error).key("num_distinct").number(t.num_distinct);
    json.end_object();
  }
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : warnings_about(run)) json.string(warning);
  json.end_array();
  write_sums_json(json, run);
  return json.end_object().text() + "\n";
}

}  // namespace credo::cli
