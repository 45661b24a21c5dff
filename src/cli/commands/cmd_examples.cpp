// credo examples: which analyses are shipped, and their files.
#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/project/example_files.hpp"
#include "cli/project/new_files.hpp"
#include "io/file.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
namespace fs = std::filesystem;

// Page of an example that has none of its own.
std::string short_readme(const std::string& name, std::span<const std::string> files) {
  std::string command = fmt::format("credo sample {}.stan", name);
  for (const std::string& file : files) {
    if (file.ends_with(".data.json")) command += fmt::format(" --data {}.data.json", name);
    if (file.ends_with(".init.json")) command += fmt::format(" --init {}.init.json", name);
  }
  return fmt::format("# {}\n\n```sh\n{} -o fit.nc\ncredo diagnose fit.nc\n```\n", name, command);
}

class Examples final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.optional_positional("name", name_,
                                  "the example whose files are copied; without it all are listed");
    arguments.optional_positional("folder", folder_,
                                  "where they go; without it a folder of the example's name",
                                  {.directory = true, .writes = Writes::folder});
  }

  int run(Output& output) override {
    const ExampleFiles examples;
    output.print(name_.empty() ? list(examples) : copy(examples));
    return 0;
  }

 private:
  std::string list(const ExampleFiles& examples) const {
    const std::vector<Example> all = examples.all();
    if (!json) return text_of(all);
    results::ArrayList answer;
    auto add = answer.add_rows("examples", all).columns(all);
    add("name", &Example::name), add("about", &Example::about);
    return rows_json(answer);
  }

  static std::string text_of(const std::vector<Example>& all) {
    std::string text;
    for (const Example& example : all)
      text += fmt::format("{:<22} {}\n", example.name, example.about);
    return text + "\ncopy one with its data and its page: credo examples NAME\n";
  }

  std::string copy(const ExampleFiles& examples) const {
    const std::vector<std::string> files = examples.files_of(name_);
    const std::string page = examples.page_of(name_);
    NewFiles copies(folder_.empty() ? name_ : folder_);
    for (const std::string& file : files)
      copies.add(fs::path(file).filename(), io::read_file(file));
    copies.add("README.md", page.empty() ? short_readme(name_, files) : io::read_file(page));
    const std::vector<std::string> written = copies.write();
    if (!json) return fmt::format("{}\n", fmt::join(written, "\n"));
    results::ArrayList answer;
    add_list(answer, "files", "file", written);
    return answer_json(answer);
  }

  std::string name_, folder_;
};
}  // namespace

extern const CommandRow examples_command{
    "examples", "the analyses that are shipped with the program, to read and to begin from",
    "  credo examples\n"
    "  credo examples beetles\n"
    "  credo examples beetles my_beetles\n",
    make_command<Examples>,
    "Standard output: the list, or the files that were written: programs, data, and README.md, the "
    "page that explains the "
    "analysis. No file is replaced."};

}  // namespace credo::cli
