#include "base/error.hpp"
#include "infer/jumps/reversible_jump.hpp"
#include "models/ready/ready_models.hpp"

namespace credo::models {
namespace {
namespace rj = infer::rj;

// Objects that a run refers to; jumps hold a reference to the family.
struct Network {
  explicit Network(const RbfProblem& given)
      : problem(make_rbf(given)),
        family(full_family(problem, infer::kernel("nuts"))),
        jumps(family, full_rbf_jumps(problem, {})) {}

  SharedRbf problem;
  rj::Family family;
  rj::Jumps jumps;
};
}  // namespace

// A draw is (k, log s, b_0, b, (mu_1, a_1), ..., zeros).
Ready radial_basis_model(const RbfProblem& problem, std::vector<double> at) {
  const auto network = std::make_shared<const Network>(problem);
  const auto width = static_cast<std::size_t>(problem.num_inputs);
  if (at.size() % width != 0)
    throw Error(ErrorCode::data, "predictions need points of as many numbers as inputs have", "at");
  const auto num_points = static_cast<Index>(at.size() / width);
  const WriteState write = [network, at = std::move(at), width](std::span<const double> state) {
    const auto model = static_cast<Index>(state[0]);
    const auto x_k =
        state.subspan(1, static_cast<std::size_t>(network->family.dimension_of(model)));
    std::vector<double> row{state[0], std::exp(x_k[0])};
    for (std::size_t i = 0; i < at.size(); i += width)
      row.push_back(full_prediction(*network->problem, x_k, std::span(at).subspan(i, width)));
    return row;
  };
  const std::shared_ptr<const density::LogDensity> density(network, &network->family);
  return {.algorithm = "reversible_jump",
          .model = named("radial_basis", density,
                         {{.name = "num_centres", .kind = density::Kind::whole},
                          {.name = "noise_sd"},
                          {.name = "prediction", .dims = {num_points}}},
                         write),
          .run = [network](const infer::SampleOptions& options, infer::DrawSink& sink) {
            return rj::run(network->jumps, options, sink);
          }};
}

}  // namespace credo::models
