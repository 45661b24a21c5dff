// sar("edges.csv", gr = region): errors u of a normal outcome, one row for each region, that depend on the mean of those of the
// neighbours: u = rho W u + e [anselin1988], where the rows of W have the sum 1. With type = "lag" the outcome itself depends on those of
// the neighbours: y = rho W y + eta + e.
#include <fmt/format.h>

#include "models/regression/neighbours.hpp"
#include "models/regression/smooths/smooth_call.hpp"
#include "models/regression/special.hpp"

namespace credo::models {
namespace {
constexpr std::array<std::string_view, 2> kOptions{"gr", "type"};
constexpr const char* kUsage = "sar(\"edges.csv\", gr = region), or with type = \"lag\"";

constexpr std::string_view kRows = R"(  // The row of each region, which has exactly one.
  array[] int rows_of_regions(array[] int region, int number) {
    array[number] int row = rep_array(0, number);
    for (n in 1:size(region)) {
      if (row[region[n]] > 0) reject("two rows have one region: ", row[region[n]], " and ", n);
      row[region[n]] = n;
    }
    if (min(row) == 0) reject("a region has no row, and the errors of its neighbours depend on it");
    return row;
  }
)";
constexpr std::string_view kMeans =
    R"(  // The mean of the neighbours of each region, 0 without neighbours.
  vector neighbour_means(vector u, array[,] int edges, vector degree) {
    vector[rows(u)] sums = rep_vector(0, rows(u));
    for (k in 1:dims(edges)[1]) {
      sums[edges[k, 1]] += u[edges[k, 2]];
      sums[edges[k, 2]] += u[edges[k, 1]];
    }
    return sums ./ fmax(degree, 1);
  }
)";
constexpr std::string_view kDensity =
    R"(  // row: the row of each region; values: the eigenvalues of W.
  real simultaneous_lpdf(vector y, vector eta, vector sigma, real rho, array[] int row,
                         array[,] int edges, vector degree, vector values) {
    vector[rows(y)] u = (y - eta)[row];
    return normal_lpdf(u - rho * neighbour_means(u, edges, degree) | 0, sigma[row])
           + sum(log1p(-rho * values));
  }
)";
constexpr std::string_view kDraw = R"(  vector simultaneous_rng(vector eta, vector sigma, real rho, array[] int row, array[,] int edges,
                          vector degree, vector values) {
    vector[rows(eta)] made = eta;
    made[row] += solved_for_regions(to_vector(normal_rng(rep_vector(0, rows(eta)), sigma[row])),
                                    rho, edges, degree);
    return made;
  }
)";
constexpr std::string_view kSolved = R"(  // Solves u - rho W u = e.
  vector solved_for_regions(vector e, real rho, array[,] int edges, vector degree) {
    int size = rows(e);
    matrix[size, size] system = identity_matrix(size);
    for (k in 1:dims(edges)[1]) {
      system[edges[k, 1], edges[k, 2]] = -rho / degree[edges[k, 1]];
      system[edges[k, 2], edges[k, 1]] = -rho / degree[edges[k, 2]];
    }
    return system \ e;
  }
)";
constexpr std::string_view kLagDensity =
    R"(  real regional_lag_lpdf(vector y, vector eta, vector sigma, real rho, array[] int row,
                         array[,] int edges, vector degree, vector values) {
    vector[rows(y)] own = y[row];
    return normal_lpdf(own - rho * neighbour_means(own, edges, degree) | eta[row], sigma[row])
           + sum(log1p(-rho * values));
  }
)";
constexpr std::string_view kLagDraw =
    R"(  vector regional_lag_rng(vector eta, vector sigma, real rho, array[] int row, array[,] int edges,
                          vector degree, vector values) {
    vector[rows(eta)] made;
    made[row] = solved_for_regions(to_vector(normal_rng(eta[row], sigma[row])), rho, edges, degree);
    return made;
  }
)";
constexpr std::string_view kLagMean =
    R"(  vector regional_lag_mean(vector eta, vector sigma, real rho, array[] int row, array[,] int edges,
                           vector degree, vector values) {
    vector[rows(eta)] made;
    made[row] = solved_for_regions(eta[row], rho, edges, degree);
    return made;
  }
)";

bool use(const Expression& call, Frame& frame) {
  const std::size_t before = frame.faults().size();
  const SmoothCall read = read_smooth_call(call, kOptions, frame);
  const Expression *const group = read.option("gr"), *const type = read.option("type");
  if (read.columns.size() > 1) frame.faults().add(call.place, "sar() has other arguments", kUsage);
  if (type != nullptr && type->word != "error" && type->word != "lag")
    frame.faults().add(type->place, fmt::format("there is no type {}", type->text()),
                       "type = \"error\", the default here, or type = \"lag\"");
  if (group == nullptr)
    frame.faults().add(call.place, "sar() needs the column of the regions", kUsage);
  else
    use_smooth_column(*group, true, frame);
  return frame.faults().size() == before;
}

// Every region of the file has one row, and no other region has.
bool check_rows(const Neighbours& field, const UsedColumn& region, const Expression& path,
                Frame& frame) {
  const std::vector<std::string> levels = frame.levels(region.name);
  if (!places_of(levels, field.names, path, region.column, frame.faults())) return false;
  std::vector<Index> count(levels.size(), 0);
  const std::vector<std::int32_t> codes = frame.codes(region.name);
  for (std::size_t n = 0; n < codes.size(); ++n)
    if (++count[static_cast<std::size_t>(codes[n] - 1)] == 2) {
      frame.faults().add_of_table(
          frame.where(region.name, static_cast<Index>(n)),
          fmt::format("{} has two rows", levels[static_cast<std::size_t>(codes[n] - 1)]),
          "errors of sar() are those of one row for each region; car() takes several");
      return false;
    }
  for (const std::string& name : field.names)
    if (std::ranges::find(levels, name) == levels.end()) {
      frame.faults().add(
          path.place,
          fmt::format("{} has no row in the table, and its neighbours' errors depend on it", name),
          "leave its pairs out of the file");
      return false;
    }
  return true;
}

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const SmoothCall read = read_smooth_call(call, kOptions, context.frame);
  const Expression& path = *read.columns[0];
  if (!context.no_residuals.empty()) {
    context.frame.faults().add(call.place,
                               fmt::format("{}: {}", call.text(), context.no_residuals));
    return std::nullopt;
  }
  const auto field = read_neighbours(path, context.frame);
  if (!field) return std::nullopt;
  const UsedColumn region =
      *context.frame.use(column_of_levels(*read.option("gr")), ColumnRole::factor);
  if (!check_rows(*field, region, path, context.frame)) return std::nullopt;
  SpecialBlock block;
  block.text = fmt::format("sar({})", region.column);
  const auto constant = [&](ProgramConstant made) {
    made.name = context.name(made.name, region.name);
    context.parts.constants.push_back(made);
    return made.name;
  };
  const auto places = places_of(context.frame.levels(region.name), field->names, path,
                                region.column, context.frame.faults());
  ProgramConstant of{.name = "region_of",
                     .dims = {ssize(*places)},
                     .is_whole = true,
                     .comment = "the region of each level"},
      edges{.name = "edges",
            .dims = {ssize(field->pairs), 2},
            .is_whole = true,
            .comment = "neighbours"};
  for (const Index place : *places) of.values.push_back(static_cast<double>(place + 1));
  for (const auto& [a, b] : field->pairs)
    for (const Index k : {a, b}) edges.values.push_back(static_cast<double>(k + 1));
  const std::vector<Index> degrees = field->degrees();
  const std::vector<double> values = neighbour_eigenvalues(*field);
  const Index number = ssize(field->names);
  const std::string region_of = constant(std::move(of)), row = context.name("row_of", region.name),
                    rho = context.name("rho_sar", region.name),
                    arguments =
                        fmt::format("{}, {}, {}, {}, {}", rho, row, constant(std::move(edges)),
                                    constant({.name = "degree",
                                              .dims = {number},
                                              .values = {degrees.begin(), degrees.end()},
                                              .comment = "numbers of neighbours"}),
                                    constant({.name = "values",
                                              .dims = {number},
                                              .values = values,
                                              .comment = "eigenvalues"}));
  context.parts.prepared.push_back(fmt::format("array[{}] int {} = rows_of_regions({}[{}], {});",
                                               number, row, region_of, region.name, number));
  const double least = *std::ranges::min_element(values);
  block.parameters = {
      fmt::format("real<lower={:.6g}, upper=1> {}", least < 0.0 ? 1.0 / least : -1.0, rho)};
  block.priors = {{.coefficient = {.name = fmt::format("rho({})", block.text),
                                   .element = rho,
                                   .predictor = context.predictor},
                   .prior = "normal(0, 0.5)"}};
  const Expression* const type = read.option("type");
  const bool is_lag = type != nullptr && type->word == "lag";
  const std::string all = fmt::format("({{eta}}, {{sigma}}, {});\n", arguments),
                    name = is_lag ? "regional_lag" : "simultaneous";
  block.residuals.statement = fmt::format("  {{y}} ~ {}{}", name, all);
  block.residuals.draw = fmt::format("    outcome = {}_rng{}", name, all);
  if (is_lag) block.residuals.draw += "    mean_outcome = regional_lag_mean" + all;
  block.factors = {region.name};
  block.words = fmt::format("{} of {} regions with {} pairs of neighbours",
                            is_lag ? "outcomes" : "errors", number, field->pairs.size());
  block.prediction_note =
      block.text + (is_lag ? ": linear predictors leave the neighbours out, means don't"
                           : ": linear predictors and means leave errors out");
  return block;
}
}  // namespace

extern const SpecialRow simultaneous_errors_special{
    .name = "sar",
    .words = "errors of regions that depend on those of their neighbours",
    .usage = "sar(\"edges.csv\", gr = region, type = \"lag\")",
    .use = use,
    .make = make,
    .functions = {{"rows_of_regions", kRows},
                  {"neighbour_means", kMeans},
                  {"regional_lag_lpdf", kLagDensity},
                  {"regional_lag_mean", kLagMean},
                  {"regional_lag_rng", kLagDraw},
                  {"simultaneous_lpdf", kDensity},
                  {"simultaneous_rng", kDraw},
                  {"solved_for_regions", kSolved}}};
}  // namespace credo::models
