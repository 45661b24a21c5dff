// credo summary: posterior summary of CSV files of draws, ours or CmdStan's.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/summarise.hpp"
#include "io/stan_csv.hpp"

namespace credo::cli {
namespace {

class SummaryCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "CSV files of draws, one a chain", file_ending(".csv"));
    arguments.option("--columns", columns_, "only these columns; may be repeated");
  }

  int run(Output& output) override {
    std::vector<io::StanCsv> chains;
    for (const std::string& file : files_) chains.push_back(io::read_stan_csv(file));
    check_agreement(chains);
    const Index draws = num_draws(chains[0]);
    std::vector<std::string> names = chosen_columns(chains[0]);
    density::Draws values(draws, std::ssize(chains), std::ssize(names));
    for (std::size_t c = 0; c < chains.size(); ++c) {
      for (std::size_t k = 0; k < names.size(); ++k) {
        const auto column = chains[c].column(*chains[c].find_column(names[k]));
        for (Index s = 0; s < draws; ++s) {
          values(s, static_cast<Index>(c), static_cast<Index>(k)) =
              column[static_cast<std::size_t>(chains[c].num_warmup_rows + s)];
        }
      }
    }
    const Summary summary = summarise_columns(names, values);
    output.print(json ? io::summary_json(summary) + "\n" : summary_text(summary));
    return 0;
  }

 private:
  static Index num_draws(const io::StanCsv& csv) { return csv.num_rows - csv.num_warmup_rows; }

  void check_agreement(std::span<const io::StanCsv> chains) const {
    for (std::size_t c = 1; c < chains.size(); ++c) {
      if (chains[c].columns != chains[0].columns) {
        throw Error(ErrorCode::data, "the columns differ from those of " + files_[0], files_[c]);
      }
      if (num_draws(chains[c]) != num_draws(chains[0])) {
        throw Error(ErrorCode::data,
                    fmt::format("{} draws, but {} has {}", num_draws(chains[c]), files_[0],
                                num_draws(chains[0])),
                    files_[c]);
      }
    }
  }

  // The sampler's own columns end in __; of these only lp__ is summarised.
  std::vector<std::string> chosen_columns(const io::StanCsv& csv) const {
    std::vector<std::string> names;
    for (const std::string& name : csv.columns) {
      if (name == "lp__" || !name.ends_with("__")) names.push_back(name);
    }
    if (columns_.empty()) return names;
    for (const std::string& name : columns_) {
      if (!csv.find_column(name))
        throw Error(ErrorCode::usage, fmt::format("there is no column '{}'", name), "--columns");
    }
    return columns_;
  }

  std::vector<std::string> files_, columns_;
};
}  // namespace

const CommandRow summary_command{"summary", "posterior summary of CSV files of draws",
                                 "  credo summary fit_1.csv fit_2.csv fit_3.csv fit_4.csv\n",
                                 make_command<SummaryCommand>,
                                 "Standard output: the table, as text or JSON. No files."};

}  // namespace credo::cli
