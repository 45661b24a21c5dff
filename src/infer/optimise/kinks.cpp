// A statement alone has the density -Σ r_d |x_d - m_d| + c: r_d is its slope far away, m_d the place where the slope changes its sign, by
// bisection over all coordinates at once. Values at other points must then agree.
#include "infer/optimise/kinks.hpp"

#include "base/rng.hpp"
#include "base/stream.hpp"
#include "density/model.hpp"

namespace credo::infer {
namespace {
constexpr double kFarAway = 1e8, kBeside = 1e-200;
constexpr std::uint32_t kCheckedPoints = 4, kKinkPoints = stream("optimise.kinks");

// One statement of a program, evaluated alone.
class KinkReader {
 public:
  KinkReader(const density::Model& model, std::int32_t statement)
      : model_(model.asking(
            {.terms = density::Terms::statement, .statement = statement, .jacobian = false})),
        evaluator_(model_->make_evaluator()),
        size_(static_cast<std::size_t>(model.dimension())),
        gradient_(size_) {}

  // False if the statement isn't a sum of kinks.
  bool read(Kinks& found) {
    found = {.centres = std::vector<double>(size_, 0.0),
             .rates = std::vector<double>(size_, 0.0),
             .slopes_there = std::vector<double>(size_, 0.0)};
    std::vector<double> point = random_point(0);
    if (!evaluate(point)) return false;
    for (std::size_t d = 0; d < size_; ++d)
      if (gradient_[d] != 0.0) places_.push_back(d);
    return !places_.empty() && read_rates(point, found) && read_centres(point, found) &&
           agrees(found);
  }

 private:
  std::vector<double> random_point(std::uint32_t number) const {
    Rng rng({.seed = 1, .purpose = kKinkPoints, .iteration = number});
    std::vector<double> point(size_);
    for (double& x : point) x = rng.uniform(-1.0, 1.0);
    return point;
  }
  bool evaluate(std::span<const double> point) {
    density::Request request{.position = point, .gradient = gradient_, .status = {}};
    density::Request* batch[] = {&request};
    evaluator_->evaluate(density::Want::gradient, batch);
    value_ = request.log_density;
    return request.status.ok() && std::isfinite(value_);
  }
  void lay(std::vector<double>& point, double x) const {
    for (const std::size_t d : places_) point[d] = x;
  }
  bool read_rates(std::vector<double>& point, Kinks& found) {
    lay(point, -kFarAway);
    if (!evaluate(point)) return false;
    for (const std::size_t d : places_) found.rates[d] = gradient_[d];
    lay(point, kFarAway);
    if (!evaluate(point)) return false;
    return std::ranges::all_of(places_, [&](std::size_t d) {
      return found.rates[d] > 0.0 &&
             std::abs(gradient_[d] + found.rates[d]) <= 1e-12 * found.rates[d];
    });
  }
  bool read_centres(std::vector<double>& point, Kinks& found) {
    std::vector<double> low(size_, -kFarAway), high(size_, kFarAway);
    const auto narrow = [&](const std::vector<double>& at) {
      if (!evaluate(at)) return false;
      for (const std::size_t d : places_) {
        if (gradient_[d] >= 0.0) low[d] = std::max(low[d], at[d]);
        if (gradient_[d] <= 0.0) high[d] = std::min(high[d], at[d]);
      }
      return true;
    };
    for (const double beside : {-kBeside, 0.0, kBeside}) {  // most centres are 0
      lay(point, beside);
      if (!narrow(point)) return false;
    }
    for (bool is_open = true; std::exchange(is_open, false);) {
      for (const std::size_t d : places_) {
        const double middle = 0.5 * (low[d] + high[d]);
        const bool is_zero = low[d] >= -kBeside && high[d] <= kBeside;
        if (is_zero) low[d] = high[d] = 0.0;
        point[d] = is_zero ? 0.0 : middle;
        is_open = is_open || (middle > low[d] && middle < high[d]);
      }
      if (is_open && !narrow(point)) return false;
    }
    for (const std::size_t d : places_) point[d] = found.centres[d] = low[d];
    if (!evaluate(point)) return false;
    for (const std::size_t d : places_) found.slopes_there[d] = gradient_[d];
    return true;
  }
  // At points where all coordinates differ: no other parameter may have a part.
  bool agrees(const Kinks& found) {
    double first = 0.0;
    for (std::uint32_t k = 0; k < kCheckedPoints; ++k) {
      const std::vector<double> point = random_point(k + 1);
      if (!evaluate(point)) return false;
      double sum = 0.0;
      for (std::size_t d = 0; d < size_; ++d) {
        sum += found.rates[d] * std::abs(point[d] - found.centres[d]);
        if (std::abs(gradient_[d] - found.slope(d, point[d])) > 1e-12 * (1.0 + found.rates[d]))
          return false;
      }
      if (k == 0) first = value_ + sum;
      if (std::abs(value_ + sum - first) > 1e-10 * (1.0 + sum + std::abs(value_))) return false;
    }
    return true;
  }

  std::unique_ptr<density::Model> model_;
  std::unique_ptr<density::Evaluator> evaluator_;
  std::size_t size_;
  std::vector<double> gradient_;
  double value_ = 0.0;
  std::vector<std::size_t> places_;
};

// True if an argument behind the outcome reads a parameter, or something that is computed from parameters.
bool moves_with_parameters(const density::ProgramFacts& facts,
                           const density::StatedDensity& stated) {
  for (std::size_t k = 1; k < stated.arguments.size(); ++k)
    for (const Index v : stated.arguments[k].mentions)
      if (facts.variables[static_cast<std::size_t>(v)].block != density::Block::unknown)
        return true;
  return false;
}

[[noreturn]] void refuse_statement(const density::ProgramFacts& facts,
                                   const density::StatedDensity& stated, std::string_view method) {
  const std::string place = stated.place.where;
  if (moves_with_parameters(facts, stated))
    throw Error(ErrorCode::usage,
                std::string(method) + ": the centre or the scale of the double_exponential at " +
                    place + " depends on parameters",
                place,
                "give it as data: with an unknown scale the density of a mode rises without bound as "
                "coefficients and scale fall to 0 (lasso(..., width = 0.5) has a known one)");
  throw Error(ErrorCode::usage,
              std::string(method) + ": the double_exponential at " + place +
                  " isn't a prior of single parameters without bounds",
              place, "--method lbfgs climbs on any density, and ends at a kink where it meets one");
}

void add_kinks(const Kinks& more, const density::StatedDensity& stated, std::string_view method,
               Kinks& all) {
  for (std::size_t d = 0; d < all.rates.size(); ++d) {
    if (!more.is_there(d)) continue;
    if (all.is_there(d) && all.centres[d] != more.centres[d])
      throw Error(ErrorCode::usage,
                  std::string(method) +
                      ": a parameter has two double_exponential priors with different centres",
                  stated.place.where, "leave one of them out");
    all.centres[d] = more.centres[d];
    all.rates[d] += more.rates[d];
    all.slopes_there[d] += more.slopes_there[d];
  }
}
}  // namespace

bool Kinks::any() const {
  return std::ranges::any_of(rates, [](double rate) { return rate > 0.0; });
}

double Kinks::slope(std::size_t d, double x) const {
  if (!is_there(d)) return 0.0;
  return x == centres[d] ? slopes_there[d] : x > centres[d] ? -rates[d] : rates[d];
}

double Kinks::subgradient(std::size_t d, double x, double smooth) const {
  if (!is_there(d)) return smooth;
  if (x != centres[d]) return smooth + slope(d, x);
  return smooth > rates[d] ? smooth - rates[d] : smooth < -rates[d] ? smooth + rates[d] : 0.0;
}

Kinks find_kinks(const density::LogDensity& density, std::string_view method) {
  const density::Model* model = density.as_model();
  const auto facts = model == nullptr ? nullptr : model->program_facts();
  if (facts == nullptr || model->query().terms != density::Terms::all)
    throw Error(
        ErrorCode::usage,
        std::string(method) + " reads the statements of a program, and this density isn't one",
        std::string(method), "--method lbfgs needs gradients only");
  const auto n = static_cast<std::size_t>(density.dimension());
  Kinks all{.centres = std::vector<double>(n, 0.0),
            .rates = std::vector<double>(n, 0.0),
            .slopes_there = std::vector<double>(n, 0.0)};
  for (const density::StatedDensity& stated : facts->densities) {
    if (!stated.function.starts_with("double_exponential_l")) continue;
    Kinks found;
    if (!KinkReader(*model, stated.statement).read(found)) refuse_statement(*facts, stated, method);
    add_kinks(found, stated, method, all);
  }
  if (all.any()) return all;
  throw Error(ErrorCode::usage,
              std::string(method) +
                  " needs a double_exponential prior of a parameter, and the program states none",
              std::string(method), "--method lbfgs or newton climbs on densities without kinks");
}

}  // namespace credo::infer
