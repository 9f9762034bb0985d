// tight: least and greatest of signed values
#![no_std]
include!("../event.rs");

#[repr(C)]
pub struct State {
    pub least: i32,
    pub most: i32,
    pub t: [i32; 48],
}

#[no_mangle]
pub extern "C" fn min_max(_ev: &Event, st: &mut State) {
    let (mut lo, mut hi) = (i32::MAX, i32::MIN);
    for v in st.t.iter() {
        lo = if *v < lo { *v } else { lo };
        hi = if *v > hi { *v } else { hi };
    }
    st.least = lo;
    st.most = hi;
}
