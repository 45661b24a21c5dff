// credo help: prints the same as `--help`.
#include <unistd.h>

#include "cli/help/help.hpp"
#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {

class Help final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.optional_positional("command", command_, "whose options; none: the commands",
                                  {.choices = command_names(), .may_be_other = true});
  }
  int run(Output& output) override {
    const int width = text_width(STDOUT_FILENO);
    output.print(command_.empty() ? program_help(width)
                                  : command_help(find_command(command_), width));
    return 0;
  }

 private:
  std::string command_;
};
}  // namespace

extern const CommandRow help_command{"help", "list the commands, or the options of one command",
                                     "  credo help\n  credo help sample\n", make_command<Help>,
                                     "Standard output: the page that --help prints."};

}  // namespace credo::cli
