// A program as a problem of conjugate inference (infer/conjugate/conjugate.hpp).
#pragma once
#include "cli/fit/kept_posterior.hpp"
#include "infer/conjugate/conjugate.hpp"
#include "model/model.hpp"

namespace credo::cli {

// Names of the elements of all continuous parameters, in the order of their declared values: "b[2]".
std::vector<std::string> parameter_names(const model::Model& model);

// The problem reads the model, which must outlive it. Throws Error(program) for a parameter whose declaration no conjugate family has, with a way out.
class ConjugateProblem {
 public:
  // `after`: an earlier posterior in the place of the prior of its parameters. Parameters that it lacks keep the prior of the program, given the others. Throws
  // Error(usage) if it has a parameter that the program lacks, Error(program) if new parameters have no proper conjugate prior.
  explicit ConjugateProblem(const model::Model& model, const KeptPosterior* after = nullptr);
  const infer::conjugate::Problem& problem() const { return problem_; }
  const std::vector<std::string>& names() const { return names_; }  // names of all values
  // The refusal as an error, with the statement's place and text.
  [[noreturn]] void refuse(const infer::conjugate::Refusal& refusal) const;

 private:
  void add_units();
  void add_variable(const density::Variable& variable, Index first);
  void add_containers(const density::StatedVariable& stated, const density::Variable& variable,
                      Index first);
  void add_numbers(const density::StatedVariable& stated, const density::Variable& variable,
                   Index first);
  void add_statements();
  std::unique_ptr<model::Model> terms_of(density::Terms terms) const;
  void begin_after(const KeptPosterior& posterior);
  std::vector<std::unique_ptr<infer::conjugate::Block>> prior_of_new(
      const std::vector<char>& is_old, std::vector<infer::conjugate::BlockState>& given) const;
  infer::conjugate::LogDensityAt density_of(const density::LogDensity& density) const;

  const model::Model& model_;
  std::shared_ptr<const density::ProgramFacts> facts_;
  std::string after_;                         // source of the earlier posterior; empty: none
  std::unique_ptr<model::Model> likelihood_;  // the terms of data, beside an earlier posterior
  std::vector<std::unique_ptr<model::Model>> statement_models_;
  std::vector<std::int32_t> statement_numbers_;
  std::vector<std::string> names_;
  infer::conjugate::Problem problem_;
};

}  // namespace credo::cli
