// The table of local rules: one row a rule. A newcomer adds a row to the array of the file it
// belongs to and a test to tests/graph/simplify_test.cpp.
#pragma once
#include "graph/passes/simplify_builder.hpp"

namespace credo::graph {

std::span<const SimplifyRule> arithmetic_rules();  // signs, constants, powers
std::span<const SimplifyRule> function_rules();    // forms that keep digits
std::span<const SimplifyRule> linear_rules();      // weighted sums of linear predictors
std::span<const SimplifyRule> reduction_rules();   // what leaves sums
std::span<const SimplifyRule> structure_rules();   // moves of moves

std::vector<const SimplifyRule*> all_simplify_rules();
std::span<const SimplifyRule* const> rules_of(const Op& op);  // in the order they are tried

// Like `simplify`; calls the observer with every rule that applied.
Traced simplify_observed(const Traced& traced,
                         const std::function<void(const SimplifyRule&)>& observer);

}  // namespace credo::graph
