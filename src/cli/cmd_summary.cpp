// credo summary: posterior summary of a run file, a NetCDF file or CSV files of draws.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/summarise.hpp"

namespace credo::cli {
namespace {

class SummaryCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a run file, a NetCDF file, or CSV files, one a chain",
                          any_file());
    arguments.option("--columns", columns_, "only these columns; may be repeated");
  }

  int run(Output& output) override {
    const auto fit = open_fit(files_);
    tell_doubts(*fit, output);
    const Summary summary =
        columns_.empty() ? summarise(*fit) : summarise(*fit, chosen_quantities(*fit));
    output.print(json ? io::summary_json(summary) + "\n" : summary_text(summary));
    return 0;
  }

 private:
  std::vector<Index> chosen_quantities(const Fit& fit) const {
    std::vector<Index> chosen;
    for (const std::string& name : columns_) {
      const auto found = find_quantity(fit, name);
      if (!found)
        throw Error(ErrorCode::usage, fmt::format("there is no column '{}'", name), "--columns");
      chosen.push_back(*found);
    }
    return chosen;
  }

  std::vector<std::string> files_, columns_;
};
}  // namespace

const CommandRow summary_command{"summary", "posterior summary of the draws in files",
                                 "  credo summary fit.nc\n"
                                 "  credo summary fit_1.csv fit_2.csv fit_3.csv fit_4.csv\n",
                                 make_command<SummaryCommand>,
                                 "Standard output: the table, as text or JSON. No files."};

}  // namespace credo::cli
