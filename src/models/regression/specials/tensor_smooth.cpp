// t2(x, z): tensor product smooths as random effects [wood2013, doi 10.1007/s11222-012-9314-z]. The functions of each column are 1, a line
// and deviations from it; their products have one standard deviation where x deviates, where z does, and where both do. The span is
// that of mgcv's t2(); the lines are those through the mean, with sd 1 at the rows.
#include <fmt/format.h>

#include "models/regression/smooths/smooth_block.hpp"
#include "models/regression/smooths/smooth_call.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr Index kDefaultSize = 5, kLeastSize = 3;

SmoothCall read_tensor(const Expression& call, Frame& frame) {
  SmoothCall read = read_smooth_call(call, {"k", "bs"}, frame);
  if (read.option("bs") == nullptr) read.kind = "cr";
  if (read.k == 0) read.k = kDefaultSize;
  return read;
}

bool use(const Expression& call, Frame& frame) {
  const std::size_t before = frame.faults().size();
  const SmoothCall read = read_tensor(call, frame);
  if (frame.faults().size() > before) return false;
  if (read.columns.size() != 2)
    frame.faults().add(call.place, "t2() is of two columns", "t2(x, z), t2(x, z, k = 6)");
  if (read.kind != "cr" && read.kind != "ps" && read.kind != "tp")
    frame.faults().add(read.option("bs")->place,
                       fmt::format("t2() has no smooths {} of its columns", read.kind),
                       "there are cr, ps and tp");
  const SmoothKind* const kind = find_smooth_kind(read.kind);
  const Index least = kind == nullptr ? kLeastSize : std::max(kLeastSize, kind->least);
  if (read.k < least)
    frame.faults().add(read.option("k")->place,
                       fmt::format("each column has {} functions or more", least));
  if (frame.faults().size() > before) return false;
  bool is_right = true;
  for (const Expression* column : read.columns)
    is_right = use_smooth_column(*column, false, frame) && is_right;
  return is_right;
}

// Products of columns, row by row; the columns of a vary fastest, as in the program's function column_products.
DenseMatrix products_of(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix made(a.rows, a.cols * b.cols);
  for (Index j = 0; j < b.cols; ++j)
    for (Index i = 0; i < a.cols; ++i)
      for (Index n = 0; n < a.rows; ++n) made(n, j * a.cols + i) = a(n, i) * b(n, j);
  return made;
}

// One column: its functions in the program and at the rows.
struct Margin {
  UsedColumn used;
  std::vector<double> line = {};           // sd 1, mean 0
  DenseMatrix straight = {}, curved = {};  // 1 and the line, deviations from it
  std::string line_text = {}, straight_text = {}, curved_text = {};
};

class TensorMaker {
 public:
  TensorMaker(const SmoothCall& read, SpecialContext& context)
      : read_(read), context_(context), own_{.context = context} {}

  std::optional<SpecialBlock> make() {
    own_.block.text = read_.text();
    std::vector<UsedColumn> columns;
    for (const Expression* column : read_.columns) {
      columns.push_back(*context_.frame.use(*column, ColumnRole::number));
      if (!check(*column, columns.back())) return std::nullopt;
    }
    own_.name = columns[0].name + "_" + columns[1].name;
    const Margin x = margin_of(columns[0]), z = margin_of(columns[1]);
    std::vector<std::string> parts{line(x), line(z), product_of_lines(x, z)};
    parts.push_back(deviations(x.used.column, products_of(x.curved, z.straight),
                               fmt::format("{}, {}", x.curved_text, z.straight_text)));
    parts.push_back(deviations(z.used.column, products_of(x.straight, z.curved),
                               fmt::format("{}, {}", x.straight_text, z.curved_text)));
    parts.push_back(deviations(x.used.column + ":" + z.used.column,
                               products_of(x.curved, z.curved),
                               fmt::format("{}, {}", x.curved_text, z.curved_text)));
    own_.block.predictor = fmt::format("{}", fmt::join(parts, " + "));
    use_function(context_.parts, "column_products");
    own_.block.words = fmt::format("products of two smooths ({}), {} functions",
                                   find_smooth_kind(read_.kind)->words, read_.k * read_.k - 1);
    return std::move(own_.block);
  }

 private:
  bool check(const Expression& e, const UsedColumn& used) {
    const std::vector<double> values = context_.frame.numbers(used.name);
    const std::set<double> different(values.begin(), values.end());
    const auto fail = [&](const std::string& words, const std::string& hint) {
      context_.frame.faults().add(e.place, words, hint);
      return false;
    };
    if (ssize(different) < read_.k)
      return fail(fmt::format("{} has {} different values, and {} functions of it are requested",
                              used.column, different.size(), read_.k),
                  different.size() >= kLeastSize ? fmt::format("k = {}", different.size())
                                                 : "leave the term out");
    if (!context_.slopes.insert(used.column).second)
      return fail(fmt::format("{} has a coefficient already, and {} has one for it, too",
                              used.column, own_.block.text),
                  "leave it out of the other terms");
    own_.block.ranges.push_back({.column = used.name,
                                 .first = *different.begin(),
                                 .last = *different.rbegin(),
                                 .is_needed = false});
    return true;
  }

  Margin margin_of(const UsedColumn& used) {
    Margin made{.used = used};
    made.line = context_.frame.numbers(used.name);
    const SmoothBasis basis = find_smooth_kind(read_.kind)->make({made.line}, read_.k);
    const SmoothMap map = smooth_map(basis, true);
    const double mean = sample_mean(made.line), sd = sample_sd(made.line);
    const std::string centre = own_.constant({.name = "mean", .values = {mean}}),
                      scale = own_.constant({.name = "sd_of", .values = {sd}}),
                      centred = fmt::format("({} - {})", used.name, centre);
    for (double& v : made.line) v = (v - mean) / sd;
    made.straight = DenseMatrix(map.columns.rows, 2);
    for (Index n = 0; n < map.columns.rows; ++n) {
      made.straight(n, 0) = 1.0;
      made.straight(n, 1) = made.line[static_cast<std::size_t>(n)];
    }
    made.curved = map.columns;
    made.line_text = fmt::format("{} / {}", centred, scale);
    made.straight_text = fmt::format("append_col(rep_vector(1, N), {})", made.line_text);
    const std::string inputs =
        basis.inputs == "{centred}" ? fmt::format("to_matrix{}", centred) : used.name;
    made.curved_text = own_.matrix("S", map.map.cols, own_.call(basis, map.map, inputs));
    return made;
  }

  std::string line(const Margin& margin) {
    const std::string slope = own_.take("slope");
    own_.block.parameters.push_back("real " + slope);
    own_.add_slope(fmt::format("slope({}, {})", own_.label(), margin.used.column), slope,
                   sample_sd(context_.frame.numbers(margin.used.name)));
    // In the unit of the column, as slopes of other terms.
    return fmt::format("{} * {}", slope, margin.line_text.substr(0, margin.line_text.find(" / ")));
  }
  std::string product_of_lines(const Margin& x, const Margin& z) {
    std::vector<double> product;
    for (std::size_t n = 0; n < x.line.size(); ++n) product.push_back(x.line[n] * z.line[n]);
    const std::string slope = own_.take("product"),
                      mean = own_.constant({.name = "mean_product",
                                            .values = {sample_mean(product)},
                                            .comment = "of standardised columns"});
    own_.block.parameters.push_back("real " + slope);
    own_.add_slope(
        fmt::format("slope({}, {}:{})", own_.label(), x.used.column, z.used.column), slope,
        sample_sd(product));
    return fmt::format("{} * (({}) .* ({}) - {})", slope, x.line_text, z.line_text, mean);
  }

  // Columns less their means, with one standard deviation: the mean square of a function with standard normal coefficients is 1.
  std::string deviations(const std::string& of, const DenseMatrix& columns,
                         const std::string& factors) {
    ProgramConstant means{.name = "means", .dims = {columns.cols}};
    double square = 0.0;
    for (Index j = 0; j < columns.cols; ++j) {
      double sum = 0.0;
      for (Index n = 0; n < columns.rows; ++n) sum += columns(n, j);
      const double mean = sum / static_cast<double>(columns.rows);
      means.values.push_back(mean);
      for (Index n = 0; n < columns.rows; ++n)
        square += (columns(n, j) - mean) * (columns(n, j) - mean);
    }
    const double size = std::sqrt(square / static_cast<double>(columns.rows));
    const std::string centre = own_.constant(std::move(means)),
                      scale = own_.constant({.name = "size", .values = {size}}),
                      matrix = own_.matrix(
                          "T", columns.cols,
                          fmt::format("(column_products({}) - rep_matrix({}', N)) / {}", factors,
                                      centre, scale)),
                      sd = own_.take("sd"), z = own_.take("z");
    own_.block.parameters.push_back(fmt::format("real<lower=0> {}", sd));
    own_.block.parameters.push_back(fmt::format("vector[{}] {}", columns.cols, z));
    own_.block.statements.push_back(fmt::format("{} ~ std_normal()", z));
    own_.add_sd(fmt::format("{}, {}", own_.label(), of), sd);
    return fmt::format("{} * ({} * {})", matrix, sd, z);
  }

  const SmoothCall& read_;
  SpecialContext& context_;
  SmoothBlock own_;
};

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const SmoothCall read = read_tensor(call, context.frame);
  return TensorMaker(read, context).make();
}
}  // namespace

extern const SpecialRow tensor_smooth_special{.name = "t2",
                                              .words = "a tensor product smooth",
                                              .usage = "t2(x, z), t2(x, z, k = 6, bs = \"ps\")",
                                              .use = use,
                                              .make = make};
}  // namespace credo::models
