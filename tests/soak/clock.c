/*
 * Adds one offset to every clock that a program reads, or, when STEPPED_CLOCK_ONLY is set, to the time of
 * day alone, as on a machine whose clock is wrong. Another process sets the offset.
 *
 * The processes of a soak load this library with LD_PRELOAD, and STEPPED_CLOCK names the file of 8 bytes
 * that holds the offset in nanoseconds. The controller opens the same file with stepped_clock_open, and
 * sets the offset. It is negative for the time of day alone: Deno can wait for ever with a monotonic clock
 * below zero. A read takes no lock and no memory, so a signal handler may read the clock too. A jump does
 * not shorten a wait that has begun.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;

static _Atomic int64_t no_offset;
static _Atomic int64_t *offset = &no_offset;
static int time_of_day_only;

static int map_offset(const char *path, int mode, int protection) {
  int file = open(path, mode | O_CLOEXEC);
  if (file < 0) return -1;
  void *at = mmap(NULL, sizeof *offset, protection, MAP_SHARED, file, 0);
  close(file);
  if (at == MAP_FAILED) return -1;
  offset = at;
  return 0;
}

int stepped_clock_open(const char *path) { return map_offset(path, O_RDWR, PROT_READ | PROT_WRITE); }

void stepped_clock_set(int64_t nanoseconds) { atomic_store(offset, nanoseconds); }

/* The functions of the C library, which those below replace. */
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
static int (*real_cond_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*real_cond_clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
static int (*real_sem_timedwait)(sem_t *, const struct timespec *);
static int (*real_sem_clockwait)(sem_t *, clockid_t, const struct timespec *);
static long (*real_syscall)(long, ...);

static void find_functions(void) {
  if (real_syscall) return;
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  real_clock_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  /* An older function with this name knows no monotonic clock. */
  real_cond_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real_cond_timedwait) real_cond_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  real_cond_clockwait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  real_sem_timedwait = dlsym(RTLD_NEXT, "sem_timedwait");
  real_sem_clockwait = dlsym(RTLD_NEXT, "sem_clockwait");
  real_syscall = dlsym(RTLD_NEXT, "syscall");
}

__attribute__((constructor)) static void start(void) {
  find_functions();
  time_of_day_only = getenv("STEPPED_CLOCK_ONLY") != NULL;
  const char *path = getenv("STEPPED_CLOCK");
  if (path && map_offset(path, O_RDONLY, PROT_READ) != 0) {
    perror(path);
    _exit(127);
  }
}

static struct timespec moved(struct timespec at, int64_t by) {
  int64_t whole = by / second, nanoseconds = at.tv_nsec + by % second;
  if (nanoseconds < 0) whole--, nanoseconds += second;
  if (nanoseconds >= second) whole++, nanoseconds -= second;
  return (struct timespec){ .tv_sec = at.tv_sec + whole, .tv_nsec = nanoseconds };
}

static struct timespec kernel_time(const struct timespec *at) {
  return time_of_day_only ? *at : moved(*at, -atomic_load(offset));
}

/* The clocks of a process's or thread's processor time are not moved. */
static int is_moved(clockid_t clock) {
  if (time_of_day_only) return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  find_functions();
  int64_t by = is_moved(clock) ? atomic_load(offset) : 0;
  int failed = real_clock_gettime(clock, now);
  if (!failed) *now = moved(*now, by);
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec found;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &found);
  *now = (struct timeval){ .tv_sec = found.tv_sec, .tv_usec = found.tv_nsec / 1000 };
  return 0;
}

time_t time(time_t *now) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (now) *now = found.tv_sec;
  return found.tv_sec;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
  find_functions();
  struct timespec at = flags & TIMER_ABSTIME && is_moved(clock) ? kernel_time(until) : *until;
  return real_clock_nanosleep(clock, flags, &at, left);
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  find_functions();
  struct timespec at = kernel_time(until);
  return real_cond_timedwait(condition, mutex, &at);
}

int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           clockid_t clock, const struct timespec *restrict until) {
  find_functions();
  struct timespec at = kernel_time(until);
  return real_cond_clockwait(condition, mutex, clock, &at);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
  find_functions();
  struct timespec at = kernel_time(until);
  return real_sem_timedwait(semaphore, &at);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until) {
  find_functions();
  struct timespec at = kernel_time(until);
  return real_sem_clockwait(semaphore, clock, &at);
}

/* Rust waits by system calls of its own: FUTEX_WAIT_BITSET until a moment. */
long syscall(long number, ...) {
  find_functions();
  long given[6];
  va_list rest;
  va_start(rest, number);
  for (int n = 0; n < 6; n++) given[n] = va_arg(rest, long);
  va_end(rest);
  struct timespec at;
  if (number == SYS_futex && (given[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && given[3]) {
    at = kernel_time((const struct timespec *)given[3]);
    given[3] = (long)&at;
  }
  return real_syscall(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
