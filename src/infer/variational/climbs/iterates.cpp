#include "infer/variational/climbs/iterates.hpp"

namespace credo::infer {

LevelFigures figures_of(const Iterates& iterates, double unseen) {
  constexpr std::size_t kParts = 10;
  const std::size_t first = iterates.size() / 2, length = (iterates.size() - first) / kParts,
                    last = first + length * kParts, middle = first + length * kParts / 2;
  LevelFigures figures;
  const std::size_t num_parameters = iterates.num_components();
  for (std::size_t k = 0; k < num_parameters; ++k) {
    std::array<double, kParts> parts;
    for (std::size_t p = 0; p < kParts; ++p)
      parts[p] = iterates.mean(k, first + p * length, first + (p + 1) * length);
    const double mean = std::accumulate(parts.begin(), parts.end(), 0.0) / kParts;
    double square = 0.0;
    for (const double part : parts) square += (part - mean) * (part - mean);
    const double error = std::sqrt(square / (kParts - 1.0) / kParts);
    figures.error += error * error / static_cast<double>(num_parameters);
    const double gap = iterates.mean(k, first, middle) - iterates.mean(k, middle, last);
    if (std::fabs(gap) < unseen) continue;
    const double within =
        0.5 * (iterates.variance(k, first, middle) + iterates.variance(k, middle, last));
    figures.largest_r_hat =
        std::max(figures.largest_r_hat, std::sqrt(1.0 + 0.5 * gap * gap / within));
  }
  figures.error = std::sqrt(figures.error);
  return figures;
}

}  // namespace credo::infer
