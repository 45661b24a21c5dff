#include "model/remake.hpp"

#include "io/data/data_files.hpp"
#include "model/model.hpp"
#include "model/queries/program_facts.hpp"

namespace credo::model {
namespace {
std::shared_ptr<const ProgramSource> compiled(const std::string& path, const std::string& text) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  return compile_text(path, text, diagnostics, source);
}
}  // namespace

std::unique_ptr<Model> remake(const Model& like, const std::string& program,
                              const DataFiles& data) {
  auto source = compiled(like.name() + ".stan", program);
  if (source == nullptr) return nullptr;
  const io::DataTable table = io::read_data(data.recipe, data.texts);
  ModelOptions options = like.options();
  options.print = {};
  options.observe = {};
  options.observe_program = {};
  return std::make_unique<Model>(std::move(source), table, std::move(options));
}

std::shared_ptr<const density::ProgramFacts> facts_of_text(const std::string& path,
                                                           const std::string& program) {
  const auto source = compiled(path.empty() ? "model.stan" : path, program);
  return source == nullptr ? nullptr
                           : std::make_shared<const density::ProgramFacts>(facts_of(*source));
}

}  // namespace credo::model
