// Tails of discrete distributions without a closed form: sums of masses, element by element.
#pragma once
#include "dist/formula.hpp"

namespace credo::dist {

struct WholeRange {
  double from, to;  // both belong to it; empty if to < from
};

// The logarithm of the mass is the sum of the terms.
using LogMass = Terms (*)(const Expr& y, Args args);

// The number of elements of an elementwise formula.
Index num_elements(const Expr& y, Args args);

// log sum_{k in range i} mass(k) of each element i; -infinity for an empty range.
Expr log_sum_of_masses(LogMass log_mass, std::span<const WholeRange> ranges, Args args);

// Both tails of a distribution with a bounded support of known whole numbers: the smaller one as a
// sum of positive terms, the larger one as its rest.
struct Tails {
  Expr log_cdf, log_ccdf;
};
Tails tails_by_masses(LogMass log_mass, const Expr& y, Args args, const Support& support);

}  // namespace credo::dist
