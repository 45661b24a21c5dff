// What commands on state-space models take: the program at one point of its parameters, runs, threads and a file.
#pragma once
#include "cli/load.hpp"
#include "infer/smc/particle_filter.hpp"
#include "model/states/kalman_run.hpp"
#include "model/states/state_model.hpp"
#include "results/estimates/state_rows.hpp"
#include "results/files/write_fit.hpp"

namespace credo::cli {

struct StateSpaceArguments {
  ModelArguments model = {};
  std::string parameters, output;
  Index num_repeats = 10, num_threads = 0;
  double kappa = 0.0;

  void describe_parameters(Arguments& arguments);
  // --kappa.
  void describe_gaussian(Arguments& arguments);
  // --repeats, --threads, --output.
  struct RepeatWords {
    Index least = 1;
    std::string help = "independent runs, from which errors are known";
  };
  void describe_runs(Arguments& arguments, const RepeatWords& words);

  // The model lives as long as the states are asked. Throws Error.
  struct Loaded {
    std::unique_ptr<model::Model> model;
    std::unique_ptr<model::StateModel> states;
  };
  // `position_of`: where the parameters come from, if not from --parameters.
  using PositionOf = std::function<std::vector<double>(const model::Model& model)>;
  // `num_more`: times after those of the data.
  Loaded load(Output& to, bool json, const char* command, const PositionOf& position_of = {},
              Index num_more = 0);
  // Where the result goes: none of the files that are read, for those who may read them.
  results::FitOutput place() const;
  // The filter of kalman, information, ekf or ukf; nothing of other methods.
  std::optional<model::GaussianTrack> gaussian_track(const model::StateModel& states,
                                                     const std::string& method) const;
  // Its distributions of the outcomes from StateModel::first_forecast() on.
  std::vector<model::KalmanTime> gaussian_forecast(const model::StateModel& states,
                                                   const std::string& method,
                                                   model::GaussianTrack& track) const;
  // Observed outcomes; NaN where one is missing.
  static results::Outcomes outcomes(const model::Model& model, const model::StateModel& states);
  // Seed and threads, of particles.
  void settle(infer::FilterOptions& options) const;
};

}  // namespace credo::cli
