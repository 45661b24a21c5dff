// Folds of rows, each predicted by a fit of the others: at random, spread over values of a variable, or one for each value.
#include <fmt/format.h>

#include "cli/fit/loo_scheme.hpp"
#include "model/model.hpp"
#include "results/loo/folds.hpp"

namespace credo::cli {
namespace {

class LeaveFolds final : public LooScheme {
 public:
  void describe(Arguments& arguments, const std::string& /*alone*/) override {
    arguments.option("--folds", num_folds_,
                     "folds of rows, at random; each is predicted by a fit of the others",
                     needing("!--fold-by", at_least(0)));
    arguments.option("--stratify", stratify_,
                     "a variable of the data, whole numbers: each of its values is spread over the "
                     "folds",
                     needing("--folds"));
    arguments.option("--fold-by", fold_by_,
                     "a variable of the data, whole numbers: a fold for each of its values");
  }
  bool is_chosen() const override { return num_folds_ > 0 || !fold_by_.empty(); }

  LooAnswer answer(const LooQuestion& question) const override {
    const std::vector<double> point = point_of(question);
    const std::vector<Fold> folds = folds_of(question, point);
    std::size_t num_rows = 0;
    for (const Fold& fold : folds) num_rows += fold.without.size();
    const std::vector<RowPlace> places = places_of(question, point, num_rows);
    const std::vector<Refit> refits = fit_without(question, folds, point);
    for (std::size_t k = 0; k < refits.size(); ++k)
      if (!refits[k].failure.empty())
        throw Error(ErrorCode::evaluation,
                    fmt::format("fold {} couldn't be fitted: {}", k + 1, refits[k].failure),
                    question.fit.origin().source, "take fewer rows out at a time: more --folds");
    return answer_of(FoldReport{kind_of_rows(question.model), places, folds, refits});
  }

 private:
  std::vector<Fold> folds_of(const LooQuestion& question, std::span<const double> point) const {
    std::vector<Index> rows_of_statements;
    Index num_rows = 0;
    for (const auto& [statement, count] : program_of(question).rows(point)) {
      rows_of_statements.push_back(count);
      num_rows += count;
    }
    const auto values = [&](const std::string& name) {
      return values_of_rows(question.data_values(name), rows_of_statements, name);
    };
    const std::uint64_t seed = question.refits.seed;
    if (!fold_by_.empty()) return group_folds(values(fold_by_));
    if (!stratify_.empty()) return stratified_folds(values(stratify_), num_folds_, seed);
    return random_folds(num_rows, num_folds_, seed);
  }

  Index num_folds_ = 0;
  std::string fold_by_, stratify_;
};
}  // namespace

extern const LooSchemeRow folds_scheme{.name = "folds",
                                       .chosen_by = "--folds,--fold-by",
                                       .group = "Left out in other ways",
                                       .example = "--folds 4",
                                       .make = make_chosen<LooScheme, LeaveFolds>};

}  // namespace credo::cli
