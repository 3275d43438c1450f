/* Memory between two pages that nobody may read or write. */

#define _DEFAULT_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
  return (size_t)sysconf(_SC_PAGESIZE);
}

/* The least multiple of the page size that has n bytes, and at least one page. */
size_t test_pages_size(size_t n)
{
  size_t page = page_size();
  return n == 0 ? page : (n + page - 1) / page * page;
}

/* That many bytes, and before and after them a page that cannot be accessed. NULL if there is no
   memory. */
unsigned char *test_pages_new(size_t n)
{
  size_t page = page_size();
  size_t size = test_pages_size(n);
  unsigned char *all =
      mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return NULL;
  if (mprotect(all + page, size, PROT_READ | PROT_WRITE) != 0) {
    munmap(all, size + 2 * page);
    return NULL;
  }
  return all + page;
}

void test_pages_free(unsigned char *start, size_t n)
{
  size_t page = page_size();
  munmap(start - page, test_pages_size(n) + 2 * page);
}

/* Can the byte be read? The kernel says so, without a signal. */
int test_pages_readable(const unsigned char *p)
{
  int ends[2];
  if (pipe(ends) != 0)
    return -1;
  int readable = write(ends[1], p, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}
