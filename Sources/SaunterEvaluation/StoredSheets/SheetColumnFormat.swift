/// How a column that has one value per sheet is selected by the statement and written as CSV.
enum SheetColumnFormat: Sendable, Hashable {
    /// A UUID, written with a letter as prefix.
    case id(UInt8)
    case text
    case integer
    case flag
    /// An instant, written in UTC.
    case moment
    /// The local time of `<prefix>_at` with the offset `<prefix>_offset_min`. It is computed here and not in SQL.
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

    /// The SQL expression over the raw row `r`. Nil if the statement returns no field for the column.
    func sql(_ column: Column, _ profile: DatasetProfile, hasUnknownZones: Bool) -> String? {
        let raw = "r.\(SQLText.identifier(column.name))"
        return switch self {
        case .id, .moment, .flag: raw
        case .integer: "\(raw)::bigint"
        case .text: "(\(column.sql(profile, hasUnknownZones: hasUnknownZones)))::text"
        case .local: nil
        }
    }
}
