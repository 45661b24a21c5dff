#include "results/files/netcdf_fit.hpp"

#include <fmt/format.h>

#include "io/json_value.hpp"
#include "io/netcdf_reader.hpp"
#include "io/number_text.hpp"
#include "results/arrays/array_file.hpp"
#include "results/files/adaptation_groups.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/modes.hpp"
#include "results/files/result_file.hpp"
#include "results/files/table_groups.hpp"

namespace credo::results {
namespace {
using io::NetcdfReader;
using Variables = std::map<std::string, NetcdfReader::Variable>;

constexpr Index kMostElements = 100'000'000;  // limit for a variable: each has a name

bool has_dimension(const NetcdfReader::Variable& variable, std::string_view name) {
  return std::find(variable.dimensions.begin(), variable.dimensions.end(), name) !=
         variable.dimensions.end();
}

bool is_number(const NetcdfReader::Variable& variable) {
  return variable.kind == NetcdfReader::Kind::real || variable.kind == NetcdfReader::Kind::whole;
}

// Why a variable that lies along chains or draws holds no draws; empty: it does, or it is a
// coordinate or something else.
std::string why_no_draws(const NetcdfReader::Variable& variable) {
  const bool chain = has_dimension(variable, "chain"), draw = has_dimension(variable, "draw");
  const bool is_coordinate = variable.dimensions.size() == 1;
  if (chain && draw) return is_number(variable) ? "" : "it isn't of real or whole numbers";
  if (chain == draw || (is_coordinate && variable.dimensions[0] == variable.name)) return {};
  return fmt::format("it has no dimension {}", chain ? "draw" : "chain");
}

// Variables of draws: chain × draw × their own dimensions, in whatever order the file has them.
std::vector<NetcdfReader::Variable> draws_in(const NetcdfReader& file, const std::string& group) {
  constexpr std::array<std::string_view, 2> kFirst{"chain", "draw"};
  std::vector<NetcdfReader::Variable> all;
  const auto found = file.find_group(group);
  if (!found) return all;
  for (NetcdfReader::Variable& variable : file.variables(*found)) {
    if (!is_number(variable)) continue;
    if (auto draws = NetcdfReader::with_first(std::move(variable), kFirst))
      all.push_back(*std::move(draws));
  }
  return all;
}

std::string attribute(const std::map<std::string, std::string>& attributes, const char* name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

class NetcdfFit final : public Fit {
 public:
  explicit NetcdfFit(const std::string& path);
  const std::vector<StatColumn>& columns() const override { return columns_; }
  const density::Layout& layout() const override { return layout_; }
  Index num_chains() const override { return num_chains_; }
  Index num_walkers() const override { return result_.num_walkers; }
  Index num_draws(bool warmup) const override { return num_draws_[warmup ? 1 : 0]; }
  const FitOrigin& origin() const override { return origin_; }
  const infer::RunResult& result() const override { return result_; }
  std::vector<FitNote> notes() const override { return notes_; }
  io::InputFiles::Contents files() const override;
  density::Draws read(const DrawSlab& slab) const override;
  const std::vector<RowTable>& tables() const override { return tables_.tables; }
  std::vector<double> table_rows(Index table, Index chain) const override {
    return tables_.rows.at(static_cast<std::size_t>(table)).at(static_cast<std::size_t>(chain));
  }

 private:
  [[noreturn]] void refuse_without_draws() const;
  void take_variables(std::size_t group);
  void judge_others(const std::string& group, bool statistics);
  void take_statistics();
  void take_outputs();
  void take_sizes();
  void require_sizes(std::size_t group, const NetcdfReader::Variable& variable) const;
  void require_warmup_like_draws() const;
  void take_attributes();
  void take_walkers(double walkers);
  void take_data();
  const NetcdfReader::Variable& stored(const std::string& name, bool statistic, bool warmup) const;
  void read_statistic(Index quantity, const DrawSlab& slab, density::Draws& draws) const;
  void read_elements(Index variable, const DrawSlab& slab, density::Draws& draws) const;

  NetcdfReader file_;
  FitOrigin origin_;
  std::vector<StatColumn> columns_;
  std::vector<std::string> words_;  // names of the columns in the file
  density::Layout layout_;
  std::array<Variables, 4> stored_;  // outputs, statistics, and the same two of warm-up
  // Groups of outputs, of statistics, and of the same two of warm-up.
  std::array<std::vector<std::string>, 4> groups_ = {{{"posterior", "log_likelihood"},
                                                      {"sample_stats"},
                                                      {"warmup_posterior", "warmup_log_likelihood"},
                                                      {"warmup_sample_stats"}}};
  Index num_chains_ = 0;
  std::array<Index, 2> num_draws_{};
  infer::RunResult result_;
  StoredTables tables_;
  std::vector<FitNote> notes_;
};

NetcdfFit::NetcdfFit(const std::string& path) : file_(path) {
  origin_.source = path;
  if (file_.find_group(kOptimumGroup)) groups_[0][0] = kOptimumGroup;
  if (!file_.find_group(groups_[0][0]) && file_.find_group(kPredictionsGroup))
    groups_[0][0] = origin_.group = kPredictionsGroup;
  if (!file_.find_group(groups_[0][0])) refuse_without_draws();
  for (std::size_t g = 0; g < groups_.size(); ++g) take_variables(g);
  if (stored_[0].empty() && stored_[1].empty())
    throw Error(ErrorCode::data, "no variable has the dimensions 'chain' and 'draw'", path,
                "write the draws as ArviZ' InferenceData has them");
  take_sizes();
  take_statistics();
  take_outputs();
  take_attributes();
  take_data();
  tables_ = read_tables(file_, num_chains_ / num_walkers());
}

void NetcdfFit::refuse_without_draws() const {
  if (const std::string question = attribute(file_.attributes(file_.root()), "question");
      !question.empty())
    throw Error(ErrorCode::io,
                fmt::format("this is a result of credo {}, which has no draws", question),
                file_.path(), "credo summary and credo export read it");
  throw Error(ErrorCode::io, "there is no group 'posterior': this isn't a file of draws",
              file_.path());
}

void NetcdfFit::take_variables(std::size_t group) {
  for (const std::string& name : groups_[group]) {
    const bool placed =
        name.ends_with("log_likelihood");  // ours; what others have there is no output
    if (!placed) judge_others(name, group % 2 == 1);
    for (NetcdfReader::Variable& variable : draws_in(file_, name)) {
      if (placed && attribute(file_.attributes(variable), "place").empty()) continue;
      if (!stored_[group].emplace(variable.name, variable).second)
        throw Error(ErrorCode::data,
                    fmt::format("{} is there twice: {}/{} and {}/{}", variable.name,
                                groups_[group][0], variable.name, name, variable.name),
                    file_.path(), "a variable has one name");
    }
  }
}

// Leaves out statistics that aren't one number a draw, with a remark; refuses such outputs.
void NetcdfFit::judge_others(const std::string& group, bool statistics) {
  const auto found = file_.find_group(group);
  if (!found) return;
  for (const NetcdfReader::Variable& variable : file_.variables(*found)) {
    std::string reason = why_no_draws(variable);
    if (statistics && reason.empty() && has_dimension(variable, "chain") &&
        variable.dimensions.size() > 2)
      reason = "it has more than one number a draw";
    if (reason.empty()) continue;
    if (!statistics)
      throw Error(ErrorCode::data, fmt::format("{}/{}: {}", group, variable.name, reason),
                  file_.path(), "draws are numbers with the dimensions 'chain' and 'draw'");
    origin_.doubts.push_back(
        fmt::format("{}: {}/{} is left out: {}", file_.path(), group, variable.name, reason));
  }
}

density::Kind kind_of(const NetcdfReader::Variable& variable) {
  return variable.kind == NetcdfReader::Kind::whole ? density::Kind::whole : density::Kind::real;
}

// lp__ first, then the others as they stand.
void NetcdfFit::take_statistics() {
  for (const NetcdfReader::Variable& variable : draws_in(file_, "sample_stats")) {
    if (variable.dimensions.size() > 2) continue;
    StatColumn column = column_of_arviz(variable.name);
    column.arviz_name = variable.name;
    if (column.kind != density::Kind::flag) column.kind = kind_of(variable);  // flags are bytes
    const auto attributes = file_.attributes(variable);
    if (const std::string own = attribute(attributes, "own_name"); !own.empty()) column.name = own;
    if (const std::string stan = attribute(attributes, "stan_name"); !stan.empty())
      column.stan_name = stan;
    const bool is_first = column.stan_name == "lp__";
    columns_.insert(is_first ? columns_.begin() : columns_.end(), column);
    words_.insert(is_first ? words_.begin() : words_.end(), variable.name);
  }
}

std::size_t elements_of(const NetcdfReader::Variable& variable) {
  return std::accumulate(variable.sizes.begin() + 2, variable.sizes.end(), std::size_t{1},
                         std::multiplies<>());
}

// Those of the posterior; the log likelihood of the program where it stood among them. Others'
// groups of that name may have anything, and are left out.
std::vector<NetcdfReader::Variable> outputs_in(const NetcdfReader& file, const std::string& group) {
  std::vector<NetcdfReader::Variable> all = draws_in(file, group);
  for (NetcdfReader::Variable& variable : draws_in(file, "log_likelihood")) {
    const auto place = io::parse_number(attribute(file.attributes(variable), "place"));
    if (!place) continue;
    auto at = all.begin();
    for (double before = 0.0; at != all.end() && before < *place; ++at)
      before += static_cast<double>(elements_of(*at));
    all.insert(at, std::move(variable));
  }
  return all;
}

void NetcdfFit::take_outputs() {
  for (const NetcdfReader::Variable& in_file : outputs_in(file_, groups_[0][0])) {
    density::Variable variable{
        .name = in_file.name,
        .dims = {in_file.sizes.begin() + 2, in_file.sizes.end()},
        .kind = kind_of(in_file),
        .block = density::block_named(attribute(file_.attributes(in_file), "block"))};
    if (!density::product_up_to(variable.dims, kMostElements))
      throw Error(ErrorCode::io, fmt::format("{} has too many elements", variable.name),
                  file_.path(), fmt::format("{} can be read", kMostElements));
    layout_.add(std::move(variable));
  }
}

// Takes the sizes of the first variable of draws; all others must have the same.
void NetcdfFit::take_sizes() {
  num_chains_ = -1;
  num_draws_ = {-1, -1};
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const auto& [name, variable] : stored_[g]) {
      if (num_chains_ < 0) num_chains_ = static_cast<Index>(variable.sizes[0]);
      if (num_draws_[g / 2] < 0) num_draws_[g / 2] = static_cast<Index>(variable.sizes[1]);
      require_sizes(g, variable);
    }
  for (Index& count : num_draws_) count = std::max<Index>(count, 0);
  require_warmup_like_draws();
}

void NetcdfFit::require_sizes(std::size_t group, const NetcdfReader::Variable& variable) const {
  const auto chains = static_cast<Index>(variable.sizes[0]),
             draws = static_cast<Index>(variable.sizes[1]);
  if (chains == num_chains_ && draws == num_draws_[group / 2]) return;
  throw Error(
      ErrorCode::data,
      fmt::format("{}/{} has {} chains of {} draws, others have {} of {}", groups_[group][0],
                  variable.name, chains, draws, num_chains_, num_draws_[group / 2]),
      file_.path(), "all draws of a run have one shape");
}

void NetcdfFit::require_warmup_like_draws() const {
  for (const auto& [name, warmup] : stored_[2]) {
    const auto found = stored_[0].find(name);
    if (found == stored_[0].end()) continue;
    const auto& sizes = found->second.sizes;
    if (std::equal(sizes.begin() + 2, sizes.end(), warmup.sizes.begin() + 2, warmup.sizes.end()))
      continue;
    throw Error(
        ErrorCode::data,
        fmt::format("{}/{} has other sizes than {}/{}", groups_[2][0], name, groups_[0][0], name),
        file_.path(), "a variable has the same sizes in warm-up");
  }
}

void NetcdfFit::take_attributes() {
  std::map<std::string, std::string> all = file_.attributes(file_.root());
  const auto schema = io::parse_number(attribute(all, "schema"));
  if (schema && *schema > static_cast<double>(kResultSchema))
    throw Error(
        ErrorCode::io,
        fmt::format("the file has schema {}, this program reads {}", *schema, kResultSchema),
        file_.path(), "use the version that wrote it");
  const auto take = [&all](const char* name) {
    const auto found = all.extract(name);
    return found.empty() ? std::string() : found.mapped();
  };
  for (const OriginText& one : kOriginTexts) origin_.*one.member = take(one.attribute);
  const std::array<std::string, 2> groups{"adaptation", "divergences"};
  Adaptation adaptation = adaptation_of(*read_groups(file_, groups), file_.path());
  result_ = std::move(adaptation.result);
  notes_ = std::move(adaptation.notes);
  origin_.free_names = std::move(adaptation.free_names);
  result_.sampler = origin_.sampler;
  if (const auto walkers = io::parse_number(take("walkers_per_chain"))) take_walkers(*walkers);
  for (const char* other : {"schema", "inference_library", "program", "tables"}) all.erase(other);
  if (schema)
    origin_.settings = std::move(all);
  else if (const auto question = all.extract("question"))
    origin_.settings.insert({question.key(), question.mapped()});
}

void NetcdfFit::take_walkers(double walkers) {
  const double most = static_cast<double>(std::max<Index>(1, num_chains_));
  const bool whole = walkers >= 1.0 && walkers <= most && walkers == std::floor(walkers);
  if (!whole || num_chains_ % static_cast<Index>(walkers) != 0)
    throw Error(
        ErrorCode::io,
        fmt::format("walkers_per_chain is {}, but there are {} chains", walkers, num_chains_),
        file_.path());
  result_.num_walkers = static_cast<Index>(walkers);
}

void NetcdfFit::take_data() {
  for (const bool observed : {true, false}) {
    const auto group = file_.find_group(observed ? "observed_data" : "constant_data");
    if (!group) continue;
    for (const NetcdfReader::Variable& variable : file_.variables(*group)) {
      const bool is_coordinate =
          variable.dimensions.size() == 1 && variable.dimensions[0] == variable.name;
      if (is_coordinate) continue;
      origin_.data.push_back({.name = variable.name,
                              .whole = variable.kind == NetcdfReader::Kind::whole,
                              .observed = observed});
    }
  }
}

io::InputFiles::Contents NetcdfFit::files() const {
  io::InputFiles::Contents contents;
  const auto group = file_.find_group("inputs");
  if (!group) return contents;
  for (const NetcdfReader::Variable& variable : file_.variables(*group)) {
    const auto attributes = file_.attributes(variable);
    std::string text = file_.read_text(variable);
    // A variable of text has one byte at least, the attribute says how many count.
    const auto size = io::parse_number(attribute(attributes, "bytes"));
    if (size && *size >= 0.0 && *size < static_cast<double>(text.size()))
      text.resize(static_cast<std::size_t>(*size));
    contents[attribute(attributes, "path")] = std::move(text);
  }
  return contents;
}

// ---- draws

const NetcdfReader::Variable& NetcdfFit::stored(const std::string& name, bool statistic,
                                                bool warmup) const {
  const std::size_t group = (warmup ? 2u : 0u) + (statistic ? 1u : 0u);
  const auto found = stored_[group].find(name);
  if (found == stored_[group].end())
    throw Error(ErrorCode::io, fmt::format("the group {} has no {}", groups_[group][0], name),
                file_.path());
  return found->second;
}

std::size_t size_of(Index size) { return static_cast<std::size_t>(size); }

void NetcdfFit::read_statistic(Index quantity, const DrawSlab& slab, density::Draws& draws) const {
  const std::vector<double> values =
      file_.read(stored(words_[size_of(quantity)], true, slab.warmup),
                 {.start = {size_of(slab.first_chain), size_of(slab.first_draw)},
                  .count = {size_of(slab.num_chains), size_of(slab.num_draws)}});
  std::size_t next = 0;
  for (Index c = 0; c < slab.num_chains; ++c)
    for (Index s = 0; s < slab.num_draws; ++s) draws(s, c, quantity - slab.first) = values[next++];
}

// Columns of a chain whose rows lie one after another: some rows of all columns at a time, which stay in the cache.
void take_columns(const double* rows, Index chain, Index count, Index first,
                  density::Draws& draws) {
  constexpr Index kTogether = 8;
  for (Index begin = 0; begin < draws.num_draws(); begin += kTogether) {
    const Index end = std::min(begin + kTogether, draws.num_draws());
    for (Index k = 0; k < count; ++k) {
      double* to = &draws(0, chain, first + k);
      for (Index s = begin; s < end; ++s) to[s] = rows[s * count + k];
    }
  }
}

// The elements of the variable that are in the slab, as many at a time as lie in a row of the first
// index.
void NetcdfFit::read_elements(Index number, const DrawSlab& slab, density::Draws& draws) const {
  const density::Variable& variable = layout_.variables()[size_of(number)];
  const NetcdfReader::Variable& source = stored(variable.name, false, slab.warmup);
  const Index width = variable.dims.empty() ? 1 : variable.dims[0];
  const Index first_of_all = first_output(*this) + layout_.first(number);
  const Index begin = std::max(slab.first, first_of_all) - first_of_all;
  const Index end =
      std::min(slab.first + slab.count, first_of_all + variable.size()) - first_of_all;
  for (Index e = begin; e < end;) {
    const Index run = std::min(end - e, width - e % width);
    NetcdfReader::Slab part{.start = {size_of(slab.first_chain), size_of(slab.first_draw)},
                            .count = {size_of(slab.num_chains), size_of(slab.num_draws)}};
    Index rest = e;
    for (std::size_t d = 0; d < variable.dims.size(); ++d) {
      part.start.push_back(size_of(rest % variable.dims[d]));
      part.count.push_back(d == 0 ? size_of(run) : 1);
      rest /= variable.dims[d];
    }
    const std::vector<double> values = file_.read(source, part);
    for (Index c = 0; c < slab.num_chains; ++c)
      take_columns(values.data() + c * slab.num_draws * run, c, run, first_of_all + e - slab.first,
                   draws);
    e += run;
  }
}

density::Draws NetcdfFit::read(const DrawSlab& wanted) const {
  const DrawSlab slab = within(*this, wanted);
  density::Draws draws(slab.num_draws, slab.num_chains, slab.count);
  const Index end = slab.first + slab.count;
  for (Index k = slab.first; k < std::min(end, first_output(*this)); ++k)
    read_statistic(k, slab, draws);
  for (Index v = 0; v < ssize(layout_.variables()); ++v) {
    const Index first = first_output(*this) + layout_.first(v);
    if (first < end && first + layout_.variables()[size_of(v)].size() > slab.first)
      read_elements(v, slab, draws);
  }
  return draws;
}
}  // namespace

std::unique_ptr<Fit> open_netcdf_fit(const std::string& path) {
  return std::make_unique<NetcdfFit>(path);
}

}  // namespace credo::results
