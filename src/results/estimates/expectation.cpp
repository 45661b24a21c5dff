#include "results/estimates/expectation.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/state_space.hpp"
#include "diagnose/weights.hpp"
#include "numerics/points/sobol_set.hpp"

namespace credo::results {
namespace {

void require_capability(const density::Capability& can, const density::Model& model,
                        const std::string& what) {
  if (!can.can)
    throw Error(ErrorCode::program, what + ": " + can.reason,
                can.where.empty() ? model.name() : can.where, can.hint);
}

void check(const ExpectationOptions& options, Index dimension) {
  const numerics::PointRule& rule = *options.rule;
  if (dimension > rule.largest_dimension)
    throw Error(ErrorCode::usage,
                fmt::format("the prior needs {} numbers a point, and {} has at most {}", dimension,
                            rule.name, rule.largest_dimension),
                "--points", "--points independent has any number");
  if (options.num_points % rule.multiple_of != 0)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} points belong together, and {} isn't a multiple of that", rule.multiple_of,
                    options.num_points),
        "--number",
        fmt::format("--number {}", (options.num_points / rule.multiple_of + 1) * rule.multiple_of));
}

// Values of a replicate at those of its points that lie in the support.
struct Replicate {
  std::vector<std::vector<double>> values;  // [point][function]
  std::vector<double> log_weights;          // of the posterior; zeros otherwise
  Index num_refused = 0;

  static void saved(auto& self, auto&& field) {
    field(self.values);
    field(self.log_weights);
    field(self.num_refused);
  }
};

// Working memory of one thread.
class Points {
 public:
  Points(const density::Model& model, const ExpectationOptions& options)
      : writers_(model.writers().require(model.name())),
        options_(options),
        prior_(model.asking({.terms = density::Terms::prior})),
        prior_writers_(prior_->writers().require(model.name())) {
    require_capability(prior_->can_draw(), model, "the prior can't be drawn from");
    draws_ = prior_->make_exact_draws();
    if (draws_->cube_dimension() == 0)
      throw Error(
          ErrorCode::program,
          "the prior has no map from the unit cube: some parameter isn't drawn by the quantile of "
          "a distribution of one "
          "number",
          model.name(),
          "credo sample --terms prior --sampler exact draws it, credo summary --of asks the draws");
    if (!options.of_posterior) return;
    likelihood_ = model.asking({.terms = density::Terms::likelihood});
    evaluator_ = likelihood_->make_evaluator();
  }
  Index dimension() const { return draws_->cube_dimension(); }

  Replicate operator()(Index number, const Functions& functions) {
    const auto sequence = options_.rule->make(dimension(), options_.num_points,
                                              {.seed = options_.seed,
                                               .purpose = numerics::kCubePoints,
                                               .chain = 0,
                                               .iteration = static_cast<std::uint32_t>(number)});
    std::vector<double> cube(static_cast<std::size_t>(dimension()));
    std::vector<std::vector<double>> outputs;
    Replicate result;
    for (Index i = 0; i < options_.num_points; ++i) {
      sequence->next(cube);
      const auto drawn = draws_->at(cube);
      const double log_weight = drawn ? log_weight_at(drawn->position) : kNaN;
      if (std::isnan(log_weight)) {
        ++result.num_refused;
        continue;
      }
      Rng rng({.seed = options_.seed,
               .purpose = purpose::kReplicate,
               .chain = 5,
               .iteration = static_cast<std::uint32_t>(number * options_.num_points + i)});
      outputs.push_back(writers_.write(prior_writers_.with_discrete(drawn->position, rng), rng,
                                       nullptr, {.density_prints = false}));
      result.log_weights.push_back(log_weight);
    }
    result.values = functions(outputs, static_cast<std::uint32_t>(number * options_.num_points));
    return result;
  }

 private:
  // NaN where the distribution has no density.
  double log_weight_at(std::span<const double> position) {
    if (evaluator_ == nullptr) return 0.0;
    density::Request request{.position = position, .gradient = {}, .status = {}};
    evaluator_->evaluate(density::Want::value, std::array{&request});
    return request.status.ok() ? request.log_density : -kInfinity;
  }

  const density::OutputWriters& writers_;
  const ExpectationOptions& options_;
  std::unique_ptr<density::Model> prior_;
  const density::OutputWriters& prior_writers_;
  std::unique_ptr<density::Model> likelihood_;
  std::unique_ptr<density::ExactDraws> draws_;
  std::unique_ptr<density::Evaluator> evaluator_;
};

// Weights of all replicates in units of the largest one.
struct Weighed {
  double largest = -kInfinity, total = 0.0;
  std::vector<double> sums;  // by replicate
  std::vector<double> all;   // logarithms

  explicit Weighed(const std::vector<Replicate>& replicates) {
    for (const Replicate& r : replicates)
      all.insert(all.end(), r.log_weights.begin(), r.log_weights.end());
    for (const double w : all) largest = std::max(largest, w);
    if (!std::isfinite(largest))
      throw Error(ErrorCode::evaluation, "the likelihood is zero at all points", "--posterior",
                  "take more points, or a sampler that finds the posterior: credo sample");
    for (const Replicate& r : replicates) {
      sums.push_back(0.0);
      for (const double w : r.log_weights) sums.back() += std::exp(w - largest);
      total += sums.back();
    }
  }
};

// The error of (Σ A) / (Σ B) for sums A and B over R replicates.
double error_of_ratio(std::span<const double> a, std::span<const double> b, double ratio,
                      double total) {
  double squares = 0.0;
  for (std::size_t r = 0; r < a.size(); ++r) squares += std::pow(a[r] - ratio * b[r], 2);
  const auto count = static_cast<double>(a.size());
  return std::sqrt(count / (count - 1.0) * squares) / total;
}

Expectation expectation_of(const std::vector<Replicate>& replicates, const Weighed& weighed,
                           std::size_t k) {
  std::vector<double> sums;
  double total = 0.0, squares = 0.0;
  const auto each = [&](const Replicate& r, const auto& visit) {
    for (std::size_t i = 0; i < r.values.size(); ++i)
      visit(std::exp(r.log_weights[i] - weighed.largest), r.values[i][k]);
  };
  for (const Replicate& r : replicates) {
    sums.push_back(0.0);
    each(r, [&](double w, double f) { sums.back() += w > 0.0 ? w * f : 0.0; });
    total += sums.back();
  }
  const double mean = total / weighed.total;
  Expectation found{.mean = mean, .error = error_of_ratio(sums, weighed.sums, mean, weighed.total)};
  for (const Replicate& r : replicates)
    each(r, [&](double w, double f) {
      squares += w > 0.0 ? w * (f - mean) * (f - mean) : 0.0;
      if (w > 0.0 && !std::isfinite(f)) ++found.num_not_finite, found.not_finite = f;
    });
  found.sd = std::sqrt(squares / weighed.total);
  return found;
}

void add_evidence(const Weighed& weighed, Expectations& result) {
  const auto count = static_cast<double>(weighed.all.size());
  result.log_evidence = weighed.largest + std::log(weighed.total / count);
  const std::vector<double> equal(weighed.sums.size(), 1.0);
  const double mean_sum = weighed.total / static_cast<double>(equal.size());
  result.log_evidence_error = error_of_ratio(weighed.sums, equal, mean_sum, weighed.total);
  result.pareto_k = diagnose::weight_pareto_k(weighed.all);
  result.weight_ess = diagnose::weight_ess(weighed.all);
}
}  // namespace

Expectations expectations(const density::Model& model, const ExpectationOptions& options,
                          const Functions& functions) {
  if (options.of_posterior) density::require_likelihood(model, "the posterior");
  {
    Points points(model, options);
    check(options, points.dimension());
  }
  Work unkept({.count = options.num_replicates, .reports_progress = false});
  Work& work = options.work == nullptr ? unkept : *options.work;
  const auto replicates = work.run<Replicate>(options.num_threads, [&] {
    return [&, points = std::make_shared<Points>(model, options)](Index number) {
      return (*points)(number, functions);
    };
  });
  const Weighed weighed(replicates);
  Expectations result;
  std::size_t num_functions = 0;
  for (const Replicate& r : replicates) {
    result.num_refused += r.num_refused;
    if (!r.values.empty()) num_functions = r.values.front().size();
  }
  for (std::size_t k = 0; k < num_functions; ++k)
    result.of.push_back(expectation_of(replicates, weighed, k));
  if (options.of_posterior) add_evidence(weighed, result);
  return result;
}

ArrayList arrays_of(const Expectations& found, const ExpectationOptions& options,
                    std::vector<std::string> expressions) {
  ArrayList answer("expect");
  answer.set("points", std::string(options.rule->name));
  answer.set("number", options.num_points);
  answer.set("replicates", options.num_replicates);
  answer.set("seed", std::to_string(options.seed), kHidden);
  answer.set("num_refused", found.num_refused, "refused");
  if (options.of_posterior) {
    answer.set("log_evidence", found.log_evidence);
    answer.set("log_evidence_error", found.log_evidence_error);
    answer.set("weight_ess", found.weight_ess);
    answer.set("pareto_k", found.pareto_k);
  }
  auto group = answer.add_group("expectations", {{"expression", ssize(found.of)}});
  group.add_labels("expression", std::move(expressions));
  auto add = group.columns(found.of);
  add("mean", &Expectation::mean);
  add("error", &Expectation::error, "standard error of the mean");
  add("sd", &Expectation::sd, "standard deviation of the expression");
  add("equivalent_draws", &Expectation::num_equivalent, "independent draws with the same error");
  return answer;
}

}  // namespace credo::results
