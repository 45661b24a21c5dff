#include "cli/run/auto_method.hpp"

#include "base/error.hpp"
#include "infer/core/table.hpp"
#include "infer/messages/coordinate_ascent.hpp"

namespace credo::cli {
namespace {
constexpr Index kMostExact = 500;          // values: a joint factor has their square of statistics
constexpr Index kMostExactRows = 100'000;  // rows of data: the program is traced twice
constexpr Index kLeastOfCavi = 2000;       // values: above, `normal` climbs by stochastic gradients

infer::SampleOptions with_method(infer::SampleOptions options, bool joins) {
  options.sampler = "cavi";
  options.kernel = infer::find_sampler(options.sampler).options();
  options.num_warmup = 0;
  if (joins) infer::set_option(options, "join", "auto");
  return options;
}

bool has_moment_form(const model::Model& model) {
  const auto forms = model.moment_forms();
  if (!forms) return false;
  try {
    (void)forms->moment_form({});
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    return false;
  }
}
}  // namespace

std::optional<AutoMethod> auto_method(const model::Model& model,
                                      const infer::SampleOptions& options) {
  const density::Query& query = model.query();
  if (query != density::Query{} || !options.marginal.empty()) return std::nullopt;
  if (model.dimension() <= kMostExact && model.num_rows() <= kMostExactRows) {
    if (infer::is_exact_by_factors(model, options.seed))
      return AutoMethod{with_method(options, true),
                        "method cavi with joint factors: the program is conjugate, and the draws "
                        "are of the posterior itself\n"};
    return std::nullopt;
  }
  if (model.dimension() > kLeastOfCavi && has_moment_form(model))
    return AutoMethod{with_method(options, false),
                      "method cavi: every parameter has a conjugate factor\n"};
  return std::nullopt;
}

}  // namespace credo::cli
