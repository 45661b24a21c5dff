#include "api/scheme.hpp"

#include <fmt/format.h>

#include "api/kernel.hpp"
#include "infer/compose/compose.hpp"
#include "infer/core/table.hpp"

namespace credo {
namespace {
using Kind = infer::Scheme::Kind;

Scheme made(infer::Scheme scheme) {
  scheme.where = "scheme";
  return Scheme(std::make_shared<const Scheme::Impl>(Scheme::Impl{std::move(scheme)}));
}

Scheme composed(Kind kind, std::vector<infer::Scheme> parts) {
  std::vector<double> weights;
  for (const infer::Scheme& part : parts) weights.push_back(part.weight);
  infer::check_weights(weights);
  return made({.kind = kind, .parts = std::move(parts)});
}

Scheme composed(Kind kind, const std::vector<Scheme>& parts) {
  std::vector<infer::Scheme> inner;
  for (const Scheme& part : parts) inner.push_back(part.impl().scheme);
  return composed(kind, std::move(inner));
}
}  // namespace

OptionValue::OptionValue(double number) : text(fmt::format("{}", number)) {}

std::string field_of(std::string name) {
  while (name.starts_with("-")) name.erase(0, 1);
  std::replace(name.begin(), name.end(), '-', '_');
  if (name == "max_depth") return "max_tree_depth";
  if (name == "stepsize") return "step_size";
  return name;
}

Scheme kernel(const std::string& sampler, const std::map<std::string, OptionValue>& options) {
  if (sampler == infer::kCompositionName)
    throw Error(ErrorCode::usage, "a composition is no sampler", "kernel",
                "compose its parts: credo::cycle({...})");
  infer::Scheme part{.sampler = sampler, .options = infer::find_sampler(sampler).options()};
  infer::kernel(sampler);  // throws where it can't be a part
  for (const auto& [name, value] : options)
    infer::set_field(part.options, field_of(name), value.text);
  return made(std::move(part));
}

Scheme own(const std::string& name, KernelMaker make) {
  if (make == nullptr)
    throw Error(ErrorCode::usage, fmt::format("the maker of kernel '{}' is empty", name), "own",
                "give a function that returns std::make_unique<...>(dimension)");
  return made({.kind = Kind::own, .sampler = name, .make = own_kernel(name, std::move(make))});
}

Scheme metropolis(Proposal proposal) {
  if (proposal.draw == nullptr || proposal.log_ratio == nullptr)
    throw Error(
        ErrorCode::usage,
        fmt::format("the proposal has no {}", proposal.draw == nullptr ? "draw" : "log_ratio"),
        "metropolis", "give both; credo::symmetric is the ratio of a symmetric proposal");
  return made(
      {.kind = Kind::own, .sampler = "metropolis", .make = own_metropolis(std::move(proposal))});
}

Scheme on(std::vector<std::string> parameters, const Scheme& part) {
  if (parameters.empty())
    throw Error(ErrorCode::usage, "'on' names no parameter", "on",
                "leave it out to move all, or name one: on({\"theta\"}, ...)");
  infer::Scheme inner = part.impl().scheme;
  if (!inner.on.empty()) inner = {.kind = Kind::cycle, .parts = {std::move(inner)}};
  inner.on = std::move(parameters);
  return made(std::move(inner));
}

Scheme mixture(const std::vector<Weighted>& parts) {
  std::vector<infer::Scheme> inner;
  for (const Weighted& part : parts) {
    inner.push_back(part.part.impl().scheme);
    inner.back().weight = part.weight;
  }
  return composed(Kind::mixture, std::move(inner));
}

Scheme cycle(const std::vector<Scheme>& parts) { return composed(Kind::cycle, parts); }
Scheme shuffled_cycle(const std::vector<Scheme>& parts) {
  return composed(Kind::shuffled_cycle, parts);
}
Scheme palindrome(const std::vector<Scheme>& parts) { return composed(Kind::palindrome, parts); }

Scheme blocks(const std::vector<Block>& parts) {
  std::vector<Scheme> inner;
  for (const Block& block : parts) inner.push_back(on(block.parameters, block.part));
  return cycle(inner);
}

}  // namespace credo
