// An approximation's result as the prior of the next data (density/earlier_posterior.hpp): read from a fit, kept as a JSON text with
// the inputs of the run that begins with it, so that this one can be repeated without the earlier result.
#pragma once
#include "density/earlier_posterior.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// The normal distribution of a fit whose model this is. Throws Error(usage) for a fit that has none, with a way out.
// `seen`: digests of the data that an earlier posterior of its own had seen.
density::EarlierPosterior earlier_from(const Fit& fit, const density::Model& model,
                                       std::span<const std::string> seen);

// The normal distribution among a run's settings.
struct EarlierSource {
  std::vector<std::string> names;  // the unconstrained values
  std::string source;              // for messages
};
density::EarlierPosterior earlier_of(const infer::RunResult& result, const EarlierSource& from,
                                     const density::Model& model,
                                     std::span<const std::string> seen = {});

// One digest of all data of a model.
std::string digest_of_values(const density::Model& model);

// Its marginal distribution without these parameters. Throws Error(usage) for a name that it doesn't have.
density::EarlierPosterior without(const density::EarlierPosterior& earlier,
                                  std::span<const std::string> parameters,
                                  const std::string& source);

// Throws Error(usage) if a value is no parameter of the model, or its parameter has another constraint there; Error(data) if it has
// seen the model's data, unless `has_equal_data`.
void require_next(const density::EarlierPosterior& earlier, const density::Model& model,
                  const std::string& source, bool has_equal_data);

std::string to_json(const density::EarlierPosterior& earlier);
bool is_earlier_json(std::string_view text);
density::EarlierPosterior parse_earlier_json(std::string_view text, const std::string& source);

}  // namespace credo::results
