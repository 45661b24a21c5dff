#include "density/draws.hpp"

namespace credo::density {

Draws::Draws(Index num_draws, Index num_chains, Index num_quantities)
    : num_draws_(num_draws),
      num_chains_(num_chains),
      num_quantities_(num_quantities),
      values_(static_cast<std::size_t>(num_draws * num_chains * num_quantities), kNaN) {}

std::span<const double> Draws::chain(Index chain, Index quantity) const {
  return this->quantity(quantity).subspan(static_cast<std::size_t>(chain * num_draws_),
                                          static_cast<std::size_t>(num_draws_));
}

std::span<const double> Draws::quantity(Index quantity) const {
  CREDO_ASSERT(quantity >= 0 && quantity < num_quantities_, "a quantity lies inside the store");
  const auto size = static_cast<std::size_t>(num_draws_ * num_chains_);
  return std::span(values_).subspan(static_cast<std::size_t>(quantity) * size, size);
}

void Draws::set(Index draw, Index chain, std::span<const double> row) {
  CREDO_ASSERT(ssize(row) == num_quantities_, "a row has one value for each quantity");
  for (Index d = 0; d < num_quantities_; ++d)
    (*this)(draw, chain, d) = row[static_cast<std::size_t>(d)];
}

void Draws::get(Index draw, Index chain, std::span<double> row) const {
  CREDO_ASSERT(ssize(row) == num_quantities_, "a row has one value for each quantity");
  for (Index d = 0; d < num_quantities_; ++d)
    row[static_cast<std::size_t>(d)] = (*this)(draw, chain, d);
}

Draws Draws::head(Index num_draws) const {
  Draws first(std::min(num_draws, num_draws_), num_chains_, num_quantities_);
  for (Index d = 0; d < num_quantities_; ++d)
    for (Index c = 0; c < num_chains_; ++c)
      for (Index s = 0; s < first.num_draws(); ++s) first(s, c, d) = (*this)(s, c, d);
  return first;
}

}  // namespace credo::density
