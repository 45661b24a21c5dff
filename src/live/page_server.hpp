// A page on this machine for one person: on the loopback address only, behind a random token.
//
//   PageServer server({.page = …, .state = …, .stop = …, .extend = …});
//   server.address();            // "http://127.0.0.1:40123/9f…/"
//   while (watching) server.serve(0.2);
//
// Requests that it answers, all below /TOKEN/: GET "" (the page), GET "state" (JSON), POST "stop",
// POST "extend?draws=N". A request
// without the token, or whose Host is another name than this address (as of a page elsewhere that
// lets its name point here), gets 403; any other path 404; another method 405. A request names no
// file: the server reads no files.
#pragma once
#include <cstdint>
#include <functional>

#include "io/part_file.hpp"

namespace credo::live {

struct Routes {
  std::string_view page;                           // HTML
  std::function<std::string(std::int64_t)> state;  // JSON; what follows "state?parameter=", or -1
  std::function<bool()> stop;                      // false if no run is active
  // Requests so many draws of each chain, in all. Returns the reason why that isn't possible; empty if it is.
  std::function<std::string(std::int64_t)> extend;
};

class PageServer {
 public:
  // Listens at once. port 0: one that is free. Throws Error(io).
  explicit PageServer(Routes routes, std::uint16_t port = 0);
  std::string address() const;
  // Answers requests for so many seconds. A connection has two seconds for its request and its answer. If there are
  // too many, the oldest one is closed, so that idle clients block nobody.
  void serve(double seconds);

 private:
  std::string answer_to(std::string_view request) const;
  std::string changed(std::string_view path) const;

  struct Connection {
    io::Descriptor descriptor;
    double until = 0.0;  // when it is closed
    std::string request = {}, answer = {};
    bool is_done = false;
  };
  void accept_all();
  void wait_for_any(double until) const;
  void attend(Connection& connection) const;

  Routes routes_;
  std::vector<Connection> open_;  // in order of arrival
  io::Descriptor listener_;
  std::uint16_t port_ = 0;
  std::string token_;
};

}  // namespace credo::live
