#include "infer/augment/augmentation.hpp"

namespace credo::infer {

extern const Augmentation kConjugateNormal, kLatentNormal, kLatentInterval, kScaleMixture,
    kStudentMixture;

namespace {
constexpr std::array<const Augmentation*, 5> kAugmentations{
    &kConjugateNormal, &kLatentNormal, &kLatentInterval, &kScaleMixture, &kStudentMixture};
constexpr double kSameLine = 1e-9;
}  // namespace

std::span<const Augmentation* const> augmentations() { return kAugmentations; }

const Augmentation* match_augmentation(std::span<const FormPoint> points, FormNumbers& numbers) {
  for (const Augmentation* form : kAugmentations)
    if (form->match(points, numbers)) return form;
  return nullptr;
}

bool is_through(double (*log_g)(const FormNumbers&, double), const FormNumbers& numbers,
                std::span<const FormPoint> points) {
  const FormPoint& first = points.front();
  const double level = first.log_g - log_g(numbers, first.s);
  return std::ranges::all_of(points, [&](const FormPoint& point) {
    const double size = 1.0 + std::abs(point.log_g) + std::abs(first.log_g) +
                        std::abs(point.slope * point.s) + std::abs(first.slope * first.s);
    return std::isfinite(point.log_g) &&
           std::abs(log_g(numbers, point.s) + level - point.log_g) <= kSameLine * size;
  });
}

}  // namespace credo::infer
