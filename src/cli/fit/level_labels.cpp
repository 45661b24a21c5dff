#include "cli/fit/level_labels.hpp"

#include "io/data/data_files.hpp"
#include "model/data/level_dimensions.hpp"
#include "model/data/program_table.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kMostBytes = 1 << 25;  // larger data aren't read again for their levels

model::LevelDimensions dimensions_of(const results::Fit& fit) {
  const io::InputFiles::Contents files = fit.files();
  const auto program = files.find(fit.origin().model_path);
  const std::vector<std::string> data = io::data_files(fit.origin().data_path);
  if (program == files.end() || data.empty()) return {};
  std::size_t num_bytes = 0;
  for (const std::string& path : data) {
    const auto text = files.find(path);
    if (text == files.end() || (num_bytes += text->second.size()) > kMostBytes) return {};
    if (io::data_format(path, text->second) == io::DataFormat::json && data.size() == 1) return {};
  }
  lang::Diagnostics diagnostics;
  lang::SourceMap map;
  const auto source = model::compile_text("model.stan", program->second, diagnostics, map);
  if (source == nullptr) return {};  // the program has includes
  const io::DataTable table = io::read_data(fit.origin().data_path, files);
  return model::level_dimensions(source->program, model::table_for(*source, table));
}
}  // namespace

std::function<std::string(const std::string& element)> element_levels(const results::Fit& fit) {
  return [dimensions = dimensions_of(fit)](const std::string& element) {
    return model::level_of(dimensions, element);
  };
}

void label_levels(results::Summary& summary, const results::Fit& fit) {
  const auto level_of = element_levels(fit);
  for (io::SummaryRow& row : summary)
    if (const std::string level = level_of(row.name); !level.empty()) row.name += " " + level;
}

}  // namespace credo::cli
