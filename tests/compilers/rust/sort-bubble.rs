// bubble sort of eight, with constant counts
#![no_std]
include!("../event.rs");

#[repr(C)]
pub struct State {
    pub t: [u32; 8],
}

#[no_mangle]
pub extern "C" fn sort_bubble(_ev: &Event, st: &mut State) {
    for _ in 0..7 {
        for j in 0..7 {
            if st.t[j] > st.t[j + 1] {
                st.t.swap(j, j + 1);
            }
        }
    }
}
