// The Bayes factor of a nested model over the whole one, from draws of the whole one's posterior and prior alone
// [dickey1971]:
//
//   B = p(t* | data) / p(t*)            the model with t = t*, its prior that of the whole one given t = t*
//   B = P(A | data) / P(A)              the model in which the statement A holds [klugkist2007]
//
// Densities are those on the unconstrained space: the Jacobian of a transform is in both, and cancels.
#pragma once
#include "density/model.hpp"
#include "infer/core/sample.hpp"

namespace credo::results {

// Function that reports if a statement holds, for rows of Model::outputs(): 0 or 1 each.
using Holds = std::function<std::vector<double>(const std::vector<std::vector<double>>& outputs)>;

// The restriction that defines the nested model: values of parameters, or a statement.
struct NestedModel {
  std::string text;
  std::vector<std::pair<std::string, double>> values = {};  // "theta", "beta[2]"
  Holds holds = nullptr;                                    // used without values
};
// "theta = 0" or "beta[1] = 0, beta[2] = 1" as values; anything else is a statement, whose `holds` the caller gives.
// Throws Error(usage) for an empty text.
NestedModel parse_nested(const std::string& text);

struct SavageDickey {
  infer::LogEvidence log_factor;  // NaN as error: not known
  std::vector<std::string> notes = {};
  Index num_evaluations = 0;
};

// `posterior`: free positions, S × C × D; as many draws of the prior are made. Throws Error(usage) for a parameter that
// isn't there, can't have the value, or isn't an unconstrained coordinate by itself, or if the prior can't be drawn from;
// Error(evaluation) where no draw of one of both fulfils the statement.
SavageDickey savage_dickey(const density::Model& model, const NestedModel& nested,
                           const density::Draws& posterior, std::uint64_t seed);

}  // namespace credo::results
