// The normal densities of a state-space model at given points: mean and covariance of the state given the state before, and of the
// outcome given the state. They may depend on the point in any way: that the density is normal in its first argument is enough.
#pragma once
#include <map>

#include "model/states/state_program.hpp"
#include "numerics/unscented.hpp"

namespace credo::model {

// Densities that are read: outcomes alone need no density of the states.
enum class NormalReads { states_and_outcomes, outcomes };

// False without initial_lpdf or transition_lpdf where states are read, of states that aren't real, or, where they are read, of more
// than 15 elements, and of programs with regimes. `option` is what asks.
density::Capability can_read_normal(const StateModel& model, const char* option,
                                    NormalReads reads = NormalReads::states_and_outcomes);

class NormalReader {
 public:
  // Throws Error(program) with the reason of can_read_normal.
  explicit NormalReader(const StateModel& model, const char* option,
                        NormalReads reads = NormalReads::states_and_outcomes);

  // Distributions at several points of one time. Throws Error(program) with function and time where the density isn't
  // normal.
  std::vector<numerics::NormalMoments> transition(Index time,
                                                  std::span<const std::vector<double>> before);
  std::vector<numerics::NormalMoments> observation(Index time,
                                                   std::span<const std::vector<double>> states);
  // d mean / d point, a column for each element of the point, by the gradient of the log density.
  std::vector<double> transition_slope(Index time, const std::vector<double>& before,
                                       const numerics::NormalMoments& distribution);
  std::vector<double> observation_slope(Index time, const std::vector<double>& state,
                                        const numerics::NormalMoments& distribution);
  // Slopes at several states together.
  std::vector<std::vector<double>> observation_slopes(
      Index time, std::span<const std::vector<double>> states,
      std::span<const numerics::NormalMoments> distributions);
  // log p(outcome | state) for each state, with its gradient behind it. The density may be any.
  std::vector<std::vector<double>> log_outcomes(Index time,
                                                std::span<const std::vector<double>> states);
  // The observed elements of the outcome. Throws Error(data) if one of them is infinite.
  std::vector<double> outcome(Index time) const;

 private:
  using Points = std::span<const std::vector<double>>;
  struct Probe;
  std::vector<std::vector<double>> values(const Probe& probe, Points xs);
  std::vector<numerics::NormalMoments> distributions(const Probe& probe, Index m);
  std::vector<double> slope(const Probe& probe, const numerics::NormalMoments& distribution);
  std::vector<std::vector<double>> slopes(const Probe& probe,
                                          std::span<const numerics::NormalMoments> distributions);
  std::vector<std::size_t> there(Index time) const;
  std::vector<double> values_there(Index time) const;
  StateProgramRun& run_of(const StateStage& stage);

  const StateModel& model_;
  Index elements_;
  std::map<StateStage, std::unique_ptr<StateProgramRun>> runs_;
};

}  // namespace credo::model
