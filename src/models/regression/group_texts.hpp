// Texts of programs for the effects of groups.
#pragma once
#include "models/regression/group_block.hpp"

namespace credo::models {

// Declarations of parameters. `centred`: effects are parameters, not standard normals.
std::string group_parameters(const GroupBlock& group, bool centred);
// Lines of transformed parameters: the effects from the standard ones.
std::string group_effects(const GroupBlock& group, bool centred);
// Statements of the model block, without those of the standard deviations.
std::string group_statements(const GroupBlock& group, bool centred);
// Lines of transformed data: the group of each row.
std::string group_rows(const GroupBlock& group);
// Generated quantities: correlations.
std::string group_correlations(const GroupBlock& group);

// ---- predictions
// Names of effects begin with it in predictions, where new levels have effects, too.
inline constexpr std::string_view kAllEffects = "all_";
// Data that the front end computes: the number of new levels, and the group of each row.
std::string predicted_rows(const GroupBlock& group);
// Effects of known levels, and behind them those of new ones, drawn once for each level.
std::string predicted_effects(const GroupBlock& group);

// "name ~ prior;", nothing without a prior.
std::string prior_statement(const std::string& name, const std::string& prior);

}  // namespace credo::models
