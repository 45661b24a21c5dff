// credo summary: posterior summary of a run file, a NetCDF file or CSV files of draws.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/summarise.hpp"
#include "runs/selection.hpp"

namespace credo::cli {
namespace {

class SummaryCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a run file, a NetCDF file, or CSV files, one a chain",
                          any_file());
    arguments.option("--columns", columns_,
                     "only columns with such a name, as beta, 'b*', 'beta[1,*]', 'beta[1:3]' or "
                     "divergent; may be repeated",
                     {.word = "PATTERN"});
  }

  int run(Output& output) override {
    const auto fit = open_fit(files_);
    tell_doubts(*fit, output);
    const Summary summary =
        columns_.empty() ? summarise(*fit) : summarise(*fit, chosen_quantities(*fit));
    constexpr int kPrompt = 1;
    output.print(json
                     ? io::summary_json(summary) + "\n"
                     : summary_text(summary, {.lines_below = kPrompt, .to_see_all = to_see_all()}));
    return 0;
  }

 private:
  // In the order in which they are asked for, each once.
  std::vector<Index> chosen_quantities(const Fit& fit) const {
    std::vector<Index> chosen;
    const auto add = [&](Index quantity) {
      if (std::find(chosen.begin(), chosen.end(), quantity) == chosen.end())
        chosen.push_back(quantity);
    };
    for (const std::string& pattern : columns_) {
      if (const auto found = find_quantity(fit, pattern)) {
        add(*found);
        continue;
      }
      for (const Index place : runs::places_of(pattern, "--columns", fit.layout().element_names()))
        add(first_output(fit) + place);
    }
    return chosen;
  }

  std::string to_see_all() const {
    return fmt::format("credo summary {} | less shows all; --columns NAME those of a variable",
                       fmt::join(files_, " "));
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
