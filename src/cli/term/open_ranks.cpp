#include "cli/term/open_ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/processors.hpp"
#include "mpi/component.h"

namespace credo::cli {
namespace {

// The first of the environment's variables that is a number.
std::optional<Index> number_from(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const char* const text = std::getenv(name);
    if (text == nullptr || std::isdigit(static_cast<unsigned char>(*text)) == 0) continue;
    return static_cast<Index>(std::strtol(text, nullptr, 10));  // the 4 in "4(x2)"
  }
  return std::nullopt;
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks(const CredoMpi& mpi, Index rank, Index size) : mpi_(mpi), rank_(rank), size_(size) {}
  ~MpiRanks() override { mpi_.end(); }

  Index rank() const override { return rank_; }
  Index size() const override { return size_; }
  Index num_processors() const override {
    const Index here =
        number_from({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE"})
            .value_or(1);
    const auto all = static_cast<Index>(::sysconf(_SC_NPROCESSORS_ONLN));
    return std::clamp<Index>(all / std::max<Index>(here, 1), 1, credo::num_processors());
  }

  void send(Index to, RankTag tag, std::string_view bytes) override {
    if (bytes.size() > kMostBytes)
      throw Error(ErrorCode::resources,
                  fmt::format("{} bytes are more than one message between ranks takes, {}",
                              bytes.size(), kMostBytes),
                  "", "run it in one process, or with fewer particles");
    const int number = mpi_.send(static_cast<int>(to), static_cast<int>(tag), bytes.data(),
                                 static_cast<long long>(bytes.size()));
    for (Patience patience; mpi_.is_sent(number) == 0;) patience.wait();
  }

  std::optional<Message> take(Index from, RankTag tag) override {
    int sender = 0, number = 0;
    long long length = 0;
    if (mpi_.look(static_cast<int>(from), static_cast<int>(tag), &sender, &length, &number) == 0)
      return std::nullopt;
    Message message{.from = sender, .bytes = std::string(static_cast<std::size_t>(length), '\0')};
    mpi_.receive(number, message.bytes.data(), length);
    return message;
  }

 private:
  static constexpr std::size_t kMostBytes = (std::size_t{1} << 31) - 1;
  const CredoMpi& mpi_;
  const Index rank_, size_;
};

// Beside the program, as it is built, and where it is installed; or where CREDO_MPI says.
std::vector<std::string> component_places() {
  if (const char* const given = std::getenv("CREDO_MPI")) return {given};
  std::error_code failed;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  return {folder / "libcredo_mpi.so", folder / "../lib/credo/libcredo_mpi.so"};
}

const CredoMpi& open_component(Index size) {
  std::string reasons;
  for (const std::string& place : component_places()) {
    // Global: OpenMPI loads parts of its own, which look for its names.
    void* const library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* const table = library != nullptr ? ::dlsym(library, "credo_mpi") : nullptr;
    const auto* const mpi = static_cast<const CredoMpi*>(table);
    if (mpi != nullptr && mpi->version == CREDO_MPI_VERSION) return *mpi;
    if (mpi != nullptr)
      reasons += fmt::format("\n  {}: it is of another version of credo", place);
    else if (const char* const reason = ::dlerror())
      reasons += fmt::format("\n  {}", reason);
  }
  throw Error(ErrorCode::usage,
              fmt::format("credo was started as {} ranks, and the part that runs over ranks, "
                          "libcredo_mpi.so, can't be loaded:{}",
                          size, reasons),
              "mpirun",
              "install OpenMPI and the part (docs/mpi.md), or leave out mpirun; CREDO_MPI=off: "
              "independent programs");
}
}  // namespace

std::unique_ptr<Ranks> open_ranks() {
  const Index size =
      number_from({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}).value_or(1);
  const char* const wish = std::getenv("CREDO_MPI");
  if (size <= 1 || (wish != nullptr && std::string_view(wish) == "off")) return nullptr;
  const Index number =
      number_from({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}).value_or(0);
  // Rank 0 reports errors, and decides when the others end.
  if (number > 0)
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
  try {
    const CredoMpi& mpi = open_component(size);
    int rank = 0, joined = 0;
    if (const int failed = mpi.begin(&rank, &joined); failed != 0)
      throw Error(ErrorCode::usage, fmt::format("MPI can't begin: its error {}", failed), "mpirun");
    if (joined != size)
      throw Error(ErrorCode::usage,
                  fmt::format("credo was started as {} ranks, and MPI reports {}: the part "
                              "libcredo_mpi.so is of another MPI than the one that started them",
                              size, joined),
                  "mpirun", "use OpenMPI's mpirun, or srun --mpi=pmix");
    return std::make_unique<MpiRanks>(mpi, rank, joined);
  } catch (const Error& error) {
    if (number == 0) throw;
    std::_Exit(static_cast<int>(error.code()));
  }
}

}  // namespace credo::cli
