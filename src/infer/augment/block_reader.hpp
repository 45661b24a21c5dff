// Reads the form of a block's density at given values of the other coordinates. Working memory of one thread.
#pragma once
#include "infer/augment/block_form.hpp"
#include "infer/augment/block_points.hpp"

namespace credo::infer {

class BlockReader {
 public:
  // The plan must live as long.
  explicit BlockReader(const BlockPlan& plan);

  // Finds the form of each part at a position, from nothing. False, with the reason in why_not(), without one.
  bool find_prior(std::span<const double> position, BlockForm& form);
  bool find_likelihood(std::span<const double> position, BlockForm& form);  // a quadratic function
  bool find_rows(std::span<const double> position, BlockForm& form);        // rows one by one
  const std::string& why_not() const { return why_not_; }

  // The whole form at a position, from the one that the plan has: a function of the other coordinates alone. Throws Error(evaluation) where
  // it has another form than the plan's.
  const BlockForm& read(std::span<const double> position);
  Index num_evaluations() const;

 private:
  std::size_t size() const { return plan_.inner.size(); }
  bool refuse(std::string why);
  bool read_quadratic(BlockPoints& points, std::span<const double> position,
                      std::span<const Index> bent, BlockForm& form);
  BlockForm empty_form() const {
    return {numerics::RowMatrix(ssize(plan_.inner)), std::vector<double>(size(), 0.0), {}};
  }
  bool read_axes(std::span<const double> position, BlockForm& form);
  bool read_prior_again(std::span<const double> position, BlockForm& form);
  bool read_row(std::span<const double> position, Index row, BlockForm& form);
  bool read_line(std::span<const double> position, BlockSite& site);
  bool read_rows_again(std::span<const double> position, BlockForm& form);
  void lay_point(std::size_t point, const BlockSite& site, double s);
  bool renew(BlockSite& site, std::size_t first, std::span<const double> places);
  bool holds(BlockPoints& points, std::span<const double> position, const BlockForm& form);
  [[noreturn]] void refuse_position() const;

  const BlockPlan& plan_;
  BlockPoints prior_;
  std::unique_ptr<BlockPoints> likelihood_, rows_;
  BlockForm prior_form_, likelihood_form_, whole_;
  bool has_whole_ = false;
  std::string why_not_;
};

}  // namespace credo::infer
