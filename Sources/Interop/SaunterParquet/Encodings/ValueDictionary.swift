/// The distinct values of a column in one row group, in the order of their first occurrence, in the PLAIN encoding of
/// the dictionary page. Texts are preceded by their length, numbers are not.
struct ValueDictionary {
    private(set) var plain: [UInt8] = []
    private(set) var count = 0
    /// The offset of each value, and the end of the last one.
    private var bounds: [Int] = [0]
    /// Indices by hash, plus one; 0 is a free slot. The hash is seeded per process, so that an attacker cannot choose
    /// values that collide. It has no influence on the file.
    private var slots: [UInt32]
    /// The result of the previous call of `index`.
    private var previousIndex: UInt32 = 0
    /// The number of bytes of the length before each value.
    private let lengthBytes: Int
    private let limit: Int

    /// - Parameters:
    ///   - hasLengths: whether values have different lengths.
    ///   - limit: the maximum size of `plain` in bytes.
    init(hasLengths: Bool, limit: Int) {
        lengthBytes = hasLengths ? 4 : 0
        self.limit = limit
        slots = [UInt32](repeating: 0, count: 1 << 10)
    }

    /// Returns the index of a value, and adds the value if it is new. Nil if the value is new and the dictionary is
    /// full.
    mutating func index(of value: UnsafeRawBufferPointer) -> UInt32? {
        // Rows are sorted, so the previous value is the most likely one.
        if count > 0, contains(value, at: previousIndex) { return previousIndex }
        var slot = firstSlot(value)
        while slots[slot] != 0 {
            if contains(value, at: slots[slot] - 1) {
                previousIndex = slots[slot] - 1
                return previousIndex
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard plain.count + lengthBytes + value.count <= limit else { return nil }
        if lengthBytes > 0 { plain.appendLittleEndian(UInt32(value.count)) }
        plain.append(contentsOf: value)
        previousIndex = UInt32(count)
        count += 1
        bounds.append(plain.count)
        slots[slot] = previousIndex + 1
        if count * 2 > slots.count { grow() }
        return previousIndex
    }

    /// The PLAIN encoding of the value with this index.
    func encoded(_ index: UInt32) -> ArraySlice<UInt8> {
        plain[bounds[Int(index)]..<bounds[Int(index) + 1]]
    }

    private func contains(_ value: UnsafeRawBufferPointer, at index: UInt32) -> Bool {
        let start = bounds[Int(index)] + lengthBytes
        let length = bounds[Int(index) + 1] - start
        guard length == value.count else { return false }
        return plain.withUnsafeBytes { bytes in
            let known = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
            // Compares eight bytes at a time from the end, where ids differ.
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

    private func firstSlot(_ value: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: value)
        return hasher.finalize() & (slots.count - 1)
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for index in 0..<count {
            let start = bounds[index] + lengthBytes
            let end = bounds[index + 1]
            var slot = plain.withUnsafeBytes { firstSlot(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(index) + 1
        }
    }
}
