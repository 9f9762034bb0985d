/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands of `ward cluster` share. */
#ifndef WARD_CLI_CLUSTER_COMMAND_H
#define WARD_CLI_CLUSTER_COMMAND_H

#include "cli.h"

/* cluster_setup.c */
int cluster_run_init(int argc, char **argv);
int cluster_run_enrol(int argc, char **argv);

#endif
