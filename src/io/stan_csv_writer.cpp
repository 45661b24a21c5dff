#include <fmt/format.h>

#include "base/error.hpp"
#include "io/number_text.hpp"
#include "io/stan_csv.hpp"

namespace credo::io {
namespace {
std::string comment(std::string_view name, std::string_view value) {
  return fmt::format("# {} = {}\n", name, value);
}

void append_row(std::string& line, std::span<const double> values, std::string_view separator,
                int digits) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k > 0) line += separator;
    append_number(line, values[k], digits);
  }
}
}  // namespace

StanCsvWriter::StanCsvWriter(const std::string& path, const StanCsvHeader& header,
                             StanCsvOptions options, const Readers& readers)
    : file_(path, readers), options_(options), num_columns_(header.columns.size()) {
  file_.write(comment("credo_version", CREDO_VERSION));
  file_.write(comment("model", header.model));
  for (const Setting& setting : header.settings) file_.write(comment(setting.name, setting.value));
  file_.write(fmt::format("{}\n", fmt::join(header.columns, ",")));
}

void StanCsvWriter::row(std::span<const double> values) {
  CREDO_ASSERT(values.size() == num_columns_, "a row has one value per column");
  line_.clear();
  append_row(line_, values, ",", options_.significant_digits);
  line_ += '\n';
  file_.write(line_);
}

void StanCsvWriter::adaptation(double step_size, const InverseMetric& inverse_metric) {
  line_ = "# Adaptation terminated\n" + comment("Step size", number_text(step_size));
  line_ += inverse_metric.dense ? "# Elements of inverse mass matrix:\n"
                                : "# Diagonal elements of inverse mass matrix:\n";
  const auto width = static_cast<std::size_t>(inverse_metric.dimension);
  for (std::span<const double> rest = inverse_metric.values; !rest.empty();
       rest = rest.subspan(width)) {
    line_ += "# ";
    append_row(line_, rest.first(width), ", ", options_.significant_digits);
    line_ += '\n';
  }
  file_.write(line_);
}

void StanCsvWriter::finish(double warmup_seconds, double sampling_seconds) {
  file_.write(fmt::format("# \n#  Elapsed Time: {:.3f} seconds (Warm-up)\n", warmup_seconds));
  file_.write(fmt::format("#                {:.3f} seconds (Sampling)\n", sampling_seconds));
  file_.write(fmt::format("#                {:.3f} seconds (Total)\n# \n",
                          warmup_seconds + sampling_seconds));
  file_.commit();
}

}  // namespace credo::io
