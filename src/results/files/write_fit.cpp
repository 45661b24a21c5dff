#include "results/files/write_fit.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/file.hpp"
#include "io/written_files.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/draw_files.hpp"
#include "results/files/fit_arrays.hpp"
#include "results/files/table_groups.hpp"

namespace credo::results {

namespace {
std::optional<struct stat> found(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

std::string kind_of(const struct stat& info) {
  if (S_ISDIR(info.st_mode)) return "a directory";
  if (S_ISFIFO(info.st_mode)) return "a pipe";
  if (S_ISSOCK(info.st_mode)) return "a socket";
  return S_ISREG(info.st_mode) ? "a file" : "a device";
}

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw Error(ErrorCode::usage, "the output " + message, "", hint);
}

// A rename would put a file in the place of a device.
void require_writable_kind(const std::string& path, bool netcdf) {
  const auto info = found(path);
  if (!info || S_ISREG(info->st_mode)) return;
  if (S_ISDIR(info->st_mode))
    refuse(fmt::format("{} is a directory", path), "name a file: " + path + "/fit.nc");
  if (netcdf)
    refuse(fmt::format("{} is {}: NetCDF is written to files only", path, kind_of(*info)),
           "name a file, or leave the option out if no draws are needed");
}

// The beginning of the names of CSV files is no file itself: whoever names a directory or a device
// means it.
void require_prefix(const std::string& path) {
  const auto info = found(path);
  if (path.ends_with('/') || (info && S_ISDIR(info->st_mode)))
    refuse(fmt::format("{} is a directory", path),
           fmt::format("name files in it: {}{}fit", path, path.ends_with('/') ? "" : "/"));
  if (info && !S_ISREG(info->st_mode))
    refuse(fmt::format("{} is {}, and CSV files are called {}, ...", path, kind_of(*info),
                       csv_name(path, 0)),
           "name the beginning of their names, or leave the option out if no draws are needed");
}
}  // namespace

std::vector<std::string> files_of(const FitOutput& output, Index num_chains) {
  if (output.netcdf) return {output.path};
  std::vector<std::string> all;
  for (Index c = 0; c < num_chains; ++c) all.push_back(csv_name(output.path, c));
  for (const std::string& table : output.tables) all.push_back(table_name(output.path, table));
  return all;
}

void require_places(const FitOutput& output, Index num_chains,
                    std::span<const std::string> inputs) {
  if (!output.netcdf) require_prefix(output.path);
  const std::vector<std::string> files = files_of(output, num_chains);
  for (const std::string& path : files) require_writable_kind(path, output.netcdf);
  const io::WrittenFiles written(files);
  for (const std::string& input : inputs) io::require_not_written(input);
}

FitWriting::FitWriting(Fit& fit, const FitOutput& output) : path_(output.path) {
  require_places(output, fit.num_chains() / fit.num_walkers());
  constexpr double kBytes = 8.0;
  const Index num_draws = (fit.num_draws(false) + fit.num_draws(true)) * fit.num_chains();
  io::require_space(path_, kBytes * static_cast<double>(num_draws * num_quantities(fit)));
  if (!output.netcdf) {
    write_csv_files(fit, output);
    return;
  }
  try {
    work_ =
        fit.apart([&] { write_arrays_here(FitArrays(fit, output), output.path, output.readers); });
  } catch (...) {
    io::remove_left_parts(path_);
    throw;
  }
}

FitWriting::~FitWriting() {
  if (work_ == nullptr) return;
  work_.reset();
  io::remove_left_parts(path_);
}

void FitWriting::wait() {
  if (work_ == nullptr || has_failed_) return;
  has_failed_ = true;
  try {
    work_->wait();
  } catch (const Error& error) {
    io::remove_left_parts(path_);
    throw Error(error.code(), error.message(), error.where().empty() ? path_ : error.where(),
                error.hint());
  }
  work_.reset();
}

bool FitWriting::is_complete() {
  if (work_ != nullptr && work_->has_ended()) wait();
  return work_ == nullptr;
}

void write_fit(Fit& fit, const FitOutput& output) { FitWriting(fit, output).wait(); }

}  // namespace credo::results
