// cosy(gr = g), unstr(time, g): rows of one group have correlated residuals, all with one correlation, or with one for each two times.
#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/regression/special.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kRowsOf = R"(  // The rows of group k.
  array[] int rows_of_group(array[] int group, int k) {
    int number = 0;
    for (n in 1:size(group)) number += group[n] == k;
    array[number] int which;
    number = 0;
    for (n in 1:size(group)) {
      if (group[n] == k) {
        number += 1;
        which[number] = n;
      }
    }
    return which;
  }
)";
constexpr std::string_view kSymmetric = R"(  // One correlation between any two of n rows.
  matrix compound_symmetry(int n, real rho) {
    return add_diag(rep_matrix(rho, n, n), 1 - rho);
  }
)";

constexpr std::string_view kNumbers = R"(  // The numbers of values among those of a fit.
  array[] int numbers_among(vector x, vector known) {
    array[rows(x)] int numbers = rep_array(0, rows(x));
    for (n in 1:rows(x)) {
      for (k in 1:rows(known))
        if (x[n] == known[k]) numbers[n] = k;
      if (numbers[n] == 0) reject("the fit has no row of the time ", x[n]);
    }
    return numbers;
  }
)";

struct GroupCall {
  const Expression *time = nullptr, *group = nullptr;
};

std::optional<GroupCall> read(const Expression& call, Frame& frame) {
  const bool has_time = call.word == "unstr";
  GroupCall made;
  for (std::size_t k = 0; k < call.parts.size(); ++k) {
    const std::string& label = call.labels[k];
    const Expression*& target =
        label == "time" || (label.empty() && has_time && k == 0) ? made.time : made.group;
    const bool is_known = label.empty() || label == "gr" || (label == "time" && has_time);
    if (is_known && target == nullptr && call.parts[k].kind == Expression::Kind::name)
      target = &call.parts[k];
    else
      frame.faults().add(call.parts[k].place, fmt::format("{}() has other arguments", call.word),
                         has_time ? "unstr(time, g)" : "cosy(gr = g)");
  }
  if (made.group != nullptr && (made.time != nullptr || !has_time)) return made;
  frame.faults().add(call.place,
                     fmt::format("{}() needs {}", call.word,
                                 has_time ? "a column of times and one of groups"
                                          : "a column that says which rows are one group"),
                     has_time ? "unstr(time, g)" : "cosy(gr = g)");
  return std::nullopt;
}

// Times may be numbers, which the formula may use as such, too.
ColumnRole role_of_times(const Expression& time, const Frame& frame) {
  return frame.is_text(time) ? ColumnRole::factor : ColumnRole::number;
}

bool use(const Expression& call, Frame& frame) {
  const std::size_t before = frame.faults().size();
  const auto made = read(call, frame);
  if (!made || frame.faults().size() > before) return false;
  if (made->time != nullptr) frame.use(*made->time, role_of_times(*made->time, frame));
  frame.use(*made->group, ColumnRole::factor);
  return frame.faults().size() == before;
}

// One group has no two rows of one time.
bool check_times(const UsedColumn& time, const UsedColumn& group, Frame& frame) {
  const std::vector<double> times = frame.numbers(time.name);  // or codes
  const std::vector<std::int32_t> groups = frame.codes(group.name);
  std::map<std::pair<std::int32_t, double>, std::size_t> seen;
  for (std::size_t n = 0; n < times.size(); ++n) {
    const auto [entry, is_new] = seen.emplace(std::pair(groups[n], times[n]), n);
    if (is_new) continue;
    frame.faults().add_of_table(frame.where(time.name, static_cast<Index>(n)),
                                fmt::format("rows {} and {} have one {} and one {}",
                                            entry->second + 1, n + 1, group.column, time.column),
                                "each group has one row of a time");
    return false;
  }
  return true;
}

class CorrelationMaker {
 public:
  CorrelationMaker(const GroupCall& read, SpecialContext& context, UsedColumn group)
      : read_(read), context_(context), group_(std::move(group)) {}

  std::optional<SpecialBlock> make(const Expression& call) {
    block_.text = call.text();
    rows_ = fmt::format("rows_of_group({}, k)", group_.name);
    const auto correlation = read_.time == nullptr ? symmetric() : unstructured();
    if (!correlation) return std::nullopt;
    const std::string distribution =
        fmt::format("({{eta}}[{0}], quad_form_diag({1}, {{sigma}}[{0}]))", rows_, *correlation);
    block_.residuals.statement = fmt::format("  for (k in 1:K_{}) {{y}}[{}] ~ multi_normal{};\n",
                                             group_.name, rows_, distribution);
    block_.residuals.draw =
        fmt::format("    for (k in 1:max({})) outcome[{}] = multi_normal_rng{};\n", group_.name,
                    rows_, distribution);
    block_.series.push_back(group_.name);
    return std::move(block_);
  }

 private:
  std::optional<std::string> symmetric() {
    const std::string rho = context_.frame.names().take("cosy");
    block_.parameters = {fmt::format("real<lower=0, upper=1> {}", rho)};
    block_.priors = {
        {.coefficient = {.name = "cosy", .element = rho, .predictor = context_.predictor},
         .prior = "beta(1, 1)"}};
    block_.words = fmt::format("one correlation between rows of one {}", group_.column);
    return fmt::format("compound_symmetry(size({}), {})", rows_, rho);
  }
  std::optional<std::string> unstructured() {
    const ColumnRole role = role_of_times(*read_.time, context_.frame);
    const UsedColumn time = *context_.frame.use(*read_.time, role);
    if (!check_times(time, group_, context_.frame)) return std::nullopt;
    std::vector<std::string> levels;
    std::string codes = time.name;
    if (role == ColumnRole::number) {
      codes = add_codes(time, levels);
    } else {
      levels = context_.frame.levels(time.name);
      block_.factors = {time.name};
    }
    const std::string root = context_.name("L", time.name),
                      correlations = context_.name("cor", time.name);
    block_.parameters = {fmt::format("cholesky_factor_corr[{}] {}", levels.size(), root)};
    block_.transformed = {fmt::format("corr_matrix[{}] {} = multiply_lower_tri_self_transpose({})",
                                      levels.size(), correlations, root)};
    block_.priors = {{.coefficient = {.name = fmt::format("cor({})", time.column),
                                      .element = root,
                                      .predictor = context_.predictor},
                      .prior = "lkj_corr_cholesky(2)",
                      .brms = "lkj_corr_cholesky(1)",
                      .rstanarm = {},
                      .is_shown = false}};
    for (std::size_t a = 0; a < levels.size(); ++a)
      for (std::size_t b = a + 1; b < levels.size(); ++b)
        block_.rows.push_back(
            {.name = fmt::format("cor({}, {}, {})", time.column, levels[a], levels[b]),
             .element = fmt::format("{}[{}, {}]", correlations, b + 1, a + 1)});
    block_.words = fmt::format("a correlation for each two of {} times", levels.size());
    return fmt::format("{0}[{1}[{2}], {1}[{2}]]", correlations, codes, rows_);
  }
  // Numbers of the times among those of the fit.
  std::string add_codes(const UsedColumn& time, std::vector<std::string>& levels) {
    const std::vector<double> times = context_.frame.numbers(time.name);
    const std::set<double> different(times.begin(), times.end());
    for (const double t : different) levels.push_back(io::number_text(t));
    const std::string values = context_.name("times", time.name),
                      codes = context_.name("time_of", time.name);
    context_.parts.constants.push_back(
        {.name = values,
         .dims = {ssize(different)},
         .values = {different.begin(), different.end()},
         .comment = fmt::format("different values of {}", time.column)});
    context_.parts.prepared.push_back(
        fmt::format("array[N] int {} = numbers_among({}, {});", codes, time.name, values));
    return codes;
  }

  const GroupCall& read_;
  SpecialContext& context_;
  UsedColumn group_;
  SpecialBlock block_;
  std::string rows_;
};

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const GroupCall read_call = *read(call, context.frame);
  if (!context.no_residuals.empty()) {
    context.frame.faults().add(call.place,
                               fmt::format("{}: {}", call.text(), context.no_residuals));
    return std::nullopt;
  }
  const UsedColumn group = *context.frame.use(*read_call.group, ColumnRole::factor);
  return CorrelationMaker(read_call, context, group).make(call);
}
}  // namespace

extern const SpecialRow cosy_special{
    .name = "cosy",
    .words = "one correlation within groups",
    .usage = "cosy(gr = g)",
    .use = use,
    .make = make,
    .functions = {{"rows_of_group", kRowsOf}, {"compound_symmetry", kSymmetric}}};
extern const SpecialRow unstr_special{
    .name = "unstr",
    .words = "any correlations between times within groups",
    .usage = "unstr(time, g)",
    .use = use,
    .make = make,
    .functions = {{"rows_of_group", kRowsOf}, {"numbers_among", kNumbers}}};
}  // namespace credo::models
