// credo completion: a script that makes a shell complete command lines of credo.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/help/completion.hpp"

namespace credo::cli {
namespace {

class Completion final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("shell", shell_, "bash, zsh or fish", one_of({"bash", "zsh", "fish"}));
  }

  int run(Output& output) override {
    if (shell_ == "bash")
      output.print(bash_completion());
    else if (shell_ == "zsh")
      output.print(zsh_completion());
    else if (shell_ == "fish")
      output.print(fish_completion());
    else
      throw Error(ErrorCode::usage, fmt::format("no completion for '{}'", shell_), "SHELL",
                  "there is bash, zsh and fish");
    return 0;
  }

 private:
  std::string shell_;
};
}  // namespace

extern const CommandRow completion_command{
    "completion", "a script with which a shell completes commands, options and their values",
    "source <(credo completion bash)\n"
    "credo completion zsh > ~/.zfunc/_credo\n"
    "credo completion fish > ~/.config/fish/completions/credo.fish\n",
    make_command<Completion>,
    "Standard output: the script, to be read by the shell when it starts. An installed credo "
    "brings "
    "it along."};

}  // namespace credo::cli
