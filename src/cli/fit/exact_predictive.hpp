// Predictive distributions of outcomes beside an exact posterior: text and arrays.
#pragma once
#include "infer/conjugate/predictive.hpp"
#include "model/model.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

class ExactPredictive {
 public:
  // `rows`: the program with the data whose outcomes are predicted. Its parameters are those of the problem, in the same order. Throws Error(data) if they
  // aren't, Error(program) for outcomes whose arguments can't be computed.
  ExactPredictive(const model::Model& rows, const infer::conjugate::Problem& problem,
                  const infer::conjugate::Answer& answer, std::span<const std::string> parameters);

  std::string text() const;  // empty without an outcome
  void add_to(results::ArrayList& arrays) const;

 private:
  struct Row {
    std::string name;  // "y[3]"
    infer::conjugate::Predictive predictive;
    std::string distribution;  // distribution that the program states
  };
  std::vector<Row> rows_;
};

}  // namespace credo::cli
