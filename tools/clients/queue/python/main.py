"""Drives the queue service as its Python SDK does.

    /usr/bin/python3 main.py HOST PORT QUEUE_PORT

HOST and PORT are for a beanstalk client on the same tubes."""

import sys
import threading
import time

import websocket

from checks import Checks
from sdk import Client, Refused
from worker import Worker

HOST, PORT, QUEUE_PORT = sys.argv[1:]
WORKERS, QUEUES = (HOST, int(PORT)), (HOST, int(QUEUE_PORT))


def attributes(c, name):
    q = Client(c, QUEUES, name)
    got = q.attributes()
    c.that("all are texts", all(isinstance(v, str) for v in got.values()), got)
    want = {"meta.name": name, "meta.state": "OK", "meta.maxPayloadBytes": "65536", "stream.length": "0", "consumers.stats.total": "0"}
    for key in want:
        c.equal(key, got[key], want[key])
    c.that("no last entry", "stream.lastEntry" not in got, got)
    q.headers["Authorization"] = "wrong"
    for method, parameters in ("GET", {"_attrs_": "true"}), ("POST", {}), ("PUT", {"_indexes_": 1}), ("DELETE", {"_indexes_": 1}):
        refused(c, q, 401, method, parameters)
    try:
        q.watch()
        c.that("a watch with a wrong token", False, "a connection")
    except websocket.WebSocketBadStatusException as error:
        c.equal("a watch with a wrong token", error.status_code, 401)


def refused(c, q, status, method, parameters, body=None):
    try:
        got = q.ask(method, parameters, body)[0].status
    except Refused as error:
        got = error.status
        c.that("a text", error.text != "", error)
    c.equal("%s %s" % (method, parameters), got, status)


def puts(c, name):
    q = Client(c, QUEUES, name)
    every = bytes(range(256))
    index, request = q.put(every, **{"kind": "bytes", "ä b": "c&d"})
    item = q.get(index, timeout="0s")[0]
    c.equal("item", (item.index, item.data), (index, every))
    c.equal("tags", sorted(item.tags.items()), sorted({"kind": "bytes", "ä b": "c&d", "requestId": request}.items()))
    q.put("mine", requestId="mine")
    c.equal("by request id", q.get(requestId="mine")[0].data, b"mine")
    index, request = q.put(b"json", k="v")
    c.equal("as JSON", q.get_json(requestId=request), [(index, b"json", {"k": "v", "requestId": request})])
    c.equal("none as JSON", q.get_json(requestId=request), [])
    refused(c, q, 413, "POST", {}, b"x" * 65537)
    refused(c, q, 400, "POST", {"k": b"\xff"}, b"")
    refused(c, q, 400, "GET", {"_index_": "x"})
    q.fill(3, k="v", _priority_=1)
    q.fill(2, k="w")
    for tags, want in ({}, 5), ({"k": "v"}, 3), ({"_priority_": 1}, 3), ({"k": "w", "_priority_": 1}, 0):
        c.equal("count", int(q.ask("GET", {"_count_": "true", **tags})[1]), want)
    q.clear()


def gets(c, name):
    q = Client(c, QUEUES, name)
    at = q.fill(5)
    bodies = lambda **how: b"".join(i.data for i in q.get(timeout="0", **how))
    c.equal("from an index", bodies(index=at[2], length=2, auto_delete=False), b"23")
    c.equal("newest", bodies(index=-1, auto_delete=False), b"4")
    c.equal("all", bodies(length=99, auto_delete=False), b"01234")
    c.equal("taken", bodies(length=2), b"01")
    q.delete(at[4], at[0])
    c.equal("left", bodies(length=9), b"23")
    for timeout, low in ("1s", 0.8), ("1", 0.8), ("0s", 0):
        start = time.monotonic()
        c.equal("none", len(q.get(timeout=timeout)), 0)
        c.took("timeout " + timeout, start, low, low + 0.7)
    found = []
    waiting = threading.Thread(target=lambda: found.extend(q.get(timeout="8s", requestId="r1")))
    waiting.start()
    q.put("other", requestId="r2")
    q.put("this", requestId="r1")
    waiting.join()
    c.equal("a get that waited", [i.data for i in found], [b"this"])
    q.clear()


def watches(c, name):
    q = Client(c, QUEUES, name)
    normal = q.fill(6, k="v")
    high = q.fill(2, _priority_=1)
    w = q.watch(window=5)
    item = w.wants("order", *high, *normal[:3])
    c.equal("item", (item.data, item.tags["k"], len(item.tags["requestId"])), (b"2", "v", 36))
    w.quiet("a full window")
    line = q.consumer()
    for key, want in {"Index": normal[2], "Pending": 5, "Status": "Running", "Window": 5, "Slots": 0, "AutoCommit": "false"}.items():
        c.equal(key, line[key], want)
    q.commit(*high, 0, 123456789)
    w.wants("slots", *normal[3:5])
    q.commit(*normal[:5])
    w.wants("slots", normal[5])
    q.truncate(normal[5] + 1)
    c.equal("length", q.length(), 0)
    c.equal("pending", q.consumer()["Pending"], 0)
    w.cut()
    c.until("status", "Complete", lambda: q.consumer()["Status"])
    at = q.fill(20)
    w = q.watch(window=1, auto_commit=True, index_only=True)
    c.equal("index only", w.wants("automatic", *at).data, b"")
    c.until("length", 0, q.length)
    w.cut()
    c.until("status", "Complete", lambda: q.consumer()["Status"])
    q.put("old")
    w = q.watch(index=-1, window=3)
    w.quiet("old items")
    w.wants("new ones", q.put("new")[0])
    w.cut()
    q.clear()


def takeover(c, name):
    q = Client(c, QUEUES, name)
    at = q.fill(4)
    w = q.watch(window=3)
    w.wants("first", *at[:3])
    w.cut()
    again = q.watch(window=3)
    again.wants("pending again", *at[:3])
    q.commit(at[1])
    again.wants("a slot", at[3])
    third = q.watch(window=3)
    again.ends("another connection takes over")
    third.wants("pending again", at[0], at[2], at[3])
    q.commit(*at)
    c.equal("length", q.length(), 0)
    id = q.put("left")[0]
    third.wants("one more", id)
    third.cut()
    y = q.another("u2")
    other = y.watch()
    other.wants("what has been left", id)
    y.commit(id)
    other.cut()


def negatives_twice(c, name):
    q = Client(c, QUEUES, name.replace("_", "-"))
    w = q.watch(window=2)
    id = q.put("poison", k="v")[0]
    w.wants("first", id)
    y = q.another("u2")
    other = y.watch()
    q.negative("Busy", "no room & no time", id)
    other.wants("refused by another", id)
    found = y.search(id)
    want = {"ConsumerId": "eas.u2", "IsPending": True, "WaitCount": 0, "Deliveries": 2, "Code": "Busy", "Reason": "no room & no time"}
    c.equal("search", found, want)
    y.negative("Shutdown", "", id)
    rear = q.rear()
    c.equal("lengths", (q.length(), rear.length()), ("0", "1"))
    rw = rear.watch()
    c.equal("in the rear queue", rw.wants("in the rear queue", id).tags["k"], "v")
    rear.commit(id)
    q.negative("Shutdown", "going away")
    late = q.put("late")[0]
    for one in w, other:
        one.quiet("after the farewell")
        one.cut()
    again = q.watch()
    again.wants("after a new watch", late)
    refused(c, q, 404, "GET", {"_search_": "true", "_index_": id})
    again.cut()
    q.clear()


def full_limited(c, name):
    q = Client(c, QUEUES, name.replace("_", "-"))
    rear = q.rear()
    q.fill(3)
    id = rear.put("in the rear")[0]
    for one in q, rear:
        for _ in range(6):  # as the SDK does at once
            refused(c, one, 429, "POST", {}, b"one too many")
    c.equal("lengths", (q.length(), rear.length()), ("3", "1"))
    c.equal("from the rear", rear.get(id)[0].data, b"in the rear")
    q.put("fits")
    q.clear()


def groups(c, name):
    q = Client(c, QUEUES, name)
    early = q.put("early")[0]
    first = q.watch(window=5)
    first.wants("the first group", early)
    y = q.another(group="second")
    second = y.watch(window=5)
    second.wants("the second group", early)
    at = q.fill(3)
    for w in first, second:
        w.wants("in parallel", *at)
    q.commit(early, *at)
    c.equal("length", q.length(), 4)
    second.cut()
    second = y.watch(window=5)
    second.wants("pending again", early, *at)
    y.commit(early, *at)
    c.equal("length", q.length(), 0)
    c.equal("group", y.listed("groups", "second")["Delivered"], "4")
    y.done("remove a group", "DELETE", {"_group_": "second"})
    second.ends("its group is removed")
    first.cut()


def both(c, name):
    """A job goes to a worker or to a consumer."""
    q, producer, worker = Client(c, QUEUES, name), Worker(WORKERS, name), Worker(WORKERS, name)
    w = q.watch(window=3)
    many, seen, lock = 200, {}, threading.Lock()

    def take(index, who):
        with lock:
            c.that("taken once", index not in seen, index)
            seen[index] = who

    def consume():
        while (item := w.next()).data != b"last":
            take(item.index, "consumer")
            q.ask("PUT", {"_indexes_": item.index})
        q.commit(item.index)

    def work():
        while len(seen) < many:
            index, _ = worker.reserve(1)
            if index:
                take(index, "worker")
                worker.say("delete %d" % index)

    threads = [threading.Thread(target=f) for f in (consume, work)]
    for t in threads:
        t.start()
    for i in range(many // 2):
        producer.put("b%d" % i)
        q.put("h%d" % i)
    threads[1].join()
    q.put("last")
    threads[0].join()
    for who in "worker", "consumer":
        c.that("some for the " + who, who in seen.values(), seen)
    c.equal("length", q.length(), 0)
    w.cut()
    worker.close()
    producer.close()


Checks("python3-websocket " + websocket.__version__).play(
    [attributes, puts, gets, watches, takeover, negatives_twice, full_limited, groups, both])
