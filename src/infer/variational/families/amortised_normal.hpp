// Normal distributions whose means and standard deviations a network computes from features of rows (amortised inference [kingma2014]):
//
//   x_nk = c_k + u_k (m_k(f_n) + exp(s_k(f_n)) z_nk)     values of row n of the data: m and s are the outputs of one network
//   with offsets: m + ω δ and s + δ', ω = exp of s at the start, two for each x_nk, which are the last of λ
//   with auxiliary variables a that all rows share: + u_k ω Σ_r l_kr(f_n) a_r, l further outputs (shared_directions.hpp)
//   x_j  = c_j + u_j λ_j                                 points: parameters of the model without a distribution
//   the other values: a normal distribution of any shape
//
// The number of parameters λ doesn't grow with the rows. c and u are the mean and the standard deviation of the start over the rows.
#pragma once
#include "infer/variational/families/normal_family.hpp"
#include "infer/variational/families/row_network.hpp"

namespace credo::infer {

// Values whose distribution a network computes, and the features of each row.
struct NetworkBlock {
  std::vector<Index> coordinates;  // rows × K, row by row
  FeatureTable features;
};

struct AmortisedSetup {
  std::vector<NetworkBlock> blocks = {};
  std::vector<Index> points = {};
  Index num_hidden = 32;
  bool has_offsets = false;
  Index num_auxiliary = 0;  // variables that values of the first block share
  CovarianceShape rest = CovarianceShape::automatic;  // shape of the other values; not blocks
  std::uint64_t seed = 1;
};

// The network of a block at the present member, and the units of its K outputs: mean and standard deviation of the start over the rows, and
// the log of the share of the latter that is within a row.
struct BlockState {
  std::span<const double> centre, unit, spread, parameters;
};

class AmortisedNormal : public NormalFamily {
 public:
  virtual BlockState block_state(std::size_t block) const = 0;
  // The normal distribution of the values that are neither local nor points, and their coordinates; null without any.
  virtual const NormalFamily* rest() const = 0;
  virtual std::span<const std::size_t> rest_coordinates() const = 0;
  // Other features for the rows of a block, with as many rows. move_to() uses them from then on.
  virtual void set_features(std::size_t block, FeatureTable features) = 0;
};

std::unique_ptr<AmortisedNormal> make_amortised_normal(const FamilySetup& setup,
                                                       const AmortisedSetup& amortised);

}  // namespace credo::infer
