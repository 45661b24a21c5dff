// credo samplers: every sampler on one program, and what an independent draw costs with each.
#include <fmt/format.h>

#include "cli/help/sampler_table.hpp"
#include "cli/load.hpp"
#include "cli/options/field_options.hpp"
#include "cli/options/sampler_arguments.hpp"
#include "cli/term/run_progress.hpp"
#include "cli/term/stop.hpp"
#include "infer/core/columns.hpp"
#include "infer/core/table.hpp"
#include "model/model.hpp"
#include "model/writer.hpp"

namespace credo::cli {
namespace {

std::vector<std::string> pieces_of(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    pieces.push_back(text.substr(begin, end - begin));
  pieces.push_back(text.substr(begin));
  return pieces;
}

// The outputs of the program called `names`, of each draw; generated quantities have streams of
// their own, as in `credo sample`.
density::Draws outputs_of(const model::Model& model, std::span<const std::string> names,
                          std::uint64_t seed, const infer::StoredDraws& store) {
  std::vector<std::size_t> places;
  for (const std::string& name : names)
    places.push_back(static_cast<std::size_t>(model.outputs().find(name).value()));
  density::Draws values(store.draws.num_draws(), store.draws.num_chains(), ssize(names));
  model::Writer writer(model.draw_outputs());
  std::vector<double> row, point(static_cast<std::size_t>(model.dimension()));
  for (Index c = 0; c < values.num_chains(); ++c) {
    for (Index s = 0; s < values.num_draws(); ++s) {
      for (std::size_t d = 0; d < point.size(); ++d)
        point[d] = store.draws(s, c, static_cast<Index>(d));
      Rng rng({.seed = seed,
               .purpose = purpose::kGenerated,
               .chain = static_cast<std::uint32_t>(c),
               .iteration = static_cast<std::uint32_t>(s)});
      writer.write(point, rng, row);
      for (std::size_t k = 0; k < places.size(); ++k)
        values(s, c, static_cast<Index>(k)) = row[places[k]];
    }
  }
  return values;
}

class Samplers final : public Command {
 public:
  void describe(Arguments& a) override {
    model_.reading.columns_option = "--data-columns";
    model_.describe(a);
    a.group("Table");
    a.option("--only", only_, "these samplers, separated by commas; else all there are");
    a.option("--columns", columns_,
             "judge these outputs of the program instead of its unconstrained parameters; may be "
             "repeated");
    a.option("--set", set_, "SAMPLER.FIELD=VALUE: an option of one sampler; may be repeated");
    a.option("--chains", options_.num_chains, "chains, each from a point of its own",
             range_of(options_, "num_chains"));
    a.option("--warmup", options_.num_warmup, "warm-up transitions per chain",
             range_of(options_, "num_warmup"));
    a.option("--draws", options_.num_draws, "transitions per chain after warm-up",
             range_of(options_, "num_draws"));
    a.option("--threads", options_.num_threads,
             "threads; 0: one for each processor. Never changes a draw",
             range_of(options_, "num_threads"));
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    validate_run(options_);
    choose_samplers();
    const auto model = load_model(model_, output, json);
    options_.seed = model_.seed;
    options_.stop = stop_flag();
    const Quantities quantities = quantities_of(*model);
    std::vector<SamplerRow> rows;
    for (const std::string& sampler : samplers_) {
      if (!json) output.note(sampler + "\n");
      options_.sampler = sampler;
      options_.kernel = kernels_.at(sampler);
      rows.push_back(watched(*model, quantities, output));
      if (options_.stop->load()) break;
    }
    output.print(json ? sampler_table_json(rows) : sampler_table_text(rows));
    return options_.stop->load() ? static_cast<int>(ErrorCode::interrupted) : 0;
  }

 private:
  SamplerRow watched(const model::Model& model, const Quantities& quantities, Output& output) {
    infer::SampleOptions options = options_;
    RunProgress progress(output, json, json);  // machines get the table only
    progress.begin(options, {.model = model_.model});
    return measure_sampler(model, options, quantities);
  }

  void choose_samplers() {
    try {
      if (only_.empty())
        for (const infer::SamplerSpec* row : infer::samplers()) {
          if (row->has_warmup && !row->needs_states) samplers_.emplace_back(row->name);
        }
      else
        samplers_ = pieces_of(only_, ',');
      for (const std::string& name : samplers_) {
        if (infer::climbs_to_modes(name))
          throw Error(ErrorCode::usage, name + " climbs to a mode and draws nothing", "sampler",
                      "credo optimize --method " + name);
        const infer::SamplerSpec& row = infer::find_sampler(name);
        for (const infer::FieldSpec& column : row.columns())
          if (column.name == infer::kLogWeightColumn.name)
            throw Error(ErrorCode::usage, name + " gives weighted draws, which no chain is",
                        "sampler", "credo sample --sampler " + name);
        kernels_[name] = row.options();
      }
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), "--only", error.hint());
    }
    for (const std::string& setting : set_) apply(setting);
  }

  void apply(const std::string& setting) {
    const std::size_t dot = setting.find('.'), equals = setting.find('=', dot);
    const auto kernel = kernels_.find(setting.substr(0, dot));
    if (dot == std::string::npos || equals == std::string::npos || kernel == kernels_.end())
      throw Error(ErrorCode::usage, fmt::format("'{}' names no sampler of this table", setting),
                  "--set", "write SAMPLER.FIELD=VALUE, as in nuts.max_tree_depth=8");
    try {
      infer::set_field(kernel->second, setting.substr(dot + 1, equals - dot - 1),
                       setting.substr(equals + 1));
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), "--set " + setting, error.hint());
    }
  }

  Quantities quantities_of(const model::Model& model) const {
    if (columns_.empty())
      return {model.unconstrained().element_names(),
              [](const infer::StoredDraws& store) { return store.draws; }};
    for (const std::string& name : columns_)
      if (!model.outputs().find(name))
        throw Error(ErrorCode::usage, fmt::format("the program has no output '{}'", name),
                    "--columns", "outputs are called as in the files of `credo sample`: theta.1");
    return {columns_, [this, &model](const infer::StoredDraws& store) {
              return outputs_of(model, columns_, options_.seed, store);
            }};
  }

  ModelArguments model_;
  infer::SampleOptions options_{.num_threads = 1, .init_prior = true};
  std::string only_;
  std::vector<std::string> columns_, set_, samplers_;
  std::map<std::string, infer::KernelOptions, std::less<>> kernels_;
};
}  // namespace

extern const CommandRow samplers_command{
    "samplers", "the performance table: every sampler on one program, costs per independent draw",
    "  credo samplers model.stan --data data.json\n"
    "  credo samplers model.stan --data data.json --only nuts,slice,ensemble --draws 5000\n"
    "  credo samplers model.stan --columns x --columns xy --set hmc_static.integration_time=3\n",
    make_command<Samplers>, "Standard output: the table, as text or JSON. No files."};

}  // namespace credo::cli
