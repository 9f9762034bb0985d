// log2 histogram of an argument
#![no_std]
include!("../event.rs");

#[repr(C)]
pub struct State {
    pub bucket: [u64; 65],
}

#[no_mangle]
pub extern "C" fn log2(ev: &Event, st: &mut State) {
    let b = 64 - ev.arg[2].leading_zeros() as usize;
    if let Some(n) = st.bucket.get_mut(b) {
        *n += 1;
    }
}
