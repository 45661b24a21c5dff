// The kinds of pictures: a file each (report/pictures/), a row each in report/kinds.cpp. `credo plot` draws any of them; the
// report shows all, those of single quantities from the figures that the page has of every one.
#pragma once
#include "report/material.hpp"

namespace credo::report {

struct PictureKind {
  std::string_view name, summary;  // "trace", "the course of each chain"
  // How many quantities it shows at once: none (0), or at most so many, and of which it makes its choice where none are
  // named.
  Index most_quantities = 0;
  bool of_one_variable = false;  // its quantities are the elements of a variable, in their order
  Index least_fits = 1;
  // Throws Error where the fit has nothing of the kind, with the way out.
  Picture (*draw)(const Material& material, std::span<const Index> quantities);
};

std::span<const PictureKind* const> picture_kinds();  // alphabetical
std::vector<std::string> picture_kind_names();
// Throws Error(usage) with the nearest name.
const PictureKind& find_picture_kind(std::string_view name);

// Quantities that are shown if none are named: the first parameters; for kinds of one variable, the first array.
std::vector<Index> usual_quantities(const PictureKind& kind, const Material& material);

}  // namespace credo::report
