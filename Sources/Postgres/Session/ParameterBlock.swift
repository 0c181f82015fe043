/// The parameters of a call in the form that libpq requires: pointers, lengths and formats. All values are in one block
/// of memory.
struct ParameterBlock {
    /// The limit of the protocol, which sends the number of parameters in 16 bits.
    static let maximumCount = 65_535
    /// The limit of PostgreSQL for a single value, and for a message.
    static let maximumBytes = 1_073_741_823

    /// The first byte is unused. With it, the block is never empty, so an empty value has an address too. libpq reads
    /// nil as NULL.
    private var storage: [UInt8] = [0]
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []

    /// Throws if a value cannot be sent.
    init(_ parameters: [Parameter]) throws(DatabaseError) {
        guard parameters.count <= Self.maximumCount else {
            throw DatabaseError(
                .encoding(parameter: nil, reason: "more than \(Self.maximumCount) parameters"))
        }
        var total = 0
        for (index, parameter) in parameters.enumerated() {
            switch parameter.payload {
            case .bytes(let bytes): total += bytes.count
            case .null: break
            case .invalid(let reason): throw DatabaseError(.encoding(parameter: index + 1, reason: reason))
            }
            guard total <= Self.maximumBytes else {
                throw DatabaseError(
                    .encoding(
                        parameter: index + 1,
                        reason: "the values have more than \(Self.maximumBytes) bytes in total"))
            }
        }
        storage.reserveCapacity(total + 1)
        for parameter in parameters { append(parameter) }
    }

    private mutating func append(_ parameter: Parameter) {
        guard case .bytes(let bytes) = parameter.payload else {
            offsets.append(nil)
            lengths.append(0)
            return
        }
        offsets.append(storage.count)
        lengths.append(Int32(clamping: bytes.count))
        storage.append(contentsOf: bytes)
    }

    /// Calls `body` with the count, values, lengths and formats (all binary). The pointers are valid only during the
    /// call.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let formats = [Int32](repeating: 1, count: offsets.count)
        return unsafe storage.withUnsafeBytes { block in
            let base = unsafe block.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = unsafe offsets.map { offset in
                unsafe offset.flatMap { unsafe base?.advanced(by: $0) }
            }
            return unsafe body(Int32(values.count), values, lengths, formats)
        }
    }
}
