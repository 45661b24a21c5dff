#include "density/model.hpp"

#include "density/moment_form.hpp"

namespace credo::density {
namespace {
Capability lacking(std::string reason) {
  return {.can = false, .reason = std::move(reason), .hint = "write it as a Stan program"};
}
}  // namespace

Offered<Queries> Model::queries() const {
  return lacking("this model has one log density, whose terms aren't known apart");
}
Offered<OutputWriters> Model::writers() const {
  return lacking("it isn't known how to write this model's outputs");
}
Offered<ParameterInverse> Model::inverse() const {
  return lacking("it isn't known which unconstrained values belong to these parameters");
}
Offered<DataValues> Model::data_values() const {
  return lacking("the data of this model aren't known");
}
Offered<OtherData> Model::other_data() const { return lacking("this model can't take other data"); }
Offered<GenerativeSide> Model::generative_side() const {
  return lacking("it isn't known how this model draws data");
}
Offered<Statements> Model::statements() const { return lacking("this model has no statements"); }

Offered<MomentForms> Model::moment_forms() const {
  return Capability{
      .can = false,
      .reason = "coordinate ascent reads the statements of a program, and this model has none",
      .hint = "--method normal takes any density with a gradient"};
}

Query Model::query() const {
  const auto own = queries();
  return own ? own->query() : Query{};
}

Capability Model::can(const Query& query, std::span<const double> point) const {
  const auto own = queries();
  if (own) return own->can(query, point);
  return query == Query{} ? Capability{} : own.why_not();
}

std::unique_ptr<Model> Model::asking(const Query& query) const {
  return queries().require(name()).asking(query);
}

std::vector<DataVariable> data_variables(const Model& model) {
  const auto data = model.data_values();
  return data ? data->variables() : std::vector<DataVariable>{};
}

std::vector<ObservedVariable> observed_data(const Model& model) {
  const auto data = model.data_values();
  return data ? data->observed() : std::vector<ObservedVariable>{};
}

std::vector<ObservedVariable> rescaled_outcomes(const Model& model) {
  const auto data = model.data_values();
  return data ? data->rescaled() : std::vector<ObservedVariable>{};
}

std::vector<ObservedVariable> all_data(const Model& model) {
  const auto data = model.data_values();
  return data ? data->all() : std::vector<ObservedVariable>{};
}

Capability can_replicate(const Model& model, std::span<const double> point) {
  const auto side = model.generative_side();
  return side ? side->can_replicate(point) : side.why_not();
}

PriorMass prior_mass(const Model& model) {
  const auto side = model.generative_side();
  return side ? side->prior_mass() : PriorMass{};
}

RefusedBy refused_by(const Model& model, const Status& status) {
  const auto statements = model.statements();
  return statements ? statements->refused_by(status) : RefusedBy{};
}

bool has_own_rows(const Model& model) {
  const auto statements = model.statements();
  return statements && statements->has_own_rows();
}

}  // namespace credo::density
