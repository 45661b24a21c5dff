#include "results/files/result_file.hpp"

#include <fmt/format.h>

#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "io/json_writer.hpp"
#include "io/netcdf_file.hpp"
#include "io/number_text.hpp"
#include "results/files/adaptation_groups.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/modes.hpp"
#include "results/files/run_spec.hpp"
#include "results/files/table_groups.hpp"

namespace credo::results {
namespace {
using io::NetcdfFile;

constexpr Index kChunkValues = (Index{1} << 20) / 8;
constexpr Index kReadTogether = (Index{32} << 20) / 8;  // values that are read at once

// Description of one variable of a group, and its place among the quantities.
struct ResultVariable {
  density::Variable layout;
  Index first = 0;
  NetcdfFile::Kind kind = NetcdfFile::Kind::real;
  std::map<std::string, std::string> attributes = {};
};

// How the draws of whole numbers are stored: in 32 bits, which programs' integers have, in 64 bits where these are too few, as
// real numbers where some are missing. A draw whose generated quantities were rejected has none: NaN.
NetcdfFile::Kind width_of(const Fit& fit, const ResultVariable& variable, bool warmup) {
  bool all_there = true, are_short = true;
  const auto take = [&](std::span<const double> values) {
    for (const double x : values) {
      all_there &= std::isfinite(x);
      are_short &= std::fabs(x) < 2147483648.0;
    }
  };
  const DrawSlab all{.warmup = warmup, .first = variable.first, .count = variable.layout.size()};
  for_each_batch(fit, all, [&](Index, const density::Draws& draws) {
    for (Index k = 0; k < draws.num_quantities(); ++k) take(draws.quantity(k));
  });
  if (!all_there) return NetcdfFile::Kind::real;
  return are_short ? NetcdfFile::Kind::whole_32 : NetcdfFile::Kind::whole;
}

std::vector<ResultVariable> outputs_of(const Fit& fit, bool warmup) {
  const density::Layout& layout = fit.layout();
  std::vector<ResultVariable> all;
  for (Index v = 0; v < ssize(layout.variables()); ++v) {
    ResultVariable variable{.layout = layout.variables()[static_cast<std::size_t>(v)],
                            .first = first_output(fit) + layout.first(v)};
    if (variable.layout.size() == 0) continue;
    if (variable.layout.kind != density::Kind::real)
      variable.kind = width_of(fit, variable, warmup);
    if (variable.layout.block != density::Block::unknown)
      variable.attributes["block"] = name_of(variable.layout.block);
    all.push_back(std::move(variable));
  }
  return all;
}

std::vector<ResultVariable> statistics_of(const Fit& fit) {
  std::vector<ResultVariable> all;
  for (const StatColumn& column : fit.columns()) {
    all.push_back({.layout = {.name = arviz_word(column)},
                   .first = ssize(all),
                   .kind = netcdf_kind(column.kind),
                   .attributes = {{"own_name", column.name}}});
    if (!column.stan_name.empty()) all.back().attributes["stan_name"] = column.stan_name;
  }
  return all;
}

// Elements of the first index whose draws of one chain lie together in a chunk: what reads one parameter reads little else.
// At most as many as are read at once.
Index elements_together(const density::Variable& variable, Index num_draws, Index batch) {
  if (variable.dims.empty()) return 1;
  return std::clamp(std::min(kChunkValues / num_draws, batch), Index{1}, variable.dims[0]);
}

void add_numbers(NetcdfFile& file, NetcdfFile::Group group, const std::string& name, Index size) {
  file.add_dimension(group, name, size);
  const auto variable = file.add_variable(group, name,
                                          {.dimensions = {name},
                                           .kind = NetcdfFile::Kind::whole,
                                           .has_check_sums = false});  // 0, 1, ...: not needed
  std::vector<double> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  file.write(variable, numbers);
}

// The variable's dimensions in the group, made where it has some of its own.
std::vector<std::string> add_dimensions(NetcdfFile& file, NetcdfFile::Group group,
                                        const std::string& name, std::span<const Index> dims) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    names.push_back(fmt::format("{}_dim_{}", name, d));
    add_numbers(file, group, names.back(), dims[d]);
  }
  return names;
}

class DrawGroup {
 public:
  DrawGroup(NetcdfFile& file, const std::string& name, const Fit& fit, bool warmup)
      : file_(file),
        fit_(fit),
        group_(file.add_group(name)),
        warmup_(warmup),
        num_draws_(fit.num_draws(warmup)),
        num_chains_(fit.num_chains()) {
    add_numbers(file_, group_, "chain", num_chains_);
    add_numbers(file_, group_, "draw", num_draws_);
  }

  void add(const ResultVariable& variable) {
    const density::Variable& layout = variable.layout;
    std::vector<std::string> dimensions = {"chain", "draw"};
    for (std::string& name : add_dimensions(file_, group_, layout.name, layout.dims))
      dimensions.push_back(std::move(name));
    const Index batch =
        std::max<Index>(1, kReadTogether / std::max<Index>(1, num_draws_ * num_chains_));
    std::vector<std::size_t> chunks;
    Index together = 1;
    if (num_draws_ > 0) {
      together = elements_together(layout, num_draws_, batch);
      chunks.assign(dimensions.size(), 1);
      chunks[1] = static_cast<std::size_t>(num_draws_);
      if (chunks.size() > 2) chunks[2] = static_cast<std::size_t>(together);
    }
    const auto out = file_.add_variable(
        group_, layout.name, {.dimensions = dimensions, .kind = variable.kind, .chunks = chunks});
    for (const auto& [name, value] : variable.attributes) file_.set(out, name, value);
    if (num_draws_ > 0) write_all(variable, out, together, batch);
  }

 private:
  // Reads a batch at a time that ends with a chunk, so that each chunk is written once.
  void write_all(const ResultVariable& variable, NetcdfFile::Variable out, Index together,
                 Index batch) {
    const density::Variable& layout = variable.layout;
    const Index width = layout.dims.empty() ? 1 : layout.dims[0];
    for (Index first = 0, end = 0; first < layout.size(); first = end) {
      end = std::min(first + batch, layout.size());
      const Index rest = end % width % together;
      if (end < layout.size() && end - rest > first) end -= rest;
      write(layout, out, first,
            fit_.read({.warmup = warmup_, .first = variable.first + first, .count = end - first}));
    }
  }

  // Writes a row of the first index at a time.
  void write(const density::Variable& variable, NetcdfFile::Variable out, Index first,
             const density::Draws& draws) {
    const Index width = variable.dims.empty() ? 1 : variable.dims[0];
    for (Index k = 0; k < draws.num_quantities();) {
      const Index run = std::min(draws.num_quantities() - k, width - (first + k) % width);
      for (Index c = 0; c < num_chains_; ++c) {
        take_rows(draws, c, k, run);
        file_.write(out, slab_of(variable, first + k, run, c), values_);
      }
      k += run;
    }
  }

  // Draws of a chain row by row, in values_: some rows of all quantities at a time, which stay in the cache.
  void take_rows(const density::Draws& draws, Index chain, Index first, Index count) {
    constexpr Index kTogether = 8;
    values_.resize(static_cast<std::size_t>(num_draws_ * count));
    for (Index begin = 0; begin < num_draws_; begin += kTogether) {
      const Index end = std::min(begin + kTogether, num_draws_);
      for (Index r = 0; r < count; ++r) {
        const double* from = draws.chain(chain, first + r).data();
        double* to = values_.data() + r;
        for (Index s = begin; s < end; ++s) to[s * count] = from[s];
      }
    }
  }

  // All draws of elements that follow each other, the first index fastest among elements.
  NetcdfFile::Slab slab_of(const density::Variable& variable, Index element, Index run,
                           Index chain) const {
    NetcdfFile::Slab slab{.start = {static_cast<std::size_t>(chain), 0},
                          .count = {1, static_cast<std::size_t>(num_draws_)}};
    for (const Index dim : variable.dims) {
      slab.start.push_back(static_cast<std::size_t>(element % dim));
      slab.count.push_back(slab.count.size() == 2 ? static_cast<std::size_t>(run) : 1);
      element /= dim;
    }
    return slab;
  }

  NetcdfFile& file_;
  const Fit& fit_;
  NetcdfFile::Group group_;
  bool warmup_;
  Index num_draws_, num_chains_;
  std::vector<double> values_;
};

void write_draws(NetcdfFile& file, const Fit& fit, bool warmup) {
  const std::string prefix = warmup ? "warmup_" : "";
  std::vector<ResultVariable> outputs = outputs_of(fit, warmup);
  const auto likelihood = std::find_if(
      outputs.begin(), outputs.end(),
      [](const ResultVariable& variable) { return variable.layout.name == kLogLikelihood; });
  DrawGroup posterior(file, prefix + (holds_modes(fit) ? kOptimumGroup : fit.origin().group), fit,
                      warmup);
  for (auto variable = outputs.begin(); variable != outputs.end(); ++variable)
    if (variable != likelihood) posterior.add(*variable);
  DrawGroup statistics(file, prefix + "sample_stats", fit, warmup);
  for (const ResultVariable& variable : statistics_of(fit)) statistics.add(variable);
  if (likelihood == outputs.end()) return;
  // Place among the outputs, for readers that need the program's order.
  likelihood->attributes["place"] = std::to_string(likelihood->first - first_output(fit));
  DrawGroup(file, prefix + "log_likelihood", fit, warmup).add(*likelihood);
}

// ---- data

// Slots of tuples are variables of their own, "t:1", "t:1.2".
void write_value(NetcdfFile& file, NetcdfFile::Group group, const std::string& name,
                 const io::DataValue& value, bool whole) {
  if (value.num_elements() == 0) return;
  if (value.kind == io::DataKind::tuples) {
    const char separator = name.find(':') == std::string::npos ? ':' : '.';
    for (std::size_t k = 0; k < value.slots.size(); ++k)
      write_value(file, group, fmt::format("{}{}{}", name, separator, k + 1), value.slots[k],
                  value.slots[k].kind == io::DataKind::integers);
    return;
  }
  const bool is_whole = whole && value.kind == io::DataKind::integers;
  std::vector<double> numbers(value.integers.begin(), value.integers.end());
  if (value.kind == io::DataKind::reals) numbers = value.reals;
  const auto out =
      file.add_variable(group, name,
                        {.dimensions = add_dimensions(file, group, name, value.dims),
                         .kind = is_whole ? NetcdfFile::Kind::whole : NetcdfFile::Kind::real});
  file.write(out, numbers);
  if (value.column == nullptr) return;
  file.set(out, "column", value.column->name);
  if (!value.column->levels.empty())
    file.set(out, "levels", io::JsonWriter().value(value.column->levels).text());
}

// Variables that the program doesn't declare are constant, too, of the kind that they are written as;
// columns of tables are left out then.
void write_data(NetcdfFile& file, const FitOrigin& origin,
                const io::InputFiles::Contents& contents) {
  if (!io::holds_data(contents, origin.data_path)) return;
  std::vector<std::string> names;
  for (const auto& variable : origin.data) names.push_back(variable.name);
  const io::DataTable data = io::settled(io::read_data(origin.data_path, contents), names);
  std::optional<NetcdfFile::Group> observed, constant;
  for (const std::string& name : data.names()) {
    const io::DataValue& value = *data.find(name);
    const auto declared = std::find_if(origin.data.begin(), origin.data.end(),
                                       [&](const auto& d) { return d.name == name; });
    const bool is_declared = declared != origin.data.end();
    if (!is_declared && value.column != nullptr) continue;
    auto& group = is_declared && declared->observed ? observed : constant;
    if (!group) group = file.add_group(&group == &observed ? "observed_data" : "constant_data");
    write_value(file, *group, name, value, is_declared ? declared->whole : true);
  }
}

// Writes the inputs of the run, file by file.
void write_inputs(NetcdfFile& file, const io::InputFiles::Contents& contents) {
  const auto group = file.add_group("inputs");
  Index number = 0;
  for (const auto& [path, content] : contents) {
    const std::string name = fmt::format("file_{}", number++), dimension = name + "_bytes";
    const std::string text = content.empty() ? " " : content;  // a size of 0 means "unlimited"
    file.add_dimension(group, dimension, ssize(text));
    const auto variable =
        file.add_variable(group, name, {.dimensions = {dimension}, .kind = NetcdfFile::Kind::text});
    file.set(variable, "path", path);
    file.set(variable, "bytes", std::to_string(content.size()));
    file.write_text(variable, text);
  }
}

std::string repeatable_spec(const FitOrigin& origin) {
  if (origin.spec.empty()) return {};
  try {
    return to_json(parse_run_spec(origin.spec, origin.source).repeatable());
  } catch (const Error&) {  // from another version: the reader checks it
    return origin.spec;
  }
}

// A number as a number.
void set_setting(NetcdfFile& file, const std::string& name, const std::string& value) {
  const auto number = io::parse_number(value);
  if (!number) return file.set(file.root(), name, value);
  if (value.find_first_not_of("-0123456789") == std::string::npos && std::abs(*number) < 9e18)
    return file.set(file.root(), name, static_cast<Index>(*number));
  file.set_real(file.root(), name, *number);
}

void write_attributes(NetcdfFile& file, const Fit& fit, const io::InputFiles::Contents& contents) {
  const FitOrigin& origin = fit.origin();
  const auto program = contents.find(origin.model_path);
  const std::map<std::string, std::string> texts = {
      {"inference_library", "credo"},
      {"inference_library_version", origin.version},
      {"arithmetic", origin.arithmetic},
      {"model", origin.model_path},
      {"model_name", origin.model_name},
      {"program", program == contents.end() ? "" : program->second},
      {"data", origin.data_path},
      {"data_hash", origin.data_hash},
      {"spec", repeatable_spec(origin)},
      {"sampler", origin.sampler},
      {"seed", origin.seed}};
  file.set(file.root(), "schema", kResultSchema);
  if (!origin.resumed_with.empty()) file.set(file.root(), "resumed_with", origin.resumed_with);
  file.set(file.root(), "walkers_per_chain", fit.num_walkers());
  for (const auto& [name, value] : texts) file.set(file.root(), name, value);
  for (const auto& [name, value] : origin.settings)
    if (!texts.contains(name)) set_setting(file, name, value);
}
}  // namespace

void write_netcdf(const Fit& fit, const FitOutput& output) {
  NetcdfFile file(output.path, output.readers);
  io::InputFiles::Contents contents = fit.files();
  if (!output.with_data)
    for (const std::string& path : io::data_files(fit.origin().data_path)) contents.erase(path);
  write_attributes(file, fit, contents);
  write_draws(file, fit, false);
  if (fit.num_draws(true) > 0) write_draws(file, fit, true);
  write_data(file, fit.origin(), contents);
  write_adaptation(file, fit);
  write_tables(file, fit);
  write_inputs(file, contents);
  file.finish();
}

}  // namespace credo::results
