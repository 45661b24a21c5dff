// Runs and made-up draws for tests of verdicts.
#pragma once
#include "base/rng.hpp"
#include "infer/core/sample.hpp"
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "support/test_seed.hpp"
#include "verdict/finding.hpp"

namespace credo::testing {

// Draws in memory.
class MadeDraws final : public verdict::DrawSource {
 public:
  MadeDraws(std::vector<std::string> names, density::Draws values)
      : names_(std::move(names)), values_(std::move(values)) {}
  Index num_draws() const override { return values_.num_draws(); }
  Index num_chains() const override { return values_.num_chains(); }
  const std::vector<std::string>& outputs() const override { return names_; }
  density::Draws read(Index first, Index count) const override {
    density::Draws part(num_draws(), num_chains(), count);
    for (Index k = 0; k < count; ++k)
      for (Index c = 0; c < num_chains(); ++c)
        for (Index s = 0; s < num_draws(); ++s) part(s, c, k) = values_(s, c, first + k);
    return part;
  }
  std::vector<double> statistic(std::string_view name) const override {
    const auto found = statistics.find(std::string(name));
    return found == statistics.end() ? std::vector<double>() : found->second;
  }
  double& at(Index s, Index c, Index k) { return values_(s, c, k); }

  std::map<std::string, std::vector<double>> statistics;  // S × C

 private:
  std::vector<std::string> names_;
  density::Draws values_;
};

inline std::vector<verdict::Variable> scalars(const std::vector<std::string>& names) {
  std::vector<verdict::Variable> variables;
  for (const std::string& name : names)
    variables.push_back({.name = name, .first = ssize(variables), .count = 1});
  return variables;
}

// A program, its data and a run of it.
struct JudgedRun {
  std::unique_ptr<model::Model> model;
  std::unique_ptr<MadeDraws> draws;
  infer::RunResult run;
  verdict::Evidence evidence;
};

inline std::shared_ptr<const model::ProgramSource> compiled(const std::string& text) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = model::compile_text("test.stan", text, diagnostics, source);
  EXPECT_NE(program, nullptr) << lang::render(source, diagnostics);
  return program;
}

inline std::unique_ptr<model::Model> model_of(const std::string& text, const std::string& data) {
  return std::make_unique<model::Model>(
      compiled(text), io::parse_json_data(data.empty() ? "{}" : data, "test.json"),
      model::ModelOptions{});
}

inline std::unique_ptr<MadeDraws> outputs_of(const model::Model& model,
                                             const infer::StoredDraws& store) {
  const Index num_draws = store.draws.num_draws(), num_chains = store.draws.num_chains();
  const std::vector<std::string> names = model.outputs().element_names();
  density::Draws values(num_draws, num_chains, ssize(names));
  std::vector<double> point(static_cast<std::size_t>(store.draws.num_quantities()));
  Rng rng({.seed = 3, .purpose = purpose::kTest, .chain = 0, .iteration = 0});
  for (Index c = 0; c < num_chains; ++c)
    for (Index s = 0; s < num_draws; ++s) {
      store.draws.get(s, c, point);
      values.set(s, c, model.draw_outputs().write(point, rng));
    }
  auto draws = std::make_unique<MadeDraws>(names, std::move(values));
  for (std::size_t k = 0; k < store.columns.size(); ++k) {
    const auto column = store.info.quantity(static_cast<Index>(k));
    draws->statistics[std::string(store.columns[k].name)] = {column.begin(), column.end()};
  }
  return draws;
}

inline std::vector<verdict::Variable> variables_of(const model::Model& model) {
  const density::Layout& layout = model.outputs();
  std::vector<verdict::Variable> variables;
  for (Index k = 0; k < ssize(layout.variables()); ++k) {
    const density::Variable& v = layout.variables()[static_cast<std::size_t>(k)];
    variables.push_back({.name = v.name,
                         .first = layout.first(k),
                         .count = v.size(),
                         .dims = v.dims,
                         .sampled = v.block == density::Block::parameters});
  }
  return variables;
}

inline std::unique_ptr<JudgedRun> run_of(const std::string& text, const std::string& data,
                                         std::uint64_t seed, infer::SampleOptions options = {}) {
  auto judged = std::make_unique<JudgedRun>();
  judged->model = model_of(text, data);
  options.seed = seed;
  options.num_threads = 1;
  infer::StoredDraws store;
  judged->run = infer::run_chains(*judged->model, options, store);
  judged->draws = outputs_of(*judged->model, store);
  judged->evidence = {.draws = judged->draws.get(),
                      .variables = variables_of(*judged->model),
                      .program = judged->model->program_facts(),
                      .model = judged->model.get(),
                      .remake = [data](const std::string& other) { return model_of(other, data); },
                      .run = &judged->run};
  for (const infer::ChainResult& chain : judged->run.chains)
    judged->evidence.init_tries.push_back(chain.num_init_tries);
  return judged;
}

// Ids of findings, without those that another finding explains.
inline std::string ids_of(const verdict::Verdict& verdict) {
  std::string ids;
  for (const verdict::Finding& f : verdict.findings)
    if (f.explained_by.empty()) ids += (ids.empty() ? "" : " ") + f.id;
  return ids;
}

// Without notes.
inline std::string alarms_of(const verdict::Verdict& verdict) {
  std::string ids;
  for (const verdict::Finding& f : verdict.findings)
    if (f.level != verdict::Level::note && f.explained_by.empty())
      ids += (ids.empty() ? "" : " ") + f.id;
  return ids;
}

}  // namespace credo::testing
