// tight: an array of structs by iter_mut and enumerate
#![no_std]
include!("../event.rs");

#[repr(C)]
pub struct Item {
    pub a: u64,
    pub b: u32,
}

#[repr(C)]
pub struct State {
    pub t: [Item; 32],
}

#[no_mangle]
pub extern "C" fn structs(ev: &Event, st: &mut State) {
    for (i, x) in st.t.iter_mut().enumerate() {
        x.a = x.a.wrapping_add(ev.arg[0]);
        x.b ^= i as u32;
    }
}
