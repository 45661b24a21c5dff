// Positive numbers without memory, times for example; mu is the mean.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
extern const FamilyRow exponential_family{
    .name = "exponential",
    .links = {"log", "inverse", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = only_at_least_0,
    .distribution = [](const FamilyText& t) { return fmt::format("exponential(inv({}))", t.mean); },
    .draw = [](const FamilyText& t) { return fmt::format("exponential_rng(inv({}))", t.mean); },
    .expected = mean_of,
    .words = "exponential outcome",
    .tail = [](const FamilyText& t) { return fmt::format("exponential(inv({}))", t.mean); }};
}  // namespace credo::models
