// credo sbc: whether an algorithm finds the posteriors of a model, by data that are simulated from its prior.
#include <fmt/format.h>

#include "base/ranks.hpp"
#include "cli/command.hpp"
#include "cli/fit/sbc_source.hpp"
#include "cli/options/field_options.hpp"
#include "cli/options/sampler_arguments.hpp"
#include "cli/results.hpp"
#include "cli/run/answer_file.hpp"
#include "cli/term/stop.hpp"
#include "infer/core/table.hpp"
#include "results/arrays/answer_json.hpp"
#include "results/checks/sbc.hpp"
#include "results/draws/simulate.hpp"
#include "results/draws/work.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kShownQuantities = 20;  // quantities

bool is_accused(const Sbc& sbc, const SbcQuantity& quantity) {
  return quantity.places.p_value < sbc.p_limit();
}

std::string fault_of(const SbcQuantity& quantity) {
  return fmt::format("the fits are {}", quantity.places.fault());
}

// True if the fitted replicates aren't a sample of the prior: ranks are distorted by up to the share that failed.
bool is_selected(const Sbc& sbc) {
  constexpr double kMostFailed = 0.05;
  return static_cast<double>(sbc.num_failed()) >
         kMostFailed * static_cast<double>(ssize(sbc.replicates));
}

std::string sentence(const Sbc& sbc) {
  if (is_selected(sbc))
    return fmt::format(
        "No conclusion: {} of {} data sets couldn't be fitted, and parameters of the others "
        "are no draws of the prior, so that their ranks needn't be uniform. Take a prior that "
        "draws "
        "data which can be fitted, or ask where the data at hand lie: --posterior fit.nc.",
        sbc.num_failed(), ssize(sbc.replicates));
  const auto accused = std::count_if(sbc.quantities.begin(), sbc.quantities.end(),
                                     [&](const SbcQuantity& q) { return is_accused(sbc, q); });
  const Index failed = sbc.num_failed();
  std::string text;
  if (accused > 0)
    text = fmt::format(
        "Don't believe it: {} of {} quantities {} not uniform. Program, prior and algorithm don't "
        "fit "
        "together.",
        accused, sbc.quantities.size(), accused == 1 ? "is" : "are");
  else
    text = fmt::format("No fault found by {} data sets: all {} quantities are uniform.",
                       ssize(sbc.replicates) - failed, sbc.quantities.size());
  if (failed > 0) text += fmt::format(" {} data sets couldn't be fitted and are left out.", failed);
  return text;
}

std::string text_of(const Sbc& sbc) {
  std::string text = fmt::format("{:<24} {:>9} {:>9} {:>9}\n", "", "p-value", "place", "spread");
  std::vector<const SbcQuantity*> order;
  for (const SbcQuantity& quantity : sbc.quantities) order.push_back(&quantity);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* a, auto* b) { return a->places.p_value < b->places.p_value; });
  for (std::size_t k = 0; k < std::min(order.size(), kShownQuantities); ++k) {
    const SbcQuantity& q = *order[k];
    text += fmt::format("{:<24} {:>9.2g} {:>9.3f} {:>9.3f}{}\n", q.name, q.places.p_value,
                        q.places.mean, q.places.spread,
                        is_accused(sbc, q) && !is_selected(sbc) ? "  " + fault_of(q) : "");
  }
  if (order.size() > kShownQuantities)
    text += fmt::format("and {} more, with --json\n", order.size() - kShownQuantities);
  text += fmt::format("\n{}\n", sentence(sbc));
  if (const Index divergent = sbc.num_divergent(); divergent > 0)
    text += fmt::format("{} transitions of all fits were divergent.\n", divergent);
  for (const SbcReplicate& replicate : sbc.replicates)
    if (!replicate.failure.empty())
      return text + "the first that couldn't be fitted: " + replicate.failure + "\n";
  return text;
}

results::ArrayList answer_of(const Sbc& sbc) {
  results::ArrayList answer = arrays_of(sbc);
  answer.set("sentence", sentence(sbc));
  answer.group("calibration").add_column({.name = "fault"}, sbc.quantities, [&](const auto& q) {
    return is_accused(sbc, q) && !is_selected(sbc) ? fault_of(q) : "";
  });
  return answer;
}

class SbcCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    options_.run.num_chains = 1;
    model_.describe(arguments);
    arguments.group(kCalibrationGroup);
    arguments.option("--replicates", options_.num_replicates, "simulated data sets",
                     changing(Changes::amount, at_least(1)));
    sources_.describe(arguments);
    arguments.option(
        "-o,--output", file_,
        "the result: FILE.nc (NetCDF-4) or FILE.json; finished replicates are stored beside it, "
        "and credo resume OUTPUT.run continues with them",
        output_file("*", Writes::kept_file));
    arguments.flag("--quiet", quiet_, "no progress", changing(Changes::nothing));
    describe_like(arguments, *this);
    arguments.group("Each fit");
    field_options(arguments, options_.run);
    arguments.changes_nothing("--threads");
    sampler_.describe(arguments);
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    if (model_.terms != "all")
      throw Error(ErrorCode::usage, "data are simulated from all terms of a program", "--terms",
                  "leave it out");
    sampler_.apply(options_.run);
    validate_run(options_.run);
    options_.seed = model_.seed;
    options_.num_threads = options_.run.num_threads;
    if (!infer::find_sampler(options_.run.sampler).has_warmup) options_.run.num_warmup = 0;
    SbcSource& source = sources_.chosen();
    source.complete(model_, output);
    const auto model = load_model(model_, output, json);
    source.apply({*model, model_, output, json}, options_);
    const bool is_helper = ranks != nullptr && ranks->rank() > 0;  // keeps nothing
    const Specification spec = with_inputs(asked, model_.files.contents(), options_.posterior);
    results::Work work({.file = is_helper ? "" : file_,
                        .spec = spec,
                        .what = "data sets",
                        .count = options_.num_replicates,
                        .note = notes_of(output, quiet_ || json)});
    options_.done = work.done<SbcReplicate>();
    options_.on_done = work.on_done<SbcReplicate>();
    options_.states = work.states();
    const RanksScope over(ranks);
    const Sbc sbc = calibrate(*model, options_);
    const results::ArrayList answer = answer_of(sbc);
    if (!file_.empty()) write_answer(file_, with_spec(answer, spec));
    work.end();
    output.print(json ? answer_json(answer) : text_of(sbc));
    return 0;
  }

 private:
  ModelArguments model_;
  SamplerArguments sampler_;
  SbcOptions options_;
  ChosenRows<SbcSource> sources_{sbc_sources()};
  std::string file_;
  bool quiet_ = false;
};
}  // namespace

extern const CommandRow sbc_command{
    "sbc",
    "whether an algorithm finds the posteriors of a model: simulation-based calibration",
    "  credo sbc model.stan --data data.json\n"
    "  credo sbc model.stan --data data.json --replicates 1000 --seed 1 -o sbc.json\n"
    "  credo sbc model.stan --data data.json --sampler slice --draws 500\n"
    "  credo sbc model.stan --data data.json --generator other.stan\n"
    "  credo sbc model.stan --data data.json --posterior fit.nc\n",
    make_command<SbcCommand>,
    "With --output: the result, as JSON; until it is complete OUTPUT.run with the data sets that "
    "are done, from which `credo resume` continues. Standard output: the quantities whose ranks "
    "aren't uniform first, and "
    "the verdict.",
    OverRanks::by_words};

}  // namespace credo::cli
