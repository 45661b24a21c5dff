// credo man: manual pages, made from the table of commands.
#include <fmt/format.h>

#include "cli/help/man_page.hpp"
#include "io/file.hpp"

namespace credo::cli {
namespace {

class Man final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.optional_positional("command", command_, "whose page; none: that of credo itself",
                                  {.choices = command_names(), .may_be_other = true});
    arguments.option("-o,--output", directory_, "write all pages as files into this directory",
                     {.directory = true, .writes = Writes::folder});
  }

  int run(Output& output) override {
    if (directory_.empty()) {
      output.print(command_.empty() ? program_man_page()
                                    : command_man_page(find_command(command_)));
      return 0;
    }
    write("credo.1", program_man_page());
    for (const CommandRow* row : commands())
      write(fmt::format("credo-{}.1", row->name), command_man_page(*row));
    return 0;
  }

 private:
  void write(const std::string& name, const std::string& text) const {
    io::OutputFile file(directory_ + "/" + name);
    file.write(text);
    file.commit();
  }

  std::string command_, directory_;
};
}  // namespace

extern const CommandRow man_command{
    "man", "manual pages for man(1)",
    "credo man sample | man -l -\n"
    "credo man -o /usr/local/share/man/man1\n",
    make_command<Man>,
    "Standard output: one page in the macros of man(7). With --output: a "
    "file for each page, credo.1 "
    "and credo-COMMAND.1."};

}  // namespace credo::cli
