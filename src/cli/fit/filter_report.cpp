#include "cli/fit/filter_report.hpp"

#include <fmt/format.h>

#include "cli/fit/state_table.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
using infer::FilteredTime;
using results::FilterRun;

// Least effective number of particles, and its time; number of resampling steps.
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
  const auto regimes = std::ranges::find(run.arrays, "regimes", &infer::TimeArray::group);
  if (regimes == run.arrays.end()) return "";
  std::vector<Index> times(regimes->values.front().size(), 0);
  for (const std::vector<double>& at : regimes->values)
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

results::ArrayList filter_answer(const FilterRun& run) {
  results::ArrayList answer = arrays_of(run);
  add_list(answer, "warnings", "warning", warnings_of(run));
  return answer;
}

}  // namespace credo::cli
