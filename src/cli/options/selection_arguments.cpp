#include "cli/options/selection_arguments.hpp"

namespace credo::cli {

void describe(results::Selection& selection, Arguments& arguments) {
  arguments.option("--keep", selection.keep,
                   "keep only outputs with such a name, as theta, 'th*', 'theta[1,*]' or "
                   "'theta[1:3]'; may be "
                   "repeated",
                   {.word = "PATTERN"});
  arguments.option("--drop", selection.drop, "leave out outputs with such a name; may be repeated",
                   {.word = "PATTERN"});
}

}  // namespace credo::cli
