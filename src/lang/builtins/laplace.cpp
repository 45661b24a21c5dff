// The embedded Laplace approximation [rasmussen2006, sec. 3.4]: y given theta has log likelihood
// f(theta), theta is normal(0, K). At the mode of f(theta) - theta' K^-1 theta/2, with W the
// negative Hessian of f there,
//
//   log p(y) = f(theta) - theta' a/2 - log|I + K W|/2,  a = K^-1 theta,
//
// and theta given y is normal(mode, (K^-1 + W)^-1). Newton's steps theta = (I + K W)^-1 K b, a = b
// - W theta, b = W theta + grad f need no inverse of K and hold for any sign of W. They are nodes
// of the graph like everything else, each decision is a guard: derivatives are those of the values
// computed here, and f is differentiated by the graph's rules.
#include <fmt/format.h>

#include "base/rng.hpp"
#include "dist/distribution.hpp"
#include "graph/core/ops.hpp"
#include "graph/ops/kalman.hpp"
#include "graph/ops/linear_algebra.hpp"
#include "graph/passes/differentiate.hpp"
#include "lang/builtins/matrix.hpp"
#include "lang/trace/traced_function.hpp"

namespace credo::lang {
namespace {

constexpr double kStepTolerance = 1e-7;  // step of theta; the error after it is its square
constexpr double kDefaultLaplaceTolerance = 1.4901161193847656e-08;
constexpr int kDefaultSteps = 500, kDefaultHalvings = 1000;

// ---- the call: which arguments are what

using Likelihood = std::function<Expr(Machine& machine, const Expr& theta)>;

struct LaplaceCall {
  explicit LaplaceCall(const BuiltinCall& c);

  const BuiltinCall& c;
  bool is_general;
  std::size_t block, kernel;  // arguments
  Likelihood likelihood;
  std::optional<Expr> start;
  int max_steps = kDefaultSteps, max_halvings = kDefaultHalvings;
  Expr covariance(Machine& machine) const;
};

std::vector<Value> elements_of(const Value& tuple) { return tuple.tuple()->elements; }

const typed::FunctionName& function_at(const BuiltinCall& c, std::size_t k) {
  return std::get<typed::FunctionName>(c.call.arguments[k].node);
}
Value called(Machine& machine, const typed::FunctionName& f, std::vector<Value> arguments) {
  return machine.call_passed(f, std::move(arguments), ~std::uint64_t{0});
}

// The user's function of theta and the elements of a tuple.
Likelihood general_likelihood(const BuiltinCall& c) {
  return [&c](Machine& machine, const Expr& theta) {
    std::vector<Value> arguments{from_expr(theta, BaseType::vector, {theta.size()})};
    for (const Value& v : elements_of(c[1])) arguments.push_back(v);
    return machine.expr(called(machine, function_at(c, 0), std::move(arguments)));
  };
}

// Counts y in groups g with log rates (or odds) theta[g] + m[g].
Expr by_group(const BuiltinCall& c, const Expr& x) {
  std::vector<std::int32_t> index;
  for (const std::int32_t g : c[1].ints()->values) {
    if (g < 1 || g > x.size())
      c.machine.fail(
          fmt::format("{}: group {} is out of range, there are {}", c.name, g, x.size()));
    index.push_back(g - 1);
  }
  const graph::Shape shape = graph::vector_shape(ssize(index));
  return graph::gather(shape, x, std::move(index));
}

Likelihood counts_likelihood(const BuiltinCall& c, std::string_view density, std::size_t offset) {
  if (size_of(c[0]) != size_of(c[1]))
    c.machine.fail(
        fmt::format("{}: {} outcomes are in {} groups", c.name, size_of(c[0]), size_of(c[1])));
  return [&c, density, offset](Machine& machine, const Expr& theta) {
    if (size_of(c[offset]) != theta.size())
      c.machine.fail(fmt::format("{}: there are {} offsets for {} groups", c.name,
                                 size_of(c[offset]), theta.size()));
    const dist::Distribution& d = *dist::find(density);
    std::vector<Expr> args{by_group(c, theta + machine.expr(c[offset]))};
    if (offset == 3) args.push_back(by_group(c, machine.expr(c[2])));
    return dist::log_density(d, machine.expr(c[0]), args, {.function = c.name}, machine.checks())
        .value;
  };
}

LaplaceCall::LaplaceCall(const BuiltinCall& call) : c(call) {
  constexpr std::array<std::string_view, 3> kDensities{"bernoulli_logit", "neg_binomial_2_log",
                                                       "poisson_log"};
  const auto density = std::find_if(kDensities.begin(), kDensities.end(), [&](auto name) {
    return c.name.find(name) != std::string_view::npos;
  });
  is_general = density == kDensities.end();
  const std::size_t offset = is_general ? 0 : *density == "neg_binomial_2_log" ? 3 : 2;
  block = is_general ? 2 : offset + 1;
  kernel = block + 1;
  likelihood = is_general ? general_likelihood(c) : counts_likelihood(c, *density, offset);
  if (c.size() <= kernel + 2) return;
  const std::vector<Value> options = elements_of(c[kernel + 2]);
  start = c.machine.expr(options[0]);
  max_steps = options[2].integer();
  max_halvings = options[4].integer();
}

Expr LaplaceCall::covariance(Machine& machine) const {
  const Value k = called(machine, function_at(c, kernel), elements_of(c[kernel + 1]));
  if (rows_of(k) != cols_of(k) || rows_of(k) == 0)
    c.machine.fail(fmt::format("{}: the covariance is {} x {}, but must be square and not empty",
                               c.name, rows_of(k), cols_of(k)));
  return machine.expr(k);
}

// ---- the mode

struct Mode {
  Expr theta, a;
  Expr value;      // f - theta' a / 2
  Expr gradient;   // of f
  Expr curvature;  // W
  Expr system;     // I + K W
};

class Newton {
 public:
  Newton(Machine& machine, const LaplaceCall& call)
      : m_(machine), call_(call), k_(call.covariance(machine)), n_(k_.shape().rows) {
    block_ = call.c[call.block].integer();
    if (block_ < 1 || n_ % block_ != 0)
      call.c.machine.fail(
          fmt::format("{}: the Hessian's block size {} isn't a divisor of the size {}", call.c.name,
                      block_, n_));
  }

  Mode find() {
    Mode here = at(start(), {});
    for (int step = 0; step < call_.max_steps; ++step) {
      const Mode next = better(here);
      const Expr change = graph::max_element(graph::abs(next.theta - here.theta));
      const Expr size = graph::max_element(graph::abs(next.theta)) + 1.0;
      here = next;
      if (m_.decide(graph::less_equal(change, kStepTolerance * size))) return here;
    }
    m_.reject(call_.c.name, "number of Newton steps", call_.max_steps,
              "enough to reach the mode: allow more, or begin elsewhere");
  }
  const Expr& covariance() const { return k_; }

 private:
  graph::Shape shape() const { return graph::vector_shape(n_); }

  Expr start() {
    if (!call_.start) return graph::fill(shape(), 0.0);
    if (call_.start->size() != n_)
      call_.c.machine.fail(fmt::format("{}: the initial value has {} elements, but must have {}",
                                       call_.c.name, call_.start->size(), n_));
    return *call_.start;
  }

  // Copy of theta as a separate node, by which f can be differentiated.
  Expr as_node(const Expr& theta) {
    graph::Graph& g = *m_.graph();
    const std::int32_t sizes = g.add_attributes({{}, {1.0, static_cast<double>(n_), 1.0}});
    const std::array operands{theta.ref_in(g)};
    return {g, graph::Ref{g.add(graph::ops::concat, shape(), operands, sizes), -1}};
  }

  Expr slope(const Expr& y, graph::NodeId node) {
    if (y.is_constant()) return graph::fill(shape(), 0.0);
    try {
      return graph::gradient(*m_.graph(), y, std::array{node})[0].reshaped(shape());
    } catch (const graph::NotDifferentiable& e) {
      call_.c.machine.fail(
          fmt::format("{}: the log likelihood uses {}, which can't be differentiated three times",
                      call_.c.name, e.op),
          "compute it outside of the likelihood, or give the latent values a prior and sample "
          "them");
    }
  }

  // Rows of a block are those of its elements: the gradient of the sum of all k-th elements.
  Expr curvature_at(const Expr& gradient, graph::NodeId node) {
    Expr total = graph::fill(graph::matrix_shape(n_, n_), 0.0);
    for (Index k = 0; k < block_; ++k) {
      std::vector<double> chosen(static_cast<std::size_t>(n_), 0.0);
      std::vector<std::int32_t> places;
      for (Index i = 0; i < n_; ++i) {
        if (i % block_ == k) chosen[static_cast<std::size_t>(i)] = 1.0;
        places.push_back(narrow(i + (i - i % block_ + k) * n_));
      }
      const Expr row = slope(graph::dot(gradient, graph::constant(shape(), chosen)), node);
      total = total - graph::scatter_add(graph::matrix_shape(n_, n_), row, std::move(places));
    }
    return total;
  }

  Mode at(const Expr& theta, const Expr& a) {
    Mode mode;
    mode.theta = as_node(theta);
    const graph::NodeId node = mode.theta.ref().node;
    mode.a = a.empty() ? graph::solve(k_, mode.theta) : a;
    const Expr f = likelihood(mode.theta);
    mode.value = f - 0.5 * graph::dot(mode.theta, mode.a);
    mode.gradient = slope(f, node);
    mode.curvature = curvature_at(mode.gradient, node);
    mode.system = graph::identity(n_) + graph::matmul(k_, mode.curvature);
    return mode;
  }

  Expr likelihood(const Expr& theta) {
    const graph::DifferentiatedAgain scope;
    return call_.likelihood(m_, theta);
  }

  // Newton's step, or half of it, and so on, until the objective doesn't fall.
  Mode better(const Mode& here) {
    const Expr b = graph::matmul(here.curvature, here.theta) + here.gradient;
    Expr theta = graph::solve(here.system, graph::matmul(k_, b));
    Expr a = b - graph::matmul(here.curvature, theta);
    for (int halving = 0;; ++halving) {
      Mode next = at(theta, a);
      const Expr slack = 1e-10 * (1.0 + graph::abs(here.value));
      if (halving >= call_.max_halvings || halving >= 60 ||
          m_.decide(graph::less_equal(here.value, next.value + slack)))
        return next;
      theta = 0.5 * (theta + here.theta);
      a = 0.5 * (a + here.a);
    }
  }

  Machine& m_;
  const LaplaceCall& call_;
  Expr k_;
  Index n_, block_ = 1;
};

Expr marginal(const Mode& mode) {
  return mode.value - 0.5 * graph::log_abs_determinant(mode.system);
}
Expr posterior_factor(const Mode& mode, const Expr& k) {  // for (K^-1 + W)^-1 = (I + K W)^-1 K
  return graph::cholesky(graph::solve(mode.system, k));
}

// ---- the functions. If everything is known, there is no graph to differentiate in: they make a
// graph of their own and return the values of its nodes.

template <class F>
auto in_a_graph(const LaplaceCall& call, F compute) {
  const TracedFunction tracer(call.c.machine, function_at(call.c, call.kernel));
  graph::Graph graph;
  const graph::NodeId input = graph.add_input(graph::vector_shape(1));
  Machine inner = tracer.machine(graph, input, std::array{0.0});
  return compute(inner);
}

std::vector<double> values_in(Machine& machine, const Expr& x) {
  std::vector<double> values;
  for (Index i = 0; i < x.size(); ++i) values.push_back(machine.value_here(Scalar(x.element(i))));
  return values;
}

Value laplace_marginal(const BuiltinCall& c) {
  const LaplaceCall call(c);
  if (c.machine.graph() != nullptr) {
    const Expr value = marginal(Newton(c.machine, call).find());
    c.machine.mark_density(value, Machine::Known::all);
    return Scalar(value);
  }
  return in_a_graph(call, [&](Machine& inner) -> Value {
    return Scalar(values_in(inner, marginal(Newton(inner, call).find()))[0]);
  });
}

// The mode, and the Cholesky factor of the covariance.
struct Approximation {
  Expr mode, factor;
};
Approximation approximation(const LaplaceCall& call) {
  const auto compute = [&](Machine& machine) {
    Newton newton(machine, call);
    const Mode mode = newton.find();
    return Approximation{mode.theta, posterior_factor(mode, newton.covariance())};
  };
  if (call.c.machine.graph() != nullptr) return compute(call.c.machine);
  return in_a_graph(call, [&](Machine& inner) {
    const Approximation found = compute(inner);
    return Approximation{graph::constant(found.mode.shape(), values_in(inner, found.mode)),
                         graph::constant(found.factor.shape(), values_in(inner, found.factor))};
  });
}

Value laplace_latent_solve(const BuiltinCall& c) {
  const Approximation found = approximation(LaplaceCall(c));
  const Index n = found.mode.size();
  auto parts = std::make_shared<TupleValue>();
  parts->elements = {from_expr(found.mode, BaseType::vector, {n}), matrix(found.factor, n, n)};
  return parts;
}

Value laplace_latent_rng(const BuiltinCall& c) {
  Rng rng = stream_of(c);
  const Approximation found = approximation(LaplaceCall(c));
  const Index n = found.mode.size();
  std::vector<double> z;
  for (Index i = 0; i < n; ++i) z.push_back(rng.normal());
  const Expr draw =
      found.mode + graph::matmul(found.factor, graph::constant(graph::vector_shape(n), z));
  return from_expr(draw, BaseType::vector, {n});
}

Value generate_laplace_options(const BuiltinCall& c) {
  auto options = std::make_shared<TupleValue>();
  const Value start = c[0].is_int()
                          ? from_expr(graph::fill(graph::vector_shape(c[0].integer()), 0.0),
                                      BaseType::vector, {c[0].integer()})
                          : c[0];
  options->elements = {start, Scalar(kDefaultLaplaceTolerance), kDefaultSteps, 1, kDefaultHalvings,
                       1};
  return options;
}

constexpr Builtin kLaplaceRows[] = {
    {"generate_laplace_options", generate_laplace_options},
    {.name = "laplace_latent_bernoulli_logit_rng",
     .run = laplace_latent_rng,
     .needs_numbers = true},
    {.name = "laplace_latent_neg_binomial_2_log_rng",
     .run = laplace_latent_rng,
     .needs_numbers = true},
    {.name = "laplace_latent_poisson_log_rng", .run = laplace_latent_rng, .needs_numbers = true},
    {.name = "laplace_latent_rng", .run = laplace_latent_rng, .needs_numbers = true},
    {"laplace_latent_solve", laplace_latent_solve},
    {"laplace_latent_solve_tol", laplace_latent_solve},
    {.name = "laplace_latent_tol_bernoulli_logit_rng",
     .run = laplace_latent_rng,
     .needs_numbers = true},
    {.name = "laplace_latent_tol_neg_binomial_2_log_rng",
     .run = laplace_latent_rng,
     .needs_numbers = true},
    {.name = "laplace_latent_tol_poisson_log_rng",
     .run = laplace_latent_rng,
     .needs_numbers = true},
    {.name = "laplace_latent_tol_rng", .run = laplace_latent_rng, .needs_numbers = true},
    {"laplace_marginal", laplace_marginal},
    {"laplace_marginal_bernoulli_logit_lpmf", laplace_marginal},
    {"laplace_marginal_neg_binomial_2_log_lpmf", laplace_marginal},
    {"laplace_marginal_poisson_log_lpmf", laplace_marginal},
    {"laplace_marginal_tol", laplace_marginal},
    {"laplace_marginal_tol_bernoulli_logit_lpmf", laplace_marginal},
    {"laplace_marginal_tol_neg_binomial_2_log_lpmf", laplace_marginal},
    {"laplace_marginal_tol_poisson_log_lpmf", laplace_marginal},
};
}  // namespace

std::span<const Builtin> builtins_laplace() { return kLaplaceRows; }

}  // namespace credo::lang
