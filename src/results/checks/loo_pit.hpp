// Calibration of the predictions of single observations given all others: LOO-PIT, the probability of a replicate
// below the observation, with the weights of leave-one-out [gelman2013, ch. 7; vehtari2017].
#pragma once
#include "results/checks/predictive_check.hpp"
#include "results/draws/places.hpp"

namespace credo::results {

struct LooPit {
  // Places of elements that are the outcome of one row of the likelihood, which has no other element: ties at random.
  std::vector<double> places;
  std::vector<std::string> elements;
  bool has_own_rows = false;  // the rows are elements of the program's log_lik
  Index num_unmatched = 0;    // elements without a row of their own
  Index num_unreliable = 0;   // elements with places whose Pareto k is above the limit
  double largest_k = kNaN, k_limit = kNaN;
  PlaceFigures figures;
};

// For each element of an observed variable the row of the likelihood that it is the outcome of; -1: no row, or unknown.
// `other`: values that the data might have had, of some data sets, which identify rows: those that change with an element
// and with no other one.
std::vector<Index> rows_of_elements(const density::Model& model,
                                    const density::ObservedVariable& data,
                                    std::span<const std::vector<double>> other,
                                    std::span<const double> point);

// If the model's rows are elements of its log_lik and none belongs to a single element of the data, the rows of its
// statements are used. `replicated`: result of replicate_fit() with as many draws, all elements of a variable of the
// data. Throws Error(program) if the model has no known rows, Error(usage) if the variable isn't in the data block.
LooPit loo_pit(const Fit& fit, const density::Model& model, const Replicated& replicated,
               const CheckOptions& options);

}  // namespace credo::results
