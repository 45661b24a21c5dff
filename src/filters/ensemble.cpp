// Ensemble Kalman filters (infer/smc/ensemble_filter.hpp).
#include "filters/filter.hpp"
#include "infer/smc/ensemble_filter.hpp"
#include "model/states/normal_reader.hpp"

namespace credo::filters {
namespace {
using model::StateModel;
constexpr const char* kOption = "--method ensemble";

// Outcomes that are normal given the state.
class ReadOutcomes final : public infer::OutcomeDistributions {
 public:
  explicit ReadOutcomes(const StateModel& states)
      : reader_(states, kOption, model::NormalReads::outcomes) {}
  std::vector<numerics::NormalMoments> given(Index time,
                                             std::span<const std::vector<double>> states) override {
    return reader_.observation(time, states);
  }
  std::vector<double> outcome(Index time) const override { return reader_.outcome(time); }

 private:
  model::NormalReader reader_;
};

struct Ensemble final : Method<Filter, infer::EnsembleFilterOptions> {
  density::Capability can_follow(const StateModel& states) const override {
    return model::can_read_normal(states, kOption, model::NormalReads::outcomes);
  }
  bool has_weights() const override { return false; }
  infer::FilterAnswer run(StateModel& states, const infer::FilterOptions& options,
                          Index repeat) const override {
    const auto make_distributions = [&] { return std::make_unique<ReadOutcomes>(states); };
    return {.filtered =
                infer::run_ensemble_filter(states, make_distributions, options, own, repeat)};
  }
};
}  // namespace

extern const FilterMethod ensemble_filter = row_of<Ensemble>(
    {.name = "ensemble",
     .summary = "an ensemble Kalman filter, of outcomes that are normal given the state",
     .reference = "evensen1994"});

}  // namespace credo::filters
