// Calls of the functions that follow from a row of dist/table.cpp: normal_lpdf, normal_lcdf,
// and `~`; normal_rng is in lang/trace/draw_call.hpp.
#pragma once
#include "dist/distribution.hpp"
#include "lang/trace/builtins.hpp"

namespace credo::lang {

enum class DistributionRole { density, cdf, log_cdf, log_ccdf, draw };
struct DistributionFunction {
  const dist::Distribution* distribution = nullptr;
  DistributionRole role = DistributionRole::density;
};

dist::Tail tail_of(DistributionRole role);  // for cdf, log_cdf and log_ccdf

// Role of "_lpdf", "_lpmf", "_cdf", "_lcdf", "_lccdf" or "_rng"; nullopt if the row lacks the function.
std::optional<DistributionRole> role_of(const dist::Distribution& d, std::string_view suffix);

// "normal_lpdf" -> {normal, density}; nothing when there is no such row or it lacks the function.
std::optional<DistributionFunction> distribution_function(std::string_view name);

// The log density of a call of a built-in _lpdf or _lpmf. drop: leave out what `~` drops.
dist::Density density_of(Machine& machine, const typed::Call& call,
                         std::span<const Value> arguments, bool drop);

// a + b of one type, so that the sum of all elements is the sum of those of a and of b.
bool is_sum_of_equals(const typed::Call& call);

// True for a call of a row's density with an outcome.
bool is_density(const typed::Call& call);

// True for a call of a density, a built-in one or one that the program defines.
bool is_any_density(const typed::Call& call);

// is_tail: true for calls of _lcdf or _lccdf, built-in or defined by the program. rows_of_tail: the values for each
// outcome, a vector or a scalar; empty for functions of the program.
bool is_tail(const typed::Call& call);
Expr rows_of_tail(Machine& machine, const typed::Call& call, std::span<const Value> arguments);

// The log density of such a call by outcomes, complete: a vector, or a scalar where there is one.
Expr rows_of(Machine& machine, const typed::Call& call, std::span<const Value> arguments);

// All containers of a univariate call have one length.
void check_lengths(const Machine& machine, std::string_view name, std::span<const Value> arguments);
std::vector<Expr> expressions(Machine& machine, std::span<const Value> arguments);

Value run_density(const BuiltinCall& c);
Value run_tail(const BuiltinCall& c);

}  // namespace credo::lang
