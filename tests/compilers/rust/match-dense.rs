// a match that becomes a jump table
#![no_std]
include!("../event.rs");

#[repr(C)]
pub struct State {
    pub total: u64,
    pub last: u64,
    pub seen: [u64; 8],
    pub errors: u32,
}

#[no_mangle]
pub extern "C" fn match_dense(ev: &Event, st: &mut State) {
    let x = ev.arg[1];
    match ev.arg[0] {
        0 => st.total = st.total.wrapping_add(x),
        1 => st.last = x,
        2 => st.seen[(x & 7) as usize] ^= x,
        3 => st.last = st.total ^ x,
        4 => st.errors = st.errors.wrapping_add(1),
        5 => st.seen[3] = st.seen[4].wrapping_add(x),
        6 => st.total = x << (st.errors & 31),
        7 => st.seen = [0; 8],
        _ => st.errors |= 2,
    }
}
