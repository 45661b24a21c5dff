// Draws as CmdStan's CSV: comments with the settings, one line of column names, one line a draw,
// comments with the adapted step size and metric (where warm-up ends) and the times. One file a
// chain. cmdstanr, rstan::read_stan_csv and ArviZ read these files.
#pragma once
#include "io/file.hpp"

namespace credo::io {

struct Setting {
  std::string name, value;
};

// Settings in the comments at the head. Names are CmdStan's if it has the setting.
struct StanCsvHeader {
  std::string model;  // name of the program
  // The readers named above need method = sample, algorithm = hmc, engine = nuts, metric (unit_e,
  // diag_e or dense_e), num_samples, num_warmup, save_warmup (1 or 0: not all read words), thin,
  // id.
  std::vector<Setting> settings;
  std::vector<std::string> columns;  // lp__ first, then the sampler's, then x.1.2
};

struct StanCsvOptions {
  int significant_digits = 0;  // 0: as many as it takes to read back the same double; else 1 to 17
};

// The adapted metric's inverse: D values for a unit or diagonal metric, D x D row by row for a
// dense one.
struct InverseMetric {
  bool dense = false;
  Index dimension = 0;
  std::vector<double> values;
};

// Writes one file in the order header, rows of warm-up if kept, adaptation, rows, finish. Throws
// Error{io}; until finish() has returned there is nothing under the final name.
class StanCsvWriter final {
 public:
  StanCsvWriter(const std::string& path, const StanCsvHeader& header, StanCsvOptions options = {},
                const Readers& readers = {});
  void row(std::span<const double> values);  // one value for each column
  void adaptation(double step_size, const InverseMetric& inverse_metric);
  void finish(double warmup_seconds, double sampling_seconds);

 private:
  OutputFile file_;
  StanCsvOptions options_;
  std::size_t num_columns_;
  std::string line_;
};

// A file read back, by this program or CmdStan.
struct StanCsv {
  std::vector<Setting> settings;
  std::vector<std::string> columns;
  Index num_rows = 0, num_warmup_rows = 0;  // rows of warm-up come first
  int num_digits = 0;                       // significant digits of the longest number of a row
  std::vector<double> values;               // column by column, num_rows each
  std::optional<double> step_size;
  InverseMetric inverse_metric;  // dimension 0: the file has none
  double warmup_seconds = kNaN,
         sampling_seconds = kNaN;  // NaN: the file ends without them, so the run didn't finish

  std::span<const double> column(Index index) const;
  std::optional<Index> find_column(std::string_view name) const;
  const std::string* find_setting(std::string_view name) const;  // the first of this name
};

// Throws Error{io} when the file can't be read, Error{data} with file and line when it isn't such a
// file or ends in the middle of a row.
StanCsv read_stan_csv(const std::string& path);
StanCsv parse_stan_csv(std::string_view text, const std::string& source);

}  // namespace credo::io
