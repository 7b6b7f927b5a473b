#include "ridgewatt/io/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

constexpr std::uint32_t kArchitecture =
#if defined(__x86_64__)
    AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    AUDIT_ARCH_AARCH64;
#else
    0;  // there is no filter for this processor
#endif

// System calls for computing, threads, reading, and writing to open descriptors.
constexpr int kAllowed[] = {
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_preadv,
    SYS_write,
    SYS_writev,
    SYS_pwrite64,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_getdents64,
    SYS_fadvise64,
    SYS_dup,
    SYS_pipe2,  // sanitizers use it to test whether an address is readable
    SYS_fcntl,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_membarrier,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_getrandom,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_prlimit64,
    SYS_getrlimit,
    SYS_ppoll,
#if defined(__x86_64__)
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_poll,
    SYS_time,
    SYS_arch_prctl,
#endif
};

using Filter = std::vector<sock_filter>;

void add(Filter& filter, std::uint16_t code, std::uint32_t k, std::uint8_t yes = 0,
         std::uint8_t no = 0) {
  filter.push_back({code, yes, no, k});
}
void load(Filter& filter, std::size_t offset) {
  add(filter, BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
// Offset of the low half of a 64-bit argument, which contains its flags.
constexpr std::size_t low_half(int argument) {
  return offsetof(seccomp_data, args) + sizeof(std::uint64_t) * static_cast<std::size_t>(argument);
}
void end_with(Filter& filter, std::uint32_t action) {
  add(filter, BPF_RET | BPF_K, action);
}
void refuse(Filter& filter, int error) {
  end_with(filter, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
}

// The next `instructions` of the filter apply only to the system call `number`. The number of the
// call must be loaded.
void only_for(Filter& filter, int number, std::uint8_t instructions) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, instructions);
}

// Allows a system call if the comparison `test` of the low half of an argument with `value` gives
// `wanted`.
void allow_where(Filter& filter, int number, int argument, std::uint16_t test, std::uint32_t value,
                 bool wanted) {
  only_for(filter, number, 4);
  load(filter, low_half(argument));
  add(filter, BPF_JMP | test | BPF_K, value, wanted ? 1 : 0, wanted ? 0 : 1);
  refuse(filter, EPERM);
  end_with(filter, SECCOMP_RET_ALLOW);
}

// Allows files to be opened for reading only.
void add_open(Filter& filter, int number, int flags_argument) {
  constexpr std::uint32_t kWriting =
      O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
  allow_where(filter, number, flags_argument, BPF_JSET, kWriting, false);
}

// Allows only the requests with which the C library tests whether standard output is a terminal.
void add_ioctl(Filter& filter) {
  only_for(filter, SYS_ioctl, 5);
  load(filter, low_half(1));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, TCGETS, 1, 0);
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, TIOCGWINSZ, 0, 1);
  end_with(filter, SECCOMP_RET_ALLOW);
  refuse(filter, ENOTTY);
}

Filter sandbox_filter() {
  Filter filter;
  load(filter, offsetof(seccomp_data, arch));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  end_with(filter, SECCOMP_RET_KILL_PROCESS);
  load(filter, offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  constexpr std::uint32_t kX32 = 0x40000000;  // numbers of the x32 interface
  add(filter, BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
  refuse(filter, EPERM);
  add_open(filter, SYS_open, 1);
#endif
  add_open(filter, SYS_openat, 2);
  allow_where(filter, SYS_clone, 0, BPF_JSET, CLONE_THREAD, true);  // a thread, not a process
  add_ioctl(filter);
  // abort() sends a signal to its own process.
  allow_where(filter, SYS_tgkill, 0, BPF_JEQ, static_cast<std::uint32_t>(::getpid()), true);
  // The flags of clone3 and openat2 are in memory, which a filter cannot read. ENOSYS makes
  // callers use clone and openat.
  only_for(filter, SYS_clone3, 1);
  refuse(filter, ENOSYS);
  only_for(filter, SYS_openat2, 1);
  refuse(filter, ENOSYS);
  for (const int number : kAllowed) {
    only_for(filter, number, 1);
    end_with(filter, SECCOMP_RET_ALLOW);
  }
  refuse(filter, EPERM);
  return filter;
}

void time_is_over(int) {
  static constexpr char kLine[] =
      "ridgewatt: the time limit of the sandbox was reached: see --time\n";
  if (::write(STDERR_FILENO, kLine, sizeof kLine - 1) < 0) ::_exit(1);
  ::_exit(1);
}

void set_limit(int resource, rlim_t soft, rlim_t hard) {
  rlimit limit = {};
  ::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  limit.rlim_max = std::min(limit.rlim_max, hard);
  limit.rlim_cur = std::min(soft, limit.rlim_max);
  if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) {
    throw_errno(errno, "cannot set the limits of the sandbox", "setrlimit");
  }
}

void set_limits(const SandboxOptions& options) {
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  const auto cpu_s = static_cast<rlim_t>(std::ceil(options.time_s * cores));
  if (options.memory_bytes > 0) set_limit(RLIMIT_AS, options.memory_bytes, options.memory_bytes);
  set_limit(RLIMIT_CPU, cpu_s, cpu_s + 1);
  set_limit(RLIMIT_CORE, 0, 0);
  set_limit(RLIMIT_NOFILE, 64, 64);  // chosen: enough for a model, its data and system files
  struct sigaction action = {};
  action.sa_handler = time_is_over;
  ::sigaction(SIGALRM, &action, nullptr);
  ::sigaction(SIGXCPU, &action, nullptr);
  const double whole_s = std::floor(options.time_s);
  const itimerval timer = {
      {0, 0},
      {static_cast<time_t>(whole_s), static_cast<suseconds_t>((options.time_s - whole_s) * 1e6)}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

std::string sandbox_fault() {
  if (kArchitecture == 0) return "no filter is known for this processor";
  // A null filter tests for support: EFAULT means that the kernel tried to read it (seccomp(2)).
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, nullptr) != 0 && errno == EFAULT)
    return {};
  return std::string("the kernel has no seccomp: ") + std::strerror(errno);
}

void enter_sandbox(const SandboxOptions& options) {
  constexpr double kLongest = 1e6;
  if (!(options.time_s > 0 && options.time_s <= kLongest)) {
    throw UsageError("the time limit of the sandbox must be above 0");
  }
  Filter filter = sandbox_filter();
  const std::string fault = sandbox_fault();
  if (!fault.empty() && !options.limits_alone) {
    throw NotSupportedError(
        "the sandbox is not available", fault,
        "give --limits-alone to run the command with only memory and time limits");
  }
  set_limits(options);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    throw_errno(errno, "cannot forbid new privileges in the sandbox", "prctl");
  }
  if (!fault.empty()) return;
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
    throw NotSupportedError("the kernel refuses the system-call filter of the sandbox",
                            std::strerror(errno), "the sandbox needs a Linux kernel with seccomp");
  }
}

}  // namespace ridgewatt
