// A Stan program with its data as a density::Model: five parts, each of which has a header of its own. A function that needs one part takes
// that part.
#pragma once
#include "density/model.hpp"
#include "density/state_space.hpp"
#include "model/data/advice.hpp"
#include "model/generative.hpp"
#include "model/outputs.hpp"

namespace credo::model {

class Model final : public density::Model, public density::Queries, public density::OtherData {
 public:
  // Reads the data and runs transformed data; throws Error.
  Model(std::shared_ptr<const ProgramSource> source, const io::DataTable& data,
        ModelOptions options);
  // The same program and data, shared, with other terms in the log density. Evaluations throw
  // Error(program) if the program doesn't have them. Information (`Want::information`) is
  // that of the outcomes for Terms::likelihood; it has all terms for any other.
  std::unique_ptr<Model> with(const density::Query& query) const;

  // ---- the parts ----
  const ProgramData& data() const { return parts_->data; }
  const Parameters& parameters() const { return parts_->parameters; }
  const Densities& densities() const { return densities_; }  // discrete parameters: its sites()
  const Outputs& draw_outputs() const { return outputs_; }
  const Generative& generative() const { return generative_; }

  const ProgramSource& source() const { return data().source(); }
  const ModelOptions& options() const { return densities_.options(); }
  using Order = model::Order;
  std::shared_ptr<const TracedDensity> trace(std::span<const double> point,
                                             Order order = Order::gradient) const {
    return densities_.trace(point, order);
  }
  std::vector<StatementRowCount> rows(std::span<const double> point) const {
    return densities_.rows(point);
  }
  PointEvaluation evaluate_in_full(std::span<const double> point) const {
    return densities_.evaluate_in_full(point);
  }
  // Advice if the log density isn't finite.
  Advice advice(std::span<const double> point) const { return advice_at(*parts_, point); }
  // Whole numbers among the parameters. If they are summed out of the density, the drawer draws
  // them for each draw; otherwise they are the discrete block.
  const DiscreteRanges& discrete() const { return parameters().discrete(); }
  std::unique_ptr<DiscreteDrawer> make_drawer(std::span<const double> point) const {
    return densities_.make_drawer(point);
  }
  // The distribution of the discrete block at a position's unconstrained values, as tables
  // (model/discrete/discrete_tables.hpp): for a model that was made with DiscreteUse::gibbs and isn't used for
  // draws. Null without discrete parameters.
  std::unique_ptr<DiscreteTables> make_tables(std::span<const double> point) const {
    return densities_.make_tables(point);
  }
  // Unconstrained values of parameters given on the constrained scale, then the discrete block. Variables
  // that are missing are an Error{data} unless `fill` (D values) supplies them.
  std::vector<double> unconstrain(const io::DataTable& values,
                                  std::span<const double> fill = {}) const {
    return parameters().unconstrain(data(), values, fill, densities_.sites().are_sampled());
  }

  // ---- density::LogDensity ----
  Index dimension() const override { return densities_.dimension(); }
  bool has_gradient() const override { return true; }
  bool has_hessian() const override { return densities_.has_hessian(); }
  bool has_information() const override { return densities_.has_information(); }
  Index num_rows() const override { return densities_.num_rows(); }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return densities_.make_evaluator();
  }
  std::string describe(const density::Status& status) const override {
    return densities_.describe(status);
  }
  std::optional<density::Start> draw_start(Rng& rng, double radius) const override {
    return generative_.draw_start(rng, radius);
  }
  density::Capability can_draw() const override { return generative_.can_draw(); }
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override {
    return generative_.make_exact_draws();
  }
  std::unique_ptr<density::LogDensity> prior() const override;  // for a model of all terms
  std::shared_ptr<const density::SparseCurvature> sparse_curvature(
      std::span<const Index> block, std::span<const double> point) const override {
    return densities_.sparse_curvature(block, point);
  }
  density::DiscreteBlock discrete_block() const override { return densities_.sites().block(); }
  std::unique_ptr<density::DiscreteUpdates> make_updates() const override {
    return densities_.make_updates();
  }
  // By functions of the program (model/states/program_states.cpp).
  std::unique_ptr<density::StateSpaceAt> make_state_space() const override;
  density::Capability has_likelihood() const override;

  // ---- density::Names ----
  const std::string& name() const override { return data().name(); }
  const density::Layout& outputs() const override { return parts_->outputs.layout; }
  const density::Layout& continuous() const override { return parameters().free(); }
  density::Layout unconstrained() const override { return densities_.unconstrained(); }

  // ---- density::Queries ----
  density::Query query() const override { return densities_.query(); }
  density::Capability can(const density::Query& query,
                          std::span<const double> point) const override {
    return densities_.can(query, point);
  }
  std::unique_ptr<density::Model> asking(const density::Query& query) const override {
    return with(query);
  }

  // ---- density::OtherData ----
  std::unique_ptr<density::Model> with_data(const std::string& text) const override;
  std::unique_ptr<density::Model> with_observed(
      std::span<const density::ObservedVariable> data) const override;

  // ---- density::Model ----
  density::Offered<density::Queries> queries() const override { return *this; }
  density::Offered<density::OutputWriters> writers() const override { return outputs_; }
  density::Offered<density::ParameterInverse> inverse() const override { return outputs_; }
  density::Offered<density::DataValues> data_values() const override { return data(); }
  density::Offered<density::OtherData> other_data() const override { return *this; }
  density::Offered<density::GenerativeSide> generative_side() const override { return generative_; }
  density::Offered<density::Statements> statements() const override { return densities_; }
  std::shared_ptr<const density::ProgramFacts> program_facts() const override;  // made anew

 private:
  Model(const Model& other, const density::Query& query);

  std::shared_ptr<const ProgramParts> parts_;
  Densities densities_;
  Outputs outputs_;
  Generative generative_;
};

}  // namespace credo::model
