/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of system calls that change nothing, whatever their arguments are. */
#include "words.h"

PROBE(00, "kernel:syscalls:sys_enter_getpid")
PROBE(16, "kernel:syscalls:sys_enter_getppid")
PROBE(31, "kernel:syscalls:sys_enter_getuid")
PROBE(35, "kernel:syscalls:sys_enter_geteuid")
PROBE(47, "kernel:syscalls:sys_enter_getgid")
PROBE(55, "kernel:syscalls:sys_enter_getegid")
PROBE(62, "kernel:syscalls:sys_enter_gettid")
PROBE(77, "kernel:syscalls:sys_enter_sched_yield")
