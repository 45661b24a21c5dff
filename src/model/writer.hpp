// Writes draws: parameters, transformed parameters and generated quantities of a free point.
//
// What needs no random numbers is traced once and run like a log density. Passes that would change
// a bit are left out, so a point that takes another path of decisions, or breaks a check, is
// interpreted with the same result.
#pragma once
#include "model/model.hpp"

namespace credo::model {

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model) {}

  // All outputs at `point` in the order of Model::output_columns; as Model::write.
  void write(std::span<const double> point, Rng& rng, std::vector<double>& row,
             std::string* note = nullptr);

 private:
  bool run(std::span<const double> point, std::vector<double>& row);

  const Model& model_;
  std::shared_ptr<const graph::Program> program_;
  std::unique_ptr<graph::Workspace> workspace_;
};

}  // namespace credo::model
