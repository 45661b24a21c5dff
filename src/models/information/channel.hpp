// Discrete channels without memory: capacity and decoding.
#pragma once
#include "base/types.hpp"

namespace credo::models {

// P(output | input), a row for each input. Probabilities are at least 0 and each row's sum is 1.
struct Channel {
  Index num_inputs = 0, num_outputs = 0;
  std::vector<double> p;  // inputs x outputs

  std::span<const double> row(Index input) const {
    return std::span(p).subspan(static_cast<std::size_t>(input * num_outputs),
                                static_cast<std::size_t>(num_outputs));
  }
};
// Throws Error(data) with the input and the sum where a row is no distribution (to 1e-9), and normalises the rest.
void require_channel(Channel& channel, std::span<const std::string> inputs);

// Binary channels: symmetric with flips of probability f; Z, where only a 1 is flipped. f in [0, 1].
Channel binary_symmetric_channel(double f);
Channel z_channel(double f);

// I(input; output) in nats for a distribution of the inputs.
double information_over(const Channel& channel, std::span<const double> input);

struct Capacity {
  double lower = 0.0, upper = 0.0;  // nats: the capacity is between them
  std::vector<double> input;        // a distribution that carries `lower`
  Index num_iterations = 0;
  bool has_converged = false;  // upper - lower <= tolerance
};
struct CapacityOptions {
  double tolerance = 1e-10;  // nats
  Index most_iterations = 200'000;
  std::function<void()> stop_if_asked = [] {};
};
// The largest information over distributions of the inputs, by the iteration of Blahut and Arimoto [blahut1972, algorithm 1], whose two
// bounds hold at each distribution; where it crawls, Newton steps on the inputs that are in use.
Capacity capacity(const Channel& channel, const CapacityOptions& options = {});

// The decoder with the least probability of error: for each output the most probable input, the first of several.
struct Decoder {
  std::vector<Index> input;       // by output; -1 for outputs that never come
  std::vector<double> posterior;  // its probability, given the output
  std::vector<double> output;     // distribution of the outputs
  double error = 0.0;             // probability that the decoded input is another one
};
Decoder map_decoder(const Channel& channel, std::span<const double> input);

}  // namespace credo::models
