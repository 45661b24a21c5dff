// The view that results and verdicts have of a model: a log density with names, the way from a
// position to the outputs, and facts of its text. Programs and callables are models
// (model/model.hpp, api/callable_model.hpp); algorithms need only a LogDensity.
#pragma once
#include "density/data_variable.hpp"
#include "density/log_density.hpp"
#include "density/prior_mass.hpp"
#include "density/program_facts.hpp"
#include "density/replicates.hpp"
#include "density/writer.hpp"

namespace credo::density {

// The statement that refused a point.
struct RefusedBy {
  std::int32_t statement = 0;  // its number; 0: none, or not known
  bool is_check = false;       // a check of the model, not a term that isn't finite
};

class Model : public LogDensity {
 public:
  const Model* as_model() const final { return this; }
  virtual const std::string& name() const = 0;
  // Parameters, transformed parameters and generated quantities in order.
  virtual const Layout& outputs() const = 0;
  // Layout of a position: the unconstrained values, then the discrete block.
  virtual Layout unconstrained() const = 0;
  virtual std::vector<std::string> free_names()
      const = 0;  // names of the unconstrained values alone
  Index num_continuous() const { return dimension() - discrete_block().size(); }

  // The terms that this density has.
  virtual Query query() const { return {}; }
  // True if the model has a density of these terms or rows on the path of this point.
  virtual Capability can(const Query& query, std::span<const double> point) const = 0;
  // The same model with other terms; for as long as this one lives.
  virtual std::unique_ptr<Model> asking(const Query& query) const = 0;
  // The same model with other data, a JSON text; null where it isn't known how. Throws Error(data).
  virtual std::unique_ptr<Model> with_data(const std::string& /*text*/) const { return nullptr; }
  // True if the rows of the likelihood are the elements of the model's own log_lik and not its density statements.
  virtual bool has_own_rows() const { return false; }
  // The constants in the log density that lp__ lacks; none where they depend on the path of the
  // model's decisions: then evaluations report them (density::Request).
  virtual std::optional<double> dropped(std::span<const double> /*point*/) const { return 0.0; }

  // The position with discrete parameters that are summed out behind it, drawn from their distribution given the rest.
  virtual std::vector<double> with_discrete(std::span<const double> position, Rng& /*rng*/) const {
    return {position.begin(), position.end()};
  }
  virtual std::unique_ptr<Writer> make_writer(Written what = {}) const = 0;
  // All outputs at an unconstrained point, in the order of outputs(); discrete parameters may follow the
  // unconstrained values and are drawn otherwise. Generated quantities draw from `rng`. A rejection in
  // generated quantities leaves the remaining values NaN and its message in `note`.
  virtual std::vector<double> write(std::span<const double> point, Rng& rng,
                                    std::string* note = nullptr,
                                    const Written& what = {}) const = 0;
  // Unconstrained values of the parameters' outputs, in the order of outputs(); discrete parameters
  // that are summed out are skipped. Throws Error{data} if a constraint is broken.
  virtual std::vector<double> unconstrain_row(std::span<const double> row) const = 0;
  // Like unconstrain_row, for values that were written with a few digits: they are corrected within their rounding so that they
  // obey the constraint. `rounding`: relative error of the values, 0 if they are exact.
  virtual std::vector<double> unconstrain_rounded(std::span<const double> row,
                                                  double /*rounding*/) const {
    return unconstrain_row(row);
  }

  // True if data can be drawn from the likelihood on the path of this point; and their draws, for as long as the
  // model lives. make_replicates() throws Error(program) where they can't.
  virtual Capability can_replicate(std::span<const double> /*point*/) const {
    return {.can = false,
            .reason = "it isn't known how this model draws data",
            .hint = "write it as a Stan program"};
  }
  virtual std::unique_ptr<Replicates> make_replicates(std::span<const double> /*point*/) const {
    return nullptr;
  }

  // Integral of the priors as written.
  virtual PriorMass prior_mass() const { return {}; }
  virtual std::vector<DataVariable> data_variables() const { return {}; }
  // The data variables that are outcomes of densities, with their values; tuples are left out.
  virtual std::vector<ObservedVariable> observed_data() const { return {}; }
  // All data variables with their values; tuples are left out.
  virtual std::vector<ObservedVariable> all_data() const { return {}; }
  // The same model with other values of observed_data(), in its order; null where it isn't known how. Throws Error(data)
  // where the model doesn't take them.
  virtual std::unique_ptr<Model> with_observed(std::span<const ObservedVariable> /*data*/) const {
    return nullptr;
  }
  virtual std::shared_ptr<const ProgramFacts> program_facts() const { return nullptr; }
  virtual RefusedBy refused_by(const Status& /*status*/) const { return {}; }
};

// The part of a whole row of outputs that is written; and a writer for models that write one draw at a time.
std::vector<double> chosen(std::vector<double> row, const Written& what);
std::unique_ptr<Writer> one_by_one(const Model& model, Written what);

}  // namespace credo::density
