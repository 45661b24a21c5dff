// The view that results and verdicts have of a model: a log density with names, and further interfaces, each with one job, a
// header of its own and a reason where a model lacks it. A function that needs one of them takes that one. Programs, callables
// and ready-made models are models (model/model.hpp, api/callable_model.hpp, models/ready/ready_model.hpp); algorithms need only
// a LogDensity.
#pragma once
#include "density/generative_side.hpp"
#include "density/log_density.hpp"
#include "density/names.hpp"
#include "density/offered.hpp"
#include "density/other_data.hpp"
#include "density/output_writers.hpp"
#include "density/parameter_inverse.hpp"
#include "density/program_facts.hpp"
#include "density/queries.hpp"
#include "density/statements.hpp"

namespace credo::density {

class MomentForms;  // density/moment_form.hpp

class Model : public LogDensity, public Names {
 public:
  const Model* as_model() const final { return this; }

  virtual Offered<Queries> queries() const;
  virtual Offered<OutputWriters> writers() const;
  virtual Offered<ParameterInverse> inverse() const;
  virtual Offered<DataValues> data_values() const;
  virtual Offered<OtherData> other_data() const;
  virtual Offered<GenerativeSide> generative_side() const;
  virtual Offered<Statements> statements() const;
  virtual Offered<MomentForms> moment_forms() const;
  // Facts of the text, as plain data; null without a text.
  virtual std::shared_ptr<const ProgramFacts> program_facts() const { return nullptr; }

  // Queries of any model: one without Queries has all terms, and a density of these alone.
  Query query() const;
  Capability can(const Query& query, std::span<const double> point) const;
  std::unique_ptr<Model> asking(const Query& query) const;
};

// Answers of models that may lack the interface.
std::vector<DataVariable> data_variables(const Model& model);  // none if the data aren't known
std::vector<ObservedVariable> observed_data(const Model& model);
std::vector<ObservedVariable> rescaled_outcomes(const Model& model);
std::vector<ObservedVariable> all_data(const Model& model);
Capability can_replicate(const Model& model, std::span<const double> point);
PriorMass prior_mass(const Model& model);  // priors count as normalised if their mass isn't known
RefusedBy refused_by(const Model& model, const Status& status);  // statement 0 if it isn't known
bool has_own_rows(const Model& model);                           // false without statements

}  // namespace credo::density
