#include "models/gp/gp_table.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "models/formula/arithmetic.hpp"
#include "models/formula/formula_rows.hpp"
#include "models/gp/outcomes/outcome_reader.hpp"

namespace credo::models {
namespace {

// Values of inputs and functions of the mean at the rows of a frame.
class InputReader {
 public:
  InputReader(Frame& frame, FormulaFaults& faults) : frame_(frame), faults_(faults) {}

  std::vector<double> numbers(const Expression& e) {
    std::vector<double> x = arithmetic_of(e, frame_).values;
    if (ssize(x) == 1 && frame_.num_rows() != 1)
      x.assign(static_cast<std::size_t>(frame_.num_rows()), x[0]);
    for (std::size_t n = 0; n < x.size(); ++n)
      if (!std::isfinite(x[n])) {
        faults_.add(e.place, fmt::format("{} is {} in row {}", e.text(), x[n], n + 1),
                    "leave the row out, or take another function of the column");
        break;
      }
    return x;
  }
  // Codes of a factor, by the levels of the fit where there are such.
  std::vector<double> codes(GpInput& input, bool is_fit) {
    const std::string name = frame_.use(input.expression, ColumnRole::factor)->name;
    const std::vector<std::int32_t> codes = frame_.codes(name);
    const std::vector<std::string> levels = frame_.levels(name);
    if (is_fit && input.graph.empty()) input.levels = levels;
    std::vector<double> made;
    for (const std::int32_t code : codes) {
      const std::string& level = levels[static_cast<std::size_t>(code - 1)];
      const auto found = std::ranges::find(input.levels, level);
      if (found == input.levels.end() && !input.graph.empty()) {
        faults_.add(input.expression.place, fmt::format("{} is no node of {}", level, input.graph),
                    "each level is a node");
        return {};
      }
      // a level that the fit lacks is one more
      if (found == input.levels.end()) input.levels.push_back(level);
      made.push_back(
          static_cast<double>(std::ranges::find(input.levels, level) - input.levels.begin() + 1));
    }
    return made;
  }
  std::vector<std::vector<double>> columns(std::vector<GpInput>& inputs, bool is_fit) {
    std::vector<std::vector<double>> all;
    for (GpInput& input : inputs)
      all.push_back(input.is_factor ? codes(input, is_fit) : numbers(input.expression));
    return all;
  }
  numerics::DenseMatrix mean(bool has_intercept, std::span<const Expression> terms) {
    const Index n = frame_.num_rows(), first = has_intercept ? 1 : 0;
    numerics::DenseMatrix made(n, first + ssize(terms));
    for (Index i = 0; i < n && has_intercept; ++i) made(i, 0) = 1.0;
    for (Index c = 0; c < ssize(terms); ++c) {
      const std::vector<double> x = numbers(terms[static_cast<std::size_t>(c)]);
      for (Index i = 0; i < n && i < ssize(x); ++i)
        made(i, first + c) = x[static_cast<std::size_t>(i)];
    }
    return made;
  }

 private:
  Frame& frame_;
  FormulaFaults& faults_;
};

// A fault for each kernel with an input outside its domain. `rows`: numbers of the rows in the table `where`; empty: rows aren't named.
void require_domain(const Covariance& covariance, std::span<const std::vector<double>> columns,
                    std::span<const Index> rows, const std::string& where, FormulaFaults& faults) {
  const CovariancePoints points = covariance.points(columns);
  for (const KernelNode* atom : covariance.atoms()) {
    if (atom->row->refusal == nullptr) continue;
    const auto d = static_cast<std::size_t>(atom->options.dimension);
    const std::vector<double>& x = points.by_atom[static_cast<std::size_t>(atom->atom)];
    for (std::size_t i = 0; i < x.size(); i += d)
      if (const std::string reason = atom->row->refusal(atom->options, x.data() + i);
          !reason.empty()) {
        const std::string row =
            i / d < rows.size() ? fmt::format(", row {}", rows[i / d] + 1) : std::string();
        faults.add_of_table(where, fmt::format("{}{}: {}", atom->text, row, reason));
        break;
      }
  }
}

class GpTableMaker {
 public:
  GpTableMaker(const GpRequest& request, const GpTextOf& text_of, FormulaFaults& faults)
      : request_(request),
        faults_(faults),
        rows_(request.data, request.is_usable, text_of, faults),
        frame_(rows_.frame()) {
    if (request.family != nullptr) reader_.emplace(*request.family);
    frame_.set_files(text_of);
  }

  GpTable make() {
    if (!read_formula()) return std::move(made_);
    if (frame_.used().empty() || !rows_.read(1)) return std::move(made_);
    made_.rows = rows_.kept();
    made_.num_dropped = rows_.num_dropped();
    InputReader reader(frame_, faults_);
    if (reader_)
      made_.outcomes = reader_->read(frame_, made_.rows, faults_);
    else
      made_.problem.y = reader.numbers(*outcome_);
    made_.columns = reader.columns(kernel_.inputs, true);
    made_.problem.mean_columns = reader.mean(made_.has_intercept, made_.mean_terms);
    if (!faults_.empty()) return std::move(made_);
    require_domain(Covariance(kernel_.root, kernel_.parameters), made_.columns, {}, "", faults_);
    if (reader_)
      take_family();
    else
      take_outcome();
    if (!faults_.empty()) return std::move(made_);
    finish();
    return std::move(made_);
  }

 private:
  bool read_formula() {
    const Formula formula = parse_formula(request_.formula, faults_);
    made_.formula = formula.text;
    if (!faults_.empty()) return false;
    if (formula.parts.size() > 1 || !formula.parts[0].left) {
      faults_.add(formula.parts[0].right.place, "a process has one outcome", "y ~ se(x) + noise");
      return false;
    }
    outcome_ = *formula.parts[0].left;
    const bool has_outcome =
        reader_ ? reader_->use(*outcome_, frame_, faults_) : use_columns(*outcome_, frame_);
    if (reader_ && has_outcome) outcome_ = reader_->outcome();
    made_.outcome = outcome_->text();
    const Expression* right = &formula.parts[0].right;
    if (right->is_operation("|")) {
      made_.has_intercept = true;
      read_mean(right->parts[0]);
      right = &right->parts[1];
    }
    kernel_ = read_kernel(*right, frame_, faults_);
    return has_outcome && faults_.empty();
  }
  // 1 + x + log(z), or 0
  void read_mean(const Expression& e) {
    if (e.is_operation("+") && e.parts.size() == 2) {
      read_mean(e.parts[0]);
      read_mean(e.parts[1]);
    } else if (e.kind == Expression::Kind::number) {
      if (e.word != "0" && e.word != "1")
        faults_.add(e.place, "the mean has terms, 1 for an intercept or 0 for none",
                    "y ~ 1 + x | se(x)");
      made_.has_intercept = e.word == "1";
    } else if (use_columns(e, frame_)) {
      made_.mean_terms.push_back(e);
    }
  }

  void take_outcome() {
    const std::vector<double>& y = made_.problem.y;
    const auto n = static_cast<double>(y.size());
    for (const double v : y) made_.outcome_mean += v / n;
    double sum = 0.0;
    for (const double v : y) sum += (v - made_.outcome_mean) * (v - made_.outcome_mean);
    made_.outcome_sd = y.size() > 1 ? std::sqrt(sum / (n - 1.0)) : 0.0;
    if (made_.has_intercept && !(made_.outcome_sd > 1e-14 * std::abs(made_.outcome_mean)))
      faults_.add(outcome_->place, fmt::format("{} is the same in all rows", made_.outcome),
                  "the column needs no model; y ~ 0 | se(x) has no level of its own");
    const Index q = made_.problem.mean_columns.cols;
    if (made_.has_intercept) made_.centre = made_.outcome_mean;
    for (double& v : made_.problem.y) v -= made_.centre;
    if (made_.num_rows() <= q)
      faults_.add_of_table("",
                           fmt::format("{} rows don't determine {} coefficient{} of the mean",
                                       made_.num_rows(), q, q == 1 ? "" : "s"),
                           "y ~ 0 | se(x) has none");
  }

  // Outcomes of a family aren't centred; their processes are.
  void take_family() {
    GpOutcome& outcomes = made_.outcomes;
    for (const OutcomeSite& site : outcomes.sites) made_.problem.y.push_back(site.y);
    const auto n = static_cast<double>(outcomes.sites.size());
    for (const double y : made_.problem.y) made_.outcome_mean += y / n;
    double sum = 0.0;
    for (const double y : made_.problem.y)
      sum += (y - made_.outcome_mean) * (y - made_.outcome_mean);
    made_.outcome_sd = n > 1.0 ? std::sqrt(sum / (n - 1.0)) : 0.0;
    outcomes.has_intercept = made_.has_intercept;
    if (made_.has_intercept) outcomes.centre = made_.centre = centre_of_outcomes(outcomes);
    for (OutcomeSite& site : outcomes.sites) site.offset += outcomes.centre;
    if (kernel_.states_noise && !outcomes.family->is_normal)
      faults_.add(outcome_->place,
                  fmt::format("outcomes of the family {} have no noise", outcomes.family->name),
                  "leave the term noise out; white() is a part of the process");
  }

  void finish() {
    double size = made_.outcome_sd;
    if (!made_.has_intercept) size = std::hypot(made_.outcome_sd, made_.outcome_mean);
    if (reader_ && !request_.family->is_scaled) size = 1.0;
    if (!(size > 0.0)) size = 1.0;
    if (reader_ && request_.family->is_scaled) made_.outcomes.scale = size;
    set_scales(kernel_, made_.columns, size);
    if (reader_)
      add_family_parameters(size);
    else
      add_noise(size);
    made_.problem.covariance = Covariance(kernel_.root, kernel_.parameters);
    made_.problem.x = made_.problem.covariance.points(made_.columns);
    made_.inputs = kernel_.inputs;
  }

  void add_noise(double size) {
    made_.problem.noise = ssize(kernel_.parameters);
    CovarianceParameter noise{
        .name = "sd", .of = "noise", .kind = {.name = "noise", .centre = 0.3}, .scale = size};
    if (request_.noise >= 0.0) noise.is_fixed = true, noise.value = request_.noise;
    kernel_.parameters.push_back(noise);
  }
  void add_family_parameters(double size) {
    const OutcomeFamily& family = *request_.family;
    made_.outcomes.first_parameter = ssize(kernel_.parameters);
    if (family.is_normal) {
      add_noise(size);
      return;
    }
    for (const OutcomeParameter& one : family.parameters)
      kernel_.parameters.push_back(
          {.name = one.name,
           .of = std::string(family.name),
           .kind = {.name = one.name, .centre = one.centre, .spread = one.spread},
           .scale = one.is_in_units ? size : 1.0});
  }

  const GpRequest& request_;
  FormulaFaults& faults_;
  std::optional<OutcomeReader> reader_ = {};
  FormulaRows rows_;
  Frame& frame_;
  std::optional<Expression> outcome_;
  ReadKernel kernel_;
  GpTable made_;
};
}  // namespace

std::vector<std::string> GpTable::mean_names() const {
  std::vector<std::string> names;
  if (has_intercept) names.emplace_back("intercept");
  for (const Expression& term : mean_terms) names.push_back(term.text());
  return names;
}

std::string GpTable::parameter_name(Index p) const {
  const CovarianceParameter& parameter =
      problem.covariance.parameters()[static_cast<std::size_t>(p)];
  return fmt::format("{} of {}", parameter.name, parameter.of);
}

GpTable make_gp_table(const GpRequest& request, const GpTextOf& text_of, FormulaFaults& faults) {
  return GpTableMaker(request, text_of, faults).make();
}

GpPoints read_gp_points(const GpTable& table, const GpRequest& request, const GpTextOf& text_of,
                        FormulaFaults& faults) {
  GpPoints made;
  FormulaRows rows(request.data, request.is_usable, text_of, faults);
  bool is_right = true;
  for (const GpInput& input : table.inputs)
    is_right = (input.is_factor ? rows.frame().use(input.expression, ColumnRole::factor).has_value()
                                : use_columns(input.expression, rows.frame())) &&
               is_right;
  for (const Expression& term : table.mean_terms)
    is_right = use_columns(term, rows.frame()) && is_right;
  if (!is_right || !faults.empty() || !rows.read(1)) return made;
  InputReader reader(rows.frame(), faults);
  std::vector<GpInput> inputs = table.inputs;
  made.columns = reader.columns(inputs, false);
  made.mean_columns = reader.mean(table.has_intercept, table.mean_terms);
  made.rows = rows.kept();
  made.num_dropped = rows.num_dropped();
  if (faults.empty())
    require_domain(table.problem.covariance, made.columns, made.rows,
                   request.data.files.empty() ? "" : request.data.files.front(), faults);
  return made;
}

void collect_names(const Expression& e, std::set<std::string>& names) {
  if (e.kind == Expression::Kind::name) names.insert(e.word);
  for (const Expression& part : e.parts) collect_names(part, names);
}

namespace {
// Inputs that are one column plus a number each: x and x - 1949. Their differences from the first; empty: there are other inputs.
std::optional<std::vector<double>> shifts_of_inputs(const GpTable& table) {
  std::vector<double> shifts;
  std::set<std::string> names;
  for (std::size_t c = 0; c < table.inputs.size(); ++c) {
    const GpInput& input = table.inputs[c];
    collect_names(input.expression, names);
    if (input.is_factor || names.size() != 1) return std::nullopt;
    const std::vector<double>&x = table.columns[c], &first = table.columns[0];
    shifts.push_back(x[0] - first[0]);
    const auto [low, high] = std::ranges::minmax(first);
    const double size = std::max(std::abs(low), std::abs(high)) + std::abs(shifts.back());
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::abs(x[i] - first[i] - shifts.back()) > 1e-12 * size) return std::nullopt;
  }
  return shifts.empty() ? std::nullopt : std::optional(shifts);
}
}  // namespace

GpPoints points_ahead(const GpTable& table, Index count) {
  const bool is_own_mean = std::ranges::all_of(table.mean_terms, [&](const Expression& term) {
    return !table.inputs.empty() && term.text() == table.inputs[0].name();
  });
  const std::optional<std::vector<double>> shifts = shifts_of_inputs(table);
  if (!shifts || !is_own_mean)
    throw Error(ErrorCode::usage, "points ahead continue one input", "--ahead",
                "--predict TABLE.csv has the inputs of the points");
  std::vector<double> x = table.columns[0], gaps;
  std::ranges::sort(x);
  for (std::size_t k = 1; k < x.size(); ++k)
    if (x[k] > x[k - 1]) gaps.push_back(x[k] - x[k - 1]);
  if (gaps.empty())
    throw Error(ErrorCode::data, "all inputs are equal", "--ahead",
                "--predict TABLE.csv has the inputs of the points");
  std::ranges::nth_element(gaps, gaps.begin() + ssize(gaps) / 2);
  const double step = gaps[gaps.size() / 2];
  GpPoints made{.columns = std::vector<std::vector<double>>(table.inputs.size()),
                .mean_columns = numerics::DenseMatrix(count, table.problem.mean_columns.cols)};
  std::ranges::fill(made.mean_columns.values, 1.0);
  for (Index k = 0; k < count; ++k) {
    for (std::size_t c = 0; c < shifts->size(); ++c)
      made.columns[c].push_back(x.back() + step * static_cast<double>(k + 1) + (*shifts)[c]);
    for (Index c = table.has_intercept ? 1 : 0; c < made.mean_columns.cols; ++c)
      made.mean_columns(k, c) = made.columns[0].back();
  }
  return made;
}

}  // namespace credo::models
