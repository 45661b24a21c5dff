// A Stan program in the text of an experiment.
#pragma once
#include "diagnose/chains.hpp"
#include "model/model.hpp"

namespace credo::examples {

// Throws Error with the diagnostics if it isn't one. data: JSON.
std::unique_ptr<model::Model> program(const std::string& text, const std::string& data = "{}");

// Column `name` of the draws that run_chains stored: S x C values. Throws Error(usage) for names
// that the program doesn't write.
struct Written {
  Written(const model::Model& model, const density::Draws& free_draws);
  diagnose::Chains operator[](std::string_view name) const;

  std::vector<std::string> names;
  density::Draws draws;
};

}  // namespace credo::examples
