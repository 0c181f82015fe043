/// How a column is made of the raw row `r` of its statement. The raw value has the column's own name unless
/// told otherwise.
enum ColumnForm: Sendable, Hashable {
    case raw
    /// A UUID behind a letter.
    case id(String)
    /// Who a row is about.
    case participant
    /// A UUID that stands without a letter; blank where there is none.
    case anchor
    /// A boolean as 0 or 1.
    case flag
    /// An array's words with `|` between.
    case list
    /// A `timestamptz` in UTC.
    case moment
    /// The wall clock of `<name>_at` by `<name>_offset_min`, or by the zone `<name>_tz`.
    case local(String, hasOffset: Bool)
    /// The name of a zone, in a raw column of that name.
    case zone
    /// Minutes east of UTC: as stored, or those of the zone `<name>_tz` at `<name>_at`.
    case offset(String, isStored: Bool)
    /// A `date`.
    case date
    /// What a reminder is about: a date, or the id of something.
    case subject
    /// A text whose type is told by `r.type`: an answer.
    case answer
    /// A cell of the stored answers, which no expression makes: see `StoredLayout`.
    case stored
    /// Any expression over `r`, made from checked names and quoted literals.
    case expression(String)

    var isID: Bool { if case .id = self { true } else { false } }

    /// Whether it is one of the words by which rows are told apart, so that a release has others.
    var isPseudonym: Bool {
        switch self {
        case .id, .participant, .anchor, .subject: true
        default: false
        }
    }

    /// The expression in files that tell things as they are.
    /// - Parameter guardsZones: some zone in use is unknown to the database, so that each is looked up before
    ///   it is used; a wall clock in an unknown
    ///   zone is blank.
    func sql(_ name: String, guardsZones: Bool) -> String {
        let raw = "r.\(SQLText.identifier(name))"
        switch self {
        case .raw, .participant, .zone, .date, .subject, .answer, .offset(_, isStored: true): return raw
        case .id(let letter): return "\(SQLText.literal(letter)) || \(raw)"
        case .anchor: return "nullif(\(raw), '')"
        case .flag: return "\(raw)::integer"
        case .list: return "nullif(array_to_string(\(raw), '|'), '')"
        case .moment: return Self.utc(raw)
        case .local(let prefix, hasOffset: true):
            return Self.clock(
                "\(Self.at(prefix)) at time zone 'UTC' + make_interval(mins => r.\"\(prefix)_offset_min\")")
        case .local(let prefix, hasOffset: false):
            return Self.guarded(
                Self.clock("\(Self.at(prefix)) at time zone \(Self.zone(prefix))"), Self.zone(prefix),
                guardsZones)
        case .offset(let prefix, isStored: false):
            let local = "\(Self.at(prefix)) at time zone \(Self.zone(prefix))"
            let difference = "extract(epoch from (\(local)) - (\(Self.at(prefix)) at time zone 'UTC'))"
            return Self.guarded("(\(difference) / 60)::integer", Self.zone(prefix), guardsZones)
        case .stored: return "null::text"
        case .expression(let expression): return expression
        }
    }

    static func at(_ prefix: String) -> String { "r.\(SQLText.identifier("\(prefix)_at"))" }
    static func zone(_ prefix: String) -> String { "r.\(SQLText.identifier("\(prefix)_tz"))" }

    static func utc(_ instant: String) -> String {
        "to_char(\(instant) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }

    static func clock(_ timestamp: String) -> String {
        "to_char(\(timestamp), 'YYYY-MM-DD\"T\"HH24:MI:SS.MS')"
    }

    /// Blank where the zone is one that the database does not know.
    static func guarded(_ expression: String, _ zone: String, _ guards: Bool) -> String {
        guard guards else { return expression }
        let strange = "string_to_array(current_setting('saunter.strange_zones'), ',')"
        return "case when not \(zone) = any (\(strange)) then \(expression) end"
    }
}
