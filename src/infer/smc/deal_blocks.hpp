// Blocks of particles, dealt over the threads of a team.
#pragma once
#include "base/types.hpp"

namespace credo {
class Team;
}

namespace credo::infer {

// Order of the first block, alone or with the others: the first block that meets a stage of a model compiles it.
enum class FirstBlock { alone, with_others };

// Calls work(block, member) for blocks 0 .. num_blocks - 1, by the calling thread without a team. Throws like `work`.
void deal_blocks(Team* team, Index num_blocks,
                 const std::function<void(Index block, Index member)>& work,
                 FirstBlock first = FirstBlock::alone);

}  // namespace credo::infer
