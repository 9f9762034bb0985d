/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is loaded when probes are attached: it calls back, without frame pointers. */
__attribute__((visibility("default"))) void later_call(void (*function)(long), long n);
void later_call(void (*function)(long), long n)
{
	function(n);
	__asm__ volatile("");
}
