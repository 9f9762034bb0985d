# SPDX-License-Identifier: Apache-2.0
"""Rows of the matrix of faults: networks that misbehave. The links of two machines and the coordinator go through
proxies of which some, by the seed, delay, stall, lose, change or cut what is said; or a network of its own is cut."""
import contextlib
import random
import signal
import time

from cluster import check, wait_for
from machines import SITE
from stage import Island, Proxy, Query

FAULTS = {"delayed": "delay 300", "cut": "cut", "flipped": "flip", "stalled_up": "stall up", "stalled_down": "stall down",
	"lost_up": "lose up", "lost_down": "lose down", "refused": "refuse"}
ROWS = (*FAULTS, "machine_partitioned", "machine_partitioned_beyond_its_lease", "coordinator_partitioned", "windows_behind_a_fault")


def _row(fault):
	def row(stage):
		"""Whatever the network does, the table has all that was counted when it is well again."""
		with contextlib.ExitStack() as at_end:
			proxies = [Proxy(stage.programs["proxy"], stage.bus.port) for _ in range(3)]
			urls = [f"tls://localhost:{proxy.port}" for proxy in proxies]
			behind = dict(zip(stage.machines[:2], urls))
			stage.begin(prepare=lambda m: setattr(m, "urls", [behind.get(m, stage.bus.url)]))
			for proxy in proxies:
				at_end.callback(proxy.end)
			trace = stage.trace(url=urls[2])
			sick = random.sample(proxies, random.randrange(1, 4))
			for proxy in sick:
				proxy.do(fault)
			stage.call()
			stage.wait_partials(trace.query, stage.machines[2], 3) # that one isn't behind a proxy
			for proxy in sick:
				proxy.do("pass")
			stage.wait_shown(trace, f"after {fault}")
			stage.call()
			stage.expect(fault, trace)
			for m in stage.machines:
				m.stop_agent()
	return row


def windows_behind_a_fault(stage):
	"""A network that is sick for some seconds, or a server that is killed: windows add up to all calls."""
	with contextlib.ExitStack() as at_end:
		proxies = [Proxy(stage.programs["proxy"], stage.bus.port) for _ in range(4)]
		for proxy in proxies:
			at_end.callback(proxy.end)
		urls = [f"tls://localhost:{proxy.port}" for proxy in proxies]
		behind = dict(zip(stage.machines, urls))
		stage.begin(prepare=lambda m: setattr(m, "urls", [behind[m]]))
		query = Query(stage, f'Function("{SITE}").Window(1.s).CountBy(machine)', urls[3])
		stage.wait_probed()
		sick, fault = random.sample(proxies, 2), random.choice([*FAULTS.values(), "kill"])
		stage.call()
		query.wait_events(sum(m.calls for m in stage.machines))
		if fault == "kill":
			stage.bus.stop(signal.SIGKILL)
		else:
			for proxy in sick:
				proxy.do(fault)
		for _ in range(3): # each in a window of its own, or nearly so
			stage.call()
			second = int(time.time())
			wait_for(lambda: int(time.time()) > second, "the next second")
		if fault == "kill":
			stage.bus.start()
		else:
			for proxy in sick:
				proxy.do("pass")
		stage.call()
		query.wait_events(sum(m.calls for m in stage.machines))
		query.interrupt()
		status, rows, complete = query.end()
		for m in stage.machines:
			own = sum(row["count"] for row in rows if row["machine"] == m.host)
			check(f"{fault}: windows of {m.host} add up", own == m.calls, (own, m.calls, rows))
		check(f"{fault}: complete", status == 0 and complete, (status, query.said()))
		stage.expect_clean("windows behind a fault")
		for m in stage.machines:
			m.stop_agent()


for _name, _fault in FAULTS.items():
	globals()[_name] = _row(_fault)


@contextlib.contextmanager
def _island(stage, machine=None):
	island = Island(stage)
	try:
		def prepare(m):
			if m is machine:
				m.link_wrap, m.urls = island.wrap, [island.url]
		stage.begin(prepare=prepare)
		yield island
	finally:
		for m in stage.machines:
			m.stop_agent()
		island.end()


def machine_partitioned(stage):
	"""It is stale; when it is back, nothing is missing."""
	m = random.choice(stage.machines)
	with _island(stage, m) as island:
		trace = stage.trace()
		stage.call()
		stage.wait_shown(trace, "before")
		island.cut(True)
		stage.call()
		stage.wait_state(trace, m, "stale")
		stage.call()
		island.cut(False)
		stage.wait_shown(trace, "it is back")
		stage.expect("a machine was partitioned", trace)


def machine_partitioned_beyond_its_lease(stage):
	"""It ends by itself, and its last value comes when it is back."""
	m = random.choice(stage.machines)
	with _island(stage, m) as island:
		trace = stage.trace("--lease", "3")
		stage.call()
		island.cut(True)
		stage.call()
		wait_for(m.is_clean, "it ends by itself")
		stage.call([other for other in stage.machines if other is not m])
		island.cut(False)
		stage.wait_state(trace, m, "ended")
		stage.wait_shown(trace, "its last value has come")
		stage.expect("a machine was partitioned beyond its lease", trace, ended=False)


def coordinator_partitioned(stage):
	"""Machines go on, and it has all when it is back."""
	with _island(stage) as island:
		trace = stage.trace(url=island.url, wrap=island.wrap)
		stage.call()
		stage.wait_shown(trace, "before")
		island.cut(True)
		for m in stage.machines:
			stage.call()
			stage.wait_partials(trace.query, m, 4)
		stage.wait_state(trace, stage.machines[0], "stale")
		island.cut(False)
		stage.wait_shown(trace, "it is back")
		stage.expect("the coordinator was partitioned", trace)
