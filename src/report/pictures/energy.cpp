// The energy of Hamiltonian transitions beside its change by one refreshed momentum [betancourt2016].
#include <fmt/format.h>

#include "base/error.hpp"
#include "diagnose/summary.hpp"
#include "report/kinds.hpp"

namespace credo::report {
namespace {
constexpr Index kEnergyPlaces = 200;

Mark energy_density(const Series& values, Role role, std::string label) {
  return area_of(marginal_of({values, ssize(values), 1}, false, kEnergyPlaces), role,
                 std::move(label));
}

std::string bfmi_words(const diagnose::Chains& energy) {
  std::string words = "E-BFMI of the chains: ";
  const char* before = "";
  for (const double value : diagnose::e_bfmi(energy))
    words += fmt::format("{}{:.2f}", std::exchange(before, ", "), value);
  return words + "; below 0.3 the momentum is refreshed too little for the tails of the energy.";
}

Picture draw_energy(const Material& material, std::span<const Index>) {
  const Series energy = material.statistic("energy");
  if (energy.empty())
    throw Error(ErrorCode::usage, "the sampler doesn't report energies",
                material.subjects()[0].name, "only Hamiltonian samplers have them, such as nuts");
  const diagnose::Chains chains{energy, material.fit().num_draws(false),
                                material.fit().num_chains()};
  const double centre = diagnose::mean(energy);
  Series marginal, changes;
  for (Index c = 0; c < chains.num_chains; ++c) {
    const auto own = chains.chain(c);
    for (std::size_t s = 0; s < own.size(); ++s) {
      marginal.push_back(own[s] - centre);
      if (s > 0) changes.push_back(own[s] - own[s - 1]);
    }
  }
  Panel panel{.x = {.label = "energy, around its mean"}, .y = {.low = 0.0, .is_hidden = true}};
  panel.marks = {energy_density(marginal, Role::posterior, "energy"),
                 energy_density(changes, Role::prior, "change from draw to draw")};
  Picture picture{.kind = "energy",
                  .title = "Energy",
                  .words =
                      "Where the changes are much narrower than the energies themselves, chains "
                      "wander through the "
                      "energies slowly. " +
                      bfmi_words(chains)};
  picture.panels.push_back(std::move(panel));
  return picture;
}
}  // namespace

extern const PictureKind energy_picture{
    .name = "energy", .summary = "energies of transitions and their changes", .draw = draw_energy};

}  // namespace credo::report
