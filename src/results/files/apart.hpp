// Work in a process of its own, for a library that doesn't survive a file it can't write: netCDF
// and HDF5 crash in the attempt to tidy up, some of it when the program ends.
//
//   run_apart([&] { write_netcdf(fit, output); });
//
// The process is a copy of this one with one thread. It ends with this one, and without tidying up.
#pragma once
#include "io/run_file.hpp"

namespace credo::results {

// Returns when the work is done; its changes of memory are lost. Throws the Error that it threw,
// Error(io) if it crashed, and Stopped where the caller is to stop. No other thread may be running.
void run_apart(const std::function<void()>& work);

// The work reads a run file: a database that is open can't be shared with a copy of this process,
// so each has a connection of its own.
void run_apart(const std::function<void()>& work, io::RunFile& file);

}  // namespace credo::results
