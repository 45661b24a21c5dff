// The density of some coordinates f given the others φ as a normal distribution times augmented functions of one linear combination each:
//
//   p(f | φ) ∝ exp(hᵀ f - ½ fᵀ P f) Π g_k(a_kᵀ f)
//
// P, h, a_k and the numbers of g_k depend on φ. BlockReader reads them from gradients: those of the prior and of the likelihood if that is
// quadratic in f, else those of its single rows (docs/algorithms/augmentation.md).
#pragma once
#include "density/model.hpp"
#include "infer/augment/augmentation.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {

struct BlockSite {
  std::vector<Index> places;  // in the block, with a weight that isn't 0
  std::vector<double> weights;
  const Augmentation* form = nullptr;
  FormNumbers numbers{};
  Index row = kAxis;                  // its number in the likelihood
  static constexpr Index kAxis = -1;  // a term of the prior, of one coordinate

  double along(std::span<const double> f) const {
    double s = 0.0;
    for (std::size_t k = 0; k < places.size(); ++k)
      s += weights[k] * f[static_cast<std::size_t>(places[k])];
    return s;
  }
};

struct BlockForm {
  numerics::RowMatrix precision;
  std::vector<double> shift;
  std::vector<BlockSite> sites;

  struct Value {
    double log_density = 0.0, size = 0.0;  // up to a constant; sum of the sizes of its terms
    double rounding = 0.0;                 // error of a program that rounds probabilities
  };
  Value at(std::span<const double> f) const;
  bool has_fixed_precision() const;
};
void add_site(const BlockSite& site, const LatentFactor& factor, BlockForm& into);
void add_form(const BlockForm& part, BlockForm& into);  // precision and shift alone

// Parameters that are drawn together, and the form of their density at one φ.
struct BlockPlan {
  const density::Model* model = nullptr;
  std::vector<std::string> names;
  std::vector<Index> inner, outer;  // coordinates, ascending
  bool has_prior = false;           // prior and likelihood are known apart; else prior is all
  bool uses_rows = false;
  BlockForm prior, likelihood;
  bool is_prior_fixed = false, is_likelihood_fixed = false;  // they don't depend on φ

  bool is_fixed() const { return is_prior_fixed && is_likelihood_fixed; }
};

// `names`: parameters joined by commas; empty: as many as the program allows, in the order of their declaration. Throws Error(usage) with the
// reason if none has this form. The density must live as long.
BlockPlan find_block(const density::LogDensity& density, std::string_view names,
                     std::string_view algorithm);

}  // namespace credo::infer
