#include "infer/pmcmc/particle_likelihood.hpp"

#include <fmt/format.h>

#include "infer/compose/chooser.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/smc/matching_draws.hpp"

namespace credo::infer {
namespace {
constexpr Index kStartTries = 100;
constexpr double kPathRounding = 1e-8;  // rounding of sums of some thousand terms, over their size

std::vector<double> path_of(const FilterResult& run, Index elements, Rng& rng) {
  const std::vector<double>& weights = run.generations.back().weights;
  const std::array last{RngChooser(rng).choose(weights)};
  const std::vector<Index> line = lines_of(run.generations, last).front();
  std::vector<double> path;
  for (std::size_t t = 0; t < line.size(); ++t)
    for (Index e = 0; e < elements; ++e)
      path.push_back(
          run.generations[t].states[static_cast<std::size_t>(e * ssize(weights) + line[t])]);
  return path;
}

std::vector<Index> others_than(std::span<const Index> states, Index dimension) {
  std::vector<char> is_state(static_cast<std::size_t>(dimension), 0);
  for (const Index c : states) is_state[static_cast<std::size_t>(c)] = 1;
  std::vector<Index> others;
  for (Index c = 0; c < dimension; ++c)
    if (is_state[static_cast<std::size_t>(c)] == 0) others.push_back(c);
  return others;
}
}  // namespace

PathEstimate estimate_path(const density::StateSpace& model, const FilterOptions& options,
                           Rng& rng) {
  FilterOptions own = options;
  own.seed = rng.bits();
  try {
    const FilterResult run = run_filter(model, own);
    return {.log_likelihood = run.log_likelihood, .path = path_of(run, model.state().size(), rng)};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    return {.log_likelihood = -kInfinity, .path = {}, .refused = error.message()};
  }
}

double log_density_of_path(const density::StateSpace& model, std::span<const double> path) {
  const Index elements = model.state().size();
  std::vector<density::GivenState> states;
  for (Index t = 0; t < model.num_times(); ++t)
    states.push_back({.time = t,
                      .previous = t == 0 ? nullptr : path.data() + (t - 1) * elements,
                      .state = path.data() + t * elements});
  std::vector<double> transitions(states.size()), outcomes(states.size());
  model.make_mover(density::Kernel::bootstrap)->weigh(states, transitions, outcomes);
  double sum = 0.0;
  for (std::size_t t = 0; t < states.size(); ++t) sum += transitions[t] + outcomes[t];
  return sum;
}

std::vector<double> states_of(std::span<const double> position,
                              std::span<const Index> coordinates) {
  std::vector<double> path;
  for (const Index c : coordinates) path.push_back(position[static_cast<std::size_t>(c)]);
  return path;
}

void set_states(std::span<double> position, std::span<const Index> coordinates,
                std::span<const double> path) {
  for (std::size_t k = 0; k < coordinates.size(); ++k)
    position[static_cast<std::size_t>(coordinates[k])] = path[k];
}

void require_same_prior(double one, double other, double size) {
  if (std::abs(one - other) <= kPathRounding * (1.0 + std::abs(size))) return;
  throw Error(ErrorCode::program,
              fmt::format("the log density of the program, less those of initial_lpdf, "
                          "transition_lpdf and observation_lpdf, is {} with one path of the states "
                          "and {} with another: it must be the prior of the parameters alone",
                          one, other),
              "model block",
              "write the states' and outcomes' terms by these functions, as in "
              "docs/algorithms/particle-mcmc.md");
}

ParticleLikelihood::ParticleLikelihood(const density::LogDensity& density, const FilterMoves& moves,
                                       std::string_view algorithm, double correlation)
    : space_(density::state_space_of(density, algorithm)),
      filter_(moves.options()),
      correlation_(correlation),
      parameters_(others_than(space_->state_coordinates(), density.dimension())) {
  require_continuous(density, algorithm);
  filter_.sorted = correlation > 0.0;
}

void ParticleLikelihood::renew(std::vector<std::uint64_t>& seeds, Index num_times, Rng& rng) const {
  const bool all = seeds.empty();
  seeds.resize(static_cast<std::size_t>(num_times));
  for (std::uint64_t& seed : seeds)
    if (all || !(rng.uniform() < correlation_)) seed = rng.bits();
}

Step<Nothing> ParticleLikelihood::visit(EstimatedPoint& point, Rng& rng) {
  point.log_density = point.log_prior = point.log_likelihood = -kInfinity;
  PathEstimate estimate;
  const density::StateSpace* model = nullptr;
  try {
    model = &space_->at(point.position);
    if (correlation_ > 0.0) {
      renew(point.seeds, model->num_times(), rng);
      filter_.time_seeds = point.seeds;
    }
    estimate = estimate_path(*model, filter_, rng);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    estimate.refused = error.message();
  }
  refused_ = estimate.refused;
  if (estimate.log_likelihood == -kInfinity) {
    ++num_refused_;
    co_return Nothing{};
  }
  set_states(point.position, states(), estimate.path);
  point.log_density = (co_await evaluate(std::span<const double>(point.position))).log_density;
  size_ = states().empty() ? 0.0 : log_density_of_path(*model, estimate.path);
  point.log_prior = point.log_density - size_;
  point.log_likelihood = estimate.log_likelihood;
  co_return Nothing{};
}

Step<Nothing> ParticleLikelihood::start(EstimatedPoint& point, Rng& rng) {
  Index tries = 0;
  do {
    if (tries++ == kStartTries)
      throw Error(ErrorCode::evaluation,
                  fmt::format("of {} runs of the filter at the initial values none has a "
                              "likelihood{}{}",
                              kStartTries, refused_.empty() ? "" : ": ", refused_),
                  "filter", "begin elsewhere (--init), or take more particles");
    co_await visit(point, rng);
  } while (!(point.log_density > -kInfinity));
  if (!states().empty()) require_matching_draws(space_->at(point.position));
  EstimatedPoint other = point;
  co_await visit(other, rng);
  if (other.log_density > -kInfinity) require_same_prior(point.log_prior, other.log_prior, size_);
  co_return Nothing{};
}

double ParticleLikelihood::spread(std::span<const double> position, Index num_runs, Rng& rng) {
  const density::StateSpace& model = space_->at(position);
  std::vector<double> all;
  filter_.time_seeds.clear();
  for (Index k = 0; k < num_runs; ++k)
    all.push_back(estimate_path(model, filter_, rng).log_likelihood);
  if (std::find(all.begin(), all.end(), -kInfinity) != all.end()) return kInfinity;
  return combined_likelihood(all).sd;
}

double ParticleLikelihood::spread_of_ratio(std::span<const double> position, Index num_runs,
                                           Rng& rng) {
  const density::StateSpace& model = space_->at(position);
  std::vector<std::uint64_t> seeds;
  double squares = 0.0, before = kNaN;
  for (Index k = 0; k <= num_runs; ++k) {
    renew(seeds, model.num_times(), rng);
    filter_.time_seeds = seeds;
    const double now = estimate_path(model, filter_, rng).log_likelihood;
    if (now == -kInfinity) return kInfinity;
    if (k > 0) squares += (now - before) * (now - before);
    before = now;
  }
  return std::sqrt(squares / static_cast<double>(num_runs));  // the mean of the differences is 0
}

}  // namespace credo::infer
