/* What the packages base and unix do not offer in the same way in all their versions. Each function
 * returns -1 and sets errno if it fails. */

/* Offsets of 64 bits on every machine. */
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

/* Open a file: to read, or (1) to read and write, and make it if it is missing, or (2) to write. Or make a
 * new one to write, (3) which others may read and write, or (4) not. At a pipe, (0) and (2) do not wait
 * for the other end, as waiting here could not be interrupted. (5) waits for its writer. */
int ashlar_file_open(const char *path, int mode) {
  static const int how[] = {O_RDONLY | O_NONBLOCK,       O_RDWR | O_CREAT,            O_WRONLY | O_NONBLOCK,
                            O_WRONLY | O_CREAT | O_EXCL, O_WRONLY | O_CREAT | O_EXCL, O_RDONLY};
  return open(path, how[mode] | O_CLOEXEC | O_NOCTTY, mode == 4 ? 0600 : 0666);
}

/* Read and write at an offset. (On 32 bits, the functions that Haskell would import by their names
 * take offsets of 32 bits.) */
ssize_t ashlar_file_read_at(int fd, uint8_t *to, size_t n, int64_t at) { return pread(fd, to, n, at); }
ssize_t ashlar_file_write_at(int fd, const uint8_t *from, size_t n, int64_t at) {
  return pwrite(fd, from, n, at);
}

/* Become the only writer of an open file, without waiting. */
int ashlar_file_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }

/* Bytes of random choice. At most 256. */
int ashlar_file_random(uint8_t *to, size_t n) {
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t got = read(fd, to, n);
  close(fd);
  if (got == (ssize_t)n) return 0;
  if (got >= 0) errno = EIO;
  return -1;
}
