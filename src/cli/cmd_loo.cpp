// credo loo: how well a model predicts each row of its data from all others.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/fitted_model.hpp"
#include "cli/sample_run.hpp"
#include "cli/summarise.hpp"
#include "io/json_writer.hpp"
#include "model/model.hpp"
#include "results/loo.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kShown = 10;  // rows whose weights aren't reliable

// The statement that adds a row, and which of its rows it is, from 1.
struct RowPlace {
  std::string where;
  Index number = 0;
};

// Of rows that log_lik tells no statement is known.
std::vector<RowPlace> places_of(const model::Model& model, const Fit& fit, const Loo& loo) {
  std::vector<RowPlace> places;
  for (const auto& [statement, count] : model.rows(loo.point))
    for (Index k = 1; k <= count; ++k) places.push_back({model.source().where(statement), k});
  if (places.size() != loo.rows.size())
    places.assign(loo.rows.size(), {fit.origin().model_path, 0});
  return places;
}

std::string total_line(const char* name, const Total& total) {
  return fmt::format("{:<10} {:>12.2f} {:>9.2f}\n", name, total.value, total.error);
}

std::string advice(const Loo& loo, std::span<const RowPlace> places) {
  const std::vector<Index> bad = loo.unreliable();
  if (bad.empty()) {
    double largest = -kInfinity;
    for (const auto& row : loo.rows) largest = std::max(largest, row.pareto_k);
    return fmt::format("The estimate can be believed: Pareto k is at most {:.2f}, below {:.2f}.\n",
                       largest, loo.k_limit());
  }
  std::string text = fmt::format(
      "Don't rely on the estimate: of {} of {} rows Pareto k is above {:.2f}. The posterior "
      "without such a row "
      "is too far from the one with it.\n",
      bad.size(), loo.rows.size(), loo.k_limit());
  for (std::size_t i = 0; i < std::min(bad.size(), kShown); ++i) {
    const auto row = static_cast<std::size_t>(bad[i]);
    text += fmt::format("  row {}  k {:.2f}  {}\n", bad[i] + 1, loo.rows[row].pareto_k,
                        places[row].where);
  }
  if (bad.size() > kShown) text += fmt::format("  and {} more\n", bad.size() - kShown);
  return text +
         "what to do: fit again without these rows, or look whether they belong to the data\n";
}

void write_total(io::JsonWriter& writer, const char* name, const Total& total) {
  writer.key(name).begin_object().key("value").number(total.value);
  writer.key("error").number(total.error).end_object();
}

std::string json_of(const Loo& loo, std::span<const RowPlace> places) {
  io::JsonWriter writer;
  writer.begin_object();
  write_total(writer, "elpd_loo", loo.elpd_loo);
  write_total(writer, "p_loo", loo.p_loo);
  write_total(writer, "elpd_waic", loo.elpd_waic);
  write_total(writer, "p_waic", loo.p_waic);
  writer.key("num_draws").integer(loo.num_draws).key("k_limit").number(loo.k_limit());
  writer.key("num_unreliable").integer(ssize(loo.unreliable()));
  writer.key("rows").begin_array();
  for (std::size_t i = 0; i < loo.rows.size(); ++i) {
    const diagnose::RowFigures& row = loo.rows[i];
    writer.line_break().begin_object().key("where").string(places[i].where);
    writer.key("number").integer(places[i].number);
    writer.key("elpd_loo").number(row.elpd_loo).key("mcse").number(row.mcse);
    writer.key("lpd").number(row.lpd).key("pareto_k").number(row.pareto_k);
    writer.key("elpd_waic").number(row.elpd_waic).key("p_waic").number(row.p_waic);
    writer.key("r_eff").number(row.r_eff).end_object();
  }
  writer.end_array().end_object();
  return writer.text() + "\n";
}

class LooCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", files_, "a result, a run file, or CSV files, one a chain",
                          any_file());
    model_.describe(arguments);
    arguments.option("--r-eff", r_eff_,
                     "effective draws over draws of the likelihoods; 0: by their autocorrelations",
                     from_to(0, 10));
  }

  int run(Output& output) override {
    const auto fit = open_draws(files_, output);
    const auto model =
        model_.needed(*fit, output, json, "name the program and its data: --model, --data");
    const Loo loo = loo_of(*fit, *model, {.r_eff = r_eff_ > 0.0 ? r_eff_ : kNaN});
    const std::vector<RowPlace> places = places_of(*model, *fit, loo);
    output.print(json ? json_of(loo, places) : text_of(loo, places));
    return 0;
  }

 private:
  static std::string text_of(const Loo& loo, std::span<const RowPlace> places) {
    return fmt::format("{} rows left out one by one, {} draws\n\n{:<10} {:>12} {:>9}\n",
                       loo.rows.size(), loo.num_draws, "", "estimate", "error") +
           total_line("elpd_loo", loo.elpd_loo) + total_line("p_loo", loo.p_loo) +
           total_line("elpd_waic", loo.elpd_waic) + total_line("p_waic", loo.p_waic) + "\n" +
           advice(loo, places);
  }

  std::vector<std::string> files_;
  FittedModel model_;
  double r_eff_ = 0.0;
};
}  // namespace

extern const CommandRow loo_command{
    "loo", "how well a model predicts each row of its data from all others",
    "  credo loo fit.nc\n"
    "  credo loo fit.nc --json\n"
    "  credo loo fit_1.csv fit_2.csv --model model.stan --data data.json\n",
    make_command<LooCommand>,
    "Standard output: the log predictive density of rows left out (PSIS), WAIC, and Pareto k. No "
    "files."};

}  // namespace credo::cli
