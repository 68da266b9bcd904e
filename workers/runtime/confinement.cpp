#include "workers/runtime/confinement.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

namespace groth16d::worker {
namespace {

// Another process's memory, the kernel's own doors, other users and name spaces: no worker has business with them.
constexpr std::array kNobodys{SCMP_SYS(ptrace),
                              SCMP_SYS(process_vm_readv),
                              SCMP_SYS(process_vm_writev),
                              SCMP_SYS(pidfd_getfd),
                              SCMP_SYS(kcmp),
                              SCMP_SYS(bpf),
                              SCMP_SYS(perf_event_open),
                              SCMP_SYS(userfaultfd),
                              SCMP_SYS(io_uring_setup),
                              SCMP_SYS(keyctl),
                              SCMP_SYS(add_key),
                              SCMP_SYS(request_key),
                              SCMP_SYS(mount),
                              SCMP_SYS(umount2),
                              SCMP_SYS(pivot_root),
                              SCMP_SYS(chroot),
                              SCMP_SYS(unshare),
                              SCMP_SYS(setns),
                              SCMP_SYS(init_module),
                              SCMP_SYS(finit_module),
                              SCMP_SYS(delete_module),
                              SCMP_SYS(kexec_load),
                              SCMP_SYS(reboot),
                              SCMP_SYS(swapon),
                              SCMP_SYS(setuid),
                              SCMP_SYS(setgid),
                              SCMP_SYS(setresuid),
                              SCMP_SYS(setresgid),
                              SCMP_SYS(setgroups),
                              SCMP_SYS(name_to_handle_at),
                              SCMP_SYS(open_by_handle_at),
                              SCMP_SYS(personality)};

// Starting a program or a process.
constexpr std::array kPrograms{SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork)};

// The address sanitizer looks for leaks at the end, in a process that traces this one.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GROTH16D_LEAKS_ARE_SOUGHT 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(GROTH16D_LEAKS_ARE_SOUGHT)
constexpr bool kLeaksAreSought = true;
#else
constexpr bool kLeaksAreSought = false;
#endif

struct Release {
  void operator()(void* filter) const { ::seccomp_release(filter); }
};

// A filter that allows what it was not told to refuse. Keeps libseccomp's first error for load().
class Filter {
 public:
  Filter() : filter_(::seccomp_init(SCMP_ACT_ALLOW)) {
    if (!filter_) error_ = ENOMEM;
  }
  template <class... Conditions>
  void refuse(int call, int with, Conditions... conditions) {
    if (error_ != 0) return;
    const int failed = -::seccomp_rule_add(filter_.get(), SCMP_ACT_ERRNO(static_cast<std::uint32_t>(with)), call,
                                           static_cast<unsigned>(sizeof...(conditions)), conditions...);
    // A call that this architecture does not have needs no rule.
    if (failed != 0 && failed != EDOM) error_ = failed;
  }
  Result<void> load() {
    if (error_ == 0) error_ = -::seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_TSYNC, 1);
    if (error_ == 0) error_ = -::seccomp_load(filter_.get());
    if (error_ == 0) return {};
    return failure(ErrorCode::system, "worker.seccomp", std::string("seccomp: ") + std::strerror(error_));
  }

 private:
  std::unique_ptr<void, Release> filter_;
  int error_ = 0;
};

// Of a call's first argument. Not SCMP_A0: a compound literal, which C++ does not know.
constexpr scmp_arg_cmp kIsNotLocal{0, SCMP_CMP_NE, AF_UNIX, 0};
constexpr scmp_arg_cmp kIsNoThread{0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0};

void refuse_networks(Filter& filter) {
  filter.refuse(SCMP_SYS(socket), EAFNOSUPPORT, kIsNotLocal);
  filter.refuse(SCMP_SYS(socketpair), EAFNOSUPPORT, kIsNotLocal);
}

// clone3 passes its flags in memory, which a filter cannot read: glibc falls back to clone where there is none.
void refuse_processes(Filter& filter) {
  for (const int call : kPrograms) filter.refuse(call, EPERM);
  filter.refuse(SCMP_SYS(clone3), ENOSYS);
  filter.refuse(SCMP_SYS(clone), EPERM, kIsNoThread);
}

}  // namespace

Result<void> confine(Confinement confinement) {
  Filter filter;
  refuse_networks(filter);
  if (kLeaksAreSought) return filter.load();
  for (const int call : kNobodys) filter.refuse(call, EPERM);
  if (confinement == Confinement::full) refuse_processes(filter);
  return filter.load();
}

}  // namespace groth16d::worker
