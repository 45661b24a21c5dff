// First steps of several commands: a program from a file, its data, a model.
#pragma once
#include "cli/command.hpp"
#include "cli/options/data_arguments.hpp"
#include "graph/passes/passes.hpp"
#include "io/input_files.hpp"
#include "lang/diagnostics/source.hpp"
#include "model/remake.hpp"
#include "results/files/run_spec.hpp"

namespace credo::model {
class Model;
struct ProgramSource;
}  // namespace credo::model

namespace credo::cli {

struct ModelArguments : results::ModelSpec {
  DataArguments reading = {};      // given options for reading `data`
  bool may_lack_outcomes = false;  // model/model.hpp
  bool is_noted = true;            // conclusions from tables are noted
  bool keeps_files = true;         // keeps files for results; else tables are read in pieces
  std::string dump = {};
  graph::Passes::Observer observe = {};  // receives graphs in addition to --dump
  io::InputFiles files = {};             // program, includes and data are read through it

  void describe(Arguments& arguments);  // the program, and describe_options
  void describe_options(Arguments& arguments);
  // The named data files with their contents.
  model::DataFiles read_files();
  void settle();  // moves `reading` into `data`
};

// Diagnostics of a wrong program are printed by load, and the Error only says how many there were;
// with --json it carries them, so that the output is one value.
class ProgramErrors : public Error {
 public:
  ProgramErrors(const Error& error, std::string diagnostics)
      : Error(error), diagnostics_(std::move(diagnostics)) {}
  const std::string& diagnostics() const { return diagnostics_; }  // a JSON array

 private:
  std::string diagnostics_;
};
std::shared_ptr<const model::ProgramSource> load_program(
    const std::string& path, std::span<const std::string> include_dirs, Output& output, bool json,
    bool strict = false, const lang::FileReader& read = lang::read_program_file);
// The place of a word among those an option may be.
std::size_t place_of(const std::string& word, std::initializer_list<const char*> words,
                     const char* option);

// Notes sizes, codes and omitted rows or levels, which the data files don't state; with --json omissions only.
void note_data(const model::DataFiles& data, const model::Model& model, Output& output, bool json);

std::unique_ptr<model::Model> load_model(ModelArguments& arguments, Output& output, bool json,
                                         std::function<void(std::string_view)> print = {});

}  // namespace credo::cli
