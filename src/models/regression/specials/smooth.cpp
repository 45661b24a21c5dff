// s(x), s(x, z): smooth functions as lines and random effects, as mgcv and brms have them [wood2017, section 5.8].
#include <fmt/format.h>

#include "models/regression/smooths/smooth_block.hpp"
#include "models/regression/smooths/smooth_call.hpp"

namespace credo::models {
namespace {
SmoothCall read_call(const Expression& call, Frame& frame) {
  return read_smooth_call(call, {"k", "bs", "by"}, frame);
}

bool check_kind(const SmoothCall& read, Frame& frame) {
  const Expression& call = *read.call;
  if (read.kind == "re") {
    if (read.columns.size() <= 2 && read.by == nullptr) return true;
    frame.faults().add(call.place, "random effects are of a factor, or of a factor and a number",
                       "s(g, bs = \"re\"), s(g, x, bs = \"re\")");
    return false;
  }
  const SmoothKind* const kind = find_smooth_kind(read.kind);
  if (kind == nullptr) {
    std::vector<std::string> names{"re"};
    for (const SmoothKind* known : smooth_kinds()) names.emplace_back(known->name);
    frame.faults().add(read.option("bs")->place, fmt::format("there is no smooth {}", read.kind),
                       fmt::format("there are {}", fmt::join(names, ", ")));
    return false;
  }
  if (ssize(read.columns) > kind->most_columns) {
    frame.faults().add(
        call.place, fmt::format("{} is of {}", kind->words,
                                kind->most_columns == 1 ? "one column" : "one or two columns"),
        kind->most_columns == 1 ? "t2(x, z) and s(x, z) are smooths of two columns"
                                : "t2() has products of smooths");
    return false;
  }
  const Index least = kind->least + ssize(read.columns) - 1;
  if (read.k == 0 || read.k >= least) return true;
  frame.faults().add(read.option("k")->place,
                     fmt::format("{} has a basis of {} functions or more", kind->words, least));
  return false;
}

bool use(const Expression& call, Frame& frame) {
  const std::size_t before = frame.faults().size();
  const SmoothCall read = read_call(call, frame);
  if (frame.faults().size() > before || !check_kind(read, frame)) return false;
  bool is_right = true;
  for (const Expression* column : read.columns) {
    const bool is_factor = read.kind == "re" && is_levels(*column, frame);
    is_right = use_smooth_column(*column, is_factor, frame) && is_right;
  }
  if (read.by != nullptr)
    is_right = use_smooth_column(*read.by, is_levels(*read.by, frame), frame) && is_right;
  return is_right;
}

class SmoothMaker {
 public:
  SmoothMaker(const SmoothCall& read, SpecialContext& context) : read_(read), context_(context), own_{.context = context} {}

  std::optional<SpecialBlock> make() {
    own_.block.text = read_.text();
    if (read_.kind == "re") return random_effects();
    kind_ = find_smooth_kind(read_.kind);
    if (!take_columns() || !take_by()) return std::nullopt;
    const SmoothBasis basis = kind_->make(inputs_, k_);
    const SmoothMap map = smooth_map(basis, by_.empty() || is_by_factor_);
    peer_units_ = map.peer_units;
    num_effects_ = map.map.cols;
    num_slopes_ = basis.num_slopes();
    // The smooth of a level has the rows of that level.
    num_informed_ = num_informed(map, basis.columns * basis.lines,
                                 by_.empty() ? own_.context.outcome : std::span<const double>());
    own_.name = base_name();
    add_matrix(basis, map);
    const std::string lines = is_by_factor_ ? lines_by_level() : lines_alone();
    const std::string wiggles = is_by_factor_ ? wiggles_by_level() : wiggles_alone();
    own_.block.predictor = lines.empty() ? wiggles : lines + " + " + wiggles;
    if (!by_.empty() && !is_by_factor_)
      own_.block.predictor = fmt::format("{} .* ({})", by_, own_.block.predictor);
    own_.block.words = fmt::format("{}, {} functions{}", kind_->words, num_effects_ + num_slopes_,
                               by_.empty()     ? ""
                               : is_by_factor_ ? fmt::format(" for each level of {}", by_)
                                               : fmt::format(", multiplied by {}", by_));
    return std::move(own_.block);
  }

 private:
  // ---- columns
  bool take_columns() {
    for (const Expression* column : read_.columns) {
      const UsedColumn used = *context_.frame.use(*column, ColumnRole::number);
      inputs_.push_back(context_.frame.numbers(used.name));
      names_.push_back(used.name);
      const auto [least, greatest] = std::ranges::minmax(inputs_.back());
      if (!(greatest > least)) {
        context_.frame.faults().add(column->place,
                                    fmt::format("all values of {} are equal", used.column),
                                    "leave the term out");
        return false;
      }
      if (kind_->name != "cc")
        own_.block.ranges.push_back(
            {.column = used.name, .first = least, .last = greatest, .is_needed = false});
      if (!require_new(*column, used.column)) return false;
    }
    return choose_size();
  }
  bool require_new(const Expression& column, const std::string& name) {
    const std::string own = name + (read_.by == nullptr ? "" : ":" + read_.by->text());
    if (kind_->name == "cc" || context_.slopes.insert(own).second) return true;
    context_.frame.faults().add(
        column.place, fmt::format("{} has a coefficient already, and {} has one for it, too", own,
                                  own_.block.text),
        "leave it out of the other terms");
    return false;
  }
  // mgcv's default sizes: 10 functions of one column, 30 of two.
  bool choose_size() {
    k_ = read_.k > 0 ? read_.k : inputs_.size() == 1 ? 10 : 30;
    std::set<std::vector<double>> rows;
    for (std::size_t n = 0; n < inputs_[0].size(); ++n) {
      std::vector<double> row;
      for (const std::vector<double>& x : inputs_) row.push_back(x[n]);
      rows.insert(std::move(row));
    }
    if (k_ <= ssize(rows)) return true;
    context_.frame.faults().add(
        read_.call->place,
        fmt::format("{} has {} functions, and there are {} different values", own_.block.text, k_,
                    rows.size()),
        fmt::format("a smaller basis: k = {}", rows.size()));
    return false;
  }
  bool take_by() {
    if (read_.by == nullptr) return true;
    is_by_factor_ = is_levels(*read_.by, context_.frame);
    const UsedColumn used =
        *context_.frame.use(column_of_levels(*read_.by),
                            is_by_factor_ ? ColumnRole::factor : ColumnRole::number);
    by_ = used.name;
    if (is_by_factor_) {
      levels_ = context_.frame.levels(by_);
      by_column_ = used.column;
      own_.block.factors.push_back(by_);
      return true;
    }
    own_.block.text += ":" + used.column;
    if (context_.slopes.insert(used.column).second) return true;
    context_.frame.faults().add(
        read_.by->place, fmt::format("{} has a coefficient already, and {} has one for it, too",
                                     used.column, own_.block.text),
        "leave it out of the other terms");
    return false;
  }

  // ---- the program
  std::string base_name() const {
    std::string name;
    for (const std::string& column : names_) name += (name.empty() ? "" : "_") + column;
    return name + (by_.empty() ? "" : "_" + by_);
  }
  std::string centred(std::size_t k) {
    if (means_.empty())
      for (std::size_t c = 0; c < names_.size(); ++c)
        means_.push_back(own_.constant({.name = names_.size() == 1 ? "mean" : fmt::format("mean_{}", c + 1),
                                   .values = {sample_mean(inputs_[c])}}));
    return fmt::format("({} - {})", names_[k], means_[k]);
  }
  void add_matrix(const SmoothBasis& basis, const SmoothMap& map) {
    std::string inputs = names_[0];
    if (basis.inputs == "{centred}")
      inputs = names_.size() == 1 ? fmt::format("to_matrix{}", centred(0))
                                  : fmt::format("append_col({}, {})", centred(0), centred(1));
    else if (basis.inputs != "{x}")
      inputs = fmt::format("wrapped({}, {{knots}})", names_[0]);
    matrix_ = own_.matrix("S", num_effects_, own_.call(basis, map.map, inputs));
  }
  std::string slope_name(const std::string& of, std::size_t k) const {
    return num_slopes_ == 1 ? fmt::format("slope({})", of)
                            : fmt::format("slope({}, {})", of, names_[k]);
  }

  std::string lines_alone() {
    std::vector<std::string> parts;
    if (!by_.empty()) {
      const std::string level = own_.take("level");
      own_.block.parameters.push_back("real " + level);
      own_.add_slope(fmt::format("level({})", own_.label()), level, sample_sd(context_.frame.numbers(by_)));
      parts.push_back(level);
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(num_slopes_); ++k) {
      const std::string slope =
          own_.take(num_slopes_ == 1 ? "slope" : fmt::format("slope_{}", k + 1));
      own_.block.parameters.push_back("real " + slope);
      own_.add_slope(slope_name(own_.label(), k), slope, sample_sd(slope_column(k)));
      parts.push_back(fmt::format("{} * {}", slope, centred(k)));
    }
    return fmt::format("{}", fmt::join(parts, " + "));
  }
  // The column that a slope multiplies.
  std::vector<double> slope_column(std::size_t k) const {
    std::vector<double> x = inputs_[k];
    if (by_.empty() || is_by_factor_) return x;
    const std::vector<double> by = context_.frame.numbers(by_);
    const double mean = sample_mean(x);
    for (std::size_t n = 0; n < x.size(); ++n) x[n] = (x[n] - mean) * by[n];
    return x;
  }
  // Well known coefficients are parameters w ~ normal(0, sd); the others are standard normals z times the sd.
  std::string wiggles_alone() {
    const std::string sd = own_.take("sd"), w = own_.take("w"), z = own_.take("z");
    const Index rest = num_effects_ - num_informed_;
    own_.block.parameters.push_back(fmt::format("real<lower=0> {}", sd));
    if (num_informed_ > 0) {
      own_.block.parameters.push_back(fmt::format("vector[{}] {}", num_informed_, w));
      own_.block.statements.push_back(fmt::format("{} ~ normal(0, {})", w, sd));
    }
    if (rest > 0) {
      own_.block.parameters.push_back(fmt::format("vector[{}] {}", rest, z));
      own_.block.statements.push_back(fmt::format("{} ~ std_normal()", z));
    }
    own_.add_sd(own_.label(), sd, peer_units_);
    if (num_informed_ == 0) return fmt::format("{} * ({} * {})", matrix_, sd, z);
    if (rest == 0) return fmt::format("{} * {}", matrix_, w);
    return fmt::format("{} * append_row({}, {} * {})", matrix_, w, sd, z);
  }

  std::string lines_by_level() {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < static_cast<std::size_t>(num_slopes_); ++k) {
      const std::string slope =
          own_.take(num_slopes_ == 1 ? "slope" : fmt::format("slope_{}", k + 1));
      own_.block.parameters.push_back(fmt::format("vector[{}] {}", levels_.size(), slope));
      for (std::size_t level = 0; level < levels_.size(); ++level)
        own_.add_slope(slope_name(own_.label(by_column_ + levels_[level]), k),
                  fmt::format("{}[{}]", slope, level + 1), sample_sd(inputs_[k]));
      parts.push_back(fmt::format("{}[{}] .* {}", slope, by_, centred(k)));
    }
    return fmt::format("{}", fmt::join(parts, " + "));
  }
  std::string wiggles_by_level() {
    const std::string sd = own_.take("sd"), w = own_.take("w"), z = own_.take("z"),
                      all = own_.take("coefficients");
    const Index rest = num_effects_ - num_informed_;
    const std::size_t number = levels_.size();
    own_.block.parameters.push_back(fmt::format("vector<lower=0>[{}] {}", number, sd));
    std::string made = fmt::format("diag_pre_multiply({}, {})", sd, z);
    if (num_informed_ > 0) {
      own_.block.parameters.push_back(fmt::format("matrix[{}, {}] {}", number, num_informed_, w));
      own_.block.statements.push_back(
          fmt::format("for (k in 1:{}) {}[, k] ~ normal(0, {})", num_informed_, w, sd));
      made = rest == 0 ? w : fmt::format("append_col({}, {})", w, made);
    }
    if (rest > 0) {
      own_.block.parameters.push_back(fmt::format("matrix[{}, {}] {}", number, rest, z));
      own_.block.statements.push_back(fmt::format("to_vector({}) ~ std_normal()", z));
    }
    own_.block.transformed.push_back(
        fmt::format("matrix[{}, {}] {} = {}", number, num_effects_, all, made));
    for (std::size_t level = 0; level < number; ++level)
      own_.add_sd(own_.label(by_column_ + levels_[level]), fmt::format("{}[{}]", sd, level + 1),
                  peer_units_);
    return fmt::format("rows_dot_product({}, {}[{}])", matrix_, all, by_);
  }

  // ---- bs = "re": a standard normal for each level times one sd
  std::optional<SpecialBlock> random_effects() {
    std::string codes, number;
    for (const Expression* column : read_.columns) {
      const bool is_factor = is_levels(*column, context_.frame);
      const UsedColumn used = *context_.frame.use(
          column_of_levels(*column), is_factor ? ColumnRole::factor : ColumnRole::number);
      own_.name += (own_.name.empty() ? "" : "_") + used.name;
      if (is_factor && !codes.empty()) {
        context_.frame.faults().add(column->place, "random effects here are of one factor",
                                    "(1 | g:h) has those of combinations");
        return std::nullopt;
      }
      (is_factor ? codes : number) += (number.empty() || is_factor ? "" : " .* ") + used.name;
    }
    const std::string z = own_.take("z"), sd = own_.take("sd");
    const std::size_t num_levels = codes.empty() ? 1 : context_.frame.levels(codes).size();
    own_.block.parameters = {fmt::format("real<lower=0> {}", sd),
                         fmt::format("vector[{}] {}", num_levels, z)};
    own_.block.statements = {fmt::format("{} ~ std_normal()", z)};
    own_.add_sd(own_.label(), sd, peer_units_);
    if (!codes.empty()) own_.block.factors = {codes};
    const std::string effects = fmt::format("({} * {})[{}]", sd, z, codes.empty() ? "1" : codes);
    own_.block.predictor = number.empty()  ? effects
                       : codes.empty() ? fmt::format("{} * {}", effects, number)
                                       : fmt::format("{} .* {}", effects, number);
    own_.block.words = fmt::format("independent normal effects, {} of them", num_levels);
    return std::move(own_.block);
  }

  const SmoothCall& read_;
  SpecialContext& context_;
  SmoothBlock own_;
  const SmoothKind* kind_ = nullptr;
  Columns inputs_;
  std::vector<std::string> names_, means_, levels_;
  std::string matrix_, by_, by_column_;
  bool is_by_factor_ = false;
  double peer_units_ = 1.0;
  Index k_ = 0, num_effects_ = 0, num_slopes_ = 0, num_informed_ = 0;
};

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const SmoothCall read = read_call(call, context.frame);
  return SmoothMaker(read, context).make();
}
}  // namespace

extern const SpecialRow smooth_special{.name = "s",
                                       .words = "a smooth",
                                       .usage = "s(x), s(x, k = 20, bs = \"cr\", by = g), s(x, z)",
                                       .use = use,
                                       .make = make};
}  // namespace credo::models
