#include "cli/result_file.hpp"

#include <fmt/format.h>

#include "io/netcdf_file.hpp"

namespace credo::cli {
namespace {
using io::NetcdfFile;

constexpr Index kBatchValues = (Index{64} << 20) / 8;  // of all that is read at a time
constexpr Index kChunkValues = (Index{1} << 20) / 8;

// Columns of the store that are one variable, in the order of the program's language: the first
// index fastest.
struct ResultVariable {
  std::string name;
  Index first = 0, count = 0;
  std::vector<Index> dims;
  NetcdfFile::Kind kind = NetcdfFile::Kind::real;
};

// "theta.2.10" has the indices 2 and 10, and is the last column of a 2 × 10 variable.
std::vector<Index> indices_of(std::string_view column, std::size_t name_size) {
  std::vector<Index> indices;
  for (std::size_t at = name_size; at < column.size();) {
    const std::size_t end = std::min(column.find('.', at + 1), column.size());
    indices.push_back(std::atoll(std::string(column.substr(at + 1, end - at - 1)).c_str()));
    at = end;
  }
  return indices;
}

std::vector<ResultVariable> variables_of(std::span<const std::string> columns, Index first) {
  std::vector<ResultVariable> variables;
  for (const std::string& column : columns) {
    const std::string name = column.substr(0, column.find('.'));
    if (variables.empty() || variables.back().name != name)
      variables.push_back({.name = name, .first = first, .dims = {}});
    ResultVariable& variable = variables.back();
    ++variable.count;
    variable.dims = indices_of(column, name.size());  // those of the last one stay
    ++first;
  }
  return variables;
}

// ArviZ' words for what samplers report.
std::string word_for(const StatColumn& column) {
  static const std::map<std::string_view, std::string_view> words = {
      {"lp__", "lp"},
      {"accept_stat__", "acceptance_rate"},
      {"stepsize__", "step_size"},
      {"treedepth__", "tree_depth"},
      {"n_leapfrog__", "n_steps"},
      {"divergent__", "diverging"},
      {"energy__", "energy"}};
  const auto known = words.find(column.stan_name);
  return known == words.end() ? column.name : std::string(known->second);
}

std::vector<ResultVariable> statistics_of(std::span<const StatColumn> columns) {
  std::vector<ResultVariable> variables;
  for (const StatColumn& column : columns) {
    variables.push_back(
        {.name = word_for(column), .first = ssize(variables), .count = 1, .dims = {}});
    if (variables.back().name == "diverging") variables.back().kind = NetcdfFile::Kind::flag;
  }
  return variables;
}

// Draws of one chain lie together, those of a few elements in one chunk: what reads one parameter
// reads little else.
std::vector<std::size_t> chunks_of(const ResultVariable& variable, Index num_draws) {
  std::vector<std::size_t> chunks = {1, static_cast<std::size_t>(num_draws)};
  for (std::size_t d = 0; d < variable.dims.size(); ++d) chunks.push_back(1);
  if (!variable.dims.empty())
    chunks[2] = static_cast<std::size_t>(
        std::clamp(kChunkValues / std::max<Index>(num_draws, 1), Index{1}, variable.dims[0]));
  return chunks;
}

void add_numbers(NetcdfFile& file, NetcdfFile::Group group, const std::string& name, Index size) {
  file.add_dimension(group, name, size);
  const auto variable =
      file.add_variable(group, name, {.dimensions = {name}, .kind = NetcdfFile::Kind::whole});
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
  DrawGroup(NetcdfFile& file, const std::string& name, const RunStore& store, bool warmup)
      : file_(file),
        store_(store),
        group_(file.add_group(name)),
        warmup_(warmup),
        num_draws_(store.num_complete(warmup)) {
    num_chains_ = store.num_chains();
    add_numbers(file_, group_, "chain", num_chains_);
    add_numbers(file_, group_, "draw", num_draws_);
  }

  void add(const ResultVariable& variable) {
    std::vector<std::string> dimensions = {"chain", "draw"};
    for (std::string& name : add_dimensions(file_, group_, variable.name, variable.dims))
      dimensions.push_back(std::move(name));
    const auto out = file_.add_variable(
        group_, variable.name,
        {.dimensions = dimensions,
         .kind = variable.kind,
         .chunks = num_draws_ > 0 ? chunks_of(variable, num_draws_) : std::vector<std::size_t>{}});
    const Index batch =
        std::max<Index>(1, kBatchValues / std::max<Index>(num_draws_ * num_chains_, 1));
    for (Index k = 0; k < variable.count; k += batch)
      write(variable, out, k, std::min(batch, variable.count - k));
  }

 private:
  void write(const ResultVariable& variable, NetcdfFile::Variable out, Index first, Index count) {
    if (num_draws_ == 0) return;
    const density::Draws draws = store_.quantities(warmup_, variable.first + first, count);
    for (Index k = 0; k < count; ++k)
      for (Index c = 0; c < num_chains_; ++c)
        file_.write(out, slab_of(variable, first + k, c), draws.chain(c, k));
  }

  // All draws of one element, the first index fastest among elements.
  NetcdfFile::Slab slab_of(const ResultVariable& variable, Index element, Index chain) const {
    NetcdfFile::Slab slab{.start = {static_cast<std::size_t>(chain), 0},
                          .count = {1, static_cast<std::size_t>(num_draws_)}};
    for (const Index dim : variable.dims) {
      slab.start.push_back(static_cast<std::size_t>(element % dim));
      slab.count.push_back(1);
      element /= dim;
    }
    return slab;
  }

  NetcdfFile& file_;
  const RunStore& store_;
  NetcdfFile::Group group_;
  bool warmup_;
  Index num_draws_, num_chains_ = 0;
};

void write_draws(NetcdfFile& file, const ResultFacts& facts, const RunStore& store, bool warmup) {
  const std::string prefix = warmup ? "warmup_" : "";
  DrawGroup posterior(file, prefix + "posterior", store, warmup);
  for (const ResultVariable& variable :
       variables_of(facts.model.output_columns(), ssize(store.columns())))
    posterior.add(variable);
  DrawGroup statistics(file, prefix + "sample_stats", store, warmup);
  for (const ResultVariable& variable : statistics_of(store.columns())) statistics.add(variable);
}

// Tuples are left out: the format has nothing for them.
void write_data(NetcdfFile& file, const io::DataTable& data) {
  const auto group = file.add_group("constant_data");
  for (const std::string& name : data.names()) {
    const io::DataValue& value = *data.find(name);
    if (value.kind == io::DataKind::tuples || value.num_elements() == 0) continue;
    const bool whole = value.kind == io::DataKind::integers;
    std::vector<double> numbers(value.integers.begin(), value.integers.end());
    if (!whole) numbers = value.reals;
    const auto out =
        file.add_variable(group, name,
                          {.dimensions = add_dimensions(file, group, name, value.dims),
                           .kind = whole ? NetcdfFile::Kind::whole : NetcdfFile::Kind::real});
    file.write(out, numbers);
  }
}
}  // namespace

void write_netcdf(const std::string& path, const ResultFacts& facts, const RunStore& store) {
  NetcdfFile file(path);
  file.set(file.root(), "schema", kResultSchema);
  for (const auto& [name, value] : facts.attributes) file.set(file.root(), name, value);
  write_draws(file, facts, store, false);
  if (facts.options.save_warmup) write_draws(file, facts, store, true);
  write_data(file, facts.data);
  file.finish();
}

}  // namespace credo::cli
