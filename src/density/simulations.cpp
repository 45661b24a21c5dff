#include "density/simulations.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::density {
namespace {
constexpr std::size_t kWrittenAtOnce = 256;

const Model& model_of(const LogDensity& density, std::string_view algorithm) {
  if (const Model* model = density.as_model()) return *model;
  throw Error(ErrorCode::usage, "this log density simulates no data", std::string(algorithm),
              "take a Stan program whose generated quantities simulate them: "
              "docs/algorithms/abc.md");
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',')
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  }
  return names;
}
}  // namespace

Simulations::Simulations(const LogDensity& density, const SimulatedNames& names,
                         std::string_view algorithm)
    : model_(model_of(density, algorithm)), algorithm_(algorithm) {
  const auto refuse = [&](const std::string& message, const char* where, const std::string& hint) {
    return Error(ErrorCode::usage, message, where, hint);
  };
  if (names.distance.empty() == (names.simulated.empty() && names.observed.empty()))
    throw refuse("the distance between simulations and data is named by an output, or by pairs",
                 "distance",
                 "--distance NAME, or --simulated y_sim --observed y (docs/algorithms/abc.md)");
  if (!names.distance.empty()) {
    columns_ = elements_of(names.distance, "distance");
    if (ssize(columns_) == 1) return;
    throw refuse(
        fmt::format("{} has {} numbers, and a distance is one", names.distance, columns_.size()),
        "distance", "name a scalar, or take --simulated and --observed");
  }
  const std::vector<std::string> of_simulated = names_in(names.simulated),
                                 of_data = names_in(names.observed);
  if (of_simulated.size() != of_data.size())
    throw refuse(fmt::format("{} variables are simulated, and {} observed", of_simulated.size(),
                             of_data.size()),
                 "observed", "name them in pairs, with commas between them");
  const std::vector<ObservedVariable> data = all_data(model_);
  std::vector<Index> simulated, observed;  // elements; -1: in the data
  std::vector<double> values;
  for (std::size_t k = 0; k < of_data.size(); ++k) {
    const std::vector<Index> own = elements_of(of_simulated[k], "simulated");
    const auto found = std::ranges::find_if(
        data, [&](const ObservedVariable& v) { return v.variable.name == of_data[k]; });
    std::vector<Index> others;
    if (found == data.end())
      others = elements_of(of_data[k], "observed");
    else
      others.assign(found->values.size(), -1);
    if (own.size() != others.size())
      throw refuse(fmt::format("{} has {} numbers, and {} has {}", of_simulated[k], own.size(),
                               of_data[k], others.size()),
                   "observed", "name variables of the same sizes");
    simulated.insert(simulated.end(), own.begin(), own.end());
    observed.insert(observed.end(), others.begin(), others.end());
    for (std::size_t i = 0; i < others.size(); ++i)
      values.push_back(found == data.end() ? 0.0 : found->values[i]);
  }
  columns_ = simulated;
  std::ranges::copy_if(observed, std::back_inserter(columns_), [](Index e) { return e >= 0; });
  std::ranges::sort(columns_);
  const auto same = std::ranges::unique(columns_);
  columns_.erase(same.begin(), same.end());
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    Pair& pair = pairs_.emplace_back(Pair{place_of(simulated[i]), std::nullopt, values[i]});
    if (observed[i] >= 0) pair.observed = place_of(observed[i]);
  }
  if (pairs_.empty())
    throw refuse("the simulated variables have no numbers", "simulated",
                 "name variables that have some");
}

std::vector<Index> Simulations::elements_of(const std::string& name, const char* option) const {
  const Layout& outputs = model_.outputs();
  const std::optional<Index> variable = outputs.find_variable(name);
  if (!variable)
    throw Error(
        ErrorCode::usage,
        fmt::format("the program has no {}output '{}'",
                    std::string_view(option) == "observed" ? "data variable and no " : "", name),
        option, "name a variable of the generated quantities");
  const Variable& found = outputs.variables()[static_cast<std::size_t>(*variable)];
  std::vector<Index> elements(static_cast<std::size_t>(found.size()));
  std::iota(elements.begin(), elements.end(), outputs.first(*variable));
  return elements;
}

std::size_t Simulations::place_of(Index element) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(columns_, element) - columns_.begin());
}

std::string Simulations::name_of(Index difference) const {
  const std::size_t place =
      are_distances() ? 0 : pairs_[static_cast<std::size_t>(difference)].simulated;
  return model_.outputs().element_name(columns_[place]);
}

std::unique_ptr<Writer> Simulations::make_writer() const {
  return model_.writers()
      .require(model_.name())
      .make_writer(
          {.last = Block::generated_quantities, .density_prints = false, .columns = columns_});
}

void Simulations::run(Writer& writer, std::span<Simulation> simulations) const {
  std::vector<DrawRequest> requests;
  while (!simulations.empty()) {
    stop_if_asked();
    const auto some = simulations.first(std::min(kWrittenAtOnce, simulations.size()));
    simulations = simulations.subspan(some.size());
    requests.clear();
    for (const Simulation& simulation : some)
      requests.push_back({.point = simulation.position, .rng = simulation.rng});
    writer.write(requests);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::vector<double>& row = requests[i].row;
      std::vector<double>& differences = some[i].differences;
      if (are_distances()) {
        differences.assign(1, row[0]);
        continue;
      }
      differences.clear();
      for (const Pair& pair : pairs_)
        differences.push_back(row[pair.simulated] -
                              (pair.observed ? row[*pair.observed] : pair.value));
    }
  }
}

}  // namespace credo::density
