#include "density/draws.hpp"

#include <sys/mman.h>

#include "base/tasks.hpp"

namespace credo::density {
namespace {
// Pages of 2 MiB where the system has them: large stores are filled once, and each first use of a page costs time. A hint, which
// may be refused.
void prefer_large_pages(double* values, std::size_t count) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  void* begin = values;
  std::size_t room = count * sizeof(double);
  if (std::align(kPage, kPage, begin, room) == nullptr) return;
  ::madvise(begin, room / kPage * kPage, MADV_HUGEPAGE);
}

// By all processors where there are many: the first use of a page costs more than the filling.
void fill_with_nan(std::span<double> values) {
  constexpr std::size_t kPart = std::size_t{1} << 20, kWorthThreads = 4 * kPart;
  std::vector<std::function<void()>> tasks;
  if (values.size() >= kWorthThreads)
    for (std::size_t first = 0; first < values.size(); first += kPart)
      tasks.emplace_back([part = values.subspan(first, std::min(kPart, values.size() - first))] {
        std::ranges::fill(part, kNaN);
      });
  if (tasks.empty())
    std::ranges::fill(values, kNaN);
  else
    do_all(tasks);
}

std::shared_ptr<double[]> values_for(Index size) {
  const auto count = static_cast<std::size_t>(size);
  auto values = std::make_shared_for_overwrite<double[]>(count);
  prefer_large_pages(values.get(), count);
  return values;
}
}  // namespace

Draws::Draws(Index num_draws, Index num_chains, Index num_quantities)
    : num_draws_(num_draws), num_chains_(num_chains), num_quantities_(num_quantities) {
  const Index size = num_draws * num_chains * num_quantities;
  values_ = values_for(size);
  first_ = values_.get();
  fill_with_nan({first_, static_cast<std::size_t>(size)});
}

Draws::Draws(const Draws& other)
    : num_draws_(other.num_draws_),
      num_chains_(other.num_chains_),
      num_quantities_(other.num_quantities_) {
  const Index size = num_draws_ * num_chains_ * num_quantities_;
  values_ = values_for(size);
  first_ = values_.get();
  std::copy_n(other.first_, size, first_);
}

Draws Draws::part(Index first, Index count) const {
  CREDO_ASSERT(first >= 0 && count >= 0 && first + count <= num_quantities_,
               "the quantities lie inside the store");
  Draws shared;
  shared.num_draws_ = num_draws_, shared.num_chains_ = num_chains_;
  shared.num_quantities_ = count;
  shared.values_ = values_;
  shared.first_ = first_ + first * num_draws_ * num_chains_;
  return shared;
}

std::span<const double> Draws::chain(Index chain, Index quantity) const {
  return this->quantity(quantity).subspan(static_cast<std::size_t>(chain * num_draws_),
                                          static_cast<std::size_t>(num_draws_));
}

std::span<const double> Draws::quantity(Index quantity) const {
  CREDO_ASSERT(quantity >= 0 && quantity < num_quantities_, "a quantity lies inside the store");
  const Index size = num_draws_ * num_chains_;
  return {first_ + quantity * size, static_cast<std::size_t>(size)};
}

void Draws::set(Index draw, Index chain, std::span<const double> row) {
  CREDO_ASSERT(ssize(row) == num_quantities_, "a row has one value for each quantity");
  for (Index d = 0; d < num_quantities_; ++d)
    (*this)(draw, chain, d) = row[static_cast<std::size_t>(d)];
}

void Draws::get(Index draw, Index chain, std::span<double> row) const {
  CREDO_ASSERT(ssize(row) == num_quantities_, "a row has one value for each quantity");
  for (Index d = 0; d < num_quantities_; ++d)
    row[static_cast<std::size_t>(d)] = (*this)(draw, chain, d);
}

Draws Draws::head(Index num_draws) const {
  Draws first(std::min(num_draws, num_draws_), num_chains_, num_quantities_);
  for (Index d = 0; d < num_quantities_; ++d)
    for (Index c = 0; c < num_chains_; ++c)
      for (Index s = 0; s < first.num_draws(); ++s) first(s, c, d) = (*this)(s, c, d);
  return first;
}

}  // namespace credo::density
