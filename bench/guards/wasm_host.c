/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with the output of wasm2c for a kernel: an instance of it, and its memory. */
#include "kernel_wasm.h"

static Z_kernel_instance_t instance;

__attribute__((visibility("default"))) void *wasm_open(uint8_t **memory, uint32_t *free_from)
{
	wasm_rt_init();
	Z_kernel_init_module();
	Z_kernel_instantiate(&instance);
	*memory = Z_kernelZ_memory(&instance)->data;
	*free_from = *Z_kernelZ___heap_base(&instance);
	return &instance;
}
