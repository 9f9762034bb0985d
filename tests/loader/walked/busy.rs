// SPDX-License-Identifier: Apache-2.0
// Keeps much of Rust busy at several depths: panics that are caught, calls through traits, closures, iterators,
// collections, formatting and sorting.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};

// What is computed is used.
fn black_box<T: Copy>(v: T) {
    unsafe { std::ptr::read_volatile(&v) };
}

trait Node {
    fn weigh(&self, depth: u32) -> u64;
}
struct Leaf(u64);
struct Branch(Vec<Box<dyn Node>>);

impl Node for Leaf {
    #[inline(never)]
    fn weigh(&self, depth: u32) -> u64 {
        self.0 + u64::from(depth)
    }
}
impl Node for Branch {
    #[inline(never)]
    fn weigh(&self, depth: u32) -> u64 {
        self.0.iter().map(|n| n.weigh(depth + 1)).sum()
    }
}

#[inline(never)]
fn make(depth: u32) -> Box<dyn Node> {
    if depth == 0 {
        return Box::new(Leaf(3));
    }
    Box::new(Branch((0..3).map(|_| make(depth - 1)).collect()))
}

struct Dropped(String);
impl Drop for Dropped {
    #[inline(never)]
    fn drop(&mut self) {
        black_box(self.0.len());
    }
}

#[inline(never)]
fn fails(depth: u64, n: u64) -> u64 {
    let held = Dropped(format!("{depth} of {n}"));
    if depth == 0 {
        assert!(n % 50 != 0, "fifty");
        return n;
    }
    fails(depth - 1, n) + held.0.len() as u64
}

#[inline(never)]
fn collections(n: u64) -> u64 {
    let mut hashed: HashMap<String, u64> = HashMap::new();
    let mut ordered: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for i in 0..100 {
        *hashed.entry(format!("{:x}", (i * 7919 + n) % 1000)).or_default() += i;
        ordered.entry(i % 10).or_default().push(i);
    }
    let mut names: Vec<&String> = hashed.keys().collect();
    names.sort_by_key(|name| u64::from_str_radix(name, 16).unwrap_or(0));
    ordered.values().flatten().sum::<u64>() + names.len() as u64
}

#[inline(never)]
fn apply(f: &dyn Fn(u64) -> u64, n: u64, depth: u32) -> u64 {
    if depth == 0 {
        f(n)
    } else {
        apply(&|k| f(k) + 1, n, depth - 1)
    }
}

fn main() {
    let tree = make(5);
    let mut text = String::new();
    std::panic::set_hook(Box::new(|_| {}));
    for n in 0u64.. {
        black_box(tree.weigh(0));
        black_box(catch_unwind(AssertUnwindSafe(|| fails(n % 20, n))).is_ok());
        black_box(collections(n));
        black_box(apply(&|k| collections(k), n, 6));
        text.clear();
        write!(text, "{:>10} {:?}", n, [n as f64 / 3.0; 4]).unwrap();
        black_box(text.len());
    }
}
