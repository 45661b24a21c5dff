#include "cli/run/run_arguments.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "cli/options/field_options.hpp"
#include "cli/options/selection_arguments.hpp"
#include "cli/options/start_files.hpp"
#include "cli/run/auto_method.hpp"
#include "cli/run/cross_check.hpp"
#include "cli/run/fitted_inputs.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/core/standard_samplers.hpp"
#include "infer/variational/approximation.hpp"
#include "model/model.hpp"
#include "results/draws/cross_check.hpp"
#include "results/files/earlier_result.hpp"

namespace credo::cli {
namespace {
constexpr std::string_view kAutoMethod = "auto";  // chosen by the program, else that of the command
}

RunArguments::RunArguments(std::optional<infer::Family> family, std::string_view approximation)
    : family_(family), approximation_(approximation) {
  if (approximates()) sampler.sampler = approximation;
  if (family != infer::Family::optimum) return;
  program.jacobian = false;
  sampler.sampler = "lbfgs";
}

void RunArguments::describe(Arguments& a, bool has_program) {
  has_program ? program.describe(a) : program.describe_options(a);
  a.group("Run");
  if (approximates()) return describe_approximation(a);
  const bool climbs = family_ == infer::Family::optimum;
  climbs ? describe_climbs(a) : field_options(a, options);
  if (!climbs) describe_target(a);
  init.describe(a);
  metric.describe(a);
  describe_output(a);
  if (climbs) return sampler.describe_climbs(a);
  sampler.describe(a);
  scheme.describe(a);
  describe_cross_check(cross, a);
}

// Options of the target, if it isn't the posterior of these data with the program's prior.
void RunArguments::describe_target(Arguments& a) {
  field_option<ModelSpec>(a, program, "temperature");
  a.option("--after", program.after, std::string(spec_of_field(ModelSpec{program}, "after").help),
           any_file());
  a.option("--forget", program.forget,
           std::string(spec_of_field(ModelSpec{program}, "forget").help) + "; may be repeated",
           needing("--after"));
  a.flag("--equal-data", program.equal_data,
         std::string(spec_of_field(ModelSpec{program}, "equal_data").help));
  field_option<ModelSpec>(a, program, "beta");
}

void RunArguments::check_target() const {
  const bool is_all = program.terms == "all" && program.temperature == 1.0;
  if (program.after.empty() && program.beta == 1.0) return;
  const std::string option = program.after.empty() ? "--beta" : "--after";
  if (!is_all)
    throw Error(ErrorCode::usage,
                "prior and likelihood count each for themselves, so that --terms and "
                "--temperature have no meaning",
                option, "leave these out; --beta weighs the likelihood");
}

// A power of the density has values and gradients only.
void RunArguments::check_temperature() const {
  if (program.temperature == 1.0 || infer::is_approximation(options.sampler)) return;
  const infer::SamplerSpec& row = infer::find_sampler(options.sampler);
  const std::string_view reason = infer::why_no_part(row);
  if (options.sampler != infer::kCompositionName && !reason.empty())
    throw Error(ErrorCode::usage,
                fmt::format("{} can't sample a power of the density: {}", row.name, reason),
                "--temperature", "take a sampler that moves one point, as nuts or slice");
  if (cross.is_asked())
    throw Error(ErrorCode::usage, "a cross-check is one of the posterior, not of a power of it",
                "--cross-check", "leave out --temperature or --cross-check");
}

void RunArguments::describe_climbs(Arguments& a) {
  a.option("--starts", options.num_chains, "climbs, each from a point of its own",
           range_of(options, "num_chains"));
  a.flag("--jacobian", jacobian_,
         "the mode of the density of the unconstrained values, as Laplace's approximation and "
         "samplers see "
         "it");
  a.flag("--no-jacobian", no_jacobian_,
         "the mode of the density of the parameters (the default): maximum likelihood or a "
         "posteriori");
  field_option(a, options, "marginal");
  field_option(a, options, "num_threads");
}

void RunArguments::describe_approximation(Arguments& a) {
  a.option("--chains", options.num_chains,
           "sets of draws, each with random numbers of its own; threads and ranks share them",
           range_of(options, "num_chains"));
  a.option("--draws", options.num_draws, "draws of each set", range_of(options, "num_draws"));
  field_option(a, options, "marginal");
  field_option(a, options, "num_threads");
  describe_target(a);
  describe_output(a);
  a.flag("--no-check", conduct.no_check,
         "judge the draws by their weights alone: no search for other modes, no transitions of "
         "NUTS from them");
  a.option("--then", conduct.then,
           "after an approximation that the verdict calls poor: stop, or credo sample from its "
           "draws, with the result OUTPUT_sample.nc",
           {.choices = {"stop", "sample"}});
  sampler.describe_approximations(a);
}

void RunArguments::describe_output(Arguments& a) {
  a.group("Output");
  field_options(a, out);
  cli::describe(out.selection, a);
  a.option("--max-time", conduct.max_time,
           "stop after so long, but with a transition of each chain: seconds, or as 90s, 15m, 2h; "
           "credo resume continues");
  if (family_ != infer::Family::optimum)
    a.flag("--keep-run", conduct.keeps_run,
           "keep the run file when the run is done: credo resume OUTPUT.run --draws N continues "
           "it");
  a.flag("--live", conduct.is_live,
         "serve a page of this machine on which the run can be watched, and stopped, while it "
         "lasts; needs --output");
}

bool is_netcdf(const OutputSpec& out) {
  return out.format.empty() ? out.file.ends_with(".nc") : out.format == "netcdf";
}

void RunArguments::check() {
  program.settle();
  if (!out.format.empty() && out.format != "csv" && out.format != "netcdf")
    throw Error(ErrorCode::usage, fmt::format("unknown format '{}'", out.format), "--format",
                "use netcdf or csv");
  if (!seeds_differ_) options.seed = program.seed;
  scheme.apply(options);
  if (!scheme.path.empty()) sampler.sampler = options.sampler;
  if (approximates() && sampler.sampler == kAutoMethod) {
    sampler.sampler = approximation_;
    is_auto_ = approximation_ == infer::kStandardApproximation && !sampler.has_own_options();
  }
  check_climbs();
  sampler.apply(options);
  validate_run(options);
  check_cross_check(cross, options);
  check_temperature();
  check_target();
}

// Approximations have commands of their own, which take no other rows.
void RunArguments::require_approximation() const {
  if (!family_ || infer::is_approximation(sampler.sampler) == approximates()) return;
  const std::string& name = sampler.sampler;
  if (!approximates())
    throw Error(ErrorCode::usage, fmt::format("{} draws from an approximation", name),
                family_ == infer::Family::optimum ? "--method" : "--sampler",
                fmt::format("credo approximate --method {}", name));
  throw Error(ErrorCode::usage,
              infer::is_in_table(name) ? fmt::format("{} is no approximation", name)
                                       : fmt::format("there is no method '{}'", name),
              "--method", "credo approximate --help lists those there are");
}

void RunArguments::require_family() const {
  require_approximation();
  if (!family_ || climbs() == (family_ == infer::Family::optimum)) return;
  const std::string& name = sampler.sampler;
  if (climbs())
    throw Error(ErrorCode::usage, fmt::format("{} climbs to a mode and draws nothing", name),
                "--sampler", fmt::format("credo optimize --method {}", name));
  const bool is_known = std::any_of(infer::samplers().begin(), infer::samplers().end(),
                                    [&](const auto* row) { return row->name == name; });
  throw Error(ErrorCode::usage,
              is_known ? fmt::format("{} draws, and climbs to no mode", name)
                       : fmt::format("there is no method '{}'", name),
              "--method",
              is_known ? fmt::format("credo sample --sampler {}", name)
                       : "credo optimize --help lists those there are");
}

// A climb yields one draw.
void RunArguments::check_climbs() {
  require_family();
  if (jacobian_ && no_jacobian_)
    throw Error(ErrorCode::usage, "--jacobian and --no-jacobian exclude each other", "--jacobian",
                "give one of them");
  if (jacobian_ || no_jacobian_) program.jacobian = jacobian_;
  if (climbs()) options.num_draws = options.thin = 1;
}

std::string RunArguments::run_file() const { return out.file.empty() ? "" : run_file_of(out.file); }

FitOutput RunArguments::result(const io::Readers& readers) const {
  std::vector<std::string> tables;
  if (!program.model.empty())  // other models have algorithms of their own
    for (const infer::RowGroup& group : infer::find_sampler(options.sampler).groups())
      tables.emplace_back(group.name);
  if (cross.is_asked()) tables.emplace_back(kCrossCheckTable);
  return {.path = out.file,
          .netcdf = is_netcdf(out),
          .sig_figs = out.sig_figs,
          .with_data = !out.no_data,
          .tables = std::move(tables),
          .readers = readers};
}

// ---- values of other forms

RunSpec RunArguments::spec() {
  check();
  return {.model = program,
          .run = options,
          .init = init.text,
          .inv_metric = metric.path,
          .output = out,
          .cross_check = cross};
}

void RunArguments::take(const RunSpec& spec, io::InputFiles files) {
  static_cast<ModelSpec&>(program) = spec.model;
  program.files = std::move(files);
  seeds_differ_ = spec.model.seed != spec.run.seed;
  options = spec.run;
  sampler.sampler = spec.run.sampler;
  init.text = spec.init;
  metric.path = spec.inv_metric;
  out = spec.output;
  cross = spec.cross_check;
}

void RunArguments::take_like(const Fit& fit, Given given) {
  const RunSpec then = spec_of(fit).repeatable();
  sampler.sampler = then.run.sampler;
  require_family();
  take(then, files_of_repeated(fit, then, given));
  Arguments arguments("credo sample");
  describe(arguments);
  given.try_emplace("model", std::vector{then.model.model});
  assign(arguments, given);
  if (given.contains("--seed")) seeds_differ_ = false;
  if (!infer::find_sampler(then.run.sampler).has_warmup && !given.contains("--warmup"))
    options.num_warmup = infer::SampleOptions{}.num_warmup;
}

void RunArguments::take_below(const RunSpec& spec, io::InputFiles files) {
  const Index threads = options.num_threads;
  const bool silent = out.quiet, judged = out.strict;
  const std::string file = out.file;
  take(spec, std::move(files));
  if (threads > 0) options.num_threads = threads;
  if (!file.empty()) out.file = file;
  out.quiet = out.quiet || silent;
  out.strict = out.strict || judged;
}

void RunArguments::take_own(const Fit& fit) {
  take_below(spec_of(fit), io::InputFiles(fit.files()));
}

namespace {
// The values needed of an earlier result replace it among the files: a run like this one needn't have the other result.
void keep_earlier(ModelArguments& program) {
  const std::string& path = program.after;
  if (path.empty()) return;
  const auto known = program.files.contents().find(path);
  if (known != program.files.contents().end() && results::is_earlier_json(known->second)) return;
  const auto fit = open_fit(std::span(&path, 1));
  const auto then = rebuild_model(*fit);
  std::vector<std::string> seen;
  if (const auto& before = then->options().after) seen = before->data;
  program.files.add(path, results::to_json(results::earlier_from(*fit, *then, seen)));
  program.files.come_from(path);
}

}  // namespace

std::unique_ptr<model::Model> RunArguments::load(Output& output, bool json) {
  program.is_noted = !out.quiet;
  keep_earlier(program);
  if (program.is_noted && program.beta != 1.0)
    output.note(
        fmt::format("the likelihood counts {:.4g} times (--beta): draws, weights and bounds are of "
                    "that density, not of the posterior\n",
                    1.0 / program.beta));
  lang::PrintSink print;
  if (!out.quiet)
    print = [&output](std::string_view text) { output.note(std::string(text) + "\n"); };
  auto model = load_model(program, output, json, print);
  if (model->dimension() == 0 && infer::is_approximation(options.sampler))
    throw Error(ErrorCode::usage,
                "the program has no parameters, so that no distribution is fitted", model->name(),
                "credo sample draws its generated quantities");
  if (is_auto_) take_auto_method(*model, output, json);
  find_parameters_of_scheme(options, *model);
  if (init.text == kNearMode) keep_points_near_modes(*model, program.files, options);
  keep_starts({.init = init.text, .inv_metric = metric.path}, *model, program.files,
              options.num_chains);
  const std::string warnings = init.apply(*model, program.files, options);
  metric.apply(*model, program.files, options);
  if (!out.quiet && !warnings.empty()) output.note(warnings);
  take_fitted_inputs(options, *model);
  options.stop = current_stop();
  return model;
}

void RunArguments::take_auto_method(const model::Model& model, Output& output, bool is_json) {
  is_auto_ = false;
  if (!program.after.empty() || program.beta != 1.0 || program.temperature != 1.0) return;
  const std::optional<AutoMethod> method = auto_method(model, options);
  if (!method) return;
  options = method->options;
  sampler.sampler = options.sampler;
  if (!out.quiet && !is_json) output.note(method->words);
}

}  // namespace credo::cli
