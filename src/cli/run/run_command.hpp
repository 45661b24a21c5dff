// A command that begins a run from options: `credo sample`, `credo optimize` and `credo approximate` are rows of it.
#pragma once
#include "cli/run/run_arguments.hpp"

namespace credo::cli {

class RunCommand final : public Command {
 public:
  // Command for the algorithms of a family, under the name of a row.
  // `approximation`: the method that it begins with, of a command for approximations.
  RunCommand(infer::Family family, const CommandRow& row, std::string_view approximation = {})
      : family_(family), approximation_(approximation), row_(row) {}
  void describe(Arguments& arguments) override;
  int run(Output& output) override;
  std::optional<std::string> run_file() const override { return run_->run_file(); }

 private:
  void become_like(Output& output);
  void require_place_of_draws() const;
  bool goes_on() const;
  int run_both(Output& output);
  int run_both_as_one_document(Output& output);
  int sample_from_approximation(Output& output);
  Given own_options();

  const infer::Family family_;
  const std::string_view approximation_;
  const CommandRow& row_;
  std::unique_ptr<RunArguments> run_ = std::make_unique<RunArguments>(family_, approximation_);
  std::string like_;
  bool prints_spec_ = false;
};

}  // namespace credo::cli
