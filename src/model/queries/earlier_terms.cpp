#include "model/queries/earlier_terms.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/core/op.hpp"
#include "model/queries/term_split.hpp"
#include "model/statements/statements.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::model {
using density::EarlierPosterior;
using graph::Expr;
using lang::Term;

namespace {
constexpr double kLogRootOfTwoPi = 0.91893853320467274178;
constexpr const char* kDeclareApart =
    "declare the new values as parameters of their own, whose priors name the earlier ones at "
    "most as arguments";

// -½ |L⁻¹ r|² and -log |L|, L Lᵀ = Σ.
Expr by_covariance(const EarlierPosterior& earlier, const Expr& off) {
  const Index n = earlier.dimension();
  const numerics::RowMatrix factor =
      numerics::lower_factor(numerics::RowMatrix(n, n, earlier.covariance));
  std::vector<double> columns(earlier.covariance.size(), 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) columns[static_cast<std::size_t>(i + j * n)] = factor(i, j);
  const Expr z =
      graph::solve_lower(graph::constant(graph::matrix_shape(n, n), columns), off, false);
  return -0.5 * graph::dot(z, z) - 0.5 * numerics::log_determinant_of_factor(factor);
}

// With w = r / s and C = K^-½ Bᵀ S⁻¹, K = I + Bᵀ S⁻² B: rᵀ Σ⁻¹ r = |w|² - |C w|², and |Σ| = |S²| |K|.
Expr by_low_rank(const EarlierPosterior& earlier, const Expr& off) {
  const Index n = earlier.dimension(), rank = earlier.rank();
  std::vector<double> inverse;
  double log_root = 0.0;
  for (const double s : earlier.scales) inverse.push_back(1.0 / s), log_root += std::log(s);
  const Expr w = off * graph::constant(graph::vector_shape(n), inverse);
  if (rank == 0) return -0.5 * graph::dot(w, w) - log_root;
  numerics::DenseMatrix scaled(n, rank, earlier.loadings);
  numerics::RowMatrix k = numerics::diagonal_matrix(rank, 1.0);
  for (Index a = 0; a < rank; ++a) {
    for (Index i = 0; i < n; ++i) scaled(i, a) *= inverse[static_cast<std::size_t>(i)];
    for (Index b = 0; b <= a; ++b)
      for (Index i = 0; i < n; ++i) {
        k(a, b) += scaled(i, a) * scaled(i, b);
        if (a != b) k(b, a) = k(a, b);
      }
  }
  const numerics::RowMatrix factor = numerics::lower_factor(k);
  std::vector<double> c(scaled.values.size()), column(static_cast<std::size_t>(rank));
  for (Index i = 0; i < n; ++i) {  // column i of C
    for (Index a = 0; a < rank; ++a) column[static_cast<std::size_t>(a)] = scaled(i, a);
    numerics::solve_factor(factor, column);
    for (Index a = 0; a < rank; ++a)
      c[static_cast<std::size_t>(a + i * rank)] = column[static_cast<std::size_t>(a)];
  }
  const Expr u = graph::matmul(graph::constant(graph::matrix_shape(rank, n), c), w);
  return 0.5 * (graph::dot(u, u) - graph::dot(w, w)) - log_root -
         0.5 * numerics::log_determinant_of_factor(factor);
}
}  // namespace

std::vector<std::int32_t> places_of(const EarlierPosterior& earlier, const density::Layout& free) {
  std::vector<std::int32_t> places;
  for (const std::string& name : earlier.names) {
    const auto place = free.find(name);
    if (!place)
      throw Error(ErrorCode::usage,
                  fmt::format("the program has no unconstrained value '{}' of the earlier result",
                              density::bracketed_name(name)),
                  "--after",
                  "the parameters of an earlier posterior must be parameters of the program");
    places.push_back(static_cast<std::int32_t>(*place));
  }
  return places;
}

Expr log_density_of(const EarlierPosterior& earlier, std::span<const std::int32_t> places,
                    const Expr& free) {
  const Index n = earlier.dimension();
  const Expr x =
      graph::gather(graph::vector_shape(n), free, std::vector(places.begin(), places.end()));
  const Expr off = x - graph::constant(graph::vector_shape(n), earlier.mean);
  const Expr log_kernel =
      earlier.covariance.empty() ? by_low_rank(earlier, off) : by_covariance(earlier, off);
  return log_kernel - static_cast<double>(n) * kLogRootOfTwoPi;
}

// ---- the prior of new values

EarlierTerms::EarlierTerms(const EarlierPosterior& earlier, const ProgramParts& parts,
                           const graph::Graph& graph, graph::NodeId input)
    : source_(parts.data.source()),
      free_(parts.parameters.free()),
      is_old_(static_cast<std::size_t>(free_.size()), 0) {
  for (const std::int32_t place : places_of(earlier, free_))
    is_old_[static_cast<std::size_t>(place)] = 1;
  if (has_new()) depends_.emplace(graph, input, 0, is_old_.size());
}

void EarlierTerms::refuse(const Term& term, const std::string& reason) const {
  throw Error(ErrorCode::program, reason, source_.where(term.statement), kDeclareApart);
}

// Kinds of values from `first` to `end` that an expression depends on; -1: to the last.
EarlierTerms::Seen EarlierTerms::seen_in(graph::Ref ref, Index first, Index end) {
  depends_->extend();
  Seen seen;
  for (const std::int32_t place : depends_->sites(depends_->of(ref))) {
    if (place < first || (end >= 0 && place >= end)) continue;
    (is_old_[static_cast<std::size_t>(place)] != 0 ? seen.has_old : seen.has_new) = true;
  }
  return seen;
}

// The values of the parameter of which the term's statement is a density.
void EarlierTerms::find_outcome(const Term& term) {
  const lang::typed::Variable* found = nullptr;
  for (const ModelStatement& entry : model_statements(source_.program)) {
    if (entry.statement != term.statement) continue;
    const bool is_parameter = entry.outcome.source == OutcomeSource::parameter;
    if (!is_parameter || (found != nullptr && found != entry.outcome.variable))
      refuse(term,
             "a term of the prior concerns earlier and new values, and isn't the density of "
             "a parameter");
    found = entry.outcome.variable;
  }
  const auto variable = found == nullptr ? std::nullopt : free_.find_variable(found->name);
  if (!variable)
    refuse(term,
           "a term of the prior concerns earlier and new values, and isn't the density of "
           "a parameter");
  outcome_first_ = free_.first(*variable);
  outcome_end_ = outcome_first_ + free_.variables()[static_cast<std::size_t>(*variable)].size();
}

// The rows of a term whose outcomes are new.
Term EarlierTerms::new_rows(const Term& term) {
  find_outcome(term);
  const Expr rows = term.rows.empty() ? term.value + term.dropped : term.rows;
  std::vector<std::int32_t> kept;
  for (Index i = 0; i < rows.size(); ++i) {
    const Expr row = rows.is_scalar() ? rows : rows.element(i);
    if (row.is_constant() || !seen_in(row.ref()).has_new) continue;
    const Seen outcome = seen_in(row.ref(), outcome_first_, outcome_end_);
    if (!outcome.has_new)
      refuse(term, "the prior of earlier values depends on new ones, which would count it twice");
    if (outcome.has_old)
      refuse(term, "a prior is the joint density of earlier and new values of one parameter");
    kept.push_back(static_cast<std::int32_t>(i));
  }
  Term part = term;
  part.dropped = 0.0;
  part.varying = {};
  part.rows = rows.is_scalar() ? rows : graph::gather(graph::vector_shape(ssize(kept)), rows, kept);
  part.value = rows.is_scalar() ? rows : graph::sum(part.rows);
  return part;
}

std::optional<Term> EarlierTerms::of_new(const Term& term) {
  if (!depends_ || term.value.is_constant()) return std::nullopt;
  const Seen seen = seen_in(term.value.ref());
  if (!seen.has_new) return std::nullopt;
  if (!seen.has_old) return term;
  if (is_jacobian(term))
    refuse(term, "the constraint of a parameter concerns earlier and new values");
  return new_rows(term);
}

}  // namespace credo::model
