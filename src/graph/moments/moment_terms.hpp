// Sums of products of functions of coordinates: the form in which a log density has an expectation that is a function of expectations
// alone. docs/design/messages.md.
//
// A coordinate is one element of the graph's input; a group is the coordinates of one declared parameter. A factor is a function of one
// group, element by element: an atom (a power, a logarithm, ...) of the coordinates `at`, or weighted sums of atoms. A term is a
// coefficient times factors.
#pragma once
#include <memory>

#include "graph/core/expr.hpp"

namespace credo::graph {

//   power      x^power
//   log, log1m log x, log(1 - x)
//   pair       x[a] x[b] of real coordinates: `at` holds pairs, the factor is their weighted sum
//   log_det    log |X| of the matrix that begins at the coordinate
//   inverse    an element of X^-1, at the coordinate of that element of X
//   one_hot    1 if the whole number at the coordinate is `power`, else 0
enum class AtomKind : std::uint8_t { power, log, log1m, pair, log_det, inverse, one_hot };
struct Atom {
  AtomKind kind = AtomKind::power;
  double power = 1.0;
  auto operator<=>(const Atom&) const = default;
};

using Coordinates = std::shared_ptr<const std::vector<std::int32_t>>;
using FactorWeights = std::shared_ptr<const std::vector<double>>;
Coordinates coordinates_of(std::vector<std::int32_t> at);

inline constexpr std::int32_t kNoGroup = -1;  // pairs may join coordinates of two groups

struct MomentFactor {
  std::int32_t group = kNoGroup;
  Atom atom = {};
  Coordinates at = {};  // coordinates of the elements; a single one serves all
  FactorWeights weights =
      {};  // null; else rows x columns, by columns: element i is the sum of weights[i, c] atom(column c)
  Index rows = 1;

  Index columns() const { return ssize(*at) / (atom.kind == AtomKind::pair ? 2 : 1); }
  Index size() const { return weights != nullptr ? rows : ssize(*at); }
  std::int32_t coordinate(Index i) const {
    return (*at)[at->size() == 1 ? 0 : static_cast<std::size_t>(i)];
  }
};
bool is_same(const MomentFactor& a, const MomentFactor& b);

struct MomentTerm {
  std::vector<double> coefficient{1.0};  // a single one serves all elements
  std::vector<MomentFactor> factors = {};
  bool is_summed = false;      // the term is a scalar, the sum of the elements
  std::int32_t statement = 0;  // of the last node that it went through

  Index num_elements() const;  // before they are summed
  Index size() const { return is_summed ? 1 : num_elements(); }
  bool is_constant() const { return factors.empty(); }
};

// Terms with equal factors are one term.
class MomentSum {
 public:
  MomentSum() = default;
  MomentSum(MomentTerm term) { add(std::move(term)); }  // NOLINT: implicit

  void add(MomentTerm term);
  void add(const MomentSum& other);
  const std::vector<MomentTerm>& terms() const { return terms_; }
  bool empty() const { return terms_.empty(); }         // the sum is 0
  std::optional<std::vector<double>> constant() const;  // one number, or one for each element
  void set_statement(std::int32_t statement);

 private:
  MomentTerm* like(const MomentTerm& term);  // with the same factors; null: none
  std::vector<MomentTerm> terms_;
  std::unordered_multimap<std::size_t, std::size_t>
      index_;  // by hash of the factors, for long sums
};

// Thrown where a sum or product has no such form; `reason` is a clause without a subject.
struct NoMoments {
  std::string reason, hint = {};
  std::int32_t statement = 0;  // 0: that of the node on the way
};

std::vector<double> times(std::span<const double> a, std::span<const double> b);
MomentSum product(const MomentSum& a, const MomentSum& b);
MomentSum scaled(const MomentSum& a, std::span<const double> by);
MomentSum elements_of(const MomentSum& a, std::span<const std::int32_t> index);  // a[index[i]]
MomentSum total(const MomentSum& a, Index size);  // over `size` elements; a scalar is repeated
// A scalar without weighted sums: their summands are terms. The sum as it is if there would be more than `most` terms.
MomentSum expanded(const MomentSum& a, std::size_t most);
// matrix (rows x columns, by columns) times the vector.
MomentSum product(std::span<const double> matrix, Index rows, const MomentSum& a);
// A function of whole numbers as terms of which exactly one isn't 0 at any values: its coefficient is the function's value. Throws NoMoments
// for others.
MomentSum split_by_states(const MomentSum& a);
// The only term without coefficient 0, of powers alone; throws NoMoments, for which `function` is the reason.
MomentSum power_of(const MomentSum& a, double exponent);
MomentSum log_of(const MomentSum& a);
MomentSum exp_of(const MomentSum& a);

}  // namespace credo::graph
