/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May a thread access Ward's memory, as far as protection keys decide? protection_keys.c describes how that is known.
 */
#ifndef WARD_LOADER_PROTECTION_KEYS_H
#define WARD_LOADER_PROTECTION_KEYS_H

#include "ptrace.h"

#include <stddef.h>

/*
 * The offset of the register PKRU in a thread's extended state, as ptrace shows it; 0: the processor, or the kernel,
 * has no protection keys. A virtual machine takes long for that.
 */
size_t wl_pkru_at(void);

enum wl_key0 { WL_KEY0_FREE, WL_KEY0_NO_WRITES, WL_KEY0_NO_ACCESS };

/* What a register of that value, within n bytes of extended state, permits with memory of key 0. */
enum wl_key0 wl_key0_of(const uint8_t *state, size_t n, size_t pkru_at);

/* Refuse if the thread, which is stopped, may not write to memory of ours: 0, or an error. */
int wl_check_keys(const struct wl_process *p, const struct wl_thread *t, size_t pkru_at, struct ward_error *err);

#endif
