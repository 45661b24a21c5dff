#include "model/prior/prior_tails.hpp"

#include "base/error.hpp"
#include "model/densities.hpp"

namespace credo::model {
namespace {
constexpr int kPoints = 3;
constexpr Index kMostCoordinates = 50;  // coordinates of a parameter, tested one by one

// Distances at which a prior is tested. The unconstrained value of a parameter with one bound is a logarithm, along
// which the density must fall; along other coordinates it must fall faster than 1 / distance.
struct WayOut {
  double near, far;
  double least_fall;  // least fall of the log density, near to far
};
const WayOut kLinear{1e20, 1e22, std::log(1e2)};
const WayOut kLogarithmic{100.0, 300.0, 1e-4};

class PriorDensity {
 public:
  explicit PriorDensity(const Densities& densities)
      : prior_(densities.parts(), densities, {.terms = density::Terms::prior}),
        evaluator_(prior_.make_evaluator()) {}

  // True if the density is known and so high on one side of each point that its integral diverges.
  bool diverges(std::span<const double> direction, const WayOut& way) {
    for (const double sign : {-1.0, 1.0}) {
      int num_points = 0;
      for (; num_points < kPoints; ++num_points)
        if (!stays_high(num_points, direction, sign, way)) break;
      if (num_points == kPoints) return true;
    }
    return false;
  }

 private:
  bool stays_high(int point, std::span<const double> direction, double sign, const WayOut& way) {
    const double near = value(point, direction, sign * way.near),
                 far = value(point, direction, sign * way.far);
    return std::isfinite(near) && std::isfinite(far) && near - far < way.least_fall * (1.0 + 1e-6);
  }
  double value(int point, std::span<const double> direction, double distance) {
    std::vector<double> at(static_cast<std::size_t>(prior_.dimension()));
    for (std::size_t i = 0; i < at.size(); ++i)
      at[i] = 0.7 * std::sin(1.9 * static_cast<double>(i) + point) + distance * direction[i];
    density::Request request{.position = at, .gradient = {}, .status = {}};
    evaluator_->evaluate(density::Want::value, std::array{&request});
    return request.status.ok() ? request.log_density : kNaN;
  }

  Densities prior_;
  std::unique_ptr<density::Evaluator> evaluator_;
};

const WayOut* way_out(const lang::typed::SizedType& type) {
  using lang::typed::Constraint;
  const bool is_linear = type.constraint == Constraint::none ||
                         type.constraint == Constraint::affine ||
                         type.constraint == Constraint::ordered;
  if (is_linear) return &kLinear;
  const bool has_one_bound =
      type.constraint == Constraint::bounds && (type.lower == nullptr) != (type.upper == nullptr);
  return has_one_bound ? &kLogarithmic : nullptr;
}

bool is_improper(const ProgramParts& parts, PriorDensity& prior, const std::string& parameter) {
  const auto& globals = parts.data.source().program.globals;
  const auto global = std::ranges::find_if(
      globals, [&](const lang::typed::GlobalVariable& g) { return g.name == parameter; });
  if (global == globals.end() || global->sized_type == nullptr) return false;
  const WayOut* way = way_out(*global->sized_type);
  const density::Layout& layout = parts.parameters.free();
  const std::optional<Index> variable = layout.find_variable(parameter);
  if (way == nullptr || !variable) return false;
  const auto first = static_cast<std::size_t>(layout.first(*variable));
  const Index size = layout.variables()[static_cast<std::size_t>(*variable)].size();
  std::vector<double> direction(static_cast<std::size_t>(layout.size()), 0.0);
  for (Index i = 0; i < std::min(size, kMostCoordinates); ++i) {
    direction[first + static_cast<std::size_t>(i)] = 1.0;
    if (prior.diverges(direction, *way)) return true;
    direction[first + static_cast<std::size_t>(i)] = 0.0;
  }
  for (Index i = 0; i < size; ++i) direction[first + static_cast<std::size_t>(i)] = 1.0;
  return size > 1 && prior.diverges(direction, *way);
}
}  // namespace

void find_improper(const Densities& densities, density::PriorMass& mass) {
  if (mass.not_judged.empty() || densities.sites().are_sampled()) return;
  try {
    PriorDensity prior(densities);
    std::vector<density::PriorMass::Part> left;
    for (density::PriorMass::Part& part : mass.not_judged) {
      if (!is_improper(densities.parts(), prior, part.parameter)) {
        left.push_back(std::move(part));
        continue;
      }
      part.reason = "has a prior that doesn't fall off, so that its integral is infinite";
      part.log_mass = kInfinity;
      mass.improper.push_back(std::move(part));
    }
    mass.not_judged = std::move(left);
  } catch (const Error&) {  // prior and likelihood can't be separated: the priors aren't judged
  }
}

}  // namespace credo::model
