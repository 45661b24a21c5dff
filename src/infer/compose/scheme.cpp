#include "infer/compose/scheme.hpp"

#include <fmt/format.h>

#include "infer/compose/compose.hpp"
#include "infer/core/table.hpp"

namespace credo::infer {
namespace {
const KernelMaker& own_kernel(const Scheme& scheme) {
  if (!scheme.make)
    throw Error(
        ErrorCode::usage,
        fmt::format("the kernel '{}' is of a program of its own, and isn't here", scheme.sampler),
        scheme.where.empty() ? "scheme" : scheme.where,
        "run that program again, or give another scheme");
  return scheme.make;
}

KernelMaker whole_kernel(const Scheme& scheme) {
  if (scheme.kind == Scheme::Kind::own) return own_kernel(scheme);
  if (scheme.kind == Scheme::Kind::sampler) return kernel(scheme.sampler, scheme.options);
  std::vector<WeightedKernel> weighted;
  std::vector<KernelMaker> parts;
  for (const Scheme& part : scheme.parts) {
    parts.push_back(kernel(part));
    weighted.push_back({part.weight, parts.back()});
  }
  switch (scheme.kind) {
    case Scheme::Kind::mixture:
      return mixture(std::move(weighted));
    case Scheme::Kind::shuffled_cycle:
      return shuffled_cycle(std::move(parts));
    case Scheme::Kind::palindrome:
      return palindrome(std::move(parts));
    default:
      return cycle(std::move(parts));
  }
}

void add_samplers(const Scheme& scheme, std::vector<std::string>& names) {
  if (scheme.kind == Scheme::Kind::sampler &&
      std::find(names.begin(), names.end(), scheme.sampler) == names.end())
    names.push_back(scheme.sampler);
  for (const Scheme& part : scheme.parts) add_samplers(part, names);
}

void require_kernels(const Scheme& scheme) {
  if (scheme.kind == Scheme::Kind::own) own_kernel(scheme);
  for (const Scheme& part : scheme.parts) require_kernels(part);
}

void require_gradient(const density::LogDensity& density, const Scheme& scheme) {
  if (density.has_gradient()) return;
  for (const std::string& name : samplers_of(scheme))
    if (find_sampler(name).needs_gradient)
      throw Error(ErrorCode::usage, name + " needs a gradient, the log density has none",
                  scheme.where.empty() ? "scheme" : scheme.where);
}

RunResult run_scheme(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink) {
  const Scheme& scheme = scheme_of(options.kernel);
  require_gradient(density, scheme);
  return run_kernel(density, options, kernel(scheme), sink);
}
}  // namespace

KernelMaker kernel(const Scheme& scheme) {
  CREDO_ASSERT(scheme.on.empty() || !scheme.coordinates.empty(),
               "the coordinates of what a scheme names are found before it runs");
  KernelMaker made = whole_kernel(scheme);
  return scheme.coordinates.empty() ? made : on_coordinates(scheme.coordinates, std::move(made));
}

const Scheme& scheme_of(const KernelOptions& options) {
  const SchemeOptions* own = options.as<SchemeOptions>();
  if (own == nullptr || !own->scheme)
    throw Error(ErrorCode::usage, "a composition needs a scheme that lists its parts", "scheme",
                "give one, as credo sample --scheme FILE does");
  return *own->scheme;
}

void require_kernels(const SampleOptions& options) {
  if (options.sampler == kCompositionName) require_kernels(scheme_of(options.kernel));
}

std::vector<std::string> samplers_of(const Scheme& scheme) {
  std::vector<std::string> names;
  add_samplers(scheme, names);
  return names;
}

std::vector<std::string> warnings_about_parts(const SampleOptions& options) {
  std::vector<std::string> warnings;
  if (options.sampler != kCompositionName) return warnings;
  for (const std::string& name : samplers_of(scheme_of(options.kernel)))
    if (find_sampler(name).biased)
      warnings.push_back(
          fmt::format("the part '{}' is biased by its step size, and so are the "
                      "draws of the composition",
                      name));
  return warnings;
}

extern const SamplerSpec kComposition;
const SamplerSpec kComposition{
    .name = kCompositionName,
    .summary = "samplers one after another or by chance, each on all or some of the parameters",
    .needs_gradient = false,  // its parts may: see require_gradient
    .reference = "tierney1994",
    .biased = false,
    .has_warmup = true,
    .columns = columns_of<ComposedInfo>,
    .options = [] { return KernelOptions(SchemeOptions{}); },
    .make = [](const KernelOptions& options,
               const PartSetup& setup) { return kernel(scheme_of(options))(setup); },
    .run = run_scheme};

}  // namespace credo::infer
