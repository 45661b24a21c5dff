// credo watch: a page that shows a run in progress and can stop it.
#include <fmt/format.h>
#include <signal.h>

#include "cli/command.hpp"
#include "cli/run/repeat.hpp"
#include "cli/term/stop.hpp"
#include "io/lock_file.hpp"
#include "live/live_state.hpp"
#include "live/page.hpp"
#include "live/page_server.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
constexpr double kLook = 0.2;      // seconds between checks of the run
constexpr double kFarewell = 5.0;  // seconds for the page to see the end

class Watch final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positional("run", path_, "run file, OUTPUT.run, or the output of the run",
                         any_file());
    arguments.option("--port", port_, "port of the page on this machine; 0: one that is free",
                     from_to(0, 65535));
  }

  int run(Output& output) override {
    const StopScope scope(stop_flag());
    const std::string file = path_.ends_with(".run") ? path_ : run_file_of(path_);
    const auto writer = [file] { return io::holder_of(file); };
    if (writer() == 0) (void)open_fit(std::span(&file, 1));  // throws where there is nothing
    live::LiveState state(file, writer);
    live::PageServer server(
        {.page = live::page,
         .state = [&state](std::int64_t parameter) { return state.json(parameter); },
         // SIGTERM, because shells let background processes ignore SIGINT.
         .stop = [&writer] { return writer() > 0 && ::kill(writer(), SIGTERM) == 0; },
         .extend = [&state](std::int64_t num_draws) { return state.extend(num_draws); }},
        static_cast<std::uint16_t>(port_));
    (void)state.has_ended();  // notes the writer now: it may have ended when the address is read
    show_address(server.address(), output);
    while (!stop_asked() && !state.has_ended()) server.serve(kLook);
    for (double left = kFarewell; left > 0.0 && !stop_asked(); left -= kLook) server.serve(kLook);
    return 0;
  }

 private:
  // At once: who began this waits for it.
  void show_address(const std::string& address, Output& output) const {
    results::ArrayList answer;
    answer.set("address", address);
    output.print(json ? answer_json(answer) : address + "\n");
    output.finish();
    if (!json) output.note("Only this machine can open it. Ctrl-C ends the page, not the run.\n");
  }

  std::string path_;
  Index port_ = 0;
};
}  // namespace

extern const CommandRow watch_command{
    "watch", "show a running run on a page of this machine",
    "  credo watch fit.nc.run\n"
    "  credo sample model.stan --data data.json -o fit.nc --live\n",
    make_command<Watch>,
    "Standard output: the address of the page. It ends with the run. No files."};

}  // namespace credo::cli
