#include "cli/run/cross_check.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/options/field_options.hpp"
#include "cli/run/run_facts.hpp"
#include "cli/term/stop.hpp"
#include "io/file.hpp"
#include "model/model.hpp"
#include "results/draws/cross_check.hpp"
#include "results/draws/cross_run.hpp"

namespace credo::cli {

std::string cross_run_file_of(const std::string& output) { return output + ".cross.run"; }

void describe_cross_check(CrossCheckSpec& cross, Arguments& a) {
  a.group("Cross-check");
  Values values{.choices = {"auto"}, .implied = "auto"};
  for (const infer::SamplerSpec* row : infer::samplers())
    if (infer::is_sampler(*row) && !row->biased) values.choices.emplace_back(row->name);
  a.option(
      "--cross-check", cross.algorithm,
      "run a second, different algorithm on the same program afterwards, and say in the verdict "
      "whether the two agree; auto, or no NAME: smc, and nuts where the run itself is one of "
      "particles",
      std::move(values));
  field_options(a, cross);
}

void check_cross_check(CrossCheckSpec& cross, const infer::SampleOptions& run) {
  if (cross.is_asked()) {
    cross.algorithm = cross_algorithm(cross, run);
    return;
  }
  const CrossCheckSpec plain;
  if (cross.budget != plain.budget || cross.from != plain.from)
    throw Error(ErrorCode::usage, "this option needs a cross-check",
                cross.budget != plain.budget ? "--cross-check-budget" : "--cross-check-from",
                "add --cross-check");
}

namespace {
// The store of the second run: it continues its file if that belongs to the same run.
std::unique_ptr<RunStore> cross_store(RunArguments& first, const model::Model& model,
                                      infer::SampleOptions& run) {
  const std::string path = first.out.file.empty() ? "" : cross_run_file_of(first.out.file);
  RunSpec own = first.spec();
  own.run = run, own.run.stop = nullptr, own.cross_check = {};
  io::RunFile::Facts facts = run_facts(first.program, model, own);
  if (!path.empty() && std::filesystem::exists(path)) {
    io::RunFile file = io::RunFile::open_to_write(path);
    if (are_same_draws(specification_of(file.facts(), path), specification_of(facts, path))) {
      check_arithmetic(file, first.conduct.other_arithmetic);
      run.states = states_of(file);
      return std::make_unique<RunStore>(model, run, std::move(file));
    }
    file.remove({});
  }
  return std::make_unique<RunStore>(model, run,
                                    RunPlace{.path = path,
                                             .facts = std::move(facts),
                                             .selection = first.out.selection,
                                             .readers = first.program.files.readers(),
                                             .at_once = true});
}
}  // namespace

void cross_check(RunArguments& run, const model::Model& model, RunStore& first, Output& output,
                 const std::function<void(RunStore&)>& watch) {
  if (!run.cross.is_asked()) return;
  CrossPlan plan = plan_cross_run(run.cross, run.options, first.result(), model);
  verdict::CrossCheck said{.algorithm = plan.run.sampler};
  if (first.result().interrupted) {
    said.reason = "the run itself was stopped.";
  } else {
    if (!run.out.quiet) output.note(fmt::format("cross-check: {}\n", plan.words));
    const auto second = cross_store(run, model, plan.run);
    watch(*second);
    said.reason = run_within_budget(model, plan, *second);
    if (said.reason.empty()) said = cross_checked(first, *second, plan.reservation);
    second->remove_file();
  }
  first.add_table(cross_check_table(), cross_check_rows(first, said));
  first.add_settings(cross_check_settings(said));
}

}  // namespace credo::cli
