#include "supervisor/daemon.hpp"

#include <csignal>
#include <map>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.hpp"
#include "common/log.hpp"
#include "common/posix.hpp"
#include "ipc/curve.hpp"
#include "ipc/endpoint.hpp"
#include "ipc/gatekeeper.hpp"
#include "supervisor/descriptor_store.hpp"
#include "supervisor/event_loop.hpp"

namespace groth16d::supervisor {
namespace {

// Everything there is before the loop turns. Members are destroyed from the last to the first: children's descriptors
// before sockets, threads before the files they use, the locks at the very end.
struct Daemon {
  ipc::EndpointLock state_lock;
  ipc::EndpointLock runtime_lock;
  UniqueFd signals;
  UniqueFd parent;
  zmq::context_t context;
  std::unique_ptr<ipc::Gatekeeper> gatekeeper;  // none where nothing listens over TCP
  ClientHubs hubs;
  ipc::WorkerHub workers;
  ipc::EventPublisher events;
};

Result<void> make_directory(const std::filesystem::path& path, mode_t mode = 0750) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
  return system_failure("mkdir", path.string());
}

Result<ipc::EndpointLock> lock_directory(const std::filesystem::path& path) {
  if (auto made = make_directory(path); !made) return tl::unexpected(made.error());
  return ipc::EndpointLock::take(path.string());
}

// Before any other thread exists, so that all inherit the mask.
Result<UniqueFd> block_signals() {
  sigset_t handled;
  ::sigemptyset(&handled);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&handled, signal);
  if (::pthread_sigmask(SIG_BLOCK, &handled, nullptr) != 0) return system_failure("pthread_sigmask", "TERM, INT, HUP");
  if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR) return system_failure("signal", "PIPE");
  UniqueFd descriptor(::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor) return system_failure("signalfd", "TERM, INT, HUP");
  return descriptor;
}

// Two descriptors a worker, three a partition in flight: the soft limit of 1024 is soon reached.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) spdlog::warn("RLIMIT_NOFILE stays as it is");
}

Result<UniqueFd> watch_parent() {
  UniqueFd descriptor(static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0)));
  if (!descriptor) return system_failure("pidfd_open", "the parent");
  return descriptor;
}

CoreConfig core_config(const Config& resolved) {
  CoreConfig core = resolved.core;
  core.jitter_seed = monotonic_ms();
  core.first_epoch = monotonic_ms();  // no slot has had as many processes as milliseconds have passed
  return core;
}

struct Stored {
  JournalFile journal;
  Spool spool;
  Uploads uploads;
  Recovered recovered;
  std::vector<InheritedSegment> residents;  // that recovered circuits are given back
};

// The journal says which inputs are owed; the rest of the spool is leftovers.
Result<Stored> open_state(const Config& config, Durability durability, std::vector<InheritedSegment> inherited) {
  auto journal = JournalFile::open(config.state_dir / "journal", durability);
  if (!journal) return tl::unexpected(journal.error());
  auto recovered = journal->recover(wall_ms());
  if (!recovered) return tl::unexpected(recovered.error());
  auto spool = Spool::open(config.state_dir / "spool", config.spool, durability);
  if (!spool) return tl::unexpected(spool.error());
  std::map<std::string, std::string> keep;
  for (const auto& job : recovered->jobs) keep.emplace(job.record.job, job.record.client);
  if (auto swept = spool->sweep(keep); !swept) return tl::unexpected(swept.error());
  auto uploads = Uploads::recover(*spool, static_cast<std::uint64_t>(config.upload_expiry.count()), monotonic_ms());
  if (!uploads) return tl::unexpected(uploads.error());
  auto residents = match_residents(std::move(inherited), *recovered);
  return Stored{std::move(*journal), std::move(*spool), std::move(*uploads), std::move(*recovered),
                std::move(residents)};
}

// Where that is configured: first who decides, then the socket.
Result<std::unique_ptr<ipc::Gatekeeper>> listen_to_remote(zmq::context_t& context, const RemoteConfig& config,
                                                          ClientHubs& hubs) {
  if (config.listen.empty()) return nullptr;
  const auto keys = ipc::read_curve_keys(config.secret_key.string());
  if (!keys) return tl::unexpected(keys.error());
  auto gatekeeper = ipc::Gatekeeper::start(context);
  if (!gatekeeper) return gatekeeper;
  (*gatekeeper)->admit(keys_of(config.clients));
  auto hub = ipc::ClientHub::bind_remote(context, config.listen, keys->secret_key);
  if (!hub) return tl::unexpected(hub.error());
  spdlog::info("clients over TCP: {}, {} keys; our public key is {}", hub->endpoint(), config.clients.size(),
               keys->public_key);
  hubs.remote = std::move(*hub);
  return gatekeeper;
}

Result<Daemon> take_places(const DaemonOptions& options, const Config& config, UniqueFd client_socket) {
  auto state_lock = lock_directory(options.config.state_dir);
  if (!state_lock) return tl::unexpected(state_lock.error());
  auto runtime_lock = lock_directory(options.config.runtime_dir);
  if (!runtime_lock) return tl::unexpected(runtime_lock.error());
  auto signals = block_signals();
  if (!signals) return tl::unexpected(signals.error());
  UniqueFd parent;
  if (options.end_with_parent) {
    auto watched = watch_parent();
    if (!watched) return tl::unexpected(watched.error());
    parent = std::move(*watched);
  }
  zmq::context_t context;
  auto clients = client_socket ? ipc::ClientHub::bind_to(std::move(client_socket), context, *runtime_lock)
                               : ipc::ClientHub::bind(context, *runtime_lock);
  if (!clients) return tl::unexpected(clients.error());
  auto operators = ipc::ClientHub::bind_for_operators(context, *runtime_lock);
  if (!operators) return tl::unexpected(operators.error());
  ClientHubs hubs{std::move(*clients), std::move(*operators), std::nullopt};
  auto gatekeeper = listen_to_remote(context, config.remote, hubs);
  if (!gatekeeper) return tl::unexpected(gatekeeper.error());
  auto workers = ipc::WorkerHub::bind(context, *runtime_lock);
  if (!workers) return tl::unexpected(workers.error());
  auto events = ipc::EventPublisher::bind(context, *runtime_lock);
  if (!events) return tl::unexpected(events.error());
  return Daemon{std::move(*state_lock), std::move(*runtime_lock), std::move(*signals),
                std::move(parent),      std::move(context),       std::move(*gatekeeper),
                std::move(hubs),        std::move(*workers),      std::move(*events)};
}

// Losing the cache costs time only, so a folder that cannot be made is said and done without.
std::filesystem::path open_cache_folder(const Config& config) {
  if (config.cache_max_bytes == 0) return {};
  const std::filesystem::path folder = cache_folder(config);
  const auto made = make_directory(folder, 0700);
  if (made) return folder;
  spdlog::warn("converted circuits are not cached: {}", made.error().text);
  return {};
}

// Where no cgroup is ours, workers run beside each other as they always did; said once, and why.
Result<std::optional<Cgroup>> take_cgroup(const Config& config) {
  if (config.cgroup == "off") return std::nullopt;
  auto cgroup = Cgroup::take(config.cgroup);
  if (cgroup) {
    spdlog::info("workers get leaves of cgroup {} (v{})", cgroup->folder().string(),
                 static_cast<int>(cgroup->version()));
    return std::optional<Cgroup>(std::move(*cgroup));
  }
  if (config.cgroup != "auto") return tl::unexpected(cgroup.error());
  spdlog::info("workers have no memory limits of their own: {}", cgroup.error().text);
  return std::nullopt;
}

WorkerLimits worker_limits(const Config& config) {
  WorkerLimits limits{config.worker_memory_max_bytes, {}, config.core.budget_total_bytes};
  for (std::size_t role = 0; role < kRoles; ++role) limits.resting_bytes[role] = config.core.roles[role].resting_bytes;
  return limits;
}

// Every other program is built everywhere.
Result<void> check_gpu_program(const DaemonOptions& options) {
  const std::filesystem::path program = options.programs / "groth16-gpu";
  const std::uint32_t slots = options.config.core.role(Role::gpu).slots;
  if (slots == 0 || ::access(program.c_str(), X_OK) == 0) return {};
  return failure(
      ErrorCode::not_found, "gpu.program",
      fmt::format("{} gpu slots are configured, but there is no program {}: it is built where a CUDA toolkit "
                  "is found",
                  slots, program.string()));
}

void say_started(const DaemonOptions& options, const CoreConfig& core, const Recovered& recovered) {
  const LogScope scope({.event = "daemon.started"});
  spdlog::info("groth16d {}: state {}, runtime {}, budget {} bytes, {} jobs and {} circuits in the journal",
               options.version, options.config.state_dir.string(), options.config.runtime_dir.string(),
               core.budget_total_bytes, recovered.jobs.size(), recovered.circuits.size());
}

int serve(const DaemonOptions& options, const Config& config, Core& core, Daemon& daemon, Stored stored,
          std::optional<Cgroup> cgroup) {
  const std::filesystem::path spool_folder = stored.spool.folder();
  Journal journal(std::move(stored.journal));
  Files files(std::move(stored.spool), std::move(stored.uploads), config.roots,
              [&options] { return options.read_config().and_then(resolve); });
  Segments segments([spool_folder](const JobId& job, std::uint32_t partition) {
    return open_spooled_input(spool_folder, job, partition);
  });
  for (InheritedSegment& resident : stored.residents)
    segments.adopt_kept({resident.segment, std::move(resident.held)}, std::move(resident.name));
  ProcessSpawner spawner;
  Children children(
      spawner,
      {options.programs, (config.runtime_dir / ipc::kWorkersSocketName).string(), config.log_level,
       open_cache_folder(config), config.cache_max_bytes, config.gpu_devices, config.gpu_memory_max_bytes},
      worker_limits(config), std::move(cgroup));
  MemoryWatch memory;
  Meters meters;
  Api api(daemon.hubs, core, files, journal, memory, meters, options.version);
  Reload reload(config);
  Shell shell({core, api, files, journal, segments, children, daemon.workers, daemon.events, reload, meters,
               daemon.gatekeeper.get()});
  api.admit(config.remote.clients);
  EventLoop loop({core, shell, api, daemon.hubs, daemon.workers, children, journal, files, segments, memory,
                  daemon.signals.get(), daemon.parent.get()});
  shell.pass(std::move(stored.recovered));
  return loop.run();
}

}  // namespace

ExitCode exit_code_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::internal:
      return ExitCode::bug;
    case ErrorCode::system:
    case ErrorCode::unavailable:
    case ErrorCode::busy:
      return ExitCode::temporary;
    default:
      return ExitCode::configuration;
  }
}

Result<int> run_daemon(const DaemonOptions& options) {
  ::umask(0027);  // the clients' group may enter the runtime directory, and nobody else
  std::vector<NamedDescriptor> kept = handed_over();
  raise_descriptor_limit();
  if (auto built = check_gpu_program(options); !built) return tl::unexpected(built.error());
  const auto config = resolve(options.config);
  if (!config) return tl::unexpected(config.error());
  auto core = Core::create(core_config(*config));
  if (!core) return tl::unexpected(core.error());
  auto daemon = take_places(options, *config, take_client_socket(kept));
  if (!daemon) return tl::unexpected(daemon.error());
  auto cgroup = take_cgroup(*config);
  if (!cgroup) return tl::unexpected(cgroup.error());
  auto stored = open_state(options.config, options.durability, inherited_segments(std::move(kept)));
  if (!stored) return tl::unexpected(stored.error());
  say_started(options, config->core, stored->recovered);
  return serve(options, *config, *core, *daemon, std::move(*stored), std::move(*cgroup));
}

}  // namespace groth16d::supervisor
