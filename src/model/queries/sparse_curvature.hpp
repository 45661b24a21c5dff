// Second derivatives in a block of unconstrained values as a sparse matrix (density/sparse_curvature.hpp): the pattern from the traced
// graph, its columns in colours, and products with the programs of model/queries/curvature.hpp, eight colours a run.
#pragma once
#include "density/sparse_curvature.hpp"
#include "model/queries/curvature.hpp"
#include "numerics/linear_algebra/star_colouring.hpp"

namespace credo::model {

class ColouredCurvature final : public density::SparseCurvature,
                                public std::enable_shared_from_this<ColouredCurvature> {
 public:
  // `block` ascends. Traces at the point. Throws Error(program) where the program can't be differentiated twice.
  ColouredCurvature(const Densities& densities, std::span<const Index> block,
                    std::span<const double> point,
                    std::shared_ptr<const numerics::SparsePattern> pattern);
  std::shared_ptr<const numerics::SparsePattern> pattern() const override { return pattern_; }
  Index num_products() const override { return colours_.num_colours; }
  std::unique_ptr<density::SparseCurvatureAt> make() const override;

 private:
  friend class ColouredCurvatureAt;
  const graph::Program& slope_program() const;  // throws Error(program) without third derivatives

  const Densities& densities_;
  std::vector<Index> block_;
  std::shared_ptr<const numerics::SparsePattern> pattern_;
  numerics::ColumnColours colours_;
  std::unique_ptr<TracedCurvature> traced_;
  mutable std::mutex slope_mutex_;  // the program of third derivatives is made on first use
};

}  // namespace credo::model
