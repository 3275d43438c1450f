/* The three standard descriptors, before the run-time system starts.

   A shell may close them: ashlar repair x -o y >&-. The next files that are opened then get their
   numbers: a timer of the run-time system, or the file that is being written, into which messages
   would go. So what is closed is opened here, in the wrong direction. Reading from the standard
   input, and writing to the others, is an error then, as it is if they are closed. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void __attribute__((constructor)) ashlar_standard_descriptors(void) {
  for (int fd = 0; fd <= 2; fd++)
    /* The one that is opened has the smallest number that is free. */
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
        open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
      _exit(2);
}
