// Draws in memory: S draws of each of C chains for D quantities.
//
// Stored draw × chain × quantity with the draw index fastest, so that what a diagnostic reads, all
// draws of one quantity in one chain, is contiguous, and so are the C chains of one quantity.
#pragma once
#include "base/error.hpp"
#include "base/types.hpp"

namespace credo::density {

class Draws {
 public:
  Draws() = default;
  Draws(Index num_draws, Index num_chains, Index num_quantities);  // filled with NaN
  Draws(const Draws& other);                                       // copies the values
  Draws(Draws&&) noexcept = default;
  Draws& operator=(const Draws& other) { return *this = Draws(other); }
  Draws& operator=(Draws&&) noexcept = default;
  ~Draws() = default;

  Index num_draws() const { return num_draws_; }
  Index num_chains() const { return num_chains_; }
  Index num_quantities() const { return num_quantities_; }

  double& operator()(Index draw, Index chain, Index quantity) {
    return first_[offset(draw, chain, quantity)];
  }
  double operator()(Index draw, Index chain, Index quantity) const {
    return first_[offset(draw, chain, quantity)];
  }

  // All draws of one quantity in one chain: S values.
  std::span<const double> chain(Index chain, Index quantity) const;
  // One quantity in all chains: S × C values, column-major.
  std::span<const double> quantity(Index quantity) const;

  // One draw of one chain as a row, D values.
  void set(Index draw, Index chain, std::span<const double> row);
  void get(Index draw, Index chain, std::span<double> row) const;

  // `count` quantities from `first` on, for reading: they share the values of these draws and keep them alive.
  Draws part(Index first, Index count) const;

  // The first num_draws draws of every chain (in an interrupted run, the draws that all chains have).
  Draws head(Index num_draws) const;

 private:
  std::size_t offset(Index draw, Index chain, Index quantity) const {
    CREDO_ASSERT(draw >= 0 && draw < num_draws_ && chain >= 0 && chain < num_chains_ &&
                     quantity >= 0 && quantity < num_quantities_,
                 "a draw lies inside the store");
    return static_cast<std::size_t>(draw + num_draws_ * (chain + num_chains_ * quantity));
  }

  Index num_draws_ = 0, num_chains_ = 0, num_quantities_ = 0;
  std::shared_ptr<double[]> values_;
  double* first_ = nullptr;  // first value of these draws, in values_
};

}  // namespace credo::density
