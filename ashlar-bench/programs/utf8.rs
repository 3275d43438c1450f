// Characters to standard output in UTF-8, by Rust's library: 1 million characters, mixed, from String
use std::io::{BufWriter, Write};

fn main() -> std::io::Result<()> {
    let cycle: Vec<char> = "abcdef\u{e4}\u{20ac}\u{1d538}".chars().collect();
    let n: usize = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    let mut out = BufWriter::with_capacity(32768, std::io::stdout().lock());
    let mut bytes = [0; 4];
    for i in 0..n {
        out.write_all(cycle[i % 9].encode_utf8(&mut bytes).as_bytes())?;
    }
    out.flush()
}
