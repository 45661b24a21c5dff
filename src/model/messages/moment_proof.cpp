#include "model/messages/moment_proof.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "graph/moments/moment_walk.hpp"
#include "graph/passes/rebuild.hpp"

namespace credo::model {
using density::MomentBlock;
using graph::Expr;
using graph::Traced;

namespace {
constexpr int kProofPoints = 3;
// Rounding of sums: both sides add the same terms in another order.
constexpr double kProofTolerance = 1e-10;

using Values = std::vector<double>;

// The graph with weighted sums in the place of log_sum_exp, as is_linear has them.
Traced with_weighted_sums(const Traced& traced) {
  graph::Rebuild rebuild(*traced.graph);
  const graph::Graph& from = *traced.graph;
  for (graph::NodeId id = 0; id < from.num_nodes(); ++id) {
    const graph::Node& node = from.node(id);
    const std::string_view op = node.op->name;
    const auto operand = [&](std::size_t k) { return rebuild.mapped_expr(from.operands(node)[k]); };
    if (node.op->kind == graph::OpKind::check || from.is_constant(id)) continue;
    if (const auto mix = graph::log_mix_at(from, id)) {
      const auto at = [&](graph::Ref ref) { return rebuild.mapped_expr(ref); };
      rebuild.set_value(id, 0.4 * (graph::log(at(mix->t)) + at(mix->a)) +
                                0.6 * (graph::log(at(mix->u)) + at(mix->b)));
    } else if (op == "log_sum_exp") {
      rebuild.set_value(id, 0.4 * operand(0) + 0.6 * operand(1));
    } else if (op == "log1p_exp") {
      rebuild.set_value(id, 0.6 * operand(0));
    } else if (op == "log_sum_exp_all") {
      const auto n = static_cast<double>(operand(0).size());
      Values weights;
      for (double k = 1.0; k <= n; k += 1.0) weights.push_back(2.0 * k / (n * (n + 1.0)));
      rebuild.set_value(id, graph::dot(operand(0), graph::constant(operand(0).shape(), weights)));
    } else {
      rebuild.copy(id);
    }
  }
  return rebuild.finish(traced);
}

class ValueAt {
 public:
  explicit ValueAt(const Traced& traced)
      : program_(*traced.graph, traced.input, traced.outputs), workspace_(program_, 1) {
    workspace_.set_lanes(1);
  }
  double operator()(std::span<const double> input) {
    workspace_.set_input(0, input);
    workspace_.run();
    return workspace_.output(0, 0, 0);
  }

 private:
  graph::Program program_;
  graph::Workspace workspace_;
};

class MomentProof {
 public:
  MomentProof(const density::MomentForm& form, const Densities& densities, const Traced& traced,
              const Traced& linear, const DeclaredParameters& declared)
      : form_(form),
        densities_(densities),
        declared_(declared),
        reference_(with_weighted_sums(traced)),
        linear_(linear),
        evaluator_(form.make_evaluator()),
        gradient_(static_cast<std::size_t>(form.num_statistics())) {}

  void run() {
    Index num_steps = 0;
    for (const MomentBlock& block : form_.blocks()) num_steps = std::max(num_steps, block.step + 1);
    for (int k = 0; k < kProofPoints; ++k) {
      const Values free = random_free();
      compare_at(free);
      const Index most = 50;  // steps of a large program: others are tried at other points
      for (Index s = 0; s < std::min(num_steps, most); ++s)
        compare_step((s + k * most) % num_steps, free);
    }
  }

 private:
  Values random_free() {
    Values free(static_cast<std::size_t>(densities_.parts().parameters.dimension()));
    for (double& x : free) x = 0.5 * rng_.normal();
    return free;
  }
  // Whole numbers are random within their bounds.
  Values values_at(const Values& free) {
    Values values = declared_.at(free);
    for (const DeclaredParameter& p : declared_.all())
      if (p.kind == DeclaredKind::whole)
        for (Index k = 0; k < p.size; ++k)
          values[static_cast<std::size_t>(p.first + k)] =
              p.lower + std::floor(rng_.uniform() * (p.upper - p.lower + 1));
    return values;
  }

  // Tolerance for numbers whose terms have these sizes.
  double tolerance(double value, std::span<const double> statistics) const {
    double size = 1.0 + std::fabs(value);
    for (std::size_t k = 0; k < statistics.size(); ++k)
      size += std::fabs(statistics[k] * gradient_[k]);
    return kProofTolerance * size;
  }

  void require_equal(double program, double form, std::span<const double> statistics,
                     std::string_view what) const {
    if (!std::isfinite(program) && !std::isfinite(form)) return;
    if (std::fabs(program - form) <= tolerance(program, statistics)) return;
    throw Error(ErrorCode::internal,
                fmt::format("the rewritten log density isn't the program's {}: {} and {}", what,
                            form, program),
                "coordinate ascent", "please report this; --method normal has no rewrite");
  }

  void compare_at(const Values& free) {
    const Values values = values_at(free);
    const Values statistics = density::statistics_at(form_.blocks(), values);
    double value = 0.0;
    evaluator_->evaluate(1, statistics, std::span(&value, 1), gradient_);
    Values point = free;
    if (densities_.sites().are_sampled())
      point.insert(point.end(), values.begin() + static_cast<std::ptrdiff_t>(free.size()),
                   values.end());
    const PointEvaluation at = densities_.evaluate_in_full(point);
    if (!at.status.ok()) return;  // the program refuses this point
    require_equal(at.log_density_no_jacobian, value, statistics, "at a random point");
  }

  void compare_step(Index step, const Values& free) {
    const Values first = values_at(free), other = values_at(random_free());
    Values second = first;
    for (const MomentBlock& block : form_.blocks())
      if (block.step == step)
        for (const Index v : block.values)
          second[static_cast<std::size_t>(v)] = other[static_cast<std::size_t>(v)];
    const Values a = density::statistics_at(form_.blocks(), first),
                 b = density::statistics_at(form_.blocks(), second);
    Values mean(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) mean[k] = 0.5 * (a[k] + b[k]);
    const double program = 0.5 * (reference_(first) + reference_(second));
    require_equal(program, linear_(mean), mean, "on average over two values of a factor");
  }

  const density::MomentForm& form_;
  const Densities& densities_;
  const DeclaredParameters& declared_;
  ValueAt reference_, linear_;
  std::unique_ptr<density::MomentEvaluator> evaluator_;
  Values gradient_;
  Rng rng_{{.seed = 1, .purpose = purpose::kReplicate}};
};
}  // namespace

void prove_moments(const density::MomentForm& form, const Densities& densities,
                   const Traced& traced, const Traced& linear, const DeclaredParameters& declared) {
  MomentProof(form, densities, traced, linear, declared).run();
}

}  // namespace credo::model
