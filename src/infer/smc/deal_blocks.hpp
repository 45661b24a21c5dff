// Blocks of particles, dealt over the threads of a team.
#pragma once
#include "base/types.hpp"

namespace credo {
class Team;
}

namespace credo::infer {

// Whether the first block runs before the others: what a stage of a model compiles is decided by the first that meets it.
enum class FirstBlock { alone, with_others };

// work(block, member) of blocks 0 .. num_blocks - 1, by the calling thread alone without a team. Throws what `work` throws.
void deal_blocks(Team* team, Index num_blocks,
                 const std::function<void(Index block, Index member)>& work,
                 FirstBlock first = FirstBlock::alone);

}  // namespace credo::infer
