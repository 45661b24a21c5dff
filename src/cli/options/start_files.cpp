#include "cli/options/start_files.hpp"

#include "cli/results.hpp"
#include "density/model.hpp"
#include "results/files/start_points.hpp"

namespace credo::cli {
namespace {
bool begins_as_result(std::string_view content) {
  return content.starts_with("\x89HDF\r\n") || content.starts_with("CDF") ||
         content.starts_with("SQLite format 3");
}

bool is_result(const std::string& path, const io::InputFiles& files) {
  if (path.empty()) return false;
  const auto known = files.contents().find(path);
  if (known != files.contents().end())
    return begins_as_result(known->second) ||
           (path.ends_with(".csv") && !is_start_json(known->second));
  return is_run_file(path) || is_netcdf_file(path) ||
         (path.ends_with(".csv") && files.can_read(path));
}

void keep(const std::string& path, const StartFiles& named, const density::Model& model,
          io::InputFiles& files, Index num_chains) {
  if (!is_result(path, files)) return;
  const auto fit = open_fit(std::span(&path, 1));
  StartPoints starts{.free_names = model.free_names(), .points = {}, .inv_metric = {}};
  if (path == named.init) starts.points = points_from(*fit, model, num_chains);
  if (path == named.inv_metric) starts.inv_metric = inv_metric_from(*fit, model);
  files.add(path, to_json(starts));
  files.come_from(path);
}
}  // namespace

void keep_starts(const StartFiles& named, const density::Model& model, io::InputFiles& files,
                 Index num_chains) {
  keep(named.init, named, model, files, num_chains);
  if (named.inv_metric != named.init) keep(named.inv_metric, named, model, files, num_chains);
}

}  // namespace credo::cli
