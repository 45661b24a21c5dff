// Expectations of terms as expressions of the expectations of statistics, which are the input of a graph.
#pragma once
#include "model/messages/moment_blocks.hpp"

namespace credo::model {

class MomentSlots : public graph::Expectations {
 public:
  // `statistics`: an input of blocks.num_statistics elements.
  MomentSlots(const DeclaredParameters& declared, const MomentBlocks& blocks,
              graph::Expr statistics)
      : declared_(declared), blocks_(blocks), statistics_(std::move(statistics)) {}
  // Throws NoMoments for a product that the blocks' statistics don't have.
  graph::Expr of(const graph::MomentTerm& term) override;

 private:
  using Factors = std::vector<const graph::MomentFactor*>;
  using Slots = std::vector<std::int32_t>;

  const density::MomentBlock& block_of(std::int32_t coordinate) const {
    return blocks_
        .blocks[static_cast<std::size_t>(blocks_.block_of[static_cast<std::size_t>(coordinate)])];
  }
  Index place_of(std::int32_t coordinate) const {
    return blocks_.place_in[static_cast<std::size_t>(coordinate)];
  }
  graph::Expr at(const Slots& slots) const;
  Index slot_of(const graph::Atom& atom, std::int32_t coordinate) const;
  Index mean_slot(std::int32_t coordinate) const;
  Index second_slot(std::int32_t a, std::int32_t b) const;
  graph::Expr atoms(const graph::MomentFactor& factor) const;
  graph::Expr linear(const graph::MomentFactor& factor, const graph::Expr& columns) const;
  graph::Expr pairs(std::span<const std::pair<std::int32_t, std::int32_t>> all) const;
  graph::Expr normal(const Factors& factors) const;
  graph::Expr weighted_product(const graph::MomentFactor& f, const graph::MomentFactor& g) const;
  Index scaled_slot(std::int32_t scale, std::int32_t a, std::int32_t b) const;
  graph::Expr scaled(const Factors& factors) const;
  graph::Expr weighted_scaled(const graph::MomentFactor& scale, const graph::MomentFactor& f) const;
  graph::Expr weighted_matrix(const graph::MomentFactor& matrix, Index n) const;
  graph::Expr scaled_by_matrix(const Factors& factors) const;
  Index matrix_slot(std::int32_t element, std::span<const Index> x, Index n) const;
  graph::Expr others(const Factors& factors) const;
  void require_apart(const Factors& factors) const;

  const DeclaredParameters& declared_;
  const MomentBlocks& blocks_;
  graph::Expr statistics_;
};

// Labels of rows that are summed over, with weights that are further inputs.
class LabelledSlots final : public MomentSlots {
 public:
  struct Labels {
    std::vector<graph::Expr> alternatives;
    Index rows = 0,
          first = 0;  // number of rows, first weight; those of an alternative are adjacent
  };

  // `weights`: an input, or empty to count them.
  LabelledSlots(const DeclaredParameters& declared, const MomentBlocks& blocks,
                graph::Expr statistics, graph::Expr weights)
      : MomentSlots(declared, blocks, std::move(statistics)), weights_(std::move(weights)) {}
  graph::Expr replaced(std::span<const graph::Expr> alternatives, Index rows) override;

  const std::vector<Labels>& labels() const { return labels_; }
  Index num_weights() const { return num_weights_; }

 private:
  graph::Expr weights_;
  std::vector<Labels> labels_;
  Index num_weights_ = 0;
};

// Some rows of each sum over labels, chosen by a random order of the rows, with weights that make their sum unbiased.
class BatchSlots final : public MomentSlots {
 public:
  BatchSlots(const DeclaredParameters& declared, const MomentBlocks& blocks, graph::Expr statistics,
             Index number, Index num_batches)
      : MomentSlots(declared, blocks, std::move(statistics)),
        number_(number),
        num_batches_(num_batches) {}
  Batch batch_of(Index rows) override;

 private:
  Index number_, num_batches_;
};

}  // namespace credo::model
