#include "verdict/tied.hpp"

#include "diagnose/chains.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::verdict {
namespace {
constexpr Index kMostTiedDimensions = 300;
constexpr Index kTiedDraws = 4;
constexpr std::size_t kMostMoves = 40;
// Bound of the smallest eigenvalue of a correlation matrix of information: if a direction is not known
// at all, rounding. A parabola in the year itself, not centred, has 1e-10.
constexpr double kSingular = 1e-12;
constexpr double kKnown = 1e-9;       // information relative to all second derivatives: rounding
constexpr double kTakesPart = 1e-3;   // of a direction's length
constexpr double kWideFactor = 0.28;  // standard deviation of a logarithm or logit
constexpr double kWideSum = 1.0;      // of a vector's mean, in those of its elements

// One way to move a variable: a sum or a factor for all of its unconstrained values.
struct FreeMove {
  const Variable* variable = nullptr;
  std::vector<std::size_t> coordinates = {};
  bool is_factor = false;
  std::vector<double> at(std::span<const double> point) const {
    std::vector<double> along(point.size(), 0.0);
    for (const std::size_t d : coordinates) along[d] = is_factor ? point[d] : 1.0;
    return along;
  }
};

std::vector<std::size_t> coordinates_of(const Probe& probe, std::string_view variable) {
  std::vector<std::size_t> all;
  for (std::size_t d = 0; d < probe.names().size(); ++d)
    if (std::string_view(probe.names()[d]).substr(0, probe.names()[d].find('.')) == variable)
      all.push_back(d);
  return all;
}

}  // namespace

bool has_distribution_of_parameters(const density::ProgramFacts& program, std::string_view name) {
  if (program.find_parameter(name) == nullptr) return false;
  const auto is_parameter = [&](Index v) {
    const density::Block block = program.variables[static_cast<std::size_t>(v)].block;
    return block == density::Block::parameters || block == density::Block::transformed_parameters;
  };
  const Index here = program.find_parameter(name) - program.variables.data();
  return std::any_of(
      program.densities.begin(), program.densities.end(), [&](const density::StatedDensity& use) {
        const std::span<const density::StatedArgument> arguments = use.arguments;
        return arguments.front().variable == here &&
               std::any_of(arguments.begin() + 1, arguments.end(),
                           [&](const density::StatedArgument& argument) {
                             return std::any_of(argument.mentions.begin(), argument.mentions.end(),
                                                is_parameter);
                           });
      });
}

namespace {

// Matrices and gradients at a few draws, of the likelihood and of the prior.
class Information {
 public:
  explicit Information(const density::Model& model)
      : prior_(model.asking({.terms = density::Terms::prior})),
        likelihood_(model.asking({.terms = density::Terms::likelihood})),
        likelihood_evaluator_(likelihood_->make_evaluator()),
        prior_evaluator_(prior_->make_evaluator()),
        size_(static_cast<std::size_t>(model.dimension())) {}

  struct At {
    std::vector<double> of_likelihood, of_prior, prior_gradient;  // D × D, D × D, D
  };
  // Nullopt if the program can't be evaluated.
  std::optional<At> at(std::span<const double> point) {
    At here{.of_likelihood = std::vector<double>(size_ * size_),
            .of_prior = std::vector<double>(size_ * size_),
            .prior_gradient = std::vector<double>(size_)};
    if (!ask(*likelihood_evaluator_, density::Want::information,
             {.position = point, .gradient = {}, .status = {}, .matrix = here.of_likelihood}) ||
        !ask(*prior_evaluator_, density::Want::hessian,
             {.position = point, .gradient = {}, .status = {}, .matrix = here.of_prior}) ||
        !ask(*prior_evaluator_, density::Want::gradient,
             {.position = point, .gradient = here.prior_gradient, .status = {}}))
      return std::nullopt;
    return here;
  }

 private:
  static bool ask(density::Evaluator& evaluator, density::Want want, density::Request request) {
    try {
      evaluator.evaluate(want, std::array{&request});
      return request.status.ok();
    } catch (const Error&) {  // a term whose information isn't known
      return false;
    }
  }

  std::unique_ptr<density::Model> prior_, likelihood_;
  std::unique_ptr<density::Evaluator> likelihood_evaluator_, prior_evaluator_;
  std::size_t size_;
};

double form(std::span<const double> matrix, std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] == 0.0) continue;
    for (std::size_t j = 0; j < n; ++j) sum += x[i] * matrix[i * n + j] * y[j];
  }
  return sum;
}

// A prior whose slope is minus the value itself: standard normal.
bool is_standard_normal(const FreeMove& move, std::span<const double> point,
                        std::span<const double> prior_gradient) {
  return std::all_of(move.coordinates.begin(), move.coordinates.end(), [&](std::size_t d) {
    return std::fabs(prior_gradient[d] + point[d]) < 1e-9 * (1.0 + std::fabs(point[d]));
  });
}

double sd(std::span<const double> values) { return std::sqrt(diagnose::variance(values)); }

// True if the draws leave much room along the move: a vector as a whole it goes further than its
// elements lie apart, or by large factors, as a positive scalar does. A combination that a prior determines needn't
// be reported: the prior is an explicit statement about it.
bool is_wide(const Probe& probe, const FreeMove& move, bool in_logarithms) {
  std::vector<double> sizes;
  double within = 0.0;
  for (Index m = 0; m < probe.num_points(); ++m) {
    std::vector<double> elements;
    for (const std::size_t d : move.coordinates) elements.push_back(probe.point(m)[d]);
    double squares = 0.0;
    for (const double x : elements) squares += x * x;
    sizes.push_back(move.is_factor ? 0.5 * std::log(squares) : diagnose::mean(elements));
    within += sd(elements) / static_cast<double>(probe.num_points());
  }
  return sd(sizes) > (move.is_factor || in_logarithms ? kWideFactor : kWideSum * within);
}

void add_moves(const Case& at_hand, const Probe& probe, const Variable& variable,
               const Information::At& first, std::vector<FreeMove>& moves) {
  const auto* parameter = at_hand.evidence.program->find_parameter(variable.name);
  if (!variable.sampled || parameter == nullptr ||
      has_distribution_of_parameters(*at_hand.evidence.program, variable.name))
    return;
  FreeMove move{.variable = &variable, .coordinates = coordinates_of(probe, variable.name)};
  if (move.coordinates.empty()) return;
  const Reach reach = probe.reach(static_cast<Index>(move.coordinates.front()));
  if (variable.dims.empty()) {
    if (reach == Reach::linear || is_wide(probe, move, true)) moves.push_back(move);
    return;
  }
  if (ssize(move.coordinates) < 2 || ssize(move.coordinates) != variable.count) return;
  if (reach == Reach::bounded || is_standard_normal(move, probe.point(0), first.prior_gradient))
    return;
  if (is_wide(probe, move, reach == Reach::exponential)) moves.push_back(move);
  move.is_factor = true;
  if (reach == Reach::linear && is_wide(probe, move, false)) moves.push_back(move);
}

// Information of the likelihood about the moves: K × K correlations; a move that it doesn't know at
// all has 0 everywhere.
struct Known {
  std::vector<double> correlations;
  std::vector<char> is_known;
};

Known known_at(std::span<const FreeMove> moves, std::span<const double> point,
               const Information::At& here) {
  const std::size_t n = moves.size();
  std::vector<std::vector<double>> along;
  for (const FreeMove& move : moves) along.push_back(move.at(point));
  std::vector<double> gram(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      gram[i * n + j] = gram[j * n + i] = form(here.of_likelihood, along[i], along[j]);
  Known known{.correlations = std::vector<double>(n * n, 0.0), .is_known = {}};
  for (std::size_t i = 0; i < n; ++i) {
    const double others = std::fabs(form(here.of_prior, along[i], along[i]));
    known.is_known.push_back(gram[i * n + i] > kKnown * (gram[i * n + i] + others));
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (known.is_known[i] && known.is_known[j])
        known.correlations[i * n + j] =
            gram[i * n + j] / std::sqrt(gram[i * n + i] * gram[j * n + j]);
  return known;
}

// True if there is a direction of just these moves that the likelihood doesn't know.
bool is_singular(const Known& known, std::size_t num_moves, std::span<const std::size_t> set) {
  std::vector<double> part;
  for (const std::size_t i : set) {
    if (!known.is_known[i]) return false;
    for (const std::size_t j : set) part.push_back(known.correlations[i * num_moves + j]);
  }
  const numerics::SymmetricEigen eigen({ssize(set), ssize(set), std::move(part)});
  const auto along = eigen.vector(0);
  return eigen.values.front() < kSingular && std::all_of(along.begin(), along.end(), [](double x) {
           return std::fabs(x) > kTakesPart;
         });
}

std::vector<std::vector<std::size_t>> pairs_and_triples(std::span<const FreeMove> moves) {
  const auto differ = [&](std::size_t a, std::size_t b) {
    return moves[a].variable != moves[b].variable;
  };
  std::vector<std::vector<std::size_t>> pairs, triples;
  for (std::size_t i = 0; i < moves.size(); ++i)
    for (std::size_t j = i + 1; j < moves.size(); ++j) {
      if (!differ(i, j)) continue;
      pairs.push_back({i, j});
      for (std::size_t k = j + 1; k < moves.size(); ++k)
        if (differ(i, k) && differ(j, k)) triples.push_back({i, j, k});
    }
  pairs.insert(pairs.end(), triples.begin(), triples.end());
  return pairs;
}

std::vector<FreeMove> moves_of(const Case& at_hand, const Probe& probe,
                               const Information::At& first) {
  std::vector<FreeMove> moves;
  for (const Variable& variable : at_hand.evidence.variables)
    add_moves(at_hand, probe, variable, first, moves);
  return moves;
}

bool can_be_asked(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || at_hand.evidence.program == nullptr) return false;
  const density::Model& model = *at_hand.evidence.model;
  return model.has_information() && model.dimension() <= kMostTiedDimensions &&
         model.can({.terms = density::Terms::prior}, probe->point(0)).can &&
         probe->budget() > 2 * kTiedDraws * model.dimension();
}
}  // namespace

std::optional<Tied> tied_of(const Case& at_hand) {
  if (!can_be_asked(at_hand)) return std::nullopt;
  const Probe& probe = *at_hand.probe();
  Information information(*at_hand.evidence.model);
  std::vector<FreeMove> moves;
  std::vector<Known> known;
  for (Index k = 0; k < kTiedDraws; ++k) {
    const std::vector<double>& point = probe.point(k * (probe.num_points() - 1) / (kTiedDraws - 1));
    const auto here = information.at(point);
    probe.spend(2 * probe.dimension());
    if (!here) return std::nullopt;
    if (k == 0) moves = moves_of(at_hand, probe, *here);
    if (moves.size() < 2 || moves.size() > kMostMoves) return std::nullopt;
    known.push_back(known_at(moves, point, *here));
  }
  for (const auto& set : pairs_and_triples(moves)) {
    if (!std::all_of(known.begin(), known.end(),
                     [&](const Known& at) { return is_singular(at, moves.size(), set); }))
      continue;
    Tied tied;
    for (const std::size_t k : set) tied.variables.push_back(moves[k].variable->name);
    return tied;
  }
  return std::nullopt;
}

}  // namespace credo::verdict
