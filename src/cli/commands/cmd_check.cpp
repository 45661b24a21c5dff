// credo check: finds errors in a program, says whether it can be run, and rewrites old syntax on request.
#include <fmt/format.h>

#include <filesystem>

#include "cli/load.hpp"
#include "io/file.hpp"
#include "lang/check/modernise.hpp"
#include "model/model.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {

class Check final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("model", path_, "Stan program (.stan)", file_ending(".stan"));
    arguments.option("-I,--include", include_dirs_, "directory for #include; may be repeated",
                     any_directory());
    arguments.flag("--strict", strict_, "refuse what isn't in the language: discrete parameters");
    arguments.flag("--fix", fix_,
                   "rewrite old syntax (<-, # comments, real x[N], increment_log_prob, normal_log, "
                   "...) in place; the program before is kept as MODEL.bak");
    arguments.option("-o,--output", output_, "the program that comes out; MODEL stays as it is",
                     needing("--fix", output_file(".stan")));
  }

  int run(Output& output) override {
    results::ArrayList answer;
    if (fix_) rewrite(answer, output);
    const std::string& path = output_.empty() ? path_ : output_;
    const auto program = load_program(path, include_dirs(), output, json, strict_);
    results::add_list(answer, "errors", "error", std::vector<std::string>());
    output.print(json ? results::answer_json(answer) : path + ": no errors\n");
    return 0;
  }

 private:
  // Includes are also searched beside the original program: when its text is rewritten, and if the result is written to
  // another file.
  std::vector<std::string> include_dirs() const {
    std::vector<std::string> all = include_dirs_;
    if (fix_) all.push_back(io::directory_of(path_));
    return all;
  }

  // Rewrites the program, and adds the counts of changes to the answer.
  void rewrite(results::ArrayList& answer, Output& output) {
    const std::string before = io::read_file(path_, lang::kMaxProgramBytes);
    const lang::Modernised after = lang::modernise(path_, before, include_dirs());
    write_changes(before, after.text);
    print_outcome(after, output);  // once the files are written
    answer.add_rows("fixed", after.done, {.shape = results::Shape::named})
        .add_column({.name = "code"}, after.done, &lang::EditCount::code)
        .add_column({.name = "count"}, after.done, &lang::EditCount::count);
  }

  void print_outcome(const lang::Modernised& after, Output& output) const {
    if (json) return;
    const std::string& path = output_.empty() ? path_ : output_;
    std::string text;
    for (const lang::EditCount& kind : after.done)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind.count, kind.code);
    output.print(text.empty() ? path_ + ": no old syntax that can be rewritten\n"
                              : fmt::format("{}: rewritten: {}\n", path, text));
    for (const std::string& file : after.in_includes)
      output.note(fmt::format("{} has old syntax, too: an included file stays as it is\n", file));
  }

  std::string backup() const { return path_ + ".bak"; }

  // Called before anything is reported as rewritten.
  void require_no_backup() const {
    std::error_code failed;
    if (std::filesystem::exists(std::filesystem::symlink_status(backup(), failed)))
      throw Error(ErrorCode::usage, "there is a file of this name already", backup(),
                  "move it away, or write the new program elsewhere: --fix -o FILE.stan");
  }

  void write_changes(const std::string& before, const std::string& after) const {
    if (!output_.empty()) {
      write(output_, after);
    } else if (after != before) {
      require_no_backup();
      write(backup(), before);
      write(path_, after);
    }
  }

  void write(const std::string& path, const std::string& text) const {
    io::Readers readers;
    readers.narrow(path_);
    io::OutputFile file(path, readers);
    file.write(text);
    file.commit();
  }

  std::string path_, output_;
  std::vector<std::string> include_dirs_;
  bool strict_ = false, fix_ = false;
};
}  // namespace

extern const CommandRow check_command{
    "check", "report all errors of a Stan program, and rewrite old syntax",
    "  credo check model.stan\n"
    "  credo check model.stan --json\n"
    "  credo check old.stan --fix\n"
    "  credo check old.stan --fix -o new.stan\n",
    make_command<Check>,
    "Standard error: the errors, each with its line; with --json standard output, as JSON. With "
    "--fix: MODEL, and MODEL.bak with its old text; with --output that file alone."};

}  // namespace credo::cli
