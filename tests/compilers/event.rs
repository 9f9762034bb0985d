// SPDX-License-Identifier: Apache-2.0
// What a function of this corpus is given; the layout of spec/ward/event.def.
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

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
