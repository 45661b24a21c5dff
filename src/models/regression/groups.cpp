// Effects of groups: (1 + x | g), as lme4 reads them. Their columns are not centred.
#include <fmt/format.h>

#include "models/regression/regression.hpp"

namespace credo::models {
namespace {

class GroupMaker {
 public:
  GroupMaker(Regression& made, Frame& frame) : made_(made), frame_(frame) {}

  void add(const GroupTerm& group) {
    block_ = {};
    block_.is_correlated = group.is_correlated;
    if (!find_levels(group)) return;
    const TermList terms = read_terms(group.terms, {}, frame_.faults());
    const Design design = make_design(terms, frame_, made_.parts);
    if (!check(group, terms, design)) return;
    for (const FormulaVariable& variable : design.variables)
      if (variable.is_factor) made_.fixed_factors.insert(variable.codes_name);
    name_parts();
    if (terms.has_intercept) add_column("intercept", "");
    for (const DesignTerm& term : design.terms) add_term(term, design);
    if (block_.num_columns() == 1) {
      block_.is_correlated = false;
      block_.predictor = one_predictor_;
    }
    made_.groups.push_back(std::move(block_));
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
    base_ = fmt::format("{}", fmt::join(block_.columns, "_"));
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
    ProgramConstant lookup{.name = frame_.names().take("codes_" + base_),
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
    block_.codes = frame_.names().take(base_);
    block_.size = frame_.names().take("K_" + base_);
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

  void name_parts() {
    ProgramNames& names = frame_.names();
    block_.sd = names.take("sd_" + base_);
    block_.root = names.take("L_" + base_);
    block_.z = names.take("z_" + base_);
    block_.effects = names.take("r_" + base_);
    block_.correlations = names.take("cor_" + base_);
  }

  void add_column(const std::string& name, const std::string& factor) {
    block_.deviations.push_back({.name = name, .element = {}});
    const Index place = block_.num_columns();
    const std::string times = factor.empty() ? "" : " .* " + factor;
    add_part(fmt::format("{{0}}[{}, {}]'{}", place, block_.codes, times));
    one_predictor_ = fmt::format("{{0}}[{}]{}", block_.codes, times);
  }

  void add_part(const std::string& part) {
    block_.predictor += (block_.predictor.empty() ? "" : " + ") + part;
  }

  void add_term(const DesignTerm& term, const Design& design) {
    const TermMatrix x = matrix_of(term, design, made_.parts, frame_.names());
    if (term.columns.size() == 1 && term.is_numeric(design.variables))
      made_.scales[term.names[0]] = sample_sd(term.columns[0]);
    if (!x.is_matrix)
      return add_column(term.names[0],
                        x.stan.find(' ') == x.stan.npos ? x.stan : "(" + x.stan + ")");
    const Index first = block_.num_columns() + 1;
    for (const std::string& name : term.names) block_.deviations.push_back({name, {}});
    if (term.columns.size() == 1) {
      add_part(fmt::format("{{0}}[{}, {}]' .* {}[, 1]", first, block_.codes, x.stan));
      one_predictor_ = fmt::format("{{0}}[{}] .* {}[, 1]", block_.codes, x.stan);
      return;
    }
    add_part(fmt::format("rows_dot_product({}, {{0}}[{}:{}, {}]')", x.stan, first,
                         block_.num_columns(), block_.codes));
  }

  Regression& made_;
  Frame& frame_;
  GroupBlock block_;
  std::string base_, one_predictor_;
};
}  // namespace

void add_groups(Regression& made, const std::vector<GroupTerm>& groups, Frame& frame) {
  GroupMaker maker(made, frame);
  for (const GroupTerm& group : groups) maker.add(group);
  for (GroupBlock& block : made.groups)
    for (Index k = 0; k < block.num_columns(); ++k)
      block.deviations[static_cast<std::size_t>(k)].element =
          block.num_columns() == 1 ? block.sd : fmt::format("{}[{}]", block.sd, k + 1);
}

}  // namespace credo::models
