// gr(g, by = b, dist = "student", cov = "A.csv"): a group whose effects have another distribution.
#include <fmt/format.h>

#include "models/regression/grouping.hpp"
#include "models/regression/named_table.hpp"
#include "models/regression/smooths/smooth_call.hpp"

namespace credo::models {
namespace {
constexpr std::array<std::string_view, 3> kOptions{"by", "cov", "dist"};
constexpr std::string_view kEffectsBy =
    R"(  // Correlated effects of groups, with the sds and correlations of each one's stratum.
  matrix effects_by(matrix sd, array[] matrix root, matrix z, array[] int by) {
    matrix[rows(z), cols(z)] effects;
    for (k in 1:cols(z)) effects[, k] = sd[, by[k]] .* (root[by[k]] * z[, k]);
    return effects;
  }
)";

bool use(const Expression& call, Frame& frame) {
  const std::size_t before = frame.faults().size();
  const SmoothCall read = read_smooth_call(call, kOptions, frame);
  if (read.columns.size() > 1)
    frame.faults().add(call.place, "gr() is of one group", "gr(g), gr(g:h), mm(g, h)");
  if (read.by != nullptr) use_smooth_column(*read.by, true, frame);
  if (const Expression* dist = read.option("dist"); dist != nullptr && dist->word != "normal" &&
                                                    dist->word != "gaussian" &&
                                                    dist->word != "student")
    frame.faults().add(dist->place,
                       fmt::format("there are no effects of the distribution {}", dist->word),
                       "there are normal and student");
  return frame.faults().size() == before;
}

class OptionsMaker {
 public:
  OptionsMaker(const SmoothCall& read, GroupBlock& block, GroupingContext& context)
      : read_(read), block_(block), context_(context), faults_(context.frame.faults()) {}

  bool make() {
    if (read_.by != nullptr && !add_strata()) return false;
    if (const Expression* cov = read_.option("cov"); cov != nullptr && !add_covariance(*cov))
      return false;
    const Expression* const dist = read_.option("dist");
    if (dist != nullptr && dist->word == "student") {
      block_.freedom =
          Coefficient{.name = fmt::format("df({})", block_.label), .element = context_.name("df")};
      block_.mixing = context_.name("mix"), block_.widths = context_.name("width");
    }
    return true;
  }

 private:
  // Each group has one level of the column.
  bool add_strata() {
    const UsedColumn by = *context_.frame.use(column_of_levels(*read_.by), ColumnRole::factor);
    const std::vector<std::int32_t> codes = context_.frame.codes(by.name);
    GroupStrata& strata = block_.strata;
    strata.column = by.name, strata.name = by.column,
    strata.levels = context_.frame.levels(by.name);
    strata.of_level.assign(block_.levels.size(), 0);
    for (std::size_t n = 0; n < codes.size(); ++n) {
      const auto group = static_cast<std::size_t>(block_.row_codes[n] - 1);
      if (strata.of_level[group] == 0) strata.of_level[group] = codes[n];
      if (strata.of_level[group] == codes[n]) continue;
      const auto level = [&](Index k) { return strata.levels[static_cast<std::size_t>(k - 1)]; };
      faults_.add_of_table(context_.frame.where(by.name, static_cast<Index>(n)),
                           fmt::format("{} {} has {} = {} in row {}, and {} in a row before",
                                       block_.label, block_.levels[group], by.column,
                                       level(codes[n]), n + 1, level(strata.of_level[group])),
                           "each level of the group has one level of by =");
      return false;
    }
    strata.codes = context_.name("by");
    context_.parts.constants.push_back(
        {.name = strata.codes,
         .dims = {ssize(strata.of_level)},
         .values = {strata.of_level.begin(), strata.of_level.end()},
         .is_whole = true,
         .comment = fmt::format("{} of each level of {}", by.column, block_.label)});
    return true;
  }

  bool add_covariance(const Expression& path) {
    const auto rows = read_rows_of_file(path, context_.frame);
    if (!rows) return false;
    const auto matrix = symmetric_matrix(*rows, path, faults_);
    if (!matrix) return false;
    const auto places = places_of(block_.levels, matrix->names, path, block_.label, faults_);
    if (!places) return false;
    const Index n = ssize(*places);
    numerics::DenseMatrix own(n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        own(i, j) = matrix->values((*places)[static_cast<std::size_t>(i)],
                                   (*places)[static_cast<std::size_t>(j)]);
    if (std::ranges::any_of(cholesky_root(own).values,
                            [](double x) { return !std::isfinite(x); })) {
      faults_.add(path.place,
                  fmt::format("{} is no covariance of the levels of {}: it isn't positive definite",
                              path.word, block_.label),
                  "two levels with equal rows have one effect: leave one of them out");
      return false;
    }
    const std::string name = context_.name("cov");
    block_.covariance_root = context_.name("root_cov");
    context_.parts.constants.push_back({.name = name,
                                        .dims = {n, n},
                                        .values = own.values,
                                        .comment = fmt::format("levels of {}", block_.label)});
    context_.parts.prepared.push_back(fmt::format("matrix[{0}, {0}] {1} = cholesky_decompose({2});",
                                                  n, block_.covariance_root, name));
    return true;
  }

  const SmoothCall& read_;
  GroupBlock& block_;
  GroupingContext& context_;
  FormulaFaults& faults_;
};

bool make(const Expression& call, GroupBlock& block, GroupingContext& context) {
  const SmoothCall read = read_smooth_call(call, kOptions, context.frame);
  return OptionsMaker(read, block, context).make();
}
}  // namespace

extern const GroupingRow options_grouping{
    .name = "gr",
    .words = "a group with options",
    .usage = "gr(g, by = b, dist = \"student\", cov = \"A.csv\")",
    .use = use,
    .make = make,
    .functions = {{"effects_by", kEffectsBy}}};
}  // namespace credo::models
