/* The time and the memory of another process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Run a program to its end, with its output to /dev/null. Returns the CPU time in ns, or -1 if it
   fails, and the most memory in bytes. */
double ashlar_bench_spawn(char *const argv[], double *peak) {
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int status, failed;
  struct rusage used;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  failed = posix_spawnp(&pid, argv[0], &actions, 0, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  while (wait4(pid, &status, 0, &used) < 0)
    if (errno != EINTR) return -1;
  if (status != 0) return -1;
  *peak = used.ru_maxrss * 1024.0;
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
}
