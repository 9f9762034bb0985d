// one counter
#![no_std]
include!("../event.rs");

#[repr(C)]
pub struct State {
    pub calls: u64,
}

#[no_mangle]
pub extern "C" fn count(_ev: &Event, st: &mut State) {
    st.calls += 1;
}
