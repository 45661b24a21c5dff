// gp(x), gp(x, z): a Gaussian process as a weighted sum of sines on a range that is wider than the data [solin2020, riutortmayol2023], or
// exactly, by its values at the different points.
#include <fmt/format.h>

#include <numbers>

#include "base/nearest_name.hpp"
#include "io/number_text.hpp"
#include "models/regression/smooths/gaussian_kernel.hpp"
#include "models/regression/smooths/smooth_block.hpp"
#include "models/regression/smooths/smooth_call.hpp"

namespace credo::models {
namespace {
constexpr Index kMostExact = 300;    // points; a gradient takes n^3 operations
constexpr Index kUsuallyExact = 30;  // without k = and exact =: 40 points took ten times as long as 40 sines
constexpr double kDefaultEdge = 2.0;

constexpr std::array<std::string_view, 6> kOptions{"by", "c", "exact", "k", "kernel", "period"};

std::optional<double> positive(const Expression* e) {
  if (e == nullptr || e->kind != Expression::Kind::number) return std::nullopt;
  const auto number = io::parse_number(e->word);
  return number && *number > 0.0 && std::isfinite(*number) ? number : std::nullopt;
}

const GaussianKernel* kernel_of(const SmoothCall& read) {
  const Expression* const given = read.option("kernel");
  return find_gaussian_kernel(given == nullptr ? "se" : given->word);
}

bool check_options(const SmoothCall& read, Frame& frame) {
  const std::size_t before = frame.faults().size();
  FormulaFaults& faults = frame.faults();
  const GaussianKernel* const kernel = kernel_of(read);
  if (kernel == nullptr) {
    std::vector<std::string> names;
    for (const GaussianKernel& known : gaussian_kernels()) names.emplace_back(known.name);
    const std::string near = did_you_mean(read.option("kernel")->word, names);
    faults.add(read.option("kernel")->place,
               fmt::format("there is no kernel {}", read.option("kernel")->word),
               near.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : near);
    return false;
  }
  if (read.columns.size() > (kernel->is_periodic ? 1 : 2))
    faults.add(read.call->place,
               kernel->is_periodic ? "a periodic process is of one column"
                                   : "a Gaussian process here is of one or two columns");
  const Expression* const c = read.option("c");
  if (c != nullptr && positive(c).value_or(0.0) < 1.1)
    faults.add(c->place, "c is how many times wider than the data the range of the sines is",
               "a number from 1.1, as 2");
  if (kernel->is_periodic != (read.option("period") != nullptr) ||
      (kernel->is_periodic && !positive(read.option("period"))))
    faults.add(read.call->place, "a period, a positive number, belongs to the periodic kernel",
               "gp(x, kernel = \"periodic\", period = 12)");
  const Expression* const exact = read.option("exact");
  if (exact != nullptr && (exact->word != "TRUE" || read.k > 0 || c != nullptr))
    faults.add(exact->place, "exact = TRUE stands in the place of k = and c =");
  if (read.by != nullptr && is_levels(*read.by, frame))
    faults.add(read.by->place, "processes by levels are not there yet", "by = a number");
  return faults.size() == before;
}

bool use(const Expression& call, Frame& frame) {
  const std::size_t before = frame.faults().size();
  const SmoothCall read = read_smooth_call(call, kOptions, frame);
  if (frame.faults().size() > before || !check_options(read, frame)) return false;
  bool is_right = true;
  for (const Expression* column : read.columns)
    is_right = use_smooth_column(*column, false, frame) && is_right;
  if (read.by != nullptr) is_right = use_smooth_column(*read.by, false, frame) && is_right;
  return is_right;
}

class ProcessMaker {
 public:
  ProcessMaker(const SmoothCall& read, SpecialContext& context)
      : read_(read), kernel_(*kernel_of(read)), own_{.context = context} {}

  std::optional<SpecialBlock> make() {
    own_.block.text = read_.text();
    if (!take_columns()) return std::nullopt;
    const bool is_asked = read_.option("exact") != nullptr;
    if (is_asked && ssize(points_) >= kMostExact) {
      own_.context.frame.faults().add(
          read_.call->place, fmt::format("an exact process has fewer than {} different values, and "
                                         "there are {}", kMostExact, points_.size()),
          "k = is the number of sines instead");
      return std::nullopt;
    }
    const bool is_exact =
        is_asked || (read_.k == 0 && read_.option("c") == nullptr && ssize(points_) <= kUsuallyExact);
    own_.block.words = std::string(kernel_.words) + ", ";
    if (is_exact)
      add_exact();
    else if (kernel_.is_periodic)
      add_waves();
    else
      add_sines();
    if (read_.by == nullptr) return std::move(own_.block);
    const UsedColumn by = *own_.context.frame.use(*read_.by, ColumnRole::number);
    own_.block.text += ":" + by.column;
    for (SpecialPrior& p : own_.block.priors)
      p.coefficient.name.insert(p.coefficient.name.rfind(')'), ":" + by.column);
    for (std::string* part : {&own_.block.predictor, &own_.block.prediction})
      if (!part->empty()) *part = fmt::format("{} .* ({})", by.name, *part);
    return std::move(own_.block);
  }

 private:
  bool take_columns() {
    for (const Expression* column : read_.columns) {
      const UsedColumn used = *own_.context.frame.use(*column, ColumnRole::number);
      inputs_.push_back(own_.context.frame.numbers(used.name));
      names_.push_back(used.name);
      own_.name += (own_.name.empty() ? "" : "_") + used.name;
      const auto [least, greatest] = std::ranges::minmax(inputs_.back());
      if (!(greatest > least)) {
        own_.context.frame.faults().add(column->place,
                                        fmt::format("all values of {} are equal", used.column),
                                        "leave the term out");
        return false;
      }
      if (!kernel_.is_periodic)
        own_.block.ranges.push_back(
            {.column = used.name, .first = least, .last = greatest, .is_needed = false});
    }
    std::set<std::vector<double>> points;
    for (std::size_t n = 0; n < inputs_[0].size(); ++n) {
      std::vector<double> point;
      for (const std::vector<double>& x : inputs_) point.push_back(x[n]);
      points.insert(std::move(point));
    }
    points_.assign(points.begin(), points.end());
    return true;
  }

  // The smallest gap between different values, and the range.
  struct Spread {
    double gap = 0.0, range = 0.0, middle = 0.0;
  };
  Spread spread(std::size_t k) const {
    const std::set<double> all(inputs_[k].begin(), inputs_[k].end());
    Spread made{.gap = kInfinity,
                .range = *all.rbegin() - *all.begin(),
                .middle = 0.5 * (*all.rbegin() + *all.begin())};
    for (auto x = std::next(all.begin()); x != all.end(); ++x)
      made.gap = std::min(made.gap, *x - *std::prev(x));
    return made;
  }

  // ---- parameters
  void add_parameters(Index num_values) {
    sd_ = own_.take("sd"), length_ = own_.take("length"), z_ = own_.take("z");
    own_.block.parameters = {fmt::format("real<lower=0> {}", sd_),
                             fmt::format("vector<lower=0>[{}] {}", inputs_.size(), length_),
                             fmt::format("vector[{}] {}", num_values, z_)};
    own_.block.statements = {fmt::format("{} ~ std_normal()", z_)};
    own_.add_sd(own_.label(), sd_);
  }
  void add_length(std::size_t k, double low, double high) {
    const InverseGamma prior = inverse_gamma_between(low, std::max(high, 1.1 * low));
    const std::string text = fmt::format("inv_gamma({:.3g}, {:.3g})", prior.shape, prior.scale);
    own_.block.priors.push_back(
        {.coefficient = {.name = inputs_.size() == 1
                                     ? fmt::format("length({})", own_.label())
                                     : fmt::format("length({}, {})", own_.label(), names_[k]),
                         .element = fmt::format("{}[{}]", length_, k + 1),
                         .predictor = own_.context.predictor},
         .prior = text,
         .brms = text});
  }
  void use_functions(std::initializer_list<std::string_view> names) {
    for (const StanFunction& f : gaussian_functions())
      if (std::ranges::find(names, f.name) != names.end())
        own_.context.parts.functions.emplace(f.name, f.text);
  }

  // ---- sines
  void add_sines() {
    const double width = positive(read_.option("c")).value_or(kDefaultEdge);
    const Index k = read_.k > 0 ? read_.k : names_.size() == 1 ? 40 : 15;
    std::vector<double> edges;
    std::string columns;
    Index total = 1;
    std::vector<std::string> reach;
    const Index all = names_.size() == 1 ? k : k * k;
    add_parameters(all);
    for (std::size_t d = 0; d < names_.size(); ++d) {
      const Spread s = spread(d);
      const double edge = 0.5 * width * s.range;
      edges.push_back(edge);
      own_.block.ranges.push_back({.column = names_[d],
                                   .first = s.middle - edge,
                                   .last = s.middle + edge,
                                   .words = "the range of the sines; a larger c widens it"});
      const std::string ending = names_.size() == 1 ? "" : fmt::format("_{}", d + 1);
      const std::string call = fmt::format(
          "sine_columns({} - {}, {}, {})", names_[d],
          own_.constant({.name = "middle" + ending, .values = {s.middle}}),
          own_.constant({.name = "edge" + ending, .values = {edge}, .comment = "of the sines"}), k);
      columns = d == 0 ? call : fmt::format("column_products({}, {})", columns, call);
      total *= k;
      const double shortest = kernel_.shortest * edge / static_cast<double>(k),
                   longest = edge / kernel_.longest;
      reach.push_back(fmt::format("{:.3g} to {:.3g}", shortest, longest));
      add_length(d, std::max(s.gap, shortest), s.range);
    }
    if (names_.size() > 1) use_function(own_.context.parts, "column_products");
    const std::string f = own_.matrix("F", total, columns), w = own_.take("w"),
                      frequency = add_frequencies(edges, k);
    use_functions({"sine_columns", kernel_.smoothness > 0.0 ? "matern_weights" : "se_weights"});
    own_.block.transformed = {
        kernel_.smoothness > 0.0
            ? fmt::format("vector[{}] {} = matern_weights({}, {}, {}, {})", total, w, sd_, length_,
                          frequency, kernel_.smoothness)
            : fmt::format("vector[{}] {} = se_weights({}, {}, {})", total, w, sd_, length_,
                          frequency)};
    own_.block.predictor = fmt::format("{} * ({} .* {})", f, w, z_);
    own_.block.words += fmt::format(
        "by {} sines on {:.3g} times the range, good for length scales of {}", total, width,
        fmt::join(reach, " and "));
  }
  // A row for each product of sines, those of the first column fastest.
  std::string add_frequencies(const std::vector<double>& edges, Index k) {
    ProgramConstant made{.name = "frequency", .comment = "of the sines"};
    const Index total = edges.size() == 1 ? k : k * k;
    made.dims = {total, ssize(edges)};
    for (Index j = 0; j < total; ++j)
      for (std::size_t d = 0; d < edges.size(); ++d)
        made.values.push_back(static_cast<double>((d == 0 ? j % k : j / k) + 1) *
                              std::numbers::pi /
                              (2.0 * edges[d]));
    return own_.constant(std::move(made));
  }

  // ---- waves
  double period() const { return *positive(read_.option("period")); }
  // Lengths are of sines of half the angle: with 3.72 / k waves hold [riutortmayol2023, appendix B], and 4 is nearly a sine alone.
  double shortest_wave(Index k) const { return 3.72 / static_cast<double>(k); }
  void add_waves() {
    const Index k = read_.k > 0 ? read_.k : 20;
    add_parameters(2 * k + 1);
    add_length(0, shortest_wave(k), 4.0);
    use_functions({"wave_columns", "wave_weights"});
    const std::string f = own_.matrix(
        "F", 2 * k + 1,
        fmt::format("wave_columns({}, {}, {})", names_[0],
                    own_.constant({.name = "period", .values = {period()}}), k));
    const std::string w = own_.take("w");
    own_.block.transformed = {fmt::format("vector[{}] {} = wave_weights({}, {}[1], {})", 2 * k + 1,
                                          w, sd_, length_, k)};
    own_.block.predictor = fmt::format("{} * ({} .* {})", f, w, z_);
    own_.block.words +=
        fmt::format("by {} waves of a period, good for length scales from {:.3g}", k,
                    shortest_wave(k));
  }

  // ---- values at the points
  void add_exact() {
    const Index number = ssize(points_);
    add_parameters(number);
    ProgramConstant points{.name = "points",
                           .dims = {number, ssize(inputs_)},
                           .comment = "different values of the fit"};
    for (const std::vector<double>& point : points_)
      points.values.insert(points.values.end(), point.begin(), point.end());
    const std::string known = own_.constant(std::move(points));
    std::string arguments = fmt::format("{}, to_array_1d({})", sd_, length_);
    if (kernel_.is_periodic) {
      arguments = fmt::format("{}, {}[1], {}", sd_, length_,
                              own_.constant({.name = "period", .values = {period()}}));
      add_length(0, shortest_wave(20), 4.0);
    }
    for (std::size_t d = 0; d < inputs_.size() && !kernel_.is_periodic; ++d)
      add_length(d, spread(d).gap, spread(d).range);
    use_functions({"points_of", "places_of", "covariance_root", "given_points"});
    const std::string x = own_.matrix(
        "X", ssize(inputs_),
        names_.size() == 1 ? fmt::format("to_matrix({})", names_[0])
                           : fmt::format("append_col({}, {})", names_[0], names_[1]));
    const std::string place = own_.take("place"), root = own_.take("root"), f = own_.take("f"),
                      given = own_.take("given"), drawn = own_.take("drawn");
    own_.context.parts.prepared.push_back(
        fmt::format("array[N] int {} = places_of({}, {});", place, x, known));
    const std::string factor = fmt::format("covariance_root({}(points_of({}), {}))",
                                           kernel_.covariance, known, arguments);
    own_.block.transformed = {fmt::format("vector[{}] {} = {} * {}", number, f, factor, z_)};
    own_.block.predictor = fmt::format("{}[{}]", f, place);
    own_.block.prediction_lines = {
        fmt::format("matrix[{0}, {0}] {1} = {2}", number, root, factor),
        fmt::format("matrix[N, 2] {} = given_points({}, {}, {}(points_of({}), points_of({}), {}), "
                    "square({}), {})",
                    given, root, z_, kernel_.covariance, x, known, arguments, sd_, place),
        fmt::format("vector[N] {} = {}[, 1] + {}[, 2] .* to_vector(normal_rng(rep_vector(0, N), 1))",
                    drawn, given, given)};
    own_.block.prediction = drawn;
    own_.block.words += fmt::format(
        "exact at {} points, whose variances are 1e-8 larger; other points are drawn given these",
        number);
  }

  const SmoothCall& read_;
  const GaussianKernel& kernel_;
  SmoothBlock own_;
  Columns inputs_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> points_;
  std::string sd_, length_, z_;
};

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const SmoothCall read = read_smooth_call(call, kOptions, context.frame);
  return ProcessMaker(read, context).make();
}
}  // namespace

extern const SpecialRow gaussian_process_special{
    .name = "gp",
    .words = "a Gaussian process",
    .usage = "gp(x), gp(x, kernel = \"matern52\", k = 40, c = 2), gp(x, z)",
    .use = use,
    .make = make};
}  // namespace credo::models
