#include "results/files/fit_layout.hpp"

#include <fmt/format.h>

#include "base/archive.hpp"
#include "base/stop.hpp"
#include "density/model.hpp"
#include "infer/compose/scheme.hpp"
#include "infer/core/table.hpp"
#include "results/files/facts.hpp"
#include "results/files/specification.hpp"

namespace credo::results {
namespace {

// A variable in the form of a run file.
struct StoredVariable {
  std::string name;
  Index first = 0, count = 0;  // quantities, those of the sampler counted
  std::vector<Index> dims = {};
  std::string block = {};
  bool whole = false;
  static void saved(auto& self, auto&& field) {
    field(self.name);
    field(self.first);
    field(self.count);
    field(self.dims);
    field(self.block);
    field(self.whole);
  }
};

// Data on a column in a run file beside its names.
struct StoredKind {
  std::string arviz_name;
  Index kind = 0;
  static void saved(auto& self, auto&& field) {
    field(self.arviz_name);
    field(self.kind);
  }
};

// Finds a column among the reports of all samplers of the table.
const StatColumn* find_column(const std::function<bool(const StatColumn&)>& is_meant) {
  static const std::vector<StatColumn> all = [] {
    std::vector<StatColumn> columns;
    const auto add = [&](const infer::SamplerSpec& sampler) {
      for (const infer::FieldSpec& field : sampler.columns()) columns.push_back(column_of(field));
    };
    for (const infer::SamplerSpec* sampler : infer::samplers()) add(*sampler);
    add(infer::find_sampler(infer::kCompositionName));
    return columns;
  }();
  const auto found = std::find_if(all.begin(), all.end(), is_meant);
  return found == all.end() ? nullptr : &*found;
}
}  // namespace

// ---- columns

StatColumn column_of(const infer::FieldSpec& field) {
  return {.name = std::string(field.name),
          .stan_name = std::string(field.stan_name),
          .arviz_name = std::string(field.arviz_name),
          .kind = field.kind};
}

RowTable table_of(const infer::RowGroup& group) {
  RowTable table{.name = std::string(group.name), .row = std::string(group.row), .columns = {}};
  for (const infer::FieldSpec& field : group.columns) table.columns.push_back(column_of(field));
  return table;
}

std::string arviz_word(const StatColumn& column) {
  return column.arviz_name.empty() ? column.name : column.arviz_name;
}

StatColumn column_of_arviz(const std::string& word) {
  const StatColumn* known = find_column([&](const StatColumn& c) { return arviz_word(c) == word; });
  return known != nullptr ? *known : StatColumn{.name = word, .stan_name = {}};
}

StatColumn column_of_csv(const std::string& word) {
  const StatColumn* known = find_column([&](const StatColumn& c) { return c.stan_name == word; });
  if (known != nullptr) return *known;
  return {.name = word.substr(0, word.size() - std::strlen("__")), .stan_name = {}};
}

namespace {
density::Kind kind_numbered(Index number) {
  const bool is_kind = number >= 0 && number <= static_cast<Index>(density::Kind::flag);
  return is_kind ? static_cast<density::Kind>(number) : density::Kind::real;
}
}  // namespace

void add_columns(io::RunFile::Facts& facts, std::span<const StatColumn> columns) {
  std::vector<StoredKind> kinds;
  for (const StatColumn& column : columns)
    kinds.push_back({column.arviz_name, static_cast<Index>(column.kind)});
  facts["columns"] = archived(std::vector<StatColumn>(columns.begin(), columns.end()));
  facts["column_kinds"] = archived(kinds);
}

// Run files of earlier versions don't say the kinds: then all are numbers.
std::vector<StatColumn> columns_of(const io::RunFile::Facts& facts, const std::string& source) {
  auto columns = fact_of<std::vector<StatColumn>>(facts, "columns", source);
  if (!facts.contains("column_kinds")) return columns;
  const auto kinds = fact_of<std::vector<StoredKind>>(facts, "column_kinds", source);
  for (std::size_t k = 0; k < std::min(columns.size(), kinds.size()); ++k) {
    columns[k].arviz_name = kinds[k].arviz_name;
    columns[k].kind = kind_numbered(kinds[k].kind);
  }
  return columns;
}

// ---- variables

void add_layout(io::RunFile::Facts& facts, const density::Layout& layout, Index num_columns) {
  std::vector<StoredVariable> stored;
  for (Index v = 0; v < ssize(layout.variables()); ++v) {
    const density::Variable& variable = layout.variables()[static_cast<std::size_t>(v)];
    stored.push_back({.name = variable.name,
                      .first = num_columns + layout.first(v),
                      .count = variable.size(),
                      .dims = variable.dims,
                      .block = std::string(name_of(variable.block)),
                      .whole = variable.kind == density::Kind::whole});
  }
  facts["outputs"] = archived(layout.element_names());
  facts["variables"] = archived(stored);
}

density::Layout layout_of(const io::RunFile::Facts& facts, const std::string& source) {
  density::Layout layout;
  const auto outputs = fact_of<std::vector<std::string>>(facts, "outputs", source);
  for (const StoredVariable& stored :
       fact_of<std::vector<StoredVariable>>(facts, "variables", source)) {
    const Index left = ssize(outputs) - layout.size();
    const bool is_sound =
        stored.count >= 0 && stored.count <= left &&
        density::product_up_to(stored.dims, std::max<Index>(left, 1)) == stored.count;
    if (!is_sound)
      throw Error(ErrorCode::io, "the file is damaged: its variables aren't those of its draws",
                  source);
    layout.add({.name = stored.name,
                .dims = stored.dims,
                .kind = stored.whole ? density::Kind::whole : density::Kind::real,
                .block = density::block_named(stored.block)});
  }
  return layout;
}

// ---- tables

namespace {
struct StoredTable {
  std::string name, row;
  std::vector<StatColumn> columns;
  std::vector<Index> kinds;
  static void saved(auto& self, auto&& field) {
    field(self.name);
    field(self.row);
    field(self.columns);
    field(self.kinds);
  }
};
}  // namespace

std::vector<Index> columns_by_group(std::span<const RowTable> tables, Index num_quantities) {
  std::vector<Index> counts(io::kNumDrawGroups, num_quantities);
  for (const RowTable& table : tables) counts.push_back(ssize(table.columns));
  return counts;
}

void add_tables(io::RunFile::Facts& facts, std::span<const RowTable> tables, Index num_quantities) {
  std::vector<StoredTable> stored;
  for (const RowTable& table : tables) {
    stored.push_back({.name = table.name, .row = table.row, .columns = table.columns, .kinds = {}});
    for (const StatColumn& column : table.columns)
      stored.back().kinds.push_back(static_cast<Index>(column.kind));
  }
  facts["tables"] = archived(stored);
  const std::vector<Index> counts = columns_by_group(tables, num_quantities);
  facts["num_columns"] =
      fmt::format("{}", fmt::join(counts.begin() + io::kNumDrawGroups - 1, counts.end(), " "));
}

std::vector<RowTable> tables_of(const io::RunFile::Facts& facts, const std::string& source) {
  std::vector<RowTable> tables;
  for (StoredTable& stored : fact_of<std::vector<StoredTable>>(facts, "tables", source)) {
    for (std::size_t k = 0; k < std::min(stored.columns.size(), stored.kinds.size()); ++k)
      stored.columns[k].kind = kind_numbered(stored.kinds[k]);
    tables.push_back({stored.name, stored.row, std::move(stored.columns)});
  }
  return tables;
}

bool fits_tables(std::span<const RowTable> tables, const io::RunRows& rows) {
  bool fits = rows.num_groups() == io::kNumDrawGroups + ssize(tables);
  for (Index t = 0; fits && t < ssize(tables); ++t)
    fits = rows.num_columns(io::kNumDrawGroups + t) ==
           ssize(tables[static_cast<std::size_t>(t)].columns);
  return fits;
}

std::vector<double> rows_of_table(const io::RunRows& rows, Index table, Index chain) {
  const Index group = io::kNumDrawGroups + table;
  return rows.rows({.chain = chain,
                    .group = group,
                    .num_columns = rows.num_columns(group),
                    .num_rows = rows.num_rows(chain, group)});
}

// ---- draws

DrawSlab within(const Fit& fit, DrawSlab slab) {
  const Index num_draws = fit.num_draws(slab.warmup);
  if (slab.num_chains < 0) slab.num_chains = fit.num_chains() - slab.first_chain;
  if (slab.num_draws < 0) slab.num_draws = num_draws - slab.first_draw;
  const auto lies = [](Index first, Index count, Index size) {
    return first >= 0 && count >= 0 && first + count <= size;
  };
  if (!lies(slab.first, slab.count, num_quantities(fit)) ||
      !lies(slab.first_chain, slab.num_chains, fit.num_chains()) ||
      !lies(slab.first_draw, slab.num_draws, num_draws))
    throw Error(ErrorCode::usage, "there are no such draws or quantities", fit.origin().source);
  return slab;
}

namespace {
// Rows of a chain hold its walkers in turn: every num_walkers-th one is of the same walker. `row` is the part's first row, counted
// from the first draw; to[d] is draw d.
void take_walker(const io::RunPart& part, Index row, Index num_walkers, Index walker, Index column,
                 double* to) {
  const Index skip = (walker - row % num_walkers + num_walkers) % num_walkers;
  const Index step = num_walkers * part.row_step;
  const double* from = part.column(column) + skip * part.row_step;
  to += (row + skip) / num_walkers;
  for (Index r = skip; r < part.num_rows; r += num_walkers, from += step) *to++ = *from;
}
}  // namespace

density::Draws draws_of_rows(const io::RunRows& rows, Index num_walkers, const DrawSlab& slab) {
  density::Draws draws(slab.num_draws, slab.num_chains, slab.count);
  if (slab.num_draws == 0 || slab.num_chains == 0 || slab.count == 0) return draws;
  const Index first_row = slab.first_draw * num_walkers;
  const Index last = (slab.first_chain + slab.num_chains - 1) / num_walkers;
  for (Index c = slab.first_chain / num_walkers; c <= last; ++c) {
    const Index first = c * num_walkers - slab.first_chain;  // walker 0 among the draws' chains
    const Index begin = std::max<Index>(0, -first);
    const Index end = std::min(num_walkers, slab.num_chains - first);
    rows.for_parts({.chain = c,
                    .group = io::draw_group(slab.warmup),
                    .first_column = slab.first,
                    .num_columns = slab.count,
                    .first_row = first_row,
                    .num_rows = slab.num_draws * num_walkers},
                   [&](const io::RunPart& part) {
                     for (Index k = 0; k < slab.count; ++k)
                       for (Index w = begin; w < end; ++w)
                         take_walker(part, part.first_row - first_row, num_walkers, w, k,
                                     &draws(0, first + w, k));
                   });
  }
  return draws;
}

// ---- facts

FitOrigin origin_of(const io::RunFile::Facts& facts, const std::string& source) {
  const auto text = [&](const char* name) {
    const auto found = facts.find(name);
    return found == facts.end() ? std::string() : found->second;
  };
  FitOrigin origin;
  origin.source = source;
  for (const OriginText& one : kOriginTexts) origin.*one.member = text(one.fact);
  const auto take = [&](const char* name, auto& target) {
    if (const std::string bytes = text(name); !bytes.empty())
      target = from_archive<std::remove_reference_t<decltype(target)>>(bytes, source);
  };
  take("free_names", origin.free_names);
  take("data_variables", origin.data);
  for (const auto& [name, value] : facts)
    if (name.starts_with(kSettingPrefix))
      origin.settings[name.substr(std::strlen(kSettingPrefix))] = value;
  // Other commands than those that run an algorithm of the table have their own options.
  if (is_specification(origin.spec))
    origin.settings[kCommandSetting] = std::exchange(origin.spec, {});
  return origin;
}

io::InputFiles::Contents files_of(const io::RunFile::Facts& facts) {
  io::InputFiles::Contents contents;
  for (const auto& [name, value] : facts)
    if (name.starts_with(kFilePrefix)) contents[name.substr(std::strlen(kFilePrefix))] = value;
  return contents;
}

}  // namespace credo::results
