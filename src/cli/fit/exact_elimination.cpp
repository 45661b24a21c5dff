// Exact inference by variable elimination (results/estimates/exact_run.hpp), at one point or over the draws of a fit.
#include "cli/fit/exact_method.hpp"

namespace credo::cli {
namespace {

struct EliminationOptions {
  Index most_entries = Index{1} << 26;
  static void describe(auto& self, auto&& field) {
    field(self.most_entries,
          infer::FieldSpec{.name = "most_entries",
                           .help = "largest number of entries of all tables of a sum together; an "
                                   "entry takes 16 bytes",
                           .range = infer::at_least(1)});
  }
};

struct Elimination final : filters::Method<ExactMethod, EliminationOptions> {
  density::Capability applies(const model::Model& model) const override {
    return has_discrete(model);
  }
  density::Capability can_sum_tables() const override { return {}; }
  results::ExactRun sum_tables(const numerics::FactorTables& tables, results::DiscreteNames names,
                               results::ExactOptions options) const override {
    options.most_entries = own.most_entries;
    return exact_distribution(tables, std::move(names), options);
  }
  ExactAnswer answer(const ExactQuestion& question) const override {
    results::ExactOptions options = question.options;
    options.most_entries = own.most_entries;
    if (question.fit != nullptr) return answer_of(over_draws(question, options), question);
    return answer_of(distribution_at_point(question,
                                           [&](const auto& tables, results::DiscreteNames names) {
                                             return exact_distribution(tables, std::move(names),
                                                                       options);
                                           }),
                     question);
  }

 private:
  static results::ExactRun over_draws(const ExactQuestion& question,
                                      const results::ExactOptions& options) {
    const model::Model& model = question.model;
    std::unique_ptr<model::DiscreteTables> tables;
    const auto tables_at = [&](std::span<const double> at) {
      if (tables == nullptr) tables = model.make_tables(at);
      return tables->at(at.first(static_cast<std::size_t>(model.num_continuous())));
    };
    return exact_marginals(*question.fit, model, tables_at, question.names, options);
  }
};
}  // namespace

extern const ExactMethodRow elimination_exact = filters::row_of<Elimination>(
    {.name = "elimination",
     .summary = "sums one parameter after another out of the terms that hold it",
     .reference = "koller2009"});

}  // namespace credo::cli
