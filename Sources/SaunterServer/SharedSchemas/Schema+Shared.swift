import SaunterCore

extension Schema {
    /// An instant: RFC 3339 in UTC.
    static let instant = Schema.string(format: .dateTime)
    /// A UUID.
    static let id = Schema.string(format: .uuid)
    /// An IANA time zone.
    static let zone = Schema.string(format: .zone)
    /// A local time, `hh:mm`.
    static let clock = Schema.string(format: .time)
}

extension PathParameter {
    /// `{study}`: the code of a study.
    package static let study = PathParameter.code("study", "The code of a study.", example: "mindful-walking")
    /// `{id}`: an enrolment of the caller.
    static let enrolment = PathParameter.uuid("id", "The caller's enrolment.")
}

extension JSON {
    static func instant(_ value: Instant) -> JSON { .string(value.description) }
    static func instant(_ value: Instant?) -> JSON { value.map { .string($0.description) } ?? .null }
    static func id<Tag>(_ value: ID<Tag>?) -> JSON { value.map { .string($0.description) } ?? .null }
    static func strings(_ values: [String]) -> JSON { .array(values.map(JSON.string)) }
}
