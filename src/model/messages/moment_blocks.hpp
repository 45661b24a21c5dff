// The blocks of coordinate ascent: which declared values share a factor, and its family.
#pragma once
#include "density/moment_form.hpp"
#include "model/messages/moment_uses.hpp"

namespace credo::model {

struct MomentBlocks {
  std::vector<density::MomentBlock> blocks;
  std::vector<Index> block_of, place_in;  // block and place of each declared value
  Index num_statistics = 0;
  Index num_steps = 0;
};

// A parameter that has no family: a clause about the parameter, the statement to blame, and a way out.
struct NoFamily {
  std::size_t parameter = 0;
  std::string reason, hint;
  std::int32_t statement = 0;
};

// Throws NoFamily, or Error(usage) for a request that names no parameters.
MomentBlocks moment_blocks(const DeclaredParameters& declared, std::span<const GroupUses> uses,
                           const density::MomentRequest& request);
// In words: "log x", "x^-2".
std::string atom_name(const graph::Atom& atom, const std::string& of);

}  // namespace credo::model
