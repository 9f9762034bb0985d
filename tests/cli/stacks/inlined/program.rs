// SPDX-License-Identifier: Apache-2.0
// The same in Rust.
use std::sync::atomic::{AtomicU64, Ordering};

static SUM: AtomicU64 = AtomicU64::new(0);

#[no_mangle]
#[inline(never)]
pub extern "C" fn marked(i: u64) {
    SUM.fetch_add(i, Ordering::SeqCst);
}

mod shop {
    pub struct Box {
        pub size: u64,
    }
    impl Box {
        #[inline(always)]
        pub fn next(&self, i: u64) {
            super::marked(i + self.size);
            super::SUM.fetch_add(1, super::Ordering::SeqCst);
        }
    }
    #[inline(always)]
    pub fn parse(b: &Box, n: u64) {
        for i in 0..n {
            b.next(i);
        }
    }
}

#[no_mangle]
#[inline(never)]
pub extern "C" fn work(n: u64) {
    shop::parse(&shop::Box { size: n }, n);
    SUM.fetch_add(1, Ordering::SeqCst);
}

fn main() {
    work(std::env::args().nth(1).map_or(0, |n| n.parse().unwrap()));
}
