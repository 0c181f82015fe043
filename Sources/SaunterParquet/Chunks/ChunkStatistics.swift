/// What the values of a column in one row group lie between, by which readers pass over row groups.
struct ChunkStatistics {
    /// Texts longer than this bound nothing: a footer is no place for an essay.
    private static let longestText = 128

    private(set) var nulls: Int64 = 0
    private var integers: ClosedRange<Int64>?
    /// NaN lies between nothing and is passed over, as the format asks.
    private var doubles: ClosedRange<Double>?
    private var texts: (least: [UInt8], greatest: [UInt8])?

    mutating func takeNull() { nulls += 1 }

    mutating func take(_ value: Int64) {
        guard let known = integers else { return integers = value...value }
        if value < known.lowerBound {
            integers = value...known.upperBound
        } else if value > known.upperBound {
            integers = known.lowerBound...value
        }
    }

    mutating func take(_ value: Double) {
        guard !value.isNaN else { return }
        guard let known = doubles else { return doubles = value...value }
        if value < known.lowerBound {
            doubles = value...known.upperBound
        } else if value > known.upperBound {
            doubles = known.lowerBound...value
        }
    }

    /// Texts are in the order of their bytes.
    mutating func take(_ value: UnsafeRawBufferPointer) {
        guard let known = texts else {
            texts = (Array(value), Array(value))
            return
        }
        if value.lexicographicallyPrecedes(known.least) {
            texts?.least = Array(value)
        } else if known.greatest.lexicographicallyPrecedes(value) {
            texts?.greatest = Array(value)
        }
    }

    /// Both bounds in the PLAIN encoding without lengths, or nil where there are none to be told.
    func bounds(of type: PhysicalType) -> (least: [UInt8], greatest: [UInt8])? {
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
            // A zero may have been of either sign: the bounds hold for both.
            doubles.map {
                (
                    Self.bytes(($0.lowerBound == 0 ? -0.0 : $0.lowerBound).bitPattern),
                    Self.bytes(($0.upperBound == 0 ? 0.0 : $0.upperBound).bitPattern)
                )
            }
        case .byteArray:
            texts.flatMap { max($0.least.count, $0.greatest.count) <= Self.longestText ? $0 : nil }
        }
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(value)
        return bytes
    }
}
