// Random programs of outputs: what the writer's program gives is what the interpreter gives, bit
// for bit, with all passes, with each of those that the writer uses left out, and with none.
#include "support/random_outputs.hpp"
#include "graph/execute/plan.hpp"
#include "model/writer.hpp"
#include "support/share.hpp"
#include "support/text_model.hpp"

namespace credo::model::random_outputs_test {
namespace {

// CREDO_RANDOM_OUTPUTS=100000 asks for more than the default.
int num_programs() {
  const char* const asked = std::getenv("CREDO_RANDOM_OUTPUTS");
  return asked != nullptr ? std::atoi(asked) : 2000;
}

constexpr std::array<const char*, 6> kPasses{"all",          "none",         "all,-fuse",
                                             "all,-selects", "all,-columns", "all,-cse"};
constexpr Index kPoints = 9;  // eight draws at once, and one

const char* const kData =
    R"({"N": 11, "x": [0.3, -0.8, 1.1, 0.2, 0.9, -1.3, 0.4, 0.1, -0.6, 1.7, 0.5],
        "r": [[1,0.2,-1],[0.3,0.5,1.7],[1,1,1],[0,-0.4,0.1],[2,0.7,0.3],[0.1,0.9,-0.2],
              [1,-1,0.5],[0.6,0.2,0.2],[1.1,0.3,-0.7],[0.5,0.5,0.1],[0.2,0.8,1.3]],
        "k": [2, 4, 1, 1, 9, 11, 5, 10, 3, 8, 7], "c": 0.4})";

std::unique_ptr<Model> model_of(const std::string& text, const std::string& passes,
                                void (*plant)(graph::Plan&) = nullptr) {
  ModelOptions options;
  options.passes = passes;
  options.plant = plant;
  return model_from(text, kData, options);
}

using Bits = std::vector<std::uint64_t>;
Bits bits_of(std::span<const double> row) {
  Bits bits;
  for (const double x : row)  // the sign of NaN isn't one of the bits that are equal everywhere
    bits.push_back(std::isnan(x) ? 0 : std::bit_cast<std::uint64_t>(x));
  return bits;
}

struct Draw {
  std::vector<double> point;
  StreamKey key;
};
std::vector<Draw> draws_for(int program, Index dimension) {
  std::vector<Draw> draws;
  for (Index k = 0; k < kPoints; ++k) {
    Draw draw{{},
              {.seed = static_cast<std::uint64_t>(program),
               .purpose = purpose::kGenerated,
               .chain = 0,
               .iteration = static_cast<std::uint32_t>(k)}};
    for (Index d = 0; d < dimension; ++d)
      draw.point.push_back(std::sin(0.7 * program + 1.3 * double(d) + 0.4 * double(k)));
    draws.push_back(std::move(draw));
  }
  return draws;
}

// Draws written one by one, or `at_once`.
std::vector<density::DrawRequest> written(const Model& model, std::span<const Draw> draws,
                                          bool at_once) {
  Writer writer(model.draw_outputs());
  std::vector<density::DrawRequest> requests;
  for (const Draw& draw : draws) requests.push_back({draw.point, Rng(draw.key)});
  if (at_once) {
    density::DrawRequest first = requests[0];
    writer.write(std::span(&first, 1));  // so that it is traced there
    writer.write(requests);
  } else {
    for (density::DrawRequest& request : requests) writer.write(std::span(&request, 1));
  }
  return requests;
}

// The first output that isn't the interpreted one, in words; empty where none is.
std::string difference(const Model& model, std::span<const Draw> draws, bool at_once) {
  const std::vector<density::DrawRequest> requests = written(model, draws, at_once);
  for (std::size_t k = 0; k < draws.size(); ++k) {
    Rng rng(draws[k].key);
    const Bits found = bits_of(requests[k].row),
               expected = bits_of(model.draw_outputs().write(draws[k].point, rng));
    const auto place = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    if (place.first == found.end() && place.second == expected.end()) continue;
    return model.options().passes + (at_once ? ", at once" : "") + ": draw " + std::to_string(k) +
           ", " + model.outputs().element_name(place.first - found.begin());
  }
  return {};
}

TEST(random_outputs, are_the_interpreted_ones_with_every_choice_of_passes) {
  for (int k = 0; k < num_programs() && !::testing::Test::HasFailure(); ++k) {
    if (!testing::in_this_share(k)) continue;
    const std::string text = testing::RandomOutputs(static_cast<std::uint64_t>(k)).text();
    try {
      for (const char* const passes : kPasses) {
        const auto model = model_of(text, passes);
        const std::vector<Draw> draws = draws_for(k, model->dimension());
        EXPECT_EQ(difference(*model, draws, false), "") << "program " << k << "\n" << text;
        if (passes != kPasses[0]) continue;
        EXPECT_EQ(difference(*model, draws, true), "") << "program " << k << "\n" << text;
      }
    } catch (const Error& e) {
      ADD_FAILURE() << "program " << k << ": " << e.where() << ": " << e.message() << "\n" << text;
    }
  }
}

// The first scalar step that reads the result of the one before it runs before it: what the
// planner once did with slices of repeated values.
void read_too_early(graph::Plan& plan) {
  for (const graph::StepGroup& group : plan.groups) {
    for (auto k = group.first + 1; !group.fused && k < group.last; ++k) {
      graph::Step &before = plan.steps[static_cast<std::size_t>(k - 1)],
                  &step = plan.steps[static_cast<std::size_t>(k)];
      const bool reads = step.form == graph::Form::row && before.form == graph::Form::row &&
                         step.num_in > 0 && step.in[0].at == before.out;
      if (reads) return std::swap(before, step);
    }
  }
}

TEST(random_outputs, show_a_value_that_is_read_before_it_is_written) {
  int first = 0;
  for (; first < 100; ++first) {
    const auto model = model_of(testing::RandomOutputs(static_cast<std::uint64_t>(first)).text(),
                                "all", read_too_early);
    if (!difference(*model, draws_for(first, model->dimension()), false).empty()) break;
  }
  EXPECT_LT(first, 100);
}

}  // namespace
}  // namespace credo::model::random_outputs_test
