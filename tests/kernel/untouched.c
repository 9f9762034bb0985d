// SPDX-License-Identifier: Apache-2.0
/*
 * A program of the guest for queries: it opens files by names in memory that it hasn't touched, so that a probe at the
 * system call can't read them. Each name is in a mapping of its own, since a fault of one page may bring its neighbours
 * in.
 *
 *	untouched FILE TIMES [FIFO]
 *
 * It opens FILE so often by untouched names, and as often by names that are there. With a FIFO it does so when
 * something has come from there, says that it has, and ends when something has come once more.
 */
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static void wait_for(int fifo)
{
	char words[16];

	if (fifo >= 0 && read(fifo, words, sizeof(words)) < 0)
		err(1, "the FIFO");
}

int main(int argc, char **argv)
{
	int times = argc == 3 || argc == 4 ? atoi(argv[2]) : 0;
	int fifo = argc == 4 ? open(argv[3], O_RDONLY) : -1;
	int names = memfd_create("names", 0);

	if (times <= 0 || write(names, argv[1], strlen(argv[1]) + 1) < 0)
		errx(2, "usage: untouched FILE TIMES [FIFO]");
	prctl(PR_SET_NAME, "untouched"); // what its start opened is another program's
	wait_for(fifo);
	for (int i = 0; i < times; i++) {
		const char *name = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, names, 0);

		if (name == MAP_FAILED)
			err(1, "mmap");
		for (int k = 0; k < 2; k++) { // the first call brings the name in
			int fd = open(name, O_RDONLY);

			if (fd < 0)
				err(1, "%s", name);
			close(fd);
		}
	}
	if (fifo >= 0 && write(STDOUT_FILENO, "done\n", 5) != 5)
		err(1, "output");
	wait_for(fifo);
	return 0;
}
