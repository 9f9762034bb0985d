// SPDX-License-Identifier: Apache-2.0
// As kinds.c, without handlers.
use std::io::BufRead;

#[no_mangle]
#[inline(never)]
pub extern "C" fn work(n: u64) -> u64 {
    std::hint::black_box(n * 3 + 1)
}

fn run() -> u64 {
    (0..1000).map(|n| std::hint::black_box(work(std::hint::black_box(n)))).sum()
}

fn main() {
    for _ in std::io::stdin().lock().lines() {
        let other = std::thread::spawn(run);
        let own = run();
        println!("{} {} faults 0 traps 0", other.join().unwrap(), own);
    }
}
