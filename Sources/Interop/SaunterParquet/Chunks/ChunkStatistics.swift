/// The smallest and the largest value of a column in one row group. Readers use them to skip row groups.
struct ChunkStatistics {
    /// If a bound is longer than this, the statistics have no bounds, so that the footer stays small.
    private static let maximumTextBytes = 128

    private(set) var nulls: Int64 = 0
    private var integers: ClosedRange<Int64>?
    /// NaN has no order and is ignored, as the format requires.
    private var doubles: ClosedRange<Double>?
    private var texts: (smallest: [UInt8], largest: [UInt8])?

    mutating func includeNull() { nulls += 1 }

    mutating func include(_ value: Int64) {
        guard let known = integers else { return integers = value...value }
        if value < known.lowerBound {
            integers = value...known.upperBound
        } else if value > known.upperBound {
            integers = known.lowerBound...value
        }
    }

    mutating func include(_ value: Double) {
        guard !value.isNaN else { return }
        guard let known = doubles else { return doubles = value...value }
        if value < known.lowerBound {
            doubles = value...known.upperBound
        } else if value > known.upperBound {
            doubles = known.lowerBound...value
        }
    }

    /// Texts are ordered by their bytes.
    mutating func include(_ value: UnsafeRawBufferPointer) {
        guard let known = texts else {
            texts = (Array(value), Array(value))
            return
        }
        if value.lexicographicallyPrecedes(known.smallest) {
            texts?.smallest = Array(value)
        } else if known.largest.lexicographicallyPrecedes(value) {
            texts?.largest = Array(value)
        }
    }

    /// Both bounds in the PLAIN encoding without lengths; nil if there are none.
    func bounds(of type: PhysicalType) -> (smallest: [UInt8], largest: [UInt8])? {
        switch type {
        case .boolean: integers.map { ([UInt8($0.lowerBound)], [UInt8($0.upperBound)]) }
        case .int32:
            integers.map {
                (
                    Self.bytes(Int32(truncatingIfNeeded: $0.lowerBound)),
                    Self.bytes(Int32(truncatingIfNeeded: $0.upperBound))
                )
            }
        case .int64: integers.map { (Self.bytes($0.lowerBound), Self.bytes($0.upperBound)) }
        case .double:
            // The sign of a zero is not recorded, so the bounds include both zeros.
            doubles.map {
                (
                    Self.bytes(($0.lowerBound == 0 ? -0.0 : $0.lowerBound).bitPattern),
                    Self.bytes(($0.upperBound == 0 ? 0.0 : $0.upperBound).bitPattern)
                )
            }
        case .byteArray:
            texts.flatMap { max($0.smallest.count, $0.largest.count) <= Self.maximumTextBytes ? $0 : nil }
        }
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(value)
        return bytes
    }
}
