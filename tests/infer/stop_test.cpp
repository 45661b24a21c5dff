// A run that is stopped inside an evaluation goes on from its last state with the draws of a run
// that nobody stopped.
#include "base/stop.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "density/function_density.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer::stop_test {
namespace {

// Keeps the draws, and each chain's latest state.
class Tape final : public DrawSink {
 public:
  void draw(const DrawRecord& record) override {
    const std::lock_guard lock(drawing_);
    draws[{record.chain, record.iteration}] = {record.position.begin(), record.position.end()};
  }
  bool wants_state(Index, Index, bool) override { return true; }
  void state(const StateRecord& record) override {
    states[static_cast<std::size_t>(record.chain)] = record.bytes;
  }
  std::map<std::pair<Index, Index>, std::vector<double>> draws;
  std::vector<std::string> states = std::vector<std::string>(3);

 private:
  std::mutex drawing_;
};

TEST(stop, inside_an_evaluation_loses_no_draw) {
  StopFlag flag{false};
  std::atomic<Index> left{1 << 30};  // evaluations until the flag is set
  const auto density =
      density::make_density(2, [&](std::span<const double> x, std::span<double> g) {
        if (--left == 0) flag = true;
        stop_if_asked();
        g[0] = -x[0], g[1] = -x[1] / 4;
        return -x[0] * x[0] / 2 - x[1] * x[1] / 8;
      });
  SampleOptions options{
      .num_chains = 3, .num_warmup = 50, .num_draws = 60, .save_warmup = true, .num_threads = 2};
  options.stop = &flag;
  Tape whole;
  EXPECT_FALSE(run_chains(*density, options, whole).interrupted);
  for (const Index stop_after : {2, 300, 900}) {
    Tape tape;
    options.states.clear();
    left = stop_after;
    EXPECT_TRUE(run_chains(*density, options, tape).interrupted);
    EXPECT_LT(tape.draws.size(), whole.draws.size());
    flag = false;
    left = 1 << 30;
    options.states = tape.states;
    EXPECT_FALSE(run_chains(*density, options, tape).interrupted);
    for (const auto& [key, draw] : whole.draws)
      ASSERT_EQ(tape.draws[key], draw) << "stopped at evaluation " << stop_after << ", chain "
                                       << key.first << ", iteration " << key.second;
  }
}

}  // namespace
}  // namespace credo::infer::stop_test
