// A command that begins a run from options: `credo sample` and `credo optimize` are rows of it.
#pragma once
#include "cli/run/run_arguments.hpp"

namespace credo::cli {

class RunCommand final : public Command {
 public:
  // Command for the algorithms of a family, under the name of a row.
  RunCommand(infer::Family family, const CommandRow& row) : family_(family), row_(row) {}
  void describe(Arguments& arguments) override;
  int run(Output& output) override;
  std::optional<std::string> run_file() const override { return run_->run_file(); }

 private:
  void become_like(Output& output);
  Given own_options();

  const infer::Family family_;
  const CommandRow& row_;
  std::unique_ptr<RunArguments> run_ = std::make_unique<RunArguments>(family_);
  std::string like_;
  bool prints_spec_ = false;
};

}  // namespace credo::cli
