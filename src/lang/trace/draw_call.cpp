// Univariate draws are a routine of the graph over the streams of their paths; draws of whole
// containers run with numbers (lang/trace/number_call.hpp).
#include "lang/trace/draw_call.hpp"

#include "base/stop.hpp"
#include "dist/batch.hpp"
#include "graph/solve/routine.hpp"
#include "lang/trace/density_call.hpp"
#include "numerics/stream_uniforms.hpp"

namespace credo::lang {
namespace {

// Element i of parameter k: a constant, or argument first + i of the routine; or the same for all.
struct Parameter {
  Expr known;  // empty: an argument
  Index first = 0;
  bool same = true;
};

// One number each of some paths.
class NumbersOfPaths : public graph::Routine {
 public:
  explicit NumbersOfPaths(std::vector<DrawPath> paths) : paths_(std::move(paths)) {}

  Index num_results() const final { return ssize(paths_); }
  Index num_reports() const final { return 0; }
  bool pulls_back() const final { return false; }
  void pull_back(const graph::PullbackCall&) const final {}
  void run(const graph::RoutineCall& call) const override {
    for (Index i = 0; i < num_results(); ++i) {
      if (i % kAtOnce == 0) stop_if_asked();
      for (Index l = 0; l < call.lanes; ++l) call.values[i * call.lanes + l] = number(call, i, l);
    }
  }

 protected:
  static constexpr Index kAtOnce = 1024;  // numbers between two checks of the stop flag
  std::span<const DrawPath> paths() const { return paths_; }
  static double argument(const graph::RoutineCall& call, Index k, Index lane) {
    return call.arguments[k * call.lanes + lane];
  }
  Rng stream(const graph::RoutineCall& call, Index i, Index lane) const {
    const std::uint64_t seed = DrawSeed::joined(argument(call, 0, lane), argument(call, 1, lane));
    return stream_at(seed, paths_[static_cast<std::size_t>(i)]);
  }

 private:
  virtual double number(const graph::RoutineCall& call, Index i, Index lane) const = 0;
  std::vector<DrawPath> paths_;
};

class Uniforms final : public NumbersOfPaths {
 public:
  using NumbersOfPaths::NumbersOfPaths;
  std::string_view name() const override { return "uniform numbers"; }
  Index num_arguments() const override { return DrawSeed::kWords; }

  // Those of many paths at once; the bits of number().
  void run(const graph::RoutineCall& call) const override {
    std::array<double, kAtOnce> numbers;
    for (Index first = 0; first < num_results(); first += kAtOnce) {
      stop_if_asked();
      const Index count = std::min(kAtOnce, num_results() - first);
      const auto some =
          paths().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      for (Index l = 0; l < call.lanes; ++l) {
        const std::uint64_t seed = DrawSeed::joined(argument(call, 0, l), argument(call, 1, l));
        double* out = call.values + first * call.lanes + l;
        numerics::uniforms_of_streams(seed, purpose::kCall, some,
                                      call.lanes == 1 ? out : numbers.data());
        for (Index i = 0; call.lanes > 1 && i < count; ++i)
          out[i * call.lanes] = numbers[static_cast<std::size_t>(i)];
      }
    }
  }

 private:
  double number(const graph::RoutineCall& call, Index i, Index lane) const override {
    return stream(call, i, lane).uniform();
  }
};

class Draws final : public NumbersOfPaths {
 public:
  Draws(const dist::Distribution& d, std::vector<DrawPath> paths, std::span<const Expr> parameters)
      : NumbersOfPaths(std::move(paths)), distribution_(d) {
    for (const Expr& x : parameters) {
      const bool is_known = x.is_constant();
      parameters_.push_back({is_known ? x : Expr(), num_arguments_, x.is_scalar()});
      if (!is_known) num_arguments_ += x.size();
    }
  }

  std::string_view name() const override { return distribution_.name; }
  Index num_arguments() const override { return num_arguments_; }

 private:
  static constexpr std::size_t kMostParameters = 8;

  double number(const graph::RoutineCall& call, Index i, Index lane) const override {
    std::array<double, kMostParameters> values{};
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const Parameter& p = parameters_[k];
      const Index element = p.same ? 0 : i;
      values[k] =
          p.known.empty() ? argument(call, p.first + element, lane) : p.known.value(element);
    }
    const std::span<const double> in(values.data(), parameters_.size());
    if (!dist::parameters_hold(distribution_, in)) return kNaN;
    Rng rng = stream(call, i, lane);
    return dist::draw(distribution_, rng, in);
  }

  const dist::Distribution& distribution_;
  std::vector<Parameter> parameters_;
  Index num_arguments_ = DrawSeed::kWords;
};

// While interpreting: everything is known.
Expr numbers_now(const graph::Routine& routine, const DrawSeed& seed) {
  const std::array words{seed.high.value(), seed.low.value()};
  std::vector<double> values(static_cast<std::size_t>(routine.num_results()));
  routine.run({.lanes = 1, .arguments = words.data(), .values = values.data()});
  return graph::constant(graph::vector_shape(ssize(values)), values);
}

// `parameters`: those that the routine takes as arguments if they aren't known.
template <class Numbers>
Expr numbers_of(Numbers routine, const DrawSeed& seed, std::span<const Expr> parameters) {
  if (seed.high.is_constant()) return numbers_now(routine, seed);
  std::vector<Expr> arguments{seed.high, seed.low};
  for (const Expr& x : parameters) {
    if (!x.is_constant()) arguments.push_back(x);
  }
  const graph::Shape shape = graph::vector_shape(routine.num_arguments());
  return graph::apply(std::make_shared<const Numbers>(std::move(routine)),
                      graph::concat(shape, arguments), false);
}
}  // namespace

Expr draws_of(const dist::Distribution& d, const DrawSeed& seed, std::vector<DrawPath> paths,
              std::span<const Expr> parameters) {
  if (d.from_uniform != nullptr)
    return d.from_uniform(numbers_of(Uniforms(std::move(paths)), seed, {}), parameters);
  return numbers_of(Draws(d, std::move(paths), parameters), seed, parameters);
}

Value whole_values(const Expr& values, const Dims& dims, const Whole& bounds) {
  const auto whole = [&](Index i) -> Value {
    if (values.is_constant()) return static_cast<std::int32_t>(values.value(i));
    return Whole{values.element(i).ref(), bounds.least, bounds.most};
  };
  if (dims.count == 0) return whole(0);
  Value result = make_ints(dims, std::vector<std::int32_t>(static_cast<std::size_t>(dims.total())));
  for (Index i = 0; i < dims.total(); ++i) result.ints()->set(i, whole(i));
  return result;
}

Whole bounds_of(const dist::Distribution& d) {
  Whole bounds;
  if (d.lower > double(Whole::kLeast)) bounds.least = static_cast<std::int32_t>(d.lower);
  if (d.upper < double(Whole::kMost)) bounds.most = static_cast<std::int32_t>(d.upper);
  return bounds;
}

void check_whole_draws(Machine& machine, const dist::Distribution& d, std::string_view function,
                       const Expr& draws) {
  if (d.lower >= double(Whole::kLeast) && d.upper <= double(Whole::kMost)) return;
  machine.checks().less_equal(graph::abs(draws), double(Whole::kMost),
                              {function, "draw", "at most 2147483647"});
}

namespace {
// How many vectors an argument is an array of; 0 for a single one, and for no array.
Index num_vectors(const Value& argument) {
  const bool is_array =
      inner_dims(base_of(argument)) > 0 && dims_of(argument).count > inner_dims(base_of(argument));
  return is_array ? dims_of(argument)[0] : 0;
}

// Value made from draws of whole containers, in sequence for an array of arguments.
Value drawn_value(const BuiltinCall& c, const dist::Distribution& d, std::span<const double> draws,
                  Index count) {
  const Index n = ssize(draws) / std::max<Index>(count, 1);
  if (d.discrete) {
    const Expr values = graph::constant(graph::vector_shape(ssize(draws)), draws);
    check_whole_draws(c.machine, d, c.name, values);
    return whole_values(values, d.drawn == dist::Drawn::number ? Dims{} : Dims{n}, {});
  }
  const std::vector<Scalar> elements(draws.begin(), draws.end());
  if (d.drawn == dist::Drawn::square_matrix) {
    const auto k = static_cast<Index>(std::lround(std::sqrt(double(n))));
    return make_reals(BaseType::matrix, {k, k}, elements);
  }
  return count == 0 ? make_reals(BaseType::vector, {n}, elements)
                    : make_reals(BaseType::vector, {count, n}, elements);
}

// A draw of a whole container, one for each of an array of vectors. Runs with numbers.
Value draw_container(const BuiltinCall& c, const dist::Distribution& d) {
  Index count = 0;
  for (const Value& argument : c.arguments) count = std::max(count, num_vectors(argument));
  const std::vector<Expr> all = expressions(c.machine, c.arguments);
  Rng rng = stream_of(c);
  std::vector<double> draws;
  for (Index b = 0; b < std::max<Index>(count, 1); ++b) {
    std::vector<Expr> args = all;
    for (std::size_t k = 0; k < args.size(); ++k) {
      const Index vectors = num_vectors(c.arguments[k]);
      if (vectors > 0) args[k] = dist::Batch(all[k]).vector(vectors == 1 ? 0 : b);
    }
    const std::vector<double> draw = dist::draw_all(d, rng, args, c.name, c.machine.checks());
    draws.insert(draws.end(), draw.begin(), draw.end());
  }
  return drawn_value(c, d, draws, count);
}

// The length of the containers among the arguments; nothing where all are scalars.
std::optional<Index> length_of(std::span<const Value> arguments) {
  for (const Value& argument : arguments) {
    if (!argument.is_scalar()) return size_of(argument);
  }
  return std::nullopt;
}
}  // namespace

Value run_draw(const BuiltinCall& c) {
  const dist::Distribution& d = *distribution_function(c.name)->distribution;
  if (d.kind == dist::Kind::multivariate) return draw_container(c, d);
  check_lengths(c.machine, c.name, c.arguments);
  const std::vector<Expr> parameters = expressions(c.machine, c.arguments);
  dist::check_parameters(d, parameters, c.name, c.machine.checks());
  const std::optional<Index> length = length_of(c.arguments);
  const Dims dims = length ? Dims{*length} : Dims{};
  std::vector<DrawPath> paths(static_cast<std::size_t>(length.value_or(1)));
  const DrawPath path = c.machine.path_to(c.call);
  for (std::size_t i = 0; i < paths.size(); ++i) paths[i] = deeper(path, i);
  const Expr draws = draws_of(d, c.machine.draw_seed(c.name), std::move(paths), parameters);
  if (!d.discrete) {
    if (!length) return Scalar(draws.element(0));
    return from_expr(draws.reshaped(shape_of(BaseType::real, dims)), BaseType::real, dims);
  }
  check_whole_draws(c.machine, d, c.name, draws);
  return whole_values(draws, dims, bounds_of(d));
}

}  // namespace credo::lang
