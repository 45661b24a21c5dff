// credo compare: which of several models predicts the same data better.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fitted_model.hpp"
#include "cli/summarise.hpp"
#include "diagnose/stacking.hpp"
#include "io/json_writer.hpp"
#include "model/model.hpp"
#include "results/loo.hpp"

namespace credo::cli {
namespace {
struct Compared {
  std::string file;
  Loo loo;
  Total difference;  // to the best model, row by row
  double stacking = kNaN, pseudo_bma = kNaN;
};

Total difference_of(const Loo& a, const Loo& best) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < a.rows.size(); ++i)
    rows.push_back(a.rows[i].elpd_loo - best.rows[i].elpd_loo);
  return total_of(rows);
}

void require_equal_rows(const Compared& a, const Compared& b) {
  if (a.loo.rows.size() == b.loo.rows.size()) return;
  throw Error(ErrorCode::data,
              fmt::format("{} has {} rows and {} has {}", a.file, a.loo.rows.size(), b.file,
                          b.loo.rows.size()),
              "compare", "models are compared on the same observations, written as the same rows");
}

void add_weights(std::vector<Compared>& all) {
  std::vector<double> elpd;
  for (std::size_t i = 0; i < all[0].loo.rows.size(); ++i)
    for (const Compared& one : all) elpd.push_back(one.loo.rows[i].elpd_loo);
  const std::vector<double> stacked = diagnose::stacking_weights(elpd, ssize(all));
  const std::vector<double> averaged = diagnose::pseudo_bma_weights(elpd, ssize(all));
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k].stacking = stacked[k], all[k].pseudo_bma = averaged[k];
}

// What the difference to the second best supports [sivula2020]: below 4 it is small, and its error isn't
// known well.
std::string sentence(std::span<const Compared> all) {
  constexpr double kSmall = 4.0, kErrors = 2.0;
  const Compared &best = all[0], &second = all[1];
  const double by = -second.difference.value, error = second.difference.error;
  const std::string figures = fmt::format("{:.1f}, {:.1f} of its errors", by, by / error);
  if (by < kSmall)
    return fmt::format("{} and {} predict about equally well: the difference is {}.\n", best.file,
                       second.file, figures);
  if (by < kErrors * error)
    return fmt::format("The data don't tell {} from {}: the difference is {}.\n", best.file,
                       second.file, figures);
  return fmt::format("{} predicts better than {}: the difference is {}.\n", best.file, second.file,
                     figures);
}

std::string doubts(std::span<const Compared> all) {
  std::string text;
  for (const Compared& one : all) {
    const std::size_t bad = one.loo.unreliable().size();
    if (bad > 0)
      text += fmt::format(
          "Of {} {} rows have a Pareto k above {:.2f}: its figures aren't reliable (credo loo "
          "{}).\n",
          one.file, bad, one.loo.k_limit(), one.file);
  }
  return text;
}

std::string text_of(std::span<const Compared> all) {
  std::size_t width = 5;
  for (const Compared& one : all) width = std::max(width, one.file.size());
  std::string text =
      fmt::format("{:<{}} {:>10} {:>8} {:>11} {:>8} {:>9} {:>12}\n", "", width, "elpd_loo", "error",
                  "difference", "error", "stacking", "pseudo-BMA+");
  for (const Compared& one : all)
    text += fmt::format("{:<{}} {:>10.2f} {:>8.2f} {:>11.2f} {:>8.2f} {:>9.3f} {:>12.3f}\n",
                        one.file, width, one.loo.elpd_loo.value, one.loo.elpd_loo.error,
                        one.difference.value, one.difference.error, one.stacking, one.pseudo_bma);
  return text + "\n" + sentence(all) + doubts(all);
}

std::string json_of(std::span<const Compared> all) {
  io::JsonWriter writer;
  writer.begin_object().key("models").begin_array();
  for (const Compared& one : all) {
    writer.line_break().begin_object().key("file").string(one.file);
    writer.key("elpd_loo").number(one.loo.elpd_loo.value);
    writer.key("error").number(one.loo.elpd_loo.error);
    writer.key("difference").number(one.difference.value);
    writer.key("difference_error").number(one.difference.error);
    writer.key("stacking").number(one.stacking).key("pseudo_bma").number(one.pseudo_bma);
    writer.key("num_unreliable").integer(ssize(one.loo.unreliable())).end_object();
  }
  writer.end_array().key("sentence").string(sentence(all)).end_object();
  return writer.text() + "\n";
}

class Compare final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "results of several models of the same data",
                          any_file());
  }

  int run(Output& output) override {
    if (files_.size() < 2)
      throw Error(ErrorCode::usage, "one model can't be compared", "files", "name two results");
    std::vector<Compared> all;
    for (const std::string& file : files_) {
      const auto fit = open_fit(std::span(&file, 1));
      tell_doubts(*fit, output);
      const auto model = FittedModel().needed(*fit, output, json,
                                              "compare takes results that have their program and "
                                              "data; credo loo takes --model and --data");
      all.push_back({.file = file, .loo = loo_of(*fit, *model), .difference = {}});
      require_equal_rows(all.front(), all.back());
    }
    std::stable_sort(all.begin(), all.end(), [](const Compared& a, const Compared& b) {
      return a.loo.elpd_loo.value > b.loo.elpd_loo.value;
    });
    for (Compared& one : all) one.difference = difference_of(one.loo, all[0].loo);
    add_weights(all);
    output.print(json ? json_of(all) : text_of(all));
    return 0;
  }

 private:
  std::vector<std::string> files_;
};
}  // namespace

extern const CommandRow compare_command{"compare",
                                        "which of several models predicts the same data better",
                                        "  credo compare a.nc b.nc\n"
                                        "  credo compare a.nc b.nc c.nc --json\n",
                                        make_command<Compare>,
                                        "Standard output: differences of predictions for rows left "
                                        "out, weights of the models, and what the "
                                        "difference supports. No files."};

}  // namespace credo::cli
