// Kinds of blocks: which units they are about, and their fits.
#pragma once
#include "infer/conjugate/fits.hpp"

namespace credo::infer::conjugate {

// Units that meet, at a centre of the whole problem.
struct Meeting {
  const Problem& problem;
  const Centre& centre;
  std::vector<Index> units;

  const Unit& unit(std::size_t k) const {
    return problem.units[static_cast<std::size_t>(units[k])];
  }
};

// Either a block, or the reason for its absence.
struct Fitted {
  std::unique_ptr<Block> block;
  bool is_improper = false;  // the form is right, but the integral isn't finite
};

struct BlockKind {
  std::string_view name;
  bool (*holds)(const Meeting& meeting) = nullptr;
  Fitted (*fit)(const Meeting& meeting) = nullptr;
};
std::span<const BlockKind* const> block_kinds();

// The real units of a meeting, and the positive one, as places among its values.
std::vector<Index> real_places(const Meeting& meeting);
Index number_of(const Meeting& meeting, Domain domain);
NormalFit fit_reals(const Meeting& meeting, const std::vector<Index>& places);
std::vector<double> at_places(std::span<const double> values, const std::vector<Index>& places);

}  // namespace credo::infer::conjugate
