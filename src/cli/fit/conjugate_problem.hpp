// A program as a problem of conjugate inference (infer/conjugate/conjugate.hpp).
#pragma once
#include "infer/conjugate/conjugate.hpp"
#include "model/model.hpp"

namespace credo::cli {

// The problem reads the model, which must outlive it. Throws Error(program) for a parameter whose declaration no conjugate family has, with a way out.
class ConjugateProblem {
 public:
  explicit ConjugateProblem(const model::Model& model);
  const infer::conjugate::Problem& problem() const { return problem_; }
  const std::vector<std::string>& names() const { return names_; }  // names of all values
  // The refusal as an error, with the statement's place and text.
  [[noreturn]] void refuse(const infer::conjugate::Refusal& refusal) const;

 private:
  void add_units();
  void add_variable(const density::Variable& variable, Index first);
  void add_numbers(const density::StatedVariable& stated, const density::Variable& variable,
                   Index first);
  void add_statements();
  infer::conjugate::LogDensityAt density_of(const density::LogDensity& density) const;

  const model::Model& model_;
  std::shared_ptr<const density::ProgramFacts> facts_;
  std::vector<std::unique_ptr<model::Model>> statement_models_;
  std::vector<std::int32_t> statement_numbers_;
  std::vector<std::string> names_;
  infer::conjugate::Problem problem_;
};

}  // namespace credo::cli
