// MPI behind src/mpi/component.h. Every call is made under one lock and none of them waits, so that an MPI which lets one
// thread in at a time (MPI_THREAD_SERIALIZED) is enough, and no rank burns a processor while it waits.
#include "mpi/component.h"

#include <mpi.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace {
std::mutex busy;
std::map<int, MPI_Request> sending;
std::map<int, MPI_Message> incoming;
int next_number = 0;

int begin(int* rank, int* size) {
  const std::lock_guard lock(busy);
  int provided = MPI_THREAD_SINGLE;
  const int failed = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (failed != MPI_SUCCESS) return failed;
  if (provided < MPI_THREAD_SERIALIZED) return -1;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return 0;
}

// MPI counts bytes by an int; longer messages are refused before they come here (src/cli/term/open_ranks.cpp).
int send(int to, int tag, const char* bytes, long long length) {
  const std::lock_guard lock(busy);
  const int number = next_number++;
  MPI_Isend(bytes, static_cast<int>(length), MPI_BYTE, to, tag, MPI_COMM_WORLD, &sending[number]);
  return number;
}

int is_sent(int number) {
  const std::lock_guard lock(busy);
  int done = 0;
  MPI_Test(&sending.at(number), &done, MPI_STATUS_IGNORE);
  if (done != 0) sending.erase(number);
  return done;
}

int look(int from, int tag, int* sender, long long* length, int* number) {
  const std::lock_guard lock(busy);
  int found = 0;
  MPI_Message message;
  MPI_Status status;
  MPI_Improbe(from < 0 ? MPI_ANY_SOURCE : from, tag, MPI_COMM_WORLD, &found, &message, &status);
  if (found == 0) return 0;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *sender = status.MPI_SOURCE;
  *length = count;
  *number = next_number++;
  incoming.emplace(*number, message);
  return 1;
}

// The message is on its way: this waits for its bytes only.
void receive(int number, char* bytes, long long length) {
  MPI_Request request;
  {
    const std::lock_guard lock(busy);
    MPI_Imrecv(bytes, static_cast<int>(length), MPI_BYTE, &incoming.at(number), &request);
    incoming.erase(number);
  }
  for (int done = 0; done == 0;) {
    const std::lock_guard lock(busy);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

void end() {
  const std::lock_guard lock(busy);
  MPI_Finalize();
}
}  // namespace

extern "C" __attribute__((visibility("default")))
const CredoMpi credo_mpi = {CREDO_MPI_VERSION, begin, send, is_sent, look, receive, end};
