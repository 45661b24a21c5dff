// credo sbc: whether an algorithm finds the posteriors of a model, by data that are simulated from its prior.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/load.hpp"
#include "cli/options/field_options.hpp"
#include "cli/options/sampler_arguments.hpp"
#include "cli/term/stop.hpp"
#include "infer/core/table.hpp"
#include "io/file.hpp"
#include "io/json_writer.hpp"
#include "model/model.hpp"
#include "results/sbc_log.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kShownQuantities = 20;  // quantities

bool is_accused(const Sbc& sbc, const SbcQuantity& quantity) {
  return quantity.p_value < sbc.p_limit();
}

// What the places of an accused quantity say of the fits.
std::string fault_of(const SbcQuantity& quantity, std::size_t count) {
  const auto n = static_cast<double>(count);
  const double shift = (quantity.mean - 0.5) * std::sqrt(12.0 * n);
  const double spread =
      (quantity.spread - 1.0) * std::sqrt(n / 0.8);  // of uniform numbers: variance 4/5 / n
  if (std::abs(shift) >= std::abs(spread))
    return shift > 0.0 ? "the fits are too low" : "the fits are too high";
  return spread > 0.0 ? "the fits are too narrow" : "the fits are too wide";
}

std::string sentence(const Sbc& sbc) {
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
    text =
        fmt::format("Nothing is wrong that {} data sets can show: all {} quantities are uniform.",
                    ssize(sbc.replicates) - failed, sbc.quantities.size());
  if (failed > 0) text += fmt::format(" {} data sets couldn't be fitted and are left out.", failed);
  return text;
}

std::string text_of(const Sbc& sbc) {
  const auto count = static_cast<std::size_t>(ssize(sbc.replicates) - sbc.num_failed());
  std::string text = fmt::format("{:<24} {:>9} {:>9} {:>9}\n", "", "p-value", "place", "spread");
  std::vector<const SbcQuantity*> order;
  for (const SbcQuantity& quantity : sbc.quantities) order.push_back(&quantity);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* a, auto* b) { return a->p_value < b->p_value; });
  for (std::size_t k = 0; k < std::min(order.size(), kShownQuantities); ++k) {
    const SbcQuantity& q = *order[k];
    text += fmt::format("{:<24} {:>9.2g} {:>9.3f} {:>9.3f}{}\n", q.name, q.p_value, q.mean,
                        q.spread, is_accused(sbc, q) ? "  " + fault_of(q, count) : "");
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

std::string json_of(const Sbc& sbc) {
  const auto count = static_cast<std::size_t>(ssize(sbc.replicates) - sbc.num_failed());
  io::JsonWriter json;
  json.begin_object().key("sentence").string(sentence(sbc)).key("p_limit").number(sbc.p_limit());
  json.key("num_failed")
      .integer(sbc.num_failed())
      .key("num_divergent")
      .integer(sbc.num_divergent());
  json.key("quantities").begin_array();
  for (const SbcQuantity& q : sbc.quantities) {
    json.line_break().begin_object().key("name").string(q.name).key("p_value").number(q.p_value);
    json.key("mean").number(q.mean).key("spread").number(q.spread);
    json.key("fault").string(is_accused(sbc, q) ? fault_of(q, count) : "").end_object();
  }
  json.end_array().key("replicates").begin_array();
  for (const SbcReplicate& replicate : sbc.replicates) {
    json.line_break().begin_object();
    write_replicate(json, replicate);
    json.end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

class SbcCommand final : public Command {
 public:
  void describe(Arguments& arguments) override {
    options_.run.num_chains = 1;
    model_.describe(arguments);
    arguments.group("Calibration");
    arguments.option("--replicates", options_.num_replicates, "simulated data sets", at_least(1));
    arguments.option("--generator", generator_,
                     "another program, with the same data, that parameters and data are drawn from",
                     file_ending(".stan"));
    arguments.option(
        "-o,--output", file_,
        "the result, as JSON; replicates that are done are kept beside it, and the same "
        "command goes on with them",
        file_ending(".json"));
    arguments.flag("--quiet", quiet_, "no progress");
    arguments.group("Each fit");
    field_options(arguments, options_.run);
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
    const auto model = load_model(model_, output, json);
    const auto generator = load_generator(output);
    options_.generator = generator.get();
    if (file_.empty()) return report(calibrate(*model, watched(output, nullptr)), output);
    SbcLog log(file_ + ".run", identity());
    if (!log.done().empty() && !quiet_)
      output.note(fmt::format("goes on with {} replicates of {}.run\n", log.done().size(), file_));
    options_.done = log.done();
    const Sbc sbc = calibrate(*model, watched(output, &log));
    io::OutputFile result(file_);
    result.write(json_of(sbc));
    result.commit();
    log.remove();
    return report(sbc, output);
  }

 private:
  // All that the replicates follow from, however many there are to be.
  std::string identity() {
    infer::SampleOptions run = options_.run;
    run.num_threads = 0;
    std::string text =
        results::to_json({.model = model_, .run = run, .init = {}, .inv_metric = {}, .output = {}});
    for (const auto& [name, content] : model_.files.contents()) text += name + content;
    return text;
  }
  std::unique_ptr<model::Model> load_generator(Output& output) {
    if (generator_.empty()) return nullptr;
    ModelArguments other = model_;
    other.model = generator_;
    auto generator = load_model(other, output, json);
    model_.files = std::move(other.files);
    return generator;
  }
  SbcOptions watched(Output& output, SbcLog* log) {
    SbcOptions options = options_;
    Index done = ssize(options.done), told = 0;
    options.on_done = [this, &output, log, done, told](Index number,
                                                       const SbcReplicate& replicate) mutable {
      if (log != nullptr) log->add(number, replicate);
      ++done;
      const Index tenth = 10 * done / options_.num_replicates;
      if (quiet_ || json || tenth == told) return;
      told = tenth;
      output.note(fmt::format("{} of {} data sets\n", done, options_.num_replicates));
    };
    return options;
  }
  int report(const Sbc& sbc, Output& output) const {
    output.print(json ? json_of(sbc) : text_of(sbc));
    return 0;
  }

  ModelArguments model_;
  SamplerArguments sampler_;
  SbcOptions options_;
  std::string file_, generator_;
  bool quiet_ = false;
};
}  // namespace

extern const CommandRow sbc_command{
    "sbc", "whether an algorithm finds the posteriors of a model: simulation-based calibration",
    "  credo sbc model.stan --data data.json\n"
    "  credo sbc model.stan --data data.json --replicates 1000 --seed 1 -o sbc.json\n"
    "  credo sbc model.stan --data data.json --sampler slice --draws 500\n"
    "  credo sbc model.stan --data data.json --generator other.stan\n",
    make_command<SbcCommand>,
    "With --output: the result, as JSON; until it is complete OUTPUT.run with the data sets that "
    "are done, from which the "
    "same command goes on. Standard output: the quantities whose ranks aren't uniform first, and "
    "the verdict."};

}  // namespace credo::cli
