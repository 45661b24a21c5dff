#include "models/ready/state_data.hpp"

#include "base/error.hpp"

namespace credo::models {
namespace {
class StateReplicates final : public density::Replicates {
 public:
  StateReplicates(const std::string& name, std::shared_ptr<const StateData> data)
      : name_(name),
        data_(std::move(data)),
        layout_({data_->observed().variable}),
        is_drawn_(data_->observed().values.size(), 1),
        last_(data_->observed().values) {}

  const density::Layout& layout() const override { return layout_; }
  std::span<const double> observed() const override { return data_->observed().values; }
  std::span<const char> is_drawn() const override { return is_drawn_; }
  std::vector<double> draw(std::span<const double> position, std::uint64_t seed,
                           std::string* /*note*/) override {
    Rng rng({.seed = seed, .purpose = purpose::kReplicate, .chain = 0, .iteration = 0});
    last_ = data_->draw(position, rng);
    return last_;
  }
  std::vector<double> last() const override { return last_; }
  std::string data_text() const override {
    throw Error(ErrorCode::program, "the data of a ready-made model aren't written", name_,
                "write it as a Stan program");
  }

 private:
  const std::string& name_;
  std::shared_ptr<const StateData> data_;
  density::Layout layout_;
  std::vector<char> is_drawn_;
  std::vector<double> last_;
};
}  // namespace

void StateData::log_likelihoods(std::span<const double> /*state*/, std::span<double> rows) const {
  CREDO_ASSERT(rows.empty(), "a model has as many rows as are requested");
}

density::PriorMass StateDataInterfaces::prior_mass() const {
  return {
      .entered = {},
      .not_judged = {{.parameter = name_,
                      .where = {},
                      .log_mass = kNaN,
                      .reason = "a ready-made model doesn't state what its prior integrates to"}},
      .improper = {}};
}

density::Capability StateDataInterfaces::can_replicate(std::span<const double> /*point*/) const {
  return {};
}

std::unique_ptr<density::Replicates> StateDataInterfaces::make_replicates(
    std::span<const double> /*point*/) const {
  return std::make_unique<StateReplicates>(name_, data_);
}

}  // namespace credo::models
