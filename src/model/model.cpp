#include "model/model.hpp"

#include "io/json_reader.hpp"
#include "model/messages/moment_form.hpp"
#include "model/queries/program_facts.hpp"
#include "model/states/state_likelihood.hpp"

namespace credo::model {
namespace {
std::shared_ptr<const ProgramParts> parts_of(std::shared_ptr<const ProgramSource> source,
                                             const io::DataTable& table,
                                             const ModelOptions& options) {
  ProgramData data(std::move(source), table, options);
  Parameters parameters(data);
  OutputLayout outputs(data);
  return std::make_shared<const ProgramParts>(
      ProgramParts{std::move(data), std::move(parameters), std::move(outputs)});
}
}  // namespace

Model::Model(std::shared_ptr<const ProgramSource> source, const io::DataTable& data,
             ModelOptions options)
    : parts_(parts_of(std::move(source), data, options)),
      densities_(*parts_, std::move(options)),
      outputs_(*parts_, densities_),
      generative_(*parts_, densities_),
      moment_forms_(program_moment_forms(densities_)) {}

Model::Model(const Model& other, const density::Query& query)
    : parts_(other.parts_),
      densities_(*parts_, other.densities_, query),
      outputs_(*parts_, densities_),
      generative_(*parts_, densities_),
      moment_forms_(program_moment_forms(densities_)) {}

std::unique_ptr<Model> Model::with(const density::Query& query) const {
  return std::unique_ptr<Model>(new Model(*this, query));
}

std::unique_ptr<density::Model> Model::with_data(const std::string& text) const {
  return std::make_unique<Model>(data().shared_source(), io::parse_json_data(text, "data"),
                                 options());
}

std::unique_ptr<density::Model> Model::with_observed(
    std::span<const density::ObservedVariable> data) const {
  return with_data(this->data().text_with(data));
}

std::unique_ptr<density::LogDensity> Model::prior() const {
  density::Query query = densities_.query();
  if (query.terms != density::Terms::all || query.batch != 0) return nullptr;
  query.terms = density::Terms::prior;
  query.without.clear();
  return with(query);
}

std::shared_ptr<const density::ProgramFacts> Model::program_facts() const {
  return std::make_shared<const density::ProgramFacts>(facts_of(source()));
}

density::Capability Model::has_likelihood() const {
  return model::has_likelihood(source(), densities_.query());
}

}  // namespace credo::model
