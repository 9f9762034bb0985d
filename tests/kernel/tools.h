/* SPDX-License-Identifier: Apache-2.0 */
/* What the tools of the kernel are fed with: each runs in a process of its own, of the name `feeder`. */
#ifndef WARD_TESTS_KERNEL_TOOLS_H
#define WARD_TESTS_KERNEL_TOOLS_H

void feed_disk(void);       /* eight reads of 4096 bytes */
void feed_ahead(void);      /* 32 blocks of a disk into memory, of which it reads 24 before all leave it */
void feed_rights(void);     /* become user 1, who then may not set the machine's name */
void feed_sleep(void);      /* four times 20 ms, and work between them */
void feed_program(void);    /* one that becomes `ward`, and one named `ender` that ends with 3 */
void feed_files(void);      /* in /dev/shm: feed-file, feed-life, feed-none (isn't there), feed-mount */
void feed_slow(void);       /* read a byte of feed-slow, for which it waits */
void feed_console(void);    /* write to the console */
void feed_signal(void);     /* signal 0 to itself */
void feed_busy(void);       /* two processes that need the second processor for a second */
void feed_urgent(void);     /* a process that can go on waits for `urgent`, 100 ms */
void feed_calls(void);      /* a thousand times getpgid */
void feed_connection(void); /* one, to a socket of its own */
void feed_message(void);    /* a hundred bytes, read 30 ms after they have come */
void feed_neighbour(void);  /* "hello", through a socket of the machine's own */
void feed_refusal(void);    /* ask for a connection to port 9, where nobody is */
void feed_again(void);      /* a connection that isn't answered, so that it is asked for again */
void feed_oom(void);        /* the kernel kills `victim`, as if there were no memory */
void feed_swap(void);       /* use pages that have been written to a disk */

#endif
