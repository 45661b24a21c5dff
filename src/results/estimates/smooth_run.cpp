#include "results/estimates/smooth_run.hpp"

#include "results/estimates/state_rows.hpp"

namespace credo::results {
namespace {

void add_smooth_attributes(ArrayList& answer, const SmoothRun& run) {
  answer.set("program", run.program, kHidden);
  answer.set("method", run.method);
  answer.set("log_likelihood", run.likelihood.log_likelihood);
  answer.set(run.exact ? "" : "log_likelihood_error", run.likelihood.error, "error");
  answer.set("seed", std::to_string(run.options.seed), kHidden);
  if (run.num_checked > 0) answer.set("", run.num_checked, "points_checked");
  if (run.exact) return;
  answer.set("num_particles", run.options.num_particles, kHidden);
  answer.set("resampling", run.options.resampling, kHidden);
  answer.set("resample_below", run.options.resample_below, kHidden);
}

// The rows of a square matrix that is stored by columns.
std::vector<double> by_rows(std::span<const double> values, Index size) {
  std::vector<double> rows;
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) rows.push_back(values[static_cast<std::size_t>(i + j * size)]);
  return rows;
}

void add_paths(ArrayList& answer, const SmoothRun& run) {
  if (run.num_paths == 0) return;
  std::vector<Dimension> dims{
      {"chain", ssize(run.repeats)}, {"draw", run.num_paths}, {"time", ssize(run.times)}};
  std::ranges::copy(state_dimensions(run.state), std::back_inserter(dims));
  std::vector<double> states;
  for (const infer::SmootherResult& r : run.repeats)
    states.insert(states.end(), r.paths.begin(), r.paths.end());
  answer.add_group("posterior", dims, {.key = kHidden})
      .add({.name = run.state.variables().front().name, .dims = names_of(dims)}, std::move(states));
}

void add_sums(ArrayList& answer, const SmoothRun& run) {
  if (!run.sums) return;
  const std::string name = run.state.variables().front().name;
  const std::vector<Dimension> one = state_dimensions(run.state);
  std::vector<Dimension> both = one;
  for (const Dimension& d : one) both.push_back({d.name + "_next", d.size});
  auto group = answer.add_group("sums", both, {.shape = Shape::object});
  const auto add = [&](const std::string& what, const std::string& key,
                       std::span<const Dimension> dims,
                       std::vector<double> infer::StateSums::*part) {
    const std::string lists = part == &infer::StateSums::states ? "[]" : "[][]";
    for (const auto& [sums, ending] : {std::pair{&run.sums->mean, std::string()},
                                       std::pair{&run.sums->error, std::string("_error")}}) {
      std::vector<double> values = sums->*part;
      if (dims.size() == 2) values = by_rows(values, run.state.size());
      group.add({.name = name + what + ending, .dims = names_of(dims), .key = key + ending + lists},
                std::move(values));
    }
  };
  add("_sum", "states", one, &infer::StateSums::states);
  add("_squares", "squares", both, &infer::StateSums::squares);
  add("_neighbours", "neighbours", both, &infer::StateSums::neighbours);
}

void add_distinct(ArrayList& answer, const SmoothRun& run) {
  if (run.exact) return;
  std::vector<double> values;
  for (const infer::SmootherResult& r : run.repeats)
    for (const infer::SmoothedTime& t : r.times)
      values.push_back(static_cast<double>(t.num_distinct));
  answer.add_group("times", {{"time", ssize(run.times)}}, {.only = true})
      .add_column({.name = "num_distinct"}, run.times, &infer::CombinedTime::num_distinct);
  answer
      .add_group("smooth_stats", {{"repeat", ssize(run.repeats)}, {"time", ssize(run.times)}},
                 {.key = kHidden})
      .add({.name = "num_distinct",
            .dims = {"repeat", "time"},
            .kind = density::Kind::whole,
            .help = "distinct particles that paths go through"},
           std::move(values));
}
}  // namespace

ArrayList arrays_of(const SmoothRun& run) {
  std::vector<double> log_likelihoods;
  for (const infer::SmootherResult& r : run.repeats) log_likelihoods.push_back(r.log_likelihood);
  ArrayList answer("smooth");
  add_smooth_attributes(answer, run);
  add_state_names(answer, run.state);
  add_state_rows(answer, "smoothed",
                 {run.state, ssize(run.times),
                  [&](Index t) -> StateRow {
                    const infer::CombinedTime& at = run.times[static_cast<std::size_t>(t)];
                    return {
                        .mean = at.mean, .sd = at.sd, .quantiles = at.quantiles, .error = at.error};
                  }},
                 "times");
  add_paths(answer, run);
  add_sums(answer, run);
  add_distinct(answer, run);
  add_outcomes(answer, run.outcomes, ssize(run.times));
  add_likelihoods(answer, std::move(log_likelihoods));
  return answer;
}

}  // namespace credo::results
