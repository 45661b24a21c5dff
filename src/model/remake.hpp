// Models again, of texts.
#pragma once
#include "density/program_facts.hpp"

namespace credo::model {
class Model;

struct DataFile {
  std::string path, text;  // no path: there is no data
};

// The model of another program with the same data; it prints nothing. Null where the text is no program.
// Throws Error(data).
std::unique_ptr<Model> remake(const Model& like, const std::string& program, const DataFile& data);

// What a text says, where no model of it is at hand; null where it is no program. Includes must be in it.
std::shared_ptr<const density::ProgramFacts> facts_of_text(const std::string& path,
                                                           const std::string& program);

}  // namespace credo::model
