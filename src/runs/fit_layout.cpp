#include "runs/fit_layout.hpp"

#include <fmt/format.h>

#include "base/archive.hpp"
#include "base/stop.hpp"
#include "infer/table.hpp"
#include "model/model.hpp"

namespace credo::runs {
namespace {
constexpr Index kBatchValues = (Index{16} << 20) / 8;  // of rows that are read at a time

// ArviZ' word, CmdStan's, the samplers' own.
struct Words {
  std::string_view arviz, stan, own;
};
constexpr std::array<Words, 7> kWords{{{"lp", "lp__", "log_density"},
                                       {"acceptance_rate", "accept_stat__", "accept_stat"},
                                       {"step_size", "stepsize__", "step_size"},
                                       {"tree_depth", "treedepth__", "tree_depth"},
                                       {"n_steps", "n_leapfrog__", "num_leapfrog"},
                                       {"diverging", "divergent__", "divergent"},
                                       {"energy", "energy__", "energy"}}};

// "theta.2.10" has the indices 2 and 10; nothing if something else follows the name.
std::optional<std::vector<Index>> indices_of(std::string_view column, std::size_t name_size) {
  std::vector<Index> indices;
  for (std::size_t at = name_size; at < column.size();) {
    const std::size_t end = std::min(column.find('.', at + 1), column.size());
    const std::string index(column.substr(at + 1, end - at - 1));
    if (index.empty() || index.find_first_not_of("0123456789") != std::string::npos) return {};
    indices.push_back(std::atoll(index.c_str()));
    at = end;
  }
  return indices;
}

// Columns of one name, the last of which says the sizes; each for itself if they don't fill them.
void add_variables(std::vector<FitVariable>& all, std::span<const std::string> columns,
                   const FitVariable& like) {
  const auto dims = indices_of(columns.back(), like.name.size());
  if (dims && product_up_to(*dims, ssize(columns)) == ssize(columns)) {
    all.push_back(like);
    all.back().count = ssize(columns);
    all.back().dims = *dims;
    return;
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    all.push_back(like);
    all.back().name = columns[k];
    all.back().first = like.first + static_cast<Index>(k);
    all.back().count = 1;
  }
}

std::string_view name_of(std::string_view column) { return column.substr(0, column.find('.')); }

std::vector<FitVariable> variables_of(std::span<const std::string> columns,
                                      const FitVariable& like) {
  std::vector<FitVariable> all;
  for (std::size_t begin = 0; begin < columns.size();) {
    const std::string_view name = name_of(columns[begin]);
    std::size_t end = begin + 1;
    for (; end < columns.size() && name_of(columns[end]) == name; ++end) stop_if_asked();
    FitVariable next = like;
    next.name = name;
    next.first = like.first + static_cast<Index>(begin);
    add_variables(all, columns.subspan(begin, end - begin), next);
    begin = end;
  }
  return all;
}

// Whether "t:2.1" of a tuple t, or the variable itself, is of whole numbers.
bool is_whole(const lang::UnsizedType& type, std::string_view path) {
  if (path.empty()) return type.base == lang::BaseType::integer;
  if (type.base != lang::BaseType::tuple)
    return type.base == lang::BaseType::integer;  // an element
  const std::size_t end = std::min(path.find_first_of(".:", 1), path.size());
  const auto slot =
      static_cast<std::size_t>(std::atoll(std::string(path.substr(1, end - 1)).c_str()));
  if (slot < 1 || slot > type.elements.size()) return false;
  return is_whole(type.elements[slot - 1], path.substr(end));
}

bool is_whole(const lang::typed::Program& program, const model::OutputVariable& output,
              std::string_view variable) {
  for (const lang::typed::GlobalVariable& global : program.globals)
    if (global.name == output.name)
      return is_whole(global.type, variable.substr(output.name.size()));
  return false;
}

std::string block_name(lang::typed::BlockKind block) {
  using lang::typed::BlockKind;
  if (block == BlockKind::parameters) return "parameters";
  if (block == BlockKind::transformed_parameters) return "transformed parameters";
  return "generated quantities";
}
}  // namespace

std::optional<Index> product_up_to(std::span<const Index> sizes, Index most) {
  Index product = 1;
  for (const Index size : sizes) {
    if (size < 0 || (size > 0 && product > most / size)) return std::nullopt;
    product *= size;
  }
  return product;
}

std::vector<FitVariable> variables_of(std::span<const std::string> columns, Index first) {
  return variables_of(columns, FitVariable{.name = {}, .first = first, .dims = {}, .block = {}});
}

std::vector<FitVariable> variables_of(const model::Model& model, Index first) {
  std::vector<FitVariable> all;
  for (const model::OutputVariable& output : model.outputs()) {
    const FitVariable like{
        .name = {}, .first = first, .dims = {}, .block = block_name(output.block)};
    for (FitVariable& variable : variables_of(output.columns, like)) {
      variable.whole = is_whole(model.source().program, output, variable.name);
      all.push_back(std::move(variable));
    }
    first += ssize(output.columns);
  }
  return all;
}

// ---- words

std::string arviz_word(const StatColumn& column) {
  for (const Words& words : kWords)
    if (words.stan == column.stan_name) return std::string(words.arviz);
  return column.name;
}

StatColumn column_of_arviz(const std::string& word) {
  for (const Words& words : kWords)
    if (words.arviz == word) return {std::string(words.own), std::string(words.stan)};
  return {word, ""};
}

StatColumn column_of_csv(const std::string& word) {
  for (const Words& words : kWords)
    if (words.stan == word) return {std::string(words.own), word};
  for (const infer::SamplerSpec* sampler : infer::samplers())
    for (const infer::FieldSpec& column : sampler->columns())
      if (column.stan_name == word) return {std::string(column.name), word};
  return {word.substr(0, word.size() - 2), ""};
}

StatKind kind_of(const StatColumn& column) {
  static const std::map<std::string_view, StatKind> kinds = {
      {"treedepth__", StatKind::whole},     {"n_leapfrog__", StatKind::whole},
      {"n_evaluations__", StatKind::whole}, {"n_iterations__", StatKind::whole},
      {"divergent__", StatKind::flag},      {"accepted__", StatKind::flag},
      {"refused__", StatKind::flag},        {"not_settled__", StatKind::flag},
      {"not_reversible__", StatKind::flag}};
  const auto known = kinds.find(column.stan_name);
  return known == kinds.end() ? StatKind::real : known->second;
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
// Rows of one chain of the run: all walkers of a transition, one after another.
struct RowPart {
  Index chain, first_draw, num_draws;
};

void take_rows(const io::RunRows& rows, Index num_walkers, const DrawSlab& slab,
               const RowPart& part, density::Draws& draws) {
  const std::vector<double> values = rows.read({.chain = part.chain,
                                                .warmup = slab.warmup,
                                                .first_column = slab.first,
                                                .num_columns = slab.count,
                                                .first_row = part.first_draw * num_walkers,
                                                .num_rows = part.num_draws * num_walkers});
  const Index first = part.chain * num_walkers - slab.first_chain;  // walker 0 among the draws'
  const Index begin = std::max<Index>(0, -first);
  const Index end = std::min(num_walkers, slab.num_chains - first);
  const auto at = [&](Index k, Index s, Index w) {
    return values[static_cast<std::size_t>((k * part.num_draws + s) * num_walkers + w)];
  };
  for (Index k = 0; k < slab.count; ++k)
    for (Index w = begin; w < end; ++w)
      for (Index s = 0; s < part.num_draws; ++s)
        draws(part.first_draw - slab.first_draw + s, first + w, k) = at(k, s, w);
}
}  // namespace

density::Draws draws_of_rows(const io::RunRows& rows, Index num_walkers, const DrawSlab& slab) {
  density::Draws draws(slab.num_draws, slab.num_chains, slab.count);
  if (slab.num_chains == 0 || slab.count == 0) return draws;
  const Index batch = std::max<Index>(1, kBatchValues / (slab.count * num_walkers));
  const Index last = (slab.first_chain + slab.num_chains - 1) / num_walkers;
  for (Index c = slab.first_chain / num_walkers; c <= last; ++c)
    for (Index s = 0; s < slab.num_draws; s += batch)
      take_rows(rows, num_walkers, slab,
                {.chain = c,
                 .first_draw = slab.first_draw + s,
                 .num_draws = std::min(batch, slab.num_draws - s)},
                draws);
  return draws;
}

// ---- facts

FitOrigin origin_of(const io::RunFile::Facts& facts, const std::string& source) {
  const auto text = [&](const char* name) {
    const auto found = facts.find(name);
    return found == facts.end() ? std::string() : found->second;
  };
  FitOrigin origin{.source = source,
                   .model_name = text("model_name"),
                   .model_path = text("model"),
                   .data_path = text("data"),
                   .data_hash = text("data_hash"),
                   .sampler = text("sampler"),
                   .seed = text("seed"),
                   .version = text("version"),
                   .arithmetic = text("arithmetic"),
                   .resumed_with = text("resumed_with"),
                   .arguments = {},
                   .words = {},
                   .settings = {},
                   .free_names = {},
                   .data = {}};
  const auto take = [&](const char* name, auto& target) {
    if (const std::string bytes = text(name); !bytes.empty())
      target = from_archive<std::remove_reference_t<decltype(target)>>(bytes, source);
  };
  take("arguments", origin.arguments);
  take("words", origin.words);
  take("free_names", origin.free_names);
  take("data_variables", origin.data);
  for (const auto& [name, value] : facts)
    if (name.starts_with(kSettingPrefix))
      origin.settings[name.substr(std::strlen(kSettingPrefix))] = value;
  return origin;
}

io::InputFiles::Contents files_of(const io::RunFile::Facts& facts) {
  io::InputFiles::Contents contents;
  for (const auto& [name, value] : facts)
    if (name.starts_with(kFilePrefix)) contents[name.substr(std::strlen(kFilePrefix))] = value;
  return contents;
}

}  // namespace credo::runs
