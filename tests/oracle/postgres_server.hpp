// A PostgreSQL server of the test's own: in a temporary folder, without network, gone when the test is.
#pragma once

#include <sys/types.h>

#include <string>

namespace satura::test {

// A second process makes the database, starts the server, and waits for the end of a pipe that this process holds open. So the
// server is stopped and its folder removed even where the test is killed. PostgreSQL refuses to run as root; that process
// then becomes the user postgres, or nobody.
class PostgresServer {
  public:
    // `programs` is the folder of initdb and pg_ctl. Says in why_not() if no server came up.
    explicit PostgresServer(const std::string& programs);
    ~PostgresServer();
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;

    const std::string& why_not() const { return why_not_; }
    std::string connection_string() const {
        return "host=" + folder_ + " user=test dbname=postgres";
    }

  private:
    std::string folder_;  // of the data and of the socket
    std::string why_not_;
    pid_t keeper_ = -1;
    int alive_ = -1;  // the end of the pipe that we hold open
};

}  // namespace satura::test
