/// How a column is computed from the raw row `r` of its statement. The raw value has the name of the column, unless a
/// case says otherwise.
enum ColumnForm: Sendable, Hashable {
    case raw
    /// A UUID with a letter as prefix.
    case id(String)
    /// The pseudonym of the participant.
    case participant
    /// A UUID without a letter, as text. Blank if it is empty.
    case anchor
    /// A boolean as 0 or 1.
    case flag
    /// The elements of a text array, joined by `|`.
    case list
    /// The ids in a `uuid` array, each with a letter, joined by `|`.
    case ids(String)
    /// One text or several, joined by `|`. The raw column with the given name states their type: `date`, `instant`,
    /// `sheet` for ids of sheets, or `text`.
    case typed(by: String)
    /// A `timestamptz` in UTC.
    case moment
    /// The local time of `<name>_at`, computed from `<name>_offset_min` or from the time zone `<name>_tz`.
    case local(String, hasOffset: Bool)
    /// The name of a time zone, stored in a raw column with the same name.
    case zone
    /// Minutes east of UTC: the stored value, or the offset of the time zone `<name>_tz` at `<name>_at`.
    case offset(String, isStored: Bool)
    /// A `date`.
    case date
    /// The subject of a reminder: a date or an id.
    case subject
    /// An answer as text. The raw column `r.type` states its type.
    case answer
    /// A cell of stored answers. It has no SQL expression; see `StoredLayout`.
    case stored
    /// An expression over `r`, built from checked names and quoted literals.
    case expression(String)

    var isID: Bool { if case .id = self { true } else { false } }

    /// Whether the raw value can be a date or an id.
    var isTyped: Bool { if case .typed = self { true } else { false } }

    /// Whether the value identifies rows, so that a release replaces it by a pseudonym.
    var isPseudonym: Bool {
        switch self {
        case .id, .participant, .anchor, .subject: true
        default: false
        }
    }

    /// The SQL expression for profiles that do not change values.
    /// - Parameter hasUnknownZones: whether some time zone in use is unknown to the database. Each zone is then checked
    ///   before it is used, and a local time in an unknown zone is blank.
    func sql(_ name: String, hasUnknownZones: Bool) -> String {
        let raw = "r.\(SQLText.identifier(name))"
        switch self {
        case .raw, .participant, .zone, .date, .subject, .answer, .offset(_, isStored: true): return raw
        case .id(let letter): return "\(SQLText.literal(letter)) || \(raw)"
        case .anchor: return "nullif(\(raw), '')"
        case .flag: return "\(raw)::integer"
        case .list: return "nullif(array_to_string(\(raw), '|'), '')"
        case .ids(let letter): return Self.joined(raw, "\(SQLText.literal(letter)) || part.value")
        case .typed(let type):
            let sheets = Self.joined("string_to_array(\(raw), '|')", "'S' || part.value")
            return
                "case r.\(SQLText.identifier(type)) when 'sheet' then \(sheets) else nullif(\(raw), '') end"
        case .moment: return Self.utc(raw)
        case .local(let prefix, hasOffset: true):
            return Self.clock(
                "\(Self.at(prefix)) at time zone 'UTC' + make_interval(mins => r.\"\(prefix)_offset_min\")")
        case .local(let prefix, hasOffset: false):
            return Self.guarded(
                Self.clock("\(Self.at(prefix)) at time zone \(Self.zone(prefix))"), Self.zone(prefix),
                hasUnknownZones)
        case .offset(let prefix, isStored: false):
            let local = "\(Self.at(prefix)) at time zone \(Self.zone(prefix))"
            let difference = "extract(epoch from (\(local)) - (\(Self.at(prefix)) at time zone 'UTC'))"
            return Self.guarded("(\(difference) / 60)::integer", Self.zone(prefix), hasUnknownZones)
        case .stored: return "null::text"
        case .expression(let expression): return expression
        }
    }

    /// The elements of an array, each changed by an expression over `part.value`, joined by `|`.
    static func joined(_ array: String, _ part: String) -> String {
        let parts = "unnest(\(array)) with ordinality as part (value, ordinal)"
        return "nullif(array_to_string(array(select \(part) from \(parts) order by part.ordinal), '|'), '')"
    }

    static func at(_ prefix: String) -> String { "r.\(SQLText.identifier("\(prefix)_at"))" }
    static func zone(_ prefix: String) -> String { "r.\(SQLText.identifier("\(prefix)_tz"))" }

    static func utc(_ instant: String) -> String {
        "to_char(\(instant) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }

    static func clock(_ timestamp: String) -> String {
        "to_char(\(timestamp), 'YYYY-MM-DD\"T\"HH24:MI:SS.MS')"
    }

    /// An expression that is null if the database does not know the time zone.
    static func guarded(_ expression: String, _ zone: String, _ hasUnknownZones: Bool) -> String {
        guard hasUnknownZones else { return expression }
        let unknownZones = "string_to_array(current_setting('saunter.strange_zones'), ',')"
        return "case when not \(zone) = any (\(unknownZones)) then \(expression) end"
    }
}

/// The SQL of a de-identified release: ids and pseudonyms are keyed digests, times are shifted by a constant number of
/// days per participant, and time zones are whole hours.
extension ColumnForm {
    /// The number of days, 7 to 728, by which all dates of the participant of row `r` are shifted into the past. It is
    /// computed from a keyed digest of the pseudonym. It is a number of whole weeks, so all dates keep their weekday.
    static let shift =
        "('x' || substr(\(digest("'shift/' || r.participant_id")), 1, 8))::bit(32)::bigint % 104 * 7 + 7"

    /// The SQL expression for a de-identified release. It requires `shift.days`.
    func releasedSQL(_ name: String, type: ColumnType, hasUnknownZones: Bool) -> String {
        let raw = "r.\(SQLText.identifier(name))"
        switch self {
        case .raw, .flag, .list, .stored: return sql(name, hasUnknownZones: hasUnknownZones)
        case .id(let letter):
            return "\(SQLText.literal(letter)) || substr(\(Self.digest("\(raw)::text")), 1, 32)::uuid"
        case .participant: return "'P' || substr(\(Self.digest("'participant/' || \(raw)")), 1, 16)"
        case .anchor: return "substr(\(Self.digest("nullif(\(raw), '')")), 1, 32)::uuid::text"
        case .ids(let letter):
            let digest = "substr(\(Self.digest("part.value::text")), 1, 32)::uuid"
            return Self.joined(raw, "\(SQLText.literal(letter)) || \(digest)")
        case .typed(let type):
            let parts = "string_to_array(\(raw), '|')"
            let sheet = "'S' || substr(\(Self.digest("part.value")), 1, 32)::uuid"
            return """
                case r.\(SQLText.identifier(type))
                  when 'sheet' then \(Self.joined(parts, sheet))
                  when 'date' then \(Self.joined(parts, Self.shiftedDate("part.value")))
                  when 'instant' then \(Self.joined(parts, Self.shiftedInstant("part.value")))
                  else nullif(\(raw), '') end
                """
        case .subject:
            let isDate = "\(raw) ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'"
            let digest = "substr(\(Self.digest(raw)), 1, 32)::uuid::text"
            return "case when \(isDate) then (\(raw)::date - shift.days)::text else \(digest) end"
        case .moment: return Self.utc(Self.shifted(raw))
        case .date: return "\(raw) - shift.days"
        case .zone:
            let hours = Self.hours(raw)
            let name = "'Etc/GMT' || case when \(hours) > 0 then '-' else '+' end || abs(\(hours))"
            return Self.guarded("(\(name))", raw, hasUnknownZones)
        case .offset(let prefix, isStored: _):
            return Self.guarded("\(Self.hours(Self.zone(prefix))) * 60", Self.zone(prefix), hasUnknownZones)
        case .local(let prefix, hasOffset: _):
            let hours = "make_interval(hours => \(Self.hours(Self.zone(prefix))))"
            let local = "\(Self.shifted(Self.at(prefix))) at time zone 'UTC' + \(hours)"
            return Self.guarded(Self.clock(local), Self.zone(prefix), hasUnknownZones)
        case .answer:
            return """
                case r.type when 'date' then \(Self.shiftedDate(raw))
                  when 'date_time' then \(Self.shiftedInstant(raw)) else \(raw) end
                """
        case .expression(let expression):
            switch type {
            case .date: return Self.shiftedDate("(\(expression))::text")
            case .instant: return Self.shiftedInstant("(\(expression))::text")
            default: return expression
            }
        }
    }

    /// HMAC-SHA256 of a text in hexadecimal digits (RFC 2104), with the padded keys in the settings of the transaction.
    static func digest(_ text: String) -> String {
        let inner = "current_setting('saunter.release_inner')::bytea"
        let outer = "current_setting('saunter.release_outer')::bytea"
        return "encode(sha256(\(outer) || sha256(\(inner) || convert_to(\(text), 'UTF8'))), 'hex')"
    }

    /// The standard time of the zone in whole hours east of UTC, rounded down. It reveals neither a location nor, by a
    /// clock change, a date.
    private static func hours(_ zone: String) -> String {
        func offset(_ day: String) -> String {
            "extract(epoch from (timestamptz '\(day) 00:00Z' at time zone \(zone)) - timestamp '\(day) 00:00')"
        }
        return "floor(least(\(offset("2026-01-01")), \(offset("2026-07-01"))) / 3600)::integer"
    }

    private static func shifted(_ instant: String) -> String {
        "(\(instant) - make_interval(days => shift.days))"
    }

    /// A shifted date answer. Null if the result would be before the year 1.
    static func shiftedDate(_ text: String) -> String {
        "case when \(text)::date - shift.days >= date '0001-01-01' then (\(text)::date - shift.days)::text end"
    }

    static func shiftedInstant(_ text: String) -> String {
        let instant = shifted("\(text)::timestamptz")
        return "case when \(instant) >= timestamptz '0001-01-01 00:00Z' then \(utc(instant)) end"
    }
}
