// A fit as result files.
#pragma once
#include "io/apart.hpp"
#include "io/readers.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

struct FitOutput {
  std::string path;  // FILE.nc, or the beginning of the names of CSV files (csv_name)
  bool netcdf = true;
  Index sig_figs = 0;                    // in CSV files; 0: all
  bool with_data = true;                 // in a NetCDF file
  std::vector<std::string> tables = {};  // names of those that the run has, beside CSV files
  io::Readers readers = {};
};

// The files that it becomes.
std::vector<std::string> files_of(const FitOutput& output, Index num_chains);

// Checks that needn't wait for the draws: throws Error(usage) if a file can't have this name, since it
// is a directory or, for NetCDF, a device or a pipe; and if it is one of the inputs.
void require_places(const FitOutput& output, Index num_chains,
                    std::span<const std::string> inputs = {});

// Complete under their names or not there, also if netCDF crashes. Files with these names are
// replaced. Throws what require_places throws, Error(io) and Stopped.
void write_fit(Fit& fit, const FitOutput& output);

// Writes a fit while this process does other work that only reads it.
//
//   FitWriting writing(fit, output);
//   summarise(fit);
//   writing.wait();
class FitWriting {
 public:
  // Throws what write_fit throws. CSV files are written here; a NetCDF file by a process of its own.
  FitWriting(Fit& fit, const FitOutput& output);
  ~FitWriting();  // a file that isn't finished is removed
  FitWriting(const FitWriting&) = delete;
  FitWriting& operator=(const FitWriting&) = delete;

  void wait();  // returns when the files are complete; throws Error(io) and Stopped
  // Doesn't wait; throws Error(io) if the files can't be written.
  bool is_complete();

 private:
  std::string path_;
  bool has_failed_ = false;
  std::unique_ptr<WorkApart> work_;  // null: all files are complete
};

}  // namespace credo::results
