#include "models/information/channel.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"
#include "models/information/discrete_distributions.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::models {
namespace {
constexpr Index kFirstTry =
    50;  // iterations before Newton's method is tried; the second try is after twice as many
constexpr double kInUse = 1e-7;     // share of the largest input probability
constexpr Index kNewtonSteps = 30;  // of one try

std::vector<double> outputs_of(const Channel& channel, std::span<const double> input) {
  std::vector<double> q(static_cast<std::size_t>(channel.num_outputs), 0.0);
  for (Index x = 0; x < channel.num_inputs; ++x) {
    const double weight = input[static_cast<std::size_t>(x)];
    if (weight == 0.0) continue;
    const auto row = channel.row(x);
    for (std::size_t y = 0; y < q.size(); ++y) q[y] += weight * row[y];
  }
  return q;
}

// D(x) = relative entropy of the outputs of x to those of all: the capacity lies between log sum p exp D and max D.
struct Distances {
  std::vector<double> of_input;
  double lower = 0.0, upper = 0.0;
};
Distances distances_at(const Channel& channel, std::span<const double> input,
                       std::span<const double> self) {
  std::vector<double> log_q = outputs_of(channel, input);
  for (double& q : log_q) q = q > 0.0 ? std::log(q) : 0.0;
  Distances made;
  for (Index x = 0; x < channel.num_inputs; ++x) {
    const auto row = channel.row(x);
    double d = self[static_cast<std::size_t>(x)];
    for (std::size_t y = 0; y < row.size(); ++y) d -= row[y] * log_q[y];
    made.of_input.push_back(d);
  }
  made.upper = std::ranges::max(made.of_input);
  double sum = 0.0;
  for (std::size_t x = 0; x < input.size(); ++x)
    sum += input[x] * std::exp(made.of_input[x] - made.upper);
  made.lower = made.upper + std::log(sum);
  return made;
}

// p <- p exp(D) / sum
void blahut_arimoto_step(std::vector<double>& input, const Distances& at) {
  for (std::size_t x = 0; x < input.size(); ++x) input[x] *= std::exp(at.of_input[x] - at.lower);
  const double sum = std::accumulate(input.begin(), input.end(), 0.0);
  for (double& p : input) p /= sum;
}

// The Newton step at a distribution on the inputs that are in use, where the Hessian of the information is -sum_y P(y|x) P(y|x') / q(y)
// and the step's sum is 0. Not finite where the Hessian has no factor.
std::vector<double> newton_step(const Channel& channel, std::span<const Index> used,
                                std::span<const double> outputs, const Distances& at) {
  constexpr double kRidge = 1e-12;  // share of the trace: inputs may depend on each other linearly
  const Index n = ssize(used);
  numerics::RowMatrix curvature(n);
  double trace = 0.0;
  for (Index k = 0; k < n; ++k)
    for (Index l = 0; l <= k; ++l) {
      const auto a = channel.row(used[static_cast<std::size_t>(k)]),
                 b = channel.row(used[static_cast<std::size_t>(l)]);
      double sum = 0.0;
      for (std::size_t y = 0; y < outputs.size(); ++y)
        if (outputs[y] > 0.0) sum += a[y] * b[y] / outputs[y];
      curvature(k, l) = curvature(l, k) = sum;
      if (k == l) trace += sum;
    }
  for (Index k = 0; k < n; ++k) curvature(k, k) += kRidge * trace;
  const numerics::RowMatrix factor = numerics::lower_factor(curvature);
  std::vector<double> step, level(used.size(), 1.0);
  for (const Index x : used) step.push_back(at.of_input[static_cast<std::size_t>(x)] - at.upper);
  for (std::vector<double>* side : {&step, &level}) {
    numerics::solve_factor(factor, *side);
    numerics::solve_factor_transposed(factor, *side);
  }
  const double shift = std::accumulate(step.begin(), step.end(), 0.0) /
                       std::accumulate(level.begin(), level.end(), 0.0);
  for (std::size_t k = 0; k < step.size(); ++k) step[k] -= shift * level[k];
  return step;
}

// Newton's method from a distribution; steps end before probabilities would be negative. Empty where a step isn't finite.
std::vector<double> newton(const Channel& channel, std::vector<double> input,
                           std::span<const double> self) {
  constexpr double kSmall = 1e-15, kShare = 0.99;
  for (Index count = 0; count < kNewtonSteps; ++count) {
    const double least = kInUse * std::ranges::max(input);
    std::vector<Index> used;
    for (Index x = 0; x < channel.num_inputs; ++x)
      if (input[static_cast<std::size_t>(x)] > least) used.push_back(x);
    const std::vector<double> step =
        newton_step(channel, used, outputs_of(channel, input), distances_at(channel, input, self));
    double length = 1.0, largest = 0.0;
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (!std::isfinite(step[k])) return {};
      const double p = input[static_cast<std::size_t>(used[k])];
      if (p + step[k] < 0.0) length = std::min(length, -kShare * p / step[k]);
      largest = std::max(largest, std::abs(step[k]));
    }
    std::vector<double> next(input.size(), 0.0);
    double sum = 0.0;
    for (std::size_t k = 0; k < used.size(); ++k) {
      const auto x = static_cast<std::size_t>(used[k]);
      sum += next[x] = input[x] + length * step[k];
    }
    for (double& p : next) p /= sum;
    input = std::move(next);
    if (largest < kSmall) break;
  }
  return input;
}
}  // namespace

void require_channel(Channel& channel, std::span<const std::string> inputs) {
  constexpr double kRounding = 1e-9;
  for (Index x = 0; x < channel.num_inputs; ++x) {
    double sum = 0.0;
    for (const double p : channel.row(x)) {
      if (!(p >= 0.0 && p <= 1.0 + kRounding))
        throw Error(
            ErrorCode::data,
            fmt::format("{} is no probability: input {}", p, inputs[static_cast<std::size_t>(x)]),
            "channel", "numbers from 0 to 1, whose sum is 1 for each input");
      sum += p;
    }
    if (std::abs(sum - 1.0) > kRounding)
      throw Error(ErrorCode::data,
                  fmt::format("the probabilities of the outputs of input {} have the sum {}",
                              inputs[static_cast<std::size_t>(x)], sum),
                  "channel", "a row for each input, with sum 1");
    for (Index y = 0; y < channel.num_outputs; ++y)
      channel.p[static_cast<std::size_t>(x * channel.num_outputs + y)] /= sum;
  }
}

Channel binary_symmetric_channel(double f) { return {2, 2, {1.0 - f, f, f, 1.0 - f}}; }
Channel z_channel(double f) { return {2, 2, {1.0, 0.0, f, 1.0 - f}}; }

double information_over(const Channel& channel, std::span<const double> input) {
  double inside = 0.0;
  for (Index x = 0; x < channel.num_inputs; ++x)
    inside += input[static_cast<std::size_t>(x)] * entropy(channel.row(x));
  return entropy(outputs_of(channel, input)) - inside;
}

Capacity capacity(const Channel& channel, const CapacityOptions& options) {
  std::vector<double> self;
  for (Index x = 0; x < channel.num_inputs; ++x) self.push_back(-entropy(channel.row(x)));
  Capacity found{.input = std::vector<double>(static_cast<std::size_t>(channel.num_inputs),
                                              1.0 / static_cast<double>(channel.num_inputs))};
  Distances at = distances_at(channel, found.input, self);
  const auto is_near = [&] { return at.upper - at.lower <= options.tolerance; };
  // A Newton step costs about as much as there are inputs iterations.
  Index next_try = std::max(kFirstTry, channel.num_inputs);
  while (!is_near() && found.num_iterations < options.most_iterations) {
    options.stop_if_asked();
    while (found.num_iterations < std::min(next_try, options.most_iterations) && !is_near()) {
      blahut_arimoto_step(found.input, at);
      at = distances_at(channel, found.input, self);
      ++found.num_iterations;
    }
    if (is_near()) break;
    next_try *= 2;
    std::vector<double> tried = newton(channel, found.input, self);
    if (tried.empty()) continue;
    const Distances there = distances_at(channel, tried, self);
    // Inputs that are out of use can't come back by the iteration: only a distribution that ends it is taken.
    if (there.upper - there.lower <= options.tolerance) found.input = std::move(tried), at = there;
  }
  found.lower = at.lower, found.upper = at.upper, found.has_converged = is_near();
  return found;
}

Decoder map_decoder(const Channel& channel, std::span<const double> input) {
  Decoder made{.input = {}, .posterior = {}, .output = outputs_of(channel, input)};
  double right = 0.0;
  for (Index y = 0; y < channel.num_outputs; ++y) {
    Index best = -1;
    double most = 0.0;
    for (Index x = 0; x < channel.num_inputs; ++x) {
      const double joint =
          input[static_cast<std::size_t>(x)] * channel.row(x)[static_cast<std::size_t>(y)];
      if (joint > most) best = x, most = joint;
    }
    made.input.push_back(best);
    made.posterior.push_back(best < 0 ? kNaN : most / made.output[static_cast<std::size_t>(y)]);
    right += most;
  }
  made.error = std::max(0.0, 1.0 - right);
  return made;
}

}  // namespace credo::models
