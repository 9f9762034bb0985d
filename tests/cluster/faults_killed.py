# SPDX-License-Identifier: Apache-2.0
"""Rows of the matrix of faults: somebody is killed, or stopped."""
import os
import random
import signal

from cluster import check, wait_for
from stage import kill, signal_all

ROWS = ("worker_killed", "agent_killed", "link_killed", "process_killed", "process_executes", "machine_gone",
	"machine_and_worker_stopped", "coordinator_killed", "coordinator_left", "coordinator_stopped", "server_killed",
	"server_gone",	"policy_changed")


def _victim(stage):
	return random.choice(stage.machines)


def _call_and_kill(stage, machine, victims):
	"""In the middle of what the process counts."""
	n = random.randrange(1000, 2000000)
	machine.tell(f"{n}")
	signal_all(victims, signal.SIGKILL)
	check("the process goes on", machine.counter.stdout.readline() == "done\n")
	machine.calls += n
	machine.sum += n + 3 * n * (n + 1) // 2


def worker_killed(stage):
	"""Its agent takes off what it has left, and begins a new epoch."""
	trace = stage.trace()
	stage.call()
	stage.wait_shown(trace, "before")
	m = _victim(stage)
	_call_and_kill(stage, m, m.workers())
	wait_for(lambda: len(stage.tap.of(trace.query, m.host)) == 2, "a second epoch")
	stage.wait_probed([m])
	stage.call()
	stage.expect("a worker was killed", trace, lost=True, ended=False)


def agent_killed(stage):
	"""All of it, the link, too; and it comes back."""
	trace = stage.trace()
	stage.call()
	stage.wait_shown(trace, "before")
	m = _victim(stage)
	os.kill(m.agent.pid, signal.SIGSTOP)
	_call_and_kill(stage, m, [*m.workers(), m.agent.pid, m.link.pid])
	m.agent.wait()
	m.link.wait()
	m.start_agent()
	m.start_link()
	wait_for(lambda: len(stage.tap.of(trace.query, m.host)) == 2, lambda: f"a second epoch: {m.logs()[-900:]}")
	stage.wait_probed([m])
	stage.call()
	stage.expect("an agent was killed", trace, lost=True, ended=False)


def link_killed(stage):
	"""Nothing but a gap in time."""
	trace = stage.trace()
	stage.call()
	m = _victim(stage)
	_call_and_kill(stage, m, [m.link.pid])
	m.link.wait()
	stage.call()
	m.start_link()
	stage.wait_shown(trace, "the link is back")
	stage.call()
	stage.expect("a link was killed", trace)


def process_killed(stage):
	"""What it has counted stays, and so does what the next one counts."""
	trace = stage.trace()
	stage.call()
	m = _victim(stage)
	kill(m.counter)
	stage.wait_state(trace, m, "no target")
	m.start_counter()
	stage.wait_probed([m])
	stage.call()
	stage.wait_shown(trace, "the next process")
	stage.expect("a process was killed", trace)


def process_executes(stage):
	"""The program that it has executed is another process."""
	trace = stage.trace()
	stage.call()
	m = _victim(stage)
	m.tell("x")
	check("it executes its program", m.counter.stdout.readline() == "ready\n")
	m.sum = 0
	stage.wait_probed([m])
	stage.call()
	stage.wait_shown(trace, "the next program")
	stage.expect("a process has executed a program", trace)


def machine_gone(stage):
	"""For good: it is lost, what it has sent stays, and the time is said."""
	trace = stage.trace("--lease", "3")
	stage.call()
	stage.wait_shown(trace, "before")
	m = _victim(stage)
	m.kill_agent()
	kill(m.link)
	stage.wait_state(trace, m, "lost")
	stage.call([other for other in stage.machines if other is not m])
	m.start_agent() # without a link: it takes off what the killed one has left, and ends with the lease
	stage.expect("a machine is gone", trace, {m.host: "lost"})
	m.stop_agent()


def machine_and_worker_stopped(stage):
	"""Nothing comes for long: it is stale, then the watchdog ends the worker, and a new epoch goes on."""
	trace = stage.trace()
	stage.call()
	stage.wait_shown(trace, "before")
	m = _victim(stage)
	signal_all(m.workers(), signal.SIGSTOP)
	stage.wait_state(trace, m, "stale")
	wait_for(lambda: len(stage.tap.of(trace.query, m.host)) == 2, lambda: f"a second epoch: {m.logs()[-900:]}")
	stage.wait_probed([m])
	stage.call()
	stage.expect("a worker was stopped", trace, ended=False)


def coordinator_killed(stage):
	"""Another one goes on with the query, and has all."""
	first = stage.trace()
	stage.call()
	kill(first.process)
	stage.call()
	trace = stage.trace(attach=first.query)
	stage.call()
	stage.wait_shown(trace, "after the attach")
	stage.expect("a coordinator was killed", trace)


def coordinator_left(stage):
	"""Nobody goes on: all probes are off when the lease has ended. Last values wait for whoever attaches then."""
	first = stage.trace("--lease", "2")
	stage.call()
	kill(first.process)
	for m in stage.machines:
		wait_for(m.is_clean, lambda m=m: f"the lease of {m.host} ends: {m.logs()[-900:]}")
	trace = stage.trace(attach=first.query, reporting=0)
	for m in stage.machines:
		stage.wait_state(trace, m, "ended")
	stage.expect("a lease has ended", trace, ended=False)


def coordinator_stopped(stage):
	"""What was sent meanwhile waits, and is taken."""
	trace = stage.trace()
	stage.call()
	trace.process.send_signal(signal.SIGSTOP)
	for _ in range(3):
		stage.call()
		stage.wait_partials(trace.query, stage.machines[0], 8)
	trace.process.send_signal(signal.SIGCONT)
	stage.wait_shown(trace, "it goes on")
	stage.expect("a coordinator was stopped", trace)


def server_killed(stage):
	"""And started again, with nothing of what it knew."""
	trace = stage.trace()
	stage.call()
	stage.bus.stop(signal.SIGKILL)
	stage.call()
	stage.bus.start()
	for m in stage.machines:
		stage.wait_partials(trace.query, m, 2)
	stage.call()
	stage.wait_shown(trace, "it is back")
	stage.expect("the server was killed", trace)


def server_gone(stage):
	"""For good: all go to the next one in the list."""
	bus = stage.bus
	stage.begin(prepare=lambda m: setattr(m, "urls", [bus.url, stage.spare]))
	trace = stage.trace(url=f"{bus.url},{stage.spare}")
	stage.call()
	stage.wait_shown(trace, "before")
	bus.stop(signal.SIGKILL)
	stage.call()
	bus.start("spare.conf")
	try:
		for m in stage.machines:
			stage.wait_partials(trace.query, m, 2)
		stage.call()
		stage.wait_shown(trace, "at the next server")
		stage.expect("a server is gone", trace)
	finally:
		bus.stop()
		bus.start()


def policy_changed(stage):
	"""What isn't allowed any more ends, with the reason."""
	trace = stage.trace()
	stage.call()
	m = _victim(stage)
	m.configure(stage.key, sites="libc.so.6!*")
	m.agent.send_signal(signal.SIGHUP)
	stage.wait_state(trace, m, "ended")
	said = next(o for o in reversed(trace.of("machine")) if o["machine"] == m.host)
	check("the reason is said", "the policy has changed" in said.get("reason", ""), said)
	wait_for(m.is_clean, "no probe is left there")
	stage.call([other for other in stage.machines if other is not m])
	stage.wait_shown(trace, "the others go on")
	stage.expect("a policy has changed", trace, ended=False)
