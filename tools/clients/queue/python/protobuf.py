"""A reader of the three messages of the queue service."""


def fields(b):
    """The pairs (number, value) of a message; values are int or bytes."""
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = b[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while at < len(b):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        if key & 7 != 2:
            raise ValueError("a field of the unexpected kind %d" % (key & 7))
        size = varint()
        if at + size > len(b):
            raise ValueError("no whole protobuf message")
        at += size
        yield key >> 3, b[at - size : at]


def decode_item(b):
    """DataFrameProto: 1 index, 2 tags, 3 data, 4 message."""
    item = Item()
    for number, value in fields(b):
        if number == 1:
            item.index = value
        elif number == 2:
            pair = dict(fields(value))
            item.tags[pair.get(1, b"").decode()] = pair.get(2, b"").decode()
        elif number == 3:
            item.data = value
        elif number != 4:
            raise ValueError("an unknown field %d" % number)
    return item


def decode_list(b):
    return [decode_item(value) for _, value in fields(b)]


class Item:
    def __init__(self):
        self.index, self.tags, self.data = 0, {}, b""
