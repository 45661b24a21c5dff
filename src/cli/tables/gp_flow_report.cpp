#include "cli/tables/gp_flow_report.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::cli {

std::vector<double> flow_times(const std::string& list) {
  std::vector<double> times;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string word = list.substr(at, end - at);
    const auto number = word == "inf" ? std::optional(kInfinity) : io::parse_number(word);
    if (!number || !(*number >= 0.0))
      throw Error(ErrorCode::usage, fmt::format("'{}' is no time of training", word), "--flow",
                  "times that are at least 0, or inf: --flow 0.1,1,inf");
    times.push_back(*number);
    at = end + 1;
  }
  return times;
}

std::string GpFlowReport::text() const {
  constexpr Index kShown = 10;
  std::string text = "\ntraining by gradient flow: means of a wide network that starts at 0\n";
  for (std::size_t t = 0; t < flow.times.size(); ++t) {
    text +=
        fmt::format("  time {:.6g}: sum of squared residuals {:.6g};", flow.times[t], flow.loss[t]);
    for (Index j = 0; j < std::min(kShown, flow.mean.rows); ++j)
      text += fmt::format(" {:.6g}", flow.mean(j, static_cast<Index>(t)));
    text += flow.mean.rows > kShown ? " ...\n" : "\n";
  }
  return text;
}

void GpFlowReport::add_to(results::ArrayList& answer) const {
  auto group =
      answer.add_group("training", {{"time", ssize(flow.times)}, {"point", flow.mean.rows}},
                       {.shape = results::Shape::object});
  std::vector<double> mean;
  for (Index t = 0; t < flow.mean.cols; ++t)
    for (Index j = 0; j < flow.mean.rows; ++j) mean.push_back(flow.mean(j, t));
  group.add({.name = "flow_time", .dims = {"time"}}, flow.times);
  group.add({.name = "flow_loss", .dims = {"time"}, .help = "sum of squared residuals at the rows"},
            flow.loss);
  group.add({.name = "flow_mean", .dims = {"time", "point"}}, mean);
}

}  // namespace credo::cli
