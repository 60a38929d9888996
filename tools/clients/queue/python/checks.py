"""Counts what was compared. A wrong value is reported and the section goes on; an
unexpected error ends the section."""

import os
import sys
import threading
import time
import traceback

TIME_LIMIT = 60  # seconds, of the whole run
PATIENCE = 10  # seconds, for something that must come
CALM = 0.1  # seconds in which nothing must come


class Checks:
    def __init__(self, client):
        self.client, self.section, self.done, self.failed = client, "", 0, 0

    def that(self, what, ok, got):
        self.done += 1
        if not ok:
            self.failed += 1
            print("FAIL %s: %s: %s: got %.2000s" % (self.client, self.section, what, got), file=sys.stderr)

    def equal(self, what, got, want):
        """As text, because JSON has numbers and attributes have none."""
        self.that(what, str(got) == str(want), "%.200s, want %.200s" % (got, want))

    def until(self, what, want, ask):
        """Asks until something is as it should be, or patience has passed."""
        limit = time.monotonic() + PATIENCE
        while str(got := ask()) != str(want) and time.monotonic() < limit:
            time.sleep(0.01)
        self.equal(what, got, want)

    def took(self, what, start, low, high):
        passed = time.monotonic() - start
        self.that(what, low <= passed < high, "%.3f s" % passed)

    def hang(self):
        print("FAIL %s: %s: not done after %d s" % (self.client, self.section, TIME_LIMIT), file=sys.stderr)
        os._exit(1)

    def play(self, sections):
        """Plays functions, each with a name of its own for its queue."""
        timer = threading.Timer(TIME_LIMIT, self.hang)
        timer.daemon = True
        timer.start()
        for section in sections:
            self.section = section.__name__
            try:
                section(self, "python-" + section.__name__)
            except Exception:
                self.that("unexpected error", False, traceback.format_exc())
        if self.failed:
            print("FAIL %s: %d of %d checks failed" % (self.client, self.failed, self.done))
        else:
            print("ok   %s: %d checks" % (self.client, self.done))
        sys.stdout.flush()
        os._exit(1 if self.failed else 0)
