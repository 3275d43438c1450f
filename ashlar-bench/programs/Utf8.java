// Characters to standard output in UTF-8, by Java's library: 1 million characters, mixed, from String
import java.io.*;
import java.nio.charset.StandardCharsets;

public class Utf8 {
  public static void main(String[] args) throws IOException {
    int[] cycle = {'a', 'b', 'c', 'd', 'e', 'f', 228, 8364, 120120};
    long n = args.length > 0 ? Long.parseLong(args[0]) : 0;
    try (Writer out = new BufferedWriter(
        new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), StandardCharsets.UTF_8), 32768)) {
      for (long i = 0; i < n; i++) {
        int c = cycle[(int) (i % 9)];
        if (c < 65536) out.write(c);
        else {
          out.write(Character.highSurrogate(c));
          out.write(Character.lowSurrogate(c));
        }
      }
    }
  }
}
