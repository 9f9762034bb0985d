/* SPDX-License-Identifier: Apache-2.0 */
#include "epoch.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "store.h"

enum { DIGITS = 20 };

bool agent_epoch_read(const char *directory, uint64_t *last, struct ward_error *err)
{
	void *bytes;
	size_t n;

	*last = 0;
	if (!agent_store_read(directory, "epoch", DIGITS + 1, &bytes, &n, err))
		return false;
	char *text = bytes;
	if (!text)
		return true;
	size_t digits = strspn(text, "0123456789");
	*last = strtoull(text, NULL, 10);
	bool ok = digits && digits <= DIGITS && strcmp(text + digits, "\n") == 0 && *last < UINT64_MAX - 1;
	free(text);
	if (ok)
		return true;
	/* guessing a number could repeat one that was */
	cluster_refuse(err, "epoch", "C-62", "%s/epoch isn't a number", directory);
	cluster_hint(err, "write a number there that is above all that this machine ever had");
	return false;
}

bool agent_epoch_next(const char *directory, struct agent_epoch *epoch, struct ward_error *err)
{
	char next[DIGITS + 2];
	uint64_t last;

	*epoch = (struct agent_epoch){0};
	if (!agent_epoch_read(directory, &last, err))
		return false;
	snprintf(next, sizeof(next), "%" PRIu64 "\n", last + 1);
	if (!agent_store_write(directory, "epoch", next, strlen(next), true, err))
		return false;
	epoch->number = last + 1;
	randombytes_buf(&epoch->nonce, sizeof(epoch->nonce));
	return true;
}
