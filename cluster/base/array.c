/* SPDX-License-Identifier: Apache-2.0 */
/* Its room doubles, so that adding one element takes a constant time on average. */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool cluster_array_grow(void *array, size_t *room, size_t n, size_t size)
{
	size_t more = *room * 2 > n ? *room * 2 : n;
	void *at, *grown;
	if (n <= *room)
		return true;
	more = more < 16 ? 16 : more;
	memcpy(&at, array, sizeof(at));
	grown = reallocarray(at, more, size);
	if (!grown)
		return false;
	memset((char *)grown + *room * size, 0, (more - *room) * size);
	memcpy(array, &grown, sizeof(grown));
	*room = more;
	return true;
}
