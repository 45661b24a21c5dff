#include "examples/support/program.hpp"

#include "base/error.hpp"
#include "io/json_reader.hpp"

namespace credo::examples {

std::unique_ptr<model::Model> program(const std::string& text, const std::string& data) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto compiled = model::compile_text("example.stan", text, diagnostics, source);
  if (compiled == nullptr) throw Error(ErrorCode::program, lang::render(source, diagnostics));
  return std::make_unique<model::Model>(compiled, io::parse_json_data(data, "data"),
                                        model::ModelOptions{});
}

Written::Written(const model::Model& model, const density::Draws& free_draws)
    : names(model.outputs().element_names()),
      draws(free_draws.num_draws(), free_draws.num_chains(), ssize(names)) {
  std::vector<double> point(static_cast<std::size_t>(model.dimension()));
  for (Index c = 0; c < draws.num_chains(); ++c) {
    for (Index s = 0; s < draws.num_draws(); ++s) {
      Rng rng({.seed = 1,
               .purpose = purpose::kGenerated,
               .chain = static_cast<std::uint32_t>(c),
               .iteration = static_cast<std::uint32_t>(s)});
      free_draws.get(s, c, point);
      draws.set(s, c, model.draw_outputs().write(point, rng));
    }
  }
}

diagnose::Chains Written::operator[](std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error(ErrorCode::usage, "no such column", std::string(name));
  return diagnose::quantity(draws, found - names.begin());
}

}  // namespace credo::examples
