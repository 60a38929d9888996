"""Takes the steps of extensions/steps.json with greenstalk, or with the stand-in beside this file where there is none.

    STEPS=beanfield /usr/bin/python3 extensions.py HOST PORT"""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../extensions"), os.path.join(HERE, "../queue/python")]
sys.path.append(os.path.join(HERE, "stand_in"))

import beanfield
import greenstalk
from checks import Checks

PART, ADDRESS = os.environ["STEPS"], (sys.argv[1], int(sys.argv[2]))
TUBE = "ext-python"
WORDS = {error: word.decode() for word, error in beanfield.REFUSALS.items()}


def texts(value):
    """Bodies are bytes in greenstalk, and texts of such characters in the steps."""
    if isinstance(value, str) and value.startswith("$"):
        return TUBE if value == "$tube" else "x" * int(value[1:])
    if isinstance(value, dict):
        return {name: texts(v) for name, v in value.items()}
    return [texts(v) for v in value] if isinstance(value, list) else value


def connect():
    return beanfield.Client(ADDRESS, encoding=None, use=TUBE, watch=TUBE)


def call(client, step):
    verb = step["call"]
    if verb == "put_with":
        return [client.put_with(step["body"].encode("latin-1"), **step["options"])]
    if verb == "put_batch":
        jobs = [(body.encode("latin-1"), options) for body, options in step["jobs"]]
        return client.put_batch(jobs * step.get("times", 1), all=step.get("all", False))
    if verb == "reserve_batch":
        return client.reserve_batch(step["size"], step["timeout"])
    if verb == "reserve_with":
        return client.reserve_with(step.get("count", 1), step["timeout"], step.get("tags", {}))
    if verb == "list_jobs":
        return list(client.list_jobs(**step["options"]))
    return client.auth(step["token"]) or []


def word(error):
    if isinstance(error, ConnectionError):
        return "LOST"
    return WORDS.get(type(error)) or error.status.decode()


def plain(client, got):
    """An answer as it is in the steps. Jobs that were reserved are deleted by greenstalk's own command."""
    if isinstance(got, greenstalk.Job):
        client.delete(got)
        body = got.body.decode("latin-1")
        return body if not getattr(got, "tube", None) else {"body": body, "tube": got.tube, "reserves": got.reserves, "tags": got.tags}
    return "id" if isinstance(got, int) else word(got) if isinstance(got, Exception) else got


def like(got, want):
    """Of a listing, only the keys that are wanted are compared, and jobs come in any order."""
    if not want or not isinstance(want[0], dict) or "state" not in want[0]:
        return got
    got = sorted(got, key=lambda job: (job["state"], job["pri"]))
    return [{name: job.get(name) for name in wanted} for job, wanted in zip(got, want)] + got[len(want) :]


def steps(c, name):
    client = None
    for step in texts(json.load(open(os.path.join(HERE, "../extensions/steps.json")))[PART]):
        if client is None or PART == "stand-in" and not step.get("stay"):
            client = connect()
        got, refused, results, start = [], None, None, time.monotonic()
        try:
            try:
                answer = call(client, step)
            except ConnectionError:
                if not step.get("stay"):
                    raise
                client = connect()
                answer = call(client, step)
            got = [plain(client, job) for job in answer]
        except greenstalk.TimedOutError:
            pass
        except (greenstalk.Error, ConnectionError) as error:
            refused, results = word(error), [plain(client, result) for result in getattr(error, "results", [])]
        what = "%.120s" % json.dumps(step)
        c.equal(what + ", refused", refused, step.get("refused"))
        if "results" in step:
            c.equal(what + ", results", results, step["results"])
        if "want" in step:
            c.equal(what, like(got, step["want"]), step["want"])
        if "number" in step:
            c.equal(what + ", number", len(got), step["number"])
        if "took" in step:
            c.took(what + ", took", start, step["took"], step["took"] + 5)


library = "greenstalk " + getattr(greenstalk, "__version__", "(stand-in)")
Checks(library + " with extensions, " + PART).play([steps])
