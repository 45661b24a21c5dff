#include "infer/invariance/suite.hpp"

namespace credo::infer::invariance {

// ---- a kernel by itself

void answer(density::Evaluator& evaluator, Evaluate& question) {
  density::Request* single[] = {&question.request};
  const std::span<density::Request* const> batch =
      question.many.empty() ? std::span<density::Request* const>(single) : question.many;
  evaluator.evaluate(question.want, batch);
}

PointState state_at(density::Evaluator& evaluator, std::span<const double> position) {
  PointState state{.position = {position.begin(), position.end()},
                   .gradient = std::vector<double>(position.size())};
  Evaluate question = evaluate(state.position, state.gradient);
  answer(evaluator, question);
  state.log_density = question.request.log_density;
  return state;
}

TransitionMaker maker_of_parts(const KernelMaker& make) {
  return [make](Index dimension) {
    SampleOptions run{.num_warmup = 0};
    run.adapt.engaged = false;
    std::shared_ptr<TransitionKernel> kernel = make({.run = run, .dimension = dimension});
    return Transition([kernel](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      run_alone(kernel->step(state, rng), evaluator);
    });
  };
}

// ---- statistics

double worse(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? kInfinity : std::max(a, b);
}

Statistic worse(Statistic a, Statistic b) {
  const double value = worse(a.value, b.value);
  const bool is_a = std::isnan(a.value) || (!std::isnan(b.value) && a.value >= b.value);
  return {value, std::move(is_a ? a.what : b.what)};
}

std::vector<double> ends_of(const Target& target, const TransitionMaker& make,
                            const StartOptions& options) {
  const auto evaluator = target.density->make_evaluator();
  const Transition transition = make(target.density->dimension());
  std::vector<double> start(static_cast<std::size_t>(target.density->dimension())), ends;
  for (int i = 0; i < options.num_starts; ++i) {
    Rng rng({.seed = options.seed,
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(i)});
    target.draw(rng, start);
    PointState state = state_at(*evaluator, start);
    for (int s = 0; s < options.num_steps; ++s) transition(*evaluator, state, rng);
    ends.insert(ends.end(), state.position.begin(), state.position.end());
  }
  return ends;
}

Statistic worst_moment(const Target& target, std::span<const double> ends) {
  const auto width = static_cast<std::size_t>(target.density->dimension());
  Statistic worst;
  for (const Moment& moment : target.moments) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < ends.size(); i += width) {
      const double off = moment.function(ends.subspan(i, width)) - moment.expectation;
      sum += off, squares += off * off;
    }
    worst = worse(std::move(worst), {std::fabs(sum) / std::sqrt(squares), moment.name});
  }
  return worst;
}

// sup |F - G| sqrt(n / 2) of two samples of n exceeds 2.29 with probability 2 exp(-2 · 2.29²) =
// 6e-5; scaled to 4.
double rank_statistic(std::vector<double> a, std::vector<double> b) {
  if (std::any_of(a.begin(), a.end(), [](double x) { return std::isnan(x); })) return kInfinity;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double sup = 0.0;
  for (std::size_t i = 0, j = 0; i < a.size(); ++i) {
    while (j < b.size() && b[j] <= a[i]) ++j;
    sup = std::max(sup, std::fabs(double(i + 1) - double(j)));
  }
  const double n = static_cast<double>(a.size());
  return sup / n * std::sqrt(0.5 * n) * (4.0 / 2.29);
}

Statistic worst_rank(const Target& target, std::span<const double> ends, std::uint64_t seed) {
  const auto width = static_cast<std::size_t>(target.density->dimension());
  std::vector<double> fresh(ends.size());
  Rng rng({.seed = seed, .purpose = purpose::kTest + 1});
  for (std::size_t i = 0; i < fresh.size(); i += width)
    target.draw(rng, std::span(fresh).subspan(i, width));
  Statistic worst;
  for (std::size_t d = 0; d < width; ++d) {
    std::vector<double> a, b;
    for (std::size_t i = d; i < ends.size(); i += width)
      a.push_back(ends[i]), b.push_back(fresh[i]);
    worst = worse(std::move(worst), {rank_statistic(std::move(a), std::move(b)),
                                     "ranks of x[" + std::to_string(d) + "]"});
  }
  return worst;
}

Statistic exact_start(const Target& target, const TransitionMaker& make,
                      const StartOptions& options) {
  const std::vector<double> ends = ends_of(target, make, options);
  return worse(worst_moment(target, ends), worst_rank(target, ends, options.seed));
}

Statistic repeated(const std::function<Statistic(const StartOptions&)>& statistic,
                   StartOptions options) {
  Statistic found = statistic(options);
  if (found.value <= kLimit) return found;
  options.num_starts *= 4;
  options.seed += 1000;
  return statistic(options);
}

Statistic worst_statistic(const Target& target, const TransitionMaker& make,
                          const StartOptions& options) {
  return repeated([&](const StartOptions& use) { return exact_start(target, make, use); }, options);
}

}  // namespace credo::infer::invariance
