// The table of the ways of leaving data out, and parts that they share.
#include "cli/fit/loo_scheme.hpp"
#include "model/model.hpp"
#include "results/draws/fit_points.hpp"

namespace credo::cli {

extern const LooSchemeRow rows_scheme, folds_scheme, future_scheme;
ChosenTable<LooScheme> loo_schemes() {
  static constexpr std::array kAll{&rows_scheme, &folds_scheme, &future_scheme};
  return kAll;
}

const model::Model& program_of(const LooQuestion& question) {
  if (question.program != nullptr) return *question.program;
  throw Error(ErrorCode::usage, "a ready-made model isn't fitted without some of its rows",
              question.model.name(),
              "leave rows out one by one, by weights of the draws: credo loo FILE alone");
}

std::vector<double> point_of(const LooQuestion& question) {
  return results::FitPoints(question.fit, question.model).read(0, 0, 1).front();
}

std::vector<Refit> fit_without(const LooQuestion& question, std::span<const Fold> folds,
                               std::span<const double> point) {
  const infer::SampleOptions run = question.refits.options_for(question.fit, program_of(question));
  results::Work& work = question.begin_work("fits", ssize(folds));
  return refit_all(question.model, folds, point,
                   {.run = run,
                    .num_threads = question.refits.num_threads,
                    .seed = question.refits.seed,
                    .done = work.done<Refit>(),
                    .on_done = work.on_done<Refit>(),
                    .states = work.states()});
}

}  // namespace credo::cli
