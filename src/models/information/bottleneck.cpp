#include "models/information/bottleneck.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stream.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kStarts = stream("bottleneck.starts");
struct Sizes {
  std::size_t x, y, t;
};
Sizes sizes_of(const JointTable& joint, const Bottleneck& state) {
  return {static_cast<std::size_t>(joint.sizes[0]), static_cast<std::size_t>(joint.sizes[1]),
          state.cluster.size()};
}

// P(t) and P(y | t) that belong to the assignment.
void take_clusters(const JointTable& joint, Bottleneck& state) {
  const auto [num_x, num_y, num_t] = sizes_of(joint, state);
  std::ranges::fill(state.cluster, 0.0), std::ranges::fill(state.outcome, 0.0);
  for (std::size_t x = 0; x < num_x; ++x)
    for (std::size_t t = 0; t < num_t; ++t)
      for (std::size_t y = 0; y < num_y; ++y)
        state.outcome[t * num_y + y] +=
            state.assignment[x * num_t + t] * joint.cells[x * num_y + y];
  for (std::size_t t = 0; t < num_t; ++t) {
    for (std::size_t y = 0; y < num_y; ++y) state.cluster[t] += state.outcome[t * num_y + y];
    for (std::size_t y = 0; y < num_y && state.cluster[t] > 0.0; ++y)
      state.outcome[t * num_y + y] /= state.cluster[t];
  }
}

// P(t | x) ~ P(t) exp(-beta d(x, t))
void take_assignment(const JointTable& joint, double beta, Bottleneck& state) {
  const auto [num_x, num_y, num_t] = sizes_of(joint, state);
  std::vector<double> distribution(num_y), logs(num_t);
  for (std::size_t x = 0; x < num_x; ++x) {
    double share = 0.0;
    for (std::size_t y = 0; y < num_y; ++y) share += joint.cells[x * num_y + y];
    for (std::size_t y = 0; y < num_y; ++y) distribution[y] = joint.cells[x * num_y + y] / share;
    double top = -kInfinity;
    for (std::size_t t = 0; t < num_t; ++t) {
      logs[t] =
          state.cluster[t] > 0.0
              ? std::log(state.cluster[t]) -
                    beta * relative_entropy(distribution,
                                            std::span(state.outcome).subspan(t * num_y, num_y))
              : -kInfinity;
      top = std::max(top, logs[t]);
    }
    double sum = 0.0;
    for (std::size_t t = 0; t < num_t; ++t) sum += logs[t] = std::exp(logs[t] - top);
    for (std::size_t t = 0; t < num_t; ++t) state.assignment[x * num_t + t] = logs[t] / sum;
  }
}

double take_figures(const JointTable& joint, double beta, Bottleneck& state) {
  const auto [num_x, num_y, num_t] = sizes_of(joint, state);
  JointTable with_input{.sizes = {joint.sizes[0], ssize(state.cluster)}, .cells = {}},
      with_outcome{.sizes = {ssize(state.cluster), joint.sizes[1]}, .cells = {}};
  const Index only_x[] = {0}, second[] = {1};
  const std::vector<double> shares = joint.margin(only_x);
  for (std::size_t x = 0; x < num_x; ++x)
    for (std::size_t t = 0; t < num_t; ++t)
      with_input.cells.push_back(shares[x] * state.assignment[x * num_t + t]);
  for (std::size_t t = 0; t < num_t; ++t)
    for (std::size_t y = 0; y < num_y; ++y)
      with_outcome.cells.push_back(state.cluster[t] * state.outcome[t * num_y + y]);
  state.compression = std::max(0.0, mutual_information(with_input, only_x, second));
  state.relevance = std::max(0.0, mutual_information(with_outcome, only_x, second));
  return state.objective = state.compression - beta * state.relevance;
}

// Assignments drawn from flat Dirichlet distributions: a uniform one is a fixed point of the equations.
Bottleneck drawn(const JointTable& joint, Index num_clusters, Rng& rng) {
  const auto num_x = static_cast<std::size_t>(joint.sizes[0]),
             num_t = static_cast<std::size_t>(num_clusters);
  Bottleneck state;
  state.cluster.resize(num_t),
      state.outcome.resize(num_t * static_cast<std::size_t>(joint.sizes[1]));
  for (std::size_t x = 0; x < num_x; ++x) {
    double sum = 0.0;
    for (std::size_t t = 0; t < num_t; ++t) sum += state.assignment.emplace_back(rng.exponential());
    for (std::size_t t = 0; t < num_t; ++t) state.assignment[x * num_t + t] /= sum;
  }
  take_clusters(joint, state);
  return state;
}

void iterate(const JointTable& joint, double beta, const BottleneckOptions& options,
             Bottleneck& state) {
  double before = take_figures(joint, beta, state);
  while (state.num_iterations < options.most_iterations && !state.has_converged) {
    const double now = bottleneck_step(joint, beta, state);
    ++state.num_iterations;
    state.has_converged = std::abs(before - now) <= options.tolerance;
    before = now;
  }
}

void require_states(const JointTable& joint, const BottleneckOptions& options) {
  const Index first[] = {0};
  const std::vector<double> shares = joint.margin(first);
  for (std::size_t x = 0; x < shares.size(); ++x)
    if (!(shares[x] > 0.0))
      throw Error(ErrorCode::data, fmt::format("state {} of the input has no probability", x + 1),
                  "joint", "leave it out");
  if (options.num_clusters < 1)
    throw Error(ErrorCode::usage, "there is no cluster", "--clusters", "a number of at least 1");
}
double in_nats(const BottleneckOptions& options) {
  return options.in_bits ? options.beta / std::log(2.0) : options.beta;
}
}  // namespace

Index Bottleneck::num_distinct() const {
  constexpr double kDead = 1e-9, kSame = 1e-3;
  const std::size_t width = outcome.size() / cluster.size();
  const auto differ = [&](std::size_t a, std::size_t b) {
    for (std::size_t y = 0; y < width; ++y)
      if (std::abs(outcome[a * width + y] - outcome[b * width + y]) > kSame) return true;
    return false;
  };
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < cluster.size(); ++t)
    if (cluster[t] > kDead &&
        std::ranges::all_of(found, [&](std::size_t other) { return differ(t, other); }))
      found.push_back(t);
  return ssize(found);
}

double bottleneck_step(const JointTable& joint, double beta, Bottleneck& state) {
  take_assignment(joint, beta, state);
  take_clusters(joint, state);
  return take_figures(joint, beta, state);
}

Bottleneck find_bottleneck(const JointTable& joint, const BottleneckOptions& options) {
  require_states(joint, options);
  Bottleneck best;
  for (Index start = 0; start < options.num_starts; ++start) {
    Rng rng({.seed = options.seed, .purpose = kStarts, .chain = static_cast<std::uint32_t>(start)});
    Bottleneck state = drawn(joint, options.num_clusters, rng);
    iterate(joint, in_nats(options), options, state);
    if (start == 0 || state.objective < best.objective) {
      best = std::move(state);
      best.best_start = start;
    }
  }
  return best;
}

std::vector<Bottleneck> bottleneck_curve(const JointTable& joint, BottleneckOptions options,
                                         std::span<const double> betas) {
  constexpr double kChange = 1e-3;
  std::vector<Bottleneck> curve;
  for (const double beta : betas) {
    options.beta = beta;
    Bottleneck best = find_bottleneck(joint, options);
    if (!curve
             .empty()) {  // from the solution before, moved a little: clusters that were equal may part
      Rng rng({.seed = options.seed,
               .purpose = kStarts,
               .chain = static_cast<std::uint32_t>(options.num_starts)});
      Bottleneck state = drawn(joint, options.num_clusters, rng);
      for (std::size_t k = 0; k < state.assignment.size(); ++k)
        state.assignment[k] =
            (1.0 - kChange) * curve.back().assignment[k] + kChange * state.assignment[k];
      take_clusters(joint, state);
      iterate(joint, in_nats(options), options, state);
      if (state.objective < best.objective) best = std::move(state);
    }
    curve.push_back(std::move(best));
  }
  return curve;
}

}  // namespace credo::models
