// A Stan program, read, parsed and checked. All models of it share this.
#pragma once
#include "lang/diagnostics/diagnostics.hpp"
#include "lang/typed/typed.hpp"

namespace credo::model {

struct ProgramSource {
  lang::SourceMap source;
  lang::typed::Program program;
  std::string name;  // name of the file without directory and ending

  std::string where(std::int32_t statement) const;  // "model.stan:12:5"
};

// `strict` refuses what isn't in the language: discrete parameters. Diagnostics (warnings too) go
// to the sink; null when there are errors.
std::shared_ptr<const ProgramSource> compile_file(
    const std::string& path, lang::Diagnostics& diagnostics, lang::SourceMap& source,
    std::span<const std::string> include_dirs = {}, bool strict = false,
    const lang::FileReader& read = lang::read_program_file);
std::shared_ptr<const ProgramSource> compile_text(const std::string& name, std::string text,
                                                  lang::Diagnostics& diagnostics,
                                                  lang::SourceMap& source);

}  // namespace credo::model
