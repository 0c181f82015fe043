/// The distinct values of a column in one row group, in the order in which they came, in the PLAIN encoding
/// of their page. Texts have their length before them, numbers do not.
struct ValueDictionary {
    private(set) var plain: [UInt8] = []
    private(set) var count = 0
    /// Where each value begins, and the end of the last.
    private var bounds: [Int] = [0]
    /// Places by hash, plus one; 0 is free. The hash is seeded for each process, so that nobody can choose
    /// values that all meet in one slot; it decides nothing of what is written.
    private var slots: [UInt32]
    private var newest: UInt32 = 0
    private let prefix: Int
    private let limit: Int

    /// - Parameters:
    ///   - hasLengths: values differ in length.
    ///   - limit: of bytes in `plain`.
    init(hasLengths: Bool, limit: Int) {
        prefix = hasLengths ? 4 : 0
        self.limit = limit
        slots = [UInt32](repeating: 0, count: 1 << 10)
    }

    /// The place of a value, which is new only where the dictionary has grown by it; nil where it is new and
    /// there is no room for it.
    mutating func place(of value: UnsafeRawBufferPointer) -> UInt32? {
        // Rows are sorted, so that the value before is the likeliest.
        if count > 0, holds(value, at: newest) { return newest }
        var slot = first(value)
        while slots[slot] != 0 {
            if holds(value, at: slots[slot] - 1) {
                newest = slots[slot] - 1
                return newest
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard plain.count + prefix + value.count <= limit else { return nil }
        if prefix > 0 { plain.appendLittleEndian(UInt32(value.count)) }
        plain.append(contentsOf: value)
        newest = UInt32(count)
        count += 1
        bounds.append(plain.count)
        slots[slot] = newest + 1
        if count * 2 > slots.count { grow() }
        return newest
    }

    /// The PLAIN encoding of the value at a place.
    func encoded(_ place: UInt32) -> ArraySlice<UInt8> {
        plain[bounds[Int(place)]..<bounds[Int(place) + 1]]
    }

    private func holds(_ value: UnsafeRawBufferPointer, at place: UInt32) -> Bool {
        let start = bounds[Int(place)] + prefix
        let length = bounds[Int(place) + 1] - start
        guard length == value.count else { return false }
        return plain.withUnsafeBytes { bytes in
            let known = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
            // Eight at a time, from the end, where ids differ.
            var rest = length
            while rest >= 8 {
                rest -= 8
                if known.loadUnaligned(fromByteOffset: rest, as: UInt64.self)
                    != value.loadUnaligned(fromByteOffset: rest, as: UInt64.self)
                {
                    return false
                }
            }
            while rest > 0 {
                rest -= 1
                if known[rest] != value[rest] { return false }
            }
            return true
        }
    }

    private func first(_ value: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: value)
        return hasher.finalize() & (slots.count - 1)
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for place in 0..<count {
            let start = bounds[place] + prefix
            let end = bounds[place + 1]
            var slot = plain.withUnsafeBytes { first(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(place) + 1
        }
    }
}
