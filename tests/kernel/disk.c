/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char module_path[] = "/modules/loop.ko", image[] = "/dev/shm/disk.img";

void load_loop(void)
{
	int fd = open(module_path, O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && syscall(SYS_finit_module, fd, "", 0) == 0, "%s: %s", module_path, strerror(errno));
	close(fd);
}

int make_disk(struct stat *file)
{
	struct loop_config config = {.fd = (unsigned)open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
		.block_size = DISK_BLOCK,
		.info = {.lo_offset = DISK_OFFSET, .lo_sizelimit = DISK_SIZE}};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), disk;

	CHECK(ftruncate((int)config.fd, 2 * DISK_SIZE) == 0 && fstat((int)config.fd, file) == 0, "%s", strerror(errno));
	CHECK(control >= 0 && ioctl(control, LOOP_CTL_ADD, DISK_NUMBER) == DISK_NUMBER, "%s", strerror(errno));
	close(control);
	disk = open(DISK_PATH, O_RDWR | O_DIRECT | O_CLOEXEC);
	memcpy(config.info.lo_file_name, DISK_NAME, sizeof(DISK_NAME));
	CHECK(disk >= 0 && ioctl(disk, LOOP_CONFIGURE, &config) == 0, "%s", strerror(errno));
	close((int)config.fd);
	return disk;
}

void unmake_disk(int disk)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	CHECK(ioctl(disk, LOOP_CLR_FD) == 0 && close(disk) == 0, "%s", strerror(errno));
	CHECK(ioctl(control, LOOP_CTL_REMOVE, DISK_NUMBER) == 0, "%s", strerror(errno));
	close(control);
	CHECK(unlink(image) == 0 && syscall(SYS_delete_module, "loop", O_NONBLOCK) == 0, "%s", strerror(errno));
}

void read_blocks(int disk, int n)
{
	static _Alignas(DISK_BLOCK) char block[DISK_BLOCK];

	for (int i = 0; i < n; i++)
		CHECK(pread(disk, block, DISK_BLOCK, i % 8 * DISK_BLOCK) == DISK_BLOCK, "%s", strerror(errno));
}
