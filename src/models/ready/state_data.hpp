// The data of a ready-made model, given its state: log densities of their rows, and new data.
#pragma once
#include "base/rng.hpp"
#include "density/data_values.hpp"
#include "density/generative_side.hpp"

namespace credo::models {

class StateData {
 public:
  virtual ~StateData() = default;
  // The observed values; rows are independent given the parameters in the state.
  virtual const density::ObservedVariable& observed() const = 0;
  // Number of rows that have a density of their own; 0 if they have none.
  virtual Index num_rows() const { return 0; }
  // log p(row | parameters) of each row, labels summed out. `rows`: num_rows() values.
  virtual void log_likelihoods(std::span<const double> state, std::span<double> rows) const;
  // New data at the parameters of the state, labels and paths drawn anew, in the order of observed().
  virtual std::vector<double> draw(std::span<const double> state, Rng& rng) const = 0;
};

// The data as results and checks see them. `name`: the model's; it must live as long.
class StateDataInterfaces final : public density::DataValues, public density::GenerativeSide {
 public:
  StateDataInterfaces(const std::string& name, std::shared_ptr<const StateData> data)
      : name_(name), data_(std::move(data)) {}
  const StateData& data() const { return *data_; }

  // ---- density::DataValues ----
  std::vector<density::DataVariable> variables() const override { return {}; }  // results name none
  std::vector<density::ObservedVariable> observed() const override { return {data_->observed()}; }
  std::vector<density::ObservedVariable> all() const override { return observed(); }
  // ---- density::GenerativeSide ----
  density::PriorMass prior_mass() const override;  // not judged
  density::Capability can_replicate(std::span<const double> point) const override;
  std::unique_ptr<density::Replicates> make_replicates(
      std::span<const double> point) const override;

 private:
  const std::string& name_;
  std::shared_ptr<const StateData> data_;
};

}  // namespace credo::models
