// the first that matches, and out
#![no_std]
include!("../event.rs");

#[repr(C)]
pub struct State {
    pub found: u64,
    pub key: [u64; 48],
}

#[no_mangle]
pub extern "C" fn search(ev: &Event, st: &mut State) {
    for (i, k) in st.key.iter().enumerate() {
        if *k == ev.arg[0] {
            st.found = i as u64;
            return;
        }
    }
    st.found = 48;
}
