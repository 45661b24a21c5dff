// credo check: is the program right, and can it be run?
#include "cli/load.hpp"
#include "model/model.hpp"

namespace credo::cli {
namespace {

class Check final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("model", path_, "Stan program (.stan)", file_ending(".stan"));
    arguments.option("-I,--include", include_dirs_, "directory for #include; may be repeated",
                     any_directory());
    arguments.flag("--strict", strict_, "refuse what isn't in the language: discrete parameters");
  }

  int run(Output& output) override {
    const auto program = load_program(path_, include_dirs_, output, json, strict_);
    output.print(json ? "{\"errors\": []}\n" : path_ + ": no errors\n");
    return 0;
  }

 private:
  std::string path_;
  std::vector<std::string> include_dirs_;
  bool strict_ = false;
};
}  // namespace

extern const CommandRow check_command{"check", "report all errors of a Stan program",
                                      "  credo check model.stan\n  credo check model.stan --json\n",
                                      make_command<Check>,
                                      "Standard error: the errors, each with its line; with --json "
                                      "standard output, as JSON. No files."};

}  // namespace credo::cli
