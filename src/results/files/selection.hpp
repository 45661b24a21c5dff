// Selection of a program's outputs: the options --keep and --drop.
//
// A pattern is a name in which * stands for any text and ? for one character: the name of a variable, like
// theta or th*, or that of an element, like theta[1,2], theta.1.2, theta[*,2], theta[,2] or theta[1:3,2].
// Without --keep there is all; --drop takes away from that.
#pragma once
#include "results/files/fit.hpp"

namespace credo::results {

struct Selection {
  std::vector<std::string> keep = {}, drop = {};
  bool empty() const { return keep.empty() && drop.empty(); }
};

// The places of those kept among the elements, in order. Throws Error(usage) for a pattern that
// fits none, with the name nearest to it, and for an empty selection.
std::vector<Index> chosen(const Selection& selection, const density::Layout& layout);

// The places of the columns that one pattern fits, in order. Throws Error(usage), which names
// `option`, if it fits no column.
std::vector<Index> places_of(const std::string& pattern, const char* option,
                             std::span<const std::string> columns);

// The fit with these of its outputs only; what the sampler reports stays.
std::unique_ptr<Fit> selected(std::unique_ptr<Fit> fit, const Selection& selection);

}  // namespace credo::results
