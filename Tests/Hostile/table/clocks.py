"""Clocks that are set while somebody waits."""
import functools, hashlib, hmac, mmap, pathlib, shutil, struct, subprocess, tempfile, time

from trial import EDITOR, CannotTry, attack, holds, request

DAY = 86_400
SECRET = "a secret of the hook"

# In place of the C library's: the wall clock is off by what stands in a file, all others are as they are. (libfaketime has timers
# on other clocks go wrong, too.)
SHIM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile int64_t *offset;
__attribute__((constructor)) static void start(void) {
  int file = open(getenv("CLOCK_OFFSET"), O_RDONLY | O_CLOEXEC);
  offset = mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
  close(file);
}
int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && offset) { now->tv_sec += *offset; }
  return result;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now) { *now = precise.tv_sec; }
  return precise.tv_sec;
}
"""


class Clock:
    """A service whose wall clock is set by `jump`, in seconds from the true time; its monotonic one goes on."""

    def __init__(self, trial):
        compiler = next(filter(shutil.which, ["clang", "cc", "gcc"]), None)
        if not compiler:
            raise CannotTry("there is no C compiler")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tablecast-clock-"))
        (self.folder / "shim.c").write_text(SHIM)
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.folder / "shim.so", self.folder / "shim.c"], check=True)
        (self.folder / "offset").write_bytes(bytes(8))
        with open(self.folder / "offset", "r+b") as file:
            self.offset = mmap.mmap(file.fileno(), 8)
        source = {"url": f"http://127.0.0.1:{trial.upstream.port}/list", "every": "1s", "webhook": {"secret": SECRET}}
        self.service = trial.start(
            {"sources": trial.configuration()["sources"] | {"list": source}, "store": {"path": "data/tablecast.sqlite"}},
            environment={"LD_PRELOAD": str(self.folder / "shim.so"), "CLOCK_OFFSET": str(self.folder / "offset")})
        holds(self.service.port, "did not start", self.service.log()[-500:])

    def jump(self, seconds):
        self.offset[:] = struct.pack("=q", seconds)

    def date(self):
        return self.service.ask("GET", "/healthz").field("date")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def with_clock(body):
    @functools.wraps(body)
    def run(trial):
        clock = Clock(trial)
        try:
            body(clock, clock.service, trial)
            holds(clock.service.lives, "the service ended")
        finally:
            trial.close()
            clock.close()
    return run


@attack("the wall clock set by 400 days, ten minutes and a second, forward and back, while 50 polls wait for three seconds", "all end on time with an answer; nothing spins, streams go on",
        alone=True, quick=False)
@with_clock
def clocks_that_jump_under_polls(clock, service, trial):
    before = clock.date()
    for step in (400 * DAY, -400 * DAY, 600, -1):
        polls = [service.poll(3) for _ in range(50)]
        stream = service.wire(30)
        stream.send(request("GET", "/v1/tables/todo/stream"))
        began, spent = time.monotonic(), service.processor()
        time.sleep(0.5)
        clock.jump(step)
        for poll in polls:
            answer = poll.answer()
            took = time.monotonic() - began
            holds(answer and answer.status == 200, step, "a poll was answered", answer and answer.status)
            holds(2 < took < 6, step, f"a poll has waited for {took:.1f} s")
            poll.close()
        holds(clock.date() != before, "the clock was not set")
        holds(service.processor() - spent < 2, step, "it has worked for", service.processor() - spent, "s")
        service.ask("POST", "/v1/tables/todo/items", [EDITOR], {"title": f"after {step}"})
        text = stream.quiet(1)
        holds(f"after {step}".encode() in text, step, "the stream stands still")
        stream.close()


@attack("a repeat of an idempotent edit, with the clock set by 23 hours, 25 hours and back by ten days", "one edit within 24 hours, another one after them; none is lost", alone=True, quick=False)
@with_clock
def clocks_and_idempotency_keys(clock, service, trial):
    def edit(key):
        return service.ask("POST", "/v1/tables/todo/items", [EDITOR, f"Idempotency-Key: {key}"], {"title": key})
    first = edit("a").json()["id"]
    for hours, isSame in [(0, True), (23, True), (25, False)]:
        clock.jump(hours * 3600)
        holds((edit("a").json()["id"] == first) == isSame, hours, "hours later:", "another edit" if isSame else "the first answer")
    late = edit("b").json()["id"]
    clock.jump(-10 * DAY)
    holds(edit("b").json()["id"] == late, "with the clock set back the answer is forgotten")
    holds(edit("c").status == 201, "edits")
    titles = [row["payload"]["title"] for row in service.rows()]
    holds([titles.count(key) for key in "abc"] == [2, 1, 1], "edits were lost or doubled:", titles)


@attack("a signed webhook, now, six minutes late, and from the future, with the clock set in between", "refused after five minutes by the clock that there is; at once again when it is set right", alone=True, quick=False)
@with_clock
def clocks_and_webhooks(clock, service, trial):
    body = b'{"event":"x"}'

    def hook(stamp):
        code = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
        return service.ask("POST", "/v1/hooks/list", [f"Stripe-Signature: t={stamp},v1={code}"], body).status
    now = int(time.time())
    statuses = [hook(now), hook(now - 360), hook(now + 3600)]
    clock.jump(3600)
    statuses += [hook(now), hook(now + 3600)]
    clock.jump(0)
    statuses += [hook(now)]
    good = statuses[0]
    holds(good in (200, 202, 204), "a webhook that is signed right was answered", good)
    holds([status == good for status in statuses] == [True, False, False, False, True, True], "webhooks were answered", statuses)


@attack("a webhook that was signed with its time, an hour ago, sent again as the body of one without a time", "401 or 403: what is signed with a time is refused after five minutes, in whatever form", alone=True)
@with_clock
def stamped_webhooks_as_plain_ones(clock, service, trial):
    old = int(time.time()) - 3600
    for signed, field in [(b"%d.{}" % old, "X-Signature"), (b"%d.{}" % old, "X-Hub-Signature-256"), (b"v0:%d:{}" % old, "X-Signature")]:
        code = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
        status = service.ask("POST", "/v1/hooks/list", [f"{field}: sha256={code}"], signed).status
        holds(status in (401, 403), signed, "was answered", status)
    plain = hmac.new(SECRET.encode(), b'{"a":1}', hashlib.sha256).hexdigest()
    holds(service.ask("POST", "/v1/hooks/list", [f"X-Hub-Signature-256: sha256={plain}"], b'{"a":1}').status < 300, "a plain one is refused")
