#include "infer/maps/graph_map.hpp"

#include "base/error.hpp"
#include "graph/passes/differentiate.hpp"
#include "graph/passes/passes.hpp"
#include "infer/core/vectors.hpp"

namespace credo::infer {
namespace {
using graph::Expr;
constexpr double kHalfLogTwoPi = 0.91893853320467274178;

// Parts of an input, one after another.
class InputParts {
 public:
  InputParts(graph::Graph& graph, Index size)
      : input_(graph.add_input(graph::vector_shape(size))), whole_(graph, graph::Ref{input_, -1}) {}
  Expr next(Index size) {
    const Expr part = graph::slice(graph::vector_shape(size), whole_, used_);
    used_ += size;
    return part;
  }
  Expr next_number() { return whole_.element(used_++); }
  graph::NodeId node() const { return input_; }

 private:
  graph::NodeId input_;
  Expr whole_;
  Index used_ = 0;
};

std::shared_ptr<const graph::Program> ready(std::unique_ptr<graph::Graph> graph,
                                            graph::NodeId input, std::vector<Expr> outputs) {
  graph::Traced traced = graph::Passes().run({std::move(graph), input, std::move(outputs)});
  return std::make_shared<const graph::Program>(*traced.graph, traced.input, traced.outputs);
}

// Slope of a number by the first `size` values of the input, from `first` on.
Expr slope_by(graph::Graph& graph, const Expr& number, graph::NodeId input, Index first,
              Index size) {
  const Expr all = graph::gradient(graph, number, std::span(&input, 1)).front();
  return graph::slice(graph::vector_shape(size), all, first);
}

// λ of a family, or fixed numbers.
Expr parameters_in(InputParts& parts, const GraphMap& map, std::span<const double> fixed) {
  if (fixed.empty()) return parts.next(map.num_parameters());
  return graph::constant(graph::vector_shape(ssize(fixed)), fixed);
}

// x → z, λ fixed
std::shared_ptr<const graph::Program> inverse_program(const GraphMap& map,
                                                      std::span<const double> fixed) {
  auto graph = std::make_unique<graph::Graph>();
  InputParts parts(*graph, map.dimension());
  Expr log_jacobian = 0.0;
  const Expr z =
      map.inverse(parameters_in(parts, map, fixed), parts.next(map.dimension()), log_jacobian);
  return ready(std::move(graph), parts.node(), {z});
}

std::span<const double> part_of_map(std::span<const double> all, std::size_t s, std::size_t size) {
  return all.subspan(s * size, size);
}
}  // namespace

std::shared_ptr<const graph::Program> placing_program(const GraphMap& map,
                                                      std::span<const double> fixed) {
  auto graph = std::make_unique<graph::Graph>();
  const Index num_free = fixed.empty() ? map.num_parameters() : 0;
  InputParts parts(*graph, num_free + map.num_base());
  const Expr parameters = parameters_in(parts, map, fixed), z = parts.next(map.num_base());
  Expr log_jacobian = 0.0;
  const Expr x = map.forward(parameters, z, log_jacobian);
  return ready(std::move(graph), parts.node(), {x, log_jacobian});
}

std::shared_ptr<const graph::Program> pulling_program(const GraphMap& map,
                                                      std::span<const double> fixed) {
  auto graph = std::make_unique<graph::Graph>();
  const bool is_by_base = !fixed.empty() || map.num_parameters() == 0;
  const Index num_free = is_by_base ? 0 : map.num_parameters();
  InputParts parts(*graph, num_free + map.num_base() + map.dimension() + 1);
  const Expr parameters = parameters_in(parts, map, fixed), z = parts.next(map.num_base()),
             v = parts.next(map.dimension()), w = parts.next_number();
  Expr log_jacobian = 0.0;
  const Expr x = map.forward(parameters, z, log_jacobian);
  const Expr slope = slope_by(*graph, graph::dot(v, x) + w * log_jacobian, parts.node(), 0,
                              is_by_base ? map.num_base() : num_free);
  return ready(std::move(graph), parts.node(), {slope});
}

std::shared_ptr<const graph::Program> density_program(const GraphMap& map, bool with_slope) {
  auto graph = std::make_unique<graph::Graph>();
  InputParts parts(*graph, map.num_parameters() + map.dimension());
  const Expr parameters = parts.next(map.num_parameters()), x = parts.next(map.dimension());
  Expr log_jacobian = 0.0;
  const Expr z = map.inverse(parameters, x, log_jacobian);
  const Expr log_q =
      log_jacobian - 0.5 * graph::dot(z, z) - static_cast<double>(map.num_base()) * kHalfLogTwoPi;
  std::vector<Expr> outputs{log_q};
  if (with_slope) outputs.push_back(slope_by(*graph, log_q, parts.node(), 0, map.num_parameters()));
  return ready(std::move(graph), parts.node(), std::move(outputs));
}

double log_normal_density(std::span<const double> z) {
  return -0.5 * dot(z, z) - static_cast<double>(z.size()) * kHalfLogTwoPi;
}

Expr GraphMap::inverse(const Expr&, const Expr&, Expr&) const {
  CREDO_ASSERT(false, "the map has no inverse");
  return {};
}

GraphRunner::GraphRunner(std::shared_ptr<const graph::Program> program, Index max_lanes)
    : program_(std::move(program)),
      max_lanes_(max_lanes),
      workspace_(*program_, max_lanes),
      inputs_(static_cast<std::size_t>(program_->input_size() * max_lanes)) {
  workspace_.set_lanes(max_lanes);
}

GraphRunner::GraphRunner(const GraphRunner& other)
    : GraphRunner(other.program_, other.max_lanes_) {}

void GraphRunner::set_common(std::span<const double> values, std::uint64_t version) {
  if (version == common_version_) return;
  common_version_ = version;
  num_common_ = values.size();
  const auto lanes = static_cast<std::size_t>(max_lanes_);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::fill_n(inputs_.begin() + static_cast<std::ptrdiff_t>(i * lanes), lanes, values[i]);
}

void GraphRunner::run(std::span<const double> inputs, Index count) {
  const auto lanes = static_cast<std::size_t>(max_lanes_),
             size = static_cast<std::size_t>(program_->input_size()) - num_common_;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto own = part_of_map(inputs, std::min(lane, static_cast<std::size_t>(count) - 1), size);
    for (std::size_t i = 0; i < size; ++i) inputs_[(num_common_ + i) * lanes + lane] = own[i];
  }
  workspace_.set_inputs(inputs_.data());
  workspace_.run();
}

void GraphRunner::add(std::size_t output, std::span<const double> factors, std::span<double> into) {
  const auto lanes = static_cast<std::size_t>(max_lanes_);
  outputs_.resize(into.size() * lanes);
  workspace_.copy_outputs(output, outputs_.data());
  for (std::size_t i = 0; i < into.size(); ++i)
    for (std::size_t lane = 0; lane < factors.size(); ++lane)
      into[i] += factors[lane] * outputs_[i * lanes + lane];
}

// ---- transport

GraphTransport::GraphTransport(std::shared_ptr<const GraphMap> map,
                               std::span<const double> parameters)
    : map_(std::move(map)) {
  CREDO_ASSERT(map_->num_base() == map_->dimension(), "a transport keeps the dimension");
  forward_.emplace(placing_program(*map_, parameters), 1);
  backward_.emplace(pulling_program(*map_, parameters), 1);
  if (map_->has_inverse()) inverse_.emplace(inverse_program(*map_, parameters), 1);
}

void GraphTransport::place(std::span<const double> z, std::span<double> x,
                           std::span<double> log_jacobian) {
  const auto n = static_cast<std::size_t>(dimension());
  for (std::size_t s = 0; s < log_jacobian.size(); ++s) {
    forward_->run(part_of_map(z, s, n), 1);
    forward_->copy(0, 0, x.subspan(s * n, n));
    forward_->copy(1, 0, log_jacobian.subspan(s, 1));
  }
}

void GraphTransport::pull_back(std::span<const double> z, std::span<const double> v,
                               std::span<double> into) {
  const auto n = static_cast<std::size_t>(dimension());
  for (std::size_t first = 0; first < into.size(); first += n) {
    inputs_.assign(z.begin() + static_cast<std::ptrdiff_t>(first),
                   z.begin() + static_cast<std::ptrdiff_t>(first + n));
    const auto own = v.subspan(first, n);
    inputs_.insert(inputs_.end(), own.begin(), own.end());
    inputs_.push_back(1.0);
    backward_->run(inputs_, 1);
    backward_->copy(0, 0, into.subspan(first, n));
  }
}

void GraphTransport::invert(std::span<const double> x, std::span<double> z) {
  inverse_->run(x, 1);
  inverse_->copy(0, 0, z);
}

}  // namespace credo::infer
