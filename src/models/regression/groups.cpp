// Effects of groups: (1 + x | g), as lme4 reads them. Their columns are not centred.
#include <fmt/format.h>

#include "models/regression/grouping.hpp"
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
    row_ = group.call ? find_grouping(group.call->word) : nullptr;
    if (group.call) block_.call = group.call->text();
    if (!find_levels(group)) return;
    const TermList terms = read_terms(group.terms, {}, frame_.faults());
    const Design design = make_design(terms, frame_, made_.parts);
    if (!check(group, terms, design)) return;
    for (const FormulaVariable& variable : design.variables)
      if (variable.is_factor) made_.fixed_factors.insert(variable.codes_name);
    GroupBlock* const shared = block_of_same_id();
    if (shared == nullptr) {
      name_parts();
      GroupingContext context{.frame = frame_, .parts = made_.parts, .base = base_};
      if (row_ != nullptr && !row_->make(*group.call, block_, context)) return;
      if (block_.strata.are_there()) made_.fixed_factors.insert(block_.strata.column);
    }
    GroupBlock& block = shared == nullptr ? made_.groups.emplace_back(std::move(block_)) : *shared;
    into_ = &block;
    if (terms.has_intercept) add_column({.name = prefix() + "intercept", .element = {}}, "");
    for (const DesignTerm& term : design.terms) add_term(term, design);
  }
  // Effects of one column alone are a vector, not a matrix of one row.
  void finish(GroupBlock& block) const {
    if (block.deviations.size() == 1) {
      block.is_correlated = false;
      for (auto& [predictor, part] : block.parts) part = one_parts_.at(block.z);
    }
    add_strata(block);
    if (block.strata.are_there() && block.is_correlated)
      for (const StanFunction& f : find_grouping("gr")->functions)
        made_.parts.functions.emplace(f.name, f.text);
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
    if (row_ != nullptr && row_->has_members) {
      find_members(levels);
    } else if (block_.columns.size() == 1) {
      block_.codes = block_.columns[0];
      block_.levels = levels[0];
      block_.size = "K_" + block_.codes;
      block_.row_codes = codes[0];
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
    for (std::size_t i = 0; i < codes[0].size(); ++i) {
      std::vector<std::int32_t> key;
      for (const std::vector<std::int32_t>& own : codes) key.push_back(own[i]);
      block_.row_codes.push_back(numbers.at(key));
    }
    for (const GroupBlock& known : made_.groups)  // the same combinations in another term
      if (known.columns == block_.columns && known.members.empty()) {
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

  // The levels of all columns are the groups; a constant for each column has the numbers of its own ones.
  void find_members(const std::vector<std::vector<std::string>>& levels) {
    std::set<std::string> all;
    for (const std::vector<std::string>& own : levels) all.insert(own.begin(), own.end());
    block_.levels.assign(all.begin(), all.end());
    block_.codes = frame_.names().take(fmt::format("{}", fmt::join(block_.columns, "_")));
    block_.size = frame_.names().take("K_" + block_.codes);
    for (std::size_t c = 0; c < levels.size(); ++c) {
      const std::string& column = block_.columns[c];
      ProgramConstant lookup{
          .name = frame_.names().take("groups_of_" + column),
          .dims = {ssize(levels[c])},
          .is_whole = true,
          .comment = fmt::format("numbers of the levels of {} among all", column)};
      for (const std::string& level : levels[c])
        lookup.values.push_back(
            static_cast<double>(std::distance(all.begin(), all.find(level)) + 1));
      block_.members.push_back({.column = column,
                                .codes = frame_.names().take("group_of_" + column),
                                .lookup = lookup.name});
      made_.parts.constants.push_back(std::move(lookup));
    }
    made_.parts.constants.push_back({.name = block_.size,
                                     .values = {static_cast<double>(block_.levels.size())},
                                     .is_whole = true});
  }

  // A standard deviation of each column for each stratum.
  static void add_strata(GroupBlock& block) {
    const GroupStrata& strata = block.strata;
    const Index q = ssize(block.deviations);
    std::vector<Coefficient> all;
    for (Index k = 0; k < q; ++k) {
      Coefficient own = block.deviations[static_cast<std::size_t>(k)];
      own.element = q == 1 ? block.sd : fmt::format("{}[{}]", block.sd, k + 1);
      if (!strata.are_there()) all.push_back(own);
      for (Index s = 0; s < ssize(strata.levels); ++s) {
        Coefficient& one = all.emplace_back(own);
        one.name += ":" + strata.name + strata.levels[static_cast<std::size_t>(s)];
        one.element = q == 1 ? fmt::format("{}[{}]", block.sd, s + 1)
                             : fmt::format("{}[{}, {}]", block.sd, k + 1, s + 1);
      }
    }
    block.deviations = std::move(all);
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
      if (known.id == block_.id && known.columns == block_.columns && known.call == block_.call)
        return &known;
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
    const Index row = ssize(into_->deviations);
    add_part(of_members(fmt::format("{{0}}[{}, {{codes}}]'{}", row, times)));
    one_parts_[into_->z] = of_members(fmt::format("{{0}}[{{codes}}]{}", times));
  }
  // The part for the group of each row, or the weighted sum of those of its groups.
  std::string of_members(const std::string& part) const {
    const auto with = [&](const std::string& codes) {
      std::string text = part;
      return text.replace(text.find("{codes}"), 7, codes);
    };
    if (into_->members.empty()) return with(into_->codes);
    std::vector<std::string> all;
    for (const GroupMember& member : into_->members)
      all.push_back(member.weight.empty()
                        ? with(member.codes)
                        : fmt::format("{} {} {}", member.weight,
                                      member.has_column_weight ? ".*" : "*", with(member.codes)));
    return fmt::format("{}", fmt::join(all, " + "));
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
    const Index before = ssize(into_->deviations);
    for (const std::string& name : term.names)
      add_deviation({.name = prefix() + name, .element = {}});
    add_part(of_members(fmt::format("rows_dot_product({}, {{0}}[{}:{}, {{codes}}]')", x.stan,
                                    before + 1, ssize(into_->deviations))));
  }

  Regression& made_;
  Frame& frame_;
  GroupBlock block_;                  // the group that is being read
  const GroupingRow* row_ = nullptr;  // the row of gr() or mm()
  GroupBlock* into_ = nullptr;        // the one that gets its columns
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
    if (made.effects_are_centred && !block.is_plain())
      frame.faults().add_of_table(
          "--centred", fmt::format("effects of {} are standard ones that are scaled", block.call),
          "leave --centred out");
  }
}

}  // namespace credo::models
