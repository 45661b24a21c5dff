// Stacks of layers, and the table of layers.
#include "infer/maps/flow.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/stream.hpp"
#include "infer/maps/flow_layers.hpp"
#include "io/number_text.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
using graph::Expr;
constexpr std::uint32_t kFlowStart = stream("variational.flow_start");
constexpr double kMostLayers = 1000.0;

constexpr std::array kFlowLayers = {
    FlowLayerSpec{"affine", "affine coupling: half of the values shifts and scales the other half",
                  "dinh2017", make_affine_coupling},
    FlowLayerSpec{"iaf", "inverse autoregressive: each value by those before it in the base space",
                  "kingma2016", make_inverse_autoregressive},
    FlowLayerSpec{"maf", "masked autoregressive: each value by those before it, one after another",
                  "papamakarios2017", make_masked_autoregressive},
    FlowLayerSpec{"ode", "the flow of a differential equation whose field is a network",
                  "grathwohl2019", make_ode},
    FlowLayerSpec{"planar", "a bend along one direction; without an inverse", "rezende2015",
                  make_planar},
    FlowLayerSpec{"spline", "coupling by monotone rational-quadratic splines", "durkan2019",
                  make_spline_coupling}};

class FlowMap final : public GraphMap {
 public:
  explicit FlowMap(const FlowSpec& spec) : centre_(spec.centre), root_(spec.root) {
    const std::size_t n = centre_.size();
    for (std::size_t d = 0; d < n; ++d)
      log_root_ += numerics::log(root_[is_dense() ? d * n + d : d]);
    if (spec.layers.empty()) return;
    for (const std::string& name : parse_layers(spec.layers)) {
      const auto row = std::ranges::find(kFlowLayers, name, &FlowLayerSpec::name);
      layers_.push_back(row->make(
          {.dimension = ssize(centre_), .hidden = spec.hidden, .number = ssize(layers_)}));
    }
  }
  Index dimension() const override { return ssize(centre_); }
  Index num_parameters() const override {
    Index sum = 0;
    for (const auto& layer : layers_) sum += layer->num_parameters();
    return sum;
  }
  std::vector<double> start() const override {
    Rng rng({.seed = 1, .purpose = kFlowStart, .chain = 0, .iteration = 0});
    std::vector<double> all;
    for (const auto& layer : layers_) {
      const std::vector<double> own = layer->start(rng);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
  Expr forward(const Expr& parameters, const Expr& z, Expr& log_jacobian) const override {
    Expr y = z;
    Index first = 0;
    for (const auto& layer : layers_) {
      const Index size = layer->num_parameters();
      y = layer->forward(graph::slice(graph::vector_shape(size), parameters, first), y,
                         log_jacobian);
      first += size;
    }
    log_jacobian = log_jacobian + log_root_;
    const Expr centre = graph::constant(z.shape(), centre_);
    return centre +
           (is_dense() ? graph::matmul(dense_root(), y) : graph::constant(z.shape(), root_) * y);
  }
  bool has_inverse() const override {
    return std::ranges::all_of(layers_, [](const auto& layer) { return layer->has_inverse(); });
  }
  Expr inverse(const Expr& parameters, const Expr& x, Expr& log_jacobian) const override {
    const Expr off = x - graph::constant(x.shape(), centre_);
    Expr y = is_dense() ? graph::solve_lower(dense_root(), off)
                        : off / graph::constant(x.shape(), root_);
    Index first = num_parameters();
    for (std::size_t k = layers_.size(); k-- > 0;) {
      const Index size = layers_[k]->num_parameters();
      first -= size;
      y = layers_[k]->inverse(graph::slice(graph::vector_shape(size), parameters, first), y,
                              log_jacobian);
    }
    log_jacobian = log_jacobian - log_root_;
    return y;
  }

 private:
  bool is_dense() const { return root_.size() != centre_.size() || centre_.size() == 1; }
  Expr dense_root() const {  // column by column
    const std::size_t n = centre_.size();
    std::vector<double> columns(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) columns[j * n + i] = root_[i * n + j];
    return graph::constant(graph::matrix_shape(ssize(centre_), ssize(centre_)), columns);
  }

  std::vector<double> centre_, root_;
  double log_root_ = 0.0;
  std::vector<std::unique_ptr<FlowLayer>> layers_;
};

Error no_layers(std::string_view text) {
  std::vector<std::string_view> names;
  for (const FlowLayerSpec& row : kFlowLayers) names.push_back(row.name);
  return Error(ErrorCode::usage, fmt::format("'{}' names no layers", text), "layers",
               fmt::format("write names with their numbers, as iaf:5 or affine:4,planar:8; there "
                           "are {}",
                           fmt::join(names, ", ")));
}
}  // namespace

Expr FlowLayer::inverse(const Expr&, const Expr&, Expr&) const {
  CREDO_ASSERT(false, "the layer has no inverse");
  return {};
}

std::span<const FlowLayerSpec> flow_layers() { return kFlowLayers; }

std::vector<std::string> parse_layers(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view rest = text; true;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::string name(part.substr(0, part.find(':')));
    const auto count = name.size() == part.size()
                           ? std::optional<double>(1.0)
                           : io::parse_number(std::string(part.substr(name.size() + 1)));
    const bool is_known =
        std::ranges::find(kFlowLayers, name, &FlowLayerSpec::name) != kFlowLayers.end();
    if (!is_known || !count || !(*count >= 1.0 && *count <= kMostLayers) ||
        *count != std::floor(*count))
      throw no_layers(text);
    names.insert(names.end(), static_cast<std::size_t>(*count), name);
    if (part.size() == rest.size()) return names;
    rest = rest.substr(part.size() + 1);
  }
}

std::shared_ptr<const GraphMap> make_flow(const FlowSpec& spec) {
  const std::size_t n = spec.centre.size();
  if (n == 0 || (spec.root.size() != n && spec.root.size() != n * n))
    throw Error(ErrorCode::usage,
                fmt::format("a flow of {} values has a root of {} numbers", n, spec.root.size()),
                "flow", "fit it again with credo approximate --method flow");
  return std::make_shared<FlowMap>(spec);
}

}  // namespace credo::infer
