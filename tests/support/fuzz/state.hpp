// Any bytes as the state of a chain in a run file: refused, or the run goes on from it and ends as
// others do. The first byte names the sampler.
#pragma once
#include "base/seal.hpp"
#include "density/function_density.hpp"
#include "infer/core/table.hpp"
#include "support/fuzz/claims.hpp"

namespace credo::fuzz {

inline infer::SampleOptions short_run(std::size_t sampler) {
  std::vector<std::string_view> all;
  for (const infer::SamplerSpec* row : infer::samplers())
    if (row->has_warmup && !row->needs_states) all.push_back(row->name);
  return {.sampler = std::string(all[sampler % all.size()]),
          .num_chains = 1,
          .num_warmup = 40,
          .num_draws = 20,
          .num_threads = 1};
}

inline const density::LogDensity& small_density() {
  static const auto density =
      density::make_density(3, [](std::span<const double> x, std::span<double> gradient) {
        double sum = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
          gradient[k] = -x[k];
          sum -= 0.5 * x[k] * x[k];
        }
        return sum;
      });
  return *density;
}

// Counts what comes, and keeps the states after some transitions.
class SilentSink final : public infer::DrawSink {
 public:
  void begin(const Sizes& sizes) override { num_columns_ = ssize(sizes.columns); }
  void draw(const infer::DrawRecord& record) override {
    claim(record.position.size() == 3 && ssize(record.info) == num_columns_, "a draw has its size");
  }
  bool wants_state(Index, Index iteration, bool) override { return iteration % 13 == 0; }
  void state(const infer::StateRecord& record) override { states.emplace_back(record.bytes); }
  std::vector<std::string> states;

 private:
  Index num_columns_ = 0;
};

inline void run_state(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const Patience patience(kPatience);
  infer::SampleOptions options = short_run(static_cast<unsigned char>(bytes[0]));
  SilentSink sink;
  may_be_refused([&] {
    options.states = {std::string(unsealed(bytes.substr(1), "fuzz"))};
    (void)infer::run_chains(small_density(), options, sink);
  });
}

}  // namespace credo::fuzz
