/// How a column is made of the raw row `r` of its statement. The raw value has the column's own name unless
/// told otherwise.
enum ColumnForm: Sendable, Hashable {
    case raw
    /// A UUID behind a letter.
    case id(String)
    /// A boolean as 0 or 1.
    case flag
    /// An array's words with `|` between.
    case list
    /// A `timestamptz` in UTC.
    case moment
    /// The wall clock of `<name>_at` by `<name>_offset_min`, or by the zone `<name>_tz`.
    case local(String, hasOffset: Bool)
    /// Minutes east of UTC of the zone `<name>_tz` at `<name>_at`.
    case offset(String)
    /// Any expression over `r`, made from checked names and quoted literals.
    case expression(String)

    var isID: Bool { if case .id = self { true } else { false } }

    /// - Parameter guardsZones: some zone in use is unknown to the database, so that each is looked up before
    ///   it is used; a wall clock in an unknown
    ///   zone is blank.
    func sql(_ name: String, guardsZones: Bool) -> String {
        let raw = "r.\(SQLText.identifier(name))"
        switch self {
        case .raw: return raw
        case .id(let letter): return "\(SQLText.literal(letter)) || \(raw)"
        case .flag: return "\(raw)::integer"
        case .list: return "nullif(array_to_string(\(raw), '|'), '')"
        case .moment: return "to_char(\(raw) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
        case .local(let prefix, hasOffset: true):
            return Self.clock(
                "\(Self.at(prefix)) at time zone 'UTC' + make_interval(mins => r.\"\(prefix)_offset_min\")")
        case .local(let prefix, hasOffset: false):
            return Self.guarded(
                Self.clock("\(Self.at(prefix)) at time zone \(Self.zone(prefix))"), prefix, guardsZones)
        case .offset(let prefix):
            let local = "\(Self.at(prefix)) at time zone \(Self.zone(prefix))"
            let difference = "extract(epoch from (\(local)) - (\(Self.at(prefix)) at time zone 'UTC'))"
            return Self.guarded("(\(difference) / 60)::integer", prefix, guardsZones)
        case .expression(let expression): return expression
        }
    }

    private static func at(_ prefix: String) -> String { "r.\(SQLText.identifier("\(prefix)_at"))" }
    private static func zone(_ prefix: String) -> String { "r.\(SQLText.identifier("\(prefix)_tz"))" }

    private static func clock(_ timestamp: String) -> String {
        "to_char(\(timestamp), 'YYYY-MM-DD\"T\"HH24:MI:SS.MS')"
    }

    private static func guarded(_ expression: String, _ prefix: String, _ guards: Bool) -> String {
        guard guards else { return expression }
        let strange = "string_to_array(current_setting('saunter.strange_zones'), ',')"
        return "case when not \(zone(prefix)) = any (\(strange)) then \(expression) end"
    }
}
