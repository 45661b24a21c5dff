#include "cli/options/scheme_argument.hpp"

#include "density/names.hpp"
#include "infer/compose/scheme.hpp"
#include "io/file.hpp"
#include "results/files/scheme_text.hpp"

namespace credo::cli {

void SchemeArgument::describe(Arguments& a) {
  a.option("--scheme", path,
           "JSON file with a composition of samplers, each on all or some of the parameters: "
           "{\"cycle\": [{\"sampler\": \"nuts\", \"on\": [\"mu\"]}, ...]}, or a mixture, "
           "shuffled_cycle or palindrome",
           file_ending(".json"));
}

void SchemeArgument::apply(infer::SampleOptions& options) {
  if (path.empty() || is_read_) return;
  const io::JsonValue value = io::parse_json_value(io::read_file(path), path);
  options.sampler = infer::kCompositionName;
  options.kernel = infer::SchemeOptions{.scheme = results::read_scheme(value)};
  is_read_ = true;
}

void find_parameters_of_scheme(infer::SampleOptions& options, const density::Names& names) {
  if (options.sampler != infer::kCompositionName) return;
  infer::SchemeOptions own{.scheme = infer::scheme_of(options.kernel)};
  results::find_coordinates(*own.scheme, names);
  options.kernel = own;
}

}  // namespace credo::cli
