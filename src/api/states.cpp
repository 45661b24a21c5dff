#include "credo/states.hpp"

#include "api/callable_states.hpp"
#include "base/error.hpp"
#include "infer/smc/smoother.hpp"

namespace credo {
namespace {
using infer::SmootherResult;

infer::FilterOptions options_of(const StateRuns& runs) {
  if (runs.runs < 1) throw Error(ErrorCode::usage, "there must be at least one run", "runs");
  if (runs.paths < 1) throw Error(ErrorCode::usage, "there must be at least one path", "paths");
  infer::FilterOptions options;
  options.num_particles = runs.num_particles;
  options.resample_below = runs.resample_below;
  options.resampling = runs.resampling;
  options.seed = runs.seed;
  options.num_threads = runs.threads;
  return options;
}

std::unique_ptr<density::StateSpace> space_of(const StateSpace& states,
                                              const std::vector<double>& theta) {
  require_complete(states);
  return make_callable_states_at(states, theta);
}

StateEstimates combined(std::span<const SmootherResult> runs) {
  StateEstimates estimates;
  std::vector<double> log_likelihoods;
  for (const SmootherResult& run : runs) log_likelihoods.push_back(run.log_likelihood);
  const infer::LikelihoodEstimate likelihood = infer::combined_likelihood(log_likelihoods);
  estimates.log_likelihood = likelihood.log_likelihood;
  estimates.error = likelihood.error;
  for (infer::CombinedTime& at : infer::combined_times(runs)) {
    const auto elements = static_cast<std::ptrdiff_t>(at.mean.size());
    const auto level = [&](std::ptrdiff_t k) {
      const auto first = at.quantiles.begin() + k * elements;
      return std::vector<double>(first, first + elements);
    };
    estimates.times.push_back({.mean = at.mean,
                               .sd = at.sd,
                               .q5 = level(0),
                               .median = level(1),
                               .q95 = level(2),
                               .error = at.error,
                               .num_particles = at.num_distinct});
  }
  return estimates;
}

// Filters have effective particles where smoothers have different ones.
SmootherResult as_times(const infer::FilterResult& filtered) {
  SmootherResult result{.log_likelihood = filtered.log_likelihood, .times = {}, .paths = {}};
  for (const infer::FilteredTime& at : filtered.times)
    result.times.push_back({at.mean, at.sd, at.quantiles, std::lround(at.ess)});
  return result;
}

// The same errors of programs name their functions.
[[noreturn]] void throw_in_words_of_callables(const Error& error) {
  const auto renamed = [](std::string text) {
    for (const auto& [from, to] : {std::pair{"transition_lpdf", "log_transition"},
                                   std::pair{"transition_rng", "draw_transition"}})
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
        text.replace(at, std::string_view(from).size(), to), at += std::string_view(to).size();
    return text;
  };
  throw Error(error.code(), renamed(error.message()), "smooth_states",
              "leave log_transition out, or state the density of draw_transition");
}
}  // namespace

StateEstimates filter_states(const StateSpace& states, const std::vector<double>& theta,
                             const StateRuns& runs) {
  const infer::FilterOptions options = options_of(runs);
  const std::unique_ptr<density::StateSpace> space = space_of(states, theta);
  std::vector<SmootherResult> results;
  for (Index k = 0; k < runs.runs; ++k)
    results.push_back(as_times(infer::run_filter(*space, options, k)));
  return combined(results);
}

StateEstimates smooth_states(const StateSpace& states, const std::vector<double>& theta,
                             const StateRuns& runs) {
  const infer::FilterOptions options = options_of(runs);
  const std::unique_ptr<density::StateSpace> space = space_of(states, theta);
  const bool has_density = states.log_transition != nullptr;
  const infer::SmootherOptions how{
      .method = has_density ? infer::SmoothMethod::ffbs : infer::SmoothMethod::genealogy,
      .num_paths = runs.paths};
  std::vector<SmootherResult> results;
  try {
    for (Index k = 0; k < runs.runs; ++k)
      results.push_back(infer::run_smoother(*space, options, how, k));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::program) throw;
    throw_in_words_of_callables(error);
  }
  return combined(results);
}

}  // namespace credo
