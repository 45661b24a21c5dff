#include "infer/variational/climbs/batches.hpp"

#include "base/rng.hpp"
#include "base/stream.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kBatchOrder = stream("variational.rows");

class EvaluatorOfRows final : public density::Evaluator {
 public:
  EvaluatorOfRows(std::unique_ptr<density::Evaluator> of, std::span<const double> rows,
                  double weight)
      : of_(std::move(of)), rows_(rows), weight_(weight) {}
  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    for (density::Request* request : batch) request->rows = rows_, request->weight = weight_;
    of_->evaluate(want, batch);
  }
  void use_threads(Index num_threads) override { of_->use_threads(num_threads); }

 private:
  std::unique_ptr<density::Evaluator> of_;
  std::span<const double> rows_;
  double weight_;
};
}  // namespace

BatchRows::BatchRows(Index num_rows, Index size, std::uint64_t seed)
    : seed_(seed), batch_(static_cast<std::size_t>(size)) {
  order_.resize(static_cast<std::size_t>(num_rows));
  std::iota(order_.begin(), order_.end(), 0.0);
  used_ = order_.size();
}

double BatchRows::weight() const {
  return static_cast<double>(order_.size()) / static_cast<double>(batch_.size());
}

void BatchRows::shuffle() {
  Rng rng({.seed = seed_, .purpose = kBatchOrder, .chain = 0, .iteration = epoch_++});
  for (std::size_t k = order_.size(); k > 1; --k)
    std::swap(order_[k - 1],
              order_[static_cast<std::size_t>(rng.index_below(static_cast<Index>(k)))]);
  used_ = 0;
}

std::span<const double> BatchRows::next() {
  for (double& row : batch_) {
    if (used_ == order_.size()) shuffle();
    row = order_[used_++];
  }
  return batch_;
}

void BatchRows::save(ArchiveWriter& to) const { to(epoch_)(used_); }

void BatchRows::load(ArchiveReader& from) {
  std::uint32_t epoch = 0;
  std::size_t used = 0;
  from(epoch)(used);
  std::iota(order_.begin(), order_.end(), 0.0);
  for (epoch_ = 0; epoch_ < epoch;) shuffle();
  used_ = std::min(used, order_.size());
}

std::unique_ptr<density::Evaluator> SomeRows::make_evaluator() const {
  return std::make_unique<EvaluatorOfRows>(batches_.make_evaluator(), rows_, weight_);
}

GradientAnchor::GradientAnchor(const density::LogDensity& whole, const density::LogDensity& batches,
                               Index num_threads)
    : whole_(whole.make_evaluator()),
      batches_(batches.make_evaluator()),
      position_(static_cast<std::size_t>(whole.dimension())),
      gradient_(position_.size()),
      of_batch_(position_.size()),
      gradient_terms_(position_.size(), 0.0) {
  whole_->use_threads(num_threads);
}

bool GradientAnchor::move_to(std::span<const double> point) {
  position_.assign(point.begin(), point.end());
  density::Request request{.position = position_, .gradient = gradient_, .status = {}};
  density::Request* batch[] = {&request};
  whole_->evaluate(density::Want::gradient, batch);
  log_density_ = request.log_density;
  is_known_ = request.status.ok();
  return is_known_;
}

void GradientAnchor::relate(std::span<const double> rows, double weight) {
  density::Request request{
      .position = position_, .gradient = of_batch_, .status = {}, .rows = rows, .weight = weight};
  density::Request* batch[] = {&request};
  if (is_known_) batches_->evaluate(density::Want::gradient, batch);
  const bool is_related = is_known_ && request.status.ok();
  value_term_ = is_related ? log_density_ - request.log_density : 0.0;
  for (std::size_t d = 0; d < gradient_.size(); ++d)
    gradient_terms_[d] = is_related ? gradient_[d] - of_batch_[d] : 0.0;
}

}  // namespace credo::infer
