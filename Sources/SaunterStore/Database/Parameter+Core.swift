import Postgres
import SaunterCore

/// Parameters from SaunterCore's types. Nil becomes NULL.
extension Parameter {
    static func id<Tag>(_ id: ID<Tag>?) -> Parameter { .uuid(id?.uuid) }
    static func ids<Tag>(_ ids: [ID<Tag>]) -> Parameter { .uuids(ids.map(\.uuid)) }
    static func instant(_ instant: Instant?) -> Parameter { .timestamp(milliseconds: instant?.milliseconds) }
    static func instants(_ instants: [Instant?]) -> Parameter {
        .timestamps(instants.map { $0?.milliseconds })
    }
    static func localDate(_ date: LocalDate?) -> Parameter { .date(days: date?.days) }
    static func localDates(_ dates: [LocalDate]) -> Parameter { .dates(dates.map(\.days)) }
    static func int(_ value: Int?) -> Parameter { .int4(value.map { Int32(clamping: $0) }) }
    static func ints(_ values: [Int]) -> Parameter { .int4s(values.map { Int32(clamping: $0) }) }
    /// For a column of type jsonb.
    static func json(_ value: JSON?) -> Parameter { .jsonb(value?.text) }
    /// For a column of type json, which keeps every digit.
    static func verbatim(_ value: JSON?) -> Parameter { .json(value?.text) }
}
