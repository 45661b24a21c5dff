// A steady-state evaluation allocates nothing, for every shipped program and number of lanes.
#include "support/alloc_count.hpp"

#include <filesystem>

#include "io/json_reader.hpp"
#include "model/model.hpp"

CREDO_COUNT_ALLOCATIONS

namespace credo::model::steady_state_test {
namespace {
namespace fs = std::filesystem;

struct Batch {
  Batch(Index lanes, Index dimension) {
    for (Index l = 0; l < lanes; ++l) {
      positions.emplace_back(static_cast<std::size_t>(dimension), 0.1 * double(l + 1));
      gradients.emplace_back(static_cast<std::size_t>(dimension));
    }
    for (std::size_t l = 0; l < positions.size(); ++l)
      requests.push_back({positions[l], gradients[l], -kInfinity, {}});
    for (auto& request : requests) pointers.push_back(&request);
  }
  std::vector<std::vector<double>> positions, gradients;
  std::vector<density::Request> requests;
  std::vector<density::Request*> pointers;
};

TEST(steady_state, evaluates_without_an_allocation) {
  int programs = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(CREDO_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() != ".stan") continue;
    const std::string path = entry.path().string();
    lang::Diagnostics diagnostics;
    lang::SourceMap source;
    const Model model(compile_file(path, diagnostics, source),
                      io::read_json_data(path.substr(0, path.size() - 5) + ".data.json"), {});
    const auto evaluator = model.make_evaluator();
    for (const Index lanes : {1, 2, 4, 8}) {
      Batch batch(lanes, model.dimension());
      evaluator->evaluate(density::Want::gradient, batch.pointers);
      const testing::AllocationCount count;
      for (int round = 0; round < 10; ++round)
        evaluator->evaluate(density::Want::gradient, batch.pointers);
      EXPECT_EQ(count.value(), 0) << path << ", " << lanes << " lanes";
      EXPECT_TRUE(std::isfinite(batch.requests[0].log_density)) << path;
    }
    ++programs;
  }
  EXPECT_GE(programs, 4);
}

// Power: the counter sees an allocation.
TEST(steady_state, counts_an_allocation) {
  const testing::AllocationCount count;
  const auto memory = std::make_unique<std::vector<double>>(100);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_GE(count.value(), 2);
#endif
  EXPECT_EQ(memory->size(), 100u);
}

}  // namespace
}  // namespace credo::model::steady_state_test
