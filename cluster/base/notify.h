/* SPDX-License-Identifier: Apache-2.0 */
/* Tell systemd: "READY=1", "WATCHDOG=1", "STOPPING=1". */
#ifndef WARD_CLUSTER_BASE_NOTIFY_H
#define WARD_CLUSTER_BASE_NOTIFY_H

void cluster_notify(const char *state);

#endif
