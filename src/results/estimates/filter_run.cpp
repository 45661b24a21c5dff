#include "results/estimates/filter_run.hpp"

#include "results/estimates/state_rows.hpp"

namespace credo::results {
namespace {
using infer::FilteredTime;

void add_attributes(ArrayList& answer, const FilterRun& run) {
  const infer::LikelihoodEstimate& likelihood = run.likelihood;
  answer.set("program", run.program, kHidden);
  answer.set("method", run.method);
  answer.set("log_likelihood", likelihood.log_likelihood);
  if (run.num_checked > 0) answer.set("", run.num_checked, "points_checked");
  if (run.of_draws) {
    answer.set("num_fit_draws", ssize(run.repeats), "fit_draws");
    answer.set("log_likelihood_sd", likelihood.sd, "sd");
  } else {
    answer.set("", run.exact ? likelihood.log_likelihood : likelihood.mean_of_logs, "mean_of_logs");
    answer.set("", run.exact ? 0.0 : likelihood.sd, "sd");
    answer.set(run.exact ? "" : "log_likelihood_error", run.exact ? 0.0 : likelihood.error,
               "error");
  }
  if (run.exact) return;
  answer.set("num_particles", run.options.num_particles, kHidden);
  answer.set("seed", std::to_string(run.options.seed), kHidden);
  if (!run.weighed) return;
  answer.set("resampling", run.options.resampling, kHidden);
  answer.set("resample_below", run.options.resample_below, kHidden);
}

// Adds the statistics of each time of several runs, or of one series: add(name, help, part).
void add_statistics(const FilterRun& run, auto add) {
  using Time = FilteredTime;
  add("log_increment", "log density of the outcome given the earlier ones", &Time::log_increment);
  if (run.exact || !run.weighed) return;
  add("ess", "effective particles", &Time::ess);
  add("max_weight", "largest weight of a particle", &Time::max_weight);
  add("resampled", "true where particles were resampled", &Time::resampled);
  add("num_roots", "particles of the first time that have descendants", &Time::num_roots);
}

// In the file those of each run; in JSON those of the first one, or of the mixture.
void add_stats(ArrayList& answer, const FilterRun& run) {
  const Dimension time{"time", ssize(run.times())};
  auto shown = answer.add_group("times", {time}, {.only = true});
  auto group =
      answer.add_group("filter_stats", {{"repeat", ssize(run.repeats)}, time}, {.key = kHidden});
  add_statistics(run, [&](const char* name, const char* help, auto part) {
    shown.add_column({.name = name}, run.times(), part);
    std::vector<double> values;
    for (const infer::FilterResult& repeat : run.repeats)
      for (const FilteredTime& t : repeat.times) values.push_back(static_cast<double>(t.*part));
    group.add({.name = name,
               .dims = {"repeat", "time"},
               .kind = density::kind_of<std::remove_cvref_t<decltype(run.times().front().*part)>>(),
               .help = help},
              std::move(values));
  });
}

void add_own_arrays(ArrayList& answer, const FilterRun& run) {
  for (const infer::TimeArray& own : run.arrays) {
    std::vector<double> all;
    for (const std::vector<double>& at : own.values) all.insert(all.end(), at.begin(), at.end());
    answer
        .add_group(own.group,
                   {{"time", ssize(own.values)}, {own.dimension, ssize(own.values.front())}},
                   {.shape = Shape::values})
        .add({.name = own.field, .dims = {"time", own.dimension}, .help = own.help},
             std::move(all));
  }
}

infer::WeightedDistribution state_of(const FilteredTime& at) {
  return {at.mean, at.sd, at.quantiles};
}

// Means and variances of a mixture; quantiles of all points that the runs keep.
infer::WeightedDistribution mixed(std::span<const infer::WeightedDistribution> runs) {
  const std::size_t elements = runs.front().mean.size(), points = mixture_levels().size();
  const double count = static_cast<double>(runs.size());
  infer::WeightedDistribution at;
  at.mean.assign(elements, 0.0), at.sd.assign(elements, 0.0);
  at.quantiles.assign(infer::kFilterLevels.size() * elements, kNaN);
  for (std::size_t e = 0; e < elements; ++e) {
    for (const infer::WeightedDistribution& run : runs) at.mean[e] += run.mean[e] / count;
    double variance = 0.0;
    std::vector<double> all;
    for (const infer::WeightedDistribution& run : runs) {
      const double apart = run.mean[e] - at.mean[e];
      variance += (run.sd[e] * run.sd[e] + apart * apart) / count;
      for (std::size_t k = 0; k < points; ++k) all.push_back(run.quantiles[k * elements + e]);
    }
    at.sd[e] = std::sqrt(variance);
    if (std::ranges::any_of(all, [](double x) { return std::isnan(x); })) continue;
    std::ranges::sort(all);
    for (std::size_t k = 0; k < infer::kFilterLevels.size(); ++k) {
      const double place = infer::kFilterLevels[k] * static_cast<double>(all.size());
      at.quantiles[k * elements + e] = all[static_cast<std::size_t>(place)];
    }
  }
  return at;
}

// The mean over runs of each value at each time.
std::vector<infer::TimeArray> mean_of_arrays(std::span<const infer::FilterAnswer> runs) {
  std::vector<infer::TimeArray> mean = runs.front().arrays;
  for (std::size_t a = 0; a < mean.size(); ++a)
    for (std::size_t t = 0; t < mean[a].values.size(); ++t)
      for (std::size_t k = 0; k < mean[a].values[t].size(); ++k) {
        double& value = mean[a].values[t][k] = 0.0;
        for (const infer::FilterAnswer& run : runs)
          value += run.arrays[a].values[t][k] / static_cast<double>(runs.size());
      }
  return mean;
}

// The mean of logarithms, for draws and for ensembles, whose likelihoods aren't estimates of the model's likelihood.
infer::LikelihoodEstimate mean_of_logarithms(std::span<const double> log_likelihoods) {
  const double count = static_cast<double>(log_likelihoods.size());
  double mean = 0.0, squares = 0.0;
  for (const double x : log_likelihoods) mean += x / count;
  for (const double x : log_likelihoods) squares += (x - mean) * (x - mean);
  const double sd = count > 1.0 ? std::sqrt(squares / (count - 1.0)) : kNaN;
  return {
      .log_likelihood = mean, .error = count > 1.0 ? sd / std::sqrt(count) : kInfinity, .sd = sd};
}
}  // namespace

StateRows FilterRun::state_rows() const {
  return {state, ssize(times()), [this](Index t) -> StateRow {
            const FilteredTime& at = times()[static_cast<std::size_t>(t)];
            return {.mean = at.mean, .sd = at.sd, .quantiles = at.quantiles};
          }};
}

StateRows FilterRun::forecast_rows() const {
  return {outcome, ssize(times()) - first_forecast,
          [this](Index t) -> StateRow {
            const infer::WeightedDistribution& at =
                times()[static_cast<std::size_t>(first_forecast + t)].outcome;
            return {.mean = at.mean, .sd = at.sd, .quantiles = at.quantiles};
          },
          first_forecast};
}

std::vector<double> mixture_levels() {
  constexpr int kPoints = 50;
  std::vector<double> levels;
  for (int k = 0; k < kPoints; ++k) levels.push_back((k + 0.5) / kPoints);
  return levels;
}

std::vector<FilteredTime> mixture_of(std::span<const infer::FilterResult> runs) {
  std::vector<FilteredTime> times(runs.front().times.size());
  for (std::size_t t = 0; t < times.size(); ++t) {
    FilteredTime& at = times[t];
    std::vector<const FilteredTime*> all;
    for (const infer::FilterResult& run : runs) all.push_back(&run.times[t]);
    at.ess = all.front()->ess, at.num_roots = all.front()->num_roots;
    for (const FilteredTime* run : all) {
      at.ess = std::min(at.ess, run->ess);
      at.num_roots = std::min(at.num_roots, run->num_roots);
      at.max_weight = std::max(at.max_weight, run->max_weight);
      at.resampled = at.resampled || run->resampled;
      at.log_increment += run->log_increment / static_cast<double>(all.size());
    }
    std::vector<infer::WeightedDistribution> states, outcomes;
    for (const FilteredTime* run : all)
      states.push_back(state_of(*run)), outcomes.push_back(run->outcome);
    infer::WeightedDistribution state = mixed(states);
    at.mean = std::move(state.mean), at.sd = std::move(state.sd);
    at.quantiles = std::move(state.quantiles);
    if (!outcomes.front().mean.empty()) at.outcome = mixed(outcomes);
  }
  return times;
}

void take_repeats(FilterRun& run, std::vector<infer::FilterAnswer> repeats) {
  std::vector<double> all;
  for (const infer::FilterAnswer& repeat : repeats) all.push_back(repeat.filtered.log_likelihood);
  run.arrays = run.of_draws ? mean_of_arrays(repeats) : repeats.front().arrays;
  run.num_checked = repeats.front().num_checked;
  for (infer::FilterAnswer& repeat : repeats) run.repeats.push_back(std::move(repeat.filtered));
  if (run.of_draws)
    run.likelihood = mean_of_logarithms(all), run.mixture = mixture_of(run.repeats);
  else if (run.exact)
    run.likelihood = {.log_likelihood = all.front(), .error = 0.0};
  else if (!run.weighed)
    run.likelihood = mean_of_logarithms(all);
  else
    run.likelihood = infer::combined_likelihood(all);
}

ArrayList arrays_of(const FilterRun& run) {
  std::vector<double> log_likelihoods;
  for (const infer::FilterResult& repeat : run.repeats)
    log_likelihoods.push_back(repeat.log_likelihood);
  ArrayList answer("filter");
  add_attributes(answer, run);
  add_state_names(answer, run.state);
  add_state_rows(answer, "filtered", run.state_rows(), "times");
  if (run.has_forecast()) add_state_rows(answer, "forecast", run.forecast_rows());
  add_own_arrays(answer, run);
  add_stats(answer, run);
  add_outcomes(answer, run.outcomes, ssize(run.times()));
  add_likelihoods(answer, std::move(log_likelihoods));
  return answer;
}

}  // namespace credo::results
