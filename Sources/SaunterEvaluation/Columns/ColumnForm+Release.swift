/// How columns are made in a release that must not lead back to people: ids and pseudonyms are keyed digests, times are
/// moved by days that are the same for everything of one person, zones are hours.
extension ColumnForm {
    /// Days by which everything of the person of row `r` is moved into the past: 1 to 730, by a keyed digest.
    static let shift =
        "('x' || substr(\(digest("'shift/' || r.participant_id")), 1, 8))::bit(32)::bigint % 730 + 1"

    /// The expression in such a release, given `shift.days`.
    func releasedSQL(_ name: String, type: ColumnType, guardsZones: Bool) -> String {
        let raw = "r.\(SQLText.identifier(name))"
        switch self {
        case .raw, .flag, .list, .stored: return sql(name, guardsZones: guardsZones)
        case .id(let letter):
            return "\(SQLText.literal(letter)) || substr(\(Self.digest("\(raw)::text")), 1, 32)::uuid"
        case .participant: return "'P' || substr(\(Self.digest("'participant/' || \(raw)")), 1, 16)"
        case .anchor: return "substr(\(Self.digest("nullif(\(raw), '')")), 1, 32)::uuid::text"
        case .subject:
            let isDate = "\(raw) ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'"
            let digest = "substr(\(Self.digest(raw)), 1, 32)::uuid::text"
            return "case when \(isDate) then (\(raw)::date - shift.days)::text else \(digest) end"
        case .moment: return Self.utc(Self.moved(raw))
        case .date: return "\(raw) - shift.days"
        case .zone:
            let hours = Self.hours(raw)
            let name = "'Etc/GMT' || case when \(hours) > 0 then '-' else '+' end || abs(\(hours))"
            return Self.guarded("(\(name))", raw, guardsZones)
        case .offset(let prefix, isStored: _):
            return Self.guarded("\(Self.hours(Self.zone(prefix))) * 60", Self.zone(prefix), guardsZones)
        case .local(let prefix, hasOffset: _):
            let hours = "make_interval(hours => \(Self.hours(Self.zone(prefix))))"
            let local = "\(Self.moved(Self.at(prefix))) at time zone 'UTC' + \(hours)"
            return Self.guarded(Self.clock(local), Self.zone(prefix), guardsZones)
        case .answer:
            return """
                case r.type when 'date' then \(Self.movedDate(raw))
                  when 'date_time' then \(Self.movedInstant(raw)) else \(raw) end
                """
        case .expression(let expression):
            switch type {
            case .date: return Self.movedDate("(\(expression))::text")
            case .instant: return Self.movedInstant("(\(expression))::text")
            default: return expression
            }
        }
    }

    /// HMAC-SHA256 of a text in hexadecimal digits (RFC 2104), by the padded keys that the transaction holds.
    static func digest(_ text: String) -> String {
        let inner = "current_setting('saunter.release_inner')::bytea"
        let outer = "current_setting('saunter.release_outer')::bytea"
        return "encode(sha256(\(outer) || sha256(\(inner) || convert_to(\(text), 'UTF8'))), 'hex')"
    }

    /// The zone's standard time in whole hours east of UTC, rounded down: neither a place nor, by a change of clocks,
    /// a date can be told from it.
    private static func hours(_ zone: String) -> String {
        func offset(_ day: String) -> String {
            "extract(epoch from (timestamptz '\(day) 00:00Z' at time zone \(zone)) - timestamp '\(day) 00:00')"
        }
        return "floor(least(\(offset("2026-01-01")), \(offset("2026-07-01"))) / 3600)::integer"
    }

    private static func moved(_ instant: String) -> String {
        "(\(instant) - make_interval(days => shift.days))"
    }

    /// An answer that is a date; blank when it would leave the years that can be written.
    static func movedDate(_ text: String) -> String {
        "case when \(text)::date - shift.days >= date '0001-01-01' then (\(text)::date - shift.days)::text end"
    }

    static func movedInstant(_ text: String) -> String {
        let instant = moved("\(text)::timestamptz")
        return "case when \(instant) >= timestamptz '0001-01-01 00:00Z' then \(utc(instant)) end"
    }
}
