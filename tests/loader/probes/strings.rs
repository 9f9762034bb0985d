// SPDX-License-Identifier: Apache-2.0
// What the imports say of addresses of all kinds, as strings.c does it, in another language: test_imports.c has the state's twin.
#![no_std]

#[repr(C)]
pub struct Event {
    pub arg: [u64; 6],
    pub ret: u64,
    pub caller: u64,
    pub tid: u64,
    pub cpu: u64,
    pub time: u64,
    pub elapsed: u64,
    pub site: u64,
    pub sp: u64,
}

#[repr(C)]
pub struct Seen {
    times: u64,
    length: u64,
    whole: u64,
    matches: u64,
    clock: u64,
    text: [u8; 64],
    bytes: [u8; 16],
}

#[repr(C)]
pub struct State {
    seen: [Seen; 16],
}

extern "C" {
    fn ward_read(buffer: *mut u8, length: usize, address: u64) -> u64;
    fn ward_read_str(buffer: *mut u8, length: usize, address: u64) -> u64;
    fn ward_match(buffer: *const u8, length: usize, address: u64) -> u64;
    fn ward_clock(clock: u64) -> u64;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[no_mangle]
#[link_section = "ward!target!use_string"]
pub extern "C" fn on_string(ev: &Event, st: &mut State) {
    let i = ev.arg[1] as usize;
    if i >= st.seen.len() {
        return;
    }
    let s = &mut st.seen[i];
    s.times += 1;
    unsafe {
        s.length = ward_read_str(s.text.as_mut_ptr(), s.text.len(), ev.arg[0]);
        s.whole = ward_read(s.bytes.as_mut_ptr(), s.bytes.len(), ev.arg[0]);
        s.matches = ward_match(b"hello".as_ptr(), 5, ev.arg[0]);
        s.clock = ward_clock(1);
    }
}
