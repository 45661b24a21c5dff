// Models again, of texts.
#pragma once
#include "density/program_facts.hpp"
#include "io/input_files.hpp"

namespace credo::model {
class Model;

struct DataFiles {
  std::string recipe;  // io/data/data_recipe.hpp; empty: no data
  io::InputFiles::Contents texts;
};

// The model of another program with the same data; it prints nothing. Null where the text is no program.
// Throws Error(data).
std::unique_ptr<Model> remake(const Model& like, const std::string& program, const DataFiles& data);

// Facts of a program's text, for use without a model of it; null if it isn't a program. Includes must be in it.
std::shared_ptr<const density::ProgramFacts> facts_of_text(const std::string& path,
                                                           const std::string& program);

}  // namespace credo::model
