#include "report/level_labels.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/data/data_files.hpp"

namespace credo::report {

Levels levels_of(const results::Fit& fit) {
  const io::InputFiles::Contents files = fit.files();
  Levels levels;
  try {
    if (!io::holds_data(files, fit.origin().data_path)) return levels;
    const io::DataTable data = io::read_data(fit.origin().data_path, files);
    for (const std::string& name : data.names())
      if (const io::DataValue& value = *data.find(name); value.column != nullptr)
        if (!value.column->levels.empty()) levels[name] = value.column->levels;
  } catch (const Error&) {
    levels.clear();
  }
  return levels;
}

std::string label_of(const Levels& levels, const std::string& variable, double value) {
  const auto found = levels.find(variable);
  const bool is_code = found != levels.end() && value >= 1.0 &&
                       value <= static_cast<double>(found->second.size()) &&
                       value == std::floor(value);
  return is_code ? found->second[static_cast<std::size_t>(value) - 1] : fmt::format("{:g}", value);
}

}  // namespace credo::report
