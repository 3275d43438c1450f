// Two of the data sets with a codec by hand, as calibration: how fast the same bytes are written and
// read on this machine without a library. Text is not checked.
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace {

struct Log {
  uint8_t address[4];
  std::string identity, user, date, request;
  uint16_t code;
  uint64_t size;
};

struct Triangle {
  float corners[12];
};

// A cursor that never passes the end.
struct Input {
  const uint8_t *p, *end;
  bool good = true;

  const uint8_t *take(size_t n) {
    if (size_t(end - p) < n) {
      good = false;
      return nullptr;
    }
    p += n;
    return p - n;
  }
  template <class T> T number() {
    T x = 0;
    if (const uint8_t *from = take(sizeof x)) memcpy(&x, from, sizeof x);
    return x;
  }
  std::string text() {
    size_t n = number<uint64_t>();
    const uint8_t *from = take(n);
    return from ? std::string(reinterpret_cast<const char *>(from), n) : std::string();
  }
};

template <class T> uint8_t *number(uint8_t *p, T x) {
  memcpy(p, &x, sizeof x);
  return p + sizeof x;
}

uint8_t *text(uint8_t *p, const std::string &s) {
  p = number<uint64_t>(p, s.size());
  memcpy(p, s.data(), s.size());
  return p + s.size();
}

}  // namespace

extern "C" {

// The value that the bytes encode, or a null pointer.
std::vector<Log> *ashlar_bench_read_log(const uint8_t *from, size_t n) {
  Input in{from, from + n};
  size_t count = in.number<uint64_t>();
  if (count > n) return nullptr;
  auto *logs = new std::vector<Log>;
  logs->reserve(count);
  while (count-- > 0 && in.good) {
    Log &log = logs->emplace_back();
    if (const uint8_t *address = in.take(4)) memcpy(log.address, address, 4);
    log.identity = in.text();
    log.user = in.text();
    log.date = in.text();
    log.request = in.text();
    log.code = in.number<uint16_t>();
    log.size = in.number<uint64_t>();
  }
  if (in.good && in.p == in.end) return logs;
  delete logs;
  return nullptr;
}

size_t ashlar_bench_size_log(const std::vector<Log> *logs) {
  size_t n = 8;
  for (const Log &log : *logs)
    n += 46 + log.identity.size() + log.user.size() + log.date.size() + log.request.size();
  return n;
}

void ashlar_bench_write_log(const std::vector<Log> *logs, uint8_t *p) {
  p = number<uint64_t>(p, logs->size());
  for (const Log &log : *logs) {
    memcpy(p, log.address, 4);
    p = text(p + 4, log.identity);
    p = text(p, log.user);
    p = text(p, log.date);
    p = text(p, log.request);
    p = number(p, log.code);
    p = number(p, log.size);
  }
}

void ashlar_bench_free_log(std::vector<Log> *logs) { delete logs; }

// A triangle is in memory as it is encoded.
std::vector<Triangle> *ashlar_bench_read_mesh(const uint8_t *from, size_t n) {
  Input in{from, from + n};
  size_t count = in.number<uint64_t>();
  if (!in.good || size_t(in.end - in.p) != count * sizeof(Triangle)) return nullptr;
  auto *mesh = new std::vector<Triangle>(count);
  memcpy(mesh->data(), in.p, count * sizeof(Triangle));
  return mesh;
}

size_t ashlar_bench_size_mesh(const std::vector<Triangle> *mesh) {
  return 8 + mesh->size() * sizeof(Triangle);
}

void ashlar_bench_write_mesh(const std::vector<Triangle> *mesh, uint8_t *p) {
  memcpy(number<uint64_t>(p, mesh->size()), mesh->data(), mesh->size() * sizeof(Triangle));
}

void ashlar_bench_free_mesh(std::vector<Triangle> *mesh) { delete mesh; }
}
