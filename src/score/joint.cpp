#include "score/joint.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "score/scores.hpp"

namespace credo::score {
namespace {
std::vector<std::vector<Index>> blocks_of(const Predictions& all, Index size) {
  std::vector<std::vector<Index>> blocks;
  if (size > 0) {
    for (Index first = 0; first + size <= all.num_rows(); first += size) {
      std::vector<Index>& block = blocks.emplace_back(static_cast<std::size_t>(size));
      std::iota(block.begin(), block.end(), first);
    }
    return blocks;
  }
  for (Index i = 0; i < all.num_rows(); ++i) {
    const auto block = all.blocks.empty()
                           ? std::size_t{0}
                           : static_cast<std::size_t>(all.blocks[static_cast<std::size_t>(i)]);
    if (block >= blocks.size()) blocks.resize(block + 1);
    blocks[block].push_back(i);
  }
  return blocks;
}
}  // namespace

double joint_log_density(const Predictions& all, std::span<const Index> rows) {
  std::vector<double> sums(static_cast<std::size_t>(all.values.num_columns), 0.0);
  for (const Index i : rows)
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += all.values[i][m];
  return numerics::log_sum_exp(sums) - numerics::log(static_cast<double>(sums.size()));
}

JointFigure joint_figure(const Predictions& all, Index size) {
  if (all.form != Form::likelihood)
    throw Error(ErrorCode::usage,
                "joint scores are computed from the log likelihood of each row at draws of the "
                "parameters",
                all.source, "give columns log_lik.1 ... log_lik.M");
  const std::vector<std::vector<Index>> blocks = blocks_of(all, size);
  if (blocks.empty())
    throw Error(ErrorCode::usage,
                fmt::format("{} rows don't fill a block of {}", all.num_rows(), size), "--block");
  std::vector<double> scores, divergences;
  JointFigure figure{.num_blocks = ssize(blocks)};
  for (const std::vector<Index>& block : blocks) {
    figure.num_rows += ssize(block);
    scores.push_back(joint_log_density(all, block));
    if (all.log_true.empty()) continue;
    double truth = 0.0;
    for (const Index i : block) truth += all.log_true[static_cast<std::size_t>(i)];
    divergences.push_back(truth - scores.back());
  }
  const Figure mean = mean_figure(scores);
  figure.log_score = mean.value, figure.error = mean.error, figure.cross_entropy = -mean.value;
  if (divergences.empty()) return figure;
  const Figure kl = mean_figure(divergences);
  figure.kl = kl.value, figure.kl_error = kl.error;
  return figure;
}

}  // namespace credo::score
