// Values of nodes as sums of products of atoms (moment_terms.hpp), beside concave bounds of them: log_sum_exp of values is a function of
// their expectations.
#pragma once
#include "graph/core/op.hpp"
#include "graph/moments/moment_terms.hpp"

namespace credo::graph {

struct MomentValue;

// The lower factor L of a matrix of coordinates X = L L', and what densities make of it.
struct MatrixRoot {
  //   factor        L                  diagonal      its diagonal      log_diagonal  their logarithms
  //   residuals     L' r, L^-1 r, or B L; squares: squares of their elements
  enum class Form : std::uint8_t { factor, diagonal, log_diagonal, residuals, squares };
  Form form = Form::factor;
  std::int32_t group = 0, first = 0;  // the first coordinate of X
  Index side = 0;
  double scale = 1.0;                              // L L' is the matrix times this number
  bool is_inverse = false;                         // L^-1 r
  bool is_solved = false;                          // B L, with a constant B, side x side
  std::shared_ptr<const MomentValue> residuals{};  // r, side x columns, or B
};

// log Σ exp of alternatives, one for each row, times weights; or the sum of these over rows. Those that differ in coefficients alone become one
// operation on vectors.
struct LogSum {
  std::vector<MomentSum> alternatives;
  Index rows = 1;
  std::vector<double> weights{1.0};  // a single one serves all rows
  bool is_total = false;             // a scalar, the sum over the rows
};

struct MomentValue {
  Shape shape;
  MomentSum sum = {};
  Expr bound = {};  // one number or one for each element, of expectations; empty: none
  std::vector<MomentValue> elements = {};  // if there are any, the value is these scalars
  std::shared_ptr<const MatrixRoot> root = {};
  std::vector<LogSum> log_sums = {};  // further summands

  Index size() const { return shape.size(); }
  bool is_list() const { return !elements.empty(); }
  bool has_bound() const { return !bound.empty() || !log_sums.empty(); }
  bool is_plain() const { return !is_list() && !has_bound() && root == nullptr; }
  std::optional<std::vector<double>> constant() const;
};
MomentValue constant_value(Shape shape, std::vector<double> values);
MomentValue with_shape(MomentValue value, Shape shape);

// Expectations of terms, and logs of sums of exponentials of them.
class Expectations {
 public:
  virtual ~Expectations() = default;
  virtual Expr of(const MomentTerm& term) = 0;  // one number, or one for each element
  // Replaces log_sum_exp by weighted sums, whose expectation is exact: to test the others.
  bool is_linear = false;
  // Replaces the logs of sums of exponentials of `alternatives`, one number or one for each row, by other numbers; empty: they stay.
  virtual Expr replaced(std::span<const Expr> /*alternatives*/, Index /*rows*/) { return {}; }
  // The rows that count, with their weight; empty: all.
  struct Batch {
    std::vector<std::int32_t> rows;
    double weight = 1.0;
  };
  virtual Batch batch_of(Index /*rows*/) { return {}; }
  bool has_nested = false;  // set: an alternative contains log_sum_exp itself
};
// Size of the value; a list becomes a container.
Expr expectation_of(const MomentValue& value, Expectations& expectations);

// A scalar of which alike terms and rows are joined, so that several expectations of it are cheap.
MomentValue compacted(const MomentValue& value);

// Arithmetic; throws NoMoments.
MomentValue plus(const MomentValue& a, const MomentValue& b);
MomentValue scaled_by(const MomentValue& a, std::span<const double> by);
MomentValue product_of(const MomentValue& a, const MomentValue& b);
MomentValue elements_of(const MomentValue& a, std::span<const std::int32_t> index, Shape shape);
MomentValue total_of(const MomentValue& a);

MomentValue log_determinant(const MatrixRoot& root, std::int32_t statement);  // half of log |X|
// r' X r or r' X^-1 r of each column r, or their sum over columns; the trace of B X B' is a sum, too.
enum class FormOf { columns, all };
MomentValue quadratic_forms(const MatrixRoot& root, FormOf which, std::int32_t statement);

struct MomentCall {
  const Node& node;
  const Attributes* attributes = nullptr;
  std::span<const MomentValue* const> in;
  Expectations& expectations;
};
struct MomentRule {
  std::string_view op;
  MomentValue (*apply)(const MomentCall&);
  bool is_polynomial = false;  // sums and products, which indicators of whole numbers take, too
};
std::span<const MomentRule> moment_rules();         // arithmetic, functions, sums and moves
std::span<const MomentRule> matrix_moment_rules();  // products and factors of matrices
const MomentRule* find_moment_rule(std::string_view op);

}  // namespace credo::graph
