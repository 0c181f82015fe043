/// How a column that is the same in all rows of a sheet comes from the statement, and is written.
enum HeadField: Sendable, Hashable {
    /// A UUID, written behind a letter.
    case id(UInt8)
    case text
    case integer
    case flag
    /// An instant, written in UTC.
    case moment
    /// The wall clock at the instant `<prefix>_at` by `<prefix>_offset_min`; it is worked out here.
    case local(String)

    init(_ column: Column, _ profile: DatasetProfile) {
        let isReleased = profile == .deidentified
        switch (column.form, column.type) {
        case (.raw, .integer): self = column.isDropped ? .text : .integer
        case (.flag, _): self = .flag
        case (.offset(_, isStored: true), _) where !isReleased: self = .integer
        case (.id(let letter), _) where !isReleased: self = letter.utf8.first.map { .id($0) } ?? .text
        case (.moment, _) where !isReleased: self = .moment
        case (.local(let prefix, hasOffset: true), _) where !isReleased: self = .local(prefix)
        default: self = .text
        }
    }

    /// Its expression over the raw row `r`; nil when nothing need come.
    func sql(_ column: Column, _ profile: DatasetProfile, guardsZones: Bool) -> String? {
        let raw = "r.\(SQLText.identifier(column.name))"
        return switch self {
        case .id, .moment, .flag: raw
        case .integer: "\(raw)::bigint"
        case .text: "(\(column.sql(profile, guardsZones: guardsZones)))::text"
        case .local: nil
        }
    }
}
