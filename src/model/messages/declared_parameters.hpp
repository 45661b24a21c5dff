// The declared parameters of a program as inputs of its log density: no transforms, no Jacobian terms.
#pragma once
#include "graph/moments/moment_walk.hpp"
#include "lang/trace/constraints.hpp"
#include "model/program_parts.hpp"

namespace credo::model {

//   real, positive (lower=0), unit (0 to 1), simplex, matrix (cov_matrix), whole (a discrete parameter), other (no family has it)
enum class DeclaredKind : std::uint8_t { real, positive, unit, simplex, matrix, whole, other };

// One declared parameter, or one leaf of a tuple. Its values lie together, arrays by rows, matrices by columns.
struct DeclaredParameter {
  std::string name;
  DeclaredKind kind = DeclaredKind::real;
  Index first = 0, size = 0;  // among the declared values
  Index unit = 1;             // length of a simplex, side of a matrix
  std::int32_t statement = 0;
  std::string refusal = {}, hint = {};  // reason of kind `other`
  std::vector<std::string> elements = {};
  lang::ConstraintPlan plan = {};
  std::int32_t lower = 0, upper = 0;  // range of whole numbers

  Index num_units() const {
    return kind == DeclaredKind::matrix ? size / (unit * unit) : size / unit;
  }
};

class DeclaredParameters {
 public:
  DeclaredParameters(const ProgramData& data, const Parameters& parameters);

  const std::vector<DeclaredParameter>& all() const { return all_; }
  Index size() const { return size_; }  // values, whole numbers last
  Index num_continuous() const { return num_continuous_; }
  std::vector<graph::CoordinateGroup> groups() const;

  void drop_whole();  // the discrete parameters have been summed out

  // Sets the parameters of a machine to the elements of `values`.
  void set(lang::Machine& machine, const graph::Expr& values) const;
  // Declared values at unconstrained ones.
  std::vector<double> at(std::span<const double> free) const;
  // The way back; returns the log Jacobian. Infinite on the edge of the support.
  double place(std::span<const double> values, std::span<double> free) const;

 private:
  const Parameters& parameters_;
  std::vector<DeclaredParameter> all_;
  Index size_ = 0, num_continuous_ = 0;
};

}  // namespace credo::model
