#include "infer/core/sample.hpp"

#include "density/state_space.hpp"
#include "infer/gibbs/site_sweep.hpp"

#include "infer/compose/scheme.hpp"
#include "infer/core/table.hpp"
#include "infer/latent/run_marginal.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
density::Draws empty_draws(Index num_draws, const DrawSink::Sizes& sizes, Index num_quantities) {
  return {num_draws, sizes.num_chains, num_quantities};
}
}  // namespace

void StoredDraws::begin(const Sizes& sizes) {
  const Index num_columns = ssize(sizes.columns);
  columns.assign(sizes.columns.begin(), sizes.columns.end());
  draws = empty_draws(sizes.num_draws_kept, sizes, sizes.dimension);
  info = empty_draws(sizes.num_draws_kept, sizes, num_columns);
  warmup_draws = empty_draws(sizes.num_warmup_kept, sizes, sizes.dimension);
  warmup_info = empty_draws(sizes.num_warmup_kept, sizes, num_columns);
  num_kept_.assign(static_cast<std::size_t>(sizes.num_chains), 0);
  num_warmup_kept_ = num_kept_;
}

void StoredDraws::draw(const DrawRecord& record) {
  const auto chain = static_cast<std::size_t>(record.chain);
  const Index row = record.warmup ? num_warmup_kept_[chain]++ : num_kept_[chain]++;
  (record.warmup ? warmup_draws : draws).set(row, record.chain, record.position);
  (record.warmup ? warmup_info : info).set(row, record.chain, record.info);
}

Index StoredDraws::num_complete() const {
  const auto fewest = std::min_element(num_kept_.begin(), num_kept_.end());
  return fewest == num_kept_.end() ? 0 : *fewest;
}

bool is_warmup_option(const SampleOptions& options, std::string_view name) {
  const std::vector<FieldValue> of_warmup = fields_of(options.adapt);
  return std::any_of(of_warmup.begin(), of_warmup.end(),
                     [&](const FieldValue& f) { return f.name == name; });
}

void set_option(SampleOptions& options, std::string_view name, std::string_view text) {
  if (!is_warmup_option(options, name))
    return set_field(options.kernel, name, text, options.sampler);
  KernelOptions adapt(options.adapt);
  set_field(adapt, name, text);
  options.adapt = *adapt.as<AdaptOptions>();
}

std::optional<LogEvidence> log_evidence(const ChainResult& chain) {
  LogEvidence found;
  for (const TunedSetting& setting : chain.tuned) {
    if (setting.values.empty()) continue;
    if (setting.name == "log_evidence") found.value = setting.values[0];
    if (setting.name == "log_evidence_error") found.error = setting.values[0];
  }
  if (std::isnan(found.value) || std::isnan(found.error)) return std::nullopt;
  return found;
}

// The error of a mean is the larger of that of its parts and that from their spread.
std::optional<LogEvidence> log_evidence(const RunResult& result) {
  std::vector<LogEvidence> parts;
  double largest = -kInfinity;
  for (const ChainResult& chain : result.chains) {
    const std::optional<LogEvidence> part = log_evidence(chain);
    if (!part) return std::nullopt;
    parts.push_back(*part);
    largest = std::max(largest, part->value);
  }
  if (parts.empty() || !std::isfinite(largest)) return std::nullopt;
  const double count = static_cast<double>(parts.size());
  double mean = 0.0, within = 0.0, between = 0.0;  // for evidences over the largest
  for (const LogEvidence& part : parts) mean += numerics::exp(part.value - largest) / count;
  for (const LogEvidence& part : parts) {
    const double evidence = numerics::exp(part.value - largest);
    within += std::pow(evidence * part.error / count, 2);
    between += (evidence - mean) * (evidence - mean) / (count * std::max(count - 1.0, 1.0));
  }
  return LogEvidence{.value = largest + numerics::log(mean),
                     .error = std::sqrt(std::max(within, between)) / mean};
}

RunResult run_chains(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  if (!options.marginal.empty()) return run_marginal(density, options, sink);
  const SamplerSpec& sampler = find_sampler(options.sampler);
  if (sampler.needs_gradient && !density.has_gradient())
    throw Error(ErrorCode::usage, options.sampler + " needs a gradient, the log density has none",
                "sampler");
  if (!sampler.needs_states && !sampler.needs_simulations)
    density::require_likelihood(density, options.sampler);
  const bool is_whole = density.discrete_block().size() == 0 || !is_sampler(sampler);
  SampleOptions own = options;
  if (!sampler.has_warmup) own.num_warmup = 0;
  RunResult result = is_whole
                         ? sampler.run(density, own, sink)
                         : run_kernel(density, options, with_site_sweep(density, options), sink);
  result.sampler = options.sampler;
  for (std::string& warning : warnings_about_parts(options))
    result.warnings.push_back(std::move(warning));
  return result;
}

}  // namespace credo::infer
