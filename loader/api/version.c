/* SPDX-License-Identifier: Apache-2.0 */
#include "ward/ward.h"

const char *ward_version(void)
{
	return WARD_VERSION;
}
