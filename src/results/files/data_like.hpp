// How the data that are given to a fit are read: as the fit's own were, so that a level has the code, and a column the place,
// that its parameters belong to.
#pragma once
#include "io/data/data_recipe.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

using FileText = std::function<const std::string&(const std::string& path)>;

// What other data are to a fit.
enum class GivenData {
  own,   // those it was made of, which it doesn't keep: levels are theirs
  other  // new ones
};

// `now` with what it doesn't say itself taken from the fit: names of columns, cells without a value, and for each factor the
// levels in the fit's order, others being refused. A variable of numbers doesn't become a factor. Tables of a fit that
// says nothing of its levels are refused if they have factors whose levels `now` doesn't give.
// Throws Error(usage) where `now` contradicts the fit, Error(data).
io::DataRecipe recipe_like(const Fit& fit, io::DataRecipe now, const FileText& text_of,
                           GivenData given);

}  // namespace credo::results
