/// The parameters of a call as libpq wants them: pointers, lengths and formats, all values in one block of
/// memory.
struct ParameterBlock {
    /// The protocol's limit: their number travels in 16 bits.
    static let maximumCount = 65_535
    /// PostgreSQL's limit for a single value, and for a message.
    static let maximumBytes = 1_073_741_823

    private var storage: [UInt8] = [0]
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []

    /// Refuses values that cannot be sent.
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
            case .refused(let reason): throw DatabaseError(.encoding(parameter: index + 1, reason: reason))
            }
            guard total <= Self.maximumBytes else {
                throw DatabaseError(
                    .encoding(parameter: index + 1, reason: "values too long to send together"))
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

    /// Calls with count, values, lengths and formats (all binary). The pointers are valid during the call.
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
