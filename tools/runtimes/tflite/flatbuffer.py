"""Writes FlatBuffers: binary trees of tables, vectors and strings.

    write(Table({0: ("I", 3), 1: "text", 3: [Table({})]}), "TFL3", file)

The keys of a table are the numbers of its fields in the schema. A field is a scalar (a struct
format and a value), a string, bytes, a Table, a list of Tables, or a Vector of scalars. Format:
https://flatbuffers.dev/internals/. Children follow their parents.
"""
import struct

DATA_ALIGNMENT = 16  # of bytes, so that programs can use them as numbers


class Table:
    def __init__(self, fields):
        self.fields = {number: value for number, value in fields.items() if value is not None}


class Vector:
    def __init__(self, code, values):
        self.code, self.values = code, list(values)


class Output:
    def __init__(self, file, identifier):
        self.file, self.position, self.patches = file, 0, []
        self.append(struct.pack("<I", 0) + identifier.encode())

    def append(self, data):
        self.file.write(data)
        self.position += len(data)

    def align(self, size, ahead=0):
        self.append(bytes(-(self.position + ahead) % size))

    def refer(self, place, child):
        """Writes a child, and later its offset from `place`."""
        self.patches.append((place, self.put(child) - place))

    def put(self, value):
        if isinstance(value, Table):
            return self.put_table(value)
        if isinstance(value, str):
            return self.put_data(value.encode(), 4, b"\0")
        if isinstance(value, bytes):
            return self.put_data(value, DATA_ALIGNMENT, b"")
        if isinstance(value, Vector):
            size = struct.calcsize("<" + value.code)
            self.align(max(4, size), 4)
            start = self.position
            self.append(struct.pack(f"<I{len(value.values)}{value.code}", len(value.values), *value.values))
            return start
        self.align(4)
        start = self.position
        self.append(struct.pack("<I", len(value)) + bytes(4 * len(value)))
        for i, child in enumerate(value):
            self.refer(start + 4 + 4 * i, child)
        return start

    def put_data(self, data, alignment, end):
        self.align(alignment, 4)
        start = self.position
        self.append(struct.pack("<I", len(data)))
        self.append(data)
        self.append(end)
        return start

    def put_table(self, table):
        size, offsets, scalars, children = 4, {}, [], []
        codes = {number: value[0] if isinstance(value, tuple) else "I" for number, value in table.fields.items()}
        for number in sorted(codes, key=lambda one: -struct.calcsize(codes[one])):
            value = table.fields[number]
            offsets[number] = size
            if isinstance(value, tuple):
                scalars.append((size, codes[number], value[1]))
            else:
                children.append((size, value))
            size += struct.calcsize(codes[number])
        slots = [offsets.get(number, 0) for number in range(max(offsets, default=-1) + 1)]
        self.align(2)
        fields_at = self.position
        self.append(struct.pack(f"<{2 + len(slots)}H", 4 + 2 * len(slots), size, *slots))
        self.align(4)
        start = self.position
        body = bytearray(size)
        struct.pack_into("<i", body, 0, start - fields_at)
        for place, code, value in scalars:
            struct.pack_into("<" + code, body, place, value)
        self.append(body)
        for place, child in children:
            self.refer(start + place, child)
        return start


def write(root, identifier, file):
    """Writes to a binary file that supports seek()."""
    output = Output(file, identifier)
    output.refer(0, root)
    for place, offset in output.patches:
        file.seek(place)
        file.write(struct.pack("<I", offset))
