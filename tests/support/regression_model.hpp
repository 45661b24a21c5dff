// Programs of regressions as models, with the table and the files that the formula names.
#pragma once
#include <gtest/gtest.h>

#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "models/regression/prediction.hpp"
#include "support/text_model.hpp"

namespace credo::testing {

using Files = std::map<std::string, std::string>;

struct RegressionModel {
  models::Regression regression;
  std::string faults;
  std::unique_ptr<model::Model> model = nullptr;

  // A point whose coordinates are 0, but for these variables of the program, without constraints.
  std::vector<double> point(const std::map<std::string, std::vector<double>>& values) const {
    std::vector<double> made(static_cast<std::size_t>(model->dimension()), 0.0);
    const auto& all = model->continuous();
    for (const auto& [name, own] : values) {
      const auto variable = all.find_variable(name);
      if (!variable) throw Error(ErrorCode::usage, "no variable " + name);
      EXPECT_EQ(all.first(*variable + 1) - all.first(*variable), ssize(own)) << name;
      for (std::size_t k = 0; k < own.size(); ++k)
        made[static_cast<std::size_t>(all.first(*variable)) + k] = own[k];
    }
    return made;
  }
  // The log density with all constants, and with the Jacobian of the constraints.
  double log_density(const std::map<std::string, std::vector<double>>& values) const {
    const auto at = model->evaluate_in_full(point(values));
    EXPECT_TRUE(at.status.ok()) << model->describe(at.status);
    return at.log_density;
  }
};

// The table is t.csv. Priors are flat, unless the request has others.
inline RegressionModel regression_model(const std::string& formula, Files files,
                                        models::RegressionRequest request = {.formula = {},
                                                                             .preset = "flat"}) {
  request.formula = formula;
  request.data.files = {"t.csv"};
  request.is_usable = [](const std::string&) { return true; };
  models::FormulaFaults faults;
  RegressionModel made{
      .regression = models::make_regression(
          request, [&](const std::string& path) -> const std::string& { return files.at(path); },
          faults),
      .faults = {}};
  made.faults = faults.text(formula);
  if (!made.faults.empty()) return made;
  io::DataRecipe recipe = made.regression.recipe;
  if (!made.regression.parts.constants.empty()) {
    files["constants.json"] = made.regression.constants;
    recipe.files.emplace_back("constants.json");
  }
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = model::compile_text("test.stan", made.regression.program, diagnostics, source);
  if (program == nullptr) {
    made.faults = lang::render(source, diagnostics) + made.regression.program;
    return made;
  }
  made.model = std::make_unique<model::Model>(
      std::move(program), io::read_data(recipe.text(), files), model::ModelOptions{});
  return made;
}

// All outputs at a point whose other coordinates are 0.
inline std::map<std::string, double> outputs_at(
    const RegressionModel& made, const std::map<std::string, std::vector<double>>& values) {
  const density::Model& model = *made.model;
  Rng rng({.seed = 1});
  const std::vector<double> row =
      model.writers().require(model.name()).write(made.point(values), rng);
  const std::vector<std::string> names = model.outputs().element_names();
  std::map<std::string, double> all;
  for (std::size_t k = 0; k < row.size(); ++k) all[names[k]] = row[k];
  return all;
}

}  // namespace credo::testing
