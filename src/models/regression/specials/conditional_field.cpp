// car("edges.csv", gr = region, type = "icar"): effects of regions that are like those of their neighbours. Intrinsic fields are a matrix times
// standard normals, whose sum is 0 over each set of connected regions; bym2 mixes one of unit size with independent effects
// [riebler2016]; escar is the proper field with its exact determinant [jin2005].
#include <fmt/format.h>

#include "models/regression/neighbours.hpp"
#include "models/regression/smooths/smooth_call.hpp"
#include "models/regression/special.hpp"

namespace credo::models {
namespace {
constexpr std::array<std::string_view, 2> kOptions{"gr", "type"};
constexpr std::size_t kMostNamed = 5, kMostRegions = 2000;

constexpr std::string_view kRoot =
    R"(  // A root of the covariance of an intrinsic field; regions without neighbours are independent of all. number: sets of connected regions.
  matrix intrinsic_root(int size, array[,] int edges, int number) {
    matrix[size, size] precision = rep_matrix(0, size, size);
    for (k in 1:dims(edges)[1]) {
      int i = edges[k, 1];
      int j = edges[k, 2];
      precision[i, j] = -1;
      precision[j, i] = -1;
      precision[i, i] += 1;
      precision[j, j] += 1;
    }
    for (i in 1:size) precision[i, i] = fmax(precision[i, i], 1);
    return diag_post_multiply(eigenvectors_sym(precision)[, (number + 1):size],
                              inv_sqrt(eigenvalues_sym(precision)[(number + 1):size]));
  }
)";
constexpr std::string_view kExact =
    R"(  // A field with the precision D - alpha W; values: the eigenvalues of D^-1/2 W D^-1/2.
  real conditional_field_lpdf(vector z, real alpha, array[,] int edges, vector degree, vector values) {
    return -0.5 * rows(z) * log(2 * pi()) + 0.5 * (sum(log(degree)) + sum(log1p(-alpha * values)))
           - 0.5 * (dot_product(degree, square(z)) - 2 * alpha * dot_product(z[edges[, 1]], z[edges[, 2]]));
  }
)";

std::string type_of(const SmoothCall& read) {
  const Expression* const type = read.option("type");
  return type == nullptr ? "escar" : type->word;
}

bool use(const Expression& call, Frame& frame) {
  const std::size_t before = frame.faults().size();
  const SmoothCall read = read_smooth_call(call, kOptions, frame);
  const std::string type = type_of(read);
  constexpr const char* kUsage = "car(\"edges.csv\", gr = region, type = \"bym2\")";
  if (type != "icar" && type != "bym2" && type != "escar")
    frame.faults().add(read.option("type")->place, fmt::format("there is no field {}", type),
                       "there are icar, bym2 and escar");
  if (read.columns.size() > 1) frame.faults().add(call.place, "car() has other arguments", kUsage);
  const Expression* const group = read.option("gr");
  if (group == nullptr)
    frame.faults().add(call.place, "car() needs the column of the regions", kUsage);
  else
    use_smooth_column(*group, true, frame);
  return frame.faults().size() == before;
}

class FieldMaker {
 public:
  FieldMaker(const SmoothCall& read, SpecialContext& context, Neighbours field)
      : read_(read), context_(context), field_(std::move(field)), type_(type_of(read)) {}

  std::optional<SpecialBlock> make() {
    const UsedColumn region =
        *context_.frame.use(column_of_levels(*read_.option("gr")), ColumnRole::factor);
    name_ = region.name;
    label_ = fmt::format("{}car({})", context_.prefix, region.column);
    const auto places = places_of(context_.frame.levels(name_), field_.names, *read_.columns[0],
                                  region.column, context_.frame.faults());
    if (!places || !check_size()) return std::nullopt;
    add_constants(*places);
    block_.text = fmt::format("car({})", region.column);
    block_.factors = {name_};
    effects_ = take("r_car");
    type_ == "escar" ? add_exact() : add_intrinsic();
    block_.predictor = fmt::format("{}[{}[{}]]", effects_, region_of_, name_);
    set_words();
    return std::move(block_);
  }

 private:
  std::string take(const std::string& kind) const { return context_.name(kind, name_); }
  Index size() const { return ssize(field_.names); }

  bool check_size() {
    const std::vector<std::string> islands = field_.islands();
    FormulaFaults& faults = context_.frame.faults();
    if (field_.pairs.empty())
      faults.add(read_.columns[0]->place,
                 fmt::format("{} has no neighbours", read_.columns[0]->word));
    else if (type_ == "escar" && !islands.empty())
      faults.add(
          read_.columns[0]->place,
          fmt::format("{} region{} no neighbour, which the field escar can't have: {}",
                      islands.size(), islands.size() == 1 ? " has" : "s have", named(islands)),
          "type = \"bym2\" or \"icar\" gives them independent effects");
    else if (type_ != "escar" && field_.names.size() > kMostRegions)
      faults.add(
          read_.columns[0]->place,
          fmt::format(
              "an intrinsic field of {} regions takes a dense matrix, which is there up to {}",
              field_.names.size(), kMostRegions),
          "type = \"escar\" takes a time that grows with the number of neighbours");
    else
      return true;
    return false;
  }
  static std::string named(const std::vector<std::string>& all) {
    return fmt::format("{}{}",
                       fmt::join(std::span(all).first(std::min(all.size(), kMostNamed)), ", "),
                       all.size() > kMostNamed ? ", ..." : "");
  }

  std::string constant(ProgramConstant made) {
    made.name = take(made.name);
    context_.parts.constants.push_back(made);
    return made.name;
  }
  void add_constants(const std::vector<Index>& places) {
    ProgramConstant of{.name = "region_of",
                       .dims = {ssize(places)},
                       .is_whole = true,
                       .comment = "the region of each level"};
    for (const Index place : places) of.values.push_back(static_cast<double>(place + 1));
    region_of_ = constant(std::move(of));
    ProgramConstant edges{.name = "edges",
                          .dims = {ssize(field_.pairs), 2},
                          .is_whole = true,
                          .comment = "neighbours"};
    for (const auto& [a, b] : field_.pairs) {
      edges.values.push_back(static_cast<double>(a + 1));
      edges.values.push_back(static_cast<double>(b + 1));
    }
    edges_ = constant(std::move(edges));
  }

  void add_sd() {
    sd_ = take("sd_car");
    block_.parameters.push_back(fmt::format("real<lower=0> {}", sd_));
    block_.priors.push_back({.coefficient = {.name = fmt::format("sd({})", label_),
                                             .element = sd_,
                                             .predictor = context_.predictor},
                             .prior = "exponential(1 / {})",
                             .brms = "student_t(3, 0, {})"});
  }
  std::string add_share(const char* kind) {
    const std::string name = take(kind);
    block_.parameters.push_back(fmt::format("real<lower=0, upper=1> {}", name));
    block_.priors.push_back({.coefficient = {.name = fmt::format("{}({})", kind, label_),
                                             .element = name,
                                             .predictor = context_.predictor},
                             .prior = "beta(1, 1)",
                             .brms = "beta(1, 1)"});
    return name;
  }

  void add_intrinsic() {
    Index number = field_.num_components - ssize(field_.islands());
    const std::string root = take("root_car"), z = take("z_car");
    context_.parts.prepared.push_back(
        fmt::format("matrix[{0}, {1}] {2} = intrinsic_root({0}, {3}, {4});", size(),
                    size() - number, root, edges_, number));
    add_sd();
    block_.parameters.push_back(fmt::format("vector[{}] {}", size() - number, z));
    block_.statements.push_back(z + " ~ std_normal()");
    if (type_ == "icar") {
      block_.transformed = {
          fmt::format("vector[{}] {} = {} * ({} * {})", size(), effects_, sd_, root, z)};
      return;
    }
    const std::string rho = add_share("rho"), v = take("v_car"),
                      width = constant(
                          {.name = "width_car",
                           .dims = {size()},
                           .values = widths(),
                           .comment = "give effects of connected regions the mean variance 1"});
    block_.parameters.push_back(fmt::format("vector[{}] {}", size(), v));
    block_.statements.push_back(v + " ~ std_normal()");
    block_.transformed = {
        fmt::format("vector[{}] {} = {} * (sqrt({}) * ({} .* ({} * {})) + sqrt(1 - {}) * {})",
                    size(), effects_, sd_, rho, width, root, z, rho, v)};
  }
  // The geometric mean of the variances of connected regions is 1.
  std::vector<double> widths() const {
    const std::vector<double> variances = intrinsic_variances(field_);
    std::vector<double> logs(static_cast<std::size_t>(field_.num_components), 0.0),
        counts(logs.size(), 0.0), all;
    const auto set_of = [&](std::size_t k) {
      return static_cast<std::size_t>(field_.component[k]);
    };
    for (std::size_t k = 0; k < variances.size(); ++k)
      logs[set_of(k)] += std::log(variances[k]), counts[set_of(k)] += 1.0;
    for (std::size_t k = 0; k < variances.size(); ++k)
      all.push_back(std::exp(-0.5 * logs[set_of(k)] / counts[set_of(k)]));
    return all;
  }

  void add_exact() {
    const std::vector<Index> numbers = field_.degrees();
    const std::string degree = constant({.name = "degree",
                                         .dims = {size()},
                                         .values = {numbers.begin(), numbers.end()},
                                         .comment = "numbers of neighbours"}),
                      values = constant({.name = "values",
                                         .dims = {size()},
                                         .values = neighbour_eigenvalues(field_),
                                         .comment = "eigenvalues of the scaled neighbours"});
    add_sd();
    const std::string alpha = add_share("alpha");
    const std::string z = take("z_car");
    block_.parameters.push_back(fmt::format("vector[{}] {}", size(), z));
    block_.statements.push_back(
        fmt::format("{} ~ conditional_field({}, {}, {}, {})", z, alpha, edges_, degree, values));
    block_.transformed = {fmt::format("vector[{}] {} = {} * {}", size(), effects_, sd_, z)};
  }

  void set_words() {
    const std::vector<std::string> islands = field_.islands();
    block_.words = fmt::format("{} regions with {} pairs of neighbours ({})", size(),
                               field_.pairs.size(), type_);
    if (field_.num_components > ssize(islands) + 1)
      block_.words +=
          fmt::format(", in {} sets that aren't connected", field_.num_components - ssize(islands));
    if (!islands.empty())
      block_.notes.push_back(
          fmt::format("{}: {} region{} no neighbour and an independent effect: {}", block_.text,
                      islands.size(), islands.size() == 1 ? " has" : "s have", named(islands)));
  }

  const SmoothCall& read_;
  SpecialContext& context_;
  const Neighbours field_;
  const std::string type_;
  SpecialBlock block_;
  std::string name_, label_, effects_, sd_, region_of_, edges_;
};

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const SmoothCall read = read_smooth_call(call, kOptions, context.frame);
  auto field = read_neighbours(*read.columns[0], context.frame);
  if (!field) return std::nullopt;
  return FieldMaker(read, context, std::move(*field)).make();
}
}  // namespace

extern const SpecialRow conditional_field_special{
    .name = "car",
    .words = "effects of regions that are like those of their neighbours",
    .usage = "car(\"edges.csv\", gr = region, type = \"bym2\")",
    .use = use,
    .make = make,
    .functions = {{"intrinsic_root", kRoot}, {"conditional_field_lpdf", kExact}}};
}  // namespace credo::models
