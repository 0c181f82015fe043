import SaunterCore

/// A message of a FIT file: what it is about, and its fields by their numbers.
struct FITMessage {
    /// The messages that are read.
    enum Kind: UInt16 {
        case fileID = 0
        case session = 18
        case lap = 19
        case record = 20
        case event = 21
        case deviceInfo = 23
        case fieldDescription = 206
    }

    let kind: Kind
    /// Of the field 253, or of the message's own header; in the file's seconds.
    let timestamp: UInt32?
    private let fields: [UInt8: FITField]
    /// What third parties' fields say in place of the profile's: by the number of the field that they stand for.
    private let developed: [UInt8: Double]

    init(kind: Kind, timestamp: UInt32?, fields: [UInt8: FITField], developed: [UInt8: Double]) {
        self.kind = kind
        self.timestamp = timestamp
        self.fields = fields
        self.developed = developed
    }

    /// When it was written; nil without a date, as in files of a watch whose clock was not set.
    var at: Instant? { timestamp.flatMap(Self.instant) }

    /// A field in its unit: the stored number divided by the profile's scale.
    func number(_ field: UInt8, scale: Double = 1) -> Double? {
        fields[field]?.number.map { $0 / scale } ?? developed[field]
    }

    func text(_ field: UInt8) -> String? {
        guard let field = fields[field], field.type == .string else { return nil }
        return field.text
    }

    /// A field that is a moment.
    func moment(_ field: UInt8) -> Instant? {
        fields[field]?.number.flatMap { UInt32(exactly: $0) }.flatMap(Self.instant)
    }

    /// The bytes of a field, as they stand.
    func bytes(_ field: UInt8) -> ArraySlice<UInt8>? { fields[field]?.bytes }

    /// Seconds since 31 December 1989, UTC; below 0x10000000 they count from when the watch was switched on.
    private static func instant(_ seconds: UInt32) -> Instant? {
        guard seconds >= 0x1000_0000, seconds != .max else { return nil }
        return Instant(milliseconds: (Int64(seconds) + 631_065_600) * 1000)
    }
}
