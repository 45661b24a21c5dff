// Priors of the coefficients of a set of columns, by which its evidence is known in closed form. A row each.
#pragma once
#include "base/types.hpp"

namespace credo::models {

struct SlabOptions {
  double g = 0.0;  // variance of the g-prior; 0: the number of rows
  double width =
      1.0;  // normal: sd in units of the noise for columns of sd 1; uniform: half the range in sds of the outcome
  double sigma = 0.0;  // known sd of the noise; 0: integrated out with the density 1 / sigma^2
};

// Facts of a fitted set: p columns, n rows, an intercept that is integrated out with a flat prior.
struct SubsetFit {
  double residual, log_determinant;  // SweptProducts
  double total;                      // sum of squares of the centred outcome
  double num_rows;
  Index num_columns;
};

// Moments of the coefficients given the set: mean = shrinkage * M_Sy, variance = scale * diagonal of A^-1.
struct SlabMoments {
  double shrinkage, scale;
};

struct SlabRow {
  std::string_view name, summary;
  bool has_evidence;  // false: a penalised fit, whose mode is all there is
  double (*ridge)(const SlabOptions&);
  // log p(y | set) up to a constant that all sets share; -infinity for sets of too many columns.
  double (*log_evidence)(const SubsetFit&, const SlabOptions&);
  SlabMoments (*moments)(const SubsetFit&, const SlabOptions&);
};

std::span<const SlabRow* const> slab_rows();  // alphabetical
const SlabRow& find_slab(std::string_view name);

}  // namespace credo::models
