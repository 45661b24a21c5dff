#include "cli/run/kept_work.hpp"

#include <fmt/format.h>

namespace credo::cli {

std::string going_on(const KeptWorkOptions& options, Index num_done) {
  return fmt::format("goes on with {} {} of {}.run\n", num_done, options.what, options.file);
}

std::string progress(const KeptWorkOptions& options, Index num_done) {
  return fmt::format("{} of {} {}\n", num_done, options.count, options.what);
}

}  // namespace credo::cli
