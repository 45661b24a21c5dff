/* What libcredo_mpi shows: the one part of the project that knows MPI. The program opens it where mpirun has started several
   processes (src/cli/term/open_ranks.cpp), so that neither the program nor its package depends on an MPI. Plain C, so that the
   two needn't be of one compiler. All functions may be called by any thread. */
#ifndef CREDO_MPI_COMPONENT_H
#define CREDO_MPI_COMPONENT_H

#ifdef __cplusplus
extern "C" {
#endif

struct CredoMpi {
  int version; /* CREDO_MPI_VERSION of the one that was built */
  /* Once, before everything else. 0, or what MPI says is wrong. */
  int (*begin)(int* rank, int* size);
  /* Begins to send; the bytes must stay until `is_sent` says 1 of the number that is returned. */
  int (*send)(int to, int tag, const char* bytes, long long length);
  int (*is_sent)(int number);
  /* 1: a message has come, from `from` (-1: anyone) with that tag: its sender and length are told, and receive() is next, on
     the same thread, with room for it. 0: none. */
  int (*look)(int from, int tag, int* sender, long long* length, int* number);
  void (*receive)(int number, char* bytes, long long length);
  /* After the last message; every rank comes here. */
  void (*end)(void);
};
#define CREDO_MPI_VERSION 1

#ifdef __cplusplus
}
#endif
#endif
