/// Decodes the stored answers of one sheet. The memory is reused for the next sheet.
struct StoredAnswerFields {
    /// The value of a slot that is null or does not exist. It is neither a reason nor a value.
    static let nothing = Int.min

    private(set) var slots: [Int] = []
    /// Numbers as text; nil is null.
    private(set) var numbers: BinaryRows.Fields = []

    /// - Parameter text: an array of integers as text, for example `{0,-996}`.
    mutating func readSlots(_ text: UnsafeRawBufferPointer) throws(DatasetFault) {
        slots.removeAll(keepingCapacity: true)
        guard text.count >= 2, text[0] == UInt8(ascii: "{"), text[text.count - 1] == UInt8(ascii: "}") else {
            throw BinaryReader.fault
        }
        guard text.count > 2 else { return }
        var value = 0
        var isNegative = false
        for byte in text[1...] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard value <= Int(Int32.max) else { throw BinaryReader.fault }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: ","), UInt8(ascii: "}"):
                slots.append(isNegative ? -value : value)
                value = 0
                isNegative = false
            default: throw BinaryReader.fault
            }
        }
    }

    /// - Parameter field: an array of texts in binary format; nil if the version has no numbers.
    mutating func readNumbers(_ field: UnsafeRawBufferPointer?) throws(DatasetFault) {
        numbers.removeAll(keepingCapacity: true)
        guard let field else { return }
        var reader = BinaryReader(field)
        let dimensions = try reader.integer(as: Int32.self)
        guard dimensions == 1 else { throw BinaryReader.fault }
        reader.skip(8)
        let count = try reader.integer(as: Int32.self)
        reader.skip(4)
        for _ in 0..<max(0, count) { numbers.append(try reader.field()) }
    }

    func slot(_ index: Int) -> Int { slots.indices.contains(index) ? slots[index] : Self.nothing }

    func number(_ index: Int) -> UnsafeRawBufferPointer? {
        numbers.indices.contains(index) ? numbers[index] : nil
    }
}
