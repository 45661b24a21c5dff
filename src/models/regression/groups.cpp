// Effects of groups: (1 + x | g), as lme4 reads them. Their columns are not centred.
#include <fmt/format.h>

#include "models/regression/regression.hpp"

namespace credo::models {
namespace {

class GroupMaker {
 public:
  GroupMaker(Regression& made, Frame& frame) : made_(made), frame_(frame) {}

  void add(const GroupTerm& group, std::size_t predictor) {
    predictor_ = predictor;
    block_ = {};
    block_.id = group.id;
    block_.is_correlated = group.is_correlated;
    if (!find_levels(group)) return;
    const TermList terms = read_terms(group.terms, {}, frame_.faults());
    const Design design = make_design(terms, frame_, made_.parts);
    if (!check(group, terms, design)) return;
    for (const FormulaVariable& variable : design.variables)
      if (variable.is_factor) made_.fixed_factors.insert(variable.codes_name);
    GroupBlock* const shared = block_of_same_id();
    if (shared == nullptr) name_parts();
    GroupBlock& block = shared == nullptr ? made_.groups.emplace_back(std::move(block_)) : *shared;
    into_ = &block;
    if (terms.has_intercept) add_column({.name = prefix() + "intercept", .element = {}}, "");
    for (const DesignTerm& term : design.terms) add_term(term, design);
  }
  // Effects of one column alone are a vector, not a matrix of one row.
  void finish(GroupBlock& block) const {
    if (block.num_columns() > 1) return;
    block.is_correlated = false;
    for (auto& [predictor, part] : block.parts) part = one_parts_.at(block.z);
  }

 private:
  bool find_levels(const GroupTerm& group) {
    std::vector<std::vector<std::string>> levels;
    std::vector<std::vector<std::int32_t>> codes;
    for (const Expression& column : group.grouping) {
      const auto used = frame_.use(column, ColumnRole::factor);
      block_.columns.push_back(used->name);
      block_.label += (block_.label.empty() ? "" : ":") + used->column;
      levels.push_back(frame_.levels(used->name));
      codes.push_back(frame_.codes(used->name));
    }
    base_ = prefix() + fmt::format("{}", fmt::join(block_.columns, "_"));
    if (block_.columns.size() == 1) {
      block_.codes = block_.columns[0];
      block_.levels = levels[0];
      block_.size = "K_" + block_.codes;
    } else {
      find_combinations(levels, codes);
    }
    if (block_.levels.size() >= 2) return true;
    frame_.faults().add(group.place,
                        fmt::format("{} has {} in these rows, so it isn't a group", block_.label,
                                    block_.levels.empty() ? "no level" : "one level"),
                        "leave the term out");
    return false;
  }

  // Combinations of levels that occur are the groups; a constant has their numbers.
  void find_combinations(const std::vector<std::vector<std::string>>& levels,
                         const std::vector<std::vector<std::int32_t>>& codes) {
    std::map<std::vector<std::int32_t>, std::int32_t> numbers;
    for (std::size_t i = 0; i < codes[0].size(); ++i) {
      std::vector<std::int32_t> key;
      for (const std::vector<std::int32_t>& own : codes) key.push_back(own[i]);
      numbers.emplace(key, 0);
    }
    for (auto& [key, number] : numbers) {
      number = static_cast<std::int32_t>(ssize(block_.levels)) + 1;
      std::string level;
      for (std::size_t c = 0; c < key.size(); ++c)
        level += (c == 0 ? "" : ":") + levels[c][static_cast<std::size_t>(key[c] - 1)];
      block_.levels.push_back(level);
    }
    for (const GroupBlock& known : made_.groups)  // the same combinations in another term
      if (known.columns == block_.columns) {
        block_.codes = known.codes, block_.size = known.size, block_.lookup = known.lookup;
        return;
      }
    ProgramConstant lookup{
        .name = frame_.names().take(fmt::format("codes_{}", fmt::join(block_.columns, "_"))),
        .is_whole = true,
        .comment = "numbers of the combinations that occur"};
    Index size = 1;
    for (const auto& own : levels) lookup.dims.push_back(ssize(own)), size *= ssize(own);
    lookup.values.assign(static_cast<std::size_t>(size), 0.0);
    for (const auto& [key, number] : numbers) {
      Index place = 0;
      for (std::size_t c = 0; c < key.size(); ++c) place = place * lookup.dims[c] + key[c] - 1;
      lookup.values[static_cast<std::size_t>(place)] = number;
    }
    block_.lookup = lookup.name;
    const std::string columns = fmt::format("{}", fmt::join(block_.columns, "_"));
    block_.codes = frame_.names().take(columns);
    block_.size = frame_.names().take("K_" + columns);
    made_.parts.constants.push_back(std::move(lookup));
    made_.parts.constants.push_back({.name = block_.size,
                                     .values = {static_cast<double>(block_.levels.size())},
                                     .is_whole = true});
  }

  bool check(const GroupTerm& group, const TermList& terms, const Design& design) {
    FormulaFaults& faults = frame_.faults();
    if (!terms.groups.empty() || !terms.offsets.empty())
      faults.add(group.place, "a group within a group, or an offset in a group, isn't there");
    else if (!terms.has_intercept && design.terms.empty())
      faults.add(group.place, "the group has no effect", "(1 | g), (x | g), (0 + x | g)");
    else if (!group.is_correlated && std::ranges::any_of(design.terms, [](const DesignTerm& t) {
               return t.columns.size() > 1;
             }))
      faults.add(group.place,
                 "a factor behind || has several columns, which packages read in different ways; "
                 "this is not there yet",
                 "write (1 | g) + (0 + f | g), in which the levels of f are correlated");
    else
      return ssize(design.terms) == ssize(terms.terms);
    return false;
  }

  // The effects of terms that have a name, of one group, in any predictor.
  GroupBlock* block_of_same_id() {
    if (block_.id.empty()) return nullptr;
    for (GroupBlock& known : made_.groups)
      if (known.id == block_.id && known.columns == block_.columns) return &known;
    return nullptr;
  }
  std::string prefix() const { return made_.predictors[predictor_].prefix(); }

  void name_parts() {
    ProgramNames& names = frame_.names();
    block_.sd = names.take("sd_" + base_);
    block_.root = names.take("L_" + base_);
    block_.z = names.take("z_" + base_);
    block_.effects = names.take("r_" + base_);
    block_.correlations = names.take("cor_" + base_);
  }

  void add_deviation(Coefficient deviation) {
    deviation.predictor = predictor_;
    into_->deviations.push_back(std::move(deviation));
  }
  void add_column(Coefficient deviation, const std::string& factor) {
    add_deviation(std::move(deviation));
    const std::string times = factor.empty() ? "" : " .* " + factor;
    add_part(fmt::format("{{0}}[{}, {}]'{}", into_->num_columns(), into_->codes, times));
    one_parts_[into_->z] = fmt::format("{{0}}[{}]{}", into_->codes, times);
  }
  void add_part(const std::string& part) {
    std::string& all = into_->parts[predictor_];
    all += (all.empty() ? "" : " + ") + part;
  }

  void add_term(const DesignTerm& term, const Design& design) {
    const TermMatrix x = matrix_of(term, design, made_.parts, frame_.names());
    const bool is_number = term.columns.size() == 1 && term.is_numeric(design.variables);
    const Coefficient first{.name = prefix() + term.names[0],
                            .element = {},
                            .column_sd = is_number ? sample_sd(term.columns[0]) : 0.0};
    if (!x.is_matrix)
      return add_column(first, x.stan.find(' ') == x.stan.npos ? x.stan : "(" + x.stan + ")");
    if (term.columns.size() == 1) return add_column(first, x.stan + "[, 1]");
    const Index before = into_->num_columns();
    for (const std::string& name : term.names)
      add_deviation({.name = prefix() + name, .element = {}});
    add_part(fmt::format("rows_dot_product({}, {{0}}[{}:{}, {}]')", x.stan, before + 1,
                         into_->num_columns(), into_->codes));
  }

  Regression& made_;
  Frame& frame_;
  GroupBlock block_;            // the group that is being read
  GroupBlock* into_ = nullptr;  // the one that gets its columns
  std::size_t predictor_ = 0;
  std::string base_;
  std::map<std::string, std::string>
      one_parts_;  // parts of effects of one column, by the name of z
};
}  // namespace

void add_groups(Regression& made, Frame& frame) {
  GroupMaker maker(made, frame);
  for (std::size_t k = 0; k < made.predictors.size(); ++k)
    for (const GroupTerm& group : made.predictors[k].list.groups) maker.add(group, k);
  for (GroupBlock& block : made.groups) {
    maker.finish(block);
    for (Index k = 0; k < block.num_columns(); ++k)
      block.deviations[static_cast<std::size_t>(k)].element =
          block.num_columns() == 1 ? block.sd : fmt::format("{}[{}]", block.sd, k + 1);
  }
}

}  // namespace credo::models
