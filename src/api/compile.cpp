#include "api/compile.hpp"

#include <fmt/format.h>

#include "io/data/data_files.hpp"
#include "lang/diagnostics/diagnostics.hpp"

namespace credo {

std::unique_ptr<const model::Model> make_model(std::shared_ptr<const model::ProgramSource> source,
                                               const ModelText& text, const ModelOptions& options) {
  constexpr std::array<Index, 4> kLanes{1, 2, 4, 8};
  if (std::find(kLanes.begin(), kLanes.end(), options.max_lanes) == kLanes.end())
    throw Error(ErrorCode::usage, fmt::format("{} lanes", options.max_lanes), "max_lanes",
                "use 1, 2, 4 or 8");
  const std::string data_name = text.data_file.empty() ? text.name + ".data.json" : text.data_file;
  const io::DataTable data =
      text.data.empty() ? io::DataTable("no data") : io::parse_data(text.data, data_name);
  model::ModelOptions own;
  own.seed = options.seed;
  own.passes = options.passes;
  own.max_lanes = options.max_lanes;
  return std::make_unique<const model::Model>(std::move(source), data, std::move(own));
}

std::unique_ptr<const model::Model> compile_model(const ModelText& text,
                                                  const ModelOptions& options) {
  lang::Diagnostics diagnostics;
  lang::SourceMap map;
  auto source = model::compile_text(text.name + ".stan", text.program, diagnostics, map);
  if (source == nullptr)
    throw Error(
        ErrorCode::program,
        fmt::format("the program has {} error{}:\n{}", diagnostics.num_errors(),
                    diagnostics.num_errors() == 1 ? "" : "s", lang::render(map, diagnostics)),
        text.name);
  return make_model(std::move(source), text, options);
}

}  // namespace credo
