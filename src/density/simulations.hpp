// Simulated minus observed data. Likelihood-free algorithms use only this of a model.
//
//   distance            an output of the program, which compares them itself
//   simulated, observed outputs, and data variables or outputs of the same sizes, in pairs
#pragma once
#include "base/stream.hpp"
#include "density/model.hpp"

namespace credo::purpose {
// Simulated data that are compared with observed ones; chain: the particle; iteration: the round.
inline constexpr std::uint32_t kSimulation = stream("simulation", 16);
}  // namespace credo::purpose

namespace credo::density {

// Names of variables; those of several pairs are separated by commas.
struct SimulatedNames {
  std::string distance = {}, simulated = {}, observed = {};
};

// A simulation at a position: a function of the numbers that `rng` gives.
struct Simulation {
  std::span<const double> position;
  Rng rng;
  std::vector<double> differences =
      {};  // the distance itself if the program computes it; NaN: refused
};

class Simulations {
 public:
  // For as long as the density lives. Throws Error(usage) for a density that simulates nothing, and for names that it
  // doesn't have or that aren't of one size, naming the algorithm that asks.
  Simulations(const LogDensity& density, const SimulatedNames& names, std::string_view algorithm);

  bool are_distances() const { return pairs_.empty(); }
  Index size() const { return are_distances() ? 1 : ssize(pairs_); }  // differences of a simulation
  std::string name_of(Index difference) const;

  // Working memory of one chain.
  std::unique_ptr<Writer> make_writer() const;
  void run(Writer& writer, std::span<Simulation> simulations) const;

 private:
  struct Pair {
    std::size_t simulated;                // place among the written outputs
    std::optional<std::size_t> observed;  // the same, or none: then a value of the data
    double value = 0.0;
  };
  std::vector<Index> elements_of(const std::string& name, const char* option) const;
  std::size_t place_of(Index element) const;

  const Model& model_;
  std::string algorithm_;
  std::vector<Index> columns_;  // columns of the outputs, ascending
  std::vector<Pair> pairs_;
};

}  // namespace credo::density
