// The contract of ready-made models: named numbers, their log density, and how a run of them goes. Runs,
// results and summaries know such a model as any other.
//
//   const Ready topics = topic_model(tokens, options);
//   topics.run({.num_chains = 4}, sink);
#pragma once
#include "base/rng.hpp"
#include "density/model.hpp"
#include "infer/compose/chooser.hpp"
#include "infer/core/transition_kernel.hpp"
#include "models/ready/state_data.hpp"

namespace credo::models {

// A model's names, and the outputs written for a state. The state is the position, whole numbers included: labels,
// spins, counts. There is no other state between two steps, so runs stop and resume like all others.
class NamedModel : public density::Model, public density::OutputWriters {
 public:
  // `outputs`: variables that are written, in the order of write_state.
  NamedModel(std::string name, density::Layout state, std::vector<density::Variable> outputs);
  virtual std::vector<double> write_state(std::span<const double> state) const = 0;

  const std::string& name() const override { return name_; }
  const density::Layout& outputs() const override { return outputs_; }
  const density::Layout& continuous() const override { return state_; }
  Index dimension() const override { return state_.size(); }
  density::Offered<density::Queries> queries() const override;
  density::Offered<density::OutputWriters> writers() const override { return *this; }
  density::Offered<density::ParameterInverse> inverse() const override;
  std::vector<double> write(std::span<const double> point, Rng& rng, std::string* note = nullptr,
                            const density::Written& what = {}) const override;

 private:
  std::string name_;
  density::Layout state_, outputs_;
};

// A log density with names; `write` makes a row of outputs from a position.
using WriteState = std::function<std::vector<double>(std::span<const double>)>;
std::shared_ptr<const density::Model> named(std::string name,
                                            std::shared_ptr<const density::LogDensity> density,
                                            std::vector<density::Variable> outputs,
                                            WriteState write);

// ---- models with a Markov kernel of their own

// Working memory of one thread.
class Worker {
 public:
  virtual ~Worker() = default;
  // Natural logarithm, up to a constant; -infinity where the numbers are no state.
  virtual double log_density(std::span<const double> state) = 0;
  // Leaves exp(log_density) invariant.
  virtual void move(std::span<double> state, Rng& rng) = 0;
};

class OwnKernelModel : public NamedModel, public density::ParameterInverse {
 public:
  // `state`: the variables of the state; `derived`: further outputs, functions of the state. `data`: null if rows of the data
  // have no density given the state, and aren't drawn.
  OwnKernelModel(std::string name, std::vector<density::Variable> state,
                 std::vector<density::Variable> derived = {},
                 std::shared_ptr<const StateData> data = nullptr);

  virtual std::vector<double> draw_state(Rng& rng) const = 0;  // to begin with
  virtual std::unique_ptr<Worker> make_worker() const = 0;
  // Appends the values of the derived variables.
  virtual void derive(std::span<const double> /*state*/, std::vector<double>& /*row*/) const {}

  const StateData* data() const { return data_ ? &data_->data() : nullptr; }

  bool has_gradient() const override { return false; }
  Index num_rows() const override { return data_ ? data_->data().num_rows() : 0; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const density::Status& status) const override;
  std::optional<density::Start> draw_start(Rng& rng, double radius) const override;
  std::vector<double> write_state(std::span<const double> state) const override;

  density::Offered<density::ParameterInverse> inverse() const override { return *this; }
  density::Offered<density::DataValues> data_values() const override;
  density::Offered<density::GenerativeSide> generative_side() const override;
  // The parameters are the state itself.
  std::vector<double> unconstrain_row(std::span<const double> row,
                                      double rounding = 0.0) const override;

 private:
  std::optional<StateDataInterfaces> data_;
};

// ---- what a factory makes

struct Ready {
  std::string algorithm;  // its name in results
  std::shared_ptr<const density::Model> model;
  // Same as infer::run_chains; the sampler and its options are ignored.
  std::function<infer::RunResult(const infer::SampleOptions& options, infer::DrawSink& sink)> run;
};
Ready ready(std::string algorithm, std::shared_ptr<const OwnKernelModel> model);

// ---- numbers of a state

// Values as whole numbers of 0 .. below - 1; nullopt if one isn't.
std::optional<std::vector<Index>> whole_numbers(std::span<const double> values, Index below);
void put(std::span<const Index> from, std::span<double> to);

// Worker of a sampler of labels, which has log_joint(labels) and sweep(labels, chooser).
template <class Sampler>
class LabelWorker final : public Worker {
 public:
  template <class... Arguments>
  explicit LabelWorker(Index num_values, const Arguments&... arguments)
      : sampler_(arguments...), num_values_(num_values) {}
  double log_density(std::span<const double> state) override {
    const auto labels = whole_numbers(state, num_values_);
    return labels ? sampler_.log_joint(*labels) : -kInfinity;
  }
  void move(std::span<double> state, Rng& rng) override {
    infer::RngChooser chooser(rng);
    std::vector<Index> labels = whole_numbers(state, num_values_).value();
    sampler_.sweep(labels, chooser);
    put(labels, state);
  }

 private:
  Sampler sampler_;
  Index num_values_;
};

}  // namespace credo::models
