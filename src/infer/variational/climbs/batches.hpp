// Batches of rows: their order, the density of some rows that stay the same, at which a climb begins, and gradients of batches relative to
// those at an anchor.
#pragma once
#include "base/archive.hpp"
#include "density/log_density.hpp"
#include "infer/variational/families/normal_family.hpp"

namespace credo::infer {

// Draws after a fit by batches, each of which takes all rows: they take some hundred million rows in all. A fit of all rows has as
// many as requested.
inline Index most_draws_of_all_rows(Index num_rows) {
  constexpr Index kMostRows = 200'000'000, kFewest = 200;
  return std::max(kFewest, kMostRows / std::max<Index>(1, num_rows));
}

// Numbers of the rows of step t, from 0: permutations of all rows one after another, so that each is used once before any is
// used again.
class BatchRows {
 public:
  BatchRows(Index num_rows, Index size, std::uint64_t seed);
  std::span<const double> next();
  double weight() const;  // weight of each row: N / size

  // The place in the order, not the order, which may be one of a million rows: it is made again.
  void save(ArchiveWriter& to) const;
  void load(ArchiveReader& from);

 private:
  void shuffle();
  std::uint64_t seed_;
  std::uint32_t epoch_ = 0;
  std::size_t used_ = 0;
  std::vector<double> order_, batch_;
};

// A density of batches with rows that stay the same, weighted so that they stand for all.
class SomeRows final : public density::LogDensity {
 public:
  // `batches` must live as long.
  SomeRows(const density::LogDensity& batches, std::vector<double> rows, double weight)
      : batches_(batches), rows_(std::move(rows)), weight_(weight) {}
  Index dimension() const override { return batches_.dimension(); }
  bool has_gradient() const override { return batches_.has_gradient(); }
  std::string describe(const density::Status& status) const override {
    return batches_.describe(status);
  }
  std::optional<density::Start> draw_start(Rng& rng, double radius) const override {
    return batches_.draw_start(rng, radius);
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;

 private:
  const density::LogDensity& batches_;
  std::vector<double> rows_;
  double weight_;
};

// A point a with its log density and gradient by all rows. For a batch B
//
//   g_B(x) - g_B(a) + g(a)
//
// has the same mean as g_B(x), and varies by the distance of x from a alone: between posterior standard deviations of each other by 1 / √m of
// them, m the rows of a batch, where g_B(x) varies by √(N / m).
class GradientAnchor {
 public:
  // `whole`: all rows.
  GradientAnchor(const density::LogDensity& whole, const density::LogDensity& batches, Index num_threads);
  // Moves it to a point. False where the density has no value there: answers stay as they are from then on.
  bool move_to(std::span<const double> point);
  std::span<const double> position() const { return position_; }
  bool is_known() const { return is_known_; }
  // The terms that are added to values and gradients of a batch.
  void relate(std::span<const double> rows, double weight);
  double value_term() const { return value_term_; }
  std::span<const double> gradient_terms() const { return gradient_terms_; }

 private:
  std::unique_ptr<density::Evaluator> whole_, batches_;
  std::vector<double> position_, gradient_, of_batch_, gradient_terms_;
  double log_density_ = 0.0, value_term_ = 0.0;
  bool is_known_ = false;
};

}  // namespace credo::infer
