// The future left out: each time is predicted from those before.
#include <fmt/format.h>

#include "cli/fit/loo_scheme.hpp"
#include "diagnose/psis.hpp"
#include "model/model.hpp"

namespace credo::cli {
namespace {

class LeaveFuture final : public LooScheme {
 public:
  void describe(Arguments& arguments, const std::string& alone) override {
    arguments.option("--future", ahead_,
                     "times ahead: each time, a row of a statement, is predicted from those before",
                     needing(alone, at_least(0)));
    arguments.option("--from", first_, "times that are given from the beginning; 0: half of them",
                     needing("--future", at_least(0)));
  }
  bool is_chosen() const override { return ahead_ > 0; }

  LooAnswer answer(const LooQuestion& question) const override {
    const model::Model& model = program_of(question);
    const std::vector<double> point = point_of(question);
    const auto statements = model.rows(point);
    for (const auto& [statement, count] : statements)
      if (count != statements[0].count)
        throw Error(ErrorCode::program,
                    fmt::format("times are rows of statements, which have {} and {} of them",
                                statements[0].count, count),
                    model.source().where(statement), "write all of it over the same times");
    const Index num_times = statements[0].count, first = first_ > 0 ? first_ : num_times / 2;
    const infer::SampleOptions run = question.refits.options_for(question.fit, model);
    results::Work& work =
        question.begin_work("predictions", std::max<Index>(num_times - ahead_ - first + 1, 1));
    const std::vector<FutureStep> steps =
        leave_future_out(model, ssize(statements), num_times, point,
                         {.first = first,
                          .ahead = ahead_,
                          .run = run,
                          .seed = question.refits.seed,
                          .done = work.done<FutureStep>(),
                          .on_done = work.on_done<FutureStep>(),
                          .states = work.states()});
    const double k_limit = diagnose::pareto_k_limit(run.num_chains * run.num_draws);
    return answer_of(FutureReport{kind_of_rows(model), steps, ahead_, k_limit});
  }

 private:
  Index ahead_ = 0, first_ = 0;
};
}  // namespace

extern const LooSchemeRow future_scheme{.name = "future",
                                        .chosen_by = "--future",
                                        .group = "Left out in other ways",
                                        .example = "--future 1",
                                        .make = make_chosen<LooScheme, LeaveFuture>};

}  // namespace credo::cli
