// Characters to a file in UTF-8, by a wide stream of C++: 1 million characters, mixed, from String
#include <cstdlib>
#include <fstream>
#include <locale>

int main(int argc, char **argv) {
  static const wchar_t cycle[] = {'a', 'b', 'c', 'd', 'e', 'f', 228, 8364, 120120};
  long n = argc > 1 ? std::atol(argv[1]) : 0;
  std::wofstream out;
  out.imbue(std::locale("C.UTF-8"));
  out.open("/dev/null");
  for (long i = 0; i < n; i++) out.put(cycle[i % 9]);
  return out.good() ? 0 : 1;
}
