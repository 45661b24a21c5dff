#include "cli/load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/memory.hpp"
#include "cli/options/field_options.hpp"
#include "cli/term/terminal.hpp"
#include "io/data/data_files.hpp"
#include "model/data/program_table.hpp"
#include "model/model.hpp"
#include "numerics/arithmetic.hpp"
#include "results/files/earlier_result.hpp"

namespace credo::cli {

void ModelArguments::describe(Arguments& arguments) {
  arguments.group("Model");
  arguments.positional("model", model, "Stan program (.stan)", file_ending(".stan"));
  describe_options(arguments);
}

void ModelArguments::describe_options(Arguments& arguments) {
  arguments.group("Model");
  reading.describe(
      arguments,
      "data file: CSV, TSV, JSON, NetCDF or R's dump format; may be repeated; none: no data");
  arguments.option("-I,--include", include_dirs, "directory for #include; may be repeated",
                   any_directory());
  arguments.group(std::string(kEvaluationGroup));
  field_options<results::ModelSpec>(arguments, *this);
  arguments.regroup("--seed", "Model");
  arguments.changes_nothing("--max-lanes");
  arguments.option("--dump", dump,
                   "print the graph after this pass (also: trace, gradient), once a stage",
                   changing(Changes::nothing));
}

void ModelArguments::settle() {
  data = reading.recipe(data);
  reading = {};
}

model::DataFiles ModelArguments::read_files() {
  settle();
  model::DataFiles all{.recipe = data, .texts = {}};
  for (const std::string& path : io::data_files(data)) all.texts[path] = files.read(path);
  return all;
}

std::shared_ptr<const model::ProgramSource> load_program(const std::string& path,
                                                         std::span<const std::string> include_dirs,
                                                         Output& output, bool json, bool strict,
                                                         const lang::FileReader& read) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = model::compile_file(path, diagnostics, source, include_dirs, strict, read);
  if (!json) output.note(visible(lang::render(source, diagnostics)));
  if (program == nullptr) {
    const bool unreadable =
        std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                    [](const auto& d) { return d.code == lang::DiagCode::file_not_readable; });
    const Error error(unreadable ? ErrorCode::io : ErrorCode::program,
                      fmt::format("the program has {} error{}", diagnostics.num_errors(),
                                  diagnostics.num_errors() == 1 ? "" : "s"),
                      path);
    throw ProgramErrors(error, lang::render_json(source, diagnostics));
  }
  return program;
}

namespace {
graph::Passes::Observer dump_after(std::string_view name, Output& output) {
  if (name.empty()) return {};
  if (name != "trace" && name != "gradient") graph::Passes known{name};  // or an error
  return [name = std::string(name), &output](std::string_view pass, const graph::Traced& traced) {
    if (pass == name) output.print(fmt::format("after {}:\n{}", pass, graph::dump(traced)));
  };
}

graph::Passes::Observer both(graph::Passes::Observer first, graph::Passes::Observer second) {
  if (!first) return second;
  if (!second) return first;
  return [first, second](std::string_view pass, const graph::Traced& traced) {
    first(pass, traced);
    second(pass, traced);
  };
}
}  // namespace

std::size_t place_of(const std::string& word, std::initializer_list<const char*> words,
                     const char* option) {
  const auto place = std::find(words.begin(), words.end(), word);
  if (place != words.end()) return static_cast<std::size_t>(place - words.begin());
  throw Error(ErrorCode::usage, fmt::format("unknown word '{}'", word), option,
              fmt::format("use one of {}", fmt::join(words, ", ")));
}

namespace {
io::DataTable read_data(ModelArguments& arguments) {
  static constexpr MemoryUse kUse{"the data file", "give the program less data"};
  const MemoryScope memory(kUse);
  arguments.settle();
  if (!arguments.keeps_files) return io::read_data(arguments.data);
  return io::read_data(arguments.data, [&](const std::string& path) -> const std::string& {
    return arguments.files.read(path);
  });
}

// Notes sizes, codes and omitted rows or levels, which the files don't state. `briefly`: omissions only.
void note_table(const io::DataTable& data, const model::Model& model, Output& output,
                bool briefly) {
  std::string text;
  const auto declared = model.data().variables();
  const auto is_declared = [&](const std::string& name) {
    return std::ranges::any_of(declared, [&](const auto& d) { return d.name == name; });
  };
  for (const model::SuppliedSize& size : model.data().supplied())
    if (!briefly) text += fmt::format("{} is {}, {}\n", size.name, size.value, size.reason);
  for (const io::DataNote& note : data.notes())
    if (is_declared(note.variable) && (note.is_loss || !briefly)) text += note.text + "\n";
  constexpr std::size_t kShown = 12;  // levels
  for (const std::string& name : data.names()) {
    const auto& column = data.find(name)->column;
    if (briefly || column == nullptr || column->levels.empty() || !is_declared(name)) continue;
    text += name + " has codes: ";
    for (std::size_t k = 0; k < std::min(kShown, column->levels.size()); ++k)
      text += fmt::format("{}{} {}", k == 0 ? "" : ", ", k + 1, column->levels[k]);
    if (column->levels.size() > kShown) text += fmt::format(", ... {}", column->levels.size());
    text += "\n";
  }
  if (!text.empty()) output.note(visible(text));
}
}  // namespace

void note_data(const model::DataFiles& data, const model::Model& model, Output& output, bool json) {
  const io::DataTable table = io::read_data(data.recipe, data.texts);
  note_table(model::table_for(model.source(), table), model, output, json);
}

std::unique_ptr<model::Model> load_model(ModelArguments& arguments, Output& output, bool json,
                                         std::function<void(std::string_view)> print) {
  if (!arguments.simd.empty()) numerics::force_target(numerics::parse_target(arguments.simd));
  const std::array<Index, 4> lane_counts{1, 2, 4, 8};
  if (std::find(lane_counts.begin(), lane_counts.end(), arguments.max_lanes) == lane_counts.end()) {
    throw Error(ErrorCode::usage, fmt::format("must be 1, 2, 4 or 8, is {}", arguments.max_lanes),
                "--max-lanes", "leave it out for 8");
  }
  const auto read = [&arguments](const std::string& path) {
    return arguments.files.can_read(path)
               ? std::optional(arguments.files.read(path, lang::kMaxProgramBytes))
               : std::nullopt;
  };
  auto program = load_program(arguments.model, arguments.include_dirs, output, json, false, read);
  const io::DataTable data = model::table_for(*program, read_data(arguments));
  model::ModelOptions options;
  options.seed = arguments.seed;
  options.passes = arguments.passes;
  options.discrete = static_cast<model::DiscreteUse>(
      place_of(arguments.discrete, {"auto", "sum", "gibbs"}, "--discrete"));
  options.blocks = static_cast<model::SiteBlocks>(
      place_of(arguments.blocks, {"trees", "single", "clusters"}, "--blocks"));
  options.site_update = static_cast<density::SiteUpdate>(
      place_of(arguments.discrete_update, {"gibbs", "random", "metropolis", "over_relaxed"},
               "--discrete-update"));
  options.query.power = 1.0 / arguments.temperature;
  options.query.terms = static_cast<density::Terms>(
      place_of(arguments.terms, {"all", "prior", "likelihood"}, "--terms"));
  options.query.jacobian = arguments.jacobian;
  if (!arguments.after.empty()) {
    const auto earlier =
        results::parse_earlier_json(arguments.files.read(arguments.after), arguments.after);
    options.after = std::make_shared<const density::EarlierPosterior>(
        results::without(earlier, arguments.forget, arguments.after));
  }
  options.likelihood_weight = 1.0 / arguments.beta;
  options.may_lack_outcomes = arguments.may_lack_outcomes;
  options.max_lanes = arguments.max_lanes;
  options.limits.max_steps = arguments.max_trace_steps;
  options.print = std::move(print);
  options.warn = [&output](const std::string& text) { output.note(visible(text)); };
  options.observe = both(dump_after(arguments.dump, output), arguments.observe);
  if (arguments.dump == "fuse") {
    options.observe_program = [&output](const graph::Program& fused) {
      output.print("after fuse:\n" + fused.dump());
    };
  }
  auto model = std::make_unique<model::Model>(std::move(program), data, std::move(options));
  if (model->options().site_update != density::SiteUpdate::gibbs &&
      model->discrete_block().size() == 0)
    throw Error(ErrorCode::usage, "no discrete parameters are drawn by updates",
                "--discrete-update", "add --discrete gibbs, for a program that has some");
  if (!arguments.after.empty())
    results::require_next(*model->options().after, *model, arguments.after, arguments.equal_data);
  note_table(data, *model, output, json || !arguments.is_noted);
  return model;
}

}  // namespace credo::cli
