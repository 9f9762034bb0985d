/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose function calls back. Its frame is as large as it is told. */
__attribute__((noipa)) void enter(void (*call)(long), long i)
{
	volatile char room[SIZE];

	room[i % SIZE] = 1;
	call(i);
	room[0] = room[1];
}
