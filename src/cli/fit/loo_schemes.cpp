// The table of the ways of leaving data out, and parts that they share.
#include <fmt/format.h>

#include "cli/fit/loo_scheme.hpp"
#include "model/model.hpp"
#include "results/draws/fit_points.hpp"

namespace credo::cli {

extern const LooSchemeRow rows_scheme, folds_scheme, future_scheme;
std::span<const LooSchemeRow* const> loo_schemes() {
  static constexpr std::array kAll{&rows_scheme, &folds_scheme, &future_scheme};
  return kAll;
}

namespace {
std::string none_of(std::string_view options) {
  std::string needs;
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(','), options.size());
    needs += fmt::format("{}!{}", needs.empty() ? "" : ",", options.substr(0, end));
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return needs;
}

// No scheme before it in the table is chosen; for the one that is chosen by no option, no other at all.
std::string alone(const LooSchemeRow& row) {
  std::string needs;
  for (const LooSchemeRow* other : loo_schemes()) {
    if (other == &row && !row.chosen_by.empty()) break;
    const std::string none = none_of(other->chosen_by);
    needs += (needs.empty() || none.empty() ? "" : ",") + none;
  }
  return needs;
}
}  // namespace

std::vector<std::unique_ptr<LooScheme>> describe_schemes(Arguments& arguments) {
  std::vector<std::unique_ptr<LooScheme>> schemes;
  for (const LooSchemeRow* row : loo_schemes()) {
    schemes.push_back(row->make());
    arguments.group(row->chosen_by.empty() ? "Rows one by one" : "Left out in other ways");
    schemes.back()->describe(arguments, alone(*row));
  }
  return schemes;
}

const LooScheme& chosen_scheme(std::span<const std::unique_ptr<LooScheme>> schemes) {
  const auto chosen =
      std::ranges::find_if(schemes, [](const auto& scheme) { return scheme->is_chosen(); });
  if (chosen != schemes.end()) return **chosen;
  const auto row = std::ranges::find_if(
      loo_schemes(), [](const LooSchemeRow* each) { return each->chosen_by.empty(); });
  return *schemes[static_cast<std::size_t>(row - loo_schemes().begin())];
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
