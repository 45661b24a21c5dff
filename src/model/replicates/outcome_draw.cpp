#include "model/replicates/outcome_draw.hpp"

#include <fmt/format.h>

#include "dist/batch.hpp"
#include "lang/trace/density_call.hpp"

namespace credo::model {
namespace {
using graph::Expr;
using lang::Value;

constexpr std::size_t kMostArguments = 8;

// The bounds of a statement's T[,].
dist::Range truncation_of(lang::Machine& machine, const lang::typed::Distribution* truncation) {
  dist::Range range;
  if (truncation == nullptr) return range;
  const auto bound = [&](const lang::typed::Box& box) {
    return lang::scalar_of(machine.evaluate(*box)).known;
  };
  if (truncation->lower) range.lower = bound(truncation->lower);
  if (truncation->upper) range.upper = bound(truncation->upper);
  return range;
}

class OutcomeDraw {
 public:
  OutcomeDraw(lang::Machine& machine, const lang::SeenDensity& seen, std::uint64_t seed)
      : machine_(machine),
        seen_(seen),
        distribution_(*lang::distribution_function(seen.call.function.name)->distribution),
        seed_(seed),
        path_(path_of_draw(machine)),
        size_(lang::size_of(seen.arguments[0])) {}

  std::vector<double> draw() {
    if (distribution_.kind == dist::Kind::univariate) return each();
    if (distribution_.draw_all == nullptr) refuse("has no random number generator", kOwn);
    if (distribution_.drawn == dist::Drawn::number) return each_category();
    return whole();
  }

 private:
  static constexpr const char* kOwn = "draw it in generated quantities, as y_rep";

  [[noreturn]] void refuse(std::string_view what, std::string hint) const {
    throw NotDrawn{.reason = fmt::format("{} {}", distribution_.name, what),
                   .hint = std::move(hint)};
  }
  [[noreturn]] void refuse_here(std::string_view what) const {
    throw NotDrawn{.reason = fmt::format("{} {} at these parameters", distribution_.name, what),
                   .hint = "state a distribution of the data for all values of the parameters",
                   .is_of_point = true};
  }
  std::span<const Value> arguments() const { return seen_.arguments.subspan(1); }
  Rng stream(Index k) const {
    return lang::stream_at(seed_, lang::deeper(path_, static_cast<std::uint64_t>(k)));
  }
  // How many vectors an argument is an array of; 0 for a single one, and for no array.
  static Index num_vectors(const Value& value) {
    const int inner = lang::inner_dims(lang::base_of(value));
    const lang::Dims dims = lang::dims_of(value);
    return inner > 0 && dims.count > inner ? dims[0] : 0;
  }

  // ---- univariate distributions

  std::vector<double> each() {
    for (const Value& argument : arguments())
      if (!argument.is_scalar() && lang::size_of(argument) != size_)
        refuse("has several densities of one outcome in this statement",
               "state one density of each element");
    const dist::Range within = truncation_of(machine_, seen_.truncation);
    std::vector<double> values(static_cast<std::size_t>(size_));
    std::array<double, kMostArguments> parameters{};
    const std::span<const double> in(parameters.data(), arguments().size());
    for (Index i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < in.size(); ++k) {
        const Value& argument = arguments()[k];
        parameters[k] = lang::scalar_of(argument, argument.is_scalar() ? 0 : i).known;
      }
      values[static_cast<std::size_t>(i)] = one(in, within, i);
    }
    return values;
  }
  double one(std::span<const double> parameters, const dist::Range& within, Index i) const {
    if (!dist::parameters_hold(distribution_, parameters))
      refuse_here("has an argument outside of its domain");
    Rng rng = stream(i);
    const bool is_cut = within.lower > -kInfinity || within.upper < kInfinity;
    const double drawn = is_cut ? dist::draw_within(distribution_, within, rng, parameters)
                                : dist::draw(distribution_, rng, parameters);
    if (std::isnan(drawn)) refuse_here("has no mass within its truncation");
    return drawn;
  }

  // ---- distributions of whole vectors and matrices, and of categories

  std::vector<double> from(Index k, std::span<const Expr> arguments) {
    Rng rng = stream(k);
    return dist::draw_all(distribution_, rng, arguments, seen_.call.function.name,
                          machine_.checks());
  }

  // One category each: vectors of probabilities or cut-points are of all, or an array with one of each.
  std::vector<double> each_category() {
    refuse_truncation();
    const bool has_location = distribution_.args.size() > 1;  // ordered distributions
    std::vector<double> values;
    for (Index i = 0; i < size_; ++i) {
      std::vector<Expr> in;
      for (std::size_t k = 0; k < arguments().size(); ++k) {
        const Value& argument = arguments()[k];
        const bool is_location = has_location && k == 0;
        if (is_location)
          in.emplace_back(lang::scalar_of(argument, argument.is_scalar() ? 0 : i).known);
        else
          in.push_back(vector_of(argument, i));
      }
      values.push_back(from(i, in)[0]);
    }
    return values;
  }
  Expr vector_of(const Value& argument, Index b) {
    const Expr all = machine_.expr(argument);
    const Index vectors = num_vectors(argument);
    return vectors > 0 ? dist::Batch(all).vector(vectors == 1 ? 0 : b) : all;
  }

  // A vector or a matrix as one draw, and arrays of them one after another. Arrays of whole numbers are one
  // draw: counts, or the outcomes of a regression.
  std::vector<double> whole() {
    refuse_truncation();
    const Value& outcome = seen_.arguments[0];
    const lang::Dims dims = lang::dims_of(outcome);
    const int inner = lang::inner_dims(lang::base_of(outcome));
    Index unit = 1;
    for (int k = 0; k < inner; ++k) unit *= dims.back(k);
    if (inner == 0) unit = size_;
    std::vector<double> values;
    for (Index b = 0; unit > 0 && b < size_ / unit; ++b) {
      const std::vector<double> drawn = from(b, arguments_of(b, unit));
      if (ssize(drawn) != unit)
        refuse("has several densities of one outcome in this statement",
               "state one density of each element");
      values.insert(values.end(), drawn.begin(), drawn.end());
    }
    return values;
  }
  // With the size that a random number generator takes and the density has from its outcome.
  std::vector<Expr> arguments_of(Index b, Index unit) {
    std::vector<Expr> in;
    const std::string_view name = distribution_.name;
    if (name == "lkj_corr" || name == "lkj_corr_cholesky")
      in.emplace_back(static_cast<double>(lang::dims_of(seen_.arguments[0]).back()));
    for (const Value& argument : arguments()) in.push_back(vector_of(argument, b));
    if (name == "multinomial" || name == "multinomial_logit" || name == "dirichlet_multinomial") {
      double count = 0.0;
      for (Index i = 0; i < unit; ++i) count += lang::scalar_of(seen_.arguments[0], i).known;
      in.emplace_back(count);
    }
    return in;
  }
  void refuse_truncation() const {
    if (seen_.is_truncated()) refuse("is truncated", kOwn);
  }

  lang::Machine& machine_;
  const lang::SeenDensity& seen_;
  const dist::Distribution& distribution_;
  std::uint64_t seed_;
  lang::DrawPath path_;
  Index size_;
};
}  // namespace

lang::DrawPath path_of_draw(const lang::Machine& machine) {
  return lang::deeper(machine.path(), static_cast<std::uint64_t>(machine.statement()));
}

std::optional<double> draw_element(lang::Machine& machine, const DrawPlace& at,
                                   std::uint64_t seed) {
  const dist::Distribution& d = *lang::distribution_function(at.call->function.name)->distribution;
  const std::size_t count = at.call->arguments.size() - 1;
  if (d.kind != dist::Kind::univariate || count > kMostArguments) return std::nullopt;
  std::array<double, kMostArguments> parameters{};
  for (std::size_t k = 0; k < count; ++k) {
    const Value argument = machine.evaluate(at.call->arguments[k + 1]);
    if (argument.is_unset() || (!argument.is_scalar() && at.element >= lang::size_of(argument)))
      return std::nullopt;
    parameters[k] = lang::scalar_of(argument, argument.is_scalar() ? 0 : at.element).known;
  }
  const std::span<const double> in(parameters.data(), count);
  if (!dist::parameters_hold(d, in)) return std::nullopt;
  const dist::Range within = truncation_of(machine, at.truncation);
  Rng rng = lang::stream_at(seed, lang::deeper(at.path, static_cast<std::uint64_t>(at.element)));
  const bool is_cut = within.lower > -kInfinity || within.upper < kInfinity;
  const double drawn = is_cut ? dist::draw_within(d, within, rng, in) : dist::draw(d, rng, in);
  return std::isnan(drawn) ? std::nullopt : std::optional(drawn);
}

std::vector<double> draw_outcome(lang::Machine& machine, const lang::SeenDensity& seen,
                                 std::uint64_t seed) {
  return OutcomeDraw(machine, seen, seed).draw();
}

}  // namespace credo::model
