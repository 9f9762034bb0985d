// SPDX-License-Identifier: Apache-2.0
// The same for Rust: a function in a module.
use std::io::Read;

mod shop {
    #[inline(never)]
    pub fn order(n: u64) -> u64 {
        n.wrapping_mul(3)
    }
}

fn main() {
    println!("ready");
    let rounds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut line = [0u8; 1];
    std::io::stdin().read_exact(&mut line).unwrap();
    let mut sum = 0u64;
    for i in 0..rounds {
        sum = sum.wrapping_add(shop::order(i));
    }
    std::process::exit((sum == 1) as i32);
}
