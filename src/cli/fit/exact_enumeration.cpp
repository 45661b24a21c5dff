// Exact inference by enumeration of all configurations (results/estimates/enumeration.cpp).
#include "cli/fit/exact_method.hpp"

namespace credo::cli {
namespace {

struct EnumerationOptions {
  Index most_states = Index{1} << 22;
  static void describe(auto& self, auto&& field) {
    field(self.most_states,
          infer::FieldSpec{.name = "most_states",
                           .help = "largest number of configurations; one takes 8 bytes",
                           .range = infer::at_least(1)});
  }
};

struct Enumeration final : filters::Method<ExactMethod, EnumerationOptions> {
  density::Capability applies(const model::Model& model) const override {
    return has_discrete(model);
  }
  density::Capability can_average() const override {
    return {false, "enumeration doesn't average over the draws of a fit", "--fit",
            "take --method elimination, or the values of one point: --at"};
  }
  density::Capability can_sum_tables() const override { return {}; }
  results::ExactRun sum_tables(const numerics::FactorTables& tables, results::DiscreteNames names,
                               results::ExactOptions options) const override {
    options.most_entries = own.most_states;
    return enumerated_distribution(tables, std::move(names), options);
  }
  ExactAnswer answer(const ExactQuestion& question) const override {
    results::ExactOptions options = question.options;
    options.most_entries = own.most_states;
    return answer_of(distribution_at_point(question,
                                           [&](const auto& tables, results::DiscreteNames names) {
                                             return enumerated_distribution(
                                                 tables, std::move(names), options);
                                           }),
                     question);
  }
};
}  // namespace

extern const ExactMethodRow enumeration_exact = filters::row_of<Enumeration>(
    {.name = "enumeration",
     .summary = "visits every configuration, which is feasible for few parameters",
     .reference = "koller2009"});

}  // namespace credo::cli
