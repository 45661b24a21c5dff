// Results of credo loo on rows left out, as text and as arrays.
#pragma once
#include "cli/results.hpp"
#include "results/arrays/arrays.hpp"
#include "results/files/data_digest.hpp"
#include "results/loo/leave_future_out.hpp"
#include "results/loo/loo.hpp"
#include "results/loo/refit.hpp"

namespace credo::cli {

// The statement that adds a row, and the row's number in it, from 1; 0 for rows of log_lik, whose statement
// isn't known.
struct RowPlace {
  std::string where;
  Index number = 0;
};
// Kind of the rows: elements of log_lik or statements, a sentence on this choice if there is one, and the rows' data.
struct RowKind {
  bool are_own = false;   // elements of log_lik
  bool can_refit = true;  // false: a ready-made model, which isn't fitted without a row
  std::string sentence = {};
  std::vector<results::DataDigest> data = {};
};
RowKind kind_of_rows(const density::Model& model);

struct LooQuestion;
// The place of each row. Rows of a ready-made model are those of its data, by their name.
std::vector<RowPlace> places_of(const LooQuestion& question, std::span<const double> point,
                                std::size_t num_rows);

// Rows by the draws at hand. `refits`: refits without one of the rows, in the order of `folds`.
struct LooReport {
  const Loo& loo;
  const RowKind& kind;
  std::span<const RowPlace> places;
  std::span<const Fold> folds = {};
  std::span<const Refit> refits = {};
};
std::string text_of(const LooReport& report);
// Group rows, by row: elpd_loo, mcse, ...; attributes: the totals and their standard errors.
results::ArrayList arrays_of(const LooReport& report);

// Rows by folds, each row in one of them.
struct FoldReport {
  const RowKind& kind;
  std::span<const RowPlace> places;
  std::span<const Fold> folds;
  std::span<const Refit> refits;
};
std::string text_of(const FoldReport& report);
// Group rows, by row: fold, elpd, mcse; group folds, by fold.
results::ArrayList arrays_of(const FoldReport& report);

struct FutureReport {
  const RowKind& kind;
  std::span<const FutureStep> steps;
  Index ahead = 1;
  double k_limit = kNaN;
};
std::string text_of(const FutureReport& report);
// Group steps, by step: time, fitted, elpd, ...
results::ArrayList arrays_of(const FutureReport& report);

}  // namespace credo::cli
