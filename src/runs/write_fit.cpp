#include "runs/write_fit.hpp"

#include "base/stop.hpp"
#include "io/file.hpp"
#include "runs/draw_files.hpp"
#include "runs/result_file.hpp"

namespace credo::runs {

void write_fit(Fit& fit, const FitOutput& output) {
  constexpr double kBytes = 8.0;
  const std::string& path = output.path;
  const Index num_draws = (fit.num_draws(false) + fit.num_draws(true)) * fit.num_chains();
  io::require_space(path, kBytes * static_cast<double>(num_draws * num_quantities(fit)));
  if (!output.netcdf) return write_csv_files(path, fit, output.sig_figs);
  try {
    fit.apart([&] { write_netcdf(path, fit); });
  } catch (const Error& error) {
    io::remove_left_parts(path);
    throw Error(error.code(), error.message(), error.where().empty() ? path : error.where(),
                error.hint());
  } catch (const Stopped&) {
    io::remove_left_parts(path);
    throw;
  }
}

}  // namespace credo::runs
