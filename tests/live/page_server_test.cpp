// What is answered, and what isn't: requests over a socket, as a browser or an attacker makes them.
#include "live/page_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

namespace credo::live::page_server_test {
namespace {

class Asker {
 public:
  Asker()
      : server_({.page = "<p>page</p>",
                 .state = [](std::int64_t k) { return "{\"asked\":" + std::to_string(k) + "}"; },
                 .stop = [this] { return ++stops_, true; },
                 .extend =
                     [this](std::int64_t n) {
                       draws_ = n;
                       return n < 100 ? "they are \"fewer\"" : "";
                     }}) {
    const std::string address = server_.address();
    host_ = address.substr(7, address.find('/', 7) - 7);
    token_ = address.substr(address.find('/', 7) + 1, 32);
    thread_ = std::thread([this] {
      while (!done_) server_.serve(0.02);
    });
  }
  ~Asker() {
    done_ = true;
    thread_.join();
  }

  // An open connection that sends nothing.
  io::Descriptor connected() const {
    io::Descriptor connection(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(host_.substr(host_.find(':') + 1))));
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(connection.number(), reinterpret_cast<sockaddr*>(&there), sizeof there), 0);
    return connection;
  }

  std::string raw(const std::string& request) const {
    const io::Descriptor connection = connected();
    ::send(connection.number(), request.data(), request.size(), MSG_NOSIGNAL);
    std::string answer;
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::recv(connection.number(), piece.data(), piece.size(), 0)) > 0;)
      answer.append(piece.data(), static_cast<std::size_t>(n));
    return answer;
  }
  std::string ask(const std::string& method, const std::string& target,
                  const std::string& host) const {
    return raw(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  }
  int status(const std::string& method, const std::string& target) const {
    return status(method, target, host_);
  }
  int status(const std::string& method, const std::string& target, const std::string& host) const {
    const std::string answer = ask(method, target, host);
    return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3));
  }

  std::string host_, token_;
  std::atomic<int> stops_ = 0;
  std::atomic<std::int64_t> draws_ = 0;  // that were asked for

 private:
  PageServer server_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

TEST(page_server, answers_who_knows_the_token) {
  const Asker asker;
  const std::string page = asker.ask("GET", "/" + asker.token_ + "/", asker.host_);
  EXPECT_NE(page.find("HTTP/1.1 200 OK"), std::string::npos);
  EXPECT_NE(page.find("<p>page</p>"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'self'"), std::string::npos);
  EXPECT_NE(asker.ask("GET", "/" + asker.token_ + "/state?parameter=12", asker.host_)
                .find("{\"asked\":12}"),
            std::string::npos);
  EXPECT_NE(asker.ask("GET", "/" + asker.token_ + "/state?parameter=../x", asker.host_)
                .find("{\"asked\":-1}"),
            std::string::npos);
  EXPECT_EQ(asker.status("POST", "/" + asker.token_ + "/stop"), 200);
  EXPECT_EQ(asker.stops_, 1);
}

// 50 clients send a part of a request, or nothing. The page is served at once, and each of them is closed in time.
TEST(page_server, is_not_held_by_those_who_say_nothing) {
  const Asker asker;
  std::vector<io::Descriptor> idle;
  for (int k = 0; k < 50; ++k) {
    idle.push_back(asker.connected());
    const std::string part = k % 2 == 0 ? "" : "GET /" + asker.token_ + "/ HTTP/1.1\r\nHo";
    ::send(idle.back().number(), part.data(), part.size(), MSG_NOSIGNAL);
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 5; ++k) EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/state"), 200);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 1.0);  // each of them alone may take two seconds
  std::array<char, 16> piece{};
  for (const io::Descriptor& connection : idle)
    EXPECT_LE(::recv(connection.number(), piece.data(), piece.size(), 0), 0);  // it has been closed
}

TEST(page_server, asks_for_more_draws_in_whole_numbers) {
  const Asker asker;
  const std::string extend = "/" + asker.token_ + "/extend";
  EXPECT_EQ(asker.status("POST", extend + "?draws=4000"), 200);
  EXPECT_EQ(asker.draws_, 4000);
  for (const char* other : {"", "?draws=", "?draws=-5", "?draws=1e3", "?draws=7x",
                            "?draws=99999999999999999999", "?n=5"})
    EXPECT_EQ(asker.status("POST", extend + other), 400) << other;
  EXPECT_EQ(asker.draws_, 4000);
  const std::string refused = asker.ask("POST", extend + "?draws=99", asker.host_);
  EXPECT_NE(refused.find("409 Conflict"), std::string::npos);
  EXPECT_NE(refused.find(R"("reason":"they are \"fewer\"")"), std::string::npos) << refused;
}

TEST(page_server, refuses_everybody_else) {
  const Asker asker;
  const std::string port = asker.host_.substr(asker.host_.find(':'));
  std::string other = asker.token_;
  other[31] = other[31] == '0' ? '1' : '0';
  EXPECT_EQ(asker.status("GET", "/"), 403);
  EXPECT_EQ(asker.status("GET", "/state"), 403);
  EXPECT_EQ(asker.status("GET", "/" + other + "/"), 403);
  EXPECT_EQ(asker.status("POST", "/" + other + "/stop"), 403);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_.substr(0, 31) + "/"), 403);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_), 403);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/", "attacker.example" + port), 403);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/", "127.0.0.1"), 403);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/", "localhost" + port), 200);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/../../etc/passwd"), 404);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/fit.nc"), 404);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/stop"), 405);
  EXPECT_EQ(asker.status("POST", "/" + asker.token_ + "/state"), 405);
  EXPECT_EQ(asker.status("POST", "/" + other + "/extend?draws=100"), 403);
  EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/extend?draws=100"), 405);
  EXPECT_EQ(asker.draws_, 0);
  EXPECT_EQ(asker.stops_, 0);
}

TEST(page_server, outlives_what_is_no_request) {
  const Asker asker;
  EXPECT_NE(asker.raw("nonsense\r\n\r\n").find("400"), std::string::npos);
  EXPECT_EQ(asker.raw("GET /" + std::string(40000, 'a')), "");
  EXPECT_EQ(asker.raw("GET / HTTP/1.1\r\n"), "");  // never whole: given up after two seconds
  EXPECT_EQ(asker.status("GET", "/" + asker.token_ + "/"), 200);
}

}  // namespace
}  // namespace credo::live::page_server_test
