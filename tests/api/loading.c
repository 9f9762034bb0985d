/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose constructor calls back into the program: the linker's lock is held meanwhile. */
void while_loading(void);

__attribute__((constructor)) static void construct(void)
{
	while_loading();
}
