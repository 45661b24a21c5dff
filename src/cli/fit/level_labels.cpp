#include "cli/fit/level_labels.hpp"

#include "cli/tables/regression_prediction.hpp"
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

// Names in the formula of a regression by those of its program; none of a fit without its table.
std::map<std::string, std::string> formula_names(const results::Fit& fit) {
  if (!is_regression(fit)) return {};
  std::size_t num_bytes = 0;
  for (const auto& [path, text] : fit.files()) num_bytes += text.size();
  if (num_bytes > kMostBytes) return {};
  Output silent;
  silent.is_silent = true;
  std::map<std::string, std::string> names;
  try {
    const models::Regression made = regression_of_fit(fit, silent);
    for (const auto& [output, name] : table_names(made)) names[output] = name;
    // At the means of the columns, where the prior is stated; the formula's own is the one at zero.
    for (const models::Predictor& predictor : made.predictors)
      if (!names.contains(predictor.intercept))
        names[predictor.intercept] = predictor.prefix() + "intercept at the means";
  } catch (const Error&) {
    return {};  // another version wrote the program, or the table is left out
  }
  return names;
}
}  // namespace

std::function<std::string(const std::string& element)> element_levels(const results::Fit& fit) {
  return [dimensions = dimensions_of(fit)](const std::string& element) {
    return model::level_of(dimensions, element);
  };
}

void label_levels(results::Summary& summary, const results::Fit& fit) {
  const auto level_of = element_levels(fit);
  const std::map<std::string, std::string> in_formula = formula_names(fit);
  for (io::SummaryRow& row : summary)
    if (const auto found = in_formula.find(row.name); found != in_formula.end()) {
      if (found->second != row.name) row.name += " = " + found->second;
    } else if (const std::string level = level_of(row.name); !level.empty()) {
      row.name += " " + level;
    }
}

}  // namespace credo::cli
