// The table of the methods of exact inference, and parts that they share.
#include <fmt/format.h>

#include "cli/fit/exact_method.hpp"
#include "cli/fit/exact_report.hpp"

namespace credo::cli {

extern const ExactMethodRow conjugate_exact, elimination_exact, enumeration_exact;
filters::MethodTable<ExactMethod> exact_methods() {
  static constexpr std::array kAll{&conjugate_exact, &elimination_exact, &enumeration_exact};
  return kAll;
}

density::Capability has_discrete(const model::Model& model) {
  if (model.discrete().size() > 0) return {};
  return {false, "the program has no discrete parameter", model.name(),
          "leave --method out: then continuous parameters have conjugate posteriors (--method "
          "conjugate); or declare discrete ones: int<lower=0, upper=1> z"};
}

results::ExactRun ExactMethod::sum_tables(const numerics::FactorTables&, results::DiscreteNames,
                                          results::ExactOptions) const {
  throw Error(ErrorCode::internal, "the method sums no tables", "credo exact");
}

namespace {
// Checks that the sum of the tables is the density there; otherwise the results aren't those of this program.
void require_density(const model::Model& model, std::span<const double> at, double log_density) {
  const model::PointEvaluation point = model.evaluate_in_full(at);
  if (!point.status.ok())
    throw Error(ErrorCode::evaluation, model.describe(point.status), "--at",
                "check the values there");
  constexpr double kRounding = 1e-8;  // error of a sum in another order
  if (!(std::abs(point.log_density - log_density) <= kRounding * (1.0 + std::abs(log_density))))
    throw Error(
        ErrorCode::internal,
        fmt::format("the terms' sum {} isn't the log density {}", log_density, point.log_density),
        "credo exact");
}
}  // namespace

results::ExactRun distribution_at_point(const ExactQuestion& question,
                                        const DistributionOf& distribution) {
  const model::Model& model = question.model;
  std::vector<double> at = question.position();
  const auto free = std::span(at).first(static_cast<std::size_t>(model.num_continuous()));
  results::ExactRun run = distribution(model.make_tables(at)->at(free), question.names);
  std::copy(run.most_probable.begin(), run.most_probable.end(),
            at.begin() + model.num_continuous());
  require_density(model, at, run.log_most_probable);
  return run;
}

ExactAnswer answer_of(results::ExactRun run, const ExactQuestion& question) {
  run.program = question.model.name();
  run.sum_is = question.sum_is;
  return {arrays_of(run), exact_text(run, run.sum_is)};
}

}  // namespace credo::cli
