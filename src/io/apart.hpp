// Work in a process of its own, for a library that doesn't survive a file it can't write: netCDF
// and HDF5 crash in the attempt to tidy up, some of it when the program ends.
//
//   run_apart([&] { write_file(arrays, path); });
//
//   WorkApart work([&] { write_file(arrays, path); });  // the same, while this process does other work
//   work.wait();
//
// The process is a copy of this one with one thread. It ends with this one, and without tidying up.
#pragma once
#include "io/run_file.hpp"

namespace credo::io {

// Work in progress. Objects that it uses needn't outlive the constructor: the process has copies.
class WorkApart {
 public:
  // Throws Error(io) if there can be no process. No other thread may be running.
  explicit WorkApart(const std::function<void()>& work);
  // The work reads a run file: a database that is open can't be shared with a copy of this process,
  // so each has a connection of its own.
  WorkApart(const std::function<void()>& work, RunFile& file);
  ~WorkApart();  // ends work in progress
  WorkApart(const WorkApart&) = delete;
  WorkApart& operator=(const WorkApart&) = delete;

  bool has_ended();  // doesn't wait; wait() returns at once then
  // Returns when the work is done; its changes of memory are lost. Throws the Error that it threw,
  // Error(io) if it crashed, and Stopped where the caller is to stop, which ends the work.
  void wait();

 private:
  WorkApart() = default;
  void begin(const std::function<void()>& work);
  int process_ = 0;  // 0: it has ended
  Descriptor pipe_;
};

// Begins the work and waits for it.
void run_apart(const std::function<void()>& work);

}  // namespace credo::io
