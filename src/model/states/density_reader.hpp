// The normal densities of a linear Gaussian state-space model, read off the log densities of its program (quadratic.hpp): of each
// time the matrices, which are then held to the program at other points.
#pragma once
#include "model/states/quadratic.hpp"
#include "model/states/state_model.hpp"
#include "numerics/switching_model.hpp"

namespace credo::model {
class StateProgramRun;

// Mean and S, S' S the covariance, of a normal law about which densities are looked at; NaN: not known yet.
using StateLaw = numerics::GaussianState;

// Throws Error(data) for an outcome that is infinite, with its name: no normal density is one of it.
void require_finite_outcome(const StateModel& model, Index time);

class DensityReader {
 public:
  // Throws Error(program) without initial_lpdf or transition_lpdf, and of states that aren't real numbers or too many.
  explicit DensityReader(const StateModel& model, const char* asked_by = "--method kalman");
  ~DensityReader();

  const char* option() const;

  // Matrix, offset and noise; with the outcome's. All throw Error(program) where a density isn't that of a linear Gaussian
  // model at this point, naming the function and the time.
  numerics::LinearGaussianStep transition_step(Index time);
  numerics::LinearGaussianStep step(Index time) {
    return with_outcome(transition_step(time), time);
  }
  // The same of a time without an outcome: the law of one, in whose place stands its mean given the state's.
  numerics::LinearGaussianStep forecast_step(numerics::LinearGaussianStep step, Index time,
                                             std::span<const double> state_mean);
  // The first step, and a column for each element of the first state that initial_lpdf doesn't depend on: its density is flat
  // there, and nothing is known of the element. The others have their normal law.
  numerics::LinearGaussianStep first_step(std::vector<double>& unknown);

  // Holds a step to the densities of the program where states are: up to kFarthest standard deviations from `now`, and from
  // `before` (null at the first time). Returns the number of points at which they were compared; 0 where no state is known.
  static constexpr double kFarthest = 6.0;
  Index require_along(const numerics::LinearGaussianStep& step, Index time, const StateLaw* before,
                      const StateLaw& now);

 private:
  using Points = std::vector<std::vector<double>>;
  // Log densities of points z = (x, p).
  using LogDensityOf = std::function<std::vector<double>(const Points& points)>;
  struct Asked;
  static constexpr Index kMostElements = 15;  // whose probes are one block

  numerics::LinearGaussianStep first_of_known(std::span<const Index> known);
  Index hold_first(const numerics::LinearGaussianStep& step, std::uint32_t number,
                   const StateLaw& now);
  bool is_flat(Index element);
  numerics::LinearGaussianStep with_outcome(numerics::LinearGaussianStep step, Index time);
  std::vector<std::size_t> places_there(Index time) const;
  void read_outcome(numerics::LinearGaussianStep& step, Index time);
  LinearGaussian law(const Asked& asked) const;
  Index hold(const Asked& asked, const LinearGaussian& law, const Points& points) const;
  [[noreturn]] void refuse(const Asked& asked, const std::string& why) const;

  // x, and the state before behind it.
  std::vector<double> transition(Index time, const Points& points);
  // y, and x behind it: points of the same outcome in one run.
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
