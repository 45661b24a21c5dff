#include "cli/fit/state_table.hpp"

#include <fmt/format.h>

#include "model/states/density_reader.hpp"

namespace credo::cli {

std::string state_table(const results::StateRows& rows, const LastColumn& last,
                        std::string_view what) {
  constexpr Index kMostRows = 24;
  const Index every = (rows.num_times + kMostRows - 1) / kMostRows;
  const auto elements = static_cast<std::size_t>(rows.state.size());
  std::string text = fmt::format("\n{:>6} {:>14} {:>11} {:>11} {:>11} {:>11} {:>11}", "time", what,
                                 "mean", "sd", "5%", "50%", "95%") +
                     (last.title.empty() ? "\n" : fmt::format(" {:>11}\n", last.title));
  for (Index t = 0; t < rows.num_times; ++t) {
    if (t % every != 0 && t != rows.num_times - 1) continue;
    const results::StateRow at = rows.row(t);
    for (std::size_t e = 0; e < elements; ++e) {
      text += fmt::format("{:>6} {:>14} {:>11.4g} {:>11.4g}",
                          e == 0 ? std::to_string(rows.first_time + t + 1) : "",
                          rows.state.element_name(static_cast<Index>(e)), at.mean[e], at.sd[e]);
      for (std::size_t k = e; k < at.quantiles.size(); k += elements)
        text += fmt::format(" {:>11.4g}", at.quantiles[k]);
      const double value = last.value ? last.value(t, e) : kNaN;
      text += std::isnan(value) ? "\n" : fmt::format(" {:>11.4g}\n", value);
    }
  }
  if (every > 1)
    text += fmt::format("(every {}th time and the last; --json and a file, -o FILE.nc, have all)\n",
                        every);
  return text;
}

std::string_view gaussian_words(bool no_particles, std::string_view method) {
  if (!no_particles) return "";
  if (method == "ekf" || method == "ukf") return "that of a model made linear at each time";
  if (method == "cvi") return "a lower bound of it";
  if (method == "ep") return "an estimate by expectation propagation";
  return "exact";
}

std::string likelihood_line(const infer::LikelihoodEstimate& likelihood, std::string_view gaussian,
                            Index num_runs) {
  if (!gaussian.empty())
    return fmt::format("log likelihood {:.6f}, {}\n", likelihood.log_likelihood, gaussian);
  if (num_runs < 2)
    return fmt::format("log likelihood {:.4f}; its error isn't known of one run: --repeats 10\n",
                       likelihood.log_likelihood);
  return fmt::format(
             "log likelihood {:.4f}, standard error {:.2g}, from {} runs (of one run: "
             "{:.2g})\n",
             likelihood.log_likelihood, likelihood.error, num_runs, likelihood.sd) +
         fmt::format(
             "mean of the log likelihoods, below it in the mean: {:.4f}, standard error {:.2g}\n",
             likelihood.mean_of_logs, likelihood.sd / std::sqrt(static_cast<double>(num_runs)));
}

std::string likelihood_warning(const infer::LikelihoodEstimate& likelihood, Index num_runs) {
  constexpr double kMostSd =
      1.5;  // a mean of likelihoods that differ by more rests on a few of the runs
  if (num_runs < 2 || likelihood.sd <= kMostSd) return "";
  return fmt::format(
      "the log likelihoods of the runs have a standard deviation of {:.2g}, so that the mean of "
      "the "
      "likelihoods rests on few runs and is more likely too low than too high; the error counts "
      "that "
      "in. More --particles help, or a proposal that sees the outcome (--method guided)",
      likelihood.sd);
}

std::string checked_line(Index num_checked) {
  if (num_checked == 0) return "";
  return fmt::format(
      "the densities are normal and linear at all {} points that were checked, up to {:g} "
      "standard "
      "deviations from the states\n",
      num_checked, model::DensityReader::kFarthest);
}

}  // namespace credo::cli
