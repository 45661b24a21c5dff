#include "cli/project/regression_file.hpp"

#include <fmt/format.h>

#include "cli/project/program_words.hpp"
#include "cli/term/terminal.hpp"

namespace credo::cli {

models::Regression regression_of(models::RegressionRequest& request, io::InputFiles& files,
                                 Output& output) {
  request.is_usable = is_free_in_programs;
  request.distributions = density_names();
  models::FormulaFaults faults;
  const auto text_of = [&](const std::string& path) -> const std::string& {
    return files.read(path);
  };
  models::Regression made = models::make_regression(request, text_of, faults);
  if (faults.empty()) return made;
  output.note(visible(faults.text(made.formula)));
  throw Error(ErrorCode::data, fmt::format("formula and table have {} fault{}", faults.size(),
                                           faults.size() == 1 ? "" : "s"));
}

}  // namespace credo::cli
