// credo compare: which of several models predicts the same data better.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fit/fitted_model.hpp"
#include "cli/run/summarise.hpp"
#include "io/json_writer.hpp"
#include "model/model.hpp"
#include "results/loo/compare.hpp"
#include "results/loo/loo_improve.hpp"

namespace credo::cli {
namespace {
using results::Compared;

std::string doubts(std::span<const Compared> all) {
  std::string text;
  for (const Compared& one : all) {
    const std::size_t bad = one.loo.unreliable().size();
    if (bad > 0)
      text += fmt::format(
          "Of {} {} rows have a Pareto k above {:.2f}: its figures aren't reliable "
          "(--moment-match, or credo loo {}).\n",
          one.name, bad, one.loo.k_limit(), one.name);
  }
  return text;
}

std::string text_of(std::span<const Compared> all) {
  std::size_t width = 5;
  for (const Compared& one : all) width = std::max(width, one.name.size());
  std::string text =
      fmt::format("{:<{}} {:>10} {:>8} {:>11} {:>8} {:>9} {:>12}\n", "", width, "elpd_loo", "error",
                  "difference", "error", "stacking", "pseudo-BMA+");
  for (const Compared& one : all)
    text += fmt::format("{:<{}} {:>10.2f} {:>8} {:>11.2f} {:>8} {:>9.3f} {:>12.3f}\n", one.name,
                        width, one.loo.elpd_loo.value, results::error_text(one.loo.elpd_loo),
                        one.difference.value, results::error_text(one.difference), one.stacking,
                        one.pseudo_bma);
  return text + "\n" + results::sentence_of(all) + "\n" + doubts(all);
}

std::string json_of(std::span<const Compared> all) {
  io::JsonWriter writer;
  writer.begin_object().key("models").begin_array();
  for (const Compared& one : all) {
    writer.line_break().begin_object().key("file").string(one.name);
    writer.key("elpd_loo").number(one.loo.elpd_loo.value);
    writer.key("error").number(one.loo.elpd_loo.error);
    writer.key("difference").number(one.difference.value);
    writer.key("difference_error").number(one.difference.error);
    writer.key("stacking").number(one.stacking).key("pseudo_bma").number(one.pseudo_bma);
    writer.key("num_unreliable").integer(ssize(one.loo.unreliable())).end_object();
  }
  writer.end_array().key("sentence").string(results::sentence_of(all)).end_object();
  return writer.text() + "\n";
}

class Compare final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "results of several models of the same data",
                          any_file());
    arguments.flag("--moment-match", matches_,
                   "move the draws to where a row is left out, where Pareto k is too large");
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
      all.push_back({.name = file, .loo = loo_of(*fit, *model)});
      if (matches_) match_unreliable_rows(all.back().loo, *fit, *model);
    }
    all = results::compare(std::move(all));
    output.print(json ? json_of(all) : text_of(all));
    return 0;
  }

 private:
  std::vector<std::string> files_;
  bool matches_ = false;
};
}  // namespace

extern const CommandRow compare_command{"compare",
                                        "which of several models predicts the same data better",
                                        "  credo compare a.nc b.nc\n"
                                        "  credo compare a.nc b.nc c.nc --json\n"
                                        "  credo compare a.nc b.nc --moment-match\n",
                                        make_command<Compare>,
                                        "Standard output: differences of predictions for rows left "
                                        "out, weights of the models, and what the "
                                        "difference supports. No files."};

}  // namespace credo::cli
