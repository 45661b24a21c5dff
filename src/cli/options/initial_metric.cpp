#include "cli/options/initial_metric.hpp"

#include <fmt/format.h>

#include "density/names.hpp"
#include "io/json_reader.hpp"
#include "results/files/start_points.hpp"

namespace credo::cli {

void InitialMetric::describe(Arguments& a) {
  a.option("--inv-metric", path,
           "JSON file with inv_metric to begin with: variances of the unconstrained values, or "
           "covariances (--metric dense_e); or a result, for the metric of its first chain or the "
           "inverse curvature at its best mode",
           any_file());
}

void InitialMetric::apply(const density::Names& names, io::InputFiles& files,
                          infer::SampleOptions& options) const {
  if (path.empty()) return;
  const Index dimension = names.num_continuous();
  if (const std::string& content = files.read(path); results::is_start_json(content)) {
    options.inv_metric = results::parse_start_json(content, path, names.free_names()).inv_metric;
    return;
  }
  const io::DataTable table = io::parse_json_data(files.read(path), path);
  const io::DataValue* value = table.find("inv_metric");
  if (value == nullptr)
    throw Error(ErrorCode::data, "the file has no inv_metric", path,
                "write {\"inv_metric\": [...]}, one variance for each unconstrained value");
  const bool is_vector = value->dims == std::vector<Index>{dimension};
  const bool is_matrix = value->dims == std::vector<Index>{dimension, dimension};
  if (!is_vector && !is_matrix)
    throw Error(ErrorCode::data,
                fmt::format("inv_metric is {}, but the model has {} unconstrained values",
                            io::describe(*value), dimension),
                value->where, "give a vector of so many variances, or a square matrix");
  options.inv_metric = value->reals;
  if (value->reals.empty())
    options.inv_metric.assign(value->integers.begin(), value->integers.end());
}

}  // namespace credo::cli
