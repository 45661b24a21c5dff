// The normal densities of a linear Gaussian state-space model, read off the log densities of its program
// (quadratic.hpp): the matrices of each time, which are then compared with the program at other points.
#pragma once
#include "model/states/quadratic.hpp"
#include "model/states/state_model.hpp"
#include "numerics/switching_model.hpp"

namespace credo::model {
class StateProgramRun;

// Mean and S, with covariance S' S, of the normal distribution around which densities are compared; NaN: not known
// yet.
using StateDistribution = numerics::GaussianState;

// Throws Error(data), naming the outcome, if it is infinite: no normal distribution has a density there.
void require_finite_outcome(const StateModel& model, Index time);

// False if initial_lpdf or transition_lpdf is missing, or if states aren't real numbers or have too many elements.
density::Capability can_read_densities(const StateModel& model, const char* asked_by);

class DensityReader {
 public:
  static constexpr Index kMostElements = 15;  // probes of so many elements are one block
  // Throws Error(program) with the reason of can_read_densities.
  explicit DensityReader(const StateModel& model, const char* asked_by = "--method kalman");
  ~DensityReader();

  // transition_step: matrix, offset and noise; step: with those of the outcome. Both throw Error(program), naming the
  // function and the time, if a density isn't that of a linear Gaussian model at these parameters.
  numerics::LinearGaussianStep transition_step(Index time);
  numerics::LinearGaussianStep step(Index time) {
    return with_outcome(transition_step(time), time);
  }
  // The step of a time without an outcome. Its outcome has the program's normal distribution given the state; the mean
  // given `state_mean` takes the outcome's place.
  numerics::LinearGaussianStep forecast_step(numerics::LinearGaussianStep step, Index time,
                                             std::span<const double> state_mean);
  // The first step. `unknown` gets a column for each element of the first state on which initial_lpdf doesn't depend:
  // its density is flat there, and the element is unknown. The other elements have their normal distribution.
  numerics::LinearGaussianStep first_step(std::vector<double>& unknown);

  // Compares a step with the densities of the program near the states: up to kFarthest standard deviations from
  // `now`, and from `before` (null at the first time). Returns the number of points; 0 if no state is known, and for densities
  // whose expressions show that they are normal and linear everywhere (StateModel::is_quadratic).
  static constexpr double kFarthest = 6.0;
  Index require_along(const numerics::LinearGaussianStep& step, Index time,
                      const StateDistribution* before, const StateDistribution& now);

 private:
  using Points = std::vector<std::vector<double>>;
  // Log densities of points z = (x, p).
  using LogDensityOf = std::function<std::vector<double>(const Points& points)>;
  struct Asked;

  numerics::LinearGaussianStep first_of_known(std::span<const Index> known);
  Index hold_first(const numerics::LinearGaussianStep& step, std::uint32_t number,
                   const StateDistribution& now);
  bool is_flat(Index element);
  numerics::LinearGaussianStep with_outcome(numerics::LinearGaussianStep step, Index time);
  std::vector<std::size_t> places_there(Index time) const;
  void read_outcome(numerics::LinearGaussianStep& step, Index time);
  LinearGaussian distribution(const Asked& asked) const;
  Index hold(const Asked& asked, const LinearGaussian& distribution, const Points& points) const;
  Index hold_far(const Asked& asked, const LinearGaussian& distribution,
                 const Points& points) const;
  [[noreturn]] void refuse(const Asked& asked, const std::string& why) const;

  // The points are x followed by the previous state.
  std::vector<double> transition(Index time, const Points& points);
  // The points are y followed by x; points with the same outcome are evaluated in one run.
  std::vector<double> observation(Index time, const Points& points,
                                  const std::vector<double>& outcome,
                                  const std::vector<std::size_t>& there);
  std::vector<double> densities(StateProgramRun& run, Index time, const std::vector<double>& given,
                                const std::vector<double>& before, bool of_outcome = false) const;
  StateProgramRun& run_of(bool initial);

  const StateModel& model_;
  Index d_;
  const char* option_;
  std::array<std::unique_ptr<StateProgramRun>, 2> runs_;
};

}  // namespace credo::model
