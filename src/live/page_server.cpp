// Requests are parsed by Boost.Beast, which is made for hostile input; sockets are the system's.
#include "live/page_server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

#include "base/error.hpp"
#include "io/json_writer.hpp"

namespace credo::live {
namespace {
namespace http = boost::beast::http;

constexpr std::size_t kLongestRequest = 16384;  // bytes
constexpr double kPatience = 2.0;               // seconds for one request and its answer
constexpr int kWaiting = 128;                   // longest queue of new connections
constexpr std::size_t kMostOpen = 32;

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorCode::io,
              fmt::format("the page can't be served: {}: {}", what, std::strerror(errno)),
              "127.0.0.1", "another --port, or none, may help");
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    fail("no random token");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// In a time that doesn't depend on where they differ.
bool is_equal(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]));
  return difference == 0;
}

std::string answer(int status, std::string_view reason, std::string_view type,
                   std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nConnection: "
      "close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: "
      "no-referrer\r\n"
      "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src "
      "'unsafe-inline'; "
      "img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action "
      "'none'\r\n\r\n{}",
      status, reason, type, body.size(), body);
}

std::string refusal(int status, std::string_view reason) {
  return answer(status, reason, "text/plain", std::string(reason) + "\n");
}

// "state?parameter=12": 12; no number: -1.
std::int64_t number_behind(std::string_view text, std::string_view prefix) {
  std::int64_t number = -1;
  if (!text.starts_with(prefix)) return number;
  text.remove_prefix(prefix.size());
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() ? number : -1;
}

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Reads the available part of a request; false if the client closed the connection or the request is too long.
bool receive(int connection, std::string& request) {
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = ::recv(connection, piece.data(), piece.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    request.append(piece.data(), static_cast<std::size_t>(count));
    if (request.size() > kLongestRequest) return false;
    if (request.find("\r\n\r\n") != std::string::npos) return true;
  }
}

// Sends as much as the connection takes; false if the client closed it.
bool send_some(int connection, std::string& text) {
  while (!text.empty()) {
    const ssize_t count = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    text.erase(0, static_cast<std::size_t>(count));
  }
  return true;
}

struct Asked {
  bool is_whole = false;
  std::string method = {}, target = {}, host = {};
};

Asked parsed(std::string_view request) {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(kLongestRequest);
  boost::beast::error_code fault;
  parser.put(boost::asio::buffer(request.data(), request.size()), fault);
  if (!parser.is_header_done()) return {};
  const auto& message = parser.get();
  return {.is_whole = true,
          .method = std::string(view(message.method_string())),
          .target = std::string(view(message.target())),
          .host = std::string(view(message[http::field::host]))};
}
}  // namespace

PageServer::PageServer(Routes routes, std::uint16_t port)
    : routes_(std::move(routes)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      token_(random_token()) {
  const int descriptor = listener_.number();
  if (descriptor < 0) fail("no socket");
  const int yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(port);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  auto* place = reinterpret_cast<sockaddr*>(&here);
  if (::bind(descriptor, place, size) != 0) fail("the port can't be taken");
  if (::listen(descriptor, kWaiting) != 0 || ::getsockname(descriptor, place, &size) != 0)
    fail("the page can't be served");
  port_ = ntohs(here.sin_port);
}

std::string PageServer::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", port_, token_);
}

void PageServer::serve(double seconds) {
  const double until = now() + seconds;
  do {
    wait_for_any(until);
    accept_all();
    for (Connection& connection : open_) attend(connection);
    std::erase_if(open_, [](const Connection& connection) { return connection.is_done; });
  } while (now() < until);
}

// Waits for a new connection, for one that is ready to be read or written, or until the first one's time is over.
void PageServer::wait_for_any(double until) const {
  std::vector<pollfd> waiting{{.fd = listener_.number(), .events = POLLIN, .revents = 0}};
  for (const Connection& connection : open_) {
    const short event = connection.answer.empty() ? POLLIN : POLLOUT;
    waiting.push_back({.fd = connection.descriptor.number(), .events = event, .revents = 0});
    until = std::min(until, connection.until);
  }
  const double left = std::max(until - now(), 0.0);
  ::poll(waiting.data(), waiting.size(), static_cast<int>(1000.0 * left) + 1);
}

void PageServer::accept_all() {
  for (;;) {
    io::Descriptor descriptor(
        ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (descriptor.number() < 0) return;
    Connection connection{.descriptor = std::move(descriptor), .until = now() + kPatience};
    attend(connection);  // most clients have sent their request by now
    if (connection.is_done) continue;
    if (open_.size() == kMostOpen) open_.erase(open_.begin());
    open_.push_back(std::move(connection));
  }
}

void PageServer::attend(Connection& connection) const {
  const int descriptor = connection.descriptor.number();
  if (connection.answer.empty()) {
    connection.is_done = !receive(descriptor, connection.request);
    if (connection.is_done || connection.request.find("\r\n\r\n") == std::string::npos) {
      connection.is_done = connection.is_done || now() > connection.until;
      return;
    }
    connection.answer = answer_to(connection.request);
  }
  const bool is_there = send_some(descriptor, connection.answer);
  connection.is_done = !is_there || connection.answer.empty() || now() > connection.until;
}

std::string PageServer::answer_to(std::string_view request) const {
  const Asked asked = parsed(request);
  if (!asked.is_whole) return refusal(400, "Bad Request");
  const bool is_here = asked.host == fmt::format("127.0.0.1:{}", port_) ||
                       asked.host == fmt::format("localhost:{}", port_);
  const std::string_view target = asked.target;
  const std::size_t behind = token_.size() + 1;
  if (!is_here || target.size() <= behind || target[0] != '/' || target[behind] != '/' ||
      !is_equal(target.substr(1, token_.size()), token_))
    return refusal(403, "Forbidden");
  const std::string_view path = target.substr(behind + 1);
  const bool is_state = path == "state" || path.starts_with("state?");
  const bool changes = path == "stop" || path == "extend" || path.starts_with("extend?");
  if (!path.empty() && !is_state && !changes) return refusal(404, "Not Found");
  if (asked.method != (changes ? "POST" : "GET")) return refusal(405, "Method Not Allowed");
  if (path.empty()) return answer(200, "OK", "text/html", routes_.page);
  if (is_state)
    return answer(200, "OK", "application/json",
                  routes_.state(number_behind(path, "state?parameter=")));
  return changed(path);
}

// Answer to a request that changes the run.
std::string PageServer::changed(std::string_view path) const {
  if (path == "stop")
    return routes_.stop() ? answer(200, "OK", "application/json", "{\"stopping\":true}")
                          : answer(409, "Conflict", "application/json", "{\"stopping\":false}");
  const std::int64_t num_draws = number_behind(path, "extend?draws=");
  if (num_draws < 0) return refusal(400, "Bad Request");
  const std::string reason = routes_.extend(num_draws);
  io::JsonWriter json;
  json.object("draws", num_draws, "reason", reason);
  return reason.empty() ? answer(200, "OK", "application/json", json.text())
                        : answer(409, "Conflict", "application/json", json.text());
}

}  // namespace credo::live
