#include "cli/fit/smooth_report.hpp"

#include <fmt/format.h>

#include "cli/fit/state_table.hpp"
#include "results/arrays/answer_json.hpp"

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

results::ArrayList smooth_answer(const SmoothRun& run) {
  results::ArrayList answer = arrays_of(run);
  add_list(answer, "warnings", "warning", warnings_about(run));
  return answer;
}

}  // namespace credo::cli
