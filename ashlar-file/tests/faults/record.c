/* A library to preload: it records what a program does to the files below a folder, in the order in
 * which it takes effect. Tests.Faults.Disk makes of this what a power failure leaves.
 *
 *   FAULTS_FOLDER   the folder: an absolute path without links
 *   FAULTS_LOG      the file for the record
 *   FAULTS_SYNC     n: the n-th sync of a regular file fails with EIO, and loses what it was to write
 *   FAULTS_SHORT    1: reads and writes move half of the bytes that they could
 *
 * An entry is a letter, the descriptor (4 bytes), a number (8 bytes), and a string after its length
 * (4 bytes), all in the order of this machine. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static int log_fd = -1, failing_sync, half, syncs;
static char known[1024];

static int tracked(int fd) { return fd >= 0 && fd < (int)sizeof known && known[fd]; }

static int below(const char *path) {
  size_t n = folder ? strlen(folder) : 0;
  return n && !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

/* The calls themselves, as the C library makes them. */
#define REAL(result, name, ...)                                             \
  static result (*real)(__VA_ARGS__);                                       \
  if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void begin(void) {
  const char *to = getenv("FAULTS_LOG");
  if (!to) return;
  folder = getenv("FAULTS_FOLDER");
  failing_sync = getenv("FAULTS_SYNC") ? atoi(getenv("FAULTS_SYNC")) : 0;
  half = getenv("FAULTS_SHORT") != NULL;
  log_fd = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (!folder || log_fd < 0) abort();
}

static void record(char op, int fd, int64_t number, const void *bytes, size_t n) {
  int32_t fd32 = fd;
  uint32_t n32 = n;
  struct iovec parts[] = {{&op, 1}, {&fd32, 4}, {&number, 8}, {&n32, 4}, {(void *)bytes, n}};
  if (writev(log_fd, parts, 5) != (ssize_t)(17 + n)) abort();
}

/* Do something and record it in one step. */
#define IN_ORDER(call, op, fd, number, bytes, n) \
  pthread_mutex_lock(&lock);                     \
  __typeof__(call) r = call;                     \
  int e = errno;                                 \
  if (r >= 0) record(op, fd, number, bytes, n);  \
  pthread_mutex_unlock(&lock);                   \
  errno = e;                                     \
  return r

/* The path is that of the file itself, also if a link led there. */
static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  char link[40], to[PATH_MAX];
  pthread_mutex_lock(&lock);
  int fd = real(path, flags, mode), e = errno;
  if (folder && fd >= 0 && fd < (int)sizeof known) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, to, sizeof to - 1);
    to[n < 0 ? 0 : n] = 0;
    known[fd] = below(to);
    if (known[fd]) record('O', fd, flags & O_TRUNC ? 1 : 0, to, n);
  }
  pthread_mutex_unlock(&lock);
  errno = e;
  return fd;
}

#define OPEN(name)                             \
  int name(const char *path, int flags, ...) { \
    va_list rest;                              \
    va_start(rest, flags);                     \
    mode_t mode = va_arg(rest, mode_t);        \
    va_end(rest);                              \
    REAL(int, #name, const char *, int, ...);  \
    return opened(real, path, flags, mode);    \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  REAL(int, "close", int);
  if (!tracked(fd)) return real(fd);
  known[fd] = 0;
  IN_ORDER(real(fd), 'C', fd, 0, NULL, 0);
}

static size_t part(int fd, size_t n) { return half && tracked(fd) && n > 1 ? n / 2 : n; }

ssize_t write(int fd, const void *bytes, size_t n) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (!tracked(fd)) return real(fd, bytes, n);
  IN_ORDER(real(fd, bytes, n), 'W', fd, lseek(fd, 0, SEEK_CUR) - r, bytes, r);
}

#define PWRITE(name)                                              \
  ssize_t name(int fd, const void *bytes, size_t n, off_t at) {   \
    REAL(ssize_t, #name, int, const void *, size_t, off_t);       \
    if (!tracked(fd)) return real(fd, bytes, n, at);              \
    IN_ORDER(real(fd, bytes, part(fd, n), at), 'W', fd, at, bytes, r); \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PREAD(name)                                     \
  ssize_t name(int fd, void *to, size_t n, off_t at) {  \
    REAL(ssize_t, #name, int, void *, size_t, off_t);   \
    return real(fd, to, part(fd, n), at);               \
  }
PREAD(pread)
PREAD(pread64)

#define FTRUNCATE(name)                              \
  int name(int fd, off_t size) {                     \
    REAL(int, #name, int, off_t);                    \
    if (!tracked(fd)) return real(fd, size);         \
    IN_ORDER(real(fd, size), 'T', fd, size, NULL, 0); \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

static int synced(int (*real)(int), int fd) {
  struct stat s;
  if (!tracked(fd)) return real(fd);
  if (!fstat(fd, &s) && S_ISREG(s.st_mode) && __atomic_add_fetch(&syncs, 1, 5) == failing_sync) {
    pthread_mutex_lock(&lock);
    record('F', fd, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = EIO;
    return -1;
  }
  IN_ORDER(0, 'S', fd, 0, NULL, 0);
}

#define SYNC(name)             \
  int name(int fd) {           \
    REAL(int, #name, int);     \
    return synced(real, fd);   \
  }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  if (!below(path)) return real(path);
  IN_ORDER(real(path), 'U', -1, 0, path, strlen(path));
}

/* Two paths, with a zero byte after the first. */
static int two(int (*real)(const char *, const char *), char op, const char *a, const char *b) {
  if (!below(b)) return real(a, b);
  size_t m = strlen(a) + 1, n = strlen(b);
  char paths[m + n + 1];
  memcpy(paths, a, m);
  memcpy(paths + m, b, n + 1);
  IN_ORDER(real(a, b), op, -1, 0, paths, m + n);
}

int rename(const char *a, const char *b) {
  REAL(int, "rename", const char *, const char *);
  return two(real, 'R', a, b);
}

int link(const char *a, const char *b) {
  REAL(int, "link", const char *, const char *);
  return two(real, 'L', a, b);
}
