/* SPDX-License-Identifier: Apache-2.0 */
/* A disk in memory: a part of a file, by the kernel's module `loop`, which is there as long as the disk is. */
#ifndef WARD_TESTS_KERNEL_DISK_H
#define WARD_TESTS_KERNEL_DISK_H

#include <sys/stat.h>

/* Its number; the part of the file; the size of a block, of which each is read and written by itself. */
enum { DISK_NUMBER = 11, DISK_BLOCK = 4096, DISK_OFFSET = 3 * DISK_BLOCK, DISK_SIZE = 256 * DISK_BLOCK };
#define DISK_PATH "/dev/loop11"
#define DISK_NAME "ward's image"

void load_loop(void);

/* Its descriptor; the status of the file that it is a part of. */
int make_disk(struct stat *file);

/* And the module is gone. */
void unmake_disk(int disk);

/* Each is a request of its own, which no cache answers. */
void read_blocks(int disk, int n);

#endif
