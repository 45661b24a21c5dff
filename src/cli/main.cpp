#include "cli/command.hpp"

int main(int argc, char** argv) { return credo::cli::run_command_line({argv + 1, argv + argc}); }
