// Chains that hardly found an initial point. If the density is zero on half of the points that
// chains may begin at, 20 tries come once in a million chains, 8 (a note) once in 250. Chains may
// be lucky: where they took more than two tries on average and the density can be asked, so are 100
// points like theirs, and fewer than 15 possible ones are a note, too. They are drawn from the
// stated priors where a chain began outside of the cube of uniform points.
#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict::initial_values_row {
namespace {
// The statement that refuses points which are drawn as the chains' initial points are.
struct Refusal {
  double share = 0.0;  // share of all points
  std::int32_t statement = 0;
  std::string reason = {};
  std::vector<std::string> parameters = {};  // mentioned by the statement
};
std::optional<Refusal> what_refuses(const Case& at_hand);

constexpr Index kManyTries = 20, kNote = 8;
constexpr Index kUsual = 2;           // tries a chain
constexpr double kImpossible = 0.85;  // of random points
constexpr Index kPoints = 100;
constexpr double kRadius = 2.0;  // radius of uniform initial points, unless the run has its own

// Tries of each chain; an ensemble begins with many points, and each counts for itself.
std::vector<Index> tries_of(const Evidence& evidence) {
  std::vector<Index> tries = evidence.init_tries;
  const Index points = evidence.run == nullptr ? 1 : evidence.run->num_walkers;
  for (Index& t : tries) t = (t + points - 1) / points;
  return tries;
}

std::vector<Finding> check(const Case& at_hand) {
  const std::vector<Index> tries = tries_of(at_hand.evidence);
  if (tries.empty()) return {};
  const Index most = *std::max_element(tries.begin(), tries.end());
  const Index all = std::accumulate(tries.begin(), tries.end(), Index{0});
  if (most < kNote && all <= kUsual * ssize(tries)) return {};
  const auto refusal = what_refuses(at_hand);
  if (most < kNote && (!refusal || refusal->share < kImpossible)) return {};
  Finding finding{
      .id = "initial_values",
      .level = most >= kManyTries ? Level::warning : Level::note,
      .text = "A chain took up to " + counted(most, "random point") +
              " to find one with a finite density: most of the space where chains begin is "
              "impossible.",
      .remedy =
          "Declare the constraints that the densities need (real<lower=0> for a scale), give "
          "initial values with --init FILE, or a smaller radius with --init 0.5."};
  if (refusal) {
    finding.text += " Most often refused: " + refusal->reason + ".";
    finding.parameters = refusal->parameters;
    if (refusal->statement > 0)
      finding.place =
          at_hand.evidence.program->statements[static_cast<std::size_t>(refusal->statement)];
  }
  return {finding};
}

std::vector<std::string> parameters_in(const density::ProgramFacts& program,
                                       std::int32_t statement) {
  std::vector<std::string> names;
  for (const density::StatedDensity& use : program.densities) {
    if (use.statement != statement) continue;
    for (Index v = 0; v < ssize(program.variables); ++v) {
      const density::StatedVariable& variable = program.variables[static_cast<std::size_t>(v)];
      const bool is_read = std::any_of(use.arguments.begin(), use.arguments.end(),
                                       [&](const auto& argument) { return argument.reads(v); });
      if (variable.block == density::Block::parameters && is_read) names.push_back(variable.name);
    }
  }
  return names;
}

// Standard deviation of a coordinate.
double spread(std::span<const std::vector<double>> points, std::size_t d) {
  const auto count = static_cast<double>(points.size());
  double sum = 0.0, squares = 0.0;
  for (const std::vector<double>& point : points) sum += point[d];
  for (const std::vector<double>& point : points)
    squares += (point[d] - sum / count) * (point[d] - sum / count);
  return std::sqrt(squares / count);
}

// The coordinate that separates refused points from others best; nullopt if none does.
std::optional<std::size_t> separating_coordinate(std::span<const std::vector<double>> points,
                                                 std::span<const char> refused) {
  std::optional<std::size_t> best;
  double largest = 3.0;  // standard errors
  for (std::size_t d = 0; d < points.front().size(); ++d) {
    double in = 0.0, out = 0.0, num_in = 0.0, num_out = 0.0;
    for (std::size_t m = 0; m < points.size(); ++m)
      (refused[m] ? out : in) += points[m][d], ++(refused[m] ? num_out : num_in);
    if (num_in == 0.0 || num_out == 0.0) return std::nullopt;
    const double z = std::fabs(in / num_in - out / num_out) /
                     (spread(points, d) * std::sqrt(1.0 / num_in + 1.0 / num_out));
    if (z > largest) largest = z, best = d;
  }
  return best;
}

bool began_outside_the_cube(const infer::RunResult& run) {
  return std::any_of(run.chains.begin(), run.chains.end(), [](const infer::ChainResult& chain) {
    return std::any_of(chain.initial_point.begin(), chain.initial_point.end(),
                       [](double x) { return std::fabs(x) > kRadius; });
  });
}

// A point that is drawn as the run drew its initial points.
std::vector<double> random_point(const Case& at_hand, Rng& rng) {
  const infer::RunResult* run = at_hand.evidence.run;
  if (run != nullptr && began_outside_the_cube(*run)) {
    auto start = at_hand.evidence.model->draw_start(rng, kRadius);
    if (start && ssize(start->position) == at_hand.probe()->dimension()) return start->position;
  }
  std::vector<double> point(static_cast<std::size_t>(at_hand.probe()->dimension()));
  for (double& x : point) x = rng.uniform(-kRadius, kRadius);
  return point;
}

std::optional<Refusal> what_refuses(const Case& at_hand) {
  const Probe* probe = at_hand.probe();
  if (probe == nullptr || at_hand.evidence.program == nullptr) return std::nullopt;
  Rng rng({.seed = 1, .purpose = purpose::kInitialPoint, .chain = 0, .iteration = 0});
  std::map<std::int32_t, Index> counts;
  std::map<std::int32_t, density::Status> examples;
  std::vector<std::vector<double>> points;
  std::vector<char> refused;
  for (Index k = 0; k < kPoints; ++k) {
    std::vector<double> point = random_point(at_hand, rng);
    const density::Status status = probe->status(point);
    refused.push_back(!status.ok());
    points.push_back(std::move(point));
    if (status.ok()) continue;
    ++counts[status.source];
    examples.try_emplace(status.source, status);
  }
  if (counts.empty()) return std::nullopt;
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const density::Status& status = examples.at(most->first);
  Refusal refusal{.share = static_cast<double>(std::count(refused.begin(), refused.end(), 1)) /
                           static_cast<double>(kPoints),
                  .statement = refused_by(*at_hand.evidence.model, status).statement,
                  .reason = at_hand.evidence.model->describe(status)};
  if (const auto d = separating_coordinate(points, refused))
    refusal.parameters.push_back(probe->names()[*d]);
  else
    refusal.parameters = parameters_in(*at_hand.evidence.program, refusal.statement);
  return refusal;
}
}  // namespace

const FindingSpec initial_values{
    .id = "initial_values", .title = "trouble to find a start", .explains = {}, .check = check};

}  // namespace credo::verdict::initial_values_row
