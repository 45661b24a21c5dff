// The table of a state by times, of filters and smoothers.
#pragma once
#include "infer/smc/particle_filter.hpp"
#include "results/estimates/state_rows.hpp"

namespace credo::cli {

// `last`: the title of one more column, and its number for an element at a time; NaN is left blank.
struct LastColumn {
  std::string title = {};
  std::function<double(Index time, std::size_t element)> value = {};
};
std::string state_table(const results::StateRows& rows, const LastColumn& last,
                        std::string_view what = "state");

// Words for methods without particles: "exact", or that it is an approximation.
std::string_view gaussian_words(bool no_particles, std::string_view method);
// `gaussian`: words for the likelihood of a filter without particles; empty: particles, with so many runs.
std::string likelihood_line(const infer::LikelihoodEstimate& likelihood, std::string_view gaussian,
                            Index num_runs);
// Warning about the likelihood of several particle runs; empty if it is reliable.
std::string likelihood_warning(const infer::LikelihoodEstimate& likelihood, Index num_runs);
// Number of points at which the program was found linear and Gaussian; empty if this wasn't checked.
std::string checked_line(Index num_checked);

}  // namespace credo::cli
