// The ranks that mpirun or srun has started, by way of libcredo_mpi (src/mpi/component.h).
#pragma once
#include "base/ranks.hpp"

namespace credo::cli {

// None where this process was started alone, or CREDO_MPI=off says that it is to be. Throws Error(usage) where it was
// started with others and can't join them: independent programs would write the same files.
std::unique_ptr<Ranks> open_ranks();

}  // namespace credo::cli
