// Rows left out one by one: by weights of the draws, by draws that are moved, and by fits without a row.
#include "cli/fit/loo_scheme.hpp"
#include "model/model.hpp"
#include "results/loo/folds.hpp"
#include "results/loo/loo_improve.hpp"

namespace credo::cli {
namespace {

class LeaveRows final : public LooScheme {
 public:
  void describe(Arguments& arguments, const std::string& alone) override {
    arguments.option("--r-eff", r_eff_,
                     "effective draws over draws of the likelihoods; 0: by their autocorrelations",
                     from_to(0, 10));
    arguments.flag("--moment-match", matches_,
                   "move the draws to where a row is left out, where Pareto k is too large",
                   needing(alone));
    arguments.option(
        "--refit", refit_,
        "fit without a row: bad: where Pareto k is above the limit, or below it by less than "
        "two of its standard errors; all: each row",
        needing(alone, one_of({"none", "bad", "all"})));
  }
  bool is_chosen() const override { return matches_ || refit_ != "none"; }

  LooAnswer answer(const LooQuestion& question) const override {
    if (is_chosen()) program_of(question);
    Loo loo = loo_of(question.fit, question.model, {.r_eff = r_eff_ > 0.0 ? r_eff_ : kNaN});
    const std::vector<RowPlace> places = places_of(question, loo.point, loo.rows.size());
    if (matches_) match_unreliable_rows(loo, question.fit, question.model);
    const RowKind kind = kind_of_rows(question.model);
    if (refit_ == "none") return answer_of(LooReport{loo, kind, places});
    const std::vector<Fold> folds =
        single_folds(refit_ == "bad" ? loo.doubtful() : counted_rows(ssize(loo.rows)));
    const std::vector<Refit> refits = fit_without(question, folds, loo.point);
    take_refits(loo, folds, refits);
    return answer_of(LooReport{loo, kind, places, folds, refits});
  }

 private:
  static std::vector<Index> counted_rows(Index count) {
    std::vector<Index> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }

  double r_eff_ = 0.0;
  bool matches_ = false;
  std::string refit_ = "none";
};
}  // namespace

extern const LooSchemeRow rows_scheme{.name = "rows",
                                      .chosen_by = "",
                                      .group = "Rows one by one",
                                      .example = "--refit all",
                                      .make = make_chosen<LooScheme, LeaveRows>};

}  // namespace credo::cli
