/* SPDX-License-Identifier: Apache-2.0 */
/* The source of probes/graph.c, as it was when this program was built. */
#include "graph.h"

__asm__(".pushsection .rodata\n"
	".globl graph_probe_text\n"
	"graph_probe_text:\n"
	".incbin \"" GRAPH_PROBE "\"\n"
	".byte 0\n"
	".popsection\n");
