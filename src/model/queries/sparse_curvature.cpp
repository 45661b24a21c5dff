#include "model/queries/sparse_curvature.hpp"

#include "graph/factors/curvature_pairs.hpp"
#include "model/densities.hpp"

namespace credo::model {
namespace {
numerics::SparsePattern pattern_of(const graph::CurvaturePairs& found, Index size) {
  std::vector<numerics::SparseElement> elements;
  for (Index k = 0; k < size; ++k) elements.push_back({k, k, 0.0});
  if (found.is_dense) {
    for (Index j = 0; j < size; ++j)
      for (Index i = j + 1; i < size; ++i) elements.push_back({i, j, 0.0});
  }
  for (const auto& [row, col] : found.pairs) elements.push_back({row, col, 0.0});
  return numerics::SparseSymmetric(size, elements).pattern();
}
}  // namespace

// It is that of the graph as traced, since passes may join summands.
numerics::SparsePattern Tracer::trace_pattern(std::span<const Index> block,
                                              std::span<const double> point) const {
  const graph::Passes passes(options_.passes);
  lang::Machine machine = new_machine(passes, keeps_apart(Order::gradient));
  TracedDensity path;
  const graph::Traced traced = trace_values(point, machine, path);
  std::vector<std::int32_t> site_of(
      static_cast<std::size_t>(traced.graph->node(traced.input).shape.size()), -1);
  for (std::size_t k = 0; k < block.size(); ++k)
    site_of[static_cast<std::size_t>(block[k])] = static_cast<std::int32_t>(k);
  return pattern_of(
      graph::curvature_pairs(*traced.graph, traced.input, traced.outputs[0], std::move(site_of)),
      ssize(block));
}

std::shared_ptr<const density::SparseCurvature> Densities::sparse_curvature(
    std::span<const Index> block, std::span<const double> point) const {
  if (!has_hessian()) return nullptr;
  auto pattern =
      std::make_shared<const numerics::SparsePattern>(tracer_.trace_pattern(block, point));
  return std::make_shared<ColouredCurvature>(*this, block, point, std::move(pattern));
}

ColouredCurvature::ColouredCurvature(const Densities& densities, std::span<const Index> block,
                                     std::span<const double> point,
                                     std::shared_ptr<const numerics::SparsePattern> pattern)
    : densities_(densities),
      block_(block.begin(), block.end()),
      pattern_(std::move(pattern)),
      colours_(numerics::star_colours(*pattern_)),
      traced_(densities.trace_curvature(point, density::Want::hessian)) {}

const graph::Program& ColouredCurvature::slope_program() const {
  const std::lock_guard lock(slope_mutex_);
  if (!traced_->slope && !traced_->no_slope) densities_.trace_slope(*traced_);
  if (traced_->no_slope) throw Error(*traced_->no_slope);
  return *traced_->slope;
}

class ColouredCurvatureAt final : public density::SparseCurvatureAt {
 public:
  explicit ColouredCurvatureAt(std::shared_ptr<const ColouredCurvature> all)
      : all_(std::move(all)),
        dimension_(static_cast<std::size_t>(all_->densities_.dimension())),
        lanes_(lanes_of(*all_)),
        input_(3 * dimension_),
        column_(dimension_),
        matrix_(*all_->traced_->matrix, lanes_),
        product_(*all_->traced_->matrix, 1) {
    by_colour_.resize(static_cast<std::size_t>(all_->colours_.num_colours));
    for (std::size_t k = 0; k < all_->block_.size(); ++k)
      by_colour_[at(all_->colours_.colour[k])].columns.push_back(at(all_->block_[k]));
    for (std::size_t p = 0; p < all_->colours_.sources.size(); ++p)
      by_colour_[at(all_->colours_.sources[p].of)].places.push_back(p);
  }

  density::Status matrix(std::span<const double> position, std::span<double> values) override {
    return each_colour(matrix_, position, {}, [&](std::size_t colour) {
      for (const std::size_t p : by_colour_[colour].places) values[p] = column_[row_of(p)];
    });
  }

  density::Status multiply(std::span<const double> position, std::span<const double> direction,
                           std::span<double> product) override {
    std::ranges::copy(position, input_.begin());
    std::ranges::fill(std::span(input_).subspan(dimension_, dimension_), 0.0);
    std::ranges::copy(direction, input_.begin() + static_cast<Index>(2 * dimension_));
    product_.set_input(0, input_);
    product_.run();
    density::Status status = judged(product_, 0);
    if (!status.ok()) return status;
    product_.copy_output(0, 0, product);
    return finite(product);
  }

  // uᵀ B v with a colour's columns as v and at the rows whose elements are read from it their weights as u.
  density::Status slope(std::span<const double> position, std::span<const double> weights,
                        std::span<double> slope) override {
    if (!slope_) slope_.emplace(all_->slope_program(), lanes_);
    std::ranges::fill(slope, 0.0);
    const density::Status status = each_colour(*slope_, position, weights, [&](std::size_t) {
      for (std::size_t d = 0; d < dimension_; ++d) slope[d] += column_[d];
    });
    return status.ok() ? finite(slope) : status;
  }

 private:
  struct Colour {
    std::vector<std::size_t> columns;  // coordinates
    std::vector<std::size_t> places;   // of the pattern, that are read from its product
  };
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  static Index lanes_of(const ColouredCurvature& all) {
    Index lanes = 1;
    while (lanes < all.colours_.num_colours && 2 * lanes <= all.densities_.options().max_lanes)
      lanes *= 2;
    return lanes;
  }
  std::size_t row_of(std::size_t place) const {
    return at(all_->block_[at(all_->colours_.sources[place].row)]);
  }

  // Runs the program for all colours; `take` finds the output of a colour in column_.
  template <class Take>
  density::Status each_colour(graph::Workspace& workspace, std::span<const double> position,
                              std::span<const double> weights, Take take) {
    const std::size_t count = by_colour_.size(), lanes = at(lanes_);
    for (std::size_t first = 0; first < count; first += lanes) {
      workspace.set_lanes(lanes_);
      for (std::size_t l = 0; l < lanes; ++l) {  // lanes without a colour repeat the last one
        set_input(position, weights, std::min(first + l, count - 1));
        workspace.set_input(static_cast<Index>(l), input_);
      }
      workspace.run();
      for (std::size_t l = 0; l < lanes && first + l < count; ++l) {
        const density::Status status = judged(workspace, static_cast<Index>(l));
        if (!status.ok()) return status;
        workspace.copy_output(0, static_cast<Index>(l), column_);
        take(first + l);
      }
    }
    return {};
  }

  void set_input(std::span<const double> position, std::span<const double> weights,
                 std::size_t colour) {
    std::ranges::fill(input_, 0.0);
    std::ranges::copy(position, input_.begin());
    for (const std::size_t column : by_colour_[colour].columns)
      input_[2 * dimension_ + column] = 1.0;
    if (weights.empty()) return;
    for (const std::size_t p : by_colour_[colour].places)
      input_[dimension_ + row_of(p)] += weights[p];
  }

  density::Status judged(const graph::Workspace& workspace, Index lane) const {
    const graph::LaneStatus& status = workspace.status(lane);
    if (status.check == 0) return {};
    const auto check = static_cast<std::size_t>(status.check - 1);
    const TracedDensity& path = all_->traced_->path;
    if (path.failures[check].kind == lang::FailureKind::guard)
      throw Error(ErrorCode::program,
                  "a decision on parameters takes another path here, where the second derivatives "
                  "of a block need one path",
                  all_->densities_.parts().data.source().where(path.failures[check].statement),
                  "write branches that only assign values, or use sampling of all parameters");
    return {path.sources[check], status.value, is_fatal(path.failures[check].kind)};
  }
  static density::Status finite(std::span<const double> values) {
    for (const double value : values)
      if (!std::isfinite(value)) return {kBadCurvature, value, false};
    return {};
  }

  std::shared_ptr<const ColouredCurvature> all_;
  std::size_t dimension_;
  Index lanes_;
  std::vector<Colour> by_colour_;
  std::vector<double> input_, column_;
  graph::Workspace matrix_;
  graph::Workspace product_;  // its own: another number of lanes would write all constants anew at each call
  std::optional<graph::Workspace> slope_;
};

std::unique_ptr<density::SparseCurvatureAt> ColouredCurvature::make() const {
  return std::make_unique<ColouredCurvatureAt>(shared_from_this());
}

}  // namespace credo::model
