import SaunterCore

/// A message of a FIT file: its kind, and its fields by number.
struct FITMessage {
    /// The kinds of messages that are used.
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
    /// The time from field 253 or from the header of the message, in seconds of the FIT epoch.
    let timestamp: UInt32?
    private let fields: [UInt8: FITField]
    /// The values of developer fields that override a field of the profile, by the number of that field.
    private let developerValues: [UInt8: Double]

    init(kind: Kind, timestamp: UInt32?, fields: [UInt8: FITField], developerValues: [UInt8: Double]) {
        self.kind = kind
        self.timestamp = timestamp
        self.fields = fields
        self.developerValues = developerValues
    }

    /// The time of the message; nil if the clock of the watch was not set.
    var at: Instant? { timestamp.flatMap(Self.instant) }

    /// A field in its unit: the stored number divided by the profile's scale.
    func number(_ field: UInt8, scale: Double = 1) -> Double? {
        fields[field]?.number.map { $0 / scale } ?? developerValues[field]
    }

    func text(_ field: UInt8) -> String? {
        guard let field = fields[field], field.type == .string else { return nil }
        return field.text
    }

    /// A field that contains a time.
    func time(_ field: UInt8) -> Instant? {
        fields[field]?.number.flatMap { UInt32(exactly: $0) }.flatMap(Self.instant)
    }

    /// The raw bytes of a field.
    func bytes(_ field: UInt8) -> ArraySlice<UInt8>? { fields[field]?.bytes }

    /// Seconds since 1989-12-31 UTC. Values below 0x10000000 count from when the watch was switched on.
    private static func instant(_ seconds: UInt32) -> Instant? {
        guard seconds >= 0x1000_0000, seconds != .max else { return nil }
        return Instant(milliseconds: (Int64(seconds) + 631_065_600) * 1000)
    }
}
