#include "infer/table.hpp"

namespace credo::infer {

extern const SamplerSpec kHmcStatic;
extern const SamplerSpec kNuts;

namespace {
constexpr std::array kSamplers = {&kHmcStatic, &kNuts};
}

std::span<const SamplerSpec* const> samplers() { return kSamplers; }

const SamplerSpec& find_sampler(std::string_view name) {
  std::string names;
  for (const SamplerSpec* row : kSamplers) {
    if (row->name == name) return *row;
    names += (names.empty() ? "" : ", ") + std::string(row->name);
  }
  throw Error(ErrorCode::usage, "there is no sampler '" + std::string(name) + "'", "sampler",
              "there are: " + names);
}

}  // namespace credo::infer
