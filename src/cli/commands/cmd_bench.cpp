// credo bench: what a gradient of a model costs, by number of lanes, what a leapfrog step of a run
// costs, and how long it takes to be ready.
#include <fmt/format.h>

#include "cli/bench/bench_explain.hpp"
#include "cli/bench/bench_suite.hpp"
#include "cli/bench/bench_timing.hpp"
#include "cli/load.hpp"
#include "cli/options/field_options.hpp"
#include "cli/options/initial_values.hpp"
#include "cli/options/sampler_arguments.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "model/model.hpp"
#include "model/writer.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {

// With one thread, and with several where the work can be shared.
struct GradientTime {
  Index lanes = 1;
  double microseconds = 0.0;
  std::optional<double> shared_microseconds;
  double best() const { return std::min(microseconds, shared_microseconds.value_or(kInfinity)); }
};

struct Report {
  Index dimension = 0, num_nodes = 0;
  double load_seconds = 0.0, trace_seconds = 0.0;  // text and data; trace to program
  double loaded_mib = 0.0;                         // peak memory before tracing
  double traced_mib = 0.0;                         // and after it
  Index threads = 1;
  std::vector<GradientTime> gradients;
  LeapfrogTime leapfrog;
};

class Bench final : public Command {
 public:
  Bench() { options_.num_warmup = options_.num_draws = 0; }

  void describe(Arguments& a) override {
    a.group("Model");
    a.optional_positional("model", model_.model, "Stan program (.stan)", file_ending(".stan"));
    model_.describe_options(a);
    a.group("Measurement");
    a.option("--chains", options_.num_chains, "chains of the run that is timed; 0: no run",
             from_to(0, range_of(options_, "num_chains").range.hi));
    a.option("--threads", options_.num_threads,
             "threads of that run, and of one gradient; 0: one for each processor",
             range_of(options_, "num_threads"));
    a.option("--warmup", options_.num_warmup, "its warm-up transitions; 0: as many as fit a second",
             range_of(options_, "num_warmup"));
    a.option("--draws", options_.num_draws, "its draws per chain; 0: as many as fit a second",
             range_of(options_, "num_draws"));
    init_.describe(a);
    a.option("--max-depth", nuts_.max_tree_depth, "doublings of a trajectory at most",
             range_of(nuts_, "max_tree_depth"));
    a.option("--gradients", num_gradients_,
             "only evaluate so many batches of --max-lanes points, without a clock; 0: measure",
             at_least(0));
    a.option("--values", num_values_,
             "only evaluate so many batches of --max-lanes values, without a clock; 0: measure",
             at_least(0));
    a.option("--writes", num_writes_,
             "only write so many batches of --max-lanes draws, without a clock; 0: measure",
             at_least(0));
    a.flag("--explain", explain_, "how each statement was compiled, and which rows run together");
    a.flag("--profile", profile_, "the share of the time by source line and row, at --max-lanes");
    a.flag("--suite", suite_, "measure this machine, and the share of it that programs reach");
  }

  int run(Output& output) override {
    if (suite_) return run_suite_programs(output);
    if (model_.model.empty())
      throw Error(ErrorCode::usage, "there is no program", "credo bench", "name one, or --suite");
    Report report;
    const double start = clock_seconds();
    if (explain_) model_.observe = watch_.observer();
    const auto model = load_model(model_, output, json);
    report.load_seconds = clock_seconds() - start;
    report.loaded_mib = peak_mib();
    report.dimension = model->dimension();
    if (const std::string text = init_.apply(*model, model_.files, options_); !text.empty())
      output.note(text);
    const auto traced = trace(*model, report);
    if (num_gradients_ > 0) return evaluate_only(traced, num_gradients_);
    if (num_values_ > 0)
      return evaluate_only(model->trace(origin_of(*model), model::Model::Order::value),
                           num_values_);
    if (num_writes_ > 0) return write_only(*model);
    if (profile_) return profile(*model, traced, output);
    if (explain_) options_.num_chains = 0;
    measure(*model, traced, report);
    if (explain_) return explain(*model, *traced, report, output);
    output.print(json ? as_json(report) : as_text(model->name(), report));
    return 0;
  }

 private:
  int run_suite_programs(Output& output) const {
    const MachineSpeed machine = measure_machine();
    const std::vector<SuiteResult> results = run_suite(machine.threads);
    output.print(json ? suite_json(machine, results) : suite_text(machine, results));
    return 0;
  }

  using Traced = std::shared_ptr<const model::TracedDensity>;
  static std::vector<double> origin_of(const model::Model& model) {
    return std::vector<double>(static_cast<std::size_t>(model.dimension()), 0.0);
  }

  static Traced trace(const model::Model& model, Report& report) {
    const double start = clock_seconds();
    Traced traced = model.trace(origin_of(model));
    report.num_nodes = traced->num_nodes;
    report.trace_seconds = clock_seconds() - start;
    report.traced_mib = peak_mib();
    return traced;
  }

  // Point near which gradients are evaluated; empty: the origin.
  std::span<const double> centre() const {
    return options_.init.empty() ? std::span<const double>() : options_.init[0];
  }

  // The work alone, for counters of instructions.
  int evaluate_only(const Traced& traced, Index num_batches) const {
    GradientRunner runner(traced, model_.max_lanes, 1, centre());
    for (Index k = 0; k < num_batches; ++k) runner.run();
    return 0;
  }

  int write_only(const model::Model& model) const {
    std::vector<double> point(centre().begin(), centre().end());
    point.resize(static_cast<std::size_t>(model.dimension()), 0.0);
    model::Writer writer(model.draw_outputs());
    for (Index k = 0; k < num_writes_; ++k) {
      std::vector<density::DrawRequest> draws;
      for (Index l = 0; l < model_.max_lanes; ++l) {
        const auto draw = static_cast<std::uint32_t>(k * model_.max_lanes + l);
        draws.push_back({point, Rng({.purpose = purpose::kGenerated, .iteration = draw})});
      }
      writer.write(draws);
    }
    return 0;
  }

  int profile(const model::Model& model, const Traced& traced, Output& output) const {
    constexpr double kSeconds = 2.0;
    GradientRunner runner(traced, model_.max_lanes, 1, centre());
    runner.run();
    const graph::Inspector inspector(*traced->program);
    const auto shares = inspector.profile(runner.workspace(), kSeconds);
    output.print(json ? profile_json(model, shares) : profile_text(model, shares));
    return 0;
  }

  int explain(const model::Model& model, const model::TracedDensity& traced, const Report& report,
              Output& output) const {
    const auto cheapest =
        std::min_element(report.gradients.begin(), report.gradients.end(),
                         [](const auto& a, const auto& b) { return a.best() < b.best(); });
    const Explanation explanation{
        .model = &model,
        .watch = &watch_,
        .summary = graph::Inspector(*traced.program).summary(cheapest->lanes),
        .lanes = cheapest->lanes,
        .threads = report.threads,
        .microseconds = cheapest->best()};
    output.print(json ? explanation_json(explanation) : explanation_text(explanation));
    return 0;
  }

  void measure(const model::Model& model, const Traced& traced, Report& report) {
    report.threads = options_.num_threads > 0 ? options_.num_threads : num_processors();
    for (Index lanes = 1; lanes <= model_.max_lanes; lanes *= 2)
      report.gradients.push_back(time_gradient(traced, lanes, report.threads));
    if (options_.num_chains == 0) return;
    const double start = clock_seconds();
    model.draw_outputs().prepare(std::vector<double>(static_cast<std::size_t>(report.dimension)));
    report.trace_seconds += clock_seconds() - start;
    options_.kernel = nuts_;
    options_.seed = model_.seed;
    report.leapfrog = time_leapfrogs(model, options_, report.gradients.back().microseconds);
  }

  GradientTime time_gradient(const Traced& traced, Index lanes, Index threads) const {
    GradientRunner alone(traced, lanes, 1, centre());
    GradientTime time{lanes, microseconds_per_gradient(alone), {}};
    if (threads == 1 || !alone.splits()) return time;
    GradientRunner shared(traced, lanes, threads, centre());
    time.shared_microseconds = microseconds_per_gradient(shared);
    return time;
  }

  static std::string as_text(const std::string& name, const Report& report) {
    std::string text = fmt::format(
        "{}: {} unconstrained parameters, {} nodes\n"
        "ready after {:.3f} s (program and data {:.3f} s, tracing {:.3f} s), peak memory {:.0f} "
        "MiB\n",
        name, report.dimension, report.num_nodes, report.load_seconds + report.trace_seconds,
        report.load_seconds, report.trace_seconds, peak_mib());
    for (const GradientTime& time : report.gradients) text += gradient_text(time, report.threads);
    return text + leapfrog_text(report.leapfrog);
  }

  static std::string gradient_text(const GradientTime& time, Index threads) {
    const std::string text = fmt::format("{} lane{}: {:.3f} us per gradient", time.lanes,
                                         time.lanes > 1 ? "s" : " ", time.microseconds);
    if (!time.shared_microseconds) return text + "\n";
    return text + fmt::format(", {:.3f} with {} threads\n", *time.shared_microseconds, threads);
  }

  static std::string leapfrog_text(const LeapfrogTime& run) {
    if (run.num_chains == 0) return {};
    if (!run.failure.empty()) return "no run: " + run.failure + "\n";
    return fmt::format(
        "{:.3f} us per leapfrog step: {} chains of {} + {} transitions on {} thread{}, {} steps\n",
        run.microseconds, run.num_chains, run.num_warmup, run.num_draws, run.num_threads,
        run.num_threads > 1 ? "s" : "", run.num_steps);
  }

  static std::string as_json(const Report& report) {
    results::ArrayList answer;
    answer.set("threads", report.threads);
    const LeapfrogTime& run = report.leapfrog;
    const bool is_known = std::isfinite(run.microseconds);
    answer.set("us_per_leapfrog", run.microseconds, {},
               is_known ? results::Missing::shown : results::Missing::null);
    if (!is_known) answer.set("failure", run.failure);
    answer.set_all("ready_s", report.load_seconds + report.trace_seconds, "peak_mib", peak_mib(),
                   "dimension", report.dimension, "nodes", report.num_nodes, "load_s",
                   report.load_seconds, "trace_s", report.trace_seconds, "loaded_mib",
                   report.loaded_mib, "traced_mib", report.traced_mib);
    const std::vector<GradientTime>& all = report.gradients;
    auto add = answer.add_rows("lanes", all).columns(all, results::Missing::left_out);
    add("lanes", &GradientTime::lanes, "", "lanes");
    add("us_per_gradient", &GradientTime::microseconds);
    add("us_per_gradient_threads",
        [](const GradientTime& time) { return time.shared_microseconds.value_or(kNaN); });
    return answer_json(answer);
  }

  ModelArguments model_;
  infer::SampleOptions options_;
  infer::NutsOptions nuts_;
  InitialValues init_;
  StatementWatch watch_;
  Index num_gradients_ = 0, num_values_ = 0, num_writes_ = 0;
  bool explain_ = false, profile_ = false, suite_ = false;
};
}  // namespace

extern const CommandRow bench_command{
    "bench", "time the gradient of a program with its data, and a run",
    "  credo bench model.stan --data data.json\n"
    "  credo bench model.stan --data data.json --chains 8 --threads 2 --json\n"
    "  credo bench model.stan --data data.json --profile\n"
    "  credo bench --suite\n",
    make_command<Bench>, "Standard output: the figures, as text or JSON. No files."};

}  // namespace credo::cli
