// The ranks that mpirun or srun has started, by way of libcredo_mpi (src/mpi/component.h).
#pragma once
#include "base/ranks.hpp"

namespace credo::cli {

// Null if this process was started alone, or is treated so because of CREDO_MPI=off. Throws Error(usage) if it was
// started with others and can't join them: independent programs would write the same files.
std::unique_ptr<Ranks> open_ranks();

}  // namespace credo::cli
