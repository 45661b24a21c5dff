// Random programs of outputs: what the writer's program gives is what the interpreter gives, bit
// for bit, with all passes, with each of those that the writer uses left out, and with none.
#include "support/random_outputs.hpp"
#include "model/writer.hpp"
#include "support/text_model.hpp"

namespace credo::model {
namespace {

// CREDO_RANDOM_OUTPUTS=100000 asks for more than the default.
int num_programs() {
  const char* const asked = std::getenv("CREDO_RANDOM_OUTPUTS");
  return asked != nullptr ? std::atoi(asked) : 3000;
}

constexpr std::array<const char*, 6> kPasses{"all",          "none",         "all,-fuse",
                                             "all,-selects", "all,-columns", "all,-cse"};
constexpr Index kPoints = 3;

const char* const kData =
    R"({"N": 11, "x": [0.3, -0.8, 1.1, 0.2, 0.9, -1.3, 0.4, 0.1, -0.6, 1.7, 0.5],
        "r": [[1,0.2,-1],[0.3,0.5,1.7],[1,1,1],[0,-0.4,0.1],[2,0.7,0.3],[0.1,0.9,-0.2],
              [1,-1,0.5],[0.6,0.2,0.2],[1.1,0.3,-0.7],[0.5,0.5,0.1],[0.2,0.8,1.3]],
        "k": [2, 4, 1, 1, 9, 11, 5, 10, 3, 8, 7], "c": 0.4})";

std::unique_ptr<Model> model_of(const std::string& text, const std::string& passes) {
  ModelOptions options;
  options.passes = passes;
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

// The first output that differs, in words; empty where none does.
std::string difference(const Model& model, std::span<const Draw> draws) {
  Writer writer(model);
  for (const Draw& draw : draws) {
    Rng one(draw.key), other(draw.key);
    std::vector<double> row;
    writer.write(draw.point, one, row);
    const Bits found = bits_of(row), expected = bits_of(model.write(draw.point, other));
    const auto place = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    if (place.first == found.end() && place.second == expected.end()) continue;
    return model.options().passes + ": draw " + std::to_string(draw.key.iteration) + ", " +
           model.output_columns()[static_cast<std::size_t>(place.first - found.begin())];
  }
  return {};
}

TEST(random_outputs, are_the_interpreted_ones_with_every_choice_of_passes) {
  for (int k = 0; k < num_programs() && !::testing::Test::HasFailure(); ++k) {
    const std::string text = testing::RandomOutputs(static_cast<std::uint64_t>(k)).text();
    try {
      for (const char* const passes : kPasses) {
        const auto model = model_of(text, passes);
        EXPECT_EQ(difference(*model, draws_for(k, model->dimension())), "")
            << "program " << k << "\n"
            << text;
      }
    } catch (const Error& e) {
      ADD_FAILURE() << "program " << k << ": " << e.where() << ": " << e.message() << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace credo::model
