// Texts of programs as models.
#pragma once
#include "api/declaration.hpp"
#include "credo/model.hpp"
#include "model/model.hpp"

namespace credo {

struct ModelText {
  std::string name, program, data;  // data: the text of a file, or JSON; empty: none
  std::string data_file = {};       // its name determines the format; empty: JSON
};

// Throws Error(program) with all diagnostics, Error(data).
std::unique_ptr<const model::Model> compile_model(const ModelText& text,
                                                  const ModelOptions& options);
std::unique_ptr<const model::Model> make_model(std::shared_ptr<const model::ProgramSource> source,
                                               const ModelText& text, const ModelOptions& options);

}  // namespace credo
